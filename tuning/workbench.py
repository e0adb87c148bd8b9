"""Compiling and measuring schedules of one kernel, on its real weights, each in a process of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Protocol

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.options import CompileOptions
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.records.schedule_texts import Schedule
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.targets.machine import resolve_target
from mlc.tuning.comparison import Comparison, Surroundings, compare_libraries, shortest_call
from mlc.tuning.isolated import Failure
from mlc.tuning.libraries import Libraries, function_named
from mlc.tuning.model_inputs import counts_of

_LONG_CALL = 2e-4
"""Seconds that a call from Python should last, of which it takes well below a microsecond itself."""
_SHORT_CALL = 5e-6
"""Seconds below which a call is measured only among others, for what a call from Python takes would hide it."""
_MOST_L2 = 4
"""Memory of so many times the second cache drives out of it what was there."""
_COMPILE_SECONDS = 30.0


class Bench(Protocol):
    """Measures schedules of one kernel."""

    @property
    def rules(self) -> Schedule:
        """The schedule whose results are right."""
        ...

    def build(self, schedules: Sequence[Schedule]) -> list[Failure | None]:
        """Compile schedules, at the same time; None for those that can be measured."""
        ...

    def compare(self, one: Schedule, other: Schedule, thorough: bool = False) -> Comparison | Failure:
        """Measure two schedules that were built, in turns; a `Failure` if the first does not do what it should."""
        ...


class Workbench:
    """Builds and measures the schedules of one kernel here."""

    def __init__(
        self,
        alone: ModuleOp,
        name: str,
        ctx: CompilerContext,
        options: CompileOptions,
        folder: Path,
        rules: Schedule,
        others: int = 0,
    ) -> None:
        """
        Args:
            alone: the kernel with its constants as a model (`lone_kernel`), which stays as it is.
            name: what the kernel is called in it.
            ctx: its context.
            options: how it is compiled.
            folder: where libraries go.
            rules: the schedule whose results are right.
            others: the bytes that the model touches between two calls of the kernel.

        Raises:
            UserError: the kernel cannot be compiled, or not run.
        """
        self.rules = rules
        self._name = name
        self._libraries = Libraries(alone, ctx, options, folder, _COMPILE_SECONDS)
        self._terms = _terms(function_named(alone, name))
        self._times = 1
        self._around = Surroundings(options.threads, counts=counts_of(alone))
        self.seconds = self._start(min(others, _MOST_L2 * resolve_target(options.target).l2_bytes))

    @property
    def others(self) -> int:
        """The bytes that are touched between two calls that are measured."""
        return self._around.others

    def _start(self, others: int) -> float:
        """Build the schedule by the rules; the time of a call."""
        once = self._seconds_by_the_rules()
        if others and once >= _SHORT_CALL:
            self._around = replace(self._around, others=others)
            return self._seconds_by_the_rules()
        if (times := int(_LONG_CALL / once)) > 1:
            self._times = times
            self._libraries.repeat(times)
            once = self._seconds_by_the_rules() / times
        return once

    def _seconds_by_the_rules(self) -> float:
        (failure,) = self.build([self.rules])
        if failure is not None:
            raise UserError(f"the schedule of '{self._name}' by the rules cannot be tuned: {failure.reason}")
        once = shortest_call(self._libraries.path((self._name, self.rules)), self._around)
        if isinstance(once, Failure):
            raise UserError(f"'{self._name}' cannot be measured: {once.reason}")
        return once

    def build(self, schedules: Sequence[Schedule]) -> list[Failure | None]:
        return self._libraries.build([(self._name, s) for s in schedules])

    def compare(self, one: Schedule, other: Schedule, thorough: bool = False) -> Comparison | Failure:
        first, second, rules = (self._libraries.path((self._name, s)) for s in (one, other, self.rules))
        found = compare_libraries(first, second, rules, self._terms, self._around, thorough)
        if isinstance(found, Failure):
            return found
        return replace(found, seconds=found.seconds / self._times, beside=found.beside / self._times)

    def keep(self, schedules: Collection[Schedule]) -> None:
        """Forget what was built of other schedules than some, and that by the rules."""
        self._libraries.keep({(self._name, s) for s in (*schedules, self.rules)})


def _terms(kernel: FuncOp) -> int:
    """How many numbers are summed into one at most."""
    ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp)]
    return max((prod(op.dim_sizes[op.num_parallel :]) for op in ops), default=1)
