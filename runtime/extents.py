"""Inputs and outputs of which only the first part is data: how much of them is another input or output."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class InputError(ValueError):
    """An input of a call does not fit the model."""


class Described(Protocol):
    """An input of a model."""

    @property
    def name(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def extents(self) -> tuple[int, ...]: ...
    @property
    def range(self) -> builtins.range | None: ...


def holders(extents: Sequence[Sequence[int]]) -> frozenset[int]:
    """The numbers of the outputs, or of the inputs, that are nothing but extents of others.

    `extents` has for each the numbers of those that hold the extents of its dims, -1 where the shape says it; nothing
    if all of it is data.
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


def call_extents(shapes: Sequence[tuple[int, ...]], inputs: Sequence[Described]) -> dict[int, int]:
    """The extents of a call, by the numbers of the inputs that hold them; `shapes` are those of the other inputs.

    Raises:
        InputError: a shape does not fit its input, or two dims differ that have one extent.
    """
    hidden = holders([each.extents for each in inputs])
    found: dict[int, int] = {}
    first: dict[int, str] = {}
    seen = (each for number, each in enumerate(inputs) if number not in hidden)
    for info, shape in zip(seen, shapes, strict=True):
        if not info.extents:
            continue
        if len(shape) != len(info.shape):
            raise InputError(f"input '{info.name}' has shape {shape}; required: {len(info.shape)} dims, {info}")
        for axis, (extent, place) in enumerate(zip(shape, info.extents, strict=True)):
            if place < 0:
                if extent != info.shape[axis]:
                    raise InputError(f"input '{info.name}' has shape {shape}; required: {info}")
                continue
            allowed = inputs[place].range or range(info.shape[axis] + 1)
            where, name = f"dim {axis} of input '{info.name}'", inputs[place].name
            if extent not in allowed:
                ends = f"from {allowed[0]} to {allowed[-1]}" + (f" by {allowed.step}" if allowed.step > 1 else "")
                raise InputError(f"{where} is {extent}; the model was compiled for '{name}' {ends}")
            if found.setdefault(place, extent) != extent:
                raise InputError(f"{where} is {extent}, and {first[place]} is {found[place]}; both are '{name}'")
            first.setdefault(place, where)
    return found


def whole_inputs(arrays: Sequence[Array], inputs: Sequence[Described], rooms: dict[int, Array]) -> list[Array]:
    """What a call gives the C function for arrays of the actual extents: each where it has room for the largest ones,
    and the extents. Nothing is written but `rooms`, which are kept from call to call, by the numbers of the inputs.

    Raises:
        InputError: a shape does not fit, as `call_extents`, or a dtype.
    """
    extents = call_extents([array.shape for array in arrays], inputs)
    given = iter(arrays)
    found: list[Array] = []
    for number, info in enumerate(inputs):
        if number in extents:
            found.append(np.asarray(extents[number], np.int64))
            continue
        array = next(given)
        if info.extents and array.shape != info.shape:
            room = rooms.get(number)
            if room is None:
                room = rooms[number] = np.zeros(info.shape, array.dtype)
            room[tuple(map(slice, array.shape))] = array
            array = room
        found.append(array)
    return found
