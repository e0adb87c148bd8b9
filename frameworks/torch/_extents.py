"""The numbers behind the symbols of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from mlc.support.errors import UserError

_SYMBOLIC: dict[type, Callable[[Any], Any]] = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}


def _expression(value: Any) -> Any:
    """What sympy knows of a symbolic number.

    Raises:
        UserError: it knows nothing.
    """
    if (found := getattr(value.node, "expr", None)) is None:
        raise UserError(f"'{value}' is not a number: it stands for lengths that differ within a tensor")
    return found


@dataclass(frozen=True)
class Numbers:
    """From an extent, or another symbolic number, to its number, where these are the numbers of symbols."""

    of_symbols: Mapping[Any, float]

    def __call__(self, value: Any) -> Any:
        """The number.

        Raises:
            UserError: it depends on data, or it is none.
        """
        if not hasattr(value, "node"):
            return value if isinstance(value, float | bool) else int(value)
        found = _expression(value).subs(self.of_symbols)
        if getattr(found, "free_symbols", None):
            raise UserError(f"a number of a shape, {found}, depends on data; required: one that inputs have")
        return next((make for kind, make in _SYMBOLIC.items() if isinstance(value, kind)), int)(found)

    def with_more(self, of_symbols: Mapping[Any, float]) -> Numbers:
        """The same with the numbers of more symbols."""
        return Numbers({**self.of_symbols, **of_symbols})


class Extents:
    """The numbers that stand behind the symbols of a graph, read off the arguments of a call."""

    def __init__(self, placeholders: Sequence[Any]) -> None:
        self._places: dict[Any, tuple[int, int]] = {}
        """The argument that says a symbol, and the dim that it is, or -1 for the argument itself."""
        for position, node in enumerate(placeholders):
            self._see(node.meta.get("val"), position, -1)
        for position, node in enumerate(placeholders):
            value = node.meta.get("val")
            for dim, extent in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
                self._see(extent, position, dim)
        self.are_open = bool(self._places)

    def _see(self, value: Any, position: int, dim: int) -> None:
        if isinstance(value, tuple(_SYMBOLIC)) and (symbol := _expression(value)).is_Symbol:
            self._places.setdefault(symbol, (position, dim))

    def key(self, values: Sequence[Any]) -> tuple[float, ...]:
        """The numbers, in the order of the symbols."""
        return tuple(values[p] if d < 0 else values[p].shape[d] for p, d in self._places.values())

    def place(self, symbol: Any) -> int:
        """Where the number of a symbol stands in keys."""
        return list(self._places).index(symbol)

    def known(self, values: Sequence[Any]) -> Numbers:
        """From an extent, or another symbolic number, to its number in a call."""
        return self.at(self.key(values))

    def at(self, key: Sequence[float]) -> Numbers:
        """From an extent, or another symbolic number, to its number, for these numbers of the symbols.

        Raises:
            UserError: one of them is not a number.
        """
        for number in key:
            if isinstance(number, torch.SymInt):
                _expression(number)
        return Numbers(dict(zip(self._places, key, strict=True)))
