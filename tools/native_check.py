"""The end of `--check-each`: native code computes what the references computed."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.pass_manager.base import Pass
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError
from mlc.targets.machine import resolve_target
from mlc.tools.native_program import (
    STAGE,
    Array,
    NativeFunction,
    native_function,
    program_of_all,
    require_runnable,
    run_program,
)

_LOWERING = "convert-loop-to-llvm"


@dataclass
class NativeCheck(Instrumentation):
    """Run a module that arrived at the llvm level as native code, on the inputs of `checker`, and compare the outputs.

    Every function with a meaning is compared, kernels before the models that call them: a wrong kernel explains a wrong
    model. What cannot be compared is named in a note on `stream`.

    The llvm level does not say what a function takes and gives, so the module is copied before
    `convert-loop-to-llvm`. The check has to stand before the instrumentation that calls `checker`, which then still
    knows which functions of the loop level it skips.
    """

    checker: EquivalenceChecker
    ctx: CompilerContext
    stream: TextIO
    threads: int = 1
    """How many threads loops may run on."""
    cc: str | None = None
    """The clang to use instead of the one that is found."""
    _before_lowering: ModuleOp | None = field(default=None, init=False)
    _functions: list[NativeFunction] | None = field(default=None, init=False)

    def options(self) -> Sequence[str]:
        return ("--check-each", f"--seed={self.checker.seed}", f"--threads={self.threads}")

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        if pass_.name == _LOWERING and any(isinstance(op, FuncOp) for op in module.ops):
            self._before_lowering = module.clone()

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        if pass_.name != _LOWERING or self._before_lowering is None:
            return
        loops, self._before_lowering = self._before_lowering, None
        self._functions = [native_function(op) for op in loops.ops if isinstance(op, FuncOp) and self._is_compared(op)]
        for op in loops.ops:
            if isinstance(op, llvm.FuncOp) and op.body.blocks:
                self._note("it was at the llvm level from the start", op.sym_name.data)

    def finish(self, module: ModuleOp) -> None:
        if not module.ops.first or any(not op.name.startswith("llvm.") for op in module.ops):
            return
        if self._functions is None:
            self._note(f"no {_LOWERING} ran, and the llvm level does not say what functions take and give")
            return
        try:
            outcomes = self._compare(module, self._functions)
        except UserError as e:
            self._note(e.message)
        except CompilerBug:
            # Of code that ends its process. Perhaps the reference says since when it does what it must not.
            self.checker.settle({})
            raise
        else:
            self.checker.settle(outcomes)

    def _is_compared(self, function: FuncOp) -> bool:
        """Whether there is something to compare; if not although there is code, say why."""
        name = function.sym_name.data
        reason = self.checker.skipped.get(name)
        if reason is None and function.function_type.outputs.data:
            reason = "it returns values, which the checker knows of buffers only"
        if reason is not None and not function.is_declaration:
            self._note(reason, name)
        return reason is None and not function.is_declaration

    def _compare(self, module: ModuleOp, functions: list[NativeFunction]) -> dict[str, CompilerBug | None]:
        """What is wrong with the native code of each function that can be compared, if anything is; callees first."""
        machine = resolve_target(self.ctx.target)
        require_runnable(machine)
        defined = {op.sym_name.data for op in module.ops if isinstance(op, llvm.FuncOp) and op.body.blocks}
        present = sorted((f for f in functions if f.symbol in defined), key=lambda f: f.is_model)
        if not present:
            return {}
        cases = [(f, case, arrays) for f in present for case, arrays in enumerate(self.checker.cases_of(f.name))]
        program = program_of_all(module, [f for f, _, _ in cases], self.ctx.resources, machine, self.threads)
        inputs: list[Array] = [array for _, _, arrays in cases for array in arrays]
        with tempfile.TemporaryDirectory(prefix="mlc-check-") as folder:
            outputs = iter(run_program(program, machine, inputs, Path(folder), self.cc))
        wrong: dict[str, CompilerBug | None] = {}
        for function, case, _ in cases:
            found = [next(outputs) for _ in function.outputs]
            wrong.setdefault(function.name, None)
            try:
                self.checker.compare_outputs(STAGE, function.name, found, case=case)
            except CompilerBug as e:
                wrong[function.name] = wrong[function.name] or e
        return wrong

    def _note(self, reason: str, function: str | None = None) -> None:
        of = "" if function is None else f" of '{function}'"
        print(f"note: {STAGE}{of} was not compared: {reason}", file=self.stream)
