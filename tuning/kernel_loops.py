"""What the loops of one kernel allow, what they look like then, and steps that are drawn for them."""

from __future__ import annotations

import hashlib
from random import Random
from typing import Any, Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ForOp
from mlc.dialects.loop.steps import Step, load_step, step_names
from mlc.schedules.kernel_on_loops import distances_of_constants, finish_loops
from mlc.schedules.records.recorded_schedules import first_refusal
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule, schedule_text
from mlc.schedules.steps.base import LoopStep, Scheduling, apply_step
from mlc.schedules.trial import lower_to_plain_loops, outcomes_of
from mlc.support.context import CompilerContext
from mlc.targets.machine import resolve_target
from mlc.tuning.description import Description, described
from mlc.tuning.isolated import Failure
from mlc.tuning.service import Service

_SECONDS = 3.0
_MOST_OPS = 1500
"""Functions of more ops take too long to be drawn for."""
_MOST_DESCRIBED = 5000
"""Functions of more ops take too long to be described."""
_POOL = 16
"""So many steps are drawn at once: the steps before them are carried out for all."""
_TRIES = 8
"""How often a step is drawn for each that is wanted: some suit no loop."""


class KernelLoops:
    """Carries out steps on the loops of one kernel, and nothing below: a process of its own does, for steps may be a
    plugin's, and hang."""

    def __init__(
        self,
        alone: ModuleOp,
        name: str,
        ctx: CompilerContext,
        options: CompileOptions,
        rng: Random,
        seconds: float = _SECONDS,
        others: int = 0,
    ) -> None:
        """`alone` is a module of the kernel `name` and a model that calls it, at the tensor level; it stays.

        What takes longer than so many seconds is not known. Between two calls `others` bytes are touched.
        """
        self._rng, self._name, self._ctx = rng, name, ctx.clone()
        self._module = alone.clone()
        self._module_function().attributes.pop("schedule", None)
        self._options, self._others = options, others
        self._pools: dict[Schedule, list[Step | None]] = {}
        self._examined: dict[Schedule, tuple[str | None, Description | None, str | None]] = {}
        lower_to_plain_loops(self._module, self._ctx, options)
        self._service = Service(self._answer, seconds)

    def draw(self, steps: Schedule) -> Step | None:
        """A step for a loop that is there when `steps` are carried out; None if there is none, or it takes too long."""
        if not (pool := self._pools.setdefault(steps, [])):
            found = self._service.ask(("draw", schedule_text(steps), self._rng.random()))
            pool += parse_schedule(found, self._ctx) if isinstance(found, str) and found else [None]
        return pool.pop()

    def refusal(self, steps: Schedule) -> str | None:
        """Why the loops do not allow all of the steps; None if each changes something, or if that is not known."""
        if steps in self._examined:
            return self._examined[steps][0]
        found = self._service.ask(("refusal", schedule_text(steps), 0.0))
        if isinstance(found, Failure):
            return found.reason if found.outcome == "refused" else None
        return found

    def describe(self, steps: Schedule) -> Description | None:
        """The numbers of the loops that the steps make; None if the loops do not allow them, or it takes too long."""
        return self._examine(steps)[1]

    def fingerprint(self, steps: Schedule) -> str | None:
        """Equal for steps that make the same code, with all that is said of it; None where there is no description."""
        return self._examine(steps)[2]

    def _examine(self, steps: Schedule) -> tuple[str | None, Description | None, str | None]:
        if steps not in self._examined:
            found = self._service.ask(("describe", schedule_text(steps), 0.0))
            if isinstance(found, Failure):
                found = (found.reason if found.outcome == "refused" else None, None, None)
            self._examined[steps] = found
        return self._examined[steps]

    def stop(self) -> None:
        """End the process."""
        self._service.stop()

    def _answer(self, question: tuple[Literal["draw", "refusal", "describe"], str, float]) -> Any:
        what, text, seed = question
        steps = parse_schedule(text, self._ctx) if text else ()
        module, ctx = self._module.clone(), self._ctx.clone()
        function, scheduling = self._module_function(module), Scheduling(module, ctx, self._options.accuracy)
        if what == "draw":
            return self._drawn_behind(steps, function, scheduling, Random(seed))
        refusal = first_refusal(steps, outcomes_of(steps, function, scheduling))
        if what == "refusal":
            return refusal
        if refusal is not None or sum(1 for _ in function.walk()) > _MOST_DESCRIBED:
            return refusal, None, None
        finish_loops(module, function, ctx, self._options)
        function = self._module_function(module)
        text = hashlib.sha256(str(function).encode()).hexdigest()
        distances = distances_of_constants(module, function, self._others)
        machine, threads = resolve_target(self._options.target), self._options.threads
        return None, described(function, machine, threads, distances), text

    def _drawn_behind(self, steps: Schedule, function: FuncOp, scheduling: Scheduling, rng: Random) -> str | None:
        """The text of steps that are drawn for the loops that are there after `steps`; None if there are too many."""
        for step in steps:
            apply_step(step, function, scheduling)
            if sum(1 for _ in function.walk()) > _MOST_OPS:
                return None
        return schedule_text(_drawn(function, rng))

    def _module_function(self, module: ModuleOp | None = None) -> FuncOp:
        ops = (module or self._module).ops
        return next(op for op in ops if isinstance(op, FuncOp) and op.sym_name.data == self._name)


def _drawn(function: FuncOp, rng: Random) -> list[Step]:
    loops = [op for op in function.walk() if isinstance(op, ForOp)]
    drawn: list[Step] = []
    for _ in range(_POOL * _TRIES):
        kind = load_step(rng.choice(step_names()))
        suited = [loop for loop in loops if issubclass(kind, LoopStep) and kind.suits(loop)]
        if suited and issubclass(kind, LoopStep) and len(drawn) < _POOL:
            drawn.append(kind.drawn(rng, rng.choice(suited)))
    return drawn
