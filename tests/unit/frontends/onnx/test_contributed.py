"""Operators of ONNX Runtime's own domain: what they become at the graph level computes what the runtime computes."""

# The package onnx has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.compiler.compilation import new_context
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function
from mlc.tests.onnx_runtime import saturates
from mlc.tests.unit.frontends.onnx.contributed_blocks import BLOCKS, QUANTIZED_LAYERS
from mlc.tests.unit.frontends.onnx.contributed_cases import QUANTIZED, bytes_of, scale, zero
from mlc.tests.unit.frontends.onnx.contributed_fused import ATTENTION, FUSED
from mlc.tests.unit.frontends.onnx.operator_cases import Array, Case, Known, floats

onnx: Any = pytest.importorskip("onnx")
runtime: Any = pytest.importorskip("onnxruntime")
h: Any = onnx.helper
_DOMAIN = "com.microsoft"
_OPTIONS = ("results", "domain", "share", "near", "compared")
"""What stands among the attributes of a case: names of results, the domain, the share of numbers that may be a step
apart, how near floats have to be, how many results count."""


def model_of(case: Case) -> tuple[bytes, dict[str, Array]]:
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


def by_runtime(model: bytes, given: dict[str, Array]) -> list[Array]:
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # some operators have a scale for each thread's part
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, given)


@contextmanager
def _beside_runtime(case: Case) -> Generator[None]:
    """A difference is no failure where the runtime may be wrong: where it saturates, and operands are bytes."""
    try:
        yield
    except AssertionError:
        operands = [o.data if isinstance(o, Known) else o for o in case[1]]
        if saturates() and any(np.asarray(o).dtype.name in ("int8", "uint8") for o in operands if o is not None):
            pytest.skip("ONNX Runtime saturates sums of two products of bytes on this CPU")
        raise


def _cases(cases: list[Case]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=[f"{i}: {case[0]}" for i, case in enumerate(cases)])


@_cases(QUANTIZED)
def test_quantized(case: Case, tmp_path: Path) -> None:
    """Within one step; the runtime has ties, and the last bit of scales, in other places."""
    model, given = model_of(case)
    found = _found(model, list(given.values()), tmp_path)
    with _beside_runtime(case):
        for one, other in zip(found, by_runtime(model, given), strict=True):
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
        model, given = model_of((op, operands, how.get(op, {})))
        results += _found(model, list(given.values()), tmp_path)
    assert results[0].dtype == kind and len(np.unique(results[0])) > 3
    np.testing.assert_array_equal(results[0], results[1])


@_cases([*FUSED, *ATTENTION, *BLOCKS, *QUANTIZED_LAYERS])
def test_floats(case: Case, tmp_path: Path) -> None:
    model, given = model_of(case)
    found = _found(model, list(given.values()), tmp_path)
    near = case[2].get("near", 1e-5)
    pairs = list(zip(found, by_runtime(model, given), strict=True))
    with _beside_runtime(case):
        for one, other in pairs[: case[2].get("compared")]:
            assert one.dtype == other.dtype and one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=near, atol=near)


def _alone(op: str, operands: list[Any], folder: Path, **attributes: Any) -> Array:
    """The result of a node that the runtime refuses on a CPU."""
    model, given = model_of((op, operands, attributes))
    return _found(model, list(given.values()), folder)[0]


def test_sums_with_a_bias(tmp_path: Path) -> None:
    x, bias, skip = floats(2, 5, 8), floats(8, seed=1), floats(2, 5, 8, seed=2)
    np.testing.assert_allclose(_alone("BiasAdd", [x, bias, skip], tmp_path), x + bias + skip, rtol=1e-6)
    found = _alone("BiasSplitGelu", [x, bias], tmp_path)
    left, right = np.split(x + bias, 2, 2)
    np.testing.assert_allclose(found, left * right * (1 + np.vectorize(erf)(right / sqrt(2))) / 2, rtol=1e-4, atol=1e-6)


def test_convolutions_with_channels_last(tmp_path: Path) -> None:
    """As those with channels first."""
    x, w, z = floats(2, 4, 6, 5), Known(floats(6, 2, 3, 2, seed=1)), floats(2, 6, 3, 5)
    how: dict[str, Any] = {"group": 2, "pads": [1, 0, 1, 1], "strides": [2, 1], "activation": "Relu"}
    wanted = _alone("FusedConv", [x, w, None, z], tmp_path, **how)
    last = [np.ascontiguousarray(np.moveaxis(each, 1, -1)) for each in (x, z)]
    found = _alone("NhwcFusedConv", [last[0], w, None, last[1]], tmp_path, **how)
    np.testing.assert_allclose(np.moveaxis(found, -1, 1), wanted, rtol=1e-6)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("packed", ["constant", "data"])
def test_blocks_in_an_order(packed: str, bits: int, tmp_path: Path) -> None:
    """The runtime has an order of columns for four bits without zero points only. Rows, whose blocks are not those of
    the weights then, are not rounded."""
    rng = np.random.default_rng(0)
    b, scales = bytes_of("uint8", 5, 3, 4 * bits), floats(5, 3)
    zeros, order = bytes_of("uint8", 5, -(-3 * bits // 8), seed=1), rng.integers(0, 3, 90).astype(np.int32)
    x = floats(7, 90, seed=2)
    operands: list[Any] = [x, b, scales, zeros, order]
    if packed == "constant":
        operands[1:] = [Known(each) for each in operands[1:]]
    found = _alone("MatMulNBits", operands, tmp_path, K=90, N=5, bits=bits, block_size=32, accuracy_level=4)

    def numbers(data: Array) -> Array:
        digits = np.unpackbits(data.reshape(5, -1), axis=1, bitorder="little").reshape(5, -1, bits)
        return digits @ (1 << np.arange(bits))

    wanted = (numbers(b)[:, :90] - numbers(zeros)[:, order]) * scales[:, order]
    np.testing.assert_allclose(found, x @ wanted.T.astype(np.float64), rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


def test_packed_heads(tmp_path: Path) -> None:
    """As those that are apart."""
    q, k, v = floats(2, 5, 2, 4), floats(2, 5, 2, 4, seed=1), floats(2, 5, 2, 4, seed=2)
    flat = [x.reshape(2, 5, 8) for x in (q, k, v)]
    wanted = _alone("MultiHeadAttention", flat, tmp_path, num_heads=2)
    all_three = _alone("MultiHeadAttention", [np.stack([q, k, v], 3)], tmp_path, num_heads=2)
    two = _alone("MultiHeadAttention", [flat[0], np.stack([k, v], 3)], tmp_path, num_heads=2)
    np.testing.assert_allclose(all_three, wanted, rtol=1e-6)
    np.testing.assert_allclose(two, wanted, rtol=1e-6)


@pytest.mark.parametrize("axes, keepdims", [([1], 1), ([-1, 0], 0)])
def test_means_of_quantized_numbers(axes: list[int], keepdims: int, tmp_path: Path) -> None:
    """Not every version of the runtime has this operator."""
    x = bytes_of("uint8", 3, 5, 7)
    case: Case = (
        "QLinearReduceMean",
        [x, scale(0.04), zero(131, "uint8"), scale(0.02), zero(7, "uint8")],
        {"axes": axes, "keepdims": keepdims},
    )
    model, given = model_of(case)
    (found,) = _found(model, list(given.values()), tmp_path)
    means = (x.astype(np.float64) - 131).mean(tuple(axes), keepdims=bool(keepdims)) * 2 + 7
    assert found.dtype == np.uint8 and found.shape == means.shape
    assert np.abs(found - np.clip(means, 0, 255)).max() <= 0.5001
