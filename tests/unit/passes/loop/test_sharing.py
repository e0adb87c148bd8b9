"""Loops that threads share, in each of the ways there are: every one computes what one thread does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import mlc
from mlc.compiler.compilation import new_context, parse_verified
from mlc.dialects.loop import ForOp, LoopKind
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.passes.loop._sharing import BUSY, outermost_that_keep_busy, share_of_work
from mlc.schedules.cost.estimate import estimate
from mlc.targets.machine import resolve_target

_PRODUCT = """
func.func @main(%x: tensor<{m}x{k}xf32>, %w: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %y = graph.matmul %x, %w : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32> -> tensor<{m}x{n}xf32>
  %z = graph.relu %y : tensor<{m}x{n}xf32>
  return %z : tensor<{m}x{n}xf32>
}}
"""
_HEADS = """
func.func @main(%q: tensor<{h}x{t}x32xf32>, %k: tensor<{h}x32x{t}xf32>, %v: tensor<{h}x{t}x32xf32>)
    -> tensor<{h}x{t}x32xf32> {{
  %s = graph.matmul %q, %k : tensor<{h}x{t}x32xf32>, tensor<{h}x32x{t}xf32> -> tensor<{h}x{t}x{t}xf32>
  %p = graph.softmax %s axis 2 : tensor<{h}x{t}x{t}xf32>
  %y = graph.matmul %p, %v : tensor<{h}x{t}x{t}xf32>, tensor<{h}x{t}x32xf32> -> tensor<{h}x{t}x32xf32>
  return %y : tensor<{h}x{t}x32xf32>
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("sizes", [(128, 256, 768), (67, 129, 83), (13, 300, 500)])
def test_products(sizes: tuple[int, int, int], threads: int) -> None:
    m, k, n = sizes
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape, np.float32) for shape in ((m, k), (k, n)))
    text = _PRODUCT.format(m=m, k=k, n=n)
    found = mlc.compile(text, threads=threads)(x, w)
    np.testing.assert_allclose(found, np.maximum(x.astype(np.float64) @ w, 0), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(found, mlc.compile(text)(x, w))


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 5, 16])
def test_heads_that_are_fewer_than_threads(threads: int) -> None:
    heads, tokens = 3, 200
    rng = np.random.default_rng(1)
    q, k, v = (
        rng.standard_normal(s, np.float32) for s in ((heads, tokens, 32), (heads, 32, tokens), (heads, tokens, 32))
    )
    scores = q.astype(np.float64) @ k
    parts = np.exp(scores - scores.max(2, keepdims=True))
    wanted = parts / parts.sum(2, keepdims=True) @ v
    text = _HEADS.format(h=heads, t=tokens)
    found = mlc.compile(text, threads=threads)(q, k, v)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found, mlc.compile(text)(q, k, v))


def test_share_of_work() -> None:
    assert [share_of_work(n, 2) for n in (1, 2, 3, 9)] == [0.5, 1.0, 0.75, 0.9]
    assert share_of_work(225, 16) == 225 / 240


def test_no_more_loops_than_keep_threads_busy() -> None:
    def chosen(*trips: int, threads: int) -> tuple[int, bool]:
        loops = [ForOp("n", 0, each, kind=LoopKind.PARALLEL) for each in trips]
        run, busy = outermost_that_keep_busy(loops, threads)
        return len(run), busy >= BUSY

    assert chosen(64, 25, threads=2) == (1, True)
    assert chosen(9, 25, threads=2) == (2, True)
    assert chosen(3, 2, 40, threads=8) == (3, True)
    assert chosen(3, 5, threads=16) == (2, False)
    assert chosen(7, 1, threads=8) == (1, False)


_MANY_PARTS = """
func.func @main(%x: memref<9x{n}xf32>, %y: memref<9x{n}xf32>) {{
  loop.for parallel "m" %m = 0 to 9 {{
{parts}
  }}
  return
}}
"""
_PART = """
    loop.for parallel "n" %n{i} = {first} to {last} {{
      %a{i} = loop.load %x[%m, %n{i}] : memref<9x{n}xf32>
      loop.store %a{i}, %y[%m, %n{i}] : memref<9x{n}xf32>
    }}"""


@pytest.mark.parametrize("parts", [2, 20])
def test_all_pieces_get_loops_of_their_own(parts: int, tmp_path: Path) -> None:
    n, ctx = 400 * parts, new_context()
    bodies = [_PART.format(i=i, first=400 * i, last=400 * i + 400, n=n) for i in range(parts)]
    module = parse_verified(_MANY_PARTS.format(n=n, parts="".join(bodies)), "m.mlir", ctx, tmp_path)
    PassManager(ctx).run(module, parse_passes("parallelize{threads=8 least-ns=2}"))
    spread = [op for op in module.walk() if isinstance(op, ForOp) and op.kind.data is LoopKind.THREADS]
    assert len(spread) == 2 * parts and all(len(each.spread_with) == 2 for each in spread[::2])


_TOGETHER = """
func.func @main(%x: memref<9x25x64xf32>, %y: memref<9x25xf32>) {
  loop.for threads "n" %n = 0 to 9 {
    loop.for threads "m" %m = 0 to 25 {
      %zero = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 64 iter_args(%t = %zero) -> (f32) {
        %a = loop.load %x[%n, %m, %k] : memref<9x25x64xf32>
        %u = arith.addf %t, %a : f32
        loop.yield %u : f32
      }
      loop.store %s, %y[%n, %m] : memref<9x25xf32>
    }
  }
  return
}
"""


def test_the_cost_of_loops_that_are_spread_together(tmp_path: Path) -> None:
    (function,) = parse_verified(_TOGETHER, "m.mlir", new_context(), tmp_path).ops
    assert isinstance(function, FuncOp)
    machine = replace(resolve_target("x86-64-v4"), cores=16)
    one = estimate(function, machine, 1).cycles
    for threads, most in ((2, 113), (4, 57), (16, 15)):
        shared = estimate(function, machine, threads)
        assert shared.cycles - shared.parts["sharing"] == pytest.approx(one * most / 225, rel=0.02)
