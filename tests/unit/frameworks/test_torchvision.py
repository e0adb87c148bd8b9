"""Operators of torchvision, beside what their definitions say, written out in NumPy.

Only the schemas and the shapes of results are needed. They are defined here where torchvision is not installed, or was
built for another version of torch.
"""

# Lambdas of tensors have no types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from itertools import product
from math import ceil, floor
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.compiler.compilation import new_context, read_module
from mlc.frontends.torch.archive import ArchiveError, load_archive
from mlc.frontends.torch.source import ExportedModel
from mlc.frontends.torch.to_graph.convert_aten_to_graph import ConvertAtenToGraphPass
from mlc.reference.interpreter import run_function
from mlc.support.bindings import Bindings
from mlc.support.mapped_file import MappedFile

torch: Any = pytest.importorskip("torch")
Array = NDArray[Any]

_SCHEMAS = """
nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor
roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor
deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor
"""  # noqa: E501


def _kept(dets: Any, scores: Any, iou_threshold: float) -> Any:
    return dets.new_empty([torch.library.get_ctx().new_dynamic_size()], dtype=torch.int64)


def _aligned(input: Any, rois: Any, scale: float, height: int, width: int, ratio: int, aligned: bool) -> Any:
    return input.new_empty((rois.shape[0], input.shape[1], height, width))


def _deformed(input: Any, weight: Any, offset: Any, *others: Any) -> Any:
    return input.new_empty((input.shape[0], weight.shape[0], *offset.shape[2:]))


@pytest.fixture(scope="module")
def operators() -> Any:
    """`torch.ops.torchvision`."""
    with contextlib.suppress(Exception):
        importlib.import_module("torchvision")
    shapes = {"nms": _kept, "roi_align": _aligned, "deform_conv2d": _deformed}
    for schema in _SCHEMAS.split("\n")[1:-1]:
        name = schema.partition("(")[0]
        if not hasattr(torch.ops.torchvision, name):
            torch.library.define(f"torchvision::{name}", schema.removeprefix(name))
            torch.library.register_fake(f"torchvision::{name}", shapes[name])
    return torch.ops.torchvision


def _exported(function: Any, inputs: tuple[Array, ...]) -> Any:
    class Model(torch.nn.Module):
        def forward(self, *given: Any) -> Any:
            return function(*given)

    return torch.export.export(Model(), tuple(map(torch.from_numpy, inputs)))


def _run(function: Callable[..., Any], *inputs: Array) -> Array:
    """What the graph level computes for the exported function; as many rows as data says."""
    ctx = new_context()
    source = ExportedModel("<ExportedProgram>", Path.cwd(), exported=_exported(function, inputs))
    module = read_module(source, ctx, Bindings())
    ConvertAtenToGraphPass().run(module, ctx)
    result, *extents = run_function(module, "main", inputs, ctx.resources)
    return result[: extents[0].item()] if extents else result


