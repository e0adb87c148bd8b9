"""Structured ops become loop nests.

A nest computes one op for every point of its `over` dims. An operand is either loaded from its buffer or, if its
producer is fused into the nest, emitted right there: that keeps a bias, an activation or a square in registers.
"""

from __future__ import annotations

from collections.abc import Container

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.analysis.in_place import computed_in_place
from mlc.dialects.loop import StoreOp
from mlc.dialects.loop.nest_body import NestBody
from mlc.dialects.loop.nests import parallel_nest
from mlc.dialects.tensor import StructuredOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.tensor_to_loop._functions import destination
from mlc.passes.tensor_to_loop._padding import border, padded_in_place, shifted
from mlc.support.context import CompilerContext


@lowers("convert-tensor-to-loop", StructuredOp)
class StructuredOpToNest(RewritePattern):
    """`over` dims -> parallel loops, `reduce` dims -> serial loops that carry the accumulator, one store per point.

    The loops are in the order of the dims of the reduction that is fused into the nest, if any: a result that is
    transposed is computed as it was said, and stored where it belongs. A result that is only padded is stored where the
    padded one has it.
    """

    def __init__(self, ctx: CompilerContext) -> None:
        del ctx
        self._in_place: dict[Block, set[StructuredOp]] = {}

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, StructuredOp) and op.parent is not None
        if op.parent not in self._in_place:
            self._in_place[op.parent] = computed_in_place(op.parent)
        in_place = self._in_place[op.parent]
        if op in in_place:
            return
        padding = padded_in_place(op.result)
        target = destination(rewriter, op.result if padding is None else padding.result)
        where = None if padding is None else shifted(padding.static_low.get_values())
        nest_body = NestBody([])
        order = _loop_order(op, in_place)

        def body(counters: list[SSAValue]) -> list[Operation]:
            nest_body.counters = [counters[order.index(i)] for i in range(len(counters))]
            subscripts = list(nest_body.counters)
            ops: list[Operation] = []
            value = nest_body.value(op, [AffineExpr.dimension(i) for i in range(len(counters))], ops)
            return [*ops, StoreOp(value, target, subscripts, where)]

        nest = parallel_nest([(op.dim_names[i], op.dim_sizes[i]) for i in order], body)
        if padding is not None:
            nest = [*border(padding, target), *nest]
            rewriter.replace(padding, [], [target])
        rewriter.replace(op, nest, [target])
        for producer in reversed(nest_body.emitted):
            if producer is not op:
                rewriter.erase(producer)


def _loop_order(op: StructuredOp, in_place: Container[StructuredOp]) -> list[int]:
    """The `over` dims of `op`, outermost first."""
    own = list(range(op.num_parallel))
    readers = [(op, own)]
    seen = {op}
    while readers:
        reader, order = readers.pop()
        if reader.reduction is not None:
            return order
        for value, affine in zip(reader.inputs, reader.index_maps, strict=True):
            if isinstance(producer := value.owner, StructuredOp) and producer in in_place and producer not in seen:
                seen.add(producer)
                # In place means that the subscripts are the reader's dims, each once.
                dims = [e.position for e in affine.results if isinstance(e, AffineDimExpr)]
                readers.append((producer, [order[d] for d in dims]))
    return own
