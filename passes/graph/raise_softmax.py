"""The pass `raise-softmax`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import BroadcastOp, DivOp, ExpOp, GraphOp, ReduceOp, ReshapeOp, SoftmaxOp, SubOp
from mlc.dialects.graph.types import ints, shape_of
from mlc.pass_manager.base import Pass
from mlc.passes.graph._blocks import graph_blocks
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class RaiseSoftmaxPass(Pass):
    """Make a softmax that is spelled out one op again.

    ```mlir
    %m = graph.reduce max %x axes [1] : tensor<8x256xf32> -> tensor<8xf32>
    %k = graph.reshape %m : tensor<8xf32> -> tensor<8x1xf32>
    %d = graph.sub %x, %k : tensor<8x256xf32>, tensor<8x1xf32> -> tensor<8x256xf32>
    %e = graph.exp %d : tensor<8x256xf32>
    %s = graph.reduce sum %e axes [1] keepdims : tensor<8x256xf32> -> tensor<8x1xf32>
    %p = graph.div %e, %s : tensor<8x256xf32>, tensor<8x1xf32> -> tensor<8x256xf32>
    // after
    %p = graph.softmax %x axis 1 : tensor<8x256xf32>
    ```

    JAX spells it like this, and so do people; as one op it takes one kernel, and attention is recognised by it. The
    formula is that of the op, term by term, so nothing is assumed of the numbers. A softmax whose exponentials somebody
    else reads, as a gradient does, stays as it is, and so does one without the maximum, which overflows where the op
    does not.
    """

    name = "raise-softmax"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for block in graph_blocks(module):
            for op in [op for op in block.ops if isinstance(op, DivOp)]:
                if (found := _softmax(op)) is not None:
                    found.location = op.location
                    Rewriter.insert_op(found, InsertPoint.before(op))
                    found.result.name_hint = op.result.name_hint
                    op.result.replace_all_uses_with(found.result)
                    _erase_unread(op)
                    ctx.remark(found, f"a softmax along axis {found.axis.value.data}, spelled out")


def _softmax(div: DivOp) -> SoftmaxOp | None:
    """The softmax that a division is the end of."""
    exp = div.lhs.owner
    if not isinstance(exp, ExpOp) or not isinstance(sub := exp.input.owner, SubOp):
        return None
    shape = shape_of(div.result)
    total, largest = _reduced(div.rhs, "sum", exp.result), _reduced(sub.rhs, "max", sub.lhs)
    if total is None or total != largest or not (shape == shape_of(exp.result) == shape_of(sub.lhs)):
        return None
    readers = {use.operation for use in exp.result.uses}
    if len(readers) > 2 or not sub.result.has_one_use():
        return None
    return SoftmaxOp(sub.lhs, total)


def _reduced(value: SSAValue, kind: str, source: SSAValue) -> int | None:
    """The only axis that `source` was reduced along to become `value`, in which each row meets its own number."""
    shape = shape_of(source)
    if isinstance(wide := value.owner, BroadcastOp) and shape_of(wide.result) == shape:
        value = wide.input
    column = shape_of(value)
    if isinstance(move := value.owner, ReshapeOp):
        value = move.input
    reduce = value.owner
    if not isinstance(reduce, ReduceOp) or reduce.kind.data != kind or reduce.input is not source:
        return None
    axes = ints(reduce.axes)
    if len(axes) != 1 or column != (*shape[: axes[0]], 1, *shape[axes[0] + 1 :]):
        return None
    return axes[0]


def _erase_unread(op: Operation) -> None:
    """Erase what nobody reads any more, from a last op on."""
    pending = [op]
    while pending:
        op = pending.pop()
        if op.parent is not None and all(r.first_use is None for r in op.results) and isinstance(op, GraphOp):
            owners = [v.owner for v in op.operands]
            Rewriter.erase_op(op)
            pending += [o for o in owners if isinstance(o, Operation)]
