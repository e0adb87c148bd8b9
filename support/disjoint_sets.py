"""Disjoint sets (union-find)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


@dataclass
class DisjointSets(Generic[T]):
    """A partition of items that only gets coarser; an item that nobody mentioned is alone.

    With path compression, which makes a sequence of operations all but linear (Tarjan, "Efficiency of a good but not
    linear set union algorithm", 1975).
    """

    _parent: dict[T, T] = field(default_factory=dict[T, T])

    def find(self, item: T) -> T:
        """The item that stands for the set of `item`."""
        root = item
        while (parent := self._parent.get(root, root)) != root:
            root = parent
        while item != root:
            self._parent[item], item = root, self._parent.get(item, item)
        return root

    def unite(self, kept: T, other: T) -> T:
        """Join two sets; what stood for the first stands for both, and is returned."""
        root, other = self.find(kept), self.find(other)
        if other != root:
            self._parent[other] = root
        return root
