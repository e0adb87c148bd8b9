"""The extents that are proposed for open dims of images are such that the model takes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from tests.conftest import CommandLine

onnx: Any = pytest.importorskip("onnx")
helper: Any = onnx.helper


def _model(path: Path, dims: list[Any], strides: list[int], *, last: bool = False, **metadata: str) -> None:
    """Convolutions with these strides and a skip from half of them, so that other extents do not fit."""
    value = helper.make_tensor_value_info
    weight = onnx.numpy_helper.from_array(np.ones((3, 3, 1, 1), np.float32), "w")
    nodes = [helper.make_node("Transpose", ["x"], ["v0"], perm=[0, 3, 1, 2] if last else [0, 1, 2, 3])]
    for i, stride in enumerate(strides):
        nodes.append(helper.make_node("Conv", [f"v{i}", "w"], [f"v{i + 1}"], strides=[stride, stride]))
    nodes.append(helper.make_node("Upsample", [f"v{len(strides)}", "s"], ["up"]))
    nodes.append(helper.make_node("Add", ["up", "v0"], ["y"]))
    scale = onnx.numpy_helper.from_array(np.array([1, 1, *[np.prod(strides)] * 2], np.float32), "s")
    graph = helper.make_graph(nodes, "g", [value("x", 1, dims)], [value("y", 1, [None] * 4)], [weight, scale])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=8)
    helper.set_model_props(model, metadata)
    onnx.save(model, str(path))


@pytest.mark.parametrize(
    ("dims", "strides", "options", "advice"),
    [
        (["n", 3, "h", "w"], [2, 2, 2], {}, ["--shape", "n=1", "--shape", "h=224", "--shape", "w=224"]),
        (["n", 3, "h", "w"], [5, 9], {}, ["--shape", "n=1", "--shape", "h=225", "--shape", "w=225"]),
        (["n", 3, "h", "w"], [2], {"imgsz": "[64, 96]"}, ["--shape", "n=1", "--shape", "h=64", "--shape", "w=96"]),
        (["n", 3, "h", "w"], [2], {"imgsz": "96"}, ["--shape", "n=1", "--shape", "h=96", "--shape", "w=96"]),
        (["n", 3, "h", "w"], [2], {"imgsz": "large"}, ["--shape", "n=1", "--shape", "h=224", "--shape", "w=224"]),
        ([None, 3, None, None], [4], {}, ["--shape", "x=1x3x224x224"]),
        ([None, None, None, 3], [4], {"last": True}, ["--shape", "x=1x224x224x3"]),
        ([1, 3, 100, "w"], [4], {}, ["--shape", "w=224"]),
    ],
)
def test_what_is_proposed_fits(
    dims: list[Any], strides: list[int], options: dict[str, Any], advice: list[str], tmp_path: Path, mlc: CommandLine
) -> None:
    path = tmp_path / "m.onnx"
    _model(path, dims, strides, **options)
    result = mlc("check", str(path))
    assert result.status == 1
    assert result.err.rstrip().endswith(f"bind them, as in {' '.join(advice)}")
    result = mlc("check", str(path), *advice)
    assert (result.status, result.err) == (0, "")


def test_other_inputs_have_one_element(tmp_path: Path, mlc: CommandLine) -> None:
    value = helper.make_tensor_value_info
    node = helper.make_node("Relu", ["x"], ["y"])
    graph = helper.make_graph([node], "g", [value("x", 1, ["n", 3, "h"])], [value("y", 1, ["n", 3, "h"])])
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    assert mlc("check", str(path)).err.rstrip().endswith("as in --shape n=1 --shape h=1")


def test_sound_that_becomes_an_image_is_none(tmp_path: Path, mlc: CommandLine) -> None:
    """Its dims are those of a batch and of time; that a convolution sees it makes no image of it."""
    value = helper.make_tensor_value_info
    data = [
        onnx.numpy_helper.from_array(np.array([1]), "axis"),
        onnx.numpy_helper.from_array(np.ones((2, 1, 1), np.float32), "w"),
    ]
    nodes = [helper.make_node("Unsqueeze", ["x", "axis"], ["v"]), helper.make_node("Conv", ["v", "w"], ["y"])]
    graph = helper.make_graph(nodes, "g", [value("x", 1, ["n", "t"])], [value("y", 1, [None] * 3)], data)
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    assert mlc("check", str(path)).err.rstrip().endswith("as in --shape n=1 --shape t=1")
