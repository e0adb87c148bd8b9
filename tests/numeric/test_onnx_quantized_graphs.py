"""Random models of quantised numbers, native, beside intervals of f64 and beside ONNX Runtime.

A model has one to five operators between DequantizeLinear and QuantizeLinear: convolutions in groups, by channel, with
dilations and uneven padding, transposed ones, products with scales and zero points by column, sums of integers,
residuals, concatenations, pools, moves, functions, normalisation; or the fused operators of ONNX and of the runtime.
Numbers are of 8 and 16 bits, with and without sign, zero points at both ends, scales from subnormal to huge.
"""

# The package onnx has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from tests.numeric.quantized_onnx import Interval, Model, random_model
from tests.numeric.quantized_onnx_steps import STEPS
from tests.onnx_runtime import saturates, session

onnx: Any = pytest.importorskip("onnx")
runtime: Any = pytest.importorskip("onnxruntime")
h: Any = onnx.helper
Array = NDArray[Any]
_CHUNK = 10


def _drawn(seed: int, folder: Path) -> tuple[Model, Path]:
    m = random_model(seed, h, STEPS)
    kind = h.np_dtype_to_tensor_dtype
    graph = h.make_graph(
        m.nodes,
        "model",
        [h.make_tensor_value_info(n, kind(a.dtype), a.shape) for n, a in m.inputs.items()],
        [h.make_value_info(name, onnx.TypeProto()) for name in m.outputs],
        [onnx.numpy_helper.from_array(a, n) for n, a in m.data.items()],
    )
    opsets = [h.make_opsetid("", 22), h.make_opsetid("com.microsoft", 1)]
    path = folder / f"model{seed}.onnx"
    path.write_bytes(h.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())
    return m, path


def _by_runtime(path: Path, m: Model) -> list[Array] | None:
    """The results; None if the runtime refuses the model, as it does pools whose scales are far apart, or is wrong."""
    if saturates():
        return None
    try:
        return session(str(path), is_optimized=False).run(list(m.outputs), m.inputs)
    except runtime.capi.onnxruntime_pybind11_state.RuntimeException:
        return None


def _outside(found: Array, wanted: Interval) -> int:
    """How many integers are not between what both bounds say."""
    numbers = found.astype(np.float64)
    assert numbers.shape == wanted.low.shape
    return int(np.count_nonzero((numbers < wanted.low) | (numbers > wanted.high)))


def _check(seed: int, folder: Path) -> None:
    m, path = _drawn(seed, folder)
    found = mlc.compile(path).run(m.inputs)
    beside = _by_runtime(path, m) or list(found.values())
    for (name, wanted), other in zip(m.outputs.items(), beside, strict=True):
        assert found[name].dtype == other.dtype
        assert _outside(found[name], wanted) == 0, f"seed {seed}, {name}"
        assert _outside(other, wanted) == 0, f"seed {seed}, {name} of ONNX Runtime"


@pytest.mark.parametrize("seed", [1, 2, 3, 5, 8, 13])
def test_a_few(seed: int, tmp_path: Path) -> None:
    _check(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.sampled(50)
@pytest.mark.parametrize("chunk", range(1000 // _CHUNK))
def test_a_thousand(chunk: int, tmp_path: Path) -> None:
    for seed in range(chunk * _CHUNK, (chunk + 1) * _CHUNK):
        _check(seed, tmp_path)


def test_all_operators_are_drawn_and_most_numbers_are_sure() -> None:
    operators, sure, numbers = Counter[str](), 0, 0
    for seed in range(300):
        m = random_model(seed, h, STEPS)
        operators.update({node.op_type for node in m.nodes})
        for each in m.outputs.values():
            sure += int(np.count_nonzero(each.low == each.high))
            numbers += each.low.size
    wanted = {
        "Conv", "ConvTranspose", "MatMul", "Gemm", "MatMulInteger", "DynamicQuantizeLinear", "ConvInteger", "Add",
        "Mul", "Concat", "MaxPool", "AveragePool", "GlobalAveragePool", "Resize", "Transpose", "Reshape", "Slice",
        "Gather", "Split", "Relu", "Clip", "Sigmoid", "HardSwish", "Softmax", "LayerNormalization", "QLinearConv",
        "QLinearMatMul", "QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearGlobalAveragePool",
    }  # fmt: skip
    assert wanted <= set(operators)
    assert sure > 0.8 * numbers
