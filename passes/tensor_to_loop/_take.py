"""`tensor.take` becomes loops over indices, each around a loop that copies a row."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.arith import CmpiOp, ExtSIOp, SelectOp
from mlc.dialects.loop import ForOp, LoadOp, LoopKind, StoreOp, YieldOp
from mlc.dialects.tensor import TakeOp
from mlc.passes.lowering import StatelessPattern, lowers
from mlc.passes.shared.nests import parallel_nest
from mlc.passes.tensor_to_loop._functions import destination
from mlc.support.types import memref_type, scalar_attribute, tensor_type


@lowers("lower-to-loops", TakeOp)
class TakeToRowCopies(StatelessPattern):
    """The index is loaded, wrapped and clamped once per row, in front of the loop `n` over its elements.

    for b, for m { i = clamp(indices[m]); for n { y[b, m, n] = data[b, i, n] } }
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, TakeOp)
        target = destination(rewriter, op.result)
        batch, rows, length = tensor_type(op.result).get_shape()
        extent = memref_type(op.data).get_shape()[1]

        def copy_row(counters: list[SSAValue]) -> list[Operation]:
            b, m = counters
            ops = _row_number(op.indices, m, extent)
            elements = ForOp("n", 0, length, kind=LoopKind.PARALLEL)
            n = elements.induction_variable
            load = LoadOp(op.data, [b, ops[-1].results[0], n])
            elements.body.block.add_ops([load, StoreOp(load.result, target, [b, m, n]), YieldOp()])
            return [*ops, elements]

        rewriter.replace(op, parallel_nest([("b", batch), ("m", rows)], copy_row), [target])


def _row_number(indices: SSAValue, position: SSAValue, extent: int) -> list[Operation]:
    """Ops that compute the row that `indices[position]` means, as an `index` from 0 to below `extent`; the last has it.

    The arithmetic is in i64, where adding the extent to a negative index cannot overflow.
    """
    ops: list[Operation] = [load := LoadOp(indices, [position])]
    index = load.result
    if index.type != i64:
        ops.append(wide := ExtSIOp(index, i64))
        index = wide.result
    zero, size, last = (arith.ConstantOp(scalar_attribute(n, i64)) for n in (0, extent, extent - 1))
    from_end = arith.AddiOp(index, size.result)
    is_negative = CmpiOp(index, zero.result, "slt")
    wrapped = SelectOp(is_negative.result, from_end.result, index)
    least = arith.MaxSIOp(wrapped.result, zero.result)
    nearest = arith.MinSIOp(least.result, last.result)
    ops += [zero, size, last, from_end, is_negative, wrapped, least, nearest]
    return [*ops, arith.IndexCastOp(nearest, IndexType())]
