"""What differs between two compilations: graphs, kernels, schedules, estimates, code; names count for nothing.

Kernels are paired by what they compute, not by what they are called: first those that compute the same and have one
name, then those that compute the same, in the order of the program, then those of one name. Texts are the same if they
are with values, functions and weights numbered in the order in which they occur.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from mlc.tools.explorer.changed_steps import SpelledStep, changed_steps
from mlc.tools.explorer.code_results import result_changes, why_not_compared
from mlc.tools.explorer.document import NO_TEXT, Document, GraphNode, KernelPage, KernelTime
from mlc.tools.explorer.document_code import MachineCode

_VALUE = re.compile(r"%[\w$.-]+")


@dataclass(frozen=True)
class KernelChange:
    """Two kernels that correspond, or one without another."""

    before: str
    """The name of the first; empty if there is none."""
    after: str
    """The name of the second; empty if there is none."""
    changes: Sequence[str]
    """What differs, in words; nothing if all that is known of them is the same."""
    estimates: tuple[float | None, float | None]
    """What all calls of each are estimated to take, in seconds."""
    measured: tuple[float | None, float | None] = (None, None)
    """What all calls of each were measured to take, in seconds."""
    is_noise: bool = False
    """Whether measurements of one of them differ by more than these do."""
    decided: tuple[str, str] = ("", "")
    """Of each, where its schedule is from, and what decides its estimate; empty if that is not known."""


@dataclass(frozen=True)
class Comparison:
    """Two compilations."""

    settings: Sequence[tuple[str, str, str]]
    """What was compiled, and how, where that differs: the name of a setting, and its two values."""
    model: Sequence[str]
    """What differs in the model as a whole, in words."""
    notes: Sequence[str]
    """What could not be compared, and why."""
    kernels: Sequence[KernelChange]
    """All kernels, those of the first compilation in their order, then those that only the second has."""
    measured: tuple[float | None, float | None] = (None, None)
    """What a call of each model was measured to take, in seconds."""

    @property
    def changed(self) -> list[KernelChange]:
        """The kernels that differ."""
        return [each for each in self.kernels if each.changes]

    @property
    def is_equal(self) -> bool:
        """Whether the compilations made the same, whatever they were asked for."""
        return not self.model and not self.changed


def compare(before: Document, after: Document) -> Comparison:
    """What differs between two documents."""
    settings = [
        (name, old, new)
        for name, old, new in (
            ("model", before.title, after.title),
            ("mlc", before.version, after.version),
            ("target", before.target, after.target),
            ("machine", before.machine, after.machine),
            ("inputs", before.inputs, after.inputs),
            ("options", " ".join(before.options), " ".join(after.options)),
        )
        if old != new
    ]
    first, second = _Side(before), _Side(after)
    kernels = [_compared(first, old, second, new) for old, new in _pairs(first, second)]
    changes = [*_of_model(first, second), *result_changes(before, after)]
    notes = [why] if (why := why_not_compared(before, after)) else []
    return Comparison(settings, changes, notes, kernels, (before.measured_seconds, after.measured_seconds))


class _Side:
    """One of the two, with what is asked of it often."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.code = {each.function: each for each in document.code}
        names = [*(each.symbol for each in document.code), *(each.name for each in document.weights)]
        names += [each.name for each in document.kernels]
        longest_first = sorted(set(names), key=len, reverse=True)
        self._names = re.compile(
            "|".join([_VALUE.pattern, *(rf"(?<![\w.]){re.escape(n)}(?![\w.])" for n in longest_first)])
        )

    def without_names(self, text: int) -> str:
        """A text with numbers for values, functions and weights."""
        if text == NO_TEXT:
            return ""
        numbers: dict[str, str] = {}
        return self._names.sub(
            lambda name: numbers.setdefault(name[0], f"%{len(numbers)}"), self.document.texts[text].text
        )

    def assembly(self, function: str) -> str | None:
        """The assembly of a function without names; None if there is none."""
        code: MachineCode | None = self.code.get(function)
        return None if code is None else self.without_names(code.assembly)

    def seconds(self, kernel: KernelPage | None) -> float | None:
        """What all calls of a kernel are estimated to take."""
        return None if kernel is None or kernel.costs is None else kernel.costs.seconds * kernel.calls

    @property
    def entry(self) -> str | None:
        """The function that callers of the artifact call: the one that is no kernel."""
        kernels = {each.name for each in self.document.kernels}
        return next((name for name in self.code if name not in kernels), None)


def _pairs(first: _Side, second: _Side) -> Iterator[tuple[KernelPage | None, KernelPage | None]]:
    """The kernels that correspond."""
    computes = {
        id(kernel): side.without_names(kernel.definition)
        for side in (first, second)
        for kernel in side.document.kernels
    }
    free = list(second.document.kernels)
    found: dict[str, KernelPage] = {}

    def pair(key: Callable[[KernelPage], Hashable]) -> None:
        by_key: dict[Hashable, list[KernelPage]] = {}
        for kernel in free:
            by_key.setdefault(key(kernel), []).append(kernel)
        for kernel in first.document.kernels:
            if kernel.name not in found and (same := by_key.get(key(kernel))):
                found[kernel.name] = same.pop(0)
                free.remove(found[kernel.name])

    pair(lambda kernel: (computes[id(kernel)], kernel.name))
    pair(lambda kernel: computes[id(kernel)])
    pair(lambda kernel: kernel.name)
    yield from ((kernel, found.get(kernel.name)) for kernel in first.document.kernels)
    yield from ((None, kernel) for kernel in free)


