"""`convert-scf-to-loop`: take over loops of scf and affine on buffers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import affine
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.loop import ForOp
from mlc.pass_manager.base import Pass
from mlc.pass_manager.lowering import LoweringDriver
from mlc.support.context import CompilerContext
from mlc.support.locations import error_at

_TAKEN = frozenset(("memref.copy", "scf.execute_region", "scf.for", "scf.forall", "scf.index_switch", "scf.parallel"))


@dataclass(frozen=True)
class ConvertScfToLoopPass(Pass):
    """Convert upstream's loops to the loop level, with the loads and stores in them.

        scf.parallel (%m) = (%c0) to (%c64) step (%c1) {
          %s = scf.for %k = %c0 to %c784 step %c1 iter_args(%acc = %zero) -> (f32) {
            %i = affine.apply affine_map<(d0) -> (d0 + 1)>(%k)
            %a = memref.load %x[%m, %i] : memref<64x785xf32>
            …
    ->
        loop.for parallel "m" %m = 0 to 64 {
          %s = loop.for serial "k" %k = 0 to 784 iter_args(%acc = %zero) -> (f32) {
            %a = loop.load %x[%m, %k + 1] : memref<64x785xf32>
            …

    `affine.for`, `affine.load`, `affine.store` likewise. A loop whose bounds are values becomes `scf.while`, and one
    of several counters that reduces serial loops. `scf.forall` is a parallel loop for each counter, if it writes to
    buffers, `scf.index_switch` a chain of `scf.if`. linalg on buffers and `memref.copy` are loops over their dims.
    `scf.execute_region` is what it holds. `scf.if` and `scf.while` are of the loop level already.
    """

    name = "convert-scf-to-loop"
    ir_level = None

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        functions = [op for op in module.ops if isinstance(op, FuncOp) and any(map(_is_taken, op.walk()))]
        if not functions:
            return
        from mlc.passes.upstream import _loops, _subscripts

        assert _loops and _subscripts  # their patterns are registered
        if any(map(_is_of_buffers, (op for function in functions for op in function.walk()))):
            from mlc.passes.upstream import _buffers  # all named ops of linalg are classes, which takes time

            assert _buffers
        driver = LoweringDriver(self.name, ctx)
        for function in functions:
            driver.lower(function.walk())
            for op in [op for op in function.walk() if isinstance(op, affine.ApplyOp)][::-1]:
                _evaluate(op)
            _require_independence(function)


def _is_taken(op: Operation) -> bool:
    return op.name in _TAKEN or op.dialect_name() in ("affine", "linalg")


def _is_of_buffers(op: Operation) -> bool:
    return op.name == "memref.copy" or op.dialect_name() == "linalg"


def _evaluate(op: affine.ApplyOp) -> None:
    """Compute what a subscript has not taken over."""
    from mlc.passes.upstream._subscripts import evaluated

    ops: list[Operation] = []
    if op.result.uses:
        value = evaluated(op.map.data.results[0], op.map.data.num_dims, op.mapOperands, ops)
        Rewriter.replace_op(op, ops, [value])
    else:
        Rewriter.erase_op(op)


def _require_independence(function: FuncOp) -> None:
    """Raises: UserError if `scf.parallel` or `scf.forall` promised of iterations what does not hold."""
    for op in function.walk():
        if isinstance(op, ForOp) and op.is_parallel:
            try:
                op.verify_()
            except VerifyException as e:
                raise error_at(op, f"iterations of a parallel loop of scf depend on each other: {e}") from None
