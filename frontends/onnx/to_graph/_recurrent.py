"""Recurrent networks: LSTM, GRU, RNN, each direction of which is a loop over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._activations import Activation, activations
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators import recurrent
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_shapes import shape_sizes, splat
from mlc.frontends.operators.recurrent import direction, gates, plus
from mlc.frontends.operators.refusal import Unconvertible


@dataclass
class Weights:
    """The weights of one direction, ready to be multiplied from the right.

    Attributes:
        input: `[inputs, gates * hidden]`.
        state: `[hidden, gates * hidden]`.
        bias, state_bias: `[gates * hidden]`, or None: those that are added to either product.
        peepholes: `[3 * hidden]`, or None.
        functions: the activations.
    """

    input: SSAValue
    state: SSAValue
    bias: SSAValue | None
    state_bias: SSAValue | None
    peepholes: SSAValue | None
    functions: list[Activation]

    @property
    def hidden(self) -> int:
        """The width of the state."""
        return shape_of(self.state)[0]

    def ahead(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """What the loop over time takes instead of all inputs, `[time, batch, inputs]`."""
        return x

    def of_input(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """The product of the input of a step, and its weights."""
        return b.matmul(x, self.input)

    def of_state(self, b: GraphBuilder, h: SSAValue) -> SSAValue:
        """The product of the state of a step, and its weights."""
        return b.matmul(h, self.state)


_RANKS = (3, 3, 3, 2, 1, 3, 3, 2)
"""How many dims the operands have, which are in the same places for all operators."""


Cell = Callable[[GraphBuilder, Node, SSAValue, Sequence[SSAValue], Weights], list[SSAValue]]
"""A step: of an input, the states and the weights, the next states, of which the first one is the output."""


@dataclass(frozen=True)
class Layer:
    """What the operators share: layouts, directions, lengths of sequences.

    Attributes:
        cell: what a step is.
        states: how many values pass from step to step.
        functions: the activations of a direction that names none.
    """

    cell: Cell
    states: int
    functions: tuple[str, ...]

    def converted(self, b: Node) -> Results:
        """The outputs of all steps, `[time, directions, batch, width]`, and the last states."""
        for index, rank in enumerate(_RANKS):
            if b.has(index) and b.rank(index) != rank:
                raise Unconvertible(f"input '{b.operand_name(index)}' has {b.rank(index)} dims; required: {rank}")
        batch_first = b.flag("layout")
        x = b.transpose(b[0], (1, 0, 2)) if batch_first else b[0]
        which = b.one_of("direction", "forward", "reverse", "bidirectional")
        ways = [False, True] if which == "bidirectional" else [which == "reverse"]
        if shape_of(b[1])[0] != len(ways):
            raise Unconvertible(f"W is for {shape_of(b[1])[0]} directions, direction is '{which}'")
        found = [self._direction(b, x, number, back, len(ways)) for number, back in enumerate(ways)]
        whole = b.concat([b.unsqueeze(ys, [1]) for *_, ys in found], 1)
        last = [b.concat([b.unsqueeze(each[state], [0]) for each in found], 0) for state in range(self.states)]
        if batch_first:
            return [b.transpose(whole, (2, 0, 1, 3)), *(b.transpose(each, (1, 0, 2)) for each in last)]
        return [whole, *last]

    def _direction(self, b: Node, x: SSAValue, number: int, backwards: bool, directions: int) -> list[SSAValue]:
        """The last states of a direction, and the outputs of all of its steps."""
        w = self.weights(b, number, directions)
        states = [_initial(b, 5 + state, number, x, w.hidden) for state in range(self.states)]
        step = partial(_step, b, self.cell, w)
        return direction(b, w.ahead(b, x), states, step, backwards, b.optional(4))

    def weights(self, b: Node, number: int, directions: int) -> Weights:
        """The weights of a direction."""

        def of(index: int) -> SSAValue | None:
            whole = b.optional(index)
            if whole is None:
                return None
            return b.reshape(b.slice(whole, 0, number, number + 1), shape_of(whole)[1:])

        w, r, biases = of(1), of(2), of(3)
        if w is None or r is None:
            raise Unconvertible("its weights are missing")
        bias, state_bias = (None, None) if biases is None else gates(b, biases, 2)
        each = len(self.functions)
        # The default of a schema is that of two directions.
        given = b.attribute("activations") if "activations" in b.op.attributes else None
        names = given or [*self.functions] * directions
        if len(names) != each * directions:
            raise Unconvertible(f"{len(names)} activations for {directions} directions of {each}")
        alphas: list[float] = b.attribute("activation_alpha") or []
        betas: list[float] = b.attribute("activation_beta") or []
        functions = activations(names, alphas, betas, b.attribute("clip"))
        own = functions[number * each : (number + 1) * each]
        peepholes = of(7) if self.states == 2 else None
        return Weights(b.transpose(w, (1, 0)), b.transpose(r, (1, 0)), bias, state_bias, peepholes, own)


def _step(
    node: Node, cell: Cell, w: Weights, b: GraphBuilder, x: SSAValue, states: Sequence[SSAValue]
) -> list[SSAValue]:
    return cell(b, node, x, states, w)


def _initial(b: Node, index: int, number: int, x: SSAValue, hidden: int) -> SSAValue:
    given = b.optional(index)
    if given is None:
        return splat(b, 0, [shape_sizes(b, x)[1], hidden], element_of(b[0]))
    if b.flag("layout"):
        given = b.transpose(given, (1, 0, 2))
    return b.reshape(b.slice(given, 0, number, number + 1), (shape_of(x)[1], hidden))


def _total(b: GraphBuilder, x: SSAValue, h: SSAValue, w: Weights) -> SSAValue:
    """`x W + h R + b`, where `b` is the sum of both biases."""
    bias = None if w.bias is None or w.state_bias is None else b.add(w.bias, w.state_bias)
    return b.add(plus(b, w.of_input(b, x), bias), w.of_state(b, h))


@converts("RNN", bounded=True, rounds_once=True)
def rnn(b: Node) -> Results:
    """`h = f(x W + h R + b)`."""
    return Layer(_rnn, 1, ("Tanh",)).converted(b)


def _rnn(b: GraphBuilder, node: Node, x: SSAValue, states: Sequence[SSAValue], w: Weights) -> list[SSAValue]:
    return [w.functions[0](b, _total(b, x, states[0], w))]


@converts("GRU", bounded=True, rounds_once=True)
def gru(b: Node) -> Results:
    """Gates z and r, and a candidate: `h = (1 - z) g(x W + (r h) R + b) + z h` (Cho et al., 2014)."""
    return Layer(_gru, 1, ("Sigmoid", "Tanh")).converted(b)


def _gru(b: GraphBuilder, node: Node, x: SSAValue, states: Sequence[SSAValue], w: Weights) -> list[SSAValue]:
    (h,), n, (f, g) = states, w.hidden, w.functions
    inputs = plus(b, b.matmul(x, w.input), w.bias)
    part = b.slice(w.state, 1, 0, 2 * n)
    both = plus(b, b.matmul(h, part), None if w.state_bias is None else b.slice(w.state_bias, 0, 0, 2 * n))
    z, r = gates(b, f(b, b.add(b.slice(inputs, 1, 0, 2 * n), both)), 2)
    last = b.slice(w.state, 1, 2 * n, 3 * n)
    last_bias = None if w.state_bias is None else b.slice(w.state_bias, 0, 2 * n, 3 * n)
    if node.flag("linear_before_reset"):
        candidate = b.mul(r, plus(b, b.matmul(h, last), last_bias))
    else:
        candidate = plus(b, b.matmul(b.mul(r, h), last), last_bias)
    new = g(b, b.add(b.slice(inputs, 1, 2 * n, 3 * n), candidate))
    return [b.add(b.mul(b.sub(b.number(1, z), z), new), b.mul(z, h))]


@converts("LSTM", bounded=True, rounds_once=True)
def lstm(b: Node) -> Results:
    """Gates i, o, f and a candidate, in this order. `clip` limits what goes into them, not the cell."""
    return Layer(lstm_cell, 2, ("Sigmoid", "Tanh", "Tanh")).converted(b)


def lstm_cell(b: GraphBuilder, node: Node, x: SSAValue, states: Sequence[SSAValue], w: Weights) -> list[SSAValue]:
    """The next state and cell of an LSTM."""
    (h, c), (gate, candidate, last) = states, w.functions
    i, o, f, g = gates(b, _total(b, x, h, w), 4)
    of_i, of_o, of_f = [None] * 3 if w.peepholes is None else gates(b, w.peepholes, 3)
    functions = (gate, candidate, replace(last, clip=None))
    return recurrent.lstm(b, (i, f, g, o), c, functions, (of_i, of_f, of_o), node.flag("input_forget"))
