"""Sampling of images, and updates at places, as onnx's own reference evaluator does them."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnx.helper
import onnx.reference
import pytest
from numpy.typing import NDArray

import mlc

Array = NDArray[Any]


def _check(
    nodes: list[tuple[str, list[str], dict[str, Any]]],
    inputs: dict[str, Array],
    folder: Path,
    evaluated: dict[str, Array] | None = None,
) -> None:
    """Compare a result of each node, all of one model, with that of the evaluator, which may be given other inputs."""
    helper = cast(Any, onnx.helper)
    names = [f"y{i}" for i in range(len(nodes))]
    made = [helper.make_node(op, ins, [out], **options) for (op, ins, options), out in zip(nodes, names, strict=True)]
    kinds = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in inputs.items()}
    given = [helper.make_tensor_value_info(n, kinds[n], a.shape) for n, a in inputs.items()]
    results = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in names]
    graph = helper.make_graph(made, "all", given, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    cast(Any, onnx).save(model, str(folder / "model.onnx"))
    expected = cast(Any, onnx.reference).ReferenceEvaluator(model).run(None, evaluated or inputs)
    found = mlc.compile(folder / "model.onnx").run(inputs)
    for (op, _, options), name, want in zip(nodes, names, expected, strict=True):
        np.testing.assert_allclose(found[name], want, rtol=1e-4, atol=1e-5, err_msg=f"{op} {options}")


@pytest.mark.parametrize("extents", [(5,), (4, 7), (3, 2, 4)])
def test_grid_sample(extents: tuple[int, ...], tmp_path: Path) -> None:
    """Coordinates far beyond the ends, at the ends, and at the middles of pixels."""
    rng = np.random.default_rng(len(extents))
    x = rng.standard_normal((2, 3, *extents)).astype(np.float32)
    grid = rng.uniform(-3.2, 3.2, (2, *[3] * len(extents), len(extents))).astype(np.float32)
    grid.reshape(-1)[::5], grid.reshape(-1)[1::7] = 1, -1
    nodes = [
        ("GridSample", ["x", "grid"], {"mode": mode, "padding_mode": padding, "align_corners": corners})
        for mode, padding, corners in product(("nearest", "linear", "cubic"), ("zeros", "border", "reflection"), (0, 1))
        if mode != "cubic" or (padding != "border" and len(extents) < 3)
    ]
    _check(nodes, {"x": x, "grid": grid}, tmp_path)


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("extents", [(5,), (4, 7)])
def test_cubic_samples_beyond_the_border(extents: tuple[int, ...], corners: int, tmp_path: Path) -> None:
    """The evaluator clamps places; ONNX Runtime and mlc clamp pixels: samples inside an image with repeated edges."""
    rng = np.random.default_rng(len(extents))
    x = rng.standard_normal((2, 3, *extents)).astype(np.float32)
    grid = rng.uniform(-3.2, 3.2, (2, *[3] * len(extents), len(extents))).astype(np.float32)
    edge, last = 12, np.array(extents[::-1]) - corners  # the grid counts axes from the last one
    wide = np.pad(x, [(0, 0), (0, 0), *[(edge, edge)] * len(extents)], "edge")
    inside = ((grid + 1) / 2 * last + edge) / (last + 2 * edge) * 2 - 1
    nodes = [("GridSample", ["x", "grid"], {"mode": "cubic", "padding_mode": "border", "align_corners": corners})]
    _check(nodes, {"x": x, "grid": grid}, tmp_path, {"x": wide, "grid": inside.astype(np.float32)})


def test_roi_align(tmp_path: Path) -> None:
    """Regions inside, across the ends, beyond them, and without a size."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 9, 11)).astype(np.float32)
    rois = np.array([[2, 3, 9, 8], [-6, -6, 30, 30], [40, 40, 50, 50], [5, 5, 5, 5], [1.5, 0, 4, 17]], np.float32)
    nodes = [
        (
            "RoiAlign",
            ["x", "rois", "batches"],
            {
                "mode": mode,
                "coordinate_transformation_mode": half,
                "output_height": 3,
                "output_width": 2,
                "sampling_ratio": samples,
                "spatial_scale": 0.7,
            },
        )
        for mode, half, samples in product(("avg", "max"), ("half_pixel", "output_half_pixel"), (1, 2))
    ]
    _check(nodes, {"x": x, "rois": rois, "batches": np.array([0, 1, 1, 0, 1])}, tmp_path)


def test_updates(tmp_path: Path) -> None:
    """Several updates of one element, and indices from the end."""
    rng = np.random.default_rng(0)
    x, u = (rng.standard_normal(s).astype(np.float32) for s in ((4, 5, 6), (4, 9, 6)))
    places, i = rng.integers(-5, 5, (4, 9, 6)), rng.integers(-4, 4, (7, 1))
    rows = rng.standard_normal((7, 5, 6)).astype(np.float32)
    nodes = [
        (op, ["x", at, updates], {"reduction": kind, **options})
        for kind in ("add", "mul", "max", "min")
        for op, at, updates, options in (
            ("ScatterElements", "places", "u", {"axis": 1}),
            ("ScatterND", "i", "rows", {}),
        )
    ]
    _check(nodes, {"x": x, "u": u, "places": places, "i": i, "rows": rows}, tmp_path)


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("extents", [("h", "w"), ("d", "h", "w")])
def test_affine_grid(extents: tuple[str, ...], corners: int) -> None:
    """For all extents of a range, a single image and a single pixel among them."""
    helper, float32, rank = cast(Any, onnx.helper), onnx.TensorProto.FLOAT, len(extents)
    nodes = [
        helper.make_node("Shape", ["x"], ["size"]),
        helper.make_node("AffineGrid", ["theta", "size"], ["y"], align_corners=corners),
    ]
    shapes = {"x": ["n", 3, *extents], "theta": ["n", rank, rank + 1]}
    given = [helper.make_tensor_value_info(name, float32, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(nodes, "grid", given, [helper.make_tensor_value_info("y", float32, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    compiled = mlc.compile(model, shapes=dict.fromkeys(("n", *extents), range(1, 6)))
    rng = np.random.default_rng(rank)
    for images, *sizes in ((1, 4, 5, 2), (3, 5, 1, 3), (5, 5, 5, 5), (1, 1, 1, 1)):
        x = np.zeros((images, 3, *sizes[:rank]), np.float32)
        theta = rng.standard_normal((images, rank, rank + 1)).astype(np.float32)
        with np.errstate(divide="ignore"):
            (want,) = cast(Any, onnx.reference).ReferenceEvaluator(model).run(None, {"x": x, "theta": theta})
        np.testing.assert_allclose(compiled(x, theta), want, rtol=1e-5, atol=1e-6, err_msg=f"{x.shape}")