def _compared(first: _Side, old: KernelPage | None, second: _Side, new: KernelPage | None) -> KernelChange:
    changes = list(_changes(first, old, second, new))
    times = old and old.measured, new and new.measured
    is_noise = _is_noise(*times)
    if changes and times[0] is not None and times[1] is not None:  # equal code differs by noise
        words = ", less than measurements of one of them differ" if is_noise else ""
        changes.append(f"{change_in_words(times[0].seconds, times[1].seconds)} measured{words}")
    return KernelChange(
        old.name if old else "",
        new.name if new else "",
        changes,
        (first.seconds(old), second.seconds(new)),
        (_measured(old), _measured(new)),
        is_noise,
        (_decided(old), _decided(new)),
    )


def _changes(first: _Side, old: KernelPage | None, second: _Side, new: KernelPage | None) -> Iterator[str]:
    if old is None or new is None:
        if old is not new:
            yield "only in the first" if new is None else "only in the second"
        return
    is_other = False
    if first.without_names(old.definition) != second.without_names(new.definition):
        is_other = True
        yield "other index notation: shapes, layouts or ops"
    if old.calls != new.calls:
        is_other = True
        yield f"{old.calls} → {new.calls} calls"
    steps = changed_steps(*([SpelledStep(step.kind, step.spelling) for step in each.steps] for each in (old, new)))
    yield from steps
    if old.costs is not None and new.costs is not None and old.costs.cycles != new.costs.cycles:
        is_other = True
        yield f"{change_in_words(old.costs.seconds, new.costs.seconds)} estimated"
    if not (is_other or steps) and first.assembly(old.name) != second.assembly(new.name):
        yield "other machine code"


def _measured(kernel: KernelPage | None) -> float | None:
    """What all calls of a kernel were measured to take."""
    return None if kernel is None or kernel.measured is None else kernel.measured.seconds * kernel.calls


def _is_noise(before: KernelTime | None, after: KernelTime | None) -> bool:
    if before is None or after is None:
        return False
    shorter, longer = sorted(each.seconds for each in (before, after))
    spread = max(each.upper - each.seconds for each in (before, after))
    return longer - shorter <= min(spread, shorter)  # the shortest of many calls is not twice as long by chance


def _decided(kernel: KernelPage | None) -> str:
    """What decided about the schedule of a kernel."""
    if kernel is None or kernel.costs is None:
        return ""
    return f"{kernel.origin}; {kernel.costs.decided_by}"


def _of_model(first: _Side, second: _Side) -> Iterator[str]:
    nodes = [[_shape(node) for node in side.document.graph] for side in (first, second)]
    if nodes[0] != nodes[1]:
        gone, come = _unlike([node[:2] for node in nodes[0]], [node[:2] for node in nodes[1]])
        parts = [f"without {_listed(gone)}"] if gone else []
        parts += [f"with {_listed(come)}"] if come else []
        yield f"graph: {', '.join(parts) or 'ops read other values'}"
    sizes = [sum(arena.size for arena in side.document.arenas) for side in (first, second)]
    if sizes[0] != sizes[1]:
        yield f"workspace: {sizes[0]:,} → {sizes[1]:,} bytes"
    sizes = [sum(each.bytes for each in side.document.weights) for side in (first, second)]
    if sizes[0] != sizes[1]:
        yield f"weights: {sizes[0]:,} → {sizes[1]:,} bytes"
    bits = [Counter((each.type, each.digest) for each in side.document.weights) for side in (first, second)]
    if other := (bits[1] - bits[0]).total():
        yield f"weights: {other} of {bits[1].total()} are stored with other bits or in another layout"
    names = first.entry, second.entry
    if all(names) and first.assembly(names[0] or "") != second.assembly(names[1] or ""):
        yield "the function that calls the kernels has other machine code"


def _shape(node: GraphNode) -> tuple[str, str, tuple[int, ...]]:
    return node.kind, node.type, tuple(node.inputs)


def _unlike(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The kinds of the nodes that only the first has, and those that only the second has."""
    gone: list[str] = []
    come: list[str] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, start_after, end_after in matcher.get_opcodes():
        if kind != "equal":
            gone += [name for name, _ in before[start:end]]
            come += [name for name, _ in after[start_after:end_after]]
    return gone, come


def _listed(words: Iterable[str]) -> str:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return ", ".join(word if count == 1 else f"{count} {word}" for word, count in counts.items())


def change_in_words(before: float, after: float) -> str:
    """A number beside the one before: `+18%`, or how many times as much it is."""
    ratio = after / max(before, 1e-30)
    return f"{ratio:.1f} times" if ratio >= 2 else f"{100 * (ratio - 1):+.1f}%"
