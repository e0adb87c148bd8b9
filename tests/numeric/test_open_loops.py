"""Loops that take as many steps as extents of a call say, and stack a row in each, beside loops of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.support.errors import UserError

Array = NDArray[Any]
_FLOAT, _INT, _BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
_MOST = 7
_OPSET = [helper.make_opsetid("", 18)]


def _value(name: str, kind: int, shape: list[int | str] | None = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def _constant(name: str, number: Any) -> Any:
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(number)))


def _model(counting: list[Any], limit: str, begins: str, condition: list[Any], start: int = 0, ends: str = "n") -> Any:
    """Sums of rows of `x`, each of which is stacked.

    Args:
        counting: ops that compute the next counter `next`, of `at`.
        limit, begins: what the loop takes.
        condition: ops that compute `on`, of `next` and of `end`, which the body hands on as `ends` says.
    """
    body = [
        helper.make_node("Gather", ["x", "step"], ["row"]),
        helper.make_node("Add", ["sum", "row"], ["total"]),
        helper.make_node("Mul", ["total", "row"], ["stacked"]),
        *counting,
        *condition,
    ]
    inputs = [_value("step", _INT, []), _value("go", _BOOL, []), _value("at", _INT, [])]
    inputs += [_value("end", _INT, []), _value("sum", _FLOAT, [3])]
    outputs = [_value("on", _BOOL, []), _value("next", _INT, []), _value("end2" if ends != "n" else "end", _INT, [])]
    outputs += [_value("total", _FLOAT, [3]), _value("stacked", _FLOAT, [3])]
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"], end=1),
        helper.make_node("Squeeze", ["shape"], ["n"]),
        _constant("start", np.int64(start)),
        helper.make_node("Less", ["start", "n"], ["begin"]),
        helper.make_node("CastLike", ["zeros", "x"], ["none"]),
        helper.make_node(
            "Loop",
            [limit, begins, "start", "n", "none"],
            ["", "", "last", "y"],
            body=helper.make_graph(body, "body", inputs, outputs),
        ),
        helper.make_node("Unsqueeze", ["last", "zero"], ["rows"]),
        helper.make_node("Concat", ["rows", "y"], ["all"], axis=0),
    ]
    weights = {"zeros": np.zeros(3, np.float32), "zero": np.array([0])}
    initial = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "main", [_value("x", _FLOAT, ["rows", 3])], [_value("all", _FLOAT)], initial)
    return helper.make_model(graph, opset_imports=_OPSET, ir_version=9)


def _counting(step: int = 1) -> list[Any]:
    return [_constant("one", np.int64(step)), helper.make_node("Add", ["at", "one"], ["next"])]


_ON = [helper.make_node("Identity", ["go"], ["on"])]
_FLOATS = [
    helper.make_node("Cast", ["next"], ["a"], to=_FLOAT),
    helper.make_node("Cast", ["end"], ["b"], to=_FLOAT),
    helper.make_node("Less", ["a", "b"], ["on"]),
]


def _compared(op: str, *operands: str) -> list[Any]:
    return [helper.make_node(op, operands, ["on"])]


MODELS: dict[str, tuple[Any, int, Callable[[int], int]]] = {
    "limit": (_model(_counting(), "n", "", _ON), 0, lambda n: n),
    "while": (_model(_counting(), "", "begin", _compared("Less", "next", "end")), 1, lambda n: n),
    "of floats": (_model(_counting(), "", "begin", _FLOATS), 1, lambda n: n),
    "turned": (_model(_counting(), "", "begin", _compared("Greater", "end", "next")), 1, lambda n: n),
    "steps of two": (_model(_counting(2), "", "begin", _compared("Less", "next", "end")), 1, lambda n: (n + 1) // 2),
    "up to": (_model(_counting(2), "", "begin", _compared("LessOrEqual", "next", "end")), 1, lambda n: n // 2 + 1),
    "from three on": (
        _model(_counting(), "", "begin", _compared("GreaterOrEqual", "end", "next"), 3),
        4,
        lambda n: n - 2,
    ),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_steps_that_a_dim_counts(name: str) -> None:
    """The last sum, and the product of each sum and its row."""
    model, least, steps = MODELS[name]
    compiled = mlc.compile(model, shapes={"rows": range(least, _MOST + 1)})
    for rows in range(least, _MOST + 1):
        x = np.random.default_rng(rows).standard_normal((rows, 3)).astype(np.float32)
        taken = x[: steps(rows)]
        sums = np.cumsum(taken, 0, dtype=np.float64)
        wanted = np.concatenate([sums[-1:] if len(taken) else np.zeros((1, 3)), sums * taken])
        np.testing.assert_allclose(compiled(x), wanted, rtol=1e-4, atol=1e-5, err_msg=f"{rows}")


_HALVED = [_constant("two", np.int64(2)), helper.make_node("Div", ["end", "two"], ["end2"])]
_DATA = [
    helper.make_node("ReduceSum", ["total"], ["all_of_it"], keepdims=0),
    _constant("limit", np.float32(100)),
    helper.make_node("Less", ["all_of_it", "limit"], ["on"]),
]
_BYTES = [
    helper.make_node("Cast", ["end"], ["small"], to=TensorProto.INT8),
    helper.make_node("Cast", ["small"], ["b"], to=_INT),
    helper.make_node("Less", ["next", "b"], ["on"]),
]


@pytest.mark.parametrize(
    "model",
    [
        _model(_counting(), "", "begin", [*_compared("Less", "next", "end"), *_HALVED], ends="end2"),
        _model(_counting(), "n", "", _DATA),
        _model(_counting(), "", "begin", _BYTES),
        _model(_counting(-1), "", "begin", _compared("Less", "next", "end")),
        _model([helper.make_node("Add", ["at", "end"], ["next"])], "", "begin", _compared("Less", "next", "end")),
    ],
    ids=["an end that moves", "a condition of data", "an end that may wrap", "down", "steps that a call gives"],
)
def test_other_numbers_of_steps_are_refused(model: Any) -> None:
    with pytest.raises(UserError, match="Loop"):
        mlc.compile(model, shapes={"rows": range(1, _MOST + 1)})


def test_sequences_are_turned_round() -> None:
    """Up to their lengths, in a batch of any size."""
    node = helper.make_node("ReverseSequence", ["x", "lengths"], ["y"], time_axis=0, batch_axis=1)
    given = [_value("x", _FLOAT, ["time", "batch", 2]), _value("lengths", _INT, ["batch"])]
    graph = helper.make_graph([node], "main", given, [_value("y", _FLOAT)])
    model = helper.make_model(graph, opset_imports=_OPSET, ir_version=9)
    compiled = mlc.compile(model, shapes={"time": range(1, 9), "batch": range(1, 5)})
    rng = np.random.default_rng(0)
    for time, batch in ((1, 1), (8, 4), (5, 3), (7, 2)):
        lengths = rng.integers(1, time + 1, batch)
        x = rng.standard_normal((time, batch, 2)).astype(np.float32)
        wanted = x.copy()
        for each, length in enumerate(lengths):
            wanted[:length, each] = x[:length, each][::-1]
        np.testing.assert_array_equal(compiled.run({"x": x, "lengths": lengths})["y"], wanted)
