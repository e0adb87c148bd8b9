"""Models of ONNX that take and give floats of 8 bits and less, and integers of less than 8 bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.numpy_helper import to_float8e8m0

from mlc.compiler.compilation import new_context
from mlc.dialects.onnx.types import NUMBERS_BY_TYPE
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import STORED_TYPES, ElementType, dtype_named

Array = np.ndarray[Any, np.dtype[Any]]


def _converted(x: Array, target: int, folder: Path, **attributes: Any) -> Array:
    """What `Cast` makes of an array."""
    node = helper.make_node("Cast", ["x"], ["y"], to=target, **attributes)
    inputs = [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)]
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", target, x.shape)])
    path = folder / "model.onnx"
    cast(Any, onnx).save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)]), str(path))
    ctx = new_context()
    module = read_onnx(path, ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    return run_function(module, "main", [x], ctx.resources)[0]


@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
def test_powers_of_two_are_rounded_as_a_node_says(mode: str, tmp_path: Path) -> None:
    bits = np.random.default_rng(0).integers(0x00800000, 0x7F000000, 5000, np.uint32)
    x = np.concatenate([bits, bits & 0x7F800000, bits & 0x7F800000 | 0x00400000]).view(np.float32)
    found = _converted(x, onnx.TensorProto.FLOAT8E8M0, tmp_path, round_mode=mode)
    wanted = cast(Any, to_float8e8m0)(x, True, mode)
    assert found.dtype == wanted.dtype and np.array_equal(found.view(np.uint8), wanted.view(np.uint8))


def test_powers_of_two_end(tmp_path: Path) -> None:
    x = np.array([0, 2.0**-130, 2.0**-127, 1.5 * 2.0**-127, 2.0**-126, 3e38, np.inf, np.nan], np.float32)
    saturated = _converted(x, onnx.TensorProto.FLOAT8E8M0, tmp_path)
    assert saturated.view(np.uint8).tolist() == [0, 0, 0, 1, 1, 254, 254, 255]
    down = _converted(x, onnx.TensorProto.FLOAT8E8M0, tmp_path, round_mode="down", saturate=0)
    assert down.view(np.uint8).tolist() == [255, 0, 0, 0, 1, 254, 255, 255]


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (2, 3)], ids=str)
@pytest.mark.parametrize("element", [e for e in STORED_TYPES if e.type in NUMBERS_BY_TYPE], ids=lambda e: str(e.type))
def test_every_shape_is_converted(element: ElementType, shape: tuple[int, ...], tmp_path: Path) -> None:
    dtype = dtype_named(element.dtype)
    target = helper.np_dtype_to_tensor_dtype(dtype)
    x = np.ones(shape, np.float32)
    found = _converted(x, target, tmp_path)
    assert found.dtype == dtype and found.shape == shape
    back = _converted(found, onnx.TensorProto.FLOAT, tmp_path)
    assert back.dtype == np.float32 and back.shape == shape and (back == 1).all()
