"""Models with loops that carry values, and what NumPy says that they compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """A model, the shapes of its f32 inputs, and its outputs by an oracle of its own."""

    name: str
    text: str
    shapes: Sequence[tuple[int, ...]]
    oracle: Callable[..., Sequence[Array]]

    def inputs(self, seed: int = 0) -> list[Array]:
        """Numbers of either sign, of about 1."""
        random = np.random.default_rng(seed)
        return [random.standard_normal(shape).astype(np.float32) for shape in self.shapes]


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _kind(*shape: int) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}f32>"


STEPS, BATCH, WIDTH, HIDDEN = 7, 3, 5, 6
_X, _H, _G = _kind(BATCH, WIDTH), _kind(BATCH, HIDDEN), _kind(BATCH, 4 * HIDDEN)
_LSTM_BODY = (
    f"""
      %0 = graph.matmul %x, %w : {_X}, {_kind(WIDTH, 4 * HIDDEN)} -> {_G}
      %1 = graph.matmul %h, %r : {_H}, {_kind(HIDDEN, 4 * HIDDEN)} -> {_G}
      %2 = graph.add %0, %1 : {_G}, {_G} -> {_G}
      %3 = graph.add %2, %b : {_G}, {_kind(4 * HIDDEN)} -> {_G}
"""
    + "".join(
        f"""
      %p{i} = graph.slice %3 starts [0, {i * HIDDEN}] ends [{BATCH}, {(i + 1) * HIDDEN}] strides [1, 1] : {_G} -> {_H}
      %g{i} = graph.{"tanh" if i == 3 else "sigmoid"} %p{i} : {_H}
"""
        for i in range(4)
    )
    + f"""
      %4 = graph.mul %g2, %c : {_H}, {_H} -> {_H}
      %5 = graph.mul %g0, %g3 : {_H}, {_H} -> {_H}
      %cn = graph.add %4, %5 : {_H}, {_H} -> {_H}
      %6 = graph.tanh %cn : {_H}
      %hn = graph.mul %g1, %6 : {_H}, {_H} -> {_H}
      graph.yield %hn, %cn, %hn : {_H}, {_H}, {_H}
"""
)
_XS, _HS = _kind(STEPS, BATCH, WIDTH), _kind(STEPS, BATCH, HIDDEN)
_W, _R, _B = _kind(WIDTH, 4 * HIDDEN), _kind(HIDDEN, 4 * HIDDEN), _kind(4 * HIDDEN)


def _lstm_scan(name: str, words: str, stack: str, w: str, r: str, b: str) -> str:
    return f"""
    %{name}:3 = graph.scan {STEPS} carry (%h = %h0, %c = %c0) over (%x = %xs{words})
        using (%w = {w}, %r = {r}, %b = {b}){stack}
        : ({_H}, {_H}, {_XS}, {_W}, {_R}, {_B}) -> ({_H}, {_H}, {_HS}) {{{_LSTM_BODY}
    }}
