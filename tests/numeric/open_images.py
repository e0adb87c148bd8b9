"""Random convolutional networks whose images have open extents.

Their features have several sizes, each half the one before. They are made smaller, larger, joined, split, weighed by
means, and surrounded by borders.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

Array = NDArray[Any]
HEIGHTS, WIDTHS = range(8, 41, 8), range(8, 33, 8)
CALLS = ((8, 8), (40, 32), (8, 24), (24, 8), (40, 8), (16, 32), (8, 8), (32, 16))
"""Extents of calls, in an order that leaves larger images in memory for smaller ones, and the other way round."""
_WIDTH = 4
_LEVELS = 3


class OpenImages:
    """One model: an input `x` [1, 3, height, width], and one output."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.features: dict[int, list[str]] = {level: [] for level in range(_LEVELS + 1)}
        """By how often they are half as large as the input; all have `_WIDTH` channels."""

    def build(self, steps: int) -> onnx.ModelProto:
        """A model of so many random steps."""
        self.features[0].append(self.conv("x", 3))
        for _ in range(steps):
            self.rng.choice(
                [self.window, self.smaller, self.larger, self.joined, self.summed, self.weighed, self.padded]
            )()
        level = self.rng.choice([level for level, made in self.features.items() if made])
        last = self.op("Add", self.features[level][-1], self.rng.choice(self.features[level]))
        self.rng.choice([self.keep, self.pooled, self.rows])(last)
        self.nodes[-1].output[0] = "y"
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, "height", "width"])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "main", [x], [y], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)

    # ---- writing

    def op(self, kind: str, *operands: str, results: int = 1, **attributes: Any) -> str:
        """The first result of a node; others are named after it."""
        name = f"v{len(self.nodes)}"
        names = [name, *(f"{name}_{i}" for i in range(1, results))]
        self.nodes.append(helper.make_node(kind, list(operands), names, **attributes))
        return name

    def constant(self, array: Array) -> str:
        """A weight."""
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def conv(self, x: str, channels: int, made: int = _WIDTH, taps: int = 3, **attributes: Any) -> str:
        """A convolution, mostly with a border that keeps the size."""
        group = attributes.get("group", 1)
        weights = self.numbers.standard_normal((made, channels // group, taps, taps)) / (channels * taps) ** 0.5
        attributes.setdefault("pads", [taps // 2] * 4)
        found = self.op("Conv", x, self.constant(weights.astype(np.float32)), **attributes)
        return self.op(self.rng.choice(["Relu", "HardSwish", "Tanh"]), found)

    def some(self, *, above: int = 0, below: int = _LEVELS + 1) -> tuple[int, str]:
        """A feature of a level in a range, and its level; of the first one if there is none."""
        levels = [level for level, made in self.features.items() if made and above <= level < below] or [0]
        level = self.rng.choice(levels)
        return level, self.rng.choice(self.features[level])

    # ---- steps

    def window(self) -> None:
        """Of the same size."""
        level, x = self.some()
        kind = self.rng.randrange(4)
        if kind == 0:
            found = self.conv(x, _WIDTH, taps=self.rng.choice([1, 3, 5]))
        elif kind == 1:
            found = self.conv(x, _WIDTH, group=_WIDTH)
        elif kind == 2:
            found = self.op("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1])
        else:
            found = self.op(
                "AveragePool", x, kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=self.rng.randrange(2)
            )
        self.features[level].append(found)

    def smaller(self) -> None:
        """Half the size."""
        level, x = self.some(below=_LEVELS)
        if level == _LEVELS:
            return
        if self.rng.random() < 0.6:
            found = self.conv(x, _WIDTH, strides=[2, 2])
        else:
            found = self.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        self.features[level + 1].append(found)

    def larger(self) -> None:
        """Twice the size."""
        level, x = self.some(above=1)
        if level == 0:
            return
        kind = self.rng.randrange(3)
        if kind == 0:
            weights = self.numbers.standard_normal((_WIDTH, _WIDTH, 2, 2)).astype(np.float32) / 2
            found = self.op("ConvTranspose", x, self.constant(weights), strides=[2, 2])
        else:
            scales = self.constant(np.array([1, 1, 2, 2], np.float32))
            how: dict[str, Any] = {"mode": "linear"} if kind == 1 else {"coordinate_transformation_mode": "asymmetric"}
            found = self.op("Resize", x, "", scales, **how)
        self.features[level - 1].append(found)

    def joined(self) -> None:
        """Channels of two, which one convolution mixes, or the halves of one, exchanged."""
        level, x = self.some()
        other = self.rng.choice(self.features[level])
        if self.rng.random() < 0.4:
            first = self.op("Split", x, results=2, axis=1, num_outputs=2)
            both = self.op("Concat", f"{first}_1", first, axis=1)
            self.features[level].append(both)
            return
        both = self.op("Concat", x, other, axis=1)
        self.features[level].append(self.conv(both, 2 * _WIDTH, taps=1))

    def summed(self) -> None:
        """The sum of two of one size."""
        level, x = self.some()
        self.features[level].append(self.op("Add", x, self.rng.choice(self.features[level])))

    def weighed(self) -> None:
        """Channels times what follows from their means."""
        level, x = self.some()
        mean = self.op(self.rng.choice(["GlobalAveragePool", "GlobalMaxPool"]), x)
        weights = self.op("Sigmoid", self.conv(mean, _WIDTH, taps=1))
        self.features[level].append(self.op("Mul", x, weights))

    def padded(self) -> None:
        """A border of the image itself, or of a number, for a window without one."""
        level, x = self.some()
        around = self.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1]))
        found = self.op("Pad", x, around, mode=self.rng.choice(["reflect", "edge", "constant"]))
        self.features[level].append(self.conv(found, _WIDTH, pads=[0] * 4))

    # ---- ends

    def keep(self, x: str) -> None:
        """An image."""
        self.op("Neg", x)

    def pooled(self, x: str) -> None:
        """Means of channels."""
        self.op("GlobalAveragePool", x)

    def rows(self, x: str) -> None:
        """Pixels as rows, each a distribution."""
        flat = self.op("Reshape", x, self.constant(np.array([0, _WIDTH, -1])))
        self.op("Softmax", self.op("Transpose", flat, perm=[0, 2, 1]), axis=self.rng.choice([1, 2]))


def expected(model: onnx.ModelProto, x: Array) -> Array:
    """What the onnx package computes."""
    evaluator: Any = ReferenceEvaluator(model)
    return evaluator.run(None, {"x": x})[0]
