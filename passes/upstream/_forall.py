"""`scf.forall` on tensors: each op of its body is one over all iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from mlc.dialects.scf import ForallOp, ForOp, InParallelOp, YieldOp
from mlc.dialects.tensor import MapOp, StructuredOp
from mlc.dialects.tensor.parallel_insert import ParallelInsertSliceOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.upstream._moves import groups_of, kept_axes
from mlc.passes.upstream._points import TO_TENSOR, BodyPoints, named_dims, splat_of
from mlc.passes.upstream._subscripts import IndexExpressions, constant_index, index_constant
from mlc.support.affine import split_constant, split_terms
from mlc.support.ir import RESHAPES, clone
from mlc.support.locations import error_at, place_new_ops
from mlc.support.types import element_type, tensor_type

_Slice = tensor.ExtractSliceOp | ParallelInsertSliceOp


@lowers(TO_TENSOR, ForallOp)
class SharedOutputs(StatelessPattern):
    """All iterations read the shared outputs as they were; a slice of one number is a smaller tensor of that."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ForallOp)
        share_what_was(op)
        for each in [each for each in op.body.block.ops if isinstance(each, tensor.ExtractSliceOp)]:
            kind = tensor_type(each.result)
            if (number := splat_of(each.source)) is not None and kind.has_static_shape():
                Rewriter.replace_op(each, arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, [number])))


def share_what_was(op: ForallOp) -> None:
    """Let the body read the shared outputs as they were, before any iteration."""
    shared = op.body.block.args[len(op.bounds[0][1]) :]
    for argument, before in zip(shared, op.outputs, strict=True):
        for use in list(argument.uses):
            if not isinstance(use.operation, ParallelInsertSliceOp) or use.index == 0:
                use.operation.operands[use.index] = before


def can_be_widened(op: ForallOp) -> bool:
    """Whether bounds are known, slices start at sums of counters, and the ops between are structured or reshapes.

    Others run one iteration after the other.
    """
    block, (*inside, end) = op.body.block, op.body.block.ops
    counters = block.args[: len(op.bounds[0][1])]
    if any(constant_index(value) is None for values, _ in op.bounds for value in values):
        return False
    lower, upper, step = (_numbers(op, *each) for each in op.bounds)
    if not all(stride > 0 and first < last for first, last, stride in zip(lower, upper, step, strict=True)):
        return False
    return all(_is_of_elements(each, block, counters) for each in (*inside, *end.walk()) if each is not end)


def _is_of_elements(op: Operation, block: Block, counters: Sequence[SSAValue]) -> bool:
    """Whether an op of the body computes for all iterations what it computes for one: counters say where alone."""
    if isinstance(op, _Slice):
        places = IndexExpressions()
        for value in op.offsets:
            places.expression(value)
        return all(v in counters for v in places.indices)
    if isinstance(op, StructuredOp):
        used = (v for inner in op.walk() if inner is not op for v in inner.operands)
        return not any(v in counters or (isinstance(v.owner, Operation) and v.owner.parent is block) for v in used)
    if any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
        return isinstance(op, RESHAPES) or not op.operands
    return is_side_effect_free(op) and not op.regions


def widen(op: ForallOp) -> list[tensor.InsertSliceOp]:
    """Replace a forall, whose body is of the tensor level but for slices, by ops with a dim for each of its counters.

        %y = scf.forall (%i) in (4) shared_outs(%out = %init) -> (tensor<64xf32>) {
          %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
          %s = tensor.extract_slice %x[%at] [16] [1] : tensor<64xf32> to tensor<16xf32>
          %t = tensor.map %s[m] over (m: 16) …
          scf.forall.in_parallel { tensor.parallel_insert_slice %t into %out[%at] [16] [1] … }
        }
    ->
        %s = tensor.map %x[t0 * 16 + m] over (t0: 4, m: 16) …
        %t = tensor.map %s[t0, m] over (t0: 4, m: 16) …
        %y = tensor.collapse_shape %t [[0, 1]] : tensor<4x16xf32> into tensor<64xf32>

    Returns:
        Slices that are still to be lowered: what was written into a part of a shared output.

    Raises:
        UserError: sizes or strides are not known, or slices do not lie side by side.
    """
    widening = _ForallAtOnce(op)
    for each in list(op.body.block.ops)[:-1]:
        widening.take(each)
    end = op.body.block.last_op
    assert isinstance(end, InParallelOp)
    inserts = [each for each in end.region.block.ops if isinstance(each, ParallelInsertSliceOp)]
    results: list[SSAValue] = []
    parts: list[tensor.InsertSliceOp] = []
    rank = len(widening.counts)
    for number, before in enumerate(op.outputs):
        own = [each for each in inserts if cast(BlockArgument, each.dest).index == rank + number]
        if len(own) > 1:
            raise error_at(own[1], f"{own[1].name}: found a second slice of one shared output; required: one at most")
        results.append(widening.insert(own[0], before, parts) if own else before)
    Rewriter.replace_op(op, [], results)
    return parts


