"""Operators of ONNX Runtime with operands and attributes: quantised ones first.

Extents differ, zero points are at both ends and between, and operands that may be left out are there and are not.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from mlc.tests.unit.frontends.onnx.operator_cases import Array, Case, Known, floats


def bytes_of(kind: str, *shape: int, seed: int = 0) -> Array:
    """Numbers of all sizes."""
    low, high = (0, 256) if kind == "uint8" else (-128, 128)
    return np.random.default_rng(seed).integers(low, high, shape).astype(kind)


def scale(number: float) -> Known:
    return Known(np.float32(number))


def zero(number: int, kind: str) -> Known:
    return Known(np.array(number, kind))


_KINDS = ("uint8", "int8")
_ENDS = {"uint8": (0, 131, 255), "int8": (-128, 3, 127)}
_SCALES = np.linspace(0.002, 0.011, 5).astype(np.float32)


def _binary() -> list[Case]:
    found: list[Case] = []
    for kind, op in product(_KINDS, ("QLinearAdd", "QLinearMul")):
        low, middle, high = (zero(z, kind) for z in _ENDS[kind])
        x, y = bytes_of(kind, 3, 1, 7), bytes_of(kind, 5, 7, seed=1)
        found += [
            (op, [x, scale(0.02), middle, y, scale(0.03), low, scale(0.05), high], {}),
            (op, [x, scale(0.02), high, y, scale(0.03), middle, scale(0.05), middle], {}),
            (op, [x, scale(0.02), low, Known(y), scale(0.03), high, scale(0.11), low], {}),
            (op, [x, scale(0.02), middle, Known(np.array(7, kind)), scale(0.03), low, scale(0.01), middle], {}),
        ]
    return found


def _unary() -> list[Case]:
    found: list[Case] = []
    for kind in _KINDS:
        low, middle, high = (zero(z, kind) for z in _ENDS[kind])
        x, image = bytes_of(kind, 3, 5, 7), bytes_of(kind, 2, 3, 7, 6)
        for before, after in ((low, high), (middle, low), (high, middle)):
            given: list[Any] = [x, scale(0.04), before, scale(0.004), after]
            found += [
                ("QLinearSigmoid", given, {}),
                ("QLinearLeakyRelu", [*given[:3], scale(0.03), after], {"alpha": 0.3}),
                ("QLinearSoftmax", given, {"axis": 1, "opset": 13, "share": 0.25}),
                ("QLinearSoftmax", given, {"axis": 1, "opset": 12, "share": 0.25}),
                ("QLinearSoftmax", given, {"opset": 13, "share": 0.25}),
                ("QLinearGlobalAveragePool", [image, scale(0.02), before, scale(0.01), after], {}),
                ("QLinearGlobalAveragePool", [image, scale(0.02), before, scale(0.01), after], {"channels_last": 1}),
            ]
        found += [
            ("QLinearSigmoid", [x, scale(0.04), None, scale(0.004), None], {}),
            ("QLinearLeakyRelu", [x, scale(0.04), None, scale(0.03), None], {}),
            ("NhwcMaxPool", [image], {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
            ("NhwcMaxPool", [image], {"kernel_shape": [2, 2], "dilations": [1, 2], "ceil_mode": 1}),
        ]
        for last, ceil, counts in product((0, 1), repeat=3):
            how = {"channels_last": last, "ceil_mode": ceil, "count_include_pad": counts}
            window = {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}
            found.append(("QLinearAveragePool", [image, scale(0.02), middle, scale(0.013), high], {**window, **how}))
    return found


def _choices() -> list[Case]:
    found: list[Case] = []
    for kind in _KINDS:
        low, middle, high = (zero(z, kind) for z in _ENDS[kind])
        x, y, w = (bytes_of(kind, 3, n, 4, seed=n) for n in (5, 1, 2))
        given = [scale(0.02), middle, x, scale(0.02), low, y, scale(0.01), high, Known(w), scale(0.03), middle]
        found += [
            ("QLinearConcat", given, {"axis": 1}),
            ("QLinearConcat", given[:5], {"axis": -1}),
            (
                "QLinearWhere",
                [floats(5, 4) > 0, x, scale(0.02), high, y, scale(0.03), middle, scale(0.04), low],
                {},
            ),
        ]
    return found


def _products() -> list[Case]:
    found: list[Case] = []
    for left, right in product(_KINDS, _KINDS):
        if (left, right) == ("int8", "uint8"):
            continue
        a, w = bytes_of(left, 3, 9), bytes_of(right, 9, 5, seed=1)
        for many, (az, wz, yz) in product((False, True), ((0, 2, 1), (1, 1, 0), (2, 0, 2))):
            ws = Known(_SCALES) if many else scale(0.006)
            wzs = Known(np.full(5, _ENDS[right][wz], right)) if many else zero(_ENDS[right][wz], right)
            azs, yzs = zero(_ENDS[left][az], left), zero(_ENDS[left][yz], left)
            c = Known(np.arange(-7, 8, dtype=np.int32).reshape(3, 5) * 999)
            found += [
                ("QGemm", [a, scale(0.03), azs, Known(w), ws, wzs, c, scale(0.3), yzs], {"alpha": 1.5}),
                ("QGemm", [a, scale(0.03), azs, Known(w), ws, wzs, None, scale(0.3), yzs], {}),
                ("QGemm", [a, scale(0.03), azs, Known(w), ws, wzs, c], {}),
                ("QGemm", [a.T.copy(), scale(0.03), azs, Known(w.T.copy()), ws, wzs], {"transA": 1, "transB": 1}),
                ("MatMulIntegerToFloat", [a[None], Known(w), scale(0.03), ws, azs, wzs, Known(floats(5))], {}),
                ("MatMulIntegerToFloat", [a, w, scale(0.03), ws], {}),
            ]
            if left == "uint8":
                found.append(("DynamicQuantizeMatMul", [floats(2, 3, 9), Known(w), ws, wzs, Known(floats(5))], {}))
                found.append(("DynamicQuantizeMatMul", [floats(3, 9), Known(w), ws], {}))
    return found


def _convolutions() -> list[Case]:
    found: list[Case] = []
    for kind, last in product(_KINDS, (0, 1)):
        image = bytes_of(kind, 2, 4, 7, 6)
        image = image.transpose(0, 2, 3, 1).copy() if last else image
        w = Known(bytes_of("int8", 6, 2, 3, 2, seed=1))
        ws, wzs = Known(np.linspace(0.002, 0.01, 6).astype(np.float32)), Known(np.zeros(6, np.int8))
        low, middle, high = (zero(z, kind) for z in _ENDS[kind])
        how = {"channels_last": last, "group": 2, "pads": [1, 0, 1, 1], "strides": [2, 1], "dilations": [1, 2]}
        found += [
            ("QLinearConv", [image, scale(0.03), middle, w, ws, wzs, scale(0.04), low], how),
            (
                "QLinearConv",
                [image, scale(0.03), high, w, scale(0.01), zero(0, "int8"), scale(0.05), middle,
                 Known(np.arange(-3, 3, dtype=np.int32) * 500)],
                how,
            ),
        ]  # fmt: skip
    return found


def _linear() -> list[Case]:
    """What the quantiser writes of 16 bits, and of 4."""
    x = floats(3, 5)
    column = Known(np.linspace(0.001, 0.2, 5).astype(np.float32))
    found: list[Case] = []
    for kind, point in (("uint16", 30000), ("int16", -7), ("int8", 5), ("uint8", 250)):
        found += [
            ("QuantizeLinear", [x, scale(0.0003), zero(point, kind)], {}),
            ("QuantizeLinear", [x, column, Known(np.full(5, point, kind))], {"axis": 1}),
            ("DequantizeLinear", [np.arange(15, dtype=kind).reshape(3, 5), scale(0.01), zero(point, kind)], {}),
            (
                "DequantizeLinear",
                [np.arange(15, dtype=kind).reshape(3, 5), column, Known(np.full(5, point, kind))],
                {"axis": 1},
            ),
        ]
    return [*found, ("QuantizeLinear", [x, scale(0.02), None], {})]


QUANTIZED = [*_binary(), *_unary(), *_choices(), *_products(), *_convolutions(), *_linear()]
