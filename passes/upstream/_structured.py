"""Ops of linalg on tensors as structured ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, TensorType
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.linalg import LinalgOp
from mlc.dialects.linalg.interface import shape_of
from mlc.dialects.tensor import ContractOp, MapOp, ReduceOp, TakeOp
from mlc.dialects.tensor.dim_names import dim_names
from mlc.dialects.tensor.structured import combine
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.upstream._arg_reduction import ArgReduction, arg_reduction_of, position_of_extreme
from mlc.passes.upstream._points import TO_TENSOR, BodyPoints, number_of, splat_of
from mlc.passes.upstream._reductions import REQUIRED, BodyReduction, reduction_of
from mlc.support.ir import identity_of
from mlc.support.locations import error_at
from mlc.support.types import element_type, integer_width, tensor_type

_CASTS = ("arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp")
"""What may stand between a product and its operands, which are then converted first."""


@lowers(TO_TENSOR, LinalgOp)
class LinalgToStructured(StatelessPattern):
    """One structured op for each result, and one more where the result does not start from what changes nothing.

        %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
        %r = linalg.matmul ins(%x, %w : …) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
    ->
        %r = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 16) reduce (k: 8) : …
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, LinalgOp)
        if not any(isinstance(v.type, TensorType) for v in (*op.ins, *op.outs)):
            return  # loops on buffers, to which `convert-scf-to-loop` leads
        sizes = _require_known_tensors(op)
        ops: list[Operation] = []
        results = [_result(op, number, sizes, ops) for number in range(len(op.outs))]
        for each in ops:
            each.location = op.location
        rewriter.replace(op, ops, results)


def _require_known_tensors(op: LinalgOp) -> list[int]:
    """The extents of all dims.

    Raises:
        UserError: an operand is a buffer, or an extent is not known.
    """
    types: list[Attribute] = [v.type for v in (*op.ins, *op.outs)]
    for found in types:
        if isinstance(found, MemRefType):
            raise error_at(op, f"{op.name}: found {found!s} beside tensors; required: tensors alone, or buffers alone")
        if any(extent < 0 for extent in shape_of(found)):
            raise error_at(op, f"{op.name}: found {found}; required: a type with known extents, write them")
    sizes = [size for size in op.sizes() if size is not None]
    if len(sizes) < len(op.iterators):
        raise error_at(op, f"{op.name}: no operand says how far dim {op.sizes().index(None)} goes")
    return sizes


@dataclass
class Iteration:
    """The dims of a structured op for one result of an op of linalg."""

    dims: list[AffineExpr]
    """Each old dim over the new ones."""
    named: list[tuple[str, int]]
    """The new dims and their extents, those of the result first."""
    reduced: int
    """How many of these are reduced."""


def _iteration(op: LinalgOp, number: int, sizes: Sequence[int]) -> Iteration:
    """Dims index the result in the order of its subscripts; those of extent 1 that it has not are 0.

    Raises:
        UserError: the subscripts of the result are not dims, each once, or leave out one that is parallel.
    """
    subscripts = op.index_maps[len(op.ins) + number].results
    shape = shape_of(op.outs[number].type)
    zero = AffineExpr.constant(0)
    dims: list[AffineExpr | None] = [zero if size == 1 else None for size in sizes]
    seen: set[int] = set()
    for position, (subscript, extent) in enumerate(zip(subscripts, shape, strict=True)):
        match subscript:
            case AffineDimExpr(position=dim) if dim not in seen:
                seen.add(dim)
                dims[dim] = AffineExpr.dimension(position)
            case AffineConstantExpr(value=0) if extent == 1:
                pass
            case _:
                raise error_at(
                    op,
                    f"{op.name}: found the subscript {subscript} of result {number}; required: each dim at most once",
                )
    left = [i for i, dim in enumerate(dims) if dim is None]
    for i in left:
        if op.iterators[i] is IteratorType.PARALLEL:
            raise error_at(
                op, f"{op.name}: result {number} has no subscript d{i}, which is parallel; required: reduction"
            )
    names = ["k"] if len(left) == 1 else [f"k{i}" for i in range(len(left))]
    for i, dim in enumerate(left):
        dims[dim] = AffineExpr.dimension(len(shape) + i)
    parallel = list(zip(dim_names(len(shape)), shape, strict=True))
    named = [*parallel, *zip(names, [sizes[i] for i in left], strict=True)]
    return Iteration([zero if d is None else d for d in dims], named, len(left))


