"""Types of codes: what numbers become, against ml_dtypes and xDSL, which computes with whole numbers."""

from __future__ import annotations

from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ReducedPrecisionFloatType

import mlc
from mlc.reference.codes import nearest_stored
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import STORED_TYPES, ElementType, bits_of, dtype_named
from mlc.support.resources import Resources

Array = NDArray[Any]
FLOATS = [e for e in STORED_TYPES if isinstance(e.type, ReducedPrecisionFloatType)]
INTEGERS = [e for e in STORED_TYPES if e not in FLOATS]


def _codes(element: ElementType) -> Array:
    """Every element of a type."""
    dtype = dtype_named(element.dtype)
    return np.arange(1 << bits_of(dtype), dtype=np.uint8).view(dtype)


def _halves() -> Array:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def _doubles(element: ElementType) -> Array:
    """The middles between neighbours, and what is so near to them that an f32 cannot tell."""
    numbers = np.sort(_codes(element).astype(np.float64))
    numbers = numbers[np.isfinite(numbers)]
    middles = (numbers[1:] + numbers[:-1]) / 2
    return np.concatenate([middles, middles * (1 + 2.0**-50), middles * (1 - 2.0**-50)])


def _packed(element: ElementType, numbers: Array) -> Array:
    """What xDSL says, with whole numbers of any size."""
    kind = cast(ReducedPrecisionFloatType, element.type)
    return np.frombuffer(kind.pack(numbers.tolist()), dtype_named(element.dtype))


def _same(found: Array, wanted: Array) -> Array:
    """Which elements are equal to the bit; one NaN is like another."""
    return (found.view(np.uint8) == wanted.view(np.uint8)) | ((found != found) & (wanted != wanted))


@pytest.mark.parametrize("element", FLOATS, ids=lambda e: str(e.type))
def test_every_half_becomes_what_ml_dtypes_makes_of_it(element: ElementType) -> None:
    dtype, x = dtype_named(element.dtype), _halves()
    with np.errstate(all="ignore"):
        found, wanted = nearest_stored(x, dtype), x.astype(np.float32).astype(dtype)
    has_nan = bool(np.isnan(np.float32(np.nan).astype(dtype).astype(np.float32)))
    right = _same(found, wanted) | (np.isnan(x) & ~np.bool_(has_nan))
    assert right.all(), (x[~right][:5], found[~right][:5], wanted[~right][:5])
    assert has_nan or (found[np.isnan(x)].astype(np.float32) == 0).all()


@pytest.mark.parametrize("element", FLOATS, ids=lambda e: str(e.type))
def test_every_middle_is_rounded_once(element: ElementType) -> None:
    x = _doubles(element)
    x = x[x > 0]
    found, wanted = nearest_stored(x, dtype_named(element.dtype)), _packed(element, x)
    right = _same(found, wanted)
    assert right.all(), (x[~right][:5], found[~right][:5], wanted[~right][:5])


@pytest.mark.parametrize("element", FLOATS, ids=lambda e: str(e.type))
def test_codes_are_read_as_xdsl_reads_them(element: ElementType) -> None:
    kind = cast(ReducedPrecisionFloatType, element.type)
    wanted = np.array([kind.decode_bits(code) for code in range(len(_codes(element)))])
    assert np.array_equal(_codes(element).astype(np.float64), wanted, equal_nan=True)


@pytest.mark.parametrize("element", INTEGERS, ids=lambda e: str(e.type))
def test_integers_take_the_nearest_of_a_float_and_the_low_bits_of_an_integer(element: ElementType) -> None:
    dtype = dtype_named(element.dtype)
    limits = ml_dtypes.iinfo(dtype)
    x = np.array([-100, -1.9, -1, -0.0, 0.7, 1.5, 3, 100, np.inf, -np.inf, np.nan], np.float32)
    (found,) = run_function(_cast("f32", len(x), element), "main", [x], Resources())
    wanted = np.trunc(np.clip(np.nan_to_num(x, posinf=1e9, neginf=-1e9), float(limits.min), float(limits.max)))
    assert found.dtype == dtype and np.array_equal(found.astype(np.float32), wanted)
    n = np.arange(-40, 40, dtype=np.int32)
    (found,) = run_function(_cast("i32", len(n), element), "main", [n], Resources())
    width = bits_of(dtype)
    low = (n - int(limits.min)) % (1 << width) + int(limits.min)
    assert np.array_equal(found.astype(np.int32), low)


def _cast(source: str, count: int, element: ElementType) -> Any:
    types = f"tensor<{count}x{source}>", f"tensor<{count}x{element.type}>"
    return mlc.parse(
        f"func.func @main(%x: {types[0]}) -> {types[1]} {{\n  %y = graph.cast %x : {types[0]} -> {types[1]}\n"
        f"  return %y : {types[1]}\n}}\n"
    )
