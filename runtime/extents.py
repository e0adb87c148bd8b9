"""Outputs of which only the first part is data: how much of it is another output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def holders(extents: Sequence[Sequence[int]]) -> frozenset[int]:
    """The numbers of the outputs that are nothing but extents of others.

    `extents` has for each output the numbers of the outputs that hold the extents of its dims, -1 where the shape says
    it; nothing for an output all of which is data.
    """
    return frozenset(place for each in extents for place in each if place >= 0)


def actual_outputs(outputs: Sequence[Array], extents: Sequence[Sequence[int]]) -> list[Array]:
    """The data of outputs, contiguous, without the outputs that are extents of others."""
    hidden = holders(extents)
    found: list[Array] = []
    for number, (output, places) in enumerate(zip(outputs, extents, strict=True)):
        if number in hidden:
            continue
        if places:
            cut = tuple(slice(None if p < 0 else int(outputs[p])) for p in places)
            output = np.ascontiguousarray(output[cut])
        found.append(output)
    return found
