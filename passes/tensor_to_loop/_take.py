"""`tensor.take` becomes loops over its points, each of which copies an element."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.loop import LoopKind, StoreOp
from mlc.dialects.tensor import TakeOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._functions import destination
from mlc.passes.tensor_to_loop._places import Place, place_load, placed_nest


@lowers("convert-tensor-to-loop", TakeOp)
class TakeToCopies(StatelessPattern):
    """for b, for m { i = clamp(indices[m]); for n { y[b, m, n] = data[b, i, n] } }"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, TakeOp)
        target = destination(rewriter, op.result)

        def copy(place: Place) -> list[Operation]:
            load = place_load(op.data, place.data, place.operands)
            return [load, StoreOp(load.result, target, list(place.counters))]

        nest = [] if 0 in op.dim_sizes else placed_nest(op, [LoopKind.PARALLEL] * len(op.dims), copy)
        rewriter.replace(op, nest, [target])
