"""How much a kernel computes and moves, counted at the tensor level, where nothing is computed twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, repeat
from math import prod

from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, ModuleOp, i8
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.dialects.loop.dot import SHORT_TYPES, per_word
from mlc.dialects.loop.schedule import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.dialects.loop.unpack import PER_WORD
from mlc.dialects.tensor import ContractOp, StructuredOp, TakeOp, TileMapOp
from mlc.passes.loop.expand_math import ExpandMathPass
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.dot_taps import DotTaps
from mlc.schedules.steps.unpack import Unpack
from mlc.support.affine import affine_bounds
from mlc.support.context import CompilerContext
from mlc.support.dtypes import bytes_of, to_numpy
from mlc.support.ir import clone
from mlc.support.types import element_type, tensor_type

_MANY_POINTS = 1 << 17
"""How many values of a subscript are counted one by one at most."""


@dataclass(frozen=True)
class ShortProducts:
    """What contractions of two short types do, where words of these can be multiplied and added by dot products."""

    types: tuple[str, str]
    """Of the factors."""
    flops: int
    """Two for each multiply-add that is needed."""
    in_i16: bool = False
    """Whether sums of two products are known to fit in i16: weights are stored in fields of four bits or less."""


@dataclass(frozen=True)
class KernelWork:
    """What one call of a kernel does."""

    multiply_adds: int
    """Flops of multiply-adds, two for each: those of contractions, and of the polynomials of `exp` and the like."""
    other_flops: int
    """All other scalar operations, one for each, also those on the bits of numbers."""
    bytes: int
    """What is read of operands, and results, once each: what has to be moved at least."""
    element_bits: int
    """The width of the widest element that is computed with; floats of 16 bits are computed as f32."""
    with_padding: int = 0
    """Flops of those multiply-adds whose one factor is a zero of the padding: a kernel may leave them out."""
    written: int = 0
    """How many of the bytes are those of results."""
    short: tuple[ShortProducts, ...] = ()
    """The part of the multiply-adds that has short factors."""

    @property
    def flops(self) -> int:
        """All operations; multiply-adds count as two."""
        return self.multiply_adds + self.other_flops

    @property
    def intensity(self) -> float:
        """Flops per byte."""
        return self.flops / max(self.bytes, 1)


def work_of(kernel: FuncOp, ctx: CompilerContext) -> KernelWork:
    """The work of a kernel at the tensor level; products with the padding of a convolution count, as in papers.

    Functions such as `exp` count as the formulas that code for the target of `ctx` has for them. `kernel` stays.
    """
    expanded = clone(kernel)
    assert isinstance(expanded, FuncOp)
    ExpandMathPass().run(ModuleOp([expanded]), ctx.clone())
    multiply_adds = other = with_padding = 0
    short: list[ShortProducts] = []
    steps = _steps(kernel)
    has_dots_of_taps = any(isinstance(step, DotTaps) for step in steps)
    in_i16 = any(isinstance(step, Dot) and step.has_fields for step in steps)
    bits = 8
    for op in expanded.body.block.ops:
        if not isinstance(op, StructuredOp | TileMapOp):
            continue
        points = prod(op.dim_sizes)
        bits = max(bits, *map(_bits_of_lane, (*op.inputs, op.result)))
        if isinstance(op, TileMapOp):
            fused, single = _scalar_ops(op.body.block)
        elif op.contracts:
            fused, single = 1, 0
            with_padding += (left_out := 2 * max(map(points_in_padding, repeat(op), range(len(op.inputs)))))
            if (types := _short_factors(op, has_dots_of_taps)) is not None:
                short.append(ShortProducts(types, 2 * points - left_out, in_i16))
        else:
            point = op.point_block()
            fused, single = _scalar_ops(point)
            point.erase(safe_erase=False)
            single += op.reduction is not None
        multiply_adds += 2 * points * fused
        other += points * single
    last = kernel.body.block.last_op
    written = sum(map(bytes_of, last.arguments)) if isinstance(last, ReturnOp) else 0
    moved = sum(bytes_of_operand(kernel, each) for each in kernel.body.block.args) + written
    return KernelWork(multiply_adds, other, moved, bits, with_padding, written, tuple(short))


def _short_factors(op: StructuredOp, has_dots_of_taps: bool) -> tuple[str, str] | None:
    """The types of the factors of a contraction that adds up products of words of short numbers; None if not.

    Words are neighbours along the innermost dim, or taps of a window if the schedule says so.
    """
    elements, innermost = op.read_types, len(op.dims) - 1
    if has_dots_of_taps and len(elements) == 2 and all(e in SHORT_TYPES for e in elements):
        lhs, rhs = map(str, elements)
        return lhs, rhs
    if any(e not in SHORT_TYPES or op.dim_sizes[innermost] < per_word(e) for e in elements):
        return None
    if any(all(innermost not in e.used_dims() for e in affine.results) for affine in op.index_maps):
        return None
    lhs, rhs = map(str, elements)
    return lhs, rhs


def _bits_of_lane(value: SSAValue) -> int:
    bits = 8 * _element_bytes(value)
    return max(bits, 32) if isinstance(tensor_type(value).element_type, AnyFloat) else bits


def points_in_padding(op: StructuredOp, operand: int) -> int:
    """The points of `op` at which it reads a zero that a `tensor.pad` put around its operand.

    0 where that is not plain: two subscripts go over the same dim, or a subscript over very many points.
    """
    pad = op.inputs[operand].owner
    if not isinstance(pad, tensor.PadOp) or not _pads_with_zeros(pad):
        return 0
    extents = tensor_type(pad.source).get_shape()
    inside, seen = 1, set[int]()
    for subscript, low, extent in zip(
        op.index_maps[operand].results, pad.static_low.get_values(), extents, strict=True
    ):
        dims = sorted(subscript.used_dims())
        sizes = [op.dim_sizes[d] for d in dims]
        if seen & set(dims) or prod(sizes) > _MANY_POINTS:
            return 0
        seen |= set(dims)
        inside *= _count_inside(subscript, dims, sizes, range(low, low + extent))
    rest = prod(size for d, size in enumerate(op.dim_sizes) if d not in seen)
    return prod(op.dim_sizes) - inside * rest


def _count_inside(subscript: AffineExpr, dims: Sequence[int], sizes: Sequence[int], inside: range) -> int:
    """At how many points of `dims` the subscript is within `inside`."""
    point = [0] * (max(dims, default=-1) + 1)
    count = 0
    for values in product(*map(range, sizes)):
        for d, value in zip(dims, values, strict=True):
            point[d] = value
        count += subscript.eval(point, []) in inside
    return count


def _pads_with_zeros(pad: tensor.PadOp) -> bool:
    last = pad.region.block.last_op
    value = last.operands[0].owner if last is not None and last.operands else None
    return (
        isinstance(value, arith.ConstantOp)
        and isinstance(value.value, FloatAttr | IntegerAttr)
        and value.value.value.data == 0
    )


def _scalar_ops(body: Block) -> tuple[int, int]:
    """The multiply-adds, and the other ops, that compute a point; one in a region of another counts as well.

    Constants, bits that are only called something else, and subscripts cost nothing. A comparison and a choice between
    what it compares are one operation: a minimum, or a maximum.
    """
    counted = [op for op in body.walk() if not isinstance(op, _FREE) and not all(map(_is_index, _values(op)))]
    counted = [op for op in counted if not _is_part_of_limit(op)]
    fused = sum(isinstance(op, math.FmaOp) for op in counted)
    return fused, len(counted) - fused


def _is_part_of_limit(op: Operation) -> bool:
    """Whether an op only tells which of two numbers is the smaller one."""
    if not isinstance(op, arith.CmpfOp | arith.CmpiOp):
        return False
    choice = op.result.get_user_of_unique_use()
    return isinstance(choice, arith.SelectOp) and {choice.lhs, choice.rhs} == {op.lhs, op.rhs}


_FREE = (arith.ConstantOp, arith.BitcastOp, tensor.YieldOp)


def _values(op: Operation) -> Iterable[Attribute]:
    return (value.type for value in (*op.operands, *op.results))


def _is_index(kind: Attribute) -> bool:
    return isinstance(kind, IndexType)


def bytes_of_operand(kernel: FuncOp, argument: BlockArgument) -> int:
    """The bytes of an operand of a kernel that a call reads, as they are stored."""
    return _bytes_read(argument) // _shortened(kernel, argument)


def _bytes_read(argument: BlockArgument) -> int:
    """The bytes of an operand that are read: of a slice its part, of a table the rows that are looked up."""
    readers = list(_readers(argument))
    read = 0
    maps: dict[SSAValue, list[tuple[AffineMap, tuple[int, ...]]]] = {}
    for op, operand in readers:
        if isinstance(op, TakeOp) and operand == 0:
            read += bytes_of(op.result)
        elif isinstance(op, StructuredOp):
            maps.setdefault(op.inputs[operand], []).append((op.index_maps[operand], op.dim_sizes))
        elif isinstance(op, TileMapOp):
            maps.setdefault(op.inputs[operand], []).append((op.maps.data[operand].data, op.dim_sizes))
        else:
            return bytes_of(argument)
    read += sum(_elements_read(value, each) * _element_bytes(value) for value, each in maps.items())
    return min(bytes_of(argument), read) if readers else bytes_of(argument)


def _shortened(kernel: FuncOp, argument: BlockArgument) -> int:
    """How many times as short an operand is stored as its type says: weights of four bits or less that are unpacked."""
    steps = _steps(kernel)
    words = {step.loop: PER_WORD for step in steps if isinstance(step, Unpack)}
    words |= {step.loop: step.count for step in steps if isinstance(step, Dot)}
    readers = (op for op, operand in _readers(argument) if isinstance(op, ContractOp) and operand == 1)
    counts = [words[name] for op in readers for name in op.dim_names if name in words]
    return max(counts, default=4) // 4 if element_type(argument.type) == i8 else 1


def _steps(kernel: FuncOp) -> Sequence[Step]:
    schedule = kernel.attributes.get("schedule")
    return schedule.steps if isinstance(schedule, ScheduleAttr) else ()


def _elements_read(value: SSAValue, maps: Sequence[tuple[AffineMap, tuple[int, ...]]]) -> int:
    """At most how many elements of a tensor are read by subscripts over dims of these sizes.

    Along the last axis elements that are skipped count as well: they are on lines with those that are not.
    """
    shape = tensor_type(value).get_shape()
    counts: list[int] = []
    boxes = [1] * len(maps)
    for axis, extent in enumerate(shape):
        bounds = [affine_bounds(affine.results[axis], sizes) for affine, sizes in maps]
        spans = [min(high, extent - 1) - max(low, 0) + 1 for low, high in bounds]
        if axis < len(shape) - 1:
            spans = [
                min(span, prod(sizes[d] for d in affine.results[axis].used_dims()))
                for span, (affine, sizes) in zip(spans, maps, strict=True)
            ]
        boxes = [box * span for box, span in zip(boxes, spans, strict=True)]
        around = max(high for _, high in bounds) - min(low for low, _ in bounds) + 1
        counts.append(min(around, extent, len({low for low, _ in bounds}) * max(spans)))
    return min(prod(counts), sum(boxes))


def _readers(value: SSAValue) -> Iterator[tuple[Operation, int]]:
    """The ops that read a tensor, perhaps under another shape, each with the number of the operand."""
    for use in value.uses:
        if isinstance(use.operation, tensor.CollapseShapeOp | tensor.ExpandShapeOp):
            yield from _readers(use.operation.result)
        else:
            yield use.operation, use.index


def _element_bytes(value: SSAValue) -> int:
    return to_numpy(tensor_type(value).element_type).itemsize
