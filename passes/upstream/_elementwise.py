"""`arith`, `math` and softmax on whole tensors as structured ops."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.arith import Arith, IndexCastOp, IndexCastUIOp
from mlc.dialects.linalg import SoftmaxOp
from mlc.dialects.tensor import MapOp, ReduceOp
from mlc.dialects.tensor.dim_names import dim_names
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.upstream._points import TO_TENSOR, BodyPoints, named_dims
from mlc.support.ir import drop_overflow_flags
from mlc.support.locations import error_at
from mlc.support.types import Tensor, tensor_type

_COMPUTING = [op for op in (*Arith.operations, *math.Math.operations) if op is not arith.ConstantOp]


@lowers(TO_TENSOR, *_COMPUTING)
class ArithToMap(StatelessPattern):
    """`arith.addf %x, %y : tensor<4xf32>` -> a map with `arith.addf` of two numbers; ops on scalars stay."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not any(isinstance(r.type, TensorType) for r in op.results):
            return
        kind = tensor_type(op.results[0])
        if not kind.has_static_shape():
            raise error_at(op, f"{op.name}: found {kind}; required: a type with known extents, write them")
        if len(op.results) != 1:
            raise error_at(op, f"{op.name}: found {len(op.results)} results of type {kind}; write it in linalg.generic")
        points, row = BodyPoints(), _all_dims(kind)
        mapping = {v: points.element(v, row) for v in dict.fromkeys(op.operands)}
        if isinstance(op, IndexCastOp | IndexCastUIOp):
            value = points.resized(op, mapping[op.input])
        else:
            copy = type(op).create(
                operands=[mapping[v] for v in op.operands],
                result_types=[kind.element_type],
                properties=op.properties,
                attributes=op.attributes,
            )
            drop_overflow_flags(copy)
            value = points.add([copy])
        rewriter.replace(op, _map(points, value, kind))


def _all_dims(kind: Tensor) -> list[AffineExpr]:
    return [AffineExpr.dimension(i) for i in range(kind.get_num_dims())]


def _map(points: BodyPoints, value: SSAValue, kind: Tensor) -> MapOp:
    return MapOp(points.operands, points.subscripts, named_dims(kind.get_shape()), kind, points.close(value))


@lowers(TO_TENSOR, SoftmaxOp)
class SoftmaxToStructured(StatelessPattern):
    """The maximum, exponentials of the difference to it, their sum, and the quotient."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, SoftmaxOp)
        found: Attribute = op.input.type
        if not isinstance(found, TensorType) or not tensor_type(op.input).has_static_shape():
            raise error_at(op, f"{op.name}: found {found!s}; required: a tensor of known extents")
        kind, dim = tensor_type(op.input), op.dim
        rank, shape = kind.get_num_dims(), kind.get_shape()
        outer = [i for i in range(rank) if i != dim]
        part = TensorType(kind.element_type, [shape[i] for i in outer])
        # The dims of the rows come first, then the one that is reduced.
        over = [*zip(dim_names(rank - 1), part.get_shape(), strict=True), ("k", shape[dim])]
        place = {i: AffineExpr.dimension(at) for at, i in enumerate([*outer, dim])}
        row, rest = [place[i] for i in range(rank)], [AffineExpr.dimension(i) for i in outer]
        greatest = ReduceOp("max", [op.input], [row], over, part)

        def combined(make: type[Operation], left: SSAValue, right: SSAValue, then: type[Operation] | None) -> MapOp:
            points = BodyPoints()
            a, b = points.operand(left, _all_dims(kind)), points.operand(right, rest)
            value = points.add([make.create(operands=[a, b], result_types=[kind.element_type])])
            if then is not None:
                value = points.add([then.create(operands=[value], result_types=[kind.element_type])])
            return _map(points, value, kind)

        powers = combined(arith.SubfOp, op.input, greatest.result, math.ExpOp)
        total = ReduceOp("add", [powers.result], [row], over, part)
        quotient = combined(arith.DivfOp, powers.result, total.result, None)
        rewriter.replace(op, [greatest, powers, total, quotient])
