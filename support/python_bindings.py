"""Shapes and values of inputs as callers in Python give them."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, cast

from mlc.support.bindings import AnyExtent, Bindings, BoundShape, extent_range


def bindings_of_python(shapes: object, values: object) -> Bindings:
    """What Python callers give by name: shapes with ranges of extents as `range`, several of them as lists, and values.

    Raises:
        TypeError: one of them is not a mapping from names to shapes or values.
    """
    import numpy as np

    for noun, given in (("shapes", shapes), ("values", values)):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"found {noun} of type {type(given).__name__}; required: a dict by the names of inputs")
    single: dict[str, BoundShape] = {}
    choices: dict[str, tuple[BoundShape, ...]] = {}
    for name, shape in cast("Mapping[str, Any]", shapes or {}).items():
        several = cast("list[Any]", shape) if isinstance(shape, list) else [shape]
        found = [_shape(name, each) for each in several]
        if not found:
            raise TypeError(f"found no shape of '{name}'; required: a number or a tuple of them, or a list of several")
        if len(found) > 1:
            choices[name] = tuple(found)
        else:
            single[name] = found[0]
    arrays = {name: np.asarray(value) for name, value in cast("Mapping[str, Any]", values or {}).items()}
    return Bindings(single, arrays, choices)


def _shape(name: str, shape: Any) -> BoundShape:
    """Raises: TypeError if `shape` is not an extent or a sequence of them."""
    try:
        if isinstance(shape, Sequence) and not isinstance(shape, range):
            return tuple(map(_extent, cast("Sequence[Any]", shape)))
        return _extent(shape)
    except TypeError:
        raise TypeError(
            f"found {shape!r} as the shape of '{name}'; required: a number or a tuple of them, or a list of several; "
            "range(1, 513) stands for all extents from 1 to 512, range(32, 513, 32) for multiples of 32"
        ) from None


def _extent(extent: Any) -> AnyExtent:
    """Raises: TypeError if it is neither a number nor a range of them, in ascending order."""
    if not isinstance(extent, range):
        return operator.index(extent)
    if extent.step < 1 or not extent:
        raise TypeError("found a range in descending order, or with nothing in it")
    return extent_range(extent.start, extent.stop - 1, extent.step)
