"""How one schedule becomes another one, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from difflib import SequenceMatcher

from mlc.dialects.loop.steps import Step


@dataclass(frozen=True)
class SpelledStep:
    """A step of a schedule as text."""

    kind: str
    """Without its numbers."""
    spelling: str


def spelled_steps(steps: Sequence[Step]) -> list[SpelledStep]:
    """The steps of a schedule as text."""
    return [SpelledStep(_kind(step), step.spelling) for step in steps]


def _kind(step: Step) -> str:
    words = [value for each in fields(step) if not isinstance(value := getattr(step, each.name), int)]
    return f"{step.name}({', '.join(map(str, words))})"


def changed_steps(before: Sequence[SpelledStep], after: Sequence[SpelledStep]) -> list[str]:
    """How one schedule becomes another one: `tile(n, 48) → tile(n, 64)`, `without pack(w, n)`, `with unroll(k)`.

    Steps that differ in their numbers alone correspond, as far as they are in one order.
    """
    changes: list[str] = []
    matcher = SequenceMatcher(None, [each.kind for each in before], [each.kind for each in after], autojunk=False)
    for kind, start, end, start_after, end_after in matcher.get_opcodes():
        old, new = ([each.spelling for each in part] for part in (before[start:end], after[start_after:end_after]))
        if kind == "equal":
            changes += [f"{one} → {other}" for one, other in zip(old, new, strict=True) if one != other]
        else:
            changes += [f"without {', '.join(old)}"] if old else []
            changes += [f"with {', '.join(new)}"] if new else []
    return changes
