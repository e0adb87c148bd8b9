"""What passes change: an instrumentation of the pass manager that writes down the functions that each changed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.options import parse_passes, pipeline_text
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.pass_manager.stage import Stage
from mlc.tools.explorer.document import NO_TEXT, Change, PassRun
from mlc.tools.explorer.texts import Texts


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
    _started: float = 0.0
    _ops: int = 0
    _next_stage: int = 0

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        if not self._functions:
            self.start = self._changes(module)
        self._started = time.perf_counter()

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        seconds = time.perf_counter() - self._started
        before = self._ops
        changes = self._changes(module)
        stage = self._stage_of(pass_)
        level, reason = ("", "") if stage is None else (stage.level, stage.reason)
        spelling = pipeline_text([pass_])
        self.passes.append(PassRun(pass_.name, spelling, level, reason, seconds, (before, self._ops), changes))

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
