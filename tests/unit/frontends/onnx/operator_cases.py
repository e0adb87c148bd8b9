"""Operators of ONNX with operands and attributes.

Attributes have values that are not the default, and extents differ, so that an axis that is taken for another shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Known:
    """An operand that is a constant of the model."""

    data: Any


Case = tuple[str, list[Any], dict[str, Any]]
"""An operator, its operands (None is one that is left out), its attributes; `results` and `opset` stand among these."""


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _ints(low: int, high: int, *shape: int, dtype: Any = np.int64) -> Array:
    return np.random.default_rng(1).integers(low, high, shape).astype(dtype)


def _k(*numbers: int) -> Known:
    return Known(np.array(numbers, np.int64))


X = floats(2, 3, 4)
ROW = np.array([3, 1, 3, -2, 0, 3, 1], np.float32)
_PIXELS = floats(1, 2, 6, 7)
_NONE = np.zeros((2, 0, 3), np.float32)

_REDUCTIONS: list[Case] = [
    *(
        (f"Reduce{kind}", [np.abs(X) + 0.5, _k(0, -1)], {"keepdims": 0})
        for kind in ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "SumSquare", "LogSumExp")
    ),
    ("ReduceLogSumExp", [np.array([[300, 301], [-np.inf, -np.inf], [np.inf, 1]], np.float32), _k(1)], {}),
    ("ReduceMean", [np.array([[7, -9], [-7, 0]], np.int32), _k(1)], {}),
    ("ReduceProd", [_NONE, _k(1)], {"keepdims": 0}),
    ("ReduceSum", [_NONE, _k(1)], {}),
    ("ReduceProd", [X], {}),
    ("ReduceL1", [X, _k(1)], {}),
    ("ReduceSum", [X, Known(np.zeros(0, np.int64))], {"noop_with_empty_axes": 1}),
    ("ReduceMax", [X > 0, _k(1)], {"keepdims": 0, "opset": 20}),
    ("ReduceMin", [X > 0, _k(1)], {"keepdims": 0, "opset": 20}),
    ("ArgMax", [ROW], {"axis": 0, "keepdims": 0}),
    ("ArgMax", [ROW], {"axis": 0, "keepdims": 0, "select_last_index": 1}),
    ("ArgMin", [X], {"axis": -1}),
    ("CumSum", [X, Known(np.int64(1))], {"exclusive": 1, "reverse": 1}),
    ("CumSum", [X, Known(np.int64(2))], {"exclusive": 1}),
    ("CumSum", [X, Known(np.int64(0))], {"reverse": 1}),
]


_MOVES: list[Case] = [
    ("Slice", [X, _k(1, -1), _k(9, -4), _k(1, 2), _k(1, -2)], {}),
    ("Slice", [X, _k(-2), _k(2), _k(-1)], {}),
    ("Slice", [X, _k(3), _k(-99), _k(2), _k(-1)], {}),
    ("Slice", [X, _k(0), _k(-1), _k(2), _k(2)], {}),
    ("Slice", [X, _k(2), _k(1), _k(1)], {}),
    ("Slice", [X, _k(-99), _k(-999), _k(2), _k(-1)], {}),
    ("Split", [floats(7, 2)], {"num_outputs": 3, "results": 3}),
    ("Split", [floats(2, 7), _k(1, 4, 2)], {"axis": -1, "results": 3}),
    ("Pad", [X, _k(0, 1, 2, 1, 0, -1), Known(np.float32(7))], {}),
    ("Pad", [X, _k(2, 1, -1, 1), None, _k(2, 1)], {}),
    ("Pad", [X, _k(0, 2, 1, 0, 1, 3)], {"mode": "reflect"}),
    ("Pad", [X, _k(0, 2, 1, 0, 1, 3)], {"mode": "edge"}),
    ("Pad", [X, _k(0, 2, 1, 0, 1, 3)], {"mode": "wrap"}),
    ("Gather", [X, _k(1, 2)], {"axis": 1}),
    ("Gather", [X, _k(-1)], {"axis": 2}),
    ("Gather", [X, Known(np.int64(1))], {"axis": 1}),
    ("Gather", [X, np.array([[2, -3], [0, 1]])], {"axis": 1}),
    ("GatherND", [X, Known(np.array([[0, -2], [0, 2], [-1, 0]]))], {}),
    ("GatherND", [X, Known(np.array([[0, 2, 3], [1, 0, 0]]))], {}),
    ("GatherND", [X, Known(np.array([[0, 0, 3], [1, 0, 0]]))], {}),
    ("GatherND", [X, np.array([[2], [0]])], {"batch_dims": 1}),
    ("GatherElements", [X, _ints(-3, 3, 2, 2, 4)], {"axis": 1}),
    ("ScatterElements", [X, np.array([[[1, 0, 1, 2]]]), floats(1, 1, 4)], {"axis": 1}),
    ("ScatterElements", [X, np.array([[[1, 1, -2, 1]]]), floats(1, 1, 4)], {"axis": 2, "reduction": "add"}),
    ("ScatterElements", [X, np.array([[[1, 1, 2, 1]]]), floats(1, 1, 4)], {"axis": 2, "reduction": "max"}),
    ("ScatterND", [X, np.array([[0, 1], [1, -1]]), floats(2, 4)], {}),
    ("ScatterND", [X, np.array([[0, 1], [0, 1]]), floats(2, 4)], {"reduction": "mul"}),
    ("Concat", [X, floats(2, 0, 4), floats(2, 2, 4)], {"axis": 1}),
    ("Transpose", [X], {}),
    ("Transpose", [X], {"perm": [1, 2, 0]}),
    ("Reshape", [X, _k(0, -1, 2)], {}),
    ("Reshape", [_NONE, _k(3, 0, 7)], {"allowzero": 1}),
    ("Flatten", [X], {"axis": 2}),
    ("Flatten", [X], {"axis": -2}),
    ("Flatten", [X], {"axis": 0}),
    ("Squeeze", [floats(1, 3, 1, 2), _k(-2)], {}),
    ("Unsqueeze", [X, _k(-1, 1)], {}),
    ("Expand", [floats(3, 1), _k(2, 1, 4)], {}),
    ("Tile", [X, _k(2, 1, 3)], {}),
    ("DepthToSpace", [floats(1, 8, 2, 3)], {"blocksize": 2}),
    ("DepthToSpace", [floats(1, 8, 2, 3)], {"blocksize": 2, "mode": "CRD"}),
    ("SpaceToDepth", [floats(1, 2, 4, 6)], {"blocksize": 2}),
    ("Trilu", [X, Known(np.int64(1))], {}),
    ("Trilu", [X, Known(np.int64(-1))], {"upper": 0}),
    ("CenterCropPad", [floats(5, 3, 4), _k(2, 7)], {"axes": [0, -1]}),
    ("OneHot", [np.array([[1, -1], [0, 2]]), Known(np.int64(3)), np.array([2, 5], np.float32)], {"axis": 1}),
    ("ReverseSequence", [floats(4, 3, 2), np.array([2, 4, 1])], {"time_axis": 0, "batch_axis": 1}),
    ("ReverseSequence", [floats(3, 4, 2), np.array([2, 4, 1])], {"time_axis": 1, "batch_axis": 0}),
    ("EyeLike", [floats(3, 4)], {"k": 1}),
    ("Shape", [X], {"start": 1, "end": -1}),
    ("Range", [Known(np.float32(1)), Known(np.float32(8)), Known(np.float32(3))], {}),
    ("Range", [Known(np.int64(5)), Known(np.int64(0)), Known(np.int64(-2))], {}),
]

_W, _R, _B = floats(2, 20, 3), floats(2, 20, 5, seed=1), floats(2, 40, seed=2)
_SEQUENCE, _H, _C = floats(4, 2, 3), floats(2, 2, 5, seed=3), floats(2, 2, 5, seed=4)
_BOTH = {"hidden_size": 5, "direction": "bidirectional", "opset": 14}

_WINDOWS: list[Case] = [
    (
        "Conv",
        [_PIXELS, floats(4, 1, 3, 2), floats(4)],
        {"group": 2, "strides": [2, 1], "pads": [1, 0, 0, 1], "dilations": [1, 2]},
    ),
    ("Conv", [_PIXELS, floats(3, 2, 3, 2)], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    ("Conv", [_PIXELS, floats(3, 2, 3, 2)], {"auto_pad": "SAME_LOWER", "strides": [2, 3]}),
    ("Conv", [_PIXELS, floats(3, 2, 2, 2)], {"pads": [2, 0, 0, 3]}),
    ("Conv", [floats(2, 3, 9), floats(2, 3, 3)], {"strides": [2], "pads": [1, 0]}),
    (
        "ConvTranspose",
        [floats(1, 2, 4, 3), floats(2, 3, 3, 2), floats(3)],
        {"strides": [2, 3], "pads": [1, 0, 0, 1], "output_padding": [1, 0]},
    ),
    ("ConvTranspose", [floats(1, 4, 3, 3), floats(4, 1, 2, 2)], {"group": 2, "dilations": [2, 1]}),
    (
        "MaxPool",
        [_PIXELS],
        {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1], "results": 2, "opset": 12},
    ),
    ("MaxPool", [_PIXELS], {"kernel_shape": [2, 2], "ceil_mode": 1, "strides": [2, 2]}),
    ("MaxPool", [_PIXELS], {"kernel_shape": [2, 2], "storage_order": 1, "results": 2}),
    ("MaxPool", [floats(1, 1, 3, 3)], {"kernel_shape": [2, 2], "pads": [1] * 4, "ceil_mode": 1, "strides": [2, 2]}),
    ("AveragePool", [_PIXELS], {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
    (
        "AveragePool",
        [_PIXELS],
        {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1], "count_include_pad": 1},
    ),
    ("AveragePool", [_PIXELS], {"kernel_shape": [2, 2], "ceil_mode": 1, "strides": [2, 2]}),
    ("LpPool", [_PIXELS], {"kernel_shape": [2, 3], "p": 3}),
    ("GlobalAveragePool", [_PIXELS], {}),
    ("GlobalMaxPool", [_PIXELS], {}),
    ("Col2Im", [floats(1, 8, 6), _k(3, 5), _k(2, 2)], {"strides": [1, 2], "pads": [0, 1, 0, 0]}),
    (
        "MaxUnpool",
        [np.array([[[[1, 2], [3, 4]]]], np.float32), np.array([[[[5, 7], [13, 15]]]])],
        {"kernel_shape": [2, 2], "strides": [2, 2]},
    ),
]

_NORMS: list[Case] = [
    ("Softmax", [X], {"axis": 1}),
    ("Softmax", [X], {"axis": 1, "opset": 11}),
    ("LogSoftmax", [X], {"axis": 0}),
    ("Hardmax", [np.array([[1, 3, 3], [2, 0, 1]], np.float32)], {"axis": 1}),
    ("LayerNormalization", [X, floats(3, 4), floats(3, 4)], {"axis": 1, "epsilon": 0.1, "results": 3}),
    ("BatchNormalization", [X, floats(3), floats(3), floats(3), np.ones(3, np.float32) * 2], {"epsilon": 0.1}),
    (
        "BatchNormalization",
        [X, floats(3), floats(3), floats(3), np.ones(3, np.float32) * 2],
        {"training_mode": 1, "momentum": 0.3, "results": 3},
    ),
    ("InstanceNormalization", [X, floats(3), floats(3)], {"epsilon": 0.1}),
    ("GroupNormalization", [floats(2, 4, 3), floats(4), floats(4)], {"num_groups": 2, "opset": 21}),
    ("LRN", [floats(1, 5, 2, 2)], {"size": 3, "alpha": 0.5, "beta": 0.7, "bias": 2.0}),
    ("LpNormalization", [X], {"axis": 1, "p": 1}),
    ("MeanVarianceNormalization", [floats(2, 3, 2, 4)], {}),
    ("Gemm", [floats(3, 2), floats(4, 3), floats(4)], {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 3.0}),
    ("MatMul", [floats(3), floats(2, 3, 4)], {}),
    ("MatMul", [floats(2, 4, 3), floats(3)], {}),
    ("Einsum", [floats(2, 3, 4), floats(4, 3, 5)], {"equation": "bij,jic->cb"}),
    ("Einsum", [floats(3, 3, 2)], {"equation": "iij->j"}),
    ("Einsum", [floats(2, 3, 4), floats(2, 4)], {"equation": "...ab,...b->...a"}),
    (
        "LSTM",
        [_SEQUENCE, Known(_W), Known(_R), Known(_B), None, _H, _C, Known(floats(2, 15))],
        {**_BOTH, "results": 3},
    ),
    ("LSTM", [_SEQUENCE, Known(_W[:1]), Known(_R[:1])], {"hidden_size": 5, "opset": 14, "results": 2}),
    ("GRU", [_SEQUENCE, Known(_W[:, :15]), Known(_R[:, :15]), Known(_B[:, :30]), None, _H], {**_BOTH, "results": 2}),
    (
        "GRU",
        [_SEQUENCE, Known(_W[:1, :15]), Known(_R[:1, :15]), Known(_B[:1, :30])],
        {"hidden_size": 5, "linear_before_reset": 1, "opset": 14, "results": 2},
    ),
    ("RNN", [_SEQUENCE, Known(_W[:, :5]), Known(_R[:, :5]), Known(_B[:, :10]), None, _H], {**_BOTH, "results": 2}),
    (
        "RNN",
        [_SEQUENCE, Known(_W[:, :5]), Known(_R[:, :5])],
        {**_BOTH, "activations": ["Tanh", "Relu"], "results": 2},
    ),
]

_BOXES = np.array(
    [[0, 0, 4, 4], [0, 1, 4, 5], [0, 2, 4, 6], [9, 9, 5, 5], [5, 5, 9, 8], [7, 7, 7, 7], [20, 20, 21, 22]], np.float32
)
"""The first covers the second, and that the third; corners in any order; one without an area."""
_SCORES = np.array([[0.9, 0.8, 0.78, 0.75, 0.6, 0.85, 0.05], [0.1, 0.5, 0.3, 0.2, 0.7, 0.4, 0.9]], np.float32)
_CENTERED = np.array([[5, 5, 4, 2], [5, 6.5, 4, 2], [6.5, 5, 4, 2], [1, 1, 0, 0]], np.float32)
"""Of the second, a seventh of both lies in the first, of the third 5/11."""


def _suppression(boxes: Array, scores: Array, most: int, overlap: float, **attributes: int) -> list[Case]:
    """Of some boxes, and of those and 30 that cover each other elsewhere, so many that the wanted ones are sorted."""
    far = np.tile(np.array([30, 30, 2, 3], np.float32), (30, 1))
    more = np.concatenate([boxes, far]), np.concatenate([scores, np.full((len(scores), 30), 0.2, np.float32)], 1)
    bounds = [_k(most), Known(np.array([overlap], np.float32)), Known(np.array([0.08], np.float32))]
    pairs = ((boxes, scores), more)
    return [("NonMaxSuppression", [one[None], two[None], *bounds], attributes) for one, two in pairs]


_OTHERS: list[Case] = [
    *_suppression(_BOXES, _SCORES, 9, 0.5),
    *_suppression(_BOXES, _SCORES, 4, 0.65),
    *_suppression(_BOXES, _SCORES, 2, 0.05),
    *_suppression(_CENTERED, _SCORES[:, :4], 4, 0.3, center_point_box=1),
    (
        "NonMaxSuppression",
        [_BOXES[None], _SCORES[None], np.array([2]), Known(np.array([0.5], np.float32))],
        {},
    ),
    (
        "QuantizeLinear",
        [floats(2, 5) * 200, Known(np.array([0.7, 3], np.float32)), Known(np.array([3, 130], np.uint8))],
        {"axis": 0},
    ),
    ("QuantizeLinear", [floats(2, 5) * 200, Known(np.float32(0.7)), Known(np.int8(-3))], {}),
    (
        "DequantizeLinear",
        [
            _ints(0, 255, 2, 3, dtype=np.uint8),
            Known(np.array([0.5, 2, 3], np.float32)),
            Known(np.array([0, 128, 255], np.uint8)),
        ],
        {"axis": 1},
    ),
    ("DynamicQuantizeLinear", [floats(3, 4)], {"results": 3}),
    ("DynamicQuantizeLinear", [abs(floats(3, 4)) + 2], {"results": 3}),
    (
        "MatMulInteger",
        [
            _ints(0, 255, 2, 3, dtype=np.uint8),
            _ints(0, 255, 3, 4, dtype=np.uint8),
            Known(np.uint8(12)),
            Known(np.uint8(250)),
        ],
        {},
    ),
    (
        "ConvInteger",
        [_ints(0, 255, 1, 1, 3, 3, dtype=np.uint8), _ints(0, 255, 1, 1, 2, 2, dtype=np.uint8), Known(np.uint8(7))],
        {"pads": [1, 1, 0, 0]},
    ),
    (
        "QLinearMatMul",
        [
            _ints(0, 255, 2, 3, dtype=np.uint8),
            Known(np.array([0.1], np.float32)),
            Known(np.array([9], np.uint8)),
            _ints(0, 255, 3, 2, dtype=np.uint8),
            Known(np.array([0.2], np.float32)),
            Known(np.array([7], np.uint8)),
            Known(np.array([2.5], np.float32)),
            Known(np.array([100], np.uint8)),
        ],
        {},
    ),
    ("TopK", [X, _k(2)], {"axis": 1, "results": 2}),
    ("TopK", [X, _k(3)], {"largest": 0, "results": 2}),
    ("Compress", [X, np.array([False, True, True])], {"axis": 1}),
    ("Compress", [X, np.array([False, True, True, False, True])], {}),
    ("NonZero", [np.array([[1, 0, 2], [0, 0, 3]], np.float32)], {}),
    ("Unique", [np.array([3, 1, 2], np.int64)], {"results": 4}),
    ("Unique", [np.array([3, 1, 1, 3, 2], np.int64)], {"results": 4}),
    ("Unique", [np.array([3, 1, 1, 3, 2], np.int64)], {"results": 4, "sorted": 0}),
    ("Mod", [np.array([-7, 7, 7, -7]), np.array([3, -3, 3, -3])], {}),
    ("Mod", [np.array([-7, 7, 7.5], np.float32), np.array([3, -3, 2], np.float32)], {"fmod": 1}),
    ("IsInf", [np.array([np.inf, -np.inf, 1], np.float32)], {"detect_negative": 0}),
    ("Shrink", [X], {"bias": 0.3, "lambd": 0.7}),
    ("HardSigmoid", [X * 3], {"alpha": 0.3, "beta": 0.4}),
    ("Celu", [X], {"alpha": 2.0}),
    ("Elu", [X], {"alpha": 2.0}),
    ("Selu", [X], {}),
    ("ThresholdedRelu", [X], {"alpha": 0.5}),
    ("PRelu", [X, floats(3, 1)], {}),
    ("Clip", [X, None, Known(np.float32(0.5))], {}),
    ("BitShift", [np.array([1, 6, 200], np.uint8), np.array([1, 2, 1], np.uint8)], {"direction": "RIGHT"}),
    ("Where", [X > 0, X, floats(4)], {}),
    ("Resize", [floats(1, 1, 4, 5), None, None, _k(1, 1, 7, 3)], {"mode": "linear"}),
    ("Resize", [floats(1, 1, 4, 5), None, None, _k(1, 1, 7, 3)], {"mode": "cubic", "cubic_coeff_a": -0.5}),
    (
        "Resize",
        [floats(1, 1, 4, 5), None, None, _k(1, 1, 7, 3)],
        {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
    ),
    ("Resize", [floats(1, 1, 8, 5), None, None, _k(1, 1, 3, 5)], {"mode": "linear", "antialias": 1}),
]
CASES = [*_REDUCTIONS, *_MOVES, *_WINDOWS, *_NORMS, *_OTHERS]
