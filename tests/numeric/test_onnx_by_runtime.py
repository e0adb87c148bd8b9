"""Where the specification leaves room, or its reference computes something else: ONNX Runtime decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def _agree(
    folder: Path, op: str, given: dict[str, Array], operands: list[str], constants: dict[str, Any], **options: Any
) -> None:
    """All results of one node, by the reference of the graph level and by the runtime."""
    results = [f"y{i}" for i in range(options.pop("results", 1))]
    kind = h.np_dtype_to_tensor_dtype
    inputs = [h.make_tensor_value_info(name, kind(a.dtype), a.shape) for name, a in given.items()]
    data = [onnx.numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()]
    outputs = [h.make_empty_tensor_value_info(name) for name in results]
    graph = h.make_graph([h.make_node(op, operands, results, **options)], "m", inputs, outputs, data)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9).SerializeToString()
    (folder / "model.onnx").write_bytes(model)
    ctx = new_context()
    module = read_onnx(folder / "model.onnx", ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    found = run_function(module, "main", list(given.values()), ctx.resources)
    wanted = ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, given)
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("rounding", ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
@pytest.mark.parametrize("places", ["asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners"])
def test_the_nearest_pixel(rounding: str, places: str, tmp_path: Path):
    """Scales are f32, and so are places: a third of 9 is 0, 3, 6. Places between two pixels are ties."""
    x: Any = np.arange(30, dtype=np.float32).reshape(1, 1, 1, 30)
    how = {"mode": "nearest", "nearest_mode": rounding, "coordinate_transformation_mode": places}
    # Of scales that make no whole number, ends are aligned as the specification's cases have it.
    for scale in () if places == "align_corners" else (1 / 3, 0.7, 0.1, 1.5, 2.3, 17 / 14):
        scales = np.array([1, 1, 1, scale], np.float32)
        _agree(tmp_path, "Resize", {"x": x}, ["x", "", "s"], {"s": scales}, **how)
    for size in (7, 10, 17, 59):
        _agree(tmp_path, "Resize", {"x": x[..., :14]}, ["x", "", "", "s"], {"s": np.array([1, 1, 1, size])}, **how)


def _resized(before: int, places: str, rounding: str) -> bytes:
    """A model that resizes a row of `before` pixels to each extent from 1 to 40."""
    how = {"mode": "nearest", "nearest_mode": rounding, "coordinate_transformation_mode": places}
    sizes = range(1, 41)
    data = [onnx.numpy_helper.from_array(np.array([n]), f"s{n}") for n in sizes]
    nodes = [h.make_node("Resize", ["x", "", "", f"s{n}"], [f"y{n}"], **how) for n in sizes]
    x = h.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [before])
    graph = h.make_graph(nodes, "m", [x], [h.make_empty_tensor_value_info(f"y{n}") for n in sizes], data)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9).SerializeToString()


def _by_the_runtime(model: bytes, x: Array) -> list[Array]:
    return ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"x": x})


def _takes_ties_apart() -> bool:
    """Whether this runtime takes 14.499999, which is 14.5 rounded, for nearer to 14; later ones do not."""
    return bool(
        _by_the_runtime(_resized(20, "half_pixel", "round_prefer_ceil"), np.arange(20, dtype=np.float32))[5][4] == 14
    )


@pytest.mark.slow
@pytest.mark.parametrize("rounding", ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
@pytest.mark.parametrize(
    "places", ["asymmetric", "half_pixel", "pytorch_half_pixel", "half_pixel_symmetric", "align_corners"]
)
def test_the_nearest_pixel_of_all_extents(rounding: str, places: str, tmp_path: Path):
    """To 1 to 40 pixels: places on a tie, and places that rounding brings to one or away from one."""
    if rounding.startswith("round") and _takes_ties_apart():
        pytest.skip("this ONNX Runtime rounds places next to a tie")
    for before in (1, 2, 3, 7, 11, 13, 14, 20, 28, 31, 33, 40):
        model, x = _resized(before, places, rounding), np.arange(before, dtype=np.float32)
        (tmp_path / "model.onnx").write_bytes(model)
        ctx = new_context()
        module = read_onnx(tmp_path / "model.onnx", ctx)
        ConvertOnnxToGraphPass().run(module, ctx)
        found = run_function(module, "main", [x], ctx.resources)
        for one, other in zip(found, _by_the_runtime(model, x), strict=True):
            assert one.tolist() == other.tolist(), f"{before} -> {len(other)}"


@pytest.mark.parametrize(
    "before, after, rounding, wanted",
    [
        (14, 19, "round_prefer_floor", {9: 6}),
        (14, 31, "round_prefer_floor", {15: 6}),
        (20, 6, "round_prefer_ceil", {1: 5, 4: 15}),
        (20, 6, "round_prefer_floor", {1: 4, 4: 14}),
    ],
)
def test_ties_that_f32_hides(before: int, after: int, rounding: str, wanted: dict[int, int], tmp_path: Path):
    """(9 + 1/2) 14/19 - 1/2 is 6.5, of which f32 makes 6.5000005."""
    (tmp_path / "model.onnx").write_bytes(_resized(before, "half_pixel", rounding))
    ctx = new_context()
    module = read_onnx(tmp_path / "model.onnx", ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    found = run_function(module, "main", [np.arange(before, dtype=np.float32)], ctx.resources)[after - 1]
    assert {at: found[at] for at in wanted} == wanted


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_weights_of_pixels(mode: str, tmp_path: Path):
    x: Any = np.random.default_rng(0).random((1, 1, 7, 9)).astype(np.float32)
    for scale in (1 / 3, 0.7, 2.3):
        scales = np.array([1, 1, scale, scale], np.float32)
        _agree(tmp_path, "Resize", {"x": x}, ["x", "", "s"], {"s": scales}, mode=mode)


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_samples_beyond_the_border(mode: str, padding: str, corners: int, tmp_path: Path):
    """The four pixels of a cubic are clamped one by one; their place is not."""
    rng: Any = np.random.default_rng(0)
    x = rng.standard_normal((1, 2, 5, 6)).astype(np.float32)
    grid = (rng.random((1, 3, 4, 2)) * 3 - 1.5).astype(np.float32)
    how = {"mode": mode, "padding_mode": padding, "align_corners": corners}
    _agree(tmp_path, "GridSample", {"x": x, "g": grid}, ["x", "g"], {}, **how)


def test_slices_from_far_away(tmp_path: Path):
    """Starts and ends on both sides, forwards and backwards: each is clamped to the elements that there are."""
    x = np.arange(4, dtype=np.float32)
    places = (-(2**62), -4, -1, 0, 3, 4, 2**62)
    for start in places:
        for end in places:
            for step in (-2, 1):
                numbers = {"a": [start], "b": [end], "axis": [0], "step": [step]}
                data = {name: np.array(each, np.int64) for name, each in numbers.items()}
                _agree(tmp_path, "Slice", {"x": x}, ["x", *data], data)


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_clip_limits_what_goes_into_gates(direction: str, tmp_path: Path):
    rng: Any = np.random.default_rng(0)
    ways = 2 if direction == "bidirectional" else 1
    for op, gates, results in (("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2)):
        shapes = {"w": (ways, 6 * gates, 4), "r": (ways, 6 * gates, 6), "b": (ways, 12 * gates)}
        weights = {name: (rng.standard_normal(s) * 0.5).astype(np.float32) for name, s in shapes.items()}
        x = rng.standard_normal((5, 3, 4)).astype(np.float32)
        how: dict[str, Any] = {"hidden_size": 6, "clip": 0.3, "direction": direction, "results": results}
        _agree(tmp_path, op, {"x": x}, ["x", *weights], weights, **how)


@pytest.mark.parametrize("numbers", [[0, 0, 0], [0.0, -0.0, 1e-30], [1, 2, 3], [-1, -2, -3], [-1, 0.5, 2], [7]])
def test_quantization_of_little(numbers: list[float], tmp_path: Path):
    """Zeros have a scale of 1."""
    _agree(tmp_path, "DynamicQuantizeLinear", {"x": np.array(numbers, np.float32)}, ["x"], {}, results=3)


@pytest.mark.parametrize("k", [-3, -1, 0, 2, 6])
@pytest.mark.parametrize("dtype", [onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.DOUBLE])
def test_ones_on_a_diagonal(k: int, dtype: int, tmp_path: Path):
    """Above, below, and beyond the last column."""
    _agree(tmp_path, "EyeLike", {"x": np.zeros((4, 6), np.float32)}, ["x"], {}, k=k, dtype=dtype)
