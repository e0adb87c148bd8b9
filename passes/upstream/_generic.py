"""Structured ops as `linalg.generic`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, TensorType
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.dialects.linalg import FillOp, GenericOp
from mlc.dialects.tensor import StructuredOp
from mlc.pass_manager.lowering import lowers
from mlc.support.context import CompilerContext
from mlc.support.ir import identity_of
from mlc.support.locations import error_at
from mlc.support.types import element_type, tensor_type

TO_LINALG = "convert-tensor-to-linalg"


@lowers(TO_LINALG, StructuredOp)
class StructuredOpToGeneric(RewritePattern):
    """`over` dims are parallel iterators, `reduce` dims are reduction iterators after them.

        %r = tensor.reduce max %x[m, k] over (m: 4) reduce (k: 8) : tensor<4x8xf32> -> tensor<4xf32>
    ->
        %least = arith.constant 0xFF800000 : f32
        %e = tensor.empty() : tensor<4xf32>
        %init = linalg.fill ins(%least : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
                             iterator_types = ["parallel", "reduction"]}
               ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
        ^bb0(%a: f32, %acc: f32):
          %s = arith.maximumf %acc, %a : f32
          linalg.yield %s : f32
        } -> tensor<4xf32>
    """

    def __init__(self, ctx: CompilerContext) -> None:
        del ctx

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, StructuredOp)
        if DYNAMIC_INDEX in tensor_type(op.result).get_shape():
            raise error_at(op, f"{op.name}: the shape of {op.result.type} is not known; bind it before {TO_LINALG}")
        ops: list[Operation] = []
        inputs = [_window(v, m, op.dim_sizes, ops) for v, m in zip(op.inputs, op.index_maps, strict=True)]
        maps = [*op.index_maps]
        if (sizes := _unseen_sizes(op)) is not None:
            shape, subscripts = sizes
            ops.append(tensor.EmptyOp([], TensorType(element_type(op.result.type), shape)))
            inputs.append(ops[-1].results[0])
            maps.append(subscripts)
        init = _initial(op, ops)
        parallel, rank = op.num_parallel, len(op.dims)
        maps.append(AffineMap(rank, 0, tuple(AffineExpr.dimension(i) for i in range(parallel))))
        iterators = [IteratorTypeAttr.parallel()] * parallel + [IteratorTypeAttr.reduction()] * (rank - parallel)
        body = _body(op, [v.type for v in inputs])
        generic = GenericOp(inputs, [init], body, [AffineMapAttr(m) for m in maps], iterators, [op.result.type])
        rewriter.insert(ops)
        rewriter.replace(op, generic)


def _initial(op: StructuredOp, ops: list[Operation]) -> SSAValue:
    """What the result is before the first point: anything for a map, else what changes nothing."""
    empty = tensor.EmptyOp([], op.result.type)
    ops.append(empty)
    if op.reduction is None:
        return empty.tensor
    identity = identity_of(op.reduction, element_type(op.result.type))
    fill = FillOp([identity.result], [empty.tensor])
    ops[-1:] = [identity, empty, fill]
    return fill.results[0]


def _body(op: StructuredOp, types: Iterable[Attribute]) -> Region:
    """One point; a contraction multiplies and adds, which is how upstream's patterns recognise it."""
    block = Block(arg_types=[*(element_type(t) for t in types), element_type(op.result.type)])
    values = block.args[: len(op.inputs)]
    if op.reduction is None:
        ops, result = op.emit_point(values)
    else:
        ops, result = StructuredOp.emit_step(op, block.args[-1], values)
    block.add_ops([*ops, YieldOp(result)])
    return Region(block)


def _window(operand: SSAValue, affine: AffineMap, sizes: Sequence[int], ops: list[Operation]) -> SSAValue:
    """The part of an operand that is read, where a dim is shorter than the axis that it alone subscripts.

    linalg takes the extents of an iteration space from such axes.
    """
    shape = tensor_type(operand).get_shape()
    extents = [
        sizes[e.position] if isinstance(e, AffineDimExpr) else extent
        for e, extent in zip(affine.results, shape, strict=True)
    ]
    if extents == list(shape):
        return operand
    window = tensor.ExtractSliceOp.from_static_parameters(operand, [0] * len(shape), extents)
    ops.append(window)
    return window.result


def _unseen_sizes(op: StructuredOp) -> tuple[list[int], AffineMap] | None:
    """The dims that subscript no axis alone, as sizes and a map to them: what a window of a pooling ranges over.

    linalg takes their extents from the shape of one more operand, whose elements nobody reads.
    """
    seen = set(range(op.num_parallel))
    for affine in op.index_maps:
        seen |= {e.position for e in affine.results if isinstance(e, AffineDimExpr)}
    unseen = [i for i in range(len(op.dims)) if i not in seen]
    if not unseen:
        return None
    return [op.dim_sizes[i] for i in unseen], AffineMap(len(op.dims), 0, tuple(AffineExpr.dimension(i) for i in unseen))
