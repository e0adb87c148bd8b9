"""What the checker of passes has compared, and what it left out and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass
class Coverage:
    """What was compared since the start."""

    values: int = 0
    functions: set[str] = field(default_factory=set[str])
    in_lockstep: set[str] = field(default_factory=set[str])
    """Functions whose parallel loops were not run one iteration after the other."""
    _modules: list[list[str]] = field(default_factory=list[list[str]])
    """For each module, the passes after which it was another one; first, none."""
    _left_out: dict[tuple[int, str, str], list[int]] = field(default_factory=dict[tuple[int, str, str], list[int]])
    """By module, function and reason, at which of its passes."""

    def begin_module(self) -> None:
        """What follows is about another module, as it was read."""
        self._modules.append([""])

    def begin(self, stage: str) -> None:
        """What follows is about the module as the pass `stage` left it."""
        self._modules[-1].append(stage)

    def leave_out(self, function: str, reason: str) -> None:
        """A function is not run as it is now."""
        at = self._left_out.setdefault((len(self._modules) - 1, function, reason), [])
        if (now := len(self._modules[-1]) - 1) not in at:
            at.append(now)

    def lines(self, most_serial_ops: int, found_any: bool) -> list[str]:
        """The report, a line for each thing; `found_any` says whether there was a function to compare."""
        from mlc.syntax.words import counted

        compared = f"compared {self.values:,} values of {counted(len(self.functions), 'function')}"
        result = [compared if self.functions or not found_any else "found no function that a pass changed"]
        for (when, reason), names in self._of_equal_reasons():
            result.append(f"did not check {_quoted(names)}{when}: {reason}")
        if self.in_lockstep:
            limit = f"over {most_serial_ops:,} ops one after the other"
            names = _quoted(sorted(self.in_lockstep))
            result.append(f"ran the parallel loops of {names} in lockstep only: {limit}")
        return result

    def _of_equal_reasons(self) -> Iterator[tuple[tuple[str, str], list[str]]]:
        found: dict[tuple[str, str], dict[str, None]] = {}
        for (module, name, reason), at in self._left_out.items():
            found.setdefault((_when(at, self._modules[module]), reason), {})[name] = None
        for each, names in found.items():
            yield each, list(names)


def _when(at: Sequence[int], stages: Sequence[str]) -> str:
    """At which stages, in words; nothing if it is all of them."""
    if len(at) == len(stages):
        return ""
    ranges: list[tuple[int, int]] = []
    for each in at:
        follows = bool(ranges) and ranges[-1][1] + 1 == each
        ranges.append((ranges.pop()[0] if follows else each, each))
    return " " + ", ".join(_range(first, last, stages) for first, last in ranges)


def _range(first: int, last: int, stages: Sequence[str]) -> str:
    if first == last:
        return f"after '{stages[first]}'" if first else "as it was read"
    return f"from '{stages[first]}' to '{stages[last]}'" if first else f"up to '{stages[last]}'"


def _quoted(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
