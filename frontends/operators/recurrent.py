"""Recurrent networks: each direction of a layer is a loop over time, whose body is one step.

The product of an input and its weights stands in the body of the loop, which says what a step is; that it is computed
for all steps at once is the business of `hoist-from-scans`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.open_shapes import all_along
from mlc.frontends.operators.sizes import SymbolicSize

CellStep = Callable[[GraphBuilder, SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""What a step makes of its input `[batch, inputs]` and of its states: the next ones, the first being its output."""
Function = Callable[[GraphBuilder, SSAValue], SSAValue]
"""An activation."""


def direction(
    b: GraphBuilder,
    x: SSAValue,
    states: Sequence[SSAValue],
    step: CellStep,
    backwards: bool,
    lengths: SSAValue | None = None,
) -> list[SSAValue]:
    """The last states `[batch, width]` of one direction over `x`, `[time, batch, inputs]`, then its outputs `[time,
    batch, width]`. After the length of a sequence, of `lengths` `[batch]`, states stay and outputs are 0; so they do
    after the last step, where the call says how many there are."""
    time, batch = b.axis_size(x, 0), shape_of(x)[1]
    end = None  # where the last sequence ends, and with it the network
    if isinstance(time, SymbolicSize):
        end = b.extent(time)
        x = all_along(b, x, [0])
    elif lengths is not None:
        end = b.cast(b.reduce("max", lengths, [0]) if batch > 1 else b.reshape(lengths, ()), i64)
    scan = ScanWriter(b, shape_of(x)[0])
    inside = scan.inside
    carried = [scan.carry(state) for state in states]
    row = scan.row(x, backwards)
    next = step(inside, row, carried)
    output, runs = next[0], None
    if end is not None:
        number = scan.number(backwards)
        runs = inside.compare("lt", number, end)
        if lengths is not None and (batch > 1 or isinstance(time, SymbolicSize)):
            within = inside.reshape(inside.compare("lt", number, inside.cast(lengths, i64)), (batch, 1))
            output = inside.where(within, output, inside.number(0, output))
            next = [inside.where(within, new, old) for new, old in zip(next, carried, strict=True)]
    *last, outputs = scan.finish(next, [output], backwards, runs)
    return [*last, b.sized(outputs, {0: time}) if isinstance(time, SymbolicSize) else outputs]


def plus(b: GraphBuilder, value: SSAValue, *others: SSAValue | None) -> SSAValue:
    """A sum of what is there, from the first to the last."""
    for other in others:
        value = value if other is None else b.add(value, other)
    return value


def gates(b: GraphBuilder, x: SSAValue, count: int) -> list[SSAValue]:
    """The equal parts of the last axis."""
    axis = len(shape_of(x)) - 1
    width = shape_of(x)[axis] // count
    return [b.slice(x, axis, i * width, (i + 1) * width) for i in range(count)]


def sigmoid(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """The activation of gates."""
    return b(graph.SigmoidOp, x)


def tanh(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """The activation of candidates and outputs."""
    return b(graph.TanhOp, x)


def lstm(
    b: GraphBuilder,
    total: Sequence[SSAValue],
    cell: SSAValue,
    functions: Sequence[Function] = (sigmoid, tanh, tanh),
    peepholes: Sequence[SSAValue | None] = (None, None, None),
    input_forget: bool = False,
) -> list[SSAValue]:
    """`c' = f c + i g`, `h = o tanh(c')` (Hochreiter and Schmidhuber, 1997): the output and the new cell.

    `total` are the sums that go into gates i, f, the candidate g and gate o, each `[batch, width]`. Peepholes of i, f
    and o add `p c` to a gate, the new cell to o (Gers and Schmidhuber, 2000). With `input_forget` f is `1 - i`.
    """
    (gate, candidate, last), (i, f, g, o) = functions, total

    def opened(value: SSAValue, peephole: SSAValue | None, seen: SSAValue) -> SSAValue:
        return gate(b, value if peephole is None else b.add(value, b.mul(peephole, seen)))

    let_in = opened(i, peepholes[0], cell)
    kept = b.sub(b.number(1, let_in), let_in) if input_forget else opened(f, peepholes[1], cell)
    new = b.add(b.mul(kept, cell), b.mul(let_in, candidate(b, g)))
    return [b.mul(opened(o, peepholes[2], new), last(b, new)), new]
