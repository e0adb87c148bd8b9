"""Windows over images of any size, whose padding follows from the size: `auto_pad` and `ceil_mode` of ONNX, beside
windows of NumPy that say what the specification says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.support.errors import UserError

Array = NDArray[Any]
_WEIGHTS = np.random.default_rng(0).standard_normal((4, 3, 3, 3)).astype(np.float32)
_LEAST, _MOST = 5, 14


def _around(extent: int, taps: int, stride: int, auto: str, ceil: bool, dilation: int) -> tuple[int, int]:
    """The padding before and after an extent."""
    span = (taps - 1) * dilation + 1
    if auto == "NOTSET":
        room = extent - span
        return 0, -(-room // stride) * stride - room if ceil else 0
    total = max((-(-extent // stride) - 1) * stride + span - extent, 0)
    half = total // 2
    return (half, total - half) if auto == "SAME_UPPER" else (total - half, half)


def _windows(x: Array, around: list[tuple[int, int]], number: float, taps: int, stride: int, dilation: int) -> Array:
    """`[channels, rows, columns, taps, taps]`."""
    wide = np.pad(x, [(0, 0), *around], constant_values=number)
    span = (taps - 1) * dilation + 1
    return sliding_window_view(wide, (span, span), axis=(1, 2))[:, ::stride, ::stride, ::dilation, ::dilation]


def _expected(kind: str, x: Array, taps: int, stride: int, auto: str, ceil: bool, dilation: int) -> Array:
    around = [_around(extent, taps, stride, auto, ceil, dilation) for extent in x.shape[1:]]
    if kind == "MaxPool":
        return _windows(x, around, -np.inf, taps, stride, dilation).max((3, 4))
    windows = _windows(x, around, 0, taps, stride, dilation)
    if kind == "Conv":
        return np.einsum("chwij,ocij->ohw", windows, _WEIGHTS[:, :, :taps, :taps])
    if kind == "LpPool":
        return np.sqrt(np.square(windows).sum((3, 4)))
    return windows.sum((3, 4)) / _windows(np.ones_like(x), around, 0, taps, stride, dilation).sum((3, 4))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kind", "taps", "stride", "auto", "ceil", "dilation"),
    [
        ("MaxPool", 2, 2, "SAME_UPPER", False, 1),  # nothing before the image, at most one after it
        ("MaxPool", 3, 2, "SAME_UPPER", False, 1),  # one before images of an odd extent
        ("MaxPool", 3, 2, "SAME_LOWER", False, 2),
        ("MaxPool", 1, 3, "SAME_UPPER", False, 1),
        ("MaxPool", 3, 2, "NOTSET", True, 1),
        ("MaxPool", 2, 2, "NOTSET", True, 1),
        ("Conv", 3, 2, "SAME_UPPER", False, 1),
        ("Conv", 2, 2, "SAME_LOWER", False, 1),
        ("Conv", 3, 3, "SAME_LOWER", False, 2),
        ("AveragePool", 3, 2, "SAME_UPPER", False, 1),
        ("AveragePool", 2, 2, "SAME_LOWER", False, 1),
        ("AveragePool", 3, 2, "NOTSET", True, 1),
        ("LpPool", 3, 2, "SAME_UPPER", False, 1),
    ],
)
def test_padding_that_follows_from_the_extent(
    kind: str, taps: int, stride: int, auto: str, ceil: bool, dilation: int
) -> None:
    attributes: dict[str, Any] = {"kernel_shape": [taps] * 2, "strides": [stride] * 2, "auto_pad": auto}
    if ceil:
        attributes["ceil_mode"] = 1
    if dilation > 1:
        attributes["dilations"] = [dilation] * 2
    compiled = mlc.compile(
        _model(kind, attributes, taps), shapes={"h": range(_LEAST, _MOST + 1), "w": range(_LEAST, _MOST + 1)}
    )
    rng = np.random.default_rng(1)
    for h, w in ((_LEAST, _MOST), (_MOST, _LEAST), (7, 10), (10, 7), (6, 6), (9, 12), (8, 11)):
        compiled(np.full((1, 3, _MOST, _MOST), np.nan, np.float32))  # nothing of which is data of the next call
        x = rng.standard_normal((1, 3, h, w)).astype(np.float32)
        wanted = _expected(kind, np.tanh(x[0]), taps, stride, auto, ceil, dilation)
        found = compiled(x)
        assert found.shape == (1, *wanted.shape)
        np.testing.assert_allclose(found[0], wanted, rtol=1e-4, atol=1e-5, err_msg=f"{h}x{w}")


def _model(kind: str, attributes: dict[str, Any], taps: int) -> Any:
    inputs = ["a", "w"] if kind == "Conv" else ["a"]
    nodes = [helper.make_node("Tanh", ["x"], ["a"]), helper.make_node(kind, inputs, ["y"], **attributes)]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, "h", "w"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    weights = [numpy_helper.from_array(_WEIGHTS[:, :, :taps, :taps], "w")] if kind == "Conv" else []
    graph = helper.make_graph(nodes, "main", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


def test_windows_that_may_begin_in_the_padding_are_refused() -> None:
    """Whether there is such a one depends on the extent: a size that is not computed."""
    model = _model("MaxPool", {"kernel_shape": [1, 1], "strides": [3, 3], "ceil_mode": 1}, 1)
    with pytest.raises(UserError, match="required: known extents, or multiples of the strides"):
        mlc.compile(model, shapes={"h": range(_LEAST, _MOST + 1), "w": 6})
