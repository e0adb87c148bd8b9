"""What a step of a schedule is to those that carry it out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from random import Random
from typing import Any, Protocol, Self, TypeVar

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.analysis.legality import note_if_refused
from mlc.analysis.nests import loops_named
from mlc.dialects.llvm import LoopAnnotationAttr
from mlc.dialects.loop import LOOP_ANNOTATION, ForOp
from mlc.dialects.loop.steps import LoopName, Step, type_hints
from mlc.schedules.steps._plugin_steps import blamed_on_plugin
from mlc.support.context import CompilerContext, Remark, remark_about
from mlc.support.errors import CompilerBug, Refused, UserError, Whereabouts
from mlc.support.functions import PASSTHROUGH, llvm_attributes
from mlc.support.locations import error_at

_SIZES = (2, 2, 3, 4, 8)
"""What a number of a step is drawn from, where it may be any."""
_FEW = 16
"""A step takes so many numbers at most if each of them is to be drawn as often as the others."""


class _OfModule(Protocol):
    @classmethod
    def of(cls, module: ModuleOp, ctx: CompilerContext) -> Self: ...


_State = TypeVar("_State", bound=_OfModule)


@dataclass
class Scheduling:
    """Schedules of the functions of one module while they are carried out."""

    module: ModuleOp
    ctx: CompilerContext
    accuracy: str = "exact"
    """The option of pipelines: whether steps may make errors larger."""
    _states: dict[type, Any] = field(default_factory=dict[type, Any])
    _settled: dict[tuple[FuncOp, str, tuple[str, ...]], LoopStep] = field(default_factory=dict[Any, Any])
    _refused: list[tuple[FuncOp, LoopStep]] = field(default_factory=list[tuple[FuncOp, Any]])

    def shared(self, kind: type[_State]) -> _State:
        """What the steps of a kind know of the module: made when the first of them asks, `kind.of(module, ctx)`."""
        if kind not in self._states:
            self._states[kind] = kind.of(self.module, self.ctx)
        return self._states[kind]

    def settled(self, function: FuncOp, step: LoopStep) -> LoopStep | None:
        """The step that has said of `function` what another one of its kind, with the same names, would say."""
        return self._settled.get((function, step.name, step.names))

    def settle(self, function: FuncOp, step: LoopStep) -> None:
        """Remember that a step was carried out, if it settles something."""
        if step.settles:
            self._settled[function, step.name, step.names] = step

    def forget(self, function: FuncOp) -> None:
        """Forget all that was done to `function`, which is as it was before."""
        self._states.clear()  # they know the calls of the module
        self._settled = {key: step for key, step in self._settled.items() if key[0] is not function}
        self._refused = [(f, step) for f, step in self._refused if f is not function]

    def refuse(self, function: FuncOp, step: LoopStep) -> None:
        """Remember that `function` lacks the loops that a step would have made."""
        self._refused.append((function, step))

    def lacks(self, function: FuncOp, loop: str) -> bool:
        """Whether a loop of `function` would be there, had a step been allowed."""
        return any(f is function and step.makes(loop) for f, step in self._refused)


@dataclass(frozen=True)
class LoopStep(Step):
    """A step that changes loops of a function.

    A subclass says what it does to one loop (`rewrite`), or to all of a name together (`rewrite_all`), and raises
    `Refused` where that might change results; the loop has to be as it was then.
    """

    @classmethod
    def problem(cls) -> str | None:
        does_nothing = cls.rewrite is LoopStep.rewrite and cls.rewrite_all is LoopStep.rewrite_all
        if does_nothing and cls.apply is LoopStep.apply:
            return "has no `rewrite(self, loop, ctx)`, which carries it out"
        return super().problem()

    def apply(self, function: FuncOp, scheduling: Scheduling) -> list[Remark]:
        """Carry out the step on all loops of `function` that it names.

        Returns:
            why loops stayed as they were: nothing if all of them allowed the step.

        Raises:
            UserError: one of its names is that of no loop.
        """
        # Innermost first: what a step does to a loop must not hide the loops inside it.
        loops = list(reversed(loops_named(function, self.target)))
        if not loops and scheduling.lacks(function, self.target):
            return []
        for name in self.loops:
            if not (loops and name == self.target) and not scheduling.lacks(function, name):
                self._require_loop(function, name)
        if (contradiction := self.contradiction(function, scheduling)) is not None:
            return [contradiction]
        refusals = self.rewrite_all(loops, scheduling)
        if len(refusals) < len(loops):  # one of them allowed it, at least
            scheduling.settle(function, self)
        return refusals

    def _require_loop(self, function: FuncOp, name: str) -> None:
        """Check that `function` has a loop of a name that the step is written with.

        Raises:
            UserError: it has none.
        """
        present = dict.fromkeys(op.dim.data for op in function.walk() if isinstance(op, ForOp))
        if name in present:
            return
        has = f"has the loops {', '.join(present)}" if present else "has no loops: lower it to loops first"
        what = f"names no loop of '{function.sym_name.data}', which {has}"
        if name != self.target:
            what = f"names the loop '{name}', which is not in '{function.sym_name.data}'; it {has}"
        raise error_at(function, f"schedule step '{self.spelling}' {what}")

    def contradiction(self, function: FuncOp, scheduling: Scheduling) -> Remark | None:
        """Which step before it has settled otherwise what it would settle, and what to do; None if none has."""
        earlier = scheduling.settled(function, self)
        if earlier is None or earlier == self:
            return None
        return remark_about(
            f"'{earlier.spelling}' before '{self.spelling}' says otherwise; leave one of them out", function
        )

    @property
    def target(self) -> str:
        """The name of the loops that it changes: the first one that it names."""
        return self.loops[0]

    def makes(self, loop: str) -> bool:
        """Whether the step makes loops of that name beside those that it is for; a step that never does says so."""
        del loop
        return False

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        """Carry out the step on loops of one function, innermost first; why some of them stay as they are."""
        return [refusal for loop in loops for refusal in self.attempt(loop, scheduling.ctx)]

    def attempt(self, loop: ForOp, ctx: CompilerContext) -> list[Remark]:
        """Carry out the step on one loop, if that is possible; why not, if it is not."""
        refusals: list[Remark] = []
        with note_if_refused(refusals, loop, self.outcome(loop)):
            self.rewrite(loop, ctx)
        return refusals

    @abstractmethod
    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        """Carry out the step on one loop.

        Raises:
            Refused: results might change, or the loop is not of the form that the step is for; it is as it was.
        """

    def outcome(self, loop: ForOp) -> str:
        """What a remark says before the reason for a refusal."""
        return f"loop '{loop.dim.data}' not changed by '{self.name}'"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        """Whether a loop is of the kind that the step is meant for, as far as one look tells."""
        del loop
        return True

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        """A step of this kind for a loop, with arguments drawn at random: to search among schedules, and for tests."""
        hints = type_hints(cls)
        first, *rest = fields(cls)
        values: dict[str, Any] = {first.name: loop.dim.data}
        for each in rest:
            values[each.name] = () if hints[each.name] is not int else cls.number(rng)
        return cls(**values)

    @classmethod
    def number(cls, rng: Random) -> int:
        """A number that the step may be written with, drawn at random."""
        return rng.choice(cls.numbers if len(cls.numbers) <= _FEW else _SIZES)


@dataclass(frozen=True)
class KernelStep(LoopStep):
    """A step that says something of a whole kernel, and changes no loop of it: `set` does, or raises `Refused`."""

    of_kernel = True

    @classmethod
    def problem(cls) -> str | None:
        if cls.set is KernelStep.set:
            return "has no `set(self, function, scheduling)`, which carries it out"
        return super().problem()

    def apply(self, function: FuncOp, scheduling: Scheduling) -> list[Remark]:
        if (contradiction := self.contradiction(function, scheduling)) is not None:
            return [contradiction]
        refusals: list[Remark] = []
        with note_if_refused(refusals, function, f"function '{function.sym_name.data}' stays as it is"):
            self.set(function, scheduling)
            scheduling.settle(function, self)
        return refusals

    @abstractmethod
    def set(self, function: FuncOp, scheduling: Scheduling) -> None:
        """Carry out the step.

        Raises:
            Refused: it is nothing for this function, which is as it was.
        """


def tell_llvm(loop: ForOp, fact: str, value: bool | int) -> None:
    """Let a loop say what LLVM is to do with it: a fact of `#llvm.loop_annotation`, such as `interleave.count`."""
    annotation = loop.attributes.get(LOOP_ANNOTATION)
    known = annotation if isinstance(annotation, LoopAnnotationAttr) else LoopAnnotationAttr({})
    loop.attributes[LOOP_ANNOTATION] = known.with_fact(fact, value)


def tell_clang(function: FuncOp, name: str, value: str | None = None) -> None:
    """Let a function say with which attribute of LLVM it is compiled, beside those of the target."""
    told = llvm_attributes(function) | {name: value}
    pairs = [StringAttr(n) if v is None else ArrayAttr([StringAttr(n), StringAttr(v)]) for n, v in told.items()]
    function.attributes[PASSTHROUGH] = ArrayAttr(pairs)


def other(rng: Random, loop: ForOp) -> LoopName:
    """The name of another loop of the function, or of none."""
    names = [op.dim.data for op in function_of(loop).walk() if isinstance(op, ForOp)]
    return rng.choice([name for name in names if name != loop.dim.data] or ["none"])


def function_of(loop: Operation) -> FuncOp:
    """The function that a loop is in."""
    op: Operation | None = loop
    while op is not None and not isinstance(op, FuncOp):
        op = op.parent_op()
    assert op is not None
    return op


def apply_step(step: Step, function: FuncOp, scheduling: Scheduling) -> list[Remark]:
    """Carry out one step on all loops of `function` that it names.

    Returns:
        why loops stayed as they were: nothing if all of them allowed the step.

    Raises:
        UserError: it names no loop, or an argument that is none, or it is a plugin's and does nothing to
            loops, fails, or leaves IR that does not verify.
    """
    if not isinstance(step, LoopStep):
        raise error_at(function, f"schedule step '{step.spelling}' is not a LoopStep: nothing carries it out")
    try:
        with blamed_on_plugin(step, function):
            return step.apply(function, scheduling)
    except (UserError, CompilerBug):
        raise
    except Exception as e:
        e.add_note(Whereabouts(f"in the schedule step '{step.spelling}' of '{function.sym_name.data}'"))
        raise


__all__ = [
    "KernelStep",
    "LoopStep",
    "Refused",
    "Scheduling",
    "apply_step",
    "function_of",
    "other",
    "tell_clang",
    "tell_llvm",
]
