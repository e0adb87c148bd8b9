"""What passes did, counted: ops that came and went, patterns that were tried and applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation, ModulePrinter
from mlc.pass_manager.pattern_watch import PatternEvent, PatternWatch


@dataclass
class PassStatistics(Instrumentation):
    """For each pass, which ops it made and which it took away, and how often its patterns applied."""

    stream: TextIO
    _before: Counter[str] = field(default_factory=Counter[str])
    _tried: Counter[str] = field(default_factory=Counter[str])
    _applied: Counter[str] = field(default_factory=Counter[str])
    _lines: list[str] = field(default_factory=list[str])

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self._before = count_ops(module)

    @contextmanager
    def during(self, pass_: Pass) -> Generator[None]:
        self._tried.clear()
        self._applied.clear()
        with PatternWatch(self._note).watching():
            yield

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        now = count_ops(module)
        changes = {name: now[name] - self._before[name] for name in sorted({*now, *self._before})}
        changed = [f"    {change:+6} {name}" for name, change in changes.items() if change]
        patterns = [f"    {self._applied[name]:6} of {tried:<6} {name}" for name, tried in self._tried.most_common()]
        self._lines.append(f"{pass_.name}: {sum(self._before.values())} → {sum(now.values())} ops")
        self._lines += ["  ops", *changed] if changed else []
        self._lines += ["  patterns, applied of tried", *patterns] if patterns else []

    def report(self) -> None:
        self.stream.write("".join(f"{line}\n" for line in self._lines))

    def _note(self, event: PatternEvent) -> None:
        self._tried[event.pattern] += 1
        self._applied[event.pattern] += event.applied


@dataclass
class PatternLog(Instrumentation):
    """Prints each attempt of a pattern at an op, and, if asked for, the IR after each that changed something."""

    stream: TextIO
    passes: Collection[str]
    """The names of the passes that are watched; nothing for all."""
    printer: ModulePrinter | None = None
    """Prints the module after each pattern that applied; None for attempts alone."""
    _module: ModuleOp | None = None

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self._module = module

    @contextmanager
    def during(self, pass_: Pass) -> Generator[None]:
        if self.passes and pass_.name not in self.passes:
            yield
            return

        def note(event: PatternEvent) -> None:
            self.stream.write(f"{pass_.name}: {event}\n")
            if event.applied and self.printer is not None and self._module is not None:
                self.printer(self._module, self.stream)

        with PatternWatch(note).watching():
            yield


@dataclass
class OpStatistics(Instrumentation):
    """How many ops of each name there are after the last pass."""

    stream: TextIO

    def finish(self, module: ModuleOp) -> None:
        counts = count_ops(module)
        width = max(map(len, counts), default=0)
        for name, count in sorted(counts.items(), key=lambda row: (row[0].partition(".")[0], -row[1], row[0])):
            self.stream.write(f"{name:<{width}} {count:>8}\n")
        self.stream.write(f"{'all':<{width}} {counts.total():>8}\n")


def count_ops(module: ModuleOp) -> Counter[str]:
    """How many ops of each name are in a module; of one that is not registered, by the name that the text has."""
    return Counter(op.name for op in module.walk() if op is not module)
