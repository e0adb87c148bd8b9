"""What is known of a kernel's loops while the steps of a schedule change them: no loop is looked at for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


def _nothing(argument: str) -> bool:
    del argument
    return False


@dataclass
class LoopPlan:
    """The loops of a kernel as a schedule names them, for what steps say of themselves and what they cost."""

    trips: dict[str, int] = field(default_factory=dict[str, int])
    """The iterations of each loop by name; of blocks, those of the main nest."""
    serial: set[str] = field(default_factory=set[str])
    """The loops that reduce."""
    blocks: dict[str, int] = field(default_factory=dict[str, int])
    """The block size of each tiled loop."""
    is_constant: Callable[[str], bool] = _nothing
    """Whether the compiler knows the argument that a step calls so."""

    def tile(self, loop: str, size: int) -> None:
        """`loop` runs in blocks of `size`, around a loop of the same kind with an `i` after its name."""
        trips = self.trips.get(loop)
        if loop in self.serial:
            self.serial.add(f"{loop}i")
        self.blocks[loop] = size
        self.trips[f"{loop}i"] = min(size, trips) if trips else size
        if trips is not None:
            self.trips[loop] = max(trips // size, 1)
