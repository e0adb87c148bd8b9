"""Weights that are quantised in blocks, and layers with weights of eight bits."""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from mlc.tests.unit.frontends.onnx.contributed_cases import bytes_of, scale, zero
from mlc.tests.unit.frontends.onnx.operator_cases import Array, Case, Known, floats


def _bytes(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8)


def _matrices() -> list[Case]:
    found: list[Case] = []
    for bits, block, depth in product((2, 4, 8), (16, 32, 128, 256), (32, 45, 300)):
        rows, blocks = 5, -(-depth // block)
        how = {"K": depth, "N": rows, "bits": bits, "block_size": block, "accuracy_level": 1, "near": 2e-4}
        x = floats(2, 3, depth)
        packed = Known(_bytes(rows, blocks, block * bits // 8))
        scales = Known(np.abs(floats(rows, blocks, seed=1)) * 0.05)
        zeros: list[Any] = [None, Known(_bytes(rows, -(-blocks * bits // 8), seed=2))]
        if bits == 4:
            zeros.append(Known((floats(rows, blocks, seed=2) + 7).astype(np.float32)))
        found += [("MatMulNBits", [x, packed, scales, zero], how) for zero in zeros]
        if bits != 2:  # a rounding may be another one
            found.append(("MatMulNBits", [x, packed, scales, zeros[1]], {**how, "accuracy_level": 4, "near": 0.02}))
        if block == 32:
            order = Known(np.random.default_rng(3).integers(0, blocks, depth).astype(np.int32))
            if bits == 4:
                found.append(("MatMulNBits", [x, packed, scales, None, order], how))
            found.append(("MatMulNBits", [x, packed, scales, zeros[1], None, Known(floats(rows))], how))
            found.append(("MatMulNBits", [x[0], packed.data, scales.data, None], how))
    return found


def _tables() -> list[Case]:
    found: list[Case] = []
    indices = np.array([[3, 0], [6, -1], [2, 2]])
    for bits, block in product((4, 8), (16, 32)):
        data = Known(_bytes(7, 48 * bits // 8))
        blocks = -(-48 // block)
        scales, zeros = Known(floats(7, blocks)), Known(_bytes(7, -(-blocks * bits // 8), seed=1))
        how = {"bits": bits, "block_size": block}
        found += [
            ("GatherBlockQuantized", [data, indices, scales, zeros], how),
            ("GatherBlockQuantized", [data, indices, scales], how),
        ]
    for kind in (ml_dtypes.int4, ml_dtypes.uint4):
        numbers = (np.random.default_rng(2).integers(0, 16, (7, 33)) - (8 if kind == ml_dtypes.int4 else 0)).astype(
            kind
        )
        zeros, how = Known(numbers[:, :3].copy()), {"block_size": 16, "bits": 4}
        found += [
            ("GatherBlockQuantized", [Known(numbers), indices, Known(floats(7, 3)), zeros], how),
            ("GatherBlockQuantized", [Known(numbers), indices[0], Known(floats(7, 3))], how),
            (
                "GatherBlockQuantized",
                [Known(numbers.T.copy()), indices, Known(floats(3, 7)), Known(numbers[:, :3].T.copy())],
                {**how, "gather_axis": 1, "quantize_axis": 0},
            ),
        ]
    return found


def _lstm() -> list[Case]:
    """The runtime has other states where a sequence has ended, which the range for quantisation includes."""
    op, found = "DynamicQuantizeLSTM", list[Case]()
    for kind, (direction, ways), many in product(
        ("int8", "uint8"), (("forward", 1), ("reverse", 1), ("bidirectional", 2)), (False, True)
    ):
        w, r = Known(bytes_of(kind, ways, 4, 24)), Known(bytes_of(kind, ways, 6, 24, seed=1))
        scales = np.linspace(0.003, 0.009, 24 * ways).reshape(ways, 24).astype(np.float32)
        points = np.zeros((ways, 24), kind)
        if not many:
            scales, points = scales[:, 0], np.full(ways, 2 if kind == "int8" else 120, kind)
        ends = [Known(scales), Known(points), Known(scales * np.float32(1.5)), Known(points + np.array(not many, kind))]
        states = [floats(ways, 3, 6), floats(ways, 3, 6, seed=1)]
        how = {"hidden_size": 6, "direction": direction, "results": ["y", "h", "c"]}
        lengths, bias, holes = Known(np.array([5, 2, 3], np.int32)), Known(floats(ways, 48)), Known(floats(ways, 18))
        x = floats(5, 3, 4)
        found += [
            (op, [x, w, r, bias, None, *states, None, *ends], how),
            (op, [x, w, r, None, lengths, None, None, None, *ends], {**how, "near": 0.02}),
            (op, [x[:, :1].copy(), w, r, None, Known(np.array([3], np.int32)), None, None, None, *ends], how),
            (op, [x, w, r, bias, None, None, None, holes, *ends], {**how, "clip": 0.5}),
        ]
    return found


def _attention() -> list[Case]:
    op, found = "QAttention", list[Case]()
    x, how = bytes_of("uint8", 2, 5, 8), {"num_heads": 3, "near": 1e-4}
    column = Known(np.linspace(0.005, 0.02, 36).astype(np.float32))
    for kind in ("int8", "uint8"):
        w, ends = Known(bytes_of(kind, 8, 36, seed=1)), np.array([3, 5], np.int32)
        for scales, points in ((scale(0.01), zero(3, kind)), (column, Known(np.full(36, 3, kind)))):
            front, back = [x, w, Known(floats(36)), scale(0.02), scales], [zero(120, "uint8"), points]
            found += [
                (op, [*front, None, *back], how),
                (op, [*front, ends, *back], {**how, "unidirectional": 1}),
                (op, [*front, None, *back, floats(2, 2, 3, 4, 4)], {**how, "results": ["y", "p"]}),
            ]
        found.append((op, [x, w, Known(floats(36)), scale(0.02), scale(0.01)], how))
    return found


def _embeddings() -> list[Case]:
    op, found = "QEmbedLayerNormalization", list[Case]()
    ids = np.array([[3, 1, 0, 6, 2], [5, 5, 4, 1, 0]], np.int32)
    both = {"results": ["y", "m"], "near": 1e-4}
    for kind in ("uint8", "int8"):
        words, places, parts = (Known(bytes_of(kind, rows, 8, seed=rows)) for rows in (7, 6, 2))
        norm = [Known(bytes_of(kind, 8)), Known(bytes_of(kind, 8, seed=3))]
        scales, zeros = [scale(0.01 * i) for i in range(1, 6)], [zero(i, kind) for i in range(5)]
        without: list[Any] = [*scales[:2], None, *scales[3:], *zeros[:2], None, *zeros[3:]]
        found += [
            (op, [ids, ids % 2, words, places, parts, *norm, ids % 2, *scales, *zeros], both),
            (op, [ids, None, words, places, None, *norm, None, *without], both),
        ]
    return found


QUANTIZED_LAYERS = [*_lstm(), *_attention(), *_embeddings()]
BLOCKS = [*_matrices(), *_tables()]