def sequential(op: ForallOp) -> ForOp:
    """The loops, one for each counter, that a forall is whose iterations run one after the other."""
    constants: list[Operation] = []

    def values(of: tuple[Sequence[SSAValue], Sequence[int]]) -> list[SSAValue]:
        left, found = iter(of[0]), list[SSAValue]()
        for number in of[1]:
            if number == DYNAMIC_INDEX:
                found.append(next(left))
            else:
                constants.append(index_constant(number))
                found.append(constants[-1].results[0])
        return found

    counters = list(zip(*map(values, op.bounds), strict=True))
    Rewriter.insert_op(constants, InsertPoint.before(op))
    carried: Sequence[SSAValue] = op.outputs
    loops: list[ForOp] = []
    for lower, upper, step in counters:
        block = Block(arg_types=[lower.type, *(v.type for v in carried)])
        loop = ForOp(lower, upper, step, carried, Region(block))
        place_new_ops(loop, op.location)
        if loops:
            loops[-1].body.block.add_ops([loop, YieldOp(*loop.results)])
        carried = block.args[1:]
        loops.append(loop)
    body, end = loops[-1].body.block, op.body.block.last_op
    assert isinstance(end, InParallelOp)
    for each in list(op.body.block.ops):
        each.detach()
        body.add_op(each)
    inserts = [each for each in end.region.block.ops if isinstance(each, ParallelInsertSliceOp)]
    shared, after = op.body.block.args[len(loops) :], list(carried)
    for each in inserts:
        number = shared.index(cast(BlockArgument, each.dest))
        made = tensor.InsertSliceOp.create(
            operands=[each.source, after[number], *each.offsets, *each.sizes, *each.strides],
            result_types=[each.dest.type],
            properties=dict(each.properties),
        )
        place_new_ops(made, each.location)
        body.insert_op_before(made, end)
        after[number] = made.result
    Rewriter.erase_op(end)
    body.add_op(YieldOp(*after))
    inner = [*(loop.body.block.args[0] for loop in loops), *carried]
    for old, new in zip(op.body.block.args, inner, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.replace_op(op, loops[:1], loops[0].results)
    return loops[0]


@dataclass
class _ForallAtOnce:
    """The ops before a forall that do for all iterations what its body does for one."""

    op: ForallOp
    counts: list[int] = field(default_factory=list[int])
    _counted: dict[SSAValue, AffineExpr] = field(default_factory=dict[SSAValue, AffineExpr])
    _wide: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def __post_init__(self) -> None:
        bounds = [_numbers(self.op, *each) for each in self.op.bounds]
        for number, (lower, upper, step) in enumerate(zip(*bounds, strict=True)):
            self.counts.append(len(range(lower, upper, step)))
            count = AffineExpr.dimension(number) if self.counts[-1] > 1 else AffineExpr.constant(0)
            self._counted[self.op.body.block.args[number]] = (count if step == 1 else count * step) + lower

    @property
    def dims(self) -> list[tuple[str, int]]:
        """The dims of iterations; those of a forall around this one, which come to its ops later, have other names."""
        first, around = 0, self.op.parent_op()
        while around is not None:
            first += len(around.bounds[0][1]) if isinstance(around, ForallOp) else 0
            around = around.parent_op()
        return [(f"t{first + number}", count) for number, count in enumerate(self.counts)]

    def take(self, op: Operation) -> None:
        """Let an op of the body stand before the forall."""
        if isinstance(op, tensor.ExtractSliceOp):
            self._take_slice(op)
        elif isinstance(op, StructuredOp):
            self._take_structured(op)
        elif any(v in self._wide for v in op.operands):
            self._take_reshape(op)
        elif not self._depends_on_counters(op):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(self.op))

    def insert(self, op: ParallelInsertSliceOp, before: SSAValue, parts: list[tensor.InsertSliceOp]) -> SSAValue:
        """The shared output after all iterations."""
        sizes, strides = _sizes_and_strides(op)
        offsets = self._offsets(op)
        if any(stride != 1 for stride in strides):
            raise error_at(op, f"{op.name}: found strides {strides}; required: 1")
        whole, used = tensor_type(before).get_shape(), list[int]()
        groups: list[list[int]] = []
        starts: list[int] = []
        rows: list[AffineExpr] = [AffineExpr.constant(0)] * len(self.counts)
        named: list[tuple[str, int]] = []
        kept = kept_axes(op, sizes, tensor_type(op.source).get_shape())
        inner: dict[int, AffineExpr] = {}
        for axis, (offset, size) in enumerate(zip(offsets, sizes, strict=True)):
            terms, start = split_constant(offset)
            factors = {} if terms is None else split_terms(terms)
            group: list[int] = []
            for counter, factor in factors.items():
                if factor != size or counter in used or len(factors) > 1:
                    raise error_at(
                        op, f"{op.name}: found slices of {size} at {offset}; required: slices that lie side by side"
                    )
                used.append(counter)
                rows[counter] = AffineExpr.dimension(len(named))
                group.append(len(named))
                named.append(self.dims[counter])
            if (at := kept[axis]) is not None:
                inner[at] = AffineExpr.dimension(len(named))
                group.append(len(named))
                named.append((f"s{axis}", size))
            elif not group:
                group.append(len(named))
                named.append((f"s{axis}", 1))
            groups.append(group)
            starts.append(start)
        if unused := [n for n, count in enumerate(self.counts) if count > 1 and n not in used]:
            raise error_at(op, f"{op.name}: found one slice for all values of counter {unused[0]}; required: its own")
        wide = self._widened(op.source)
        rows += [inner[at] for at in range(len(inner))]
        result = wide
        if rows != [AffineExpr.dimension(n) for n in range(len(named))]:
            points = BodyPoints()
            body = points.close(points.operand(wide, rows))
            kind = TensorType(element_type(wide.type), [size for _, size in named])
            result = self._add(op, MapOp([wide], [rows], named, kind, body))
        extents = [prod(named[n][1] for n in group) for group in groups]
        if len(named) > len(extents):
            kind = TensorType(element_type(wide.type), extents)
            result = self._add(op, _collapsed(result, groups, kind))
        if extents != list(whole):
            parts.append(part := tensor.InsertSliceOp.from_static_parameters(result, before, starts, extents))
            result = self._add(op, part)
        return result

    def _take_slice(self, op: tensor.ExtractSliceOp) -> None:
        sizes, strides = _sizes_and_strides(op)
        starts, shape = self._offsets(op), tensor_type(op.result).get_shape()
        first, kept = len(self.counts), kept_axes(op, sizes, shape)
        row = [AffineExpr.dimension(n) for n in range(first)] if op.source in self._wide else []
        for start, stride, at in zip(starts, strides, kept, strict=True):
            row.append(start if at is None else start + AffineExpr.dimension(first + at) * stride)
        source = self._wide.get(op.source, op.source)
        points = BodyPoints()
        body = points.close(points.operand(source, row))
        kind = TensorType(element_type(source.type), [*self.counts, *shape])
        self._wide[op.result] = self._add(op, MapOp([source], [row], [*self.dims, *named_dims(shape)], kind, body))

    def _take_structured(self, op: StructuredOp) -> None:
        if not any(v in self._wide for v in op.operands):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(self.op))
            return
        first = len(self.counts)
        prefix = [AffineExpr.dimension(n) for n in range(first)]
        shifted = [AffineExpr.dimension(first + n) for n in range(len(op.dims))]
        rows = [
            [*(prefix if v in self._wide else []), *(e.replace_dims_and_symbols(shifted, []) for e in m.results)]
            for v, m in zip(op.inputs, op.index_maps, strict=True)
        ]
        copy = clone(op, dict(self._wide))
        assert isinstance(copy, StructuredOp)
        copy.set_iteration(rows, [*self.dims, *zip(op.dim_names, op.dim_sizes, strict=True)])
        self._add(op, copy)
        kind = tensor_type(op.result)
        wider = TensorType(kind.element_type, [*self.counts, *kind.get_shape()])
        self._wide[op.result] = Rewriter.replace_value_with_new_type(copy.result, wider)

    def _take_reshape(self, op: Operation) -> None:
        first, kind = len(self.counts), tensor_type(op.results[0])
        said = cast("ArrayAttr[ArrayAttr[IntegerAttr]]", op.properties["reassociation"])
        groups = [[n] for n in range(first)] + [[first + each.value.data for each in group] for group in said]
        copy = clone(op, dict(self._wide))
        copy.properties["reassociation"] = groups_of(groups)
        wider = TensorType(kind.element_type, [*self.counts, *kind.get_shape()])
        if isinstance(op, tensor.ExpandShapeOp):
            copy.properties["static_output_shape"] = DenseArrayBase.from_list(i64, wider.get_shape())
        self._add(op, copy)
        self._wide[op.results[0]] = Rewriter.replace_value_with_new_type(copy.results[0], wider)

    def _add(self, op: Operation, made: Operation) -> SSAValue:
        made.location = op.location
        Rewriter.insert_op(made, InsertPoint.before(self.op))
        return made.results[0]

    def _widened(self, value: SSAValue) -> SSAValue:
        """A value over all iterations, perhaps equal in each."""
        if value in self._wide:
            return self._wide[value]
        kind = tensor_type(value)
        shape, first = kind.get_shape(), len(self.counts)
        row = [AffineExpr.dimension(first + n) for n in range(len(shape))]
        points = BodyPoints()
        body = points.close(points.operand(value, row))
        wide = TensorType(kind.element_type, [*self.counts, *shape])
        return self._add(self.op, MapOp([value], [row], [*self.dims, *named_dims(shape)], wide, body))

    def _offsets(self, op: _Slice) -> list[AffineExpr]:
        """Offsets over the numbers of iterations."""
        found: list[AffineExpr] = []
        left = iter(op.offsets)
        for number in op.static_offsets.get_values():
            expressions = IndexExpressions()
            is_value = number == DYNAMIC_INDEX
            expr = expressions.expression(next(left)) if is_value else AffineExpr.constant(number)
            found.append(expr.replace_dims_and_symbols([self._counted[v] for v in expressions.indices], []))
        return found

    def _depends_on_counters(self, op: Operation) -> bool:
        """Whether an op, or one in it, uses a counter, or what the body computes of one."""
        block = self.op.body.block
        return any(
            v in self._counted or (isinstance(v.owner, Operation) and v.owner.parent is block and v not in self._wide)
            for inner in op.walk()
            for v in inner.operands
        )


def _sizes_and_strides(op: _Slice) -> tuple[list[int], list[int]]:
    return (
        _numbers(op, op.sizes, op.static_sizes.get_values()),
        _numbers(op, op.strides, op.static_strides.get_values()),
    )


def _numbers(op: Operation, values: Sequence[SSAValue], said: Sequence[int]) -> list[int]:
    left = iter(values)
    found = [constant_index(next(left)) if number == DYNAMIC_INDEX else number for number in said]
    if any(number is None for number in found):
        raise error_at(op, f"{op.name}: found sizes or strides that are values; required: constants")
    return [number for number in found if number is not None]


def _collapsed(value: SSAValue, groups: Sequence[Sequence[int]], kind: Attribute) -> tensor.CollapseShapeOp:
    return tensor.CollapseShapeOp.create(
        operands=[value], result_types=[kind], properties={"reassociation": groups_of(groups)}
    )
