"""What ONNX Runtime's optimiser makes of several operators: products, activations, norms and attention."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from mlc.tests.unit.frontends.onnx.operator_cases import Case, Known, floats

_IMAGE, _KERNEL = floats(2, 4, 6, 5), Known(floats(6, 2, 3, 2, seed=1))
_CONV = {"group": 2, "pads": [1, 0, 1, 1], "strides": [2, 1]}
_ROWS, _SKIP = floats(2, 5, 8), floats(2, 5, 8, seed=1)
_GAMMA, _BETA, _BIAS = (Known(floats(8, seed=seed)) for seed in (2, 3, 4))

FUSED: list[Case] = [
    ("FusedMatMul", [floats(2, 3, 4), floats(2, 4, 5, seed=1)], {"alpha": 0.3}),
    ("FusedMatMul", [floats(2, 4, 3), floats(2, 5, 4, seed=1)], {"transA": 1, "transB": 1}),
    ("FusedMatMul", [floats(3, 2, 4), floats(2, 4, 5, seed=1)], {"transBatchA": 1}),
    ("FusedMatMul", [floats(3, 2, 7, 4), floats(4, 2, 7, 5, seed=1)], {"transBatchA": 1, "transBatchB": 1}),
    ("FusedMatMul", [floats(4, 2, 3), floats(4, 2, 5, seed=1)], {"transBatchA": 1, "transA": 1, "transBatchB": 1}),
    ("FusedMatMul", [floats(4), floats(4, 5)], {"alpha": -1.5}),
    ("TransposeMatMul", [floats(4, 3), floats(4, 5)], {"transA": 1, "alpha": 2.0}),
    ("FusedGemm", [floats(3, 4), floats(4, 5), floats(5)], {"activation": "Relu", "beta": 0.5}),
    ("FusedGemm", [floats(3, 4), floats(4, 5)], {"activation": "LeakyRelu", "activation_alpha": 0.3}),
    (
        "FusedGemm",
        [floats(4, 3), floats(5, 4), floats(3, 1)],
        {"activation": "Sigmoid", "alpha": 0.7, "transA": 1, "transB": 1},
    ),
    (
        "FusedGemm",
        [floats(3, 4), floats(4, 5)],
        {"activation": "HardSigmoid", "activation_alpha": 0.3, "activation_beta": 0.4},
    ),
    ("FusedConv", [_IMAGE, _KERNEL, Known(floats(6))], {**_CONV, "activation": "Relu"}),
    ("FusedConv", [_IMAGE, _KERNEL], {**_CONV, "activation": "LeakyRelu", "activation_params": [0.2]}),
    ("FusedConv", [_IMAGE, _KERNEL], {**_CONV, "activation": "Clip", "activation_params": [-0.5, 1.5]}),
    ("FusedConv", [_IMAGE, _KERNEL], {**_CONV, "activation": "HardSigmoid", "activation_params": [0.2, 0.4]}),
    ("FusedConv", [_IMAGE, _KERNEL, Known(floats(6)), floats(2, 6, 3, 5)], {**_CONV, "activation": "Tanh"}),
    ("FusedConv", [_IMAGE, _KERNEL, None, floats(2, 6, 3, 5)], _CONV),
    ("Gelu", [floats(3, 4)], {}),
    ("BiasGelu", [floats(2, 3, 4), Known(floats(4))], {}),
    ("FastGelu", [floats(2, 3, 4)], {}),
    ("FastGelu", [floats(2, 3, 4), Known(floats(4))], {}),
    ("QuickGelu", [floats(2, 3, 4)], {}),
    ("QuickGelu", [floats(2, 3, 4)], {"alpha": 0.7}),
    ("SkipLayerNormalization", [_ROWS, _SKIP, _GAMMA], {}),
    (
        "SkipLayerNormalization",
        [_ROWS, _SKIP, _GAMMA, _BETA, _BIAS],
        {"epsilon": 0.1, "results": ["y", "", "", "s"]},
    ),
    ("SkipLayerNormalization", [_ROWS, _SKIP[:1], _GAMMA, _BETA], {"epsilon": 0.1}),
    ("SkipLayerNormalization", [_ROWS, _SKIP[0], _GAMMA, None, _BIAS], {"epsilon": 0.1}),
    ("SkipSimplifiedLayerNormalization", [_ROWS, _SKIP, _GAMMA], {}),
    (
        "SkipSimplifiedLayerNormalization",
        [_ROWS, _SKIP, _GAMMA, _BIAS],
        {"epsilon": 0.1, "results": ["y", "", "", "s"]},
    ),
    ("SimplifiedLayerNormalization", [_ROWS, _GAMMA], {"domain": "", "epsilon": 0.1}),
    (
        "SimplifiedLayerNormalization",
        [_ROWS, Known(floats(5, 8))],
        {"domain": "", "axis": 1, "results": ["y", "d"]},
    ),
    ("LayerNormalization", [_ROWS, _GAMMA, _BETA], {"domain": "", "epsilon": 0.1}),
    ("LayerNormalization", [_ROWS, _GAMMA], {"domain": "", "results": ["y", "m", "d"]}),
    ("Inverse", [floats(2, 5, 5)], {"near": 1e-3}),
    ("Trilu", [floats(2, 4, 5), Known(np.int64(1))], {}),
    ("Trilu", [floats(2, 4, 5)], {"upper": 0}),
    ("ExpandDims", [floats(2, 3), Known(np.array(-1, np.int32))], {}),
    ("ExpandDims", [floats(2, 3), Known(np.array(1, np.int32))], {}),
    ("CDist", [floats(4, 3), floats(5, 3, seed=1)], {"near": 1e-4}),
    ("CDist", [floats(4, 3), floats(5, 3, seed=1)], {"metric": "euclidean", "near": 1e-4}),
]

_IDS = np.array([[3, 1, 0, 6, 2], [5, 5, 4, 1, 0]], np.int32)
_SEGMENTS = np.array([[0, 0, 1, 1, 0], [1, 0, 0, 1, 1]], np.int32)
_MASK = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], np.int32)
_TABLES = [Known(floats(7, 8, seed=5)), Known(floats(6, 8, seed=6)), Known(floats(2, 8, seed=7))]


def _embeddings() -> list[Case]:
    op, both = "EmbedLayerNormalization", ["y", "m"]
    places = np.array([[4, 1, 0, 2, 3], [0, 1, 2, 3, 5]], np.int32)
    return [
        (op, [_IDS, _SEGMENTS, *_TABLES, _GAMMA, _BETA, _MASK], {"results": ["y", "m", "s"], "epsilon": 0.1}),
        (op, [_IDS, None, *_TABLES[:2], None, _GAMMA, _BETA], {"results": both}),
        (op, [_IDS, None, *_TABLES[:2], None, _GAMMA, _BETA, None, places], {"results": both}),
        (op, [_IDS, None, *_TABLES[:2], None, _GAMMA, _BETA, _MASK, places[:1]], {"results": both}),
    ]


def _fused_attention() -> list[Case]:
    """Three heads of four columns; masks of all kinds."""
    op, x, w = "Attention", floats(2, 5, 8), Known(floats(8, 36, seed=1))
    bias, past = Known(floats(36, seed=2)), floats(2, 2, 3, 4, 4, seed=3)
    both, heads = ["y", "p"], {"num_heads": 3, "near": 1e-4}
    masks = [
        np.array([3, 5], np.int32),
        np.array([4, 5, 1, 2], np.int32),
        _MASK,
        np.random.default_rng(0).integers(0, 2, (2, 5, 5)).astype(np.int32),
    ]
    found: list[Case] = [
        (op, [x, w], heads),
        (op, [x, w, bias], {**heads, "unidirectional": 1, "scale": 0.3}),
        (op, [x, w, bias, None, past], {**heads, "results": both}),
        (op, [x, w, bias, None, past], {**heads, "results": both, "unidirectional": 1}),
        (op, [x, w, bias, None, None, floats(2, 3, 5, 5)], heads),
        (op, [x, w, bias, None, None, floats(1, 1, 5, 5)], {**heads, "unidirectional": 1}),
        (
            op,
            [x, Known(floats(8, 30)), Known(floats(30))],
            {**heads, "qkv_hidden_sizes": [12, 12, 6]},
        ),
        (
            op,
            [x, w, bias, np.array([[1] * 7 + [0] * 2, [0] + [1] * 8], np.int32), past],
            {**heads, "results": both},
        ),
    ]
    for mask, one_way in product(masks, (0, 1)):
        found.append((op, [x, w, bias, mask], {**heads, "unidirectional": one_way}))
        found.append((op, [x, w, bias, mask], {**heads, "unidirectional": one_way, "mask_filter_value": -2.0}))
    return found


def _separate_attention() -> list[Case]:
    """Two heads; keys and values have rows of their own."""
    op, q, k, v = "MultiHeadAttention", floats(2, 5, 8), floats(2, 7, 8, seed=1), floats(2, 7, 6, seed=2)
    heads, all_three = {"num_heads": 2, "near": 1e-4}, ["y", "k", "v"]
    k4, v4 = floats(2, 2, 7, 4, seed=1), floats(2, 2, 7, 4, seed=2)
    past = [floats(2, 2, 3, 4, seed=4), floats(2, 2, 3, 4, seed=5)]
    same = [floats(2, 5, 8, seed=6), floats(2, 5, 8, seed=7)]
    mask = np.random.default_rng(1).integers(0, 2, (2, 7)).astype(np.int32)
    mask[:, 0] = 1
    square = np.random.default_rng(1).integers(0, 2, (2, 5, 7)).astype(np.int32)
    return [
        (op, [q, k, v], heads),
        (op, [q, k, v, Known(floats(22))], {**heads, "scale": 0.2}),
        (op, [q, k, v, None, np.array([3, 7], np.int32)], heads),
        (op, [q, k, v, None, mask], heads),
        (op, [q, k, v, None, mask, floats(1, 2, 5, 7)], {**heads, "mask_filter_value": -3.0}),
        (op, [q, k, v, None, square], heads),
        (op, [q, k, v, None, None, floats(2, 1, 5, 7)], heads),
        (op, [q, k4, v4], heads),
        (op, [q, *same], {**heads, "unidirectional": 1, "results": all_three}),
        (op, [q, *same, None, None, None, *past], {**heads, "unidirectional": 1, "results": all_three}),
        (op, [q, *same, Known(floats(24)), None, floats(1, 1, 5, 8), *past], {**heads, "results": all_three}),
    ]


def _rotary() -> list[Case]:
    op, cos, sin = "RotaryEmbedding", floats(9, 4, seed=1), floats(9, 4, seed=2)
    places = np.array([[0, 3, 2, 8, 1], [4, 5, 6, 7, 8]])
    x, x4 = floats(2, 5, 24), floats(2, 3, 5, 8)
    half = [Known(cos[:, :2].copy()), Known(sin[:, :2].copy())]
    tables = [Known(cos), Known(sin)]
    return [
        (op, [x, places, *tables], {}),
        (op, [x, Known(np.array([3])), *tables], {"interleaved": 1}),
        (op, [x4, places, *tables], {}),
        (op, [x4, np.array([2]), *tables], {"interleaved": 1}),
        (op, [x, places, *half], {"rotary_embedding_dim": 4, "num_heads": 3}),
        (op, [x, places, *half], {"rotary_embedding_dim": 4, "num_heads": 3, "interleaved": 1}),
    ]


def _grouped() -> list[Case]:
    """Four heads of queries, two of keys and values, of eight columns."""
    op = "GroupQueryAttention"
    heads: dict[str, Any] = {"num_heads": 4, "kv_num_heads": 2, "results": ["y", "k", "v"], "near": 1e-4}
    tables = [Known(floats(16, 8, seed=8)), Known(floats(16, 8, seed=9))]
    q, k, v = floats(2, 5, 32), floats(2, 5, 16, seed=1), floats(2, 5, 16, seed=2)
    first = [None, None, np.array([4, 4], np.int32), Known(np.array(5, np.int32))]
    past = [floats(2, 2, 6, 8, seed=3), floats(2, 2, 6, 8, seed=4)]
    step = [x[:, :1].copy() for x in (q, k, v)]
    more = [x[:1, :3].copy() for x in (q, k, v)]
    at = {n: Known(np.array(n, np.int32)) for n in (7, 9)}
    last, rotary = np.array([6, 6], np.int32), {**heads, "do_rotary": 1}
    only = {**rotary, "compared": 1}  # rows of a cache behind the last one are anything
    wide, widely = floats(2, 3, 128), [floats(2, 2, 6, 16, seed=3), floats(2, 2, 6, 16, seed=4)]
    return [
        (op, [q, k, v, *first], heads),
        (op, [floats(2, 5, 64), None, None, *first], heads),
        (op, [q, k, v, *first], {**heads, "scale": 0.2, "softcap": 0.5}),
        (op, [q, k, v, *first], {**heads, "local_window_size": 2}),
        (op, [q, k, v, *first], {**heads, "smooth_softmax": 1}),
        (op, [floats(2, 5, 128), None, None, *first, *tables], rotary),
        (op, [floats(2, 5, 128), None, None, *first, *tables], {**rotary, "rotary_interleaved": 1}),
        (op, [q, k, v, *first, None, None, None, floats(1, 4, 5, 5)], {**heads, "softcap": 2.0}),
        (op, [q, k, v, *first, None, None, None, None, Known(floats(4))], heads),
        (op, [*step, *past, last, at[7]], heads),
        (op, [*more, *(x[:1].copy() for x in past), np.array([8], np.int32), at[9]], heads),
        (op, [wide[:, :1].copy(), None, None, *widely, np.array([6, 3], np.int32), at[7], *tables], only),
        (op, [wide[:1].copy(), None, None, *(x[:1] for x in widely), np.array([8], np.int32), at[9], *tables], rotary),
        (op, [*step, *past, last, at[7]], {**heads, "local_window_size": 3}),
        (op, [*step, *past, last, at[7], None, None, None, floats(2, 1, 1, 7)], heads),
    ]


ATTENTION = [*_embeddings(), *_fused_attention(), *_separate_attention(), *_rotary(), *_grouped()]
