"""What ops do to memory, found out once for a whole module."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.traits import MemoryEffect, MemoryEffectKind, RecursiveMemoryEffect

_NONE: frozenset[MemoryEffectKind] = frozenset()
_READ = frozenset({MemoryEffectKind.READ})
_REMOVABLE = frozenset({MemoryEffectKind.READ, MemoryEffectKind.ALLOC})


class EffectSummary:
    """The kinds of effects of every op below a root, with those of nested ops where the op passes them on.

    xDSL's `get_effects` walks the nest again for every op that is asked about; here each op is looked at once.
    """

    def __init__(self, root: Operation) -> None:
        self._kinds: dict[Operation, frozenset[MemoryEffectKind] | None] = {}
        for op in root.walk(region_first=True):
            self._kinds[op] = self._summarize(op)

    def of(self, op: Operation) -> frozenset[MemoryEffectKind] | None:
        """The kinds of effects of `op`; None if they are not known."""
        return self._kinds[op]

    def is_pure(self, op: Operation) -> bool:
        """Whether `op` touches no memory."""
        return self._kinds[op] == _NONE

    def only_reads(self, op: Operation) -> bool:
        """Whether reading is the one thing that `op` does to memory."""
        return self._kinds[op] == _READ

    def may_write(self, op: Operation) -> bool:
        """Whether memory may look different after `op`."""
        return not self.is_removable(op)

    def is_removable(self, op: Operation) -> bool:
        """Whether nobody notices that `op` is missing if nobody uses its results."""
        kinds = self._kinds[op]
        return kinds is not None and kinds <= _REMOVABLE

    def _summarize(self, op: Operation) -> frozenset[MemoryEffectKind] | None:
        traits = op.get_traits_of_type(MemoryEffect)
        if not traits:
            return None
        kinds: set[MemoryEffectKind] = set()
        for trait in traits:
            if isinstance(trait, RecursiveMemoryEffect):
                for nested in (n for region in op.regions for block in region.blocks for n in block.ops):
                    of_nested = self._kinds[nested]
                    if of_nested is None:
                        return None
                    kinds |= of_nested
            else:
                own = trait.get_effects(op)
                if own is None:
                    return None
                kinds |= {effect.kind for effect in own}
        return frozenset(kinds)
