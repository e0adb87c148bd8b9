"""What passes change: an instrumentation of the pass manager that writes down the functions that each changed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.options import parse_passes, pipeline_text
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.pass_manager.stage import Stage
from mlc.support.functions import is_private, models_of
from mlc.tools.explorer.document import NO_TEXT, Change, KernelCall, PassRun
from mlc.tools.explorer.texts import Texts, places_in


@dataclass
class RecordPasses(Instrumentation):
    """Records passes, with functions before and after.

    Only functions that changed are printed, as printing takes longer than most passes do.
    """

    texts: Texts
    stages: Sequence[Stage]
    """Those of the pipeline that runs, in order: they know why it has each pass."""
    chosen: PipelineOptions
    start: list[Change] = field(default_factory=list[Change])
    """What there is before the first pass."""
    passes: list[PassRun] = field(default_factory=list[PassRun])
    _functions: dict[str, _Form] = field(default_factory=dict[str, "_Form"])
    _places_of_calls: dict[CallOp, list[int]] = field(default_factory=dict[CallOp, list[int]])
    _before: dict[Attribute, list[int]] = field(default_factory=dict[Attribute, list[int]])
    """The places of the ops in each op of a model, by the location of that, before the pass that runs."""
    _started: float = 0.0
    _ops: int = 0
    _next_stage: int = 0

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        if not self._functions:
            self.start = self._changes(module)
        self._before = {
            op.location: places_in(self.texts, op.walk()) for model in models_of(module) for op in model.body.ops
        }
        self._started = time.perf_counter()

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        seconds = time.perf_counter() - self._started
        before = self._ops
        changes = self._changes(module)
        stage = self._stage_of(pass_)
        level, reason = ("", "") if stage is None else (stage.level, stage.reason)
        spelling = pipeline_text([pass_])
        self.passes.append(PassRun(pass_.name, spelling, level, reason, seconds, (before, self._ops), changes))
        self._follow_calls(module)

    def calls(self) -> list[KernelCall]:
        """The calls of kernels in the module as it is now, with the places of what they compute: of the ops that were
        where the call is. (The body of a kernel of several calls has the places of one of them.)"""
        return list(self.call_of.values())

    @property
    def call_of(self) -> dict[Operation, KernelCall]:
        """The same by the ops that are the calls."""
        return {call: KernelCall(call.callee.string_value(), at) for call, at in self._places_of_calls.items()}

    def removed(self, first: int) -> set[str]:
        """The functions that passes have removed, from pass number `first` on."""
        changes = [change for run in self.passes[first:] for change in run.changes]
        return {change.function for change in changes if change.after == NO_TEXT}

    def _stage_of(self, pass_: Pass) -> Stage | None:
        """The stage that a pass is of: the next one whose pass has its name."""
        for number in range(self._next_stage, len(self.stages)):
            stage = self.stages[number]
            if any(each.name == pass_.name for each in parse_passes(stage.spelling(self.chosen))):
                self._next_stage = number + 1
                return stage
        return None

    def _changes(self, module: ModuleOp) -> list[Change]:
        """What is not as it was when this was called last."""
        now: dict[str, _Form] = {}
        changes: list[Change] = []
        self._ops = 0
        for name, op in _named(module):
            state = _state(op)
            self._ops += len(state)
            last = self._functions.get(name)
            if last is not None and last.state == state:
                now[name] = last
                continue
            now[name] = _Form(state, self.texts.add_op(op))
            before = NO_TEXT if last is None else last.text
            if before != now[name].text:
                changes.append(Change(name, before, now[name].text))
        gone = [Change(name, form.text, NO_TEXT) for name, form in self._functions.items() if name not in now]
        self._functions = now
        return changes + gone

    def _follow_calls(self, module: ModuleOp) -> None:
        """Note what calls compute that were not there before: the same as what was in their place."""
        kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and is_private(op)}
        calls = [op for op in module.walk() if isinstance(op, CallOp) and op.callee.string_value() in kernels]
        if not calls:
            return
        known = {call: self._places_of_calls[call] for call in calls if call in self._places_of_calls}
        replaced = {call.location: places for call, places in self._places_of_calls.items() if call not in known}
        for call in (call for call in calls if call not in known):
            places = replaced.get(call.location) or self._before.get(call.location)
            known[call] = places or places_in(self.texts, [call, *kernels[call.callee.string_value()].walk()])
        self._places_of_calls = known


@dataclass(frozen=True)
class _Form:
    """A function as it was after some pass."""

    state: list[object]
    text: int


def _named(module: ModuleOp) -> list[tuple[str, Operation]]:
    """The ops of a module by what they are called: those without a symbol by their kind and number."""
    found: dict[str, Operation] = {}
    for op in module.ops:
        symbol = op.attributes.get("sym_name") or op.properties.get("sym_name")
        name = symbol.data if isinstance(symbol, StringAttr) else op.name
        number = 1
        while (spelled := name if number == 1 else f"{name} {number}") in found:
            number += 1
        found[spelled] = op
    return list(found.items())


def _state(root: Operation) -> list[object]:
    """What differs if any op in `root` is another one or has changed: ops and values are equal to themselves alone."""
    return [
        (
            op,
            tuple(op.operands),
            tuple((r.type, r.name_hint) for r in op.results),
            dict(op.properties),
            dict(op.attributes),
            op.location,
            [(a, a.type, a.name_hint) for region in op.regions for block in region.blocks for a in block.args],
        )
        for op in root.walk()
    ]
