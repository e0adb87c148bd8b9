"""Random ONNX models with open dims, of the operators that exporters write: [batch, seq, width] and shapes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

WIDTH = 8
HEADS = 2
MOST_BATCH = 3
MOST_SEQ = 11
EXTENTS = ((1, 1), (3, 11), (2, 1), (1, 7), (3, 2), (2, 10), (1, 11), (3, 8))
"""Extents of batch and seq: both ends, primes, powers of two, one apart."""


class OpenGraph:
    """One model: inputs `x` [batch, seq, 8] of f32 and `ids` [batch, seq] of i64, and one output."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.count = 0

    def build(self, steps: int) -> onnx.ModelProto:
        """A model of so many random steps."""
        values = ["x", self.embedded()]
        for _ in range(steps):
            values.append(self.step(values))
        last = self.op("Add", values[-1], self.rng.choice(values))
        self.rng.choice([self.keep, self.pooled, self.last_row, self.flat])(last)
        self.nodes[-1].output[0] = "y"
        inputs = [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", WIDTH]),
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "seq"]),
        ]
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "main", inputs, [output], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    # ---- writing

    def op(self, kind: str, *operands: str, **attributes: Any) -> str:
        self.count += 1
        name = f"v{self.count}"
        self.nodes.append(helper.make_node(kind, list(operands), [name], **attributes))
        return name

    def ints(self, *numbers: int) -> str:
        return self.constant(np.asarray(numbers, np.int64))

    def constant(self, array: np.ndarray[Any, Any]) -> str:
        self.count += 1
        name = f"c{self.count}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def floats(self, *shape: int) -> str:
        return self.constant(self.numbers.standard_normal(shape).astype(np.float32))

    def extent(self, value: str, axis: int) -> str:
        """One extent as a tensor [1]."""
        shape = self.op("Shape", value)
        if self.rng.random() < 0.5:
            return self.op("Slice", shape, self.ints(axis), self.ints(axis + 1), self.ints(0))
        picked = self.op("Gather", shape, self.constant(np.asarray(axis, np.int64)))
        return self.op("Unsqueeze", picked, self.ints(0))

    def sizes(self, *parts: str) -> str:
        return self.op("Concat", *parts, axis=0)

    # ---- steps of [batch, seq, width]

    def embedded(self) -> str:
        return self.op("Gather", self.floats(16, WIDTH), "ids")

    def step(self, values: Sequence[str]) -> str:
        value = self.rng.choice(values)
        steps = [
            self.linear,
            self.norm,
            self.activation,
            self.heads,
            self.attention,
            self.positions,
            self.table,
            self.centred,
            self.running,
            self.expanded,
            self.where_shape,
            self.convolved,
            self.halves,
            self.shifted,
            self.transposed_product,
            self.joined,
            self.rows,
            self.picked,
            self.filled,
        ]
        return self.rng.choice(steps)(value)

    def linear(self, x: str) -> str:
        return self.op("Add", self.op("MatMul", x, self.floats(WIDTH, WIDTH)), self.floats(WIDTH))

    def norm(self, x: str) -> str:
        return self.op("LayerNormalization", x, self.floats(WIDTH), self.floats(WIDTH), axis=-1)

    def activation(self, x: str) -> str:
        return self.op(self.rng.choice(["Tanh", "Relu", "Sigmoid", "Neg", "Abs"]), x)

    def heads(self, x: str) -> str:
        split = self.sizes(self.extent(x, 0), self.extent("ids", 1), self.ints(HEADS), self.ints(-1))
        apart = self.op("Transpose", self.op("Reshape", x, split), perm=[0, 2, 1, 3])
        turned = self.op("Mul", apart, self.floats(HEADS, 1, 1))
        back = self.sizes(self.extent(x, 0), self.ints(-1), self.ints(WIDTH))
        return self.op("Reshape", self.op("Transpose", turned, perm=[0, 2, 1, 3]), back)

    def attention(self, x: str) -> str:
        scores = self.op("MatMul", x, self.op("Transpose", x, perm=[0, 2, 1]))
        if self.rng.random() < 0.5:
            scores = self.op("Where", self.causal(x), scores, self.constant(np.asarray(-np.inf, np.float32)))
        return self.op("MatMul", self.op("Softmax", scores, axis=-1), x)

    def causal(self, x: str) -> str:
        places = self.places(x)
        rows, columns = self.op("Unsqueeze", places, self.ints(1)), self.op("Unsqueeze", places, self.ints(0))
        return self.op("LessOrEqual", columns, rows)

    def places(self, x: str) -> str:
        zero, one = (self.constant(np.asarray(n, np.int64)) for n in (0, 1))
        return self.op("Range", zero, self.op("Squeeze", self.extent(x, 1), self.ints(0)), one)

    def positions(self, x: str) -> str:
        return self.op("Add", x, self.op("Gather", self.floats(MOST_SEQ, WIDTH), self.places(x)))

    def table(self, x: str) -> str:
        rows = self.op("Slice", self.floats(1, MOST_SEQ, WIDTH), self.ints(0), self.extent(x, 1), self.ints(1))
        return self.op("Add", x, rows)

    def centred(self, x: str) -> str:
        kind = self.rng.choice(["ReduceMean", "ReduceMax", "ReduceMin"])
        return self.op("Sub", x, self.op(kind, x, axes=[self.rng.choice([1, 2, -1, 0])], keepdims=1))

    def running(self, x: str) -> str:
        return self.op("CumSum", x, self.constant(np.asarray(1, np.int64)))

    def expanded(self, x: str) -> str:
        shape = self.sizes(self.extent(x, 0), self.extent(x, 1), self.ints(1))
        return self.op("Mul", x, self.op("Expand", self.floats(WIDTH), shape))

    def where_shape(self, x: str) -> str:
        wanted = self.sizes(self.extent(x, 0), self.extent(x, 1), self.ints(-1))
        is_open = self.op("Equal", wanted, self.ints(-1))
        shape = self.op("Where", is_open, self.ints(1, 1, WIDTH), wanted)
        return self.op("Sub", x, self.op("Expand", self.floats(1, 1, WIDTH), shape))

    def convolved(self, x: str) -> str:
        lines = self.op("Transpose", x, perm=[0, 2, 1])
        taps = self.rng.choice([1, 3, 5])
        weights = self.floats(WIDTH, WIDTH, taps)
        done = self.op("Conv", lines, weights, kernel_shape=[taps], pads=[taps // 2] * 2)
        return self.op("Transpose", done, perm=[0, 2, 1])

    def halves(self, x: str) -> str:
        half = self.op("Div", self.extent(x, 1), self.ints(2))
        front = self.op("Slice", x, self.ints(0), half, self.ints(1))
        return self.op("Add", x, self.op("ReduceSum", front, self.ints(1), keepdims=1))

    def shifted(self, x: str) -> str:
        last = self.op("Slice", x, self.ints(-1), self.ints(np.iinfo(np.int64).max), self.ints(1))
        return self.op("Sub", x, last)

    def transposed_product(self, x: str) -> str:
        gram = self.op("MatMul", self.op("Transpose", x, perm=[0, 2, 1]), x)
        return self.op("MatMul", x, self.op("Tanh", gram))

    def joined(self, x: str) -> str:
        front = self.op(
            "Expand", self.floats(1, 1, WIDTH), self.sizes(self.extent(x, 0), self.ints(2), self.ints(WIDTH))
        )
        both = self.op("Concat", front, x, axis=1)
        end = self.op("Add", self.extent(x, 1), self.ints(2))
        return self.op("Slice", both, self.ints(2), end, self.ints(1))

    def rows(self, x: str) -> str:
        """A product of all rows, joined, as exporters of linear layers write it."""
        flat = self.op("Reshape", x, self.ints(-1, WIDTH))
        done = self.op("Gemm", flat, self.floats(WIDTH, WIDTH), self.floats(WIDTH))
        shape = self.sizes(self.extent(x, 0), self.extent(x, 1), self.ints(WIDTH))
        return self.op("Reshape", done, shape)

    def picked(self, x: str) -> str:
        """Elements of the flattened tensor at computed places, as masks are looked up."""
        flat = self.op("Flatten", self.op("ReduceSum", x, self.ints(2), keepdims=0), axis=0)
        places = self.op("Unsqueeze", self.places(x), self.ints(0))
        each = self.op("Gather", self.op("Squeeze", flat, self.ints(0)), places)
        return self.op("Mul", x, self.op("Unsqueeze", each, self.ints(2)))

    def filled(self, x: str) -> str:
        shape = self.op("Shape", x)
        value = numpy_helper.from_array(np.asarray([0.5], np.float32), "value")
        return self.op("Add", x, self.op("ConstantOfShape", shape, value=value))

    # ---- ends

    def keep(self, x: str) -> str:
        return self.op("Identity", x)

    def pooled(self, x: str) -> str:
        return self.op("ReduceMean", x, axes=[self.rng.choice([0, 1])], keepdims=self.rng.choice([0, 1]))

    def last_row(self, x: str) -> str:
        return self.op("Gather", x, self.constant(np.asarray(-1, np.int64)), axis=1)

    def flat(self, x: str) -> str:
        return self.op("Reshape", x, self.sizes(self.ints(0), self.ints(0), self.ints(HEADS), self.ints(-1)))


def inputs_for(seed: int, batch: int, seq: int) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays for a call."""
    rng = np.random.default_rng((seed, batch, seq))
    return {
        "x": rng.standard_normal((batch, seq, WIDTH)).astype(np.float32),
        "ids": rng.integers(0, 16, (batch, seq)),
    }


def expected(model: onnx.ModelProto, inputs: dict[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """What the reference implementation of the onnx package gives."""
    (found,) = cast(Any, ReferenceEvaluator(model)).run(None, inputs)
    return np.asarray(found)
