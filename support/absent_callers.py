"""What a kernel that is compiled without its callers knows of them, and what it leaves for them to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class AbsentCallers:
    """The callers of the one function of a module, which are not in it."""

    constants: frozenset[int] = frozenset()
    """The positions of arguments for which all of them pass a constant, whose data nobody here has."""
    relaid: list[tuple[int, Any]] = field(default_factory=list[tuple[int, Any]])
    """What they have to do, in order: pass the constant at a position in another layout."""
    are_missed: bool = False
    """Whether the function would be another one if they were here: then it has to be compiled with them."""

    def know_more(self) -> bool:
        """Note that something depends on what only they know; False, which is how it is answered here."""
        self.are_missed = True
        return False