def _result(op: LinalgOp, number: int, sizes: Sequence[int], ops: list[Operation]) -> SSAValue:
    """One result; what computes it is appended to `ops`."""
    before = op.outs[number]
    if 0 in sizes:
        return before
    iteration = _iteration(op, number, sizes)
    rows = [[e.replace_dims_and_symbols(iteration.dims, []) for e in m.results] for m in op.index_maps]

    def make_points() -> BodyPoints:
        return BodyPoints((*op.ins, *op.outs), rows, iteration.dims, sizes, iteration.named, ops)

    points = make_points()
    last = op.point.last_op
    assert last is not None
    yielded = last.operands[number]
    if not iteration.reduced:
        (value,) = points.take(op.point, [yielded])
        return map_of(points, value, iteration, before, ops)
    arguments = op.point.args[len(op.ins) :]
    found = reduction_of(yielded, arguments[number]) if arguments else None
    if found is None or _uses(op, found.operands, arguments):
        position = arg_reduction_of(op, number)
        if position is not None and _is_of(op, position, number, iteration, arguments):
            return position_of_extreme(op, position, number, make_points, iteration.named, ops)
        raise error_at(op, f"{op.name}: found a body that reduces by '{_name(yielded)}'; required: {REQUIRED}")
    reduced = _contract(op, points, found, iteration, before, ops) or _reduce(op, points, found, iteration, before, ops)
    return _with_initial(op, found.kind, reduced, before, iteration, ops)


def _is_of(
    op: LinalgOp, position: ArgReduction, number: int, iteration: Iteration, arguments: Sequence[BlockArgument]
) -> bool:
    """Whether a position is that along the only dim that is reduced, for the same points as the extreme."""
    maps = op.index_maps[len(op.ins) :]
    return (
        iteration.reduced == 1
        and iteration.dims[position.dim] == AffineExpr.dimension(len(iteration.named) - 1)
        and maps[number] == maps[position.extreme]
        and not _uses(op, position.reduction.operands, arguments)
    )


def _name(value: SSAValue) -> str:
    return value.owner.name if isinstance(value.owner, Operation) else "its argument"


def _uses(op: LinalgOp, values: Sequence[SSAValue], arguments: Sequence[BlockArgument]) -> bool:
    """Whether values of the body depend on what is there before the point."""
    pending, seen = list(values), set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in arguments:
            return True
        if value not in seen and isinstance(value.owner, Operation) and value.owner.parent is op.point:
            seen.add(value)
            pending += [v for inner in value.owner.walk() for v in inner.operands]
    return False


def map_of(points: BodyPoints, value: SSAValue, iteration: Iteration, like: SSAValue, ops: list[Operation]) -> SSAValue:
    """What has a value at all points: a map, a `tensor.take`, or a constant; `ops` are those before it.

    Args:
        points: a body that is made; it is finished here.
        value: what it yields.
        iteration: over which dims.
        like: a tensor of the type of the result.
        ops: what is made is appended here.
    """
    number = number_of(value)
    if not points.operands and number is not None:
        ops.append(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(tensor_type(like), [number])))
    elif not _is_take(points, value):
        ops.append(MapOp(points.operands, points.subscripts, iteration.named, like.type, points.close(value)))
    return ops[-1].results[0]


def _is_take(points: BodyPoints, value: SSAValue) -> bool:
    """Whether a value is all that the last `tensor.take` reads, and nothing else."""
    taken = isinstance(points.before[-1], TakeOp) if points.before else False
    return taken and isinstance(value, BlockArgument) and points.operands == [points.before[-1].results[0]]


