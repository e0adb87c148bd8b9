"""Tensors that are computed from positions, and tensors in tiles."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.tensor import GenerateOp, MapOp, PackingOp, PackOp, UnPackOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.upstream._moves import groups_of, known_shape
from mlc.passes.upstream._points import TO_TENSOR, BodyPoints, named_dims
from mlc.passes.upstream._structured import Iteration, map_of
from mlc.support.locations import error_at
from mlc.support.types import tensor_type


@lowers(TO_TENSOR, GenerateOp)
class GenerateToMap(StatelessPattern):
    """A map over the dims, whose numbers are operands as far as the body uses them."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, GenerateOp)
        shape, block = known_shape(op, tensor_type(op.result)), op.body.block
        for dim, position in reversed(list(enumerate(block.args))):
            number = IndexOp(dim)
            Rewriter.insert_op(number, InsertPoint.at_start(block))
            position.replace_all_uses_with(number.result)
        ops: list[Operation] = []
        named = named_dims(shape)
        identity = [AffineExpr.dimension(dim) for dim in range(len(shape))]
        points = BodyPoints((), (), identity, shape, named, ops)
        assert block.last_op is not None
        (value,) = points.take(block, [block.last_op.operands[0]])
        result = map_of(points, value, Iteration(identity, named, 0), op.result, ops)
        rewriter.replace(op, ops, [result])


@lowers(TO_TENSOR, PackOp)
class PackToMap(StatelessPattern):
    """A map that reads tile by tile, of the padded tensor.

        %y = tensor.pack %x padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4]
             into %e : tensor<7x5xf32> -> tensor<2x5x4xf32>
    ->
        %p = tensor.pad %x low[0, 0] high[1, 0] …
        %y = tensor.map %p[m * 4 + k, n] over (m: 2, n: 5, k: 4) …
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, PackOp)
        shape, packed = known_shape(op, op.whole), known_shape(op, op.packed)
        _require_known_tiles(op)
        ops: list[Operation] = []
        source = op.source
        ends = [packed[op.order.index(axis)] * op.tile_of(axis) for axis in range(len(shape))]
        if ends != shape:
            source = _padded(op, shape, ends, ops)
        rows: list[AffineExpr] = []
        for axis in range(len(shape)):
            expr = AffineExpr.dimension(op.order.index(axis))
            if axis in op.positions:
                expr = expr * op.tile_of(axis) + AffineExpr.dimension(len(shape) + op.positions.index(axis))
            rows.append(expr)
        points = BodyPoints()
        body = points.close(points.operand(source, rows))
        rewriter.replace(op, [*ops, MapOp([source], [rows], named_dims(packed), op.result.type, body)])


def _padded(op: PackOp, shape: Sequence[int], ends: Sequence[int], ops: list[Operation]) -> SSAValue:
    """The tensor up to the ends of its last tiles."""
    padding = op.padding_value
    if padding is None:
        raise error_at(
            op, f"{op.name}: found {op.packed}, which has more tiles than {op.whole}; required: padding_value"
        )
    block = Block(arg_types=[IndexType() for _ in shape])
    block.add_op(tensor.YieldOp(padding))
    high = [end - extent for end, extent in zip(ends, shape, strict=True)]
    kind = TensorType(op.whole.element_type, ends)
    ops.append(tensor.PadOp(op.source, [], [], Region(block), [0] * len(shape), high, kind))
    return ops[-1].results[0]


@lowers(TO_TENSOR, UnPackOp)
class UnPackToMap(StatelessPattern):
    """A map that puts the axes of a tile beside those that count tiles; both are one then, whose end is cut off."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, UnPackOp)
        shape, packed = known_shape(op, op.whole), known_shape(op, op.packed)
        _require_known_tiles(op)
        groups: list[list[int]] = []
        rows = [AffineExpr.constant(0)] * len(packed)
        extents: list[int] = []
        for axis in range(len(shape)):
            places = [op.order.index(axis)]
            if axis in op.positions:
                places.append(len(shape) + op.positions.index(axis))
            for place in places:
                rows[place] = AffineExpr.dimension(len(extents))
                extents.append(packed[place])
            groups.append(list(range(len(extents) - len(places), len(extents))))
        points = BodyPoints()
        body = points.close(points.operand(op.source, rows))
        element = op.whole.element_type
        beside = MapOp([op.source], [rows], named_dims(extents), TensorType(element, extents), body)
        ops: list[Operation] = [beside]
        ends = [packed[op.order.index(axis)] * op.tile_of(axis) for axis in range(len(shape))]
        if len(extents) > len(shape):
            ops.append(
                tensor.CollapseShapeOp.create(
                    operands=[beside.result],
                    result_types=[TensorType(element, ends)],
                    properties={"reassociation": groups_of(groups)},
                )
            )
        if ends != shape:
            ops.append(tensor.ExtractSliceOp.from_static_parameters(ops[-1].results[0], [0] * len(shape), shape))
        rewriter.replace(op, ops)


def _require_known_tiles(op: PackingOp) -> None:
    """Raises: UserError if a tile has an extent that is a value."""
    if op.tiles:
        raise error_at(op, f"{op.name}: found inner_tiles that are values; required: constants")
