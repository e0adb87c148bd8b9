"""Random numbers: compiled code has the bits of the reference, and what is made of them has its distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnx.helper
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseResourceAttr, bf16, f16, f32, f64, i32, i64
from xdsl.ir import Attribute

import mlc
from mlc.dialects import graph
from mlc.dialects.graph.types import tensor
from mlc.frontends.operators.random_numbers import Stream, places
from mlc.reference.graph import evaluate
from mlc.support.dtypes import is_float, to_numpy, unsigned
from mlc.tests.numeric.native_cases import Case, case, compile_and_check

Array = NDArray[Any]
Run = Callable[..., list[Array]]

_WORD, _PAIR = unsigned(i32), unsigned(i64)


def _bits(shape: Sequence[int], element: Attribute, key: Any = 7, low: Any = 0, high: Any = 0) -> Case:
    place = np.arange(math.prod(shape), dtype=np.uint64).reshape(tuple(shape))
    numbers = [np.asarray(n, np.uint64) for n in (key, low, high)]
    return case(graph.PhiloxOp, place, *numbers, element_type=element)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["native", "aarch64"])
def test_compiled_bits(target: str, run_compiled: Run) -> None:
    """Odd sizes, a key for each row, counters that carry, and no elements at all."""
    last = (1 << 64) - 1
    cases = [
        *(_bits(shape, _WORD) for shape in ((), (2, 0))),
        _bits((3, 7), _WORD, key=np.array([[1], [last], [0xA409382200000000]], np.uint64), high=5),
        _bits((11,), _PAIR, low=last - 1, high=last),
    ]
    compile_and_check(cases, run_compiled, target, one_kernel=False)


class _Writer:
    """Computes each op at once, as a frontend does with what is known."""

    def __init__(self) -> None:
        self.arrays: dict[Any, Array] = {}

    def __call__(self, op_type: Any, *arguments: Any, **options: Any) -> Any:
        op = op_type(*arguments, **options)
        op.verify()
        (self.arrays[op.result],) = evaluate(op, [self.arrays[v] for v in op.operands])
        return op.result

    def constant(self, data: Any, element: Any = None) -> Any:
        array = np.asarray(data).astype(to_numpy(element))
        resource = DenseResourceAttr.from_params("unread", tensor(array.shape, element))
        value = graph.ConstantOp(resource).result
        self.arrays[value] = array
        return value


@cache
def _drawn(kind: str, element: Attribute, key: int = 1, count: int = 40_000) -> Array:
    b = _Writer()
    return b.arrays[getattr(Stream(cast(Any, b), key), kind)((count // 8, 8), element)].astype(np.float64).reshape(-1)


def _distance(x: Array, distribution: Callable[[Array], Array]) -> float:
    """Of Kolmogorov and Smirnov, times the root of how many there are: below 1.95 in 999 of 1,000 cases."""
    x = np.sort(x)
    expected, n = distribution(x), x.size
    steps = np.arange(n + 1) / n
    return float(max(np.max(steps[1:] - expected), np.max(expected - steps[:-1])) * math.sqrt(n))


def _normal(x: Array) -> Array:
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


@pytest.mark.parametrize("element", [f32, f64, f16, bf16])
def test_uniform_floats(element: Attribute) -> None:
    x = _drawn("uniform", element)
    digits = {f32: 24, f64: 53, f16: 11, bf16: 8}[cast(Any, element)]
    assert x.min() >= 0 and x.max() <= 1 - 2.0**-digits
    assert np.array_equal(x * 2.0**digits % 1, np.zeros_like(x))  # all bits of a fraction are used, and none below
    assert len(set((x * 2.0**digits % 256).tolist())) == 256
    middle = (1 - 2.0**-digits) / 2
    assert abs(x.mean() - middle) < 4 * math.sqrt(1 / 12 / x.size)
    assert abs(x.var() - 1 / 12) < 4 * math.sqrt(1 / 180 / x.size)
    if digits > 11:
        assert _distance(x, lambda v: v) < 1.95
    pairs = np.histogram2d(x[:-1], x[1:], bins=8, range=((0, 1), (0, 1)))[0]
    expected = (x.size - 1) / 64
    assert ((pairs - expected) ** 2 / expected).sum() < 63 + 4 * math.sqrt(2 * 63)


@pytest.mark.parametrize("element", [f32, f64, f16, bf16])
def test_normal_floats(element: Attribute) -> None:
    x = _drawn("normal", element)
    n = x.size
    assert np.isfinite(x).all()
    assert abs(x.mean()) < 4 / math.sqrt(n)
    assert abs(x.var() - 1) < 4 * math.sqrt(2 / n)
    assert abs((x**3).mean()) < 4 * math.sqrt(15 / n)
    assert abs((x**4).mean() - 3) < 4 * math.sqrt(96 / n)
    assert abs((x[:-1] * x[1:]).mean()) < 4 / math.sqrt(n)
    assert 3.5 < np.abs(x).max() < 6
    if element in (f32, f64):
        assert _distance(x, _normal) < 1.95


def test_keys_and_streams_are_independent() -> None:
    x, y = _drawn("uniform", f32, 1), _drawn("uniform", f32, 2)
    assert abs(np.corrcoef(x, y)[0, 1]) < 4 / math.sqrt(x.size)


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_truth_values(p: float) -> None:
    b = _Writer()
    found = b.arrays[Stream(cast(Any, b), 3).bernoulli(b.constant(p, f32), (100, 100))]
    assert found.dtype == np.bool_
    assert abs(found.mean() - p) <= 4 * math.sqrt(p * (1 - p) / found.size)


@pytest.mark.parametrize(
    "shape", [(), (5,), (0,), (4097,), (70_001,), (1, 70_001), (3, 0, 5), (90, 91), (2, 1, 66_000)]
)
def test_places(shape: tuple[int, ...]) -> None:
    b = _Writer()
    found = b.arrays[places(cast(Any, b), shape)]
    assert found.dtype == np.uint64
    assert np.array_equal(found, np.arange(math.prod(shape), dtype=np.uint64).reshape(shape))


# ---- models of ONNX


def _model(nodes: list[tuple[str, list[str], int, dict[str, Any]]], inputs: dict[str, Array], folder: Path) -> Any:
    """The compiled model of these nodes, whose results are y0, y1, …; a node may have several."""
    helper = cast(Any, onnx.helper)
    made: list[Any] = []
    names: list[str] = []
    for op, ins, count, options in nodes:
        outs = [f"y{len(names) + i}" for i in range(count)]
        names += outs
        made.append(helper.make_node(op, ins, outs, **options))
    kinds = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in inputs.items()}
    given = [helper.make_tensor_value_info(n, kinds[n], a.shape) for n, a in inputs.items()]
    data = [
        onnx.numpy_helper.from_array(np.array(v), n)
        for n, v in (("yes", True), ("quarter", np.float32(0.25)), ("zero", np.float32(0)))
    ]
    results = [helper.make_empty_tensor_value_info(n) for n in names]
    model = helper.make_model(
        helper.make_graph(made, "m", given, results, data),
        opset_imports=[helper.make_opsetid("", 22)],
        ir_version=10,
    )
    cast(Any, onnx).save(model, str(folder / "model.onnx"))
    return mlc.compile(folder / "model.onnx")


def test_nodes_of_onnx(tmp_path: Path) -> None:
    """Same numbers for the same seed, and each time; others for nodes without a seed."""
    x, p = np.ones((50, 80), np.float32), np.full((50, 80), 0.3, np.float32)
    like = {"low": -2.0, "high": 3.0}
    found = _model(
        [
            ("RandomUniformLike", ["x"], 1, like),
            ("RandomUniformLike", ["x"], 1, like),
            ("RandomUniform", [], 1, {"shape": [20, 50], "seed": 5.0}),
            ("RandomUniform", [], 1, {"shape": [20, 50], "seed": 5.0}),
            ("RandomNormal", [], 1, {"shape": [50, 80], "mean": 3.0, "scale": 0.5}),
            ("RandomNormalLike", ["x"], 1, {"dtype": 11, "seed": 1.0}),
            ("RandomUniform", [], 1, {"shape": [3, 0, 4], "dtype": 10}),
            ("Bernoulli", ["p"], 1, {"dtype": 7}),
            ("Dropout", ["x", "quarter", "yes"], 2, {}),
            ("Dropout", ["x", "zero", "yes"], 2, {}),
        ],
        {"x": x, "p": p},
        tmp_path,
    )
    y = found.run({"x": x, "p": p})
    again = found.run({"x": x, "p": p})
    assert all(np.array_equal(y[n], again[n]) for n in y)
    assert y["y0"].dtype == np.float32 and y["y0"].min() >= -2 and y["y0"].max() < 3
    assert _distance((y["y0"].reshape(-1).astype(np.float64) + 2) / 5, lambda v: v) < 1.95
    assert np.mean(y["y0"] == y["y1"]) < 0.01
    assert np.array_equal(y["y2"], y["y3"])
    assert _distance((y["y4"].reshape(-1).astype(np.float64) - 3) * 2, _normal) < 1.95
    assert y["y5"].dtype == np.float64 and abs(y["y5"].var() - 1) < 4 * math.sqrt(2 / x.size)
    assert y["y6"].shape == (3, 0, 4) and y["y6"].dtype == np.float16
    assert y["y7"].dtype == np.int64 and set(y["y7"].reshape(-1).tolist()) == {0, 1}
    assert abs(y["y7"].mean() - 0.3) < 4 * math.sqrt(0.21 / p.size)
    assert y["y9"].dtype == np.bool_ and abs(y["y9"].mean() - 0.75) < 4 * math.sqrt(0.1875 / x.size)
    assert np.array_equal(y["y8"], np.where(y["y9"], np.float32(1) / np.float32(0.75), np.float32(0)))
    assert np.array_equal(y["y10"], x) and y["y11"].all()


@pytest.mark.slow
def test_many_numbers_are_computed_and_not_stored(tmp_path: Path) -> None:
    y = _model(
        [
            ("RandomUniform", [], 1, {"shape": [300_001]}),
            ("RandomNormal", [], 1, {"shape": [600, 500], "mean": 3.0, "scale": 0.5}),
            ("RandomNormal", [], 1, {"shape": [600, 500], "dtype": 11}),
        ],
        {},
        tmp_path,
    ).run({})
    b = _Writer()
    for name, stream, kind, shape, element in (
        ("y0", 1, "uniform", (300_001,), f32),
        ("y1", 2, "normal", (600, 500), f32),
        ("y2", 3, "normal", (600, 500), f64),
    ):
        expected = b.arrays[getattr(Stream(cast(Any, b), stream << 32), kind)(shape, element)]
        if name == "y1":
            expected = expected * np.float32(0.5) + np.float32(3)
        np.testing.assert_allclose(y[name], expected, rtol=0 if kind == "uniform" else 1e-5, atol=1e-6 * (name == "y1"))
    assert (tmp_path / "model.onnx").stat().st_size < 1000


def test_multinomial(tmp_path: Path) -> None:
    """Classes in proportion to their weights; one without a weight is never drawn, and one alone always."""
    weights = np.array([[1, 0, 2, 5, 0], [0, 0, 0, 3, 0]], np.float32)
    with np.errstate(divide="ignore"):
        x = np.log(weights) + 50
    samples = 20_000
    y = _model([("Multinomial", ["x"], 1, {"sample_size": samples, "dtype": 6})], {"x": x}, tmp_path).run({"x": x})[
        "y0"
    ]
    assert y.shape == (2, samples) and y.dtype == np.int32
    for row, weight in zip(y, weights / weights.sum(1, keepdims=True), strict=True):
        counts = np.bincount(row, minlength=5) / samples
        assert (np.abs(counts - weight) <= 4 * np.sqrt(weight * (1 - weight) / samples)).all()


@pytest.mark.parametrize("element", [f32, f64, f16])
def test_uniform_never_reaches_its_limit(element: Attribute, tmp_path: Path) -> None:
    """A sum with a `low` that is large against the width is rounded, up to `high` in places."""
    number = {f32: 1, f64: 11, f16: 10}[cast(Any, element)]
    assert is_float(to_numpy(element))
    options = {"shape": [64, 64], "low": 100.0, "high": 100.25, "dtype": number}
    y = _model([("RandomUniform", [], 1, options)], {}, tmp_path).run({})["y0"]
    assert y.dtype == to_numpy(element) and y.min() >= 100 and y.max() < 100.25
