"""Recurrent networks: LSTM, GRU, RNN, each direction of which is a loop over time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import onnx
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._activations import Activation, activations
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import PASS, FromOnnx, Results
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers


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


_RANKS = (3, 3, 3, 2, 1, 3, 3, 2)
"""How many dims the operands have, which are in the same places for all operators."""


class Recurrent(FromOnnx):
    """What the operators share: layouts, directions, lengths of sequences.

    The product of an input and its weights stands in the body of the loop, which says what a step is; that it is
    computed for all steps at once is the business of `hoist-from-scans`.
    """

    ROUNDS_ONCE = True

    STATES: ClassVar[int] = 1
    """How many values pass from step to step."""
    FUNCTIONS: ClassVar[tuple[str, ...]] = ()
    """The activations of a direction that names none."""

    @abstractmethod
    def step(self, b: GraphBuilder, node: Node, x: SSAValue, states: Sequence[SSAValue], w: Weights) -> list[SSAValue]:
        """The next states, of which the first one is the output of the step."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        for index, rank in enumerate(_RANKS):
            if node.has(index) and node.rank(index) != rank:
                found = len(node.shape(index))
                raise Unconvertible(f"input '{node.operand_name(index)}' has {found} dims; required: {rank}")
        batch_first = node.flag("layout")
        x = b.transpose(node[0], (1, 0, 2)) if batch_first else node[0]
        direction = node.one_of("direction", "forward", "reverse", "bidirectional")
        ways = [False, True] if direction == "bidirectional" else [direction == "reverse"]
        if shape_of(node[1])[0] != len(ways):
            raise Unconvertible(f"W is for {shape_of(node[1])[0]} directions, direction is '{direction}'")
        found = [self._direction(node, b, x, number, back, len(ways)) for number, back in enumerate(ways)]
        results: list[SSAValue | None] = []
        stacks = [ys for *_, ys in found]
        steps, batch, hidden = shape_of(stacks[0])
        apart = [b.reshape(ys, (steps, 1, batch, hidden)) for ys in stacks]
        whole = b.concat(apart, 1)
        results.append(b.transpose(whole, (2, 0, 1, 3)) if batch_first else whole)
        for state in range(self.STATES):
            last = b.concat([b.reshape(each[state], (1, batch, hidden)) for each in found], 0)
            results.append(b.transpose(last, (1, 0, 2)) if batch_first else last)
        return results

    def _direction(
        self, node: Node, b: GraphBuilder, x: SSAValue, number: int, backwards: bool, directions: int
    ) -> list[SSAValue]:
        """The last states of a direction, and the outputs of all of its steps."""
        w = self._weights(node, b, number, directions)
        steps, batch, _ = shape_of(x)
        scan = ScanWriter(b, steps)
        inside = scan.inside
        states = [
            scan.carry(self._initial(node, b, 5 + state, number, (batch, w.hidden), element_of(x)))
            for state in range(self.STATES)
        ]
        row = scan.row(x, backwards)
        runs = None
        if (lengths := node.optional(4)) is not None:
            within = inside.compare("lt", scan.number(backwards), inside.cast(lengths, i64))
            runs = inside.reshape(within, (batch, 1))
        next = self.step(inside, node, row, states, w)
        output = next[0]
        if runs is not None:
            output = inside.where(runs, output, inside.number(0, output))
            next = [inside.where(runs, new, old) for new, old in zip(next, states, strict=True)]
        return scan.finish(next, [output], backwards)

    def _initial(
        self, node: Node, b: GraphBuilder, index: int, number: int, shape: tuple[int, int], element: object
    ) -> SSAValue:
        given = node.optional(index)
        if given is None:
            return b.splat(0, shape, element_of(node[0]))
        if node.flag("layout"):
            given = b.transpose(given, (1, 0, 2))
        return b.reshape(b.slice(given, 0, number, number + 1), shape)

    def _weights(self, node: Node, b: GraphBuilder, number: int, directions: int) -> Weights:
        def of(index: int) -> SSAValue | None:
            whole = node.optional(index)
            if whole is None:
                return None
            return b.reshape(b.slice(whole, 0, number, number + 1), shape_of(whole)[1:])

        w, r, biases = of(1), of(2), of(3)
        if w is None or r is None:
            raise Unconvertible("its weights are missing")
        bias = state_bias = None
        if biases is not None:
            half = shape_of(biases)[0] // 2
            bias, state_bias = b.slice(biases, 0, 0, half), b.slice(biases, 0, half, 2 * half)
        each = len(self.FUNCTIONS)
        # The default of a schema is that of two directions.
        given = node.attribute("activations") if "activations" in node.op.attributes else None
        names = given or [*self.FUNCTIONS] * directions
        if len(names) != each * directions:
            raise Unconvertible(f"{len(names)} activations for {directions} directions of {each}")
        alphas: list[float] = node.attribute("activation_alpha") or []
        betas: list[float] = node.attribute("activation_beta") or []
        functions = activations(names, alphas, betas, node.attribute("clip"))
        own = functions[number * each : (number + 1) * each]
        peepholes = of(7) if self.STATES == 2 else None
        return Weights(b.transpose(w, (1, 0)), b.transpose(r, (1, 0)), bias, state_bias, peepholes, own)


