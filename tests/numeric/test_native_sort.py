"""Compiled sorting: positions as Python's stable sort has them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i8, i16, i32, i64

import mlc
from mlc.dialects import graph
from mlc.support.dtypes import unsigned
from mlc.tests.numeric.native_cases import Case, case, check, data, module_of, special

Array = NDArray[Any]
Run = Callable[..., list[Array]]

_ELEMENTS = (f32, f64, i8, i16, i32, i64, unsigned(i8), unsigned(i64))


def _few_values(length: int) -> Array:
    """Many equal elements: both zeros, both infinities, NaNs of either sign."""
    kinds = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, -np.nan, 1e-40, -1e-40], np.float32)
    return kinds[np.random.default_rng(length).integers(0, kinds.size, length)]


def _cases() -> list[Case]:
    """Whole rows are asked for, or the first part, and then a smaller one, and so on in turns."""
    cases: list[Case] = []
    parts = itertools.cycle((1, 2, 11, 40))

    def add(x: Array, axis: int) -> None:
        for descending in (False, True):
            first = max(1, x.shape[axis] // next(parts))
            cases.append(case(graph.ArgsortOp, x, axis=axis, first=first, descending=descending))
        next(parts)

    for e in _ELEMENTS:
        add(data((3, 37), e), 1)
        add(data((2, 131), e), 1)
        add(np.tile(special(e), 11), 0)
        add(special(e), 0)
    for length in (1, 2, 64, 65, 300, 301):
        add(_few_values(length), 0)
    add(data((5, 150, 3)), 1)
    add(data((129, 2), i32), 0)
    add(data((2, 9, 3, 2)), 1)
    add(np.zeros((2, 100), np.float32), 1)
    add(np.arange(500, dtype=np.int64)[::-1].copy() * (1 << 53), 0)
    return cases


def _expected(c: Case) -> Array:
    """A stable sort of keys that NumPy is not asked for: pairs of Python's."""
    (x,) = c.inputs
    options = cast("partial[Any]", c.build).keywords
    axis, first, descending = (options[name] for name in ("axis", "first", "descending"))
    rows = np.moveaxis(x, axis, -1)
    found = np.empty((*rows.shape[:-1], first), np.int64)
    for at in np.ndindex(rows.shape[:-1]):
        keys = [(bool(v != v), 0 if v != v else v) for v in rows[at].tolist()]
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)
        found[at] = order[:first]
    return np.moveaxis(found, -1, axis)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("target", "opt_level"), [("native", 0), ("native", 3), ("aarch64", 2)])
def test_sorts(target: str, opt_level: int, run_compiled: Run) -> None:
    cases = _cases()
    module, inputs = module_of(cases, one_kernel=False)
    check(cases, run_compiled(module, inputs, target, opt_level), [_expected(c) for c in cases])


@pytest.mark.parametrize("first", [9000, 4500, 40])
def test_long_rows(first: int, run_compiled: Run) -> None:
    """Digits of 11 bits; whole numbers have many that are equal."""
    x = np.round(data((3, 9000)) * 300)
    cases = [case(partial(graph.ArgsortOp, descending=d), x, axis=1, first=first) for d in (False, True)]
    module, inputs = module_of(cases, one_kernel=False)
    ascending, descending = run_compiled(module, inputs)
    np.testing.assert_array_equal(ascending, np.argsort(x, 1, kind="stable")[:, :first])
    np.testing.assert_array_equal(descending, np.argsort(-x, 1, kind="stable")[:, :first])


def test_rows_on_two_threads() -> None:
    """Each thread has buffers of its own."""
    x = np.round(data((40, 3000)) * 300)
    cases = [case(partial(graph.ArgsortOp, first=n), x, axis=1) for n in (3000, 100)]
    module, _ = module_of(cases, one_kernel=False)
    for found in mlc.compile(module, threads=2)(x):
        np.testing.assert_array_equal(found, np.argsort(x, 1, kind="stable")[:, : found.shape[1]])