"""


LSTM = f"""
func.func @main(%xs: {_XS}, %h0: {_H}, %c0: {_H}, %wf: {_W}, %rf: {_R}, %wb: {_W}, %rb: {_R}, %bias: {_B})
    -> ({_kind(STEPS, BATCH, 2 * HIDDEN)}, {_H}, {_H}, {_H}, {_H}) {{
  {_lstm_scan("f", "", "", "%wf", "%rf", "%bias")}
  {_lstm_scan("g", " backwards", " stack (backwards)", "%wb", "%rb", "%bias")}
  %ys = graph.concat %f#2, %g#2 axis 2 : {_HS}, {_HS} -> {_kind(STEPS, BATCH, 2 * HIDDEN)}
  return %ys, %f#0, %f#1, %g#0, %g#1 : {_kind(STEPS, BATCH, 2 * HIDDEN)}, {_H}, {_H}, {_H}, {_H}
}}
"""


def _lstm(xs: Array, h: Array, c: Array, wf: Array, rf: Array, wb: Array, rb: Array, bias: Array) -> list[Array]:
    def run(w: Array, r: Array, order: range) -> tuple[Array, Array, Array]:
        hidden, cell, ys = h, c, np.zeros((STEPS, BATCH, HIDDEN), np.float32)
        for t in order:
            i, o, f, g = np.split(xs[t] @ w + hidden @ r + bias, 4, axis=1)
            cell = _sigmoid(f) * cell + _sigmoid(i) * np.tanh(g)
            hidden = _sigmoid(o) * np.tanh(cell)
            ys[t] = hidden
        return ys, hidden, cell

    ahead, back = run(wf, rf, range(STEPS)), run(wb, rb, range(STEPS)[::-1])
    return [np.concatenate([ahead[0], back[0]], 2), *ahead[1:], *back[1:]]


_G1, _G2 = _kind(BATCH, HIDDEN), _kind(BATCH, 2 * HIDDEN)
GRU = f"""
func.func @main(%xs: {_XS}, %h0: {_H}, %w: {_kind(WIDTH, HIDDEN)}, %wz: {_kind(WIDTH, 2 * HIDDEN)},
    %r: {_kind(HIDDEN, HIDDEN)}, %rz: {_kind(HIDDEN, 2 * HIDDEN)}) -> ({_H}, {_HS}) {{
  %one = graph.constant dense<1.0> : tensor<f32>
  %y:2 = graph.scan {STEPS} carry (%h = %h0) over (%x = %xs)
      using (%w1 = %w, %wz1 = %wz, %r1 = %r, %rz1 = %rz, %one1 = %one)
      : ({_H}, {_XS}, {_kind(WIDTH, HIDDEN)}, {_kind(WIDTH, 2 * HIDDEN)}, {_kind(HIDDEN, HIDDEN)},
         {_kind(HIDDEN, 2 * HIDDEN)}, tensor<f32>) -> ({_H}, {_HS}) {{
    %0 = graph.matmul %x, %wz1 : {_X}, {_kind(WIDTH, 2 * HIDDEN)} -> {_G2}
    %1 = graph.matmul %h, %rz1 : {_H}, {_kind(HIDDEN, 2 * HIDDEN)} -> {_G2}
    %2 = graph.add %0, %1 : {_G2}, {_G2} -> {_G2}
    %3 = graph.sigmoid %2 : {_G2}
    %z = graph.slice %3 starts [0, 0] ends [{BATCH}, {HIDDEN}] strides [1, 1] : {_G2} -> {_H}
    %g = graph.slice %3 starts [0, {HIDDEN}] ends [{BATCH}, {2 * HIDDEN}] strides [1, 1] : {_G2} -> {_H}
    %4 = graph.mul %g, %h : {_H}, {_H} -> {_H}
    %5 = graph.matmul %4, %r1 : {_H}, {_kind(HIDDEN, HIDDEN)} -> {_H}
    %6 = graph.matmul %x, %w1 : {_X}, {_kind(WIDTH, HIDDEN)} -> {_H}
    %7 = graph.add %5, %6 : {_H}, {_H} -> {_H}
    %8 = graph.tanh %7 : {_H}
    %9 = graph.sub %one1, %z : tensor<f32>, {_H} -> {_H}
    %10 = graph.mul %9, %8 : {_H}, {_H} -> {_H}
    %11 = graph.mul %z, %h : {_H}, {_H} -> {_H}
    %hn = graph.add %10, %11 : {_H}, {_H} -> {_H}
    graph.yield %hn, %hn : {_H}, {_H}
  }}
  return %y#0, %y#1 : {_H}, {_HS}
}}
"""


def _gru(xs: Array, h: Array, w: Array, wz: Array, r: Array, rz: Array) -> list[Array]:
    ys: list[Array] = []
    for x in xs:
        z, g = np.split(_sigmoid(x @ wz + h @ rz), 2, axis=1)
        h = (1 - z) * np.tanh((g * h) @ r + x @ w) + z * h
        ys.append(h)
    return [h, np.stack(ys)]


def _cumsum_text(shape: tuple[int, ...], axis: int, exclusive: bool, reverse: bool) -> str:
    order = (axis, *(i for i in range(len(shape)) if i != axis))
    front = tuple(shape[i] for i in order)
    back = [order.index(i) for i in range(len(shape))]
    row = front[1:]
    way = " backwards" if reverse else ""
    stack = " stack (backwards)" if reverse else ""
    ones = "[" * len(row) + "0.0" + "]" * len(row) if not row else "0.0"
    yielded = "%sum" if exclusive else "%next"
    return f"""
