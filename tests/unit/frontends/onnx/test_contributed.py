"""Operators of ONNX Runtime's own domain: what they become at the graph level computes what the runtime computes."""

# The package onnx has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.compiler.compilation import new_context
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function
from mlc.tests.unit.frontends.onnx.contributed_cases import QUANTIZED, bytes_of, scale, zero
from mlc.tests.unit.frontends.onnx.operator_cases import Array, Case, Known

onnx: Any = pytest.importorskip("onnx")
runtime: Any = pytest.importorskip("onnxruntime")
h: Any = onnx.helper
_DOMAIN = "com.microsoft"
_OPTIONS = ("results", "domain", "share")
"""What stands among the attributes of a case: names of results, the domain, how many numbers may be a step apart."""


def _model(case: Case) -> tuple[bytes, dict[str, Array]]:
    """The model, and its inputs by their names."""
    op, operands, options = case
    attributes = {name: value for name, value in options.items() if name not in _OPTIONS}
    names = ["" if operand is None else f"x{i}" for i, operand in enumerate(operands)]
    given = {n: o for n, o in zip(names, operands, strict=True) if o is not None and not isinstance(o, Known)}
    known = {n: o.data for n, o in zip(names, operands, strict=True) if isinstance(o, Known)}
    results = options.get("results", ["y"])
    kind = h.np_dtype_to_tensor_dtype
    node = h.make_node(op, names, results, domain=options.get("domain", _DOMAIN), **attributes)
    graph = h.make_graph(
        [node],
        "node",
        [h.make_tensor_value_info(name, kind(a.dtype), a.shape) for name, a in given.items()],
        [h.make_empty_tensor_value_info(name) for name in results if name],
        [onnx.numpy_helper.from_array(np.asarray(data), name) for name, data in known.items()],
    )
    opsets = [h.make_opsetid("", 16), h.make_opsetid(_DOMAIN, 1)]
    return h.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString(), given


def _found(model: bytes, inputs: list[Array], folder: Path) -> list[Array]:
    """What the graph level computes."""
    (folder / "model.onnx").write_bytes(model)
    ctx = new_context()
    module = read_onnx(folder / "model.onnx", ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    return run_function(module, "main", inputs, ctx.resources)


def _by_runtime(model: bytes, given: dict[str, Array]) -> list[Array]:
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, given)


def _cases(cases: list[Case]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=[f"{i}: {case[0]}" for i, case in enumerate(cases)])


@_cases(QUANTIZED)
def test_quantized(case: Case, tmp_path: Path) -> None:
    """Within one step; the runtime has ties, and the last bit of scales, in other places."""
    model, given = _model(case)
    found = _found(model, list(given.values()), tmp_path)
    for one, other in zip(found, _by_runtime(model, given), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
        else:
            apart = np.abs(one.astype(np.int64) - other.astype(np.int64))
            assert apart.max() <= 1 and (apart > 0).mean() <= case[2].get("share", 0.03)


@pytest.mark.parametrize("kind", ["uint8", "int8"])
@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul", "QLinearAveragePool", "QLinearReduceMean"])
def test_zero_points_that_are_left_out(op: str, kind: str, tmp_path: Path) -> None:
    """They are 0; the runtime refuses nodes with such a gap."""
    x, y, point = bytes_of(kind, 1, 3, 5), bytes_of(kind, 3, 1, seed=1), zero(0, kind)
    many = op in ("QLinearAdd", "QLinearMul")
    how: dict[str, Any] = {
        "QLinearAveragePool": {"kernel_shape": [2]},
        "QLinearReduceMean": {"axes": [1], "keepdims": 0},
    }
    results: list[Array] = []
    for z in (None, point):
        operands = [x, scale(0.02), z, *([y, scale(0.01), z] if many else []), scale(0.03), z]
        model, given = _model((op, operands, how.get(op, {})))
        results += _found(model, list(given.values()), tmp_path)
    assert results[0].dtype == kind and np.ptp(results[0]) > 5
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("axes, keepdims", [([1], 1), ([-1, 0], 0)])
def test_means_of_quantized_numbers(axes: list[int], keepdims: int, tmp_path: Path) -> None:
    """Not every version of the runtime has this operator."""
    x = bytes_of("uint8", 3, 5, 7)
    case: Case = (
        "QLinearReduceMean",
        [x, scale(0.04), zero(131, "uint8"), scale(0.02), zero(7, "uint8")],
        {"axes": axes, "keepdims": keepdims},
    )
    model, given = _model(case)
    (found,) = _found(model, list(given.values()), tmp_path)
    means = (x.astype(np.float64) - 131).mean(tuple(axes), keepdims=bool(keepdims)) * 2 + 7
    assert found.dtype == np.uint8 and found.shape == means.shape
    assert np.abs(found - np.clip(means, 0, 255)).max() <= 0.5001
