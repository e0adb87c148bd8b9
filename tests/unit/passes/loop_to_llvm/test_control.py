"""Loops, calls and entries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

from mlc.support.errors import UserError

Compiled = Callable[..., Callable[..., int]]
Lower = Callable[..., ModuleOp]


@pytest.mark.parametrize(
    ("lower_bound", "upper", "step"), [(0, 10, 1), (0, 10, 3), (2, 3, 1), (5, 5, 1), (-4, 5, 2), (3, 100, 7)]
)
def test_carried_values(compiled: Compiled, lower_bound: int, upper: int, step: int) -> None:
    """Fibonacci: a carried value may be yielded as another one."""
    run = compiled(f"""
func.func private @k(%y: memref<3xi64>) {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:3 = loop.for serial "i" %i = {lower_bound} to {upper} step {step}
      iter_args(%a = %zero, %b = %one, %s = %zero) -> (i64, i64, i64) {{
    %c = arith.addi %a, %b : i64
    %n = arith.index_cast %i : index to i64
    %t = arith.addi %s, %n : i64
    loop.yield %b, %c, %t : i64, i64, i64
  }}
  loop.store %r#0, %y[0] : memref<3xi64>
  loop.store %r#1, %y[1] : memref<3xi64>
  loop.store %r#2, %y[2] : memref<3xi64>
  func.return
}}""")
    y = np.empty(3, np.int64)
    run("k", y)
    a, b = 0, 1
    for _ in range(lower_bound, upper, step):
        a, b = b, a + b
    assert y.tolist() == [a, b, sum(range(lower_bound, upper, step))]


def test_matmul_of_nested_and_sibling_loops(compiled: Compiled) -> None:
    run = compiled("""
