"""Dims that an exported program leaves open: which extents they may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlc.support.bindings import AnyExtent, ExtentRange
from mlc.support.errors import UserError
from mlc.support.model_source import DeclaredInput


def require_allowed(
    given: Mapping[str, AnyExtent], constraints: Mapping[Any, Any], declared: Sequence[DeclaredInput]
) -> None:
    """Raises: UserError if a program was not exported for an extent, or for some of a range."""
    for symbol, allowed in constraints.items():
        extent = given.get(str(symbol))
        if extent is None:
            continue
        least, most = (extent.least, extent.most) if isinstance(extent, ExtentRange) else (extent, extent)
        if not (allowed.lower <= least and most <= allowed.upper):
            places = [f"{e.dims.index(str(symbol))} of input '{e.name}'" for e in declared if str(symbol) in e.dims]
            raise UserError(
                f"dim {places[0]} is {extent}; the model was exported for {allowed.lower} to {allowed.upper}; "
                "export it with other bounds: torch.export.Dim(name, min=…, max=…)"
            )


def require_own(inputs: Mapping[str, Any], names: Mapping[str, Any]) -> None:
    """Each dim that stays open has an extent of its own.

    Raises:
        UserError: a dim of an input is computed of one that stays open.
    """
    for name, value in inputs.items():
        for axis, expression in _symbolic(value.shape):
            open_ones = [str(s) for s in expression.free_symbols if str(s) in names]
            if open_ones and not expression.is_Symbol:
                raise UserError(
                    f"dim {axis} of input '{name}' is {expression}, computed of '{open_ones[0]}', which stays open; "
                    f"required: a number for '{open_ones[0]}'"
                )


def _symbolic(shape: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    for axis, extent in enumerate(shape):
        if (expression := getattr(getattr(extent, "node", None), "expr", None)) is not None:
            yield axis, expression
