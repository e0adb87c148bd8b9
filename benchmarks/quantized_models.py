"""Models of four, eight and sixteen bits: networks as people quantize them, and single kernels, as files of ONNX.

Networks are those of `benchmarks.exports`, with random weights. ONNX Runtime's tools quantize them after batch norms
are part of convolutions: statically, weights to i8 by channel, activations to ui8 by what random inputs show; or
dynamically, where scales of activations are found in each call. Or weights alone become i4, of which 128 share a scale;
an engine may round activations to i8 at accuracy level 4, not at 0. Files are made when they are asked for, in the
folder `benchmarks` of the user's cache.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np

from mlc.benchmarks import exports
from mlc.benchmarks.case import Array
from mlc.benchmarks.exports import Network
from mlc.support.cache_folder import cache_folder, make_folder
from mlc.support.errors import UserError
from mlc.targets.cache import digest

Way = Literal["static", "static products", "dynamic", "bf16", "weights 0", "weights 4"]
"""How a network is made short: all that ONNX Runtime quantizes, products only, in bf16, or weights alone to four bits,
at a level of accuracy."""
Family = Literal["int4", "int8", "bf16"]

_RECIPE = "1"
"""To be another where files are made in another way: those that are there are made anew."""
_OPSET_OF_BF16 = 22
"""The first one whose convolutions take bf16. Of what networks use, only types are new since that of exports."""
_CALIBRATIONS = 8
_PACKAGES = ("torch", "torchvision", "transformers", "onnx", "onnxruntime")
_IMAGES = {
    "resnet-18": "resnet18",
    "resnet-50": "resnet50",
    "mobilenet-v2": "mobilenet_v2",
    "mobilenet-v3": "mobilenet_v3_large",
    "efficientnet-b0": "efficientnet_b0",
    "vgg-16": "vgg16",
    "ssdlite": "ssdlite",
}
_ENCODERS = {"vit-b": "vit_b_16", "bert-base": "bert_base", "distilbert": "distilbert", "minilm": "minilm"}


@dataclass(frozen=True)
class ShortModel:
    """A model in f32, and the same in short numbers."""

    name: str
    network: str
    """Its name in `exports.networks`, in `KERNELS` or in `LAYERS`."""
    way: Way


@dataclass(frozen=True)
class Files:
    """Where it lies."""

    f32: Path
    short: Path
    inputs: dict[str, Array]
    """What a call is given."""


def models(family: Family) -> Iterator[ShortModel]:
    """All of a family, single kernels first."""
    if family == "int4":
        yield from (ShortModel(f"{name}-level-0", name, "weights 0") for name in LAYERS)
        yield from (ShortModel(f"{name}-level-4", name, "weights 4") for name in LAYERS)
        return
    if family == "bf16":
        yield from (ShortModel(name, name, "bf16") for name in KERNELS)
        yield from (ShortModel(name, network, "bf16") for name, network in (_IMAGES | _ENCODERS).items())
        return
    yield from (ShortModel(name, name, "static") for name in KERNELS)
    yield from (ShortModel(f"{name}-dynamic", name, "dynamic") for name in KERNELS if name.startswith("matmul"))
    yield from (ShortModel(name, network, "static") for name, network in _IMAGES.items())
    yield from (ShortModel(name, network, "static products") for name, network in _ENCODERS.items())
    yield from (ShortModel(f"{name}-dynamic", network, "dynamic") for name, network in _ENCODERS.items())


def files_of(model: ShortModel) -> Files:
    """The files of a model, made if they are not there yet.

    Raises:
        UserError: a package is missing, or the user has no cache.
    """
    if (cache := cache_folder()) is None:
        raise UserError(
            "found no place for models: there is no home directory; required: a folder, named by MLC_CACHE_DIR"
        )
    folder = make_folder(cache, "benchmarks")
    try:
        key = digest(_RECIPE, *(version(name) for name in _PACKAGES))[:12]
        f32 = _made(folder, model.network, key, partial(_export, model.network))
        way = model.way.replace(" ", "-")
        short = _made(folder, f"{model.network}-{way}", key, partial(_shorten, model, f32))
    except ImportError as e:
        raise UserError(f"{e}; {exports.REQUIRED} onnxruntime") from e
    with np.load(f32 / "inputs.npz") as archive:
        inputs = {name: archive[name] for name in archive.files}
    return Files(f32 / "model.onnx", short / "model.onnx", inputs)


def _made(folder: Path, name: str, key: str, make: Callable[[Path], object]) -> Path:
    """The folder of one model, which appears whole; those that were made otherwise go."""
    found = folder / f"{name}+{key}"
    if not found.exists():
        for old in folder.glob(f"{name}+*"):
            shutil.rmtree(old)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".new-", ignore_cleanup_errors=True) as new:
            make(Path(new))
            if not found.exists():  # else another process was faster
                Path(new).rename(found)
    return found


def _networks(name: str) -> Callable[[], Network]:
    return KERNELS.get(name) or LAYERS.get(name) or exports.networks()[name]


def _export(network: str, folder: Path) -> None:
    inputs = exports.export(_networks(network), folder / "model.onnx")
    session: Any = importlib.import_module("onnxruntime").InferenceSession(folder / "model.onnx")
    names = [each.name for each in session.get_inputs()]
    arrays = {name: value.numpy() for name, value in zip(names, inputs, strict=True)}
    np.savez(folder / "inputs.npz", **arrays)


def _shorten(model: ShortModel, f32: Path, folder: Path) -> None:
    target = folder / "model.onnx"
    if model.way.startswith("weights"):
        _with_short_weights(f32 / "model.onnx", target, int(model.way[-1]))
        return
    tools: Any = importlib.import_module("onnxruntime.quantization")
    shapes: Any = importlib.import_module("onnxruntime.quantization.shape_inference")
    folded = folder / "folded.onnx"
    shapes.quant_pre_process(f32 / "model.onnx", folded, skip_symbolic_shape=True)
    i8 = {"per_channel": True, "weight_type": tools.QuantType.QInt8}
    if model.way == "bf16":
        _in_bf16(folded, target)
    elif model.way == "dynamic":
        tools.quantize_dynamic(folded, target, **i8)
    else:
        with np.load(f32 / "inputs.npz") as archive:
            reader = Calibration({name: archive[name] for name in archive.files})
        only = None if model.way == "static" else ["MatMul", "Gemm"]
        ui8 = {"quant_format": tools.QuantFormat.QDQ, "activation_type": tools.QuantType.QUInt8}
        tools.quantize_static(folded, target, reader, op_types_to_quantize=only, **ui8, **i8)
    folded.unlink()


def _with_short_weights(source: Path, target: Path, level: int) -> None:
    """A model whose matrices are i4 in groups of 128, without zero points."""
    onnx: Any = importlib.import_module("onnx")
    tools: Any = importlib.import_module("onnxruntime.quantization.matmul_nbits_quantizer")
    made = tools.MatMulNBitsQuantizer(
        onnx.load(source), block_size=128, is_symmetric=True, accuracy_level=level or None
    )
    made.process()
    onnx.save(made.model.model, target)


def _in_bf16(source: Path, target: Path) -> None:
    """A model whose weights and arithmetic are bf16; inputs and outputs stay f32."""
    onnx: Any = importlib.import_module("onnx")
    model, helper, kinds = onnx.load(source), onnx.helper, onnx.TensorProto
    graph = model.graph
    constants = [a.t for node in graph.node for a in node.attribute if a.type == onnx.AttributeProto.TENSOR]
    for tensor in (*graph.initializer, *constants):
        if tensor.data_type == kinds.FLOAT:
            rounded = onnx.numpy_helper.to_array(tensor).astype(ml_dtypes.bfloat16)
            tensor.CopyFrom(onnx.numpy_helper.from_array(rounded, tensor.name))
    for attribute in (a for node in graph.node if node.op_type == "Cast" for a in node.attribute if a.name == "to"):
        attribute.i = kinds.BFLOAT16 if attribute.i == kinds.FLOAT else attribute.i
    floats = {each.name for each in (*graph.input, *graph.output) if each.type.tensor_type.elem_type == kinds.FLOAT}
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = [f"{name}.bf16" if name in floats else name for name in names]
    given = {each.name for each in graph.input} & floats
    casts = [helper.make_node("Cast", [name], [f"{name}.bf16"], to=kinds.BFLOAT16) for name in sorted(given)]
    back = [helper.make_node("Cast", [f"{name}.bf16"], [name], to=kinds.FLOAT) for name in sorted(floats - given)]
    nodes = [*casts, *graph.node, *back]
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    del model.opset_import[:]
    model.opset_import.append(helper.make_opsetid("", _OPSET_OF_BF16))
    onnx.save(model, target)


class Calibration:
    """Random inputs, as a `CalibrationDataReader`: new floats, and the same integers in another order."""

    def __init__(self, example: dict[str, Array]) -> None:
        self._rng = np.random.default_rng(1)
        self._left = [example] * _CALIBRATIONS

    def get_next(self) -> dict[str, Array] | None:
        """The next inputs; None at the end."""
        return {name: self._drawn(array) for name, array in self._left.pop().items()} if self._left else None

    def __iter__(self) -> Iterator[dict[str, Array]]:
        while (found := self.get_next()) is not None:
            yield found

    def _drawn(self, array: Array) -> Array:
        if array.dtype.kind == "f":
            return self._rng.standard_normal(array.shape).astype(array.dtype)
        return self._rng.permuted(array, axis=-1)


# ---- single kernels


def layer(rows: int, inner: int, columns: int) -> Network:
    """A product with weights, as the layers of language models are."""
    torch: Any = importlib.import_module("torch")
    return torch.nn.Linear(inner, columns, bias=False), (torch.randn(1, rows, inner),)


def linear(rows: int, inner: int, columns: int) -> Network:
    """A product with weights and a bias."""
    torch: Any = importlib.import_module("torch")
    return torch.nn.Linear(inner, columns), (torch.randn(rows, inner),)


def _conv(kernel: int, channels: int, out: int, size: int, groups: int = 1) -> Network:
    """A convolution and a relu, as networks have them."""
    torch: Any = importlib.import_module("torch")
    conv = torch.nn.Conv2d(channels, out, kernel, padding=kernel // 2, groups=groups)
    return torch.nn.Sequential(conv, torch.nn.ReLU()), (torch.randn(1, channels, size, size),)


KERNELS: dict[str, Callable[[], Network]] = {
    "matmul-1024x1024x1024": partial(linear, 1024, 1024, 1024),
    "matmul-128x768x3072": partial(linear, 128, 768, 3072),
    "conv-3x3-256-256-14x14": partial(_conv, 3, 256, 256, 14),
    "conv-1x1-256-1024-14x14": partial(_conv, 1, 256, 1024, 14),
    "depthwise-3x3-384-14x14": partial(_conv, 3, 384, 384, 14, groups=384),
}
LAYERS: dict[str, Callable[[], Network]] = {
    f"layer-{rows}x{inner}x{columns}": partial(layer, rows, inner, columns)
    for rows, inner, columns in (
        (1, 4096, 4096),
        (1, 4096, 11008),
        (1, 11008, 4096),
        (16, 4096, 4096),
        (128, 4096, 4096),
    )
}
"""One token at a time, and many at once."""
