"""Shapes that are computed of how many elements data has, compiled: what the onnx package computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import mlc

Array = NDArray[Any]
_FLOAT, _INT = TensorProto.FLOAT, TensorProto.INT64
_FOUND = [
    helper.make_node("Greater", ["x", "zero"], ["mask"]),
    helper.make_node("NonZero", ["mask"], ["places"]),
    helper.make_node("Squeeze", ["places", "first"], ["where"]),
    helper.make_node("Gather", ["x", "where"], ["found"]),
    helper.make_node("Shape", ["found"], ["count"], end=1),
]
"""`found = x[x > 0]`, and how many these are."""
_WEIGHTS = {
    "zero": np.zeros((), np.float32),
    "half": np.array(0.5, np.float32),
    "first": np.array([0]),
    "three": np.array([3]),
    "last": np.array([-2]),
    "end": np.array([1 << 40]),
    "none": np.array(0),
}
_MOST = 7


def _model(
    nodes: Sequence[Any],
    outputs: Sequence[str],
    inputs: Mapping[str, Sequence[int | str]],
    weights: Mapping[str, Array],
) -> onnx.ModelProto:
    given = [helper.make_tensor_value_info(name, _FLOAT, shape) for name, shape in inputs.items()]
    made = [helper.make_empty_tensor_value_info(name) for name in outputs]
    initial = [numpy_helper.from_array(array, name) for name, array in {**_WEIGHTS, **weights}.items()]
    graph = helper.make_graph(nodes, "main", given, made, initial)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def _check(model: onnx.ModelProto, compiled: Any, inputs: Mapping[str, Array]) -> None:
    wanted = cast(Any, ReferenceEvaluator(model)).run(None, dict(inputs))
    for found, want in zip(compiled.run(inputs).values(), wanted, strict=True):
        assert found.shape == want.shape
        np.testing.assert_allclose(found, want, rtol=1e-6)


def _draws(size: int) -> list[Array]:
    rng = np.random.default_rng(size)
    numbers = (rng.permutation(2 * size + 1)[:size] - size).astype(np.float32)
    return [numbers, -np.ones(size, np.float32), np.arange(1, size + 1, dtype=np.float32)]


_NODES: dict[str, list[Any]] = {
    "one after the other": [
        helper.make_node("Neg", ["found"], ["less"]),
        helper.make_node("Concat", ["found", "less", "found"], ["y"], axis=0),
    ],
    "at most three": [
        helper.make_node("Concat", ["count", "three"], ["both"], axis=0),
        helper.make_node("ReduceMin", ["both"], ["k"]),
        helper.make_node("TopK", ["found", "k"], ["y", "order"], axis=0),
    ],
    "the first three": [helper.make_node("Slice", ["found", "first", "three"], ["y"])],
    "the last two": [helper.make_node("Slice", ["x", "last", "end"], ["y"])],
    "counted": [
        helper.make_node("Squeeze", ["count", "first"], ["number"]),
        helper.make_node("Range", ["none", "number", "one"], ["y"]),
    ],
    "repeated": [
        helper.make_node("Concat", ["three", "count"], ["shape"], axis=0),
        helper.make_node("Expand", ["found", "shape"], ["y"]),
    ],
}


@pytest.mark.parametrize("name", list(_NODES))
@pytest.mark.parametrize("shape", ["n", _MOST])
def test_sizes_of_data(name: str, shape: int | str) -> None:
    """Of an input of one size, and of any."""
    model = _model([*_FOUND, *_NODES[name]], ["y"], {"x": [shape]}, {"one": np.array(1)})
    compiled = mlc.compile(model, shapes={"n": range(1, _MOST + 1)} if shape == "n" else None)
    for size in (1, 2, 4, _MOST) if shape == "n" else (_MOST,):
        for x in _draws(size):
            _check(model, compiled, {"x": x})


def _branch(nodes: Sequence[Any], output: str) -> onnx.GraphProto:
    return helper.make_graph(nodes, output, [], [helper.make_empty_tensor_value_info(output)])


def test_a_branch_for_nothing() -> None:
    """`found * 2 if len(found) else []`, as exporters write it."""
    nothing = helper.make_node("Constant", [], ["empty"], value=numpy_helper.from_array(np.zeros(0, np.float32)))
    nodes = [
        *_FOUND,
        helper.make_node("ReduceProd", ["count"], ["size"], keepdims=0),
        helper.make_node("Equal", ["size", "none"], ["is_none"]),
        helper.make_node(
            "If",
            ["is_none"],
            ["y"],
            then_branch=_branch([nothing], "empty"),
            else_branch=_branch([helper.make_node("Add", ["found", "found"], ["twice"])], "twice"),
        ),
    ]
    model = _model(nodes, ["y"], {"x": [_MOST]}, {})
    compiled = mlc.compile(model)
    for x in _draws(_MOST):
        _check(model, compiled, {"x": x})


def test_branches_of_two_lengths() -> None:
    nodes = [
        helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0),
        helper.make_node("Greater", ["most", "zero"], ["is_any"]),
        helper.make_node(
            "If",
            ["is_any"],
            ["y"],
            then_branch=_branch([helper.make_node("Slice", ["x", "first", "three"], ["some"])], "some"),
            else_branch=_branch([helper.make_node("Neg", ["x"], ["all"])], "all"),
        ),
        helper.make_node("ReduceSum", ["y"], ["sum"]),
    ]
    model = _model(nodes, ["y", "sum"], {"x": [_MOST]}, {})
    compiled = mlc.compile(model)
    for x in _draws(_MOST):
        _check(model, compiled, {"x": x})


def test_suppression_of_boxes_that_data_chooses() -> None:
    """Of those with a score above a half, which may be none, those that no better one covers."""
    nodes = [
        helper.make_node("Greater", ["scores", "half"], ["mask"]),
        helper.make_node("NonZero", ["mask"], ["places"]),
        helper.make_node("Squeeze", ["places", "first"], ["where"]),
        helper.make_node("Gather", ["boxes", "where"], ["some"]),
        helper.make_node("Gather", ["scores", "where"], ["their"]),
        helper.make_node("Unsqueeze", ["some", "first"], ["some3"]),
        helper.make_node("Unsqueeze", ["their", "both"], ["their3"]),
        helper.make_node("NonMaxSuppression", ["some3", "their3", "many", "overlap"], ["y"]),
    ]
    weights = {"both": np.array([0, 1]), "many": np.array([100]), "overlap": np.array([0.4], np.float32)}
    compiled = mlc.compile(_model(nodes, ["y"], {"boxes": [12, 4], "scores": [12]}, weights))
    rng = np.random.default_rng(0)
    for scale in (1.0, 0.4, 2.0):
        corner = rng.random((12, 2)).astype(np.float32)
        boxes = np.concatenate([corner, corner + 0.4], 1)
        scores = (rng.permutation(12) / 12 * scale).astype(np.float32)
        chosen, kept = np.flatnonzero(scores > 0.5), list[int]()
        for place in sorted(range(len(chosen)), key=lambda i: -scores[chosen[i]]):
            if all(_overlap(boxes[chosen[place]], boxes[chosen[other]]) <= 0.4 for other in kept):
                kept.append(place)
        found = compiled.run({"boxes": boxes, "scores": scores})["y"]
        np.testing.assert_array_equal(found, [[0, 0, place] for place in kept] or np.zeros((0, 3)))


def _overlap(one: Array, other: Array) -> float:
    low, high = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
    common = float(np.prod(np.maximum(high - low, 0)))
    return common / (float(np.prod(one[2:] - one[:2])) + float(np.prod(other[2:] - other[:2])) - common)
