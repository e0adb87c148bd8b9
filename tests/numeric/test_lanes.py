"""Sizes that fill no vector, and reads across rows, on machines with and without masked instructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import mlc

Array = NDArray[Any]
Run = Callable[..., list[Array]]

TARGETS = ("native", "x86-64-v2", "x86-64-v3", "aarch64")
_DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i1": np.bool_}


def _type(shape: Sequence[int], element: str = "f32") -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def _array(shape: Sequence[int], element: str = "f32") -> Array:
    values = np.random.default_rng(len(shape)).integers(-100, 100, shape)
    return (values > 0) if element == "i1" else values.astype(_DTYPES[element])


def _main(inputs: Sequence[str], lines: Sequence[str], outputs: Sequence[str]) -> str:
    """A model whose inputs are `%x0`, `%x1`, … of these types, and its outputs `%y0`, `%y1`, …"""
    arguments = ", ".join(f"%x{i}: {kind}" for i, kind in enumerate(inputs))
    names = ", ".join(f"%y{i}" for i in range(len(outputs)))
    types = ", ".join(outputs)
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n"


@pytest.mark.parametrize("target", TARGETS)
def test_elementwise_sizes(target: str, run_compiled: Run) -> None:
    sizes = (1, 2, 3, 5, 7, 11, 13, 15, 16, 17, 31, 37, 63, 67)
    kinds = [_type((2, n)) for n in sizes]
    lines = [f"%y{i} = graph.mul %x{i}, %x{i} : {kind}, {kind} -> {kind}" for i, kind in enumerate(kinds)]
    inputs = [_array((2, n)) for n in sizes]
    outputs = run_compiled(mlc.parse(_main(kinds, lines, kinds)), inputs, target)
    for found, x in zip(outputs, inputs, strict=True):
        np.testing.assert_array_equal(found, x * x)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["f64", "i32", "i64"])
def test_comparison_of_odd_rows(element: str, target: str, run_compiled: Run) -> None:
    """Masks are stored as bytes."""
    kind, mask = _type((3, 13), element), _type((3, 13), "i1")
    line = f"%y0 = graph.compare lt, %x0, %x1 : {kind}, {kind} -> {mask}"
    x = _array((3, 13), element)
    y = x[::-1].copy()
    (found,) = run_compiled(mlc.parse(_main([kind, kind], [line], [mask])), [x, y], target)
    np.testing.assert_array_equal(found, x < y)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", TARGETS)
def test_lanes_that_are_not_active_do_no_harm(target: str, run_compiled: Run) -> None:
    """They divide 0 by 0, and choose by masks that are read as bytes."""
    kind, mask = _type((5, 7), "i32"), _type((5, 7), "i1")
    lines = [
        f"%q = graph.div %x0, %x1 : {kind}, {kind} -> {kind}",
        f"%y0 = graph.where %x2, %q, %x0 : {mask}, {kind}, {kind} -> {kind}",
    ]
    x, where = _array((5, 7), "i32"), _array((5, 7), "i1")
    y = np.where(x[::-1] == 0, 1, x[::-1])
    (found,) = run_compiled(mlc.parse(_main([kind, kind, mask], lines, [kind])), [x, y, where], target)
    np.testing.assert_array_equal(found, np.where(where, np.trunc(x / y), x))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", TARGETS)
def test_sums_of_odd_rows(target: str, run_compiled: Run) -> None:
    sizes = (2, 3, 9, 40, 67, 130, 1000)
    kinds = [_type((2, n)) for n in sizes]
    lines = [f"%y{i} = graph.reduce sum %x{i} axes [1] : {kind} -> {_type((2,))}" for i, kind in enumerate(kinds)]
    inputs = [_array((2, n)) for n in sizes]
    outputs = run_compiled(mlc.parse(_main(kinds, lines, [_type((2,))] * len(sizes))), inputs, target)
    for found, x in zip(outputs, inputs, strict=True):
        np.testing.assert_array_equal(found, x.sum(1))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", TARGETS)
def test_every_other_element(target: str, run_compiled: Run) -> None:
    sizes = (3, 17, 32, 33, 75)
    kinds = [_type((3, n)) for n in sizes]
    results = [_type((3, (n - 1) // 2)) for n in sizes]
    lines = [
        f"%y{i} = graph.slice %x{i} starts [0, 1] ends [3, {n - (n + 1) % 2}] strides [1, 2] : {kind} -> {result}"
        for i, (n, kind, result) in enumerate(zip(sizes, kinds, results, strict=True))
    ]
    inputs = [_array((3, n)) for n in sizes]
    outputs = run_compiled(mlc.parse(_main(kinds, lines, results)), inputs, target)
    for found, x in zip(outputs, inputs, strict=True):
        np.testing.assert_array_equal(found, x[:, 1 : 2 * found.shape[1] : 2])


def _transposition(shape: Sequence[int], permutation: Sequence[int], element: str, number: int) -> tuple[str, str]:
    """The op `%y<number>` and its type."""
    result = _type([shape[p] for p in permutation], element)
    order = ", ".join(map(str, permutation))
    return f"%y{number} = graph.transpose %x{number} [{order}] : {_type(shape, element)} -> {result}", result


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", _DTYPES)
def test_transpositions(element: str, target: str, run_compiled: Run) -> None:
    cases: list[tuple[tuple[int, ...], Sequence[int]]] = [
        ((16, 16), (1, 0)),
        ((33, 19), (1, 0)),
        ((3, 50), (1, 0)),
        ((50, 3), (1, 0)),
        ((1, 17), (1, 0)),
        ((2, 5, 6, 3), (0, 3, 1, 2)),
        ((2, 3, 5, 6), (0, 2, 3, 1)),
        *(((7, 18, 5), p) for p in permutations(range(3))),
    ]
    shapes = [shape for shape, _ in cases]
    made = [_transposition(*case, element, number) for number, case in enumerate(cases)]
    text = _main([_type(s, element) for s in shapes], [line for line, _ in made], [kind for _, kind in made])
    inputs = [_array(shape, element) for shape in shapes]
    outputs = run_compiled(mlc.parse(text), inputs, target)
    for found, x, (_, permutation) in zip(outputs, inputs, cases, strict=True):
        np.testing.assert_array_equal(found, x.transpose(permutation))


@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_transpositions_inside_a_chain(data: st.DataObject, run_compiled: Run) -> None:
    """A transposed operand next to one that is read as it lies."""
    rank = data.draw(st.integers(2, 4))
    shape = [data.draw(st.integers(1, 40 if rank < 4 else 12)) for _ in range(rank)]
    permutation = data.draw(st.permutations(range(rank)))
    kind, result = _type(shape), _type([shape[p] for p in permutation])
    order = ", ".join(map(str, permutation))
    lines = [
        f"%0 = graph.relu %x0 : {kind}",
        f"%1 = graph.transpose %0 [{order}] : {kind} -> {result}",
        f"%y0 = graph.add %1, %x1 : {result}, {result} -> {result}",
    ]
    x = _array(shape)
    y = _array([shape[p] for p in permutation])
    (found,) = run_compiled(mlc.parse(_main([kind, result], lines, [result])), [x, y])
    np.testing.assert_array_equal(found, np.maximum(x, 0).transpose(permutation) + y)
