"""Branches and loops whose length depends on data, as native code and through every pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.compiler.compilation import new_context
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.default_passes import default_passes

Array = NDArray[Any]

IF = """
func.func @main(%c: tensor<i1>, %x: tensor<6xf32>, %w: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %y:3 = graph.if %c using (%x, %w) : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<6xf32>):
    %0 = graph.mul %a, %b : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    %1 = graph.tanh %0 : tensor<6xf32>
    graph.yield %1, %1, %a : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  } else {
  ^bb0(%a: tensor<6xf32>, %b: tensor<6xf32>):
    %0 = graph.constant dense<3.0> : tensor<6xf32>
    graph.yield %b, %a, %0 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
"""
"""A branch with a computed value twice, one that only hands values on, and a constant."""

NEWTON = """
func.func @main(%a: tensor<5xf32>, %limit: tensor<i64>) -> (tensor<5xf32>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %x, %n = graph.while carry (%a, %zero) using (%a, %limit)
      : (tensor<5xf32>, tensor<i64>), (tensor<5xf32>, tensor<i64>) -> (tensor<5xf32>, tensor<i64>) {
  ^bb0(%y: tensor<5xf32>, %i: tensor<i64>, %v: tensor<5xf32>, %most: tensor<i64>):
    %0 = graph.mul %y, %y : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
    %1 = graph.sub %0, %v : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
    %2 = graph.abs %1 : tensor<5xf32>
    %3 = graph.reduce max %2 axes [0] : tensor<5xf32> -> tensor<f32>
    %tolerance = graph.constant dense<1.0e-3> : tensor<f32>
    %4 = graph.compare gt, %3, %tolerance : tensor<f32>, tensor<f32> -> tensor<i1>
    %5 = graph.compare lt, %i, %most : tensor<i64>, tensor<i64> -> tensor<i1>
    %6 = graph.and %4, %5 : tensor<i1>, tensor<i1> -> tensor<i1>
    graph.yield %6 : tensor<i1>
  } do {
  ^bb0(%y: tensor<5xf32>, %i: tensor<i64>, %v: tensor<5xf32>, %most: tensor<i64>):
    %one = graph.constant dense<1> : tensor<i64>
    %half = graph.constant dense<0.5> : tensor<f32>
    %0 = graph.div %v, %y : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
    %1 = graph.add %0, %y : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
    %2 = graph.mul %1, %half : tensor<5xf32>, tensor<f32> -> tensor<5xf32>
    %3 = graph.add %i, %one : tensor<i64>, tensor<i64> -> tensor<i64>
    graph.yield %2, %3 : tensor<5xf32>, tensor<i64>
  }
  return %x, %n : tensor<5xf32>, tensor<i64>
}
"""
"""Square roots: how many steps it takes depends on the numbers."""

ALL_IN_ALL = """
func.func @main(%go: tensor<i1>, %a0: tensor<3xf32>, %b0: tensor<3xf32>, %n: tensor<i64>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) {
  %0:3 = graph.scan 4 carry (%a = %a0, %b = %b0) using (%c = %go, %most = %n)
      : (tensor<3xf32>, tensor<3xf32>, tensor<i1>, tensor<i64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) {
    %1:2 = graph.if %c using (%a, %b, %most)
        : (tensor<3xf32>, tensor<3xf32>, tensor<i64>) -> (tensor<3xf32>, tensor<3xf32>) {
    ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>, %m: tensor<i64>):
      %zero = graph.constant dense<0> : tensor<i64>
      %2:3 = graph.while carry (%x, %y, %zero) using (%m)
          : (tensor<3xf32>, tensor<3xf32>, tensor<i64>), (tensor<i64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<i64>) {
      ^bb0(%p: tensor<3xf32>, %q: tensor<3xf32>, %i: tensor<i64>, %l: tensor<i64>):
        %3 = graph.compare lt, %i, %l : tensor<i64>, tensor<i64> -> tensor<i1>
        graph.yield %3 : tensor<i1>
      } do {
      ^bb0(%p: tensor<3xf32>, %q: tensor<3xf32>, %i: tensor<i64>, %l: tensor<i64>):
        %one = graph.constant dense<1> : tensor<i64>
        %3 = graph.add %i, %one : tensor<i64>, tensor<i64> -> tensor<i64>
        %4 = graph.sub %p, %q : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
        graph.yield %q, %4, %3 : tensor<3xf32>, tensor<3xf32>, tensor<i64>
      }
      graph.yield %2#0, %2#1 : tensor<3xf32>, tensor<3xf32>
    } else {
    ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>, %m: tensor<i64>):
      graph.yield %y, %x : tensor<3xf32>, tensor<3xf32>
    }
    graph.yield %1#0, %1#1, %1#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>
}
"""
"""A loop in a branch in a loop."""


def _if(c: Array, x: Array, w: Array) -> list[Array]:
    return [np.tanh(x * w), np.tanh(x * w), x] if c else [w, x, np.full(6, 3, np.float32)]


def _newton(a: Array, limit: Array) -> list[Array]:
    x, n = a, 0
    while np.abs(x * x - a).max() > np.float32(1e-3) and n < limit:
        x, n = (a / x + x) * np.float32(0.5), n + 1
    return [x, np.asarray(n, np.int64)]


def _all_in_all(go: Array, a: Array, b: Array, n: Array) -> list[Array]:
    ys: list[Array] = []
    for _ in range(4):
        if go:
            for _ in range(int(n)):
                a, b = b, a - b
        else:
            a, b = b, a
        ys.append(b)
    return [a, b, np.stack(ys)]


_FLOATS = np.linspace(0.5, 9, 6, dtype=np.float32)
CASES: list[tuple[str, str, Callable[..., list[Array]], list[Array]]] = [
    ("if-true", IF, _if, [np.asarray(True), _FLOATS, _FLOATS[::-1].copy()]),
    ("if-false", IF, _if, [np.asarray(False), _FLOATS, _FLOATS[::-1].copy()]),
    ("newton", NEWTON, _newton, [_FLOATS[:5], np.asarray(50)]),
    ("newton-not-once", NEWTON, _newton, [_FLOATS[:5], np.asarray(0)]),
    ("newton-once", NEWTON, _newton, [_FLOATS[:5], np.asarray(1)]),
    ("nested", ALL_IN_ALL, _all_in_all, [np.asarray(True), _FLOATS[:3], _FLOATS[3:], np.asarray(3)]),
    ("nested-other-way", ALL_IN_ALL, _all_in_all, [np.asarray(False), _FLOATS[:3], _FLOATS[3:], np.asarray(3)]),
]


@pytest.mark.parametrize(("text", "oracle", "inputs"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_native(text: str, oracle: Callable[..., list[Array]], inputs: list[Array]) -> None:
    for opt_level, threads in ((0, 1), (1, 1), (2, 1), (3, 2)):
        model = mlc.compile(text, opt_level=opt_level, threads=threads)
        outputs = model.run({info.name: array for info, array in zip(model.inputs, inputs, strict=True)})
        for info, wanted in zip(model.outputs, oracle(*inputs), strict=True):
            np.testing.assert_allclose(outputs[info.name], wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", [IF, ALL_IN_ALL], ids=["if", "nested"])
def test_arm(text: str, run_compiled: Callable[..., list[Array]]) -> None:
    for _, _, oracle, inputs in (case for case in CASES if case[1] == text):
        found = run_compiled(mlc.parse(text), inputs, "aarch64")
        for array, wanted in zip(found, oracle(*inputs), strict=True):
            np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-6)


def test_every_pass_keeps_the_meaning() -> None:
    module, ctx = mlc.parse(IF), new_context()
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    for pass_ in default_passes(3, threads=2, upto="loop"):
        pass_.run(module, ctx)
        module.verify()
        checker.check(pass_.name, module, pass_.rounding)
        assert not checker.skipped