def _boxes(count: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    low, size = rng.uniform(0, 8, (count, 2)), rng.uniform(0, 6, (count, 2))
    scores = rng.permutation(count) / count
    scores[1:4] = scores[0]
    return np.concatenate([low, low + size], 1).astype(np.float32), scores.astype(np.float32)


def _nms(boxes: Array, scores: Array, threshold: float) -> list[int]:
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable").tolist():
        for j in kept:
            low, high = np.maximum(boxes[i, :2], boxes[j, :2]), np.minimum(boxes[i, 2:], boxes[j, 2:])
            common = np.prod(np.maximum(high - low, 0))
            if common > threshold * (
                np.prod(boxes[i, 2:] - boxes[i, :2]) + np.prod(boxes[j, 2:] - boxes[j, :2]) - common
            ):
                break
        else:
            kept.append(i)
    return kept


@pytest.mark.parametrize(("count", "threshold"), [(1, 0.5), (30, 0.1), (30, 0.5), (30, 1.0)])
def test_nms(count: int, threshold: float, operators: Any) -> None:
    boxes, scores = _boxes(count)
    found = _run(lambda b, s: operators.nms(b, s, threshold), boxes, scores)
    assert found.tolist() == _nms(boxes, scores, threshold)


def test_boxes_that_are_left(operators: Any) -> None:
    """They go on as rows whose number depends on data; infinities are the last of all scores, and counted."""
    boxes, scores = _boxes(20, 1)
    scores[[3, 7]] = -np.inf, np.inf
    boxes[3] += 100  # which no other one covers
    found = _run(lambda b, s: b[operators.nms(b, s, 0.3)] * 2, boxes, scores)
    np.testing.assert_array_equal(found, boxes[_nms(boxes, scores, 0.3)] * 2)


def _pixel(image: Array, y: float, x: float, clamps: bool) -> Array:
    """A channel each, between four pixels: of those beyond the border the nearest, or zeros."""
    height, width = image.shape[1:]
    if y < -1 or x < -1 or y > height or x > width:
        return np.zeros(len(image))
    if clamps:
        y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    total = np.zeros(len(image))
    for j, i in product((floor(y), floor(y) + 1), (floor(x), floor(x) + 1)):
        if 0 <= j < height and 0 <= i < width:
            total += image[:, j, i] * (1 - abs(y - j)) * (1 - abs(x - i))
    return total


def _roi_align(images: Array, rois: Array, scale: float, bins: tuple[int, int], ratio: int, aligned: bool) -> Array:
    result = np.zeros((len(rois), images.shape[1], *bins))
    for r, (image, *corners) in enumerate(rois.tolist()):
        x0, y0, x1, y1 = (c * scale - (0.5 if aligned else 0) for c in corners)
        height, width = (s if aligned else max(s, 1) for s in (y1 - y0, x1 - x0))
        counts = [ratio if ratio > 0 else ceil(s / n) for s, n in zip((height, width), bins, strict=True)]
        for j, i in product(range(bins[0]), range(bins[1])):
            points = product(range(counts[0]), range(counts[1]))
            places = [
                (
                    y0 + (j + (q + 0.5) / counts[0]) * height / bins[0],
                    x0 + (i + (p + 0.5) / counts[1]) * width / bins[1],
                )
                for q, p in points
            ]
            result[r, :, j, i] = np.mean([_pixel(images[int(image)], y, x, True) for y, x in places], 0)
    return result


@pytest.mark.parametrize(("aligned", "ratio"), [(True, 2), (False, 3)])
def test_roi_align(aligned: bool, ratio: int, operators: Any) -> None:
    rng = np.random.default_rng(0)
    images = rng.standard_normal((2, 3, 9, 7)).astype(np.float32)
    rois = np.array([[1, 0, 0, 12, 10], [0, 3.3, 1.7, 3.4, 1.8], [1, -9, -9, 40, 30], [0, 2, 3, 9, 15]], np.float32)
    found = _run(lambda x, r: operators.roi_align(x, r, 0.5, 3, 2, ratio, aligned), images, rois)
    wanted = _roi_align(images, rois, 0.5, (3, 2), ratio, aligned)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_roi_align_of_known_regions(operators: Any) -> None:
    """How many samples there are follows from their size; where it is not known, that is refused."""
    images = np.random.default_rng(0).standard_normal((1, 2, 8, 8)).astype(np.float32)
    rois = np.array([[0, 1, 1, 6, 5], [0, 2, 3, 7, 7]], np.float32)
    known = torch.from_numpy(rois)
    found = _run(lambda x: operators.roi_align(x, known, 1.0, 2, 2, 0, True), images)
    np.testing.assert_allclose(found, _roi_align(images, rois, 1.0, (2, 2), 0, True), rtol=1e-4, atol=1e-5)
    with pytest.raises(Exception, match="sampling_ratio is 0 and the regions are not known"):
        _run(lambda x, r: operators.roi_align(x, r, 1.0, 2, 2, 0, True), images, rois)


def _deform(x: Array, weight: Array, offset: Array, mask: Array | None, bias: Array, stride: int, pad: int,
            dilation: int, groups: int, offset_groups: int) -> Array:  # fmt: skip
    outputs, per_group, *kernel = weight.shape
    size, images, channels = kernel[0] * kernel[1], len(x), x.shape[1]
    result = np.zeros((images, outputs, *offset.shape[2:])) + bias[:, None, None]
    for n, o, v, u in product(range(images), range(outputs), *map(range, offset.shape[2:])):
        for c, tap in product(range(per_group), range(size)):
            channel = o // (outputs // groups) * per_group + c
            group = channel // (channels // offset_groups)
            dy, dx = offset[n, 2 * (group * size + tap) :, v, u][:2]
            y = v * stride - pad + tap // kernel[1] * dilation + dy
            at = u * stride - pad + tap % kernel[1] * dilation + dx
            value = _pixel(x[n, channel : channel + 1], y, at, False)[0]
            factor = 1 if mask is None else mask[n, group * size + tap, v, u]
            result[n, o, v, u] += value * factor * weight[o, c, tap // kernel[1], tap % kernel[1]]
    return result


@pytest.mark.parametrize(
    ("stride", "pad", "dilation", "groups", "offset_groups", "use_mask"),
    [(1, 0, 1, 1, 1, False), (2, 1, 1, 2, 1, True), (1, 2, 2, 1, 2, True)],
)
def test_deform_conv2d(
    stride: int, pad: int, dilation: int, groups: int, offset_groups: int, use_mask: bool, operators: Any
) -> None:
    rng = np.random.default_rng(0)
    images, channels, kernel = 2, 4, (3, 2)
    x = rng.standard_normal((images, channels, 6, 5)).astype(np.float32)
    weight = rng.standard_normal((2, channels // groups, *kernel)).astype(np.float32)
    places = [(e + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for e, k in zip((6, 5), kernel, strict=True)]
    offset = rng.uniform(-3, 3, (images, offset_groups * 12, *places)).astype(np.float32)
    mask = rng.uniform(0, 1, (images, offset_groups * 6, *places)).astype(np.float32)
    bias = rng.standard_normal(2).astype(np.float32)
    numbers = (stride, stride, pad, pad, dilation, dilation, groups, offset_groups, use_mask)
    given = mask if use_mask else np.zeros((images, 1), np.float32)
    found = _run(lambda *tensors: operators.deform_conv2d(*tensors, *numbers), x, weight, offset, given, bias)
    wanted = _deform(x, weight, offset, mask if use_mask else None, bias, stride, pad, dilation, groups, offset_groups)
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


def test_archives(operators: Any, tmp_path: Path) -> None:
    """An operator that is not there is named, before torch tells so in its own way."""
    boxes = _boxes(4)
    torch.export.save(_exported(lambda b, s: operators.nms(b, s, 0.5), boxes), tmp_path / "model.pt2")
    assert load_archive(MappedFile(tmp_path / "model.pt2")) is not None
    with ZipFile(tmp_path / "model.pt2") as archive, ZipFile(tmp_path / "other.pt2", "w") as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name).replace(b"torchvision.nms.", b"torchvision.none."))
    message = r"it calls 'torchvision.none.default', which torch does not know; required: the package torchvision"
    with pytest.raises(ArchiveError, match=message):
        load_archive(MappedFile(tmp_path / "other.pt2"))


@pytest.mark.slow
def test_an_artifact_of_a_detector(operators: Any) -> None:
    """Regions of the best boxes, as native code."""
    boxes, scores = _boxes(20, 2)
    image = np.random.default_rng(0).standard_normal((1, 2, 16, 16)).astype(np.float32)

    def detect(x: Any, b: Any, s: Any) -> Any:
        places = operators.nms(b, s, 0.3)
        rois = torch.cat([torch.zeros(20, 1), b], 1)
        return operators.roi_align(x, rois, 1.0, 2, 2, 2, True)[places]

    library = importlib.import_module("mlc.torch").compile(_exported(detect, (image, boxes, scores)))
    rois = np.concatenate([np.zeros((20, 1), np.float32), boxes], 1)
    wanted = _roi_align(image, rois, 1.0, (2, 2), 2, True)[_nms(boxes, scores, 0.3)]
    np.testing.assert_allclose(library(image, boxes, scores), wanted, rtol=1e-4, atol=1e-5)
