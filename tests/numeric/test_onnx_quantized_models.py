"""Models as ONNX Runtime's own tools quantise and optimise them, compiled, beside the runtime."""

# The package onnx has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from tests.onnx_runtime import saturates, session

onnx: Any = pytest.importorskip("onnx")
runtime: Any = pytest.importorskip("onnxruntime")
quantization: Any = pytest.importorskip("onnxruntime.quantization")
h: Any = onnx.helper
Array = NDArray[Any]

_BYTE, _SIGNED, _SHORT, _HALF_BYTE = (quantization.QuantType[name] for name in ("QUInt8", "QInt8", "QUInt16", "QInt4"))
_OPERATORS, _PAIRS = quantization.QuantFormat.QOperator, quantization.QuantFormat.QDQ
_CONTRIBUTED = {"UseQDQContribOps": True}
_IMAGES = (2, 3, 9, 11)


class _Images(quantization.CalibrationDataReader):
    """What ranges are measured on."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self._left: Iterator[Array] = iter([rng.standard_normal(_IMAGES).astype(np.float32) for _ in range(4)])

    def get_next(self) -> dict[str, Array] | None:
        """The next inputs; None behind the last ones."""
        image = next(self._left, None)
        return None if image is None else {"x": image}


def _weights(*shape: int, seed: int = 0) -> Array:
    return (np.random.default_rng(seed).standard_normal(shape) * 0.4).astype(np.float32)


def _saved(folder: Path, nodes: list[Any], data: dict[str, Array], inputs: dict[str, tuple[int | str, ...]]) -> Path:
    kind = onnx.TensorProto.FLOAT
    given = [h.make_tensor_value_info(name, kind, shape) for name, shape in inputs.items()]
    weights = [onnx.numpy_helper.from_array(each, name) for name, each in data.items()]
    graph = h.make_graph(nodes, "model", given, [h.make_tensor_value_info("y", kind, None)], weights)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=9), folder / "model.onnx")
    return folder / "model.onnx"


def _network(folder: Path) -> Path:
    """Convolutions, pooling and activations of all kinds that the quantiser knows."""
    nodes = [
        h.make_node("Conv", ["x", "w0", "b0"], ["c0"], pads=[1] * 4),
        h.make_node("Relu", ["c0"], ["r0"]),
        h.make_node("Conv", ["r0", "w1"], ["c1"], pads=[1] * 4, strides=[2, 2], group=2),
        h.make_node("LeakyRelu", ["c1"], ["l1"], alpha=0.2),
        h.make_node("Conv", ["r0", "w2"], ["c2"], strides=[2, 2]),
        h.make_node("Add", ["l1", "c2"], ["s"]),
        h.make_node("AveragePool", ["s"], ["p"], kernel_shape=[3, 3], pads=[1] * 4),
        h.make_node("MaxPool", ["s"], ["m"], kernel_shape=[3, 3], pads=[1] * 4),
        h.make_node("Sigmoid", ["m"], ["g"]),
        h.make_node("Mul", ["p", "g"], ["n"]),
        h.make_node("Concat", ["n", "s"], ["k"], axis=1),
        h.make_node("GlobalAveragePool", ["k"], ["a"]),
        h.make_node("Flatten", ["a"], ["f"]),
        h.make_node("Gemm", ["f", "w3", "b3"], ["e"], transB=1),
        h.make_node("Relu", ["e"], ["d"]),
        h.make_node("MatMul", ["d", "w4"], ["y"]),
    ]
    data = {
        "w0": _weights(6, 3, 3, 3), "b0": _weights(6), "w1": _weights(6, 3, 3, 3, seed=1),
        "w2": _weights(6, 6, 1, 1, seed=2), "w3": _weights(9, 12), "b3": _weights(9), "w4": _weights(9, 5),
    }  # fmt: skip
    return _saved(folder, nodes, data, {"x": _IMAGES})


def _operators(path: Path) -> set[str]:
    return {node.op_type for node in onnx.load(path).graph.node}


def _agree(path: Path, inputs: dict[str, Array], steps: float = 0) -> None:
    """All outputs of a model; those of integers in disguise may be some steps apart, which are parts of their range.

    Where the runtime saturates, they may be those of the model that it makes of this one to be exact.
    """
    found = list(mlc.compile(path).run(inputs).values())
    wanted = session(str(path), is_optimized=False).run(None, inputs)
    if saturates() and not all(map(partial(_is_near, steps), found, wanted)):
        wanted = session(str(path)).run(None, inputs)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape and np.abs(other).max() > 0.1
        assert _is_near(steps, one, other), f"found {one}, required {other}"


def _is_near(steps: float, one: Array, other: Array) -> bool:
    return np.allclose(one, other, rtol=1e-4, atol=1e-5 + steps * float(np.ptp(other)) / 255)


def _image() -> dict[str, Array]:
    return {"x": np.random.default_rng(7).standard_normal(_IMAGES).astype(np.float32)}


@pytest.mark.parametrize(
    "format, how",
    [
        (_OPERATORS, {"per_channel": True, "activation_type": _BYTE, "weight_type": _SIGNED}),
        (_PAIRS, {"activation_type": _BYTE, "weight_type": _HALF_BYTE}),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (_OPERATORS, {"reduce_range": True, "activation_type": _SIGNED, "weight_type": _SIGNED}),
                (_OPERATORS, {"activation_type": _BYTE, "weight_type": _BYTE}),
                (_PAIRS, {"per_channel": True, "activation_type": _SIGNED, "weight_type": _SIGNED}),
                (_PAIRS, {"reduce_range": True, "activation_type": _BYTE, "weight_type": _BYTE}),
                (_PAIRS, {"activation_type": _SHORT, "weight_type": _SIGNED}),
                (_PAIRS, {"activation_type": _SHORT, "weight_type": _SIGNED, "extra_options": _CONTRIBUTED}),
            )
        ),
    ],
)
def test_static_quantization(format: Any, how: dict[str, Any], tmp_path: Path) -> None:
    """Within two steps: the last product sums what may be a step apart."""
    path = tmp_path / "quantized.onnx"
    quantization.quantize_static(_network(tmp_path), path, _Images(), quant_format=format, **how)
    if format == _OPERATORS:
        assert {"QLinearAdd", "QLinearConv", "QLinearAveragePool", "QLinearConcat", "QGemm"} <= _operators(path)
    _agree(path, _image(), 2)


@pytest.mark.parametrize("kind", [_BYTE, pytest.param(_SIGNED, marks=pytest.mark.slow)])
def test_pairs_that_the_runtime_fused(kind: Any, tmp_path: Path) -> None:
    """A session writes what it makes of pairs of QuantizeLinear and DequantizeLinear."""
    pairs, path = tmp_path / "pairs.onnx", tmp_path / "fused.onnx"
    quantization.quantize_static(
        _network(tmp_path), pairs, _Images(), quant_format=_PAIRS, activation_type=kind, weight_type=kind
    )
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath, options.log_severity_level = str(path), 4
    runtime.InferenceSession(str(pairs), options, providers=["CPUExecutionProvider"])
    assert {"QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu"} <= _operators(path)
    _agree(path, _image(), 2)


def _recurrent(folder: Path, per_channel: bool, time: int | str, batch: int | str) -> Path:
    """An LSTM and a product, quantised."""
    w = {"w": _weights(1, 32, 6), "r": _weights(1, 32, 8), "b": _weights(1, 64), "o": _weights(8, 5)}
    nodes = [
        h.make_node("LSTM", ["x", "w", "r", "b"], ["", "s"], hidden_size=8),
        h.make_node("MatMul", ["s", "o"], ["y"]),
    ]
    path = folder / "quantized.onnx"
    model = _saved(folder, nodes, w, {"x": (time, batch, 6)})
    quantization.quantize_dynamic(model, path, per_channel=per_channel, weight_type=_SIGNED)
    assert {"DynamicQuantizeLSTM", "MatMulInteger"} <= _operators(path)
    return path


@pytest.mark.parametrize("per_channel", [False, True])
def test_dynamic_quantization(per_channel: bool, tmp_path: Path) -> None:
    _agree(_recurrent(tmp_path, per_channel, 5, 1), {"x": _weights(5, 1, 6, seed=3)}, 1)


def test_dynamic_quantization_of_any_number_of_steps(tmp_path: Path) -> None:
    """As for each shape alone: scales are those of the steps and sequences that there are."""
    path = _recurrent(tmp_path, True, "time", "batch")
    compiled = mlc.compile(path, shapes={"time": range(1, 9), "batch": range(1, 4)})
    for time, batch in ((1, 1), (8, 3), (5, 1), (3, 2)):
        x = 10 * _weights(time, batch, 6, seed=time)
        wanted = mlc.compile(path, shapes={"time": time, "batch": batch}).run({"x": x})
        np.testing.assert_allclose(compiled.run({"x": x})["y"], wanted["y"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("bits, symmetric, block", [(4, True, 32), (4, False, 16), (8, False, 128), (8, True, 64)])
def test_weights_in_blocks(bits: int, symmetric: bool, block: int, tmp_path: Path) -> None:
    quantizer: Any = pytest.importorskip("onnxruntime.quantization.matmul_nbits_quantizer")
    nodes = [
        h.make_node("MatMul", ["x", "v"], ["h"]),
        h.make_node("Relu", ["h"], ["r"]),
        h.make_node("MatMul", ["r", "w"], ["y"]),
    ]
    model = _saved(tmp_path, nodes, {"v": _weights(100, 64), "w": _weights(64, 33)}, {"x": (2, 3, 100)})
    made = quantizer.MatMulNBitsQuantizer(onnx.load(model), block_size=block, is_symmetric=symmetric, bits=bits)
    made.process()
    onnx.save(made.model.model, tmp_path / "blocks.onnx")
    assert "MatMulNBits" in _operators(tmp_path / "blocks.onnx")
    _agree(tmp_path / "blocks.onnx", {"x": _weights(2, 3, 100, seed=5)})


def _encoder(folder: Path) -> Path:
    """A layer as BERT has it, with its embeddings."""
    torch: Any = pytest.importorskip("torch")
    torch.manual_seed(0)

    class Encoder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = torch.nn.Embedding(50, 16), torch.nn.Embedding(12, 16)
            self.kinds, self.norm = torch.nn.Embedding(2, 16), torch.nn.LayerNorm(16)
            self.query, self.key, self.value, self.out = (torch.nn.Linear(16, 16) for _ in range(4))
            self.first, self.second = torch.nn.Linear(16, 32), torch.nn.Linear(32, 16)
            self.norm_1, self.norm_2 = torch.nn.LayerNorm(16), torch.nn.LayerNorm(16)

        def heads(self, x: Any) -> Any:
            return x.view(x.size(0), x.size(1), 4, 4).permute(0, 2, 1, 3)

        def forward(self, ids: Any, mask: Any, kinds: Any) -> Any:
            places = torch.arange(ids.size(1)).unsqueeze(0)
            x = self.norm(self.words(ids) + self.kinds(kinds) + self.places(places))
            hidden = (1.0 - mask.unsqueeze(1).unsqueeze(2).to(torch.float32)) * -10000.0
            query, key, value = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
            scores = torch.matmul(query, key.transpose(-1, -2)) / 2.0 + hidden
            found = torch.matmul(torch.softmax(scores, -1), value).permute(0, 2, 1, 3).contiguous()
            x = self.norm_1(self.out(found.view(found.size(0), found.size(1), 16)) + x)
            return self.norm_2(self.second(torch.nn.functional.gelu(self.first(x))) + x)

    names = ["input_ids", "attention_mask", "token_type_ids"]
    given = tuple(torch.from_numpy(each.astype(np.int64)) for each in _sentences().values())
    torch.onnx.export(
        Encoder().eval(), given, folder / "encoder.onnx", input_names=names, output_names=["y"], opset_version=17,
        dynamo=False,
    )  # fmt: skip
    return folder / "encoder.onnx"


def _sentences() -> dict[str, Array]:
    rng = np.random.default_rng(3)
    mask = np.ones((2, 7), np.int64)
    mask[1, 4:] = 0
    return {
        "input_ids": rng.integers(0, 50, (2, 7)),
        "attention_mask": mask,
        "token_type_ids": rng.integers(0, 2, (2, 7)),
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("quantized", [False, True])
def test_an_encoder_that_the_runtime_fused(quantized: bool, tmp_path: Path) -> None:
    optimizer: Any = pytest.importorskip("onnxruntime.transformers.optimizer")
    path = tmp_path / "fused.onnx"
    made = optimizer.optimize_model(str(_encoder(tmp_path)), "bert", num_heads=4, hidden_size=16, opt_level=0)
    made.save_model_to_file(str(path))
    assert {"Attention", "SkipLayerNormalization", "BiasGelu"} <= _operators(path)
    if quantized:
        after = tmp_path / "quantized.onnx"
        options = {"DefaultTensorType": onnx.TensorProto.FLOAT}
        quantization.quantize_dynamic(path, after, weight_type=_SIGNED, extra_options=options)
        path = after
        assert {"QAttention", "MatMulInteger"} <= _operators(path)
    types = {each.name: each.type.tensor_type.elem_type for each in onnx.load(path).graph.input}
    inputs = {name: a.astype(h.tensor_dtype_to_np_dtype(types[name])) for name, a in _sentences().items()}
    _agree(path, inputs, 1 if quantized else 0)
