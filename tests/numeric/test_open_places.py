"""Scatters and selections of models with open dims: for all extents what the onnx package computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.support.errors import UserError

from .open_graphs import expected

Array = NDArray[Any]
_FLOAT, _INT = TensorProto.FLOAT, TensorProto.INT64
_MOST = 8
_RANGE = range(1, _MOST + 1)


def _model(
    nodes: list[Any],
    inputs: Mapping[str, tuple[int, Sequence[str | int]]],
    outputs: Mapping[str, int],
    weights: Mapping[str, Array],
) -> Any:
    given = [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()]
    made = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()]
    initial = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "main", given, made, initial)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def _numbers(rng: np.random.Generator, *shape: int) -> Array:
    """Integers as floats: sums are exact."""
    return rng.integers(-3, 4, shape).astype(np.float32)


def _elements(rng: np.random.Generator, reduction: str, rows: int, columns: int, count: int) -> dict[str, Array]:
    places = rng.integers(-columns, columns, (rows, count))
    if reduction == "none":  # the order of updates of one place is not specified
        places = np.stack([rng.permutation(columns)[:count] for _ in range(rows)])
    return {"x": _numbers(rng, rows, columns), "i": places, "u": _numbers(rng, rows, count)}


@pytest.mark.parametrize("reduction", ["none", "add", "max", pytest.param("mul", marks=pytest.mark.slow)])
def test_scatters_of_elements(reduction: str) -> None:
    node = helper.make_node("ScatterElements", ["x", "i", "u"], ["y"], axis=1, reduction=reduction)
    inputs = {"x": (_FLOAT, ["n", "m"]), "i": (_INT, ["n", "k"]), "u": (_FLOAT, ["n", "k"])}
    model = _model([node], inputs, {"y": _FLOAT}, {})
    compiled = mlc.compile(model, shapes=dict.fromkeys("nmk", _RANGE))
    rng = np.random.default_rng(3)
    for rows, columns, count in ((1, 1, 1), (_MOST, _MOST, _MOST), (3, 5, 2), (5, 2, 7), (_MOST, 1, _MOST), (2, 8, 3)):
        given = _elements(rng, reduction, rows, columns, min(count, columns) if reduction == "none" else count)
        np.testing.assert_array_equal(compiled.run(given)["y"], expected(model, given))


@pytest.mark.parametrize("reduction", ["none", "add"])
def test_scatters_of_rows(reduction: str) -> None:
    """Also of no row at all."""
    node = helper.make_node("ScatterND", ["x", "i", "u"], ["y"], reduction=reduction)
    inputs = {"x": (_FLOAT, ["n", "m"]), "i": (_INT, ["k", 1]), "u": (_FLOAT, ["k", "m"])}
    model = _model([node], inputs, {"y": _FLOAT}, {})
    compiled = mlc.compile(model, shapes={"n": _RANGE, "m": _RANGE, "k": range(_MOST + 1)})
    rng = np.random.default_rng(4)
    for rows, columns, count in ((1, 1, 1), (_MOST, _MOST, _MOST), (5, 3, 2), (4, 7, 1), (3, 2, 0)):
        places = rng.permutation(rows)[:count, None] - rows * (count % 2)  # from the end as well
        given = {"x": _numbers(rng, rows, columns), "i": places, "u": _numbers(rng, count, columns)}
        np.testing.assert_array_equal(compiled.run(given)["y"], expected(model, given))


@pytest.mark.parametrize("shape", [("n", "m"), (4, 5)])
def test_writes_where_a_mask_holds(shape: tuple[str | int, ...]) -> None:
    """`y[x > 0] = 0.5`, as exporters write it: as many updates as the data says."""
    nodes = [
        helper.make_node("Greater", ["x", "zero"], ["mask"]),
        helper.make_node("NonZero", ["mask"], ["found"]),
        helper.make_node("Transpose", ["found"], ["places"]),
        helper.make_node("Shape", ["places"], ["count"], end=1),
        helper.make_node("Expand", ["half", "count"], ["updates"]),
        helper.make_node("ScatterND", ["x", "places", "updates"], ["y"]),
    ]
    weights = {"zero": np.zeros((), np.float32), "half": np.array([0.5], np.float32)}
    model = _model(nodes, {"x": (_FLOAT, list(shape))}, {"y": _FLOAT}, weights)
    compiled = mlc.compile(model, shapes={"n": _RANGE, "m": _RANGE} if "n" in shape else None)
    rng = np.random.default_rng(5)
    for sizes in ((1, 1), (_MOST, _MOST), (3, 5), (7, 2)) if "n" in shape else ((4, 5),):
        for x in (rng.standard_normal(sizes), -np.ones(sizes), np.ones(sizes)):
            x = x.astype(np.float32)
            np.testing.assert_array_equal(compiled(x), np.where(x > 0, np.float32(0.5), x))


def test_the_largest_of_as_many_as_a_dim_says() -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["count"], end=1),
        helper.make_node("Div", ["count", "two"], ["half"]),
        helper.make_node("TopK", ["x", "count"], ["all", "order"], axis=0),
        helper.make_node("TopK", ["x", "half"], ["some", "places"], axis=0, largest=0),
    ]
    outputs = {"all": _FLOAT, "order": _INT, "some": _FLOAT, "places": _INT}
    model = _model(nodes, {"x": (_FLOAT, ["n", 3])}, outputs, {"two": np.array([2])})
    compiled = mlc.compile(model, shapes={"n": _RANGE})
    for rows in (1, 2, 5, _MOST):
        x = np.random.default_rng(rows).permutation(rows * 3).reshape(rows, 3).astype(np.float32)
        x[rows // 2] = -np.inf
        found = compiled.run({"x": x})
        order, places = np.argsort(-x, 0, kind="stable"), np.argsort(x, 0, kind="stable")[: rows // 2]
        np.testing.assert_array_equal(found["order"], order)
        np.testing.assert_array_equal(found["all"], np.take_along_axis(x, order, 0))
        np.testing.assert_array_equal(found["places"], places)
        np.testing.assert_array_equal(found["some"], np.take_along_axis(x, places, 0))


def test_more_than_there_are_cannot_be_the_largest() -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["count"], end=1),
        helper.make_node("Add", ["count", "two"], ["more"]),
        helper.make_node("TopK", ["x", "more"], ["y", "places"], axis=0),
    ]
    model = _model(nodes, {"x": (_FLOAT, ["n", 3])}, {"y": _FLOAT}, {"two": np.array([2])})
    with pytest.raises(UserError, match=r"the first n \+ 2 of n elements are asked for"):
        mlc.compile(model, shapes={"n": _RANGE})


def test_a_backwards_slice_from_before_the_first_element_has_that_one() -> None:
    """Where Python takes none; also of a dim of one element beside an open one."""
    nodes = [helper.make_node("Slice", ["x", "start", "end", "axes", "back"], ["y"])]
    weights = {
        "start": np.array([-2, -9]),
        "end": np.array([-9, -9]),
        "axes": np.array([0, 2]),
        "back": np.array([-1, -2]),
    }
    compiled = mlc.compile(_model(nodes, {"x": (_FLOAT, [1, "n", 3])}, {"y": _FLOAT}, weights), shapes={"n": _RANGE})
    for rows in (1, 5, _MOST):
        x = _numbers(np.random.default_rng(rows), 1, rows, 3)
        np.testing.assert_array_equal(compiled(x), x[:, :, :1])


def test_what_is_false_everywhere_is_as_long_as_the_call_says() -> None:
    nodes = [
        helper.make_node("Greater", ["x", "zero"], ["mask"]),
        helper.make_node("And", ["mask", "never"], ["y"]),
        helper.make_node("BitwiseAnd", ["i", "nothing"], ["z"]),
    ]
    weights = {"zero": np.zeros((), np.float32), "never": np.zeros(1, np.bool_), "nothing": np.zeros(1, np.int64)}
    inputs = {"x": (_FLOAT, ["n", 3]), "i": (_INT, [2, "n"])}
    model = _model(nodes, inputs, {"y": TensorProto.BOOL, "z": _INT}, weights)
    compiled = mlc.compile(model, shapes={"n": _RANGE})
    for rows in (1, 5, _MOST):
        y, z = compiled(np.ones((rows, 3), np.float32), np.ones((2, rows), np.int64))
        assert y.shape == (rows, 3) and z.shape == (2, rows) and not y.any() and not z.any()


def test_a_slice_that_is_empty_for_the_least_and_the_greatest_extent_may_have_elements_between() -> None:
    weights = {"start": np.array([-3]), "end": np.array([3]), "axes": np.array([0])}
    model = _model(
        [helper.make_node("Slice", ["x", "start", "end", "axes"], ["y"])],
        {"x": (_FLOAT, ["n"])},
        {"y": _FLOAT},
        weights,
    )
    compiled = mlc.compile(model, shapes={"n": range(_MOST + 1)})
    for count in range(_MOST + 1):
        x = np.arange(count, dtype=np.float32)
        np.testing.assert_array_equal(compiled(x), x[-3:3])