func.func private @k(%x: memref<6x7xf32>, %w: memref<7x5xf32>, %y: memref<6x5xf32> {mlc.output}) {
  %z = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 6 {
    loop.for parallel "n" %n = 0 to 5 {
      %acc = loop.for serial "k" %k = 0 to 7 iter_args(%c = %z) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<6x7xf32>
        %b = loop.load %w[%k, %n] : memref<7x5xf32>
        %d = math.fma %a, %b, %c : f32
        loop.yield %d : f32
      }
      loop.store %acc, %y[%m, %n] : memref<6x5xf32>
    }
    loop.for parallel "n" %n = 0 to 5 {
      loop.for parallel "one" %one = 0 to 1 {
        loop.for parallel "again" %again = 0 to 2 {
          %a = loop.load %y[%m, %n + %one] : memref<6x5xf32>
          %b = arith.addf %a, %a : f32
          loop.store %b, %y[%m, %n] : memref<6x5xf32>
        }
      }
    }
  }
  func.return
}""")
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((6, 7), np.float32), rng.standard_normal((7, 5), np.float32)
    y = np.empty((6, 5), np.float32)
    run("k", x, w, y)
    np.testing.assert_allclose(y, 4 * (x @ w), rtol=1e-5)


ENTRY = """
func.func private @double(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xf32>, vector<4xf32>
  %b = arith.addf %a, %a : vector<4xf32>
  loop.store %b, %y[0] : memref<4xf32>, vector<4xf32>
  func.return
}
func.func @main(%p: memref<4xf32>, %q: memref<4xf32>, %y: memref<4xf32> {mlc.output}, %z: memref<4xf32> {mlc.output},
                %w: memref<128xi8> {mlc.workspace}) {
  %bytes = arith.constant 64 : index
  %t = memref.view %w[%bytes][] : memref<128xi8> to memref<4xf32>
  func.call @double(%p, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @double(%t, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @double(%q, %z) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}"""


def test_entry(compiled: Compiled) -> None:
    run = compiled(ENTRY)
    p, q, y, z = (np.full(4, v, np.float32) for v in (1, 5, 0, 0))
    inputs, outputs = np.array([p.ctypes.data, q.ctypes.data]), np.array([y.ctypes.data, z.ctypes.data])
    workspace = np.zeros(192, np.uint8)
    status = run("mlc_main", inputs, outputs, workspace)
    assert (status, y.tolist(), z.tolist()) == (0, [4] * 4, [10] * 4)


def test_kernel_attributes(lower: Lower) -> None:
    functions = {op.sym_name.data: op for op in lower(ENTRY).ops if isinstance(op, llvm.FuncOp)}
    kernel = functions["double"]
    assert kernel.linkage.linkage.data == "weak_odr" and kernel.visibility_.value.data == 1
    assert kernel.arg_attrs is not None
    source, target = (set(a.data) for a in kernel.arg_attrs)
    assert source == {"llvm.noalias", "llvm.nocapture", "llvm.readonly", "llvm.dereferenceable"}
    assert target == source - {"llvm.readonly"}


@pytest.mark.parametrize("threads", [1, 2, 3, 4, 7, 50])
@pytest.mark.parametrize(("lower_bound", "upper", "step"), [(0, 10, 1), (3, 32, 3), (0, 4, 1), (0, 1, 1)])
def test_threads_at_most(compiled: Compiled, threads: int, lower_bound: int, upper: int, step: int) -> None:
    """Each iteration is computed once, and as many tasks share them as there may be threads."""
    run = compiled(f"""
func.func private @k(%y: memref<32xi64> {{mlc.output}}) {{
  loop.for threads "i" %i = {lower_bound} to {upper} step {step} attributes {{most_threads = {threads} : i64}} {{
    %a = loop.load %y[%i] : memref<32xi64>
    %n = arith.index_cast %i : index to i64
    %b = arith.addi %a, %n : i64
    loop.store %b, %y[%i] : memref<32xi64>
  }}
  func.return
}}""")
    y, tasks = np.full(32, 100, np.int64), np.zeros(1, np.int64)
    run("k", y)
    run("take_tasks", tasks)
    iterations = range(lower_bound, upper, step)
    assert y.tolist() == [100 + (i if i in iterations else 0) for i in range(32)]
    assert tasks[0] == (0 if threads == 1 else min(threads, len(iterations)))


def test_loops_over_threads(compiled: Compiled) -> None:
    """Captured: two buffers, a counter, a scalar; repeated inside: a constant, a reshape. Tasks run backwards."""
    run = compiled("""
func.func private @k(%x: memref<24xf32>, %y: memref<2x24xf32> {mlc.output}, %s: memref<1xf32>) {
  %c = arith.constant 1.0 : f32
  %r = memref.reinterpret_cast %x to offset: [0], sizes: [6, 4], strides: [4, 1] : memref<24xf32> to memref<6x4xf32>
  %factor = loop.load %s[0] : memref<1xf32>
  loop.for serial "n" %n = 0 to 2 {
    loop.for threads "m" %m = 2 to 6 step 2 {
      loop.for threads "i" %i = 0 to 8 {
        %a = loop.load %r[%m + %i floordiv 4, %i mod 4] : memref<6x4xf32>
        %b = arith.mulf %a, %factor : f32
        %d = arith.addf %b, %c : f32
        loop.store %d, %y[%n, %m * 4 + %i] : memref<2x24xf32>
      }
    }
  }
  func.return
}""")
    x, y = np.arange(24, dtype=np.float32), np.zeros((2, 24), np.float32)
    run("k", x, y, np.array([3], np.float32))
    np.testing.assert_array_equal(y, np.broadcast_to(np.where(x < 8, 0, 3 * x + 1), (2, 24)))


def test_an_entry_returns_nothing(lower: Lower) -> None:
    with pytest.raises(UserError, match=r"func\.func @main: required a body and no results; outputs are arguments"):
        lower("""
func.func @main(%x: f32) -> f32 {
  func.return %x : f32
}""")


def test_unknown_ops_are_named(lower: Lower) -> None:
    with pytest.raises(UserError, match=r"'vector\.print' cannot be lowered to llvm: no pattern"):
        lower("""
func.func private @k(%x: f32) {
  "vector.print"(%x) : (f32) -> ()
  func.return
}""")
