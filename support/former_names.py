"""What steps, ops, passes and groups of entry points were called before: text that says so keeps its meaning.

Whoever reads a name asks `name_today`, which tells of a former one. Text of the IR and files of records warn at the
place where it stands (`text_warnings.py`, and the problems of a file); names on command lines and of packages warn as
Python does (`FormerNameWarning`), and tools print that in one line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from mlc.support.python_warnings import FormerNameWarning, warn_caller

Noun = Literal["schedule step", "op", "pass", "entry point group"]

FORMER_NAMES: dict[Noun, dict[str, str]] = {
    "schedule step": {
        "block_sums": "blocked_summation",
        "hoist_reduction": "cache_write",
        "parallel": "threads",
        "unpad": "partition",
    },
    "op": {"tensor.least": "tensor.top_k"},
    "pass": {
        "block-sums": "blocked-summation",
        "hoist-reduction": "cache-write",
        "shrink-buffers": "fold-storage",
        "unpad": "partition-loops",
    },
    "entry point group": {"mlc.kinds": "mlc.templates"},
}
"""The names of today, by those that each kind of thing had before."""

_CALL = re.compile(r"\b\w+(?=\()")


def warn_of_name(message: str) -> None:
    """Tell the program that called mlc, or the person who started a tool."""
    warn_caller(message, FormerNameWarning)


def name_today(noun: Noun, name: str, tell: Callable[[str], object] = warn_of_name) -> str:
    """The name that `name` stands for; `tell` gets a message if that is another one."""
    if (today := FORMER_NAMES[noun].get(name)) is None:
        return name
    tell(f"the {noun} '{name}' is called '{today}' now; use the new name")
    return today


def steps_today(schedule: str, tell: Callable[[str], object]) -> str:
    """The text of a schedule, `tile(n, 4), parallel(m)`, with the names that its steps have today."""
    return _CALL.sub(lambda step: name_today("schedule step", step[0], tell), schedule)


def groups_of(group: str) -> list[str]:
    """The group of entry points, and what it was called before."""
    return [group, *(before for before, today in FORMER_NAMES["entry point group"].items() if today == group)]
