"""Where bodies of loops and branches have to leave what they yield.

While a body is lowered, its `tensor.yield` holds values and, after all of them, for each the buffer that it has to be
in. So an op that computes one finds its destination there, as it finds the outputs of its function.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.scf import WhileOp
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from mlc.dialects.loop import ForOp
from mlc.dialects.loop.copies import copy_nest
from mlc.dialects.loop.views import unreshaped
from mlc.dialects.scf import IfOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.support.ir import RESHAPES

_LOWERED = (ForOp, IfOp, WhileOp)
"""Ops with bodies that are being lowered."""


def expect(last: YieldOp, places: Sequence[tuple[SSAValue, SSAValue]]) -> None:
    """Let values be left in buffers where `last` stands."""
    last.operands = [*(value for value, _ in places), *(buffer for _, buffer in places)]


def yielded_into(value: SSAValue) -> SSAValue | None:
    """The buffer that a value, perhaps under another shape, has to be left in; the first one if there are several."""
    pending = [value]
    while pending:
        for use in pending.pop().uses:
            user = use.operation
            if isinstance(user, YieldOp) and isinstance(user.parent_op(), _LOWERED):
                half = len(user.operands) // 2
                if use.index < half:
                    return user.operands[half + use.index]
            elif isinstance(user, RESHAPES):
                pending.append(user.results[0])
    return None


@lowers("convert-tensor-to-loop", YieldOp)
class YieldIntoBuffers(StatelessPattern):
    """Copy what could not be computed where it has to be; the loop's own terminator stands after it already."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op.parent_op(), _LOWERED):
            return
        half = len(op.operands) // 2
        for value, buffer in zip(op.operands[:half], op.operands[half:], strict=True):
            if unreshaped(value) is not unreshaped(buffer):
                rewriter.insert(copy_nest(value, buffer), InsertPoint.before(op))
        rewriter.erase(op)
