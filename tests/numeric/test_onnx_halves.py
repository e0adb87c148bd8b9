"""Operators of f16 and bf16 round once: beside ONNX Runtime in f32, on numbers whose parts overflow in 16 bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
import onnx
import onnx.helper
import pytest
from numpy.typing import NDArray

from mlc.compiler.compilation import new_context
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function

ort: Any = pytest.importorskip("onnxruntime")
h: Any = onnx.helper
Array = NDArray[Any]
HALVES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}
IMAGE = (1, 4, 6, 6)
CASES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "l2": ("ReduceL2", ((4, 16),), {}),
    "log sum": ("ReduceLogSum", ((4, 16),), {}),
    "log sum exp": ("ReduceLogSumExp", ((4, 16),), {}),
    "log softmax": ("LogSoftmax", ((4, 16),), {}),
    "lp norm": ("LpNormalization", ((4, 16),), {"p": 2}),
    "l1 norm": ("LpNormalization", ((4, 1024),), {"p": 1}),
    "lrn": ("LRN", (IMAGE,), {"size": 3, "alpha": 1e-3}),
    "mvn": ("MeanVarianceNormalization", (IMAGE,), {}),
    "lp pool": ("LpPool", (IMAGE,), {"kernel_shape": [2, 2]}),
    "global lp pool": ("GlobalLpPool", (IMAGE,), {}),
    "mean": ("Mean", ((64,), (64,), (64,)), {}),
    "sum": ("Sum", ((64,), (64,), (64,)), {}),
    "pow": ("Pow", ((64,), [3.0]), {}),
    "celu": ("Celu", ((64,),), {"alpha": 0.3}),
    "selu": ("Selu", ((64,),), {}),
    "elu": ("Elu", ((64,),), {"alpha": 0.3}),
    "mish": ("Mish", ((64,),), {}),
    "softplus": ("Softplus", ((64,),), {}),
    "softsign": ("Softsign", ((64,),), {}),
    "hard sigmoid": ("HardSigmoid", ((64,),), {"alpha": 0.003}),
    "hard swish": ("HardSwish", ((64,),), {}),
    "leaky": ("LeakyRelu", ((64,),), {"alpha": 0.3}),
    "prelu": ("PRelu", ((64,), (64,)), {}),
    "shrink": ("Shrink", ((64,),), {"lambd": 0.3, "bias": 0.7}),
    "gemm": ("Gemm", ((4, 16), (16, 4), (4,)), {"alpha": 1e-3, "beta": 0.3}),
    "einsum": ("Einsum", ((4, 3), (3, 5), [[1e-4], [2e-4], [3e-4], [4e-4], [5e-4]]), {"equation": "ab,bc,cd->ad"}),
    "running sum": ("CumSum", ((64,), np.array(0)), {}),
    "det": ("Det", ((3, 3),), {}),
    "resize": ("Resize", (IMAGE, None, [1.0, 1.0, 1.7, 1.7]), {"mode": "cubic"}),
    "grid sample": ("GridSample", (IMAGE, np.linspace(-1, 1, 18).reshape(1, 3, 3, 2)), {}),
    "attention": ("Attention", ((1, 2, 5, 8), (1, 2, 5, 8), (1, 2, 5, 8)), {}),
    "rnn": ("RNN", ((3, 1, 4), (1, 4, 4), (1, 4, 4)), {"hidden_size": 4}),
    "gru": ("GRU", ((3, 1, 4), (1, 12, 4), (1, 12, 4)), {"hidden_size": 4}),
    "lstm": ("LSTM", ((3, 1, 4), (1, 16, 4), (1, 16, 4)), {"hidden_size": 4}),
}  # fmt: skip
"""An operator, its operands, drawn where they are shapes, and its attributes."""
SMALL = {"pow": 8.0, "prelu": 50.0, "det": 20.0, "rnn": 0.5, "gru": 0.5, "lstm": 0.5}
"""How large what is drawn is, where that is not 300: results have to fit."""


CONSTANTS = {("Resize", 2), ("CumSum", 1)}
"""The operands that a model knows."""


def _model(op: str, inputs: list[Array | None], options: dict[str, Any], half: np.dtype[Any] | None = None) -> bytes:
    """A model of one node, of f32 or of half as many bits."""
    given: list[Any] = []
    constants: list[Any] = []
    for number, array in enumerate(inputs):
        if array is None:
            continue
        dtype = half if half is not None and array.dtype == np.float32 else array.dtype
        kind = h.np_dtype_to_tensor_dtype(dtype)
        if (op, number) in CONSTANTS:
            constants.append(onnx.numpy_helper.from_array(array, f"x{number}"))
        else:
            given.append(h.make_tensor_value_info(f"x{number}", kind, array.shape))
    node = h.make_node(op, ["" if a is None else f"x{i}" for i, a in enumerate(inputs)], ["y"], **options)
    graph = h.make_graph([node], "m", given, [h.make_empty_tensor_value_info("y")], constants)
    version = 23 if op == "Attention" else 21
    return h.make_model(graph, opset_imports=[h.make_opsetid("", version)], ir_version=10).SerializeToString()


def _operand(rng: Any, name: str, number: int, operand: Any, half: np.dtype[Any]) -> Array | None:
    """An operand, of numbers that there are in 16 bits."""
    if isinstance(operand, tuple):
        drawn = rng.standard_normal(operand) * SMALL.get(name, 300.0)
        operand = np.abs(drawn) if name.startswith("log sum") else drawn
    array = None if operand is None else np.asarray(operand)
    if array is None or array.dtype.kind == "i":
        return array
    is_known = (CASES[name][0], number) in CONSTANTS
    return (array if is_known else array.astype(half)).astype(np.float32)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", CASES)
def test_rounds_once(name: str, half: str, tmp_path: Path):
    op, operands, options = CASES[name]
    rng, dtype = np.random.default_rng(len(name)), HALVES[half]
    inputs = [_operand(rng, name, number, operand, dtype) for number, operand in enumerate(operands)]
    given = {f"x{i}": a for i, a in enumerate(inputs) if a is not None and (op, i) not in CONSTANTS}
    session = ort.InferenceSession(_model(op, inputs, options), providers=["CPUExecutionProvider"])
    wanted = np.asarray(session.run(None, given)[0])

    (tmp_path / "model.onnx").write_bytes(_model(op, inputs, options, dtype))
    ctx = new_context()
    module = read_onnx(tmp_path / "model.onnx", ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    halves = [a.astype(dtype) for a in given.values()]
    (found,) = run_function(module, "main", halves, ctx.resources)
    assert found.dtype == dtype and np.all(np.isfinite(wanted))
    limits = cast(Any, ml_dtypes.finfo(dtype))
    rtol, atol = float(limits.eps) * 0.51, float(limits.smallest_normal) * 2
    np.testing.assert_allclose(found.astype(np.float32), wanted, rtol=rtol, atol=atol)
