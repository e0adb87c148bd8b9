"""Compiled argmax, argmin, gathers and scatters: what the reference says, and no access out of bounds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i1, i32, i64

from mlc.dialects import graph
from mlc.tests.numeric.native_cases import (
    ALL,
    FLOATS,
    INTEGERS,
    Case,
    case,
    compile_and_check,
    data,
    module_of,
    special,
)

Array = NDArray[Any]
Run = Callable[..., list[Array]]


def _arg_reduce() -> list[Case]:
    shapes: list[tuple[tuple[int, ...], int]] = [
        ((1,), 0),
        ((7,), 0),
        ((5, 300), 1),
        ((300, 5), 0),
        ((2, 21, 3, 17), 1),
        ((2, 3, 4), 2),
        ((3, 1, 2), 1),
    ]
    cases: list[Case] = []
    for op in (graph.ArgMaxOp, graph.ArgMinOp):
        cases += [case(op, data(shape), axis=axis, keepdims=keep) for shape, axis in shapes for keep in (False, True)]
        # Few different numbers: the first of equal ones counts.
        cases += [case(op, np.round(data((4, 100), e, 3)), axis=1) for e in (*FLOATS, *INTEGERS)]
        cases += [case(op, special(e), axis=0) for e in (*FLOATS, *INTEGERS)]
        odd = [[1, np.nan, 2, np.nan], [-np.inf, np.inf, np.inf, 0], [-0.0, 0.0, -0.0, 0.0], [np.nan] * 4]
        cases += [case(op, np.array(odd, t), axis=axis) for t in (np.float32, np.float64) for axis in (0, 1)]
        cases += [case(op, np.full((3, 20), value, np.float32), axis=1) for value in (np.inf, -np.inf)]
    return cases


def _gather() -> list[Case]:
    ids = np.array([[3, -1, 0], [6, -7, 3]], np.int64)
    cases = [case(graph.GatherOp, data((7, 33)), ids, axis=0)]
    cases += [case(graph.GatherOp, data((7, 5, 4), e), ids.astype(np.int32), axis=0) for e in ALL]
    cases += [case(graph.GatherOp, data(shape), ids, axis=a) for shape, a in (((2, 7, 20), 1), ((3, 7), 1), ((7,), 0))]
    cases.append(case(graph.GatherOp, data((7, 16)), np.array(2, np.int64), axis=0))
    cases.append(case(graph.GatherOp, data((3, 4, 7, 1), i1), ids[0], axis=2))
    return cases


def _gather_nd() -> list[Case]:
    points = np.array([[[3, -1], [0, 2]], [[-4, -3], [2, 0]], [[1, 1], [-1, 1]]], np.int64)
    along = np.array([[3, -1, 0, 2, -4], [-2, 1, 1, 0, 3]], np.int32)[..., None]
    op = graph.GatherNdOp
    cases = [case(op, data((4, 3, 5), e), points, axes=[0, 1]) for e in ALL]
    cases += [case(op, special(e), np.array([[-1], [0], [8], [3]], np.int32), axes=[0]) for e in (*FLOATS, *INTEGERS)]
    for shape, axes, own in (
        ((4, 3), [0, 1], []),
        ((3, 7, 4), [2, 1], [0]),  # axes in another order
        ((3, 2, 4, 5, 3, 1), [2, 4], [0, 1]),  # whole axes between and behind
        ((3, 9, 4, 5), [2, 3], [0]),
        ((5, 4, 7, 3), [1, 3], [0]),  # an own axis that is longer in the data
    ):
        cases.append(case(op, data(shape), points, axes=axes, own=own))
    cases += [case(op, data(shape), along, axes=[1], own=[0]) for shape in ((2, 4), (3, 4), (2, 4, 33))]
    cases.append(case(op, data((4, 5)), along, axes=[0], own=[1]))  # along the first axis
    cases.append(case(op, data((4, 3)), np.array([2, -1], np.int64), axes=[0, 1]))  # one element
    return cases


def _scatter_nd() -> list[Case]:
    rng = np.random.default_rng(0)
    points = np.array([[[3, -1], [0, 2]], [[-4, -3], [2, 0]], [[0, 2], [-4, 2]]], np.int64)
    many, op = rng.integers(-5, 5, (40, 1)), graph.ScatterNdOp
    cases: list[Case] = []
    for kind in ("set", "add", "mul", "max", "min"):
        build = partial(op, kind)
        cases += [
            case(build, data((4, 3, 5), e), points, data((3, 2, 5), e, 1), axes=[0, 1])
            for e in ALL
            if kind == "set" or e != i1
        ]
        cases += [case(build, data((5, 7), e), many, data((40, 7), e, 1), axes=[0]) for e in (*FLOATS, *INTEGERS)]
        for e in (*FLOATS, *INTEGERS):
            odd = special(e)
            places = np.arange(odd.size, dtype=np.int32)[::-1, None]
            cases.append(case(build, odd, places.copy(), np.roll(odd, 3), axes=[0]))
        cases += [
            case(build, data((3, 2, 4, 5, 3, 1)), points, data((3, 2, 5, 1), seed=1), axes=[2, 4], own=[0, 1]),
            case(build, data((5, 4, 7, 3)), points, data((3, 2, 7), seed=1), axes=[1, 3], own=[0]),
            case(build, data((2, 7, 5)), many.reshape(2, 20, 1, 1), data((2, 20, 1), seed=1), axes=[1], own=[0, 2]),
            case(build, data((4, 3)), np.array([2, -1], np.int64), np.array(3, np.float32), axes=[0, 1]),
        ]
    return cases


FAMILIES: dict[str, Callable[[], list[Case]]] = {
    "arg_reduce": _arg_reduce,
    "gather": _gather,
    "gather_nd": _gather_nd,
    "scatter_nd": _scatter_nd,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_op_is_a_kernel(family: str, run_compiled: Run) -> None:
    compile_and_check(FAMILIES[family](), run_compiled, one_kernel=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("target", "opt_level"), [("native", 0), ("x86-64-v2", 3), ("aarch64", 2)])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_one_kernel(family: str, target: str, opt_level: int, run_compiled: Run) -> None:
    compile_and_check(FAMILIES[family](), run_compiled, target, opt_level, one_kernel=True)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_an_index_out_of_range_reads_the_nearest_row(dtype: type[Any], run_compiled: Run) -> None:
    limits = np.iinfo(dtype)
    ids = np.array([limits.min, -1000, -4, -3, 2, 3, 1000, limits.max], dtype)
    table = data((3, 20))
    module, inputs = module_of([case(partial(graph.GatherOp, axis=0), table, ids)], one_kernel=False)
    np.testing.assert_array_equal(run_compiled(module, inputs)[0], table[[0, 0, 0, 0, 2, 2, 2, 2]])


def test_coordinates_out_of_range_read_the_nearest_element(run_compiled: Run) -> None:
    limits = np.iinfo(np.int64)
    yx = np.array([[limits.min, 0], [-4, -5], [3, 4], [1, limits.max], [-1, -1]], np.int64)
    image = data((3, 4))
    module, inputs = module_of([case(graph.GatherNdOp, image, yx, axes=[0, 1])], one_kernel=False)
    expected = image[[0, 0, 2, 1, 2], [0, 0, 3, 3, 3]]
    np.testing.assert_array_equal(run_compiled(module, inputs)[0], expected)


@pytest.mark.parametrize("opt_level", [0, 3])
def test_updates_out_of_range_are_left_out(opt_level: int, run_compiled: Run) -> None:
    limits = np.iinfo(np.int64)
    yx = np.array([[limits.min, 0], [-4, 1], [3, 0], [1, limits.max], [-1, -1], [1, -5], [0, 4], [0, 0]], np.int64)
    image, updates = data((3, 4)), data((8,), seed=1)
    build = partial(graph.ScatterNdOp, "add", axes=[0, 1])
    module, inputs = module_of([case(build, image, yx, updates)], one_kernel=False)
    expected = image.copy()
    expected[2, 3] += updates[4]
    expected[0, 0] += updates[7]
    np.testing.assert_array_equal(run_compiled(module, inputs, "native", opt_level)[0], expected)


def test_positions_of_a_large_vocabulary(run_compiled: Run) -> None:
    logits = np.zeros((2, 70_001), np.float32)
    logits[0, 65_537], logits[1, 70_000], logits[1, 69_999] = 1, 2, 3
    for element in (f32, f64, i32, i64):
        values = logits.astype({f32: "f4", f64: "f8", i32: "i4", i64: "i8"}[element])
        module, inputs = module_of([case(partial(graph.ArgMaxOp, axis=1), values)], one_kernel=False)
        assert run_compiled(module, inputs)[0].tolist() == [65_537, 69_999]
