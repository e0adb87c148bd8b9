"""Vectors of which some lanes are not active, or whose elements are apart, with masked instructions and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from mlc.dialects.loop import Lanes
from mlc.targets.machine import resolve_target

Compiled = Callable[..., Callable[..., int]]

ROWS, COLUMNS = 40, 24
_DTYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "i1": np.bool_}


def _cases() -> Iterator[tuple[int, Lanes]]:
    """Vector lengths, and which lanes of them are accessed."""
    for length in (1, 2, 4, 8, 16):
        for active in (None, *range(1, length + 1)):
            yield length, Lanes(active=active)
        for active in {None, 1, length - 1 or None}:
            yield length, Lanes(0, 2, active)
            yield length, Lanes(None, 1 if length == 16 else 2, active)


def _spell(lanes: Lanes) -> str:
    along, stride, active = lanes[:3]
    words = {"along": along, "stride": stride if stride != 1 else None, "active": active}
    return " ".join(f"{word} {number}" for word, number in words.items() if number is not None)


def _place(lanes: Lanes, length: int) -> tuple[Any, Any]:
    """What to index a matrix with to get at the active lanes of a vector that starts at [3, 1]."""
    count = length if lanes.active is None else lanes.active
    steps = np.arange(count) * lanes.stride
    return (3 + steps, 1) if lanes.along == 0 else (3, 1 + steps)


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("element", _DTYPES)
def test_accesses(element: str, target: str, compiled: Compiled) -> None:
    """Each vector is loaded by its lanes and stored whole, and the other way round; the rest of memory stays."""
    cases = list(_cases())
    matrix = f"memref<{ROWS}x{COLUMNS}x{element}>"
    text = "".join(
        f"""
func.func private @k{n}(%x: {matrix}, %y: {matrix}, %z: {matrix}) {{
  %a = loop.load %x[3, 1] {_spell(lanes)} : {matrix}, vector<{length}x{element}>
  loop.store %a, %y[0, 0] : {matrix}, vector<{length}x{element}>
  %b = loop.load %x[0, 2] : {matrix}, vector<{length}x{element}>
  loop.store %b, %z[3, 1] {_spell(lanes)} : {matrix}, vector<{length}x{element}>
  func.return
}}"""
        for n, (length, lanes) in enumerate(cases)
    )
    # Native code for the instructions that the target is said to have; a machine without AVX-512 skips the last one.
    if not set(resolve_target(target).features) <= set(resolve_target("native").features):
        pytest.skip(f"this machine has not all instructions of {target}")
    run = compiled(text, target=target)
    values = np.random.default_rng(0).integers(0, 2 if element == "i1" else 100, (ROWS, COLUMNS))
    x = values.astype(_DTYPES[element])
    for n, (length, lanes) in enumerate(cases):
        y, z = np.ones_like(x), np.ones_like(x)
        run(f"k{n}", x, y, z)
        loaded, stored = np.ones_like(x), np.ones_like(x)
        found = x[_place(lanes, length)]
        loaded[0, :length] = 0
        loaded[0, : len(found)] = found
        stored[_place(lanes, length)] = x[0, 2 : 2 + len(found)]
        np.testing.assert_array_equal(y, loaded, err_msg=f"{length} {lanes}")
        np.testing.assert_array_equal(z, stored, err_msg=f"{length} {lanes}")
