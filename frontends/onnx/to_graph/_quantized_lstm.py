"""LSTM with weights of eight bits, whose inputs and states are quantised when they are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._qproducts import columns, times_quantized
from mlc.frontends.onnx.to_graph._recurrent import Layer, Weights, lstm_cell
from mlc.frontends.operators.graph_builder import GraphBuilder


@dataclass
class QuantizedWeights(Weights):
    """Weights of integers.

    Attributes:
        input_scale, state_scale: one number, or one per column.
        input_zero, state_zero: the zero points, likewise.
        lengths: of the sequences, i32 `[batch]`, or None.
    """

    input_scale: SSAValue
    input_zero: SSAValue
    state_scale: SSAValue
    state_zero: SSAValue
    lengths: SSAValue | None

    def ahead(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """The products of all inputs, which have one scale; what is behind the longest sequence does not count."""
        if self.lengths is not None:
            longest = b.reduce("max", b.cast(self.lengths, i32), [0])
            time = b.constant(np.arange(shape_of(x)[0], dtype=np.int32).reshape(-1, 1, 1))
            x = b.where(b.compare("lt", time, longest), x, b.number(0, x))
        return times_quantized(b, x, self.input, self.input_scale, self.input_zero)

    def of_input(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """What is computed already."""
        return x

    def of_state(self, b: GraphBuilder, h: SSAValue) -> SSAValue:
        """The states of a step have a scale of their own."""
        return times_quantized(b, h, self.state, self.state_scale, self.state_zero)


class _QuantizedLayer(Layer):
    def weights(self, b: Node, number: int, directions: int) -> Weights:
        """Those of `LSTM`, which are stored the other way round, with scales and zero points."""
        w = super().weights(b, number, directions)
        input_scale, input_zero, state_scale, state_zero = (columns(b, b[index], number) for index in range(8, 12))
        return QuantizedWeights(
            b.transpose(w.input, (1, 0)), b.transpose(w.state, (1, 0)), w.bias, w.state_bias, w.peepholes, w.functions,
            input_scale, input_zero, state_scale, state_zero, b.optional(4),
        )  # fmt: skip


@converts("DynamicQuantizeLSTM", domain=RUNTIME_DOMAIN, bounded=True)
def dynamic_quantize_lstm(b: Node) -> Results:
    """As `LSTM`."""
    for index in range(8, 12):
        b.require_rank(index, 1, 2)
    return _QuantizedLayer(lstm_cell, 2, ("Sigmoid", "Tanh", "Tanh")).converted(b)
