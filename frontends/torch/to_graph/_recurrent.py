"""Recurrent networks: LSTM, GRU and RNN, of several layers and one or two directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.recurrent import Function, direction, gates, plus, sigmoid, tanh
from mlc.frontends.operators.recurrent import lstm as lstm_cell
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts

_Step = Callable[["_Weights", GraphBuilder, SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""A `CellStep` with weights."""


@dataclass
class _Weights:
    """Those of one direction of a layer: `[gates * hidden, inputs]`, `[gates * hidden, output]`, two biases
    `[gates * hidden]` or none, and `[output, hidden]` if what a step gives is a projection of its state."""

    input: SSAValue
    state: SSAValue
    bias: SSAValue | None = None
    state_bias: SSAValue | None = None
    projection: SSAValue | None = None


# ---- what a step is


def _linear(b: GraphBuilder, x: SSAValue, weight: SSAValue, *biases: SSAValue | None) -> SSAValue:
    return plus(b, b.matmul(x, b.transpose(weight, (1, 0))), *biases)


def _lstm_step(w: _Weights, b: GraphBuilder, x: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
    """Gates i, f, a candidate and o, in this order; the output may be projected."""
    h, c = states
    total = b.add(_linear(b, x, w.input, w.bias, w.state_bias), _linear(b, h, w.state))
    output, cell = lstm_cell(b, gates(b, total, 4), c)
    return [output if w.projection is None else _linear(b, output, w.projection), cell]


def _gru_step(w: _Weights, b: GraphBuilder, x: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
    """Gates r and z, and a candidate n, whose part of the state is gated with its bias: `h = (1 - z) n + z h`
    (Cho et al., 2014)."""
    (h,) = states
    reset, update, new = gates(b, _linear(b, x, w.input, w.bias), 3)
    own_reset, own_update, own_new = gates(b, _linear(b, h, w.state, w.state_bias), 3)
    r, z = sigmoid(b, b.add(reset, own_reset)), sigmoid(b, b.add(update, own_update))
    n = tanh(b, b.add(new, b.mul(r, own_new)))
    return [b.add(b.mul(b.sub(h, n), z), n)]


def _plain_step(function: Function) -> _Step:
    """`h = f(x Wᵀ + h Rᵀ + b)`."""

    def step(w: _Weights, b: GraphBuilder, x: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
        inputs = _linear(b, x, w.input, w.bias, w.state_bias)
        return [function(b, b.add(inputs, _linear(b, states[0], w.state)))]

    return step


# ---- layers


@dataclass
class _Network:
    """The arguments that all networks have."""

    params: Sequence[SSAValue]
    has_biases: bool
    num_layers: int
    dropout: float
    train: bool
    bidirectional: bool
    batch_first: bool

    def run(self, b: Call, x: SSAValue, states: Sequence[SSAValue], step: _Step) -> list[SSAValue]:
        """The outputs of the last layer, and the last states of all directions of all layers; `states` are the first
        ones, `[layers * directions, batch, width]`."""
        if self.train and self.dropout and self.num_layers > 1:
            raise Unconvertible("it drops out between layers at random, by numbers of torch's own generator")
        x = b.transpose(x, (1, 0, 2)) if self.batch_first else x
        ways = [False, True] if self.bidirectional else [False]
        each = len(self.params) // (self.num_layers * len(ways))
        last: list[list[SSAValue]] = [[] for _ in states]
        for _ in range(self.num_layers):
            outputs: list[SSAValue] = []
            for backwards in ways:
                number = len(last[0])
                own = self._weights(self.params[number * each : (number + 1) * each])
                initial = [b.reshape(b.slice(s, 0, number, number + 1), shape_of(s)[1:]) for s in states]
                *final, stack = direction(b, x, initial, partial(step, own), backwards)
                outputs.append(stack)
                for kept, state in zip(last, final, strict=True):
                    kept.append(b.unsqueeze(state, [0]))
            x = b.concat(outputs, 2)
        return [b.transpose(x, (1, 0, 2)) if self.batch_first else x, *(b.concat(each, 0) for each in last)]

    def _weights(self, given: Sequence[SSAValue]) -> _Weights:
        input, state, *rest = given
        biases = [rest.pop(0), rest.pop(0)] if self.has_biases else [None, None]
        return _Weights(input, state, *biases, *rest)


@converts("lstm.input")
def lstm(
    b: Call, input: SSAValue, hx: Sequence[SSAValue], params: Sequence[SSAValue], has_biases: bool, num_layers: int,
    dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> Results:  # fmt: skip
    """`input` `[time, batch, inputs]`, or with `batch_first` `[batch, time, inputs]`, through all layers; `hx` are the
    first states h and c, `[layers * directions, batch, width]`. Results are the outputs of the last layer, and both
    last states."""
    network = _Network(params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return network.run(b, input, hx, _lstm_step)


@converts("gru.input", "rnn_tanh.input", "rnn_relu.input")
def recurrent(
    b: Call, input: SSAValue, hx: SSAValue, params: Sequence[SSAValue], has_biases: bool, num_layers: int,
    dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> Results:  # fmt: skip
    """The same with one state, of GRU and of RNN with tanh or relu."""
    network = _Network(params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return network.run(b, input, [hx], _STEPS[b.before.name])


_STEPS: dict[str, _Step] = {
    "aten.gru.input": _gru_step,
    "aten.rnn_tanh.input": _plain_step(tanh),
    "aten.rnn_relu.input": _plain_step(lambda b, x: b(graph.ReluOp, x)),
}

_MKLDNN_LSTM = 2
"""What oneDNN calls an LSTM."""


@converts("mkldnn_rnn_layer")
def mkldnn_rnn_layer(
    b: Call, input: SSAValue, weight0: SSAValue, weight1: SSAValue, weight2: SSAValue, weight3: SSAValue,
    hx_: SSAValue, cx_: SSAValue, reverse: bool, batch_sizes: Sequence[int], mode: int, has_biases: bool,
    bidirectional: bool, batch_first: bool, train: bool,
) -> Results:  # fmt: skip
    """One direction of one layer of an LSTM, as torch takes one apart for inference. States have one more dim in
    front."""
    if mode != _MKLDNN_LSTM or batch_sizes or bidirectional or batch_first or train:
        raise Unconvertible("it is not one direction of an LSTM, over whole batches, for inference")
    states = [b.reshape(s, shape_of(s)[-2:]) for s in (hx_, cx_)]
    weights = _Weights(weight0, weight1, *((weight2, weight3) if has_biases else ()))
    h, c, outputs = direction(b, input, states, partial(_lstm_step, weights), reverse)
    found: list[Any] = [b.reshape(each, b.shape(i)) for i, each in enumerate((outputs, h, c))]
    return [*found, None]
