"""The pass `fold-constants`."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConstantOp, GraphOp
from mlc.passes.base import Pass
from mlc.passes.graph._constants import Array, constant_array, constant_from, resource_name
from mlc.reference import graph as reference
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.fixed_order import fixed_order
from mlc.support import dtypes
from mlc.support.context import CompilerContext
from mlc.support.locations import error_at
from mlc.support.resources import Resources
from mlc.support.rounding import Rounding

_SMALL = 4096
"""Results of up to this number of bytes are always stored."""


@dataclass(frozen=True)
class FoldConstantsPass(Pass):
    """Compute at compile time what depends on constants only.

    ```mlir
    %w = graph.constant dense_resource<w> : tensor<200x784xf32>
    %0 = graph.transpose %w [1, 0] : tensor<200x784xf32> -> tensor<784x200xf32>
    // after
    %0 = graph.constant dense_resource<w.transpose> : tensor<784x200xf32>
    ```

    The reference semantics (`mlc.reference.graph`) do the computing, in ways that do not depend on the machine
    (`mlc.reference.fixed_order`). Results become resources of the compilation; data is kept only for constants that an
    op which is not folded needs. It leaves alone results that are much larger than what they are computed from (a
    broadcast, say), and ops inside `graph.fusion`.
    """

    name = "fold-constants"
    rounding = Rounding(4, "functions of constants are computed in extended precision")

    max_growth: int = 4
    """How many times as large as its operands together a result may be; a larger one is computed at run time."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        folding = _Folding(ctx.resources, self.max_growth)
        for op in module.walk():
            folding.visit(op)
        folding.materialize()


@dataclass
class _Folding:
    resources: Resources
    max_growth: int
    known: dict[SSAValue, Array] = field(default_factory=dict[SSAValue, Array])
    """The data of the values that are known so far."""
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """For each of them, the name of a resource that it is computed from, or nothing."""
    folded: dict[GraphOp, None] = field(default_factory=dict[GraphOp, None])
    """The ops that were computed, in program order."""

    def visit(self, op: Operation) -> None:
        """Learn the value of `op` if that is possible.

        Raises:
            UserError: it has none, such as an element at an index out of range.
        """
        if isinstance(op, ConstantOp):
            if (array := constant_array(op, self.resources)) is not None:
                self.known[op.result], self.names[op.result] = array, resource_name(op)
        elif isinstance(op, GraphOp) and all(v in self.known for v in op.operands):
            arrays = [self.known[v] for v in op.operands]
            if self._is_worth_storing(op, arrays):
                try:
                    with fixed_order():
                        (self.known[op.result],) = reference.evaluate(op, arrays)
                except UndefinedBehavior as e:
                    raise error_at(op, str(e)) from None
                self.names[op.result] = next((n for v in op.operands if (n := self.names[v])), "")
                self.folded[op] = None

    def _is_worth_storing(self, op: GraphOp, arrays: list[Array]) -> bool:
        type = op.result.type
        size = prod(type.get_shape()) * dtypes.to_numpy(type.element_type).itemsize
        return size <= max(_SMALL, self.max_growth * sum(a.nbytes for a in arrays))

    def materialize(self) -> None:
        """Put constants where folded values are needed, and erase what nobody needs any more."""
        sources = {v.owner: None for op in self.folded for v in op.operands if isinstance(v.owner, ConstantOp)}
        for op in self.folded:
            if any(use.operation not in self.folded for use in op.result.uses):
                self._replace(op)
        for op in (*reversed(self.folded), *sources):
            if op.result.first_use is None:
                op.detach()
                op.erase()

    def _replace(self, op: GraphOp) -> None:
        name = self.names[op.result] or op.result.name_hint or "constant"
        array = self.known[op.result]
        constant = constant_from(array, op.result.type, self.resources, f"{name}.{op.name.split('.')[1]}")
        constant.location, constant.result.name_hint = op.location, op.result.name_hint
        Rewriter.insert_op(constant, InsertPoint.before(op))
        op.result.replace_uses_with_if(constant.result, lambda use: use.operation not in self.folded)
