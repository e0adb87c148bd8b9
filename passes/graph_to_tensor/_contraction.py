"""Matrix products become `tensor.contract`."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d
from mlc.passes.graph_to_tensor._elementwise import broadcast_subscripts
from mlc.passes.graph_to_tensor._patterns import ToTensor


@lowers("convert-graph-to-tensor", graph.MatmulOp)
class MatmulToContract(ToTensor):
    """`y[…, m, n] = sum over k of a[…, m, k] * b[…, k, n]`; leading dims of extent 1 are read at 0."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.MatmulOp)
        lhs, rhs, result = shape_of(op.lhs), shape_of(op.rhs), shape_of(op.result)
        batch, rank = result[:-2], len(result)
        names = (*(f"b{i}" if len(batch) > 1 else "b" for i in range(len(batch))), "m", "n")
        m, n, k = d(rank - 2), d(rank - 1), d(rank)
        return b.contract(
            (op.lhs, [*broadcast_subscripts(lhs[:-2], batch), m, k]),
            (op.rhs, [*broadcast_subscripts(rhs[:-2], batch), k, n]),
            over=list(zip(names, result, strict=True)),
            reduce=[("k", lhs[-1])],
            element=element_of(op.result),
        )
