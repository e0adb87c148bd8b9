"""Blocks of well-known networks. Each is a pair of files in `models/`: graph text, and the nodes of the ONNX model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from mlc.benchmarks.case import Array, Case, Shape

_MODELS = Path(__file__).resolve().parent / "models"
_INPUT = re.compile(r"%(\w+): tensor<([\dx]+)xf32>")
_WEIGHT = re.compile(r"dense_resource<(\w+)> : tensor<([\dx]+)xf32>")
_OUTPUT = re.compile(r"-> tensor<([\dx]+)xf32> \{")
_HIDDEN = np.finfo(np.float32).min
"""What a mask adds to the score of a token that must not be looked at."""


def cases() -> Iterator[Case]:
    """All of them. Flops are those of the matrix products and convolutions."""
    yield _block("bottleneck", _convolutions(56, 256 * 64, 9 * 64 * 64, 64 * 256), channels_last=True)
    yield _block("inverted_residual", _convolutions(28, 32 * 192, 9 * 192, 192 * 32), channels_last=True)
    yield _block("bert_encoder_layer", _transformer(128, 384, 4 * 384, 2), {"mask": _padding_mask})
    yield _block(
        "llama_decoder_layer",
        _transformer(64, 512, 1376, 3),
        {
            "mask": _causal_mask,
            "cos": lambda shape: np.cos(_angles(shape)),
            "sin": lambda shape: np.sin(_angles(shape)),
        },
    )


def _block(
    name: str,
    flops: int,
    values: Mapping[str, Callable[[Shape], Array]] | None = None,
    *,
    channels_last: bool = False,
) -> Case:
    text = (_MODELS / f"{name}.mlir").read_text(encoding="utf-8")
    (output,) = _OUTPUT.findall(text)
    return Case(
        name=name.replace("_", "-"),
        kind="compute",
        text=text,
        onnx=(_MODELS / f"{name}.onnx.txt").read_text(encoding="utf-8"),
        inputs={tensor: _shape(shape) for tensor, shape in _INPUT.findall(text)},
        weights={tensor: _shape(shape) for tensor, shape in _WEIGHT.findall(text)},
        output=_shape(output),
        flops=flops,
        channels_last=channels_last,
        values=values or {},
    )


def _shape(text: str) -> Shape:
    return tuple(map(int, text.split("x")))


def _convolutions(size: int, *weights: int) -> int:
    """The flops of convolutions that keep the size of their image, by their numbers of weights."""
    return 2 * size * size * sum(weights)


def _transformer(tokens: int, width: int, hidden: int, feed_forward: int) -> int:
    """The flops of a layer that has `feed_forward` products with the hidden units."""
    projections = 4 * tokens * width * width
    attention = 2 * tokens * tokens * width
    return 2 * (projections + attention + feed_forward * tokens * width * hidden)


def _padding_mask(shape: Shape) -> Array:
    """A sentence that fills four fifths of the places."""
    mask = np.zeros(shape, np.float32)
    mask[..., shape[-1] * 4 // 5 :] = -10_000
    return mask


def _causal_mask(shape: Shape) -> Array:
    """Each token sees itself and those before it."""
    return np.triu(np.full(shape, _HIDDEN, np.float32), 1)


def _angles(shape: Shape) -> Array:
    """By how much each pair of elements is turned at each position (Su et al., 2021, equation 15)."""
    positions, width = shape
    frequencies = 10_000.0 ** (-np.arange(0, width, 2) / width)
    return np.tile(np.outer(np.arange(positions), frequencies), 2).astype(np.float32)
