"""What ops do to memory."""

from __future__ import annotations

from xdsl.dialects import vector
from xdsl.ir import Operation
from xdsl.traits import MemoryEffect, MemoryEffectKind, NoMemoryEffect, Pure, RecursiveMemoryEffect

_NONE: frozenset[MemoryEffectKind] = frozenset()
_READ = frozenset({MemoryEffectKind.READ})
_REMOVABLE = frozenset({MemoryEffectKind.READ, MemoryEffectKind.ALLOC})
_UNSAID = frozenset({vector.BitcastOp})
"""Ops without effects, of which xDSL says nothing."""
_Kinds = frozenset[MemoryEffectKind] | None
"""The kinds of effects of an op; None if they are not known."""


class EffectSummary:
    """The kinds of effects of ops, with those of nested ops where an op passes them on.

    xDSL's `get_effects` walks the nest again for every op that is asked about; here each op is looked at once, and of
    a class without effects none.
    """

    def __init__(self) -> None:
        self._traits: dict[type[Operation], list[MemoryEffect] | None] = {}
        """By class, what says which effects its ops have; None if they have none."""
        self._kinds: dict[Operation, _Kinds] = {}

    def of(self, op: Operation) -> _Kinds:
        """The kinds of effects of `op`."""
        kind = type(op)
        if kind not in self._traits:
            traits = list(op.get_traits_of_type(MemoryEffect))
            is_pure = kind in _UNSAID or (bool(traits) and all(type(each) in (NoMemoryEffect, Pure) for each in traits))
            self._traits[kind] = None if is_pure else traits
        if (traits := self._traits[kind]) is None:
            return _NONE
        if op not in self._kinds:
            self._kinds[op] = self._summarize(op, traits)
        return self._kinds[op]

    def is_pure(self, op: Operation) -> bool:
        """Whether `op` touches no memory."""
        return self.of(op) == _NONE

    def only_reads(self, op: Operation) -> bool:
        """Whether reading is the one thing that `op` does to memory."""
        return self.of(op) == _READ

    def may_write(self, op: Operation) -> bool:
        """Whether memory may look different after `op`."""
        return not self.is_removable(op)

    def is_removable(self, op: Operation) -> bool:
        """Whether nobody notices that `op` is missing if nobody uses its results."""
        kinds = self.of(op)
        return kinds is not None and kinds <= _REMOVABLE

    def _summarize(self, op: Operation, traits: list[MemoryEffect]) -> _Kinds:
        if not traits:
            return None
        kinds: set[MemoryEffectKind] = set()
        for trait in traits:
            if isinstance(trait, RecursiveMemoryEffect):
                for nested in (n for region in op.regions for block in region.blocks for n in block.ops):
                    if (of_nested := self.of(nested)) is None:
                        return None
                    kinds |= of_nested
            else:
                own = trait.get_effects(op)
                if own is None:
                    return None
                kinds |= {effect.kind for effect in own}
        return frozenset(kinds)
