"""The pass `fold-constants`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConstantOp, GraphOp
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import Array, constant_array, constant_from, folded_from, resource_name
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.folding import computed, gives_splat, stored_bytes
from mlc.support import dtypes
from mlc.support.context import CompilerContext
from mlc.support.locations import error_at
from mlc.support.resources import Resources
from mlc.support.rounding import Rounding

_SMALL = 4096
"""Results of up to this number of bytes are always stored."""
_MOST_READ = 1 << 24
"""Operands of up to this number of bytes are always computed with: splats take less than they stand for."""


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
    op which is not folded needs. It leaves alone results that are much larger than the constants that they are computed
    from, and ops inside `graph.fusion`. A single number is spelled out in the IR. Where all elements are equal, a
    constant is one number, whatever its shape: so is what is computed from it element by element.
    """

    name = "fold-constants"
    rounding = Rounding(4, "functions of constants are computed in extended precision")

    max_growth: int = 4
    """How many times as large as the constants behind it a result may be; a larger one is computed at run time."""

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
    sources: dict[SSAValue, frozenset[SSAValue]] = field(default_factory=dict[SSAValue, frozenset[SSAValue]])
    """For each of them, the constants that it is computed from."""
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
                self.sources[op.result] = frozenset([op.result])
                if array.size == 1 and self.names[op.result]:  # kernels have it in a register
                    op.value = constant_from(array, op.result.type, self.resources, "").value
        elif isinstance(op, GraphOp) and all(v in self.known for v in op.operands):
            arrays = [self.known[v] for v in op.operands]
            sources = frozenset[SSAValue]().union(*(self.sources[v] for v in op.operands))
            if self._is_worth_storing(op, arrays, sources):
                try:
                    self.known[op.result] = computed(op, arrays)
                except UndefinedBehavior as e:
                    raise error_at(op, str(e)) from None
                self.names[op.result] = next((n for v in op.operands if (n := self.names[v])), "")
                self.sources[op.result] = sources
                self.folded[op] = None

    def _is_worth_storing(self, op: GraphOp, arrays: list[Array], sources: Iterable[SSAValue]) -> bool:
        """Whether a result, and what it takes to compute it, is not much larger than the constants behind it."""
        if gives_splat(op, arrays):
            return True
        type, most = op.result.type, self.max_growth * sum(stored_bytes(self.known[v]) for v in sources)
        size = prod(type.get_shape()) * dtypes.to_numpy(type.element_type).itemsize
        return size <= max(_SMALL, most) and sum(a.nbytes for a in arrays) <= max(_MOST_READ, most)

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
        ops = folded_from(array, op.result.type, self.resources, f"{name}.{op.name.split('.')[1]}")
        for each in ops:
            each.location = op.location
        constant = ops[-1]
        constant.result.name_hint = op.result.name_hint
        Rewriter.insert_op(ops, InsertPoint.before(op))
        op.result.replace_uses_with_if(constant.result, lambda use: use.operation not in self.folded)