def _reduce(
    op: LinalgOp, points: BodyPoints, found: BodyReduction, iteration: Iteration, like: SSAValue, ops: list[Operation]
) -> SSAValue:
    values = points.take(op.point, found.operands)
    point = values[0] if found.make is None else points.add(found.make(*values))
    kind = found.kind
    if kind == "minnum":  # the greatest of negative numbers
        kind, point = "maxnum", points.add([arith.NegfOp(point)])
    body = points.close(point)
    ops.append(ReduceOp(kind, points.operands, points.subscripts, iteration.named, like.type, body))
    return ops[-1].results[0]


def _contract(
    op: LinalgOp, points: BodyPoints, found: BodyReduction, iteration: Iteration, like: SSAValue, ops: list[Operation]
) -> SSAValue | None:
    """A contraction, if points are products of elements, perhaps converted ones; None if they are others."""
    if not found.multiplies:
        return None
    element = element_type(like.type)
    sides: list[tuple[SSAValue, Sequence[AffineExpr], list[Operation]]] = []
    for value in found.operands:
        casts: list[Operation] = []
        while isinstance(value.owner, Operation) and value.owner.name in _CASTS:
            casts.insert(0, value.owner)
            value = value.owner.operands[0]
        if not isinstance(value, BlockArgument) or value.block is not op.point:
            return None
        operand = points.elements[value.index]
        if not isinstance(operand.type, TensorType):
            return None
        sides.append((operand, points.rows[value.index], casts))
    if any(element_type(operand.type) != element and not casts for operand, _, casts in sides):
        return None
    (left, left_row, _), (right, right_row, _) = sides
    left, right = (_converted(operand, casts, ops) for operand, _, casts in sides)
    ops.append(ContractOp(left, right, [left_row, right_row], iteration.named, like.type))
    return ops[-1].results[0]


def _converted(operand: SSAValue, casts: Sequence[Operation], ops: list[Operation]) -> SSAValue:
    """A tensor whose elements are converted as these ops convert one."""
    if not casts:
        return operand
    shape = tensor_type(operand).get_shape()
    identity = [AffineExpr.dimension(i) for i in range(len(shape))]
    points = BodyPoints([operand], [identity])
    value: SSAValue = points.operand(operand, identity)
    for each in casts:
        value = points.add([type(each).create(operands=[value], result_types=[r.type for r in each.results])])
    named = list(zip(dim_names(len(shape)), shape, strict=True))
    kind = TensorType(value.type, shape)
    ops.append(MapOp([operand], [identity], named, kind, points.close(value)))
    return ops[-1].results[0]


def _with_initial(
    op: LinalgOp, kind: str, reduced: SSAValue, before: SSAValue, iteration: Iteration, ops: list[Operation]
) -> SSAValue:
    """The reduction, combined with what was there before.

    Raises:
        UserError: NaN loses in the reduction, and it is not known whether it starts from NaN.
    """
    number, element = splat_of(before), element_type(before.type)
    if kind in ("maxnum", "minnum") and (number is None or number != number):
        raise error_at(
            op, f"{op.name}: found '{kind}f' from an initial value that is not a known number; required: linalg.fill"
        )
    if kind != "minnum" and number is not None and _is_neutral(number, kind, element):
        return reduced
    rank = len(iteration.named) - iteration.reduced
    identity_row = [AffineExpr.dimension(i) for i in range(rank)]
    points = BodyPoints()
    result = points.operand(reduced, identity_row)
    start = points.element(before, identity_row)
    if kind == "minnum":
        value = points.add([negated := arith.NegfOp(result), arith.MinnumfOp(start, negated.result)])
    else:
        value = points.add([combine(kind, start, result)])
    return map_of(points, value, Iteration([], iteration.named[:rank], 0), before, ops)


def _is_neutral(number: float, kind: str, element: Attribute) -> bool:
    """Whether nothing changes if a number is combined, zeros of both signs alike."""
    neutral = number_of(identity_of(kind, element).result)
    width = integer_width(element)
    assert neutral is not None
    return number == neutral if width is None else (int(number) - int(neutral)) % (1 << width) == 0