def _plus(b: GraphBuilder, value: SSAValue, *others: SSAValue | None) -> SSAValue:
    """A sum of what is there."""
    for other in others:
        value = value if other is None else b.add(value, other)
    return value


def _both(b: GraphBuilder, w: Weights) -> SSAValue | None:
    """The sum of the two biases."""
    return None if w.bias is None or w.state_bias is None else b.add(w.bias, w.state_bias)


def _gate(b: GraphBuilder, value: SSAValue | None, number: int, width: int) -> SSAValue | None:
    """A part of what is there along the last axis."""
    return None if value is None else b.slice(value, len(shape_of(value)) - 1, number * width, (number + 1) * width)


@lowers(PASS, onnx.op("RNN"))
class Rnn(Recurrent):
    """`h = f(x W + h R + b)`."""

    FUNCTIONS = ("Tanh",)

    def step(self, b: GraphBuilder, node: Node, x: SSAValue, states: Sequence[SSAValue], w: Weights) -> list[SSAValue]:
        total = b.add(_plus(b, b.matmul(x, w.input), _both(b, w)), b.matmul(states[0], w.state))
        return [w.functions[0](b, total)]


@lowers(PASS, onnx.op("GRU"))
class Gru(Recurrent):
    """Gates z and r, and a candidate: `h = (1 - z) g(x W + (r h) R + b) + z h` (Cho et al., 2014)."""

    FUNCTIONS = ("Sigmoid", "Tanh")

    def step(self, b: GraphBuilder, node: Node, x: SSAValue, states: Sequence[SSAValue], w: Weights) -> list[SSAValue]:
        (h,), n, (f, g) = states, w.hidden, w.functions
        inputs = _plus(b, b.matmul(x, w.input), w.bias)
        part = b.slice(w.state, 1, 0, 2 * n)
        gates = _plus(b, b.matmul(h, part), None if w.state_bias is None else b.slice(w.state_bias, 0, 0, 2 * n))
        both = f(b, b.add(b.slice(inputs, 1, 0, 2 * n), gates))
        z, r = b.slice(both, 1, 0, n), b.slice(both, 1, n, 2 * n)
        last, last_bias = b.slice(w.state, 1, 2 * n, 3 * n), _gate(b, w.state_bias, 2, n)
        if node.flag("linear_before_reset"):
            candidate = b.mul(r, _plus(b, b.matmul(h, last), last_bias))
        else:
            candidate = _plus(b, b.matmul(b.mul(r, h), last), last_bias)
        new = g(b, b.add(b.slice(inputs, 1, 2 * n, 3 * n), candidate))
        return [b.add(b.mul(b.sub(b.number(1, z), z), new), b.mul(z, h))]


@lowers(PASS, onnx.op("LSTM"))
class Lstm(Recurrent):
    """Gates i, o, f and a candidate: `c = f c + i g(…)`, `h = o tanh(c)` (Hochreiter and Schmidhuber, 1997).

    Peepholes add `p c` to a gate: the old cell to i and f, the new one to o (Gers and Schmidhuber, 2000). `clip` limits
    what goes into the gates and the candidate, not the cell.
    """

    STATES = 2
    FUNCTIONS = ("Sigmoid", "Tanh", "Tanh")

    def step(self, b: GraphBuilder, node: Node, x: SSAValue, states: Sequence[SSAValue], w: Weights) -> list[SSAValue]:
        (h, c), n, (f, g, last) = states, w.hidden, w.functions
        last = replace(last, clip=None)
        total = b.add(_plus(b, b.matmul(x, w.input), _both(b, w)), b.matmul(h, w.state))

        def gate(number: int, peephole: int, cell: SSAValue) -> SSAValue:
            value = b.slice(total, 1, number * n, (number + 1) * n)
            weights = _gate(b, w.peepholes, peephole, n)
            return f(b, value if weights is None else b.add(value, b.mul(weights, cell)))

        add = gate(0, 0, c)
        forget = b.sub(b.number(1, add), add) if node.flag("input_forget") else gate(2, 2, c)
        cell = b.add(b.mul(forget, c), b.mul(add, g(b, b.slice(total, 1, 3 * n, 4 * n))))
        return [b.mul(gate(1, 1, cell), last(b, cell)), cell]