func.func @main(%v: {_kind(*shape)}) -> {_kind(*shape)} {{
  %zero = graph.constant dense<{ones}> : {_kind(*row)}
  %0 = graph.transpose %v {list(order)} : {_kind(*shape)} -> {_kind(*front)}
  %1:2 = graph.scan {front[0]} carry (%sum = %zero) over (%x = %0{way}){stack}
      : ({_kind(*row)}, {_kind(*front)}) -> ({_kind(*row)}, {_kind(*front)}) {{
    %next = graph.add %sum, %x : {_kind(*row)}, {_kind(*row)} -> {_kind(*row)}
    graph.yield %next, {yielded} : {_kind(*row)}, {_kind(*row)}
  }}
  %2 = graph.transpose %1#1 {back} : {_kind(*front)} -> {_kind(*shape)}
  return %2 : {_kind(*shape)}
}}
"""


def _cumsum(axis: int, exclusive: bool, reverse: bool) -> Callable[[Array], Sequence[Array]]:
    def oracle(v: Array) -> list[Array]:
        v = np.flip(v, axis) if reverse else v
        found = np.cumsum(v.astype(np.float64), axis)
        found = found - v if exclusive else found
        return [(np.flip(found, axis) if reverse else found).astype(np.float32)]

    return oracle


def _cumsum_cases() -> list[Case]:
    found: list[Case] = []
    for shape, axis in (((9,), 0), ((4, 5, 6), 0), ((4, 5, 6), 1), ((4, 5, 6), 2)):
        for exclusive in (False, True):
            for reverse in (False, True):
                name = f"cumsum-{len(shape)}d-axis{axis}{'-exclusive' * exclusive}{'-reverse' * reverse}"
                oracle = _cumsum(axis, exclusive, reverse)
                found.append(Case(name, _cumsum_text(shape, axis, exclusive, reverse), [shape], oracle))
    return found


SWAPPED = """
func.func @main(%a0: tensor<4xf32>, %b0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>) {
  %0:3 = graph.scan 5 carry (%a = %a0, %b = %b0)
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>) {
    graph.yield %b, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>
}
"""
FIBONACCI = """
func.func @main(%a0: tensor<4xf32>, %b0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = graph.scan 6 carry (%a = %a0, %b = %b0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = graph.add %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %b, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
"""
UNCHANGED_AND_TWICE = """
func.func @main(%a0: tensor<4xf32>, %b0: tensor<4xf32>, %xs: tensor<3x4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0:6 = graph.scan 3 carry (%a = %a0, %b = %b0, %c = %b0) over (%x = %xs backwards)
      stack (forwards, backwards, forwards)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
    %1 = graph.mul %b, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %2 = graph.add %1, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %a, %2, %2, %2, %2, %x
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#2, %0#2, %0#3, %0#4, %0#5
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
"""
NO_STEPS = """
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.scan 0 carry (%s = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = graph.exp %s : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  %2 = graph.neg %0 : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
"""
ONE_STEP = """
func.func @main(%a: tensor<4xf32>, %xs: tensor<1x4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  %0:2 = graph.scan 1 carry (%s = %a) over (%x = %xs)
      : (tensor<4xf32>, tensor<1x4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
    %1 = graph.mul %s, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %1, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<1x4xf32>
}
"""
NESTED = """
func.func @main(%xs: tensor<3x4x5xf32>, %s0: tensor<5xf32>) -> (tensor<5xf32>, tensor<3x4x5xf32>, tensor<3x5xf32>) {
  %0:3 = graph.scan 3 carry (%s = %s0) over (%rows = %xs)
      : (tensor<5xf32>, tensor<3x4x5xf32>) -> (tensor<5xf32>, tensor<3x4x5xf32>, tensor<3x5xf32>) {
    %1 = graph.tanh %s : tensor<5xf32>
    %2:2 = graph.scan 4 carry (%t = %1) over (%x = %rows backwards) using (%outer = %s) stack (backwards)
        : (tensor<5xf32>, tensor<4x5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<4x5xf32>) {
      %3 = graph.mul %t, %x : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
      %4 = graph.add %3, %outer : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
      graph.yield %4, %4 : tensor<5xf32>, tensor<5xf32>
    }
    graph.yield %2#0, %2#1, %1 : tensor<5xf32>, tensor<4x5xf32>, tensor<5xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<5xf32>, tensor<3x4x5xf32>, tensor<3x5xf32>
}
"""


def _swapped(a: Array, b: Array) -> list[Array]:
    return [b, a, np.stack([a, b, a, b, a])]


def _fibonacci(a: Array, b: Array) -> list[Array]:
    for _ in range(6):
        a, b = b, a + b
    return [a, b]


def _unchanged(a: Array, b: Array, xs: Array) -> list[Array]:
    c, ys = b, list[Array]()
    for x in xs[::-1]:
        b = c = b * x + c
        ys.append(b)
    return [a, b, c, c, np.stack(ys), np.stack(ys[::-1]), xs[::-1]]


def _no_steps(a: Array) -> list[Array]:
    return [a, -a]


def _one_step(a: Array, xs: Array) -> list[Array]:
    return [a * xs[0], a[None]]


def _nested(xs: Array, s: Array) -> list[Array]:
    stacks: list[Array] = []
    begun: list[Array] = []
    for rows in xs:
        t = np.tanh(s)
        begun.append(t)
        stack = np.empty_like(rows)
        for i in range(4)[::-1]:
            t = stack[i] = t * rows[i] + s
        s = stack[0]
        stacks.append(stack)
    return [s, np.stack(stacks), np.stack(begun)]


CASES = [
    Case(
        "lstm",
        LSTM,
        [(STEPS, BATCH, WIDTH), (BATCH, HIDDEN), (BATCH, HIDDEN), (WIDTH, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN),
         (WIDTH, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (4 * HIDDEN,)],
        _lstm,
    ),
    Case(
        "gru",
        GRU,
        [(STEPS, BATCH, WIDTH), (BATCH, HIDDEN), (WIDTH, HIDDEN), (WIDTH, 2 * HIDDEN), (HIDDEN, HIDDEN),
         (HIDDEN, 2 * HIDDEN)],
        _gru,
    ),
    *_cumsum_cases(),
    Case("swapped", SWAPPED, [(4,), (4,)], _swapped),
    Case("fibonacci", FIBONACCI, [(4,), (4,)], _fibonacci),
    Case("unchanged-and-twice", UNCHANGED_AND_TWICE, [(4,), (4,), (3, 4)], _unchanged),
    Case("no-steps", NO_STEPS, [(4,)], _no_steps),
    Case("one-step", ONE_STEP, [(4,), (1, 4)], _one_step),
    Case("nested", NESTED, [(3, 4, 5), (5,)], _nested),
]  # fmt: skip
"""Each is small: what counts is which values go where."""
