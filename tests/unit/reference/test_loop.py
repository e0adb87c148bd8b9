"""Loops over buffers: values carried, lanes, vectors, views, and what has no meaning."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.reference import loop
from mlc.reference.execution import UndefinedBehavior
from mlc.support.resources import Resources

Array = NDArray[Any]
Run = Callable[..., list[Array]]

MATMUL = """
    func.func private @f(%x: memref<6x5xf32>, %w: memref<5x8xf32>, %y: memref<6x8xf32> {mlc.output}) {
      %z = arith.constant 0.0 : f32
      loop.for KIND "m" %m = 0 to 6 {
        loop.for KIND "n" %n = 0 to 8 {
          %acc = loop.for serial "k" %k = 0 to 5 iter_args(%c = %z) -> (f32) {
            %a = loop.load %x[%m, %k] : memref<6x5xf32>
            %b = loop.load %w[%k, %n] : memref<5x8xf32>
            %d = math.fma %a, %b, %c : f32
            loop.yield %d : f32
          }
          loop.store %acc, %y[%m, %n] : memref<6x8xf32>
        }
      }
      func.return
    }
"""


@pytest.mark.parametrize("kind", ["serial", "parallel", "threads"])
def test_matmul(kind: str, run: Run, rng: np.random.Generator) -> None:
    x, w = (rng.integers(-4, 5, s).astype(np.float32) for s in ((6, 5), (5, 8)))
    (found,) = run(MATMUL.replace("KIND", kind), x, w)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, x @ w)


OWN_WAYS = {
    "for": """
          %s = scf.for %k = %zero to %n step %one iter_args(%c = %none) -> (index) {
            %d = arith.addi %c, %k : index
            scf.yield %d : index
          }""",
    "while": """
          %w, %s = scf.while (%k = %zero, %c = %none) : (index, index) -> (index, index) {
            %more = arith.cmpi slt, %k, %n : index
            scf.condition(%more) %k, %c : index, index
          } do {
          ^bb0(%k: index, %c: index):
            %d = arith.addi %c, %k : index
            %next = arith.addi %k, %one : index
            scf.yield %next, %d : index, index
          }""",
    "affine": """
          %s = affine.for %k = 0 to %n iter_args(%c = %none) -> (index) {
            %d = arith.addi %c, %k : index
            affine.yield %d : index
          }""",
    "if": """
          %small = arith.cmpi slt, %n, %two : index
          %s = scf.if %small -> (index) {
            scf.yield %zero : index
          } else {
            %less = arith.subi %n, %one : index
            %twice = arith.muli %n, %less : index
            %half = arith.divsi %twice, %two : index
            scf.yield %half : index
          }""",
}


@pytest.mark.parametrize("kind", ["parallel", "threads"])
@pytest.mark.parametrize("way", OWN_WAYS)
def test_iterations_of_a_parallel_loop_that_go_ways_of_their_own(way: str, kind: str, run: Run) -> None:
    counts = np.array([[3, 0, 5], [1, 2, 4]], np.int64)
    (found,) = run(
        f"""
        func.func private @f(%x: memref<2x3xi64>, %y: memref<2x3xi64> {{mlc.output}}) {{
          %zero = arith.constant 0 : index
          %none = arith.constant 0 : index
          %one = arith.constant 1 : index
          %two = arith.constant 2 : index
          loop.for {kind} "m" %m = 0 to 2 {{
            loop.for parallel "j" %j = 0 to 3 {{
              %a = loop.load %x[%m, %j] : memref<2x3xi64>
              %n = arith.index_cast %a : i64 to index
              {OWN_WAYS[way]}
              %r = arith.index_cast %s : index to i64
              loop.store %r, %y[%m, %j] : memref<2x3xi64>
            }}
          }}
          func.return
        }}
        """,
        counts,
    )
    np.testing.assert_array_equal(found, counts * (counts - 1) // 2)


def test_parallel_loops_iterate_when_lanes_are_many(
    run: Run, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w = (rng.integers(-4, 5, s).astype(np.float32) for s in ((6, 5), (5, 8)))
    for limit in (1, 6):
        monkeypatch.setattr(loop, "_MAX_LANES", limit)
        np.testing.assert_array_equal(run(MATMUL.replace("KIND", "parallel"), x, w)[0], x @ w)


def test_vectors_steps_and_affine_subscripts(run: Run, rng: np.random.Generator) -> None:
    x, w = (rng.integers(-4, 5, s).astype(np.float32) for s in ((6, 5), (5, 8)))
    (found,) = run(
        """
        func.func private @f(%x: memref<6x5xf32>, %w: memref<5x8xf32>, %y: memref<6x8xf32> {mlc.output}) {
          %z = arith.constant dense<0.0> : vector<4xf32>
          loop.for parallel "m" %m = 0 to 6 step 2 {
            loop.for parallel "n" %n = 0 to 2 {
              %p, %q = loop.for serial "k" %k = 0 to 5 iter_args(%c = %z, %d = %z) -> (vector<4xf32>, vector<4xf32>) {
                %b = loop.load %w[%k, %n * 4] : memref<5x8xf32>, vector<4xf32>
                %a0 = loop.load %x[%m, %k] : memref<6x5xf32>
                %a1 = loop.load %x[%m + 1, %k] : memref<6x5xf32>
                %v0 = vector.broadcast %a0 : f32 to vector<4xf32>
                %v1 = vector.broadcast %a1 : f32 to vector<4xf32>
                %r0 = vector.fma %v0, %b, %c : vector<4xf32>
                %r1 = vector.fma %v1, %b, %d : vector<4xf32>
                loop.yield %r0, %r1 : vector<4xf32>, vector<4xf32>
              }
              loop.store %p, %y[%m, %n * 4] : memref<6x8xf32>, vector<4xf32>
              loop.store %q, %y[%m + 1, %n * 4] : memref<6x8xf32>, vector<4xf32>
            }
          }
          func.return
        }
        """,
        x,
        w,
    )
    np.testing.assert_array_equal(found, x @ w)


@pytest.mark.parametrize("kind", ["serial", "parallel"])
def test_vector_ops(kind: str, run: Run) -> None:
    x = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)
    y, s = run(
        f"""
        func.func private @f(%x: memref<2x4xf32>, %y: memref<2x4xf32> {{mlc.output}},
                             %s: memref<2xf32> {{mlc.output}}) {{
          loop.for {kind} "m" %m = 0 to 2 {{
            %v = loop.load %x[%m, 0] : memref<2x4xf32>, vector<4xf32>
            %e = "vector.extract"(%v) <{{static_position = array<i64: 3>}}> : (vector<4xf32>) -> f32
            %i = "vector.insert"(%e, %v) <{{static_position = array<i64: 0>}}> : (f32, vector<4xf32>) -> vector<4xf32>
            %h = vector.shuffle %i, %v [0, 7, 1, 4] : vector<4xf32>, vector<4xf32>
            %r = "vector.reduction"(%h, %e) <{{kind = #vector.kind<add>}}> : (vector<4xf32>, f32) -> f32
            %zero = arith.constant 0.0 : f32
            %six = arith.constant 6.0 : f32
            %low = arith.cmpf olt, %e, %six : f32
            %zeros = vector.broadcast %zero : f32 to vector<4xf32>
            %t = arith.select %low, %h, %zeros : vector<4xf32>
            loop.store %t, %y[%m, 0] : memref<2x4xf32>, vector<4xf32>
            loop.store %r, %s[%m] : memref<2xf32>
          }}
          func.return
        }}
        """,
        x,
    )
    assert y.tolist() == [[4, 4, 2, 1], [0, 0, 0, 0]]
    assert s.tolist() == [4 + 4 + 2 + 1 + 4, 8 + 8 + 6 + 5 + 8]


def test_each_iteration_has_its_own_local_buffer(run: Run) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    (found,) = run(
        """
        func.func private @f(%x: memref<3x4xf32>, %y: memref<3x4xf32> {mlc.output}) {
          loop.for parallel "m" %m = 0 to 3 {
            %t = memref.alloc() : memref<4xf32>
            loop.for parallel "i" %i = 0 to 4 {
              %v = loop.load %x[%m, %i] : memref<3x4xf32>
              loop.store %v, %t[%i] : memref<4xf32>
            }
            loop.for parallel "j" %j = 0 to 4 {
              %v = loop.load %t[-%j + 3] : memref<4xf32>
              loop.store %v, %y[%m, %j] : memref<3x4xf32>
            }
            memref.dealloc %t : memref<4xf32>
          }
          func.return
        }
        """,
        x,
    )
    np.testing.assert_array_equal(found, x[:, ::-1])


def test_entry_with_kernels_workspace_and_weights(run: Run) -> None:
    resources = Resources()
    resources.define("w", np.array([1, 2, 3, 4], np.float32))
    (found,) = run(
        """
        "memref.global"() <{sym_name = "g", sym_visibility = "private", type = memref<4xf32>,
            initial_value = dense<5.0> : tensor<4xf32>, constant}> : () -> ()
        func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
          loop.for threads "i" %i = 0 to 4 {
            %0 = loop.load %a[%i] : memref<4xf32>
            %1 = loop.load %b[%i] : memref<4xf32>
            %2 = arith.addf %0, %1 : f32
            loop.store %2, %y[%i] : memref<4xf32>
          }
          func.return
        }
        func.func @f(%x: memref<2x2xf32>, %out: memref<4xf32> {mlc.output}, %ws: memref<64xi8> {mlc.workspace}) {
          %w = loop.constant dense_resource<w> : tensor<4xf32> to memref<4xf32>
          %g = "memref.get_global"() <{name = @g}> : () -> memref<4xf32>
          %offset = arith.constant 16 : index
          %t = "memref.view"(%ws, %offset) : (memref<64xi8>, index) -> memref<4xf32>
          %flat = "memref.reinterpret_cast"(%x) <{static_offsets = array<i64: 0>, static_sizes = array<i64: 4>,
              static_strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}>
              : (memref<2x2xf32>) -> memref<4xf32>
          func.call @add(%flat, %w, %t) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
          func.call @add(%t, %g, %out) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
          func.return
        }
        """,
        np.array([[10, 20], [30, 40]], np.float32),
        resources=resources,
    )
    assert found.tolist() == [16, 27, 38, 49]


def test_booleans_in_memory(run: Run) -> None:
    (found,) = run(
        """
        func.func private @f(%x: memref<4xf32>, %y: memref<4xi1> {mlc.output}) {
          %z = arith.constant 0.0 : f32
          loop.for parallel "i" %i = 0 to 4 {
            %v = loop.load %x[%i] : memref<4xf32>
            %c = arith.cmpf ogt, %v, %z : f32
            loop.store %c, %y[%i] : memref<4xi1>
          }
          func.return
        }
        """,
        np.array([1, -1, 0, 2], np.float32),
    )
    assert found.dtype == np.bool_ and found.tolist() == [True, False, False, True]


def test_unwritten_outputs_are_nan(run: Run) -> None:
    (found,) = run("""
        func.func private @f(%y: memref<3xf32> {mlc.output}) {
          func.return
        }
        """)
    assert np.isnan(found).all()


LOOP = """
    func.func private @f(%x: memref<4xf32>, %y: memref<4xf32> {{mlc.output}}) {{
      loop.for {kind} "i" %i = 0 to 4 {{
        {body}
      }}
      func.return
    }}
"""


@pytest.mark.parametrize("kind", ["serial", "parallel"])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "%v = loop.load %x[%i + 1] : memref<4xf32>",
            r"loop.load: subscript 0 runs from \d to 4, outside of memref<4xf32>",
        ),
        (
            "%v = loop.load %x[%i - 1] : memref<4xf32>",
            r"loop.load: subscript 0 runs from -1 to \S+, outside of memref<4xf32>",
        ),
        (
            "%v = loop.load %x[%i] : memref<4xf32>, vector<2xf32>",
            r"loop.load: subscript 0 runs from \d to 3 for 2 elements, outside of memref<4xf32>",
        ),
        (
            "%v = loop.load %y[%i] : memref<4xf32>\n loop.store %v, %x[%i] : memref<4xf32>",
            "loop.store: writes to memref<4xf32>, which is an input or a constant",
        ),
    ],
)
def test_bad_accesses(body: str, message: str, kind: str, run: Run) -> None:
    with pytest.raises(UndefinedBehavior, match=message):
        run(LOOP.format(kind=kind, body=body), np.ones(4, np.float32))


def test_a_race_is_found(run: Run) -> None:
    body = "%v = loop.load %x[%i] : memref<4xf32>\n loop.store %v, %y[0] : memref<4xf32>"
    with pytest.raises(UndefinedBehavior, match="iterations of a parallel loop write to the same element"):
        run(LOOP.format(kind="parallel", body=body), np.ones(4, np.float32))


def test_a_view_must_lie_in_its_buffer(run: Run) -> None:
    with pytest.raises(UndefinedBehavior, match=r"memref.view: takes bytes 8 to 24 of 16"):
        run("""
            func.func private @f(%ws: memref<16xi8> {mlc.workspace}) {
              %offset = arith.constant 8 : index
              %t = "memref.view"(%ws, %offset) : (memref<16xi8>, index) -> memref<4xf32>
              func.return
            }
            """)


def test_a_kernel_of_300000_products_takes_about_a_second(run: Run) -> None:
    text = MATMUL.replace("KIND", "parallel")
    for old, new in (
        ("6x5", "64x96"),
        ("5x8", "96x50"),
        ("6x8", "64x50"),
        ("to 6", "to 64"),
        ("to 8", "to 50"),
    ):
        text = text.replace(old, new)
    text = text.replace('"k" %k = 0 to 5 ', '"k" %k = 0 to 96 ')
    rng = np.random.default_rng(0)
    x, w = (rng.uniform(-1, 1, s).astype(np.float32) for s in ((64, 96), (96, 50)))
    start = time.perf_counter()
    (found,) = run(text, x, w)
    assert time.perf_counter() - start < 5
    np.testing.assert_allclose(found, x @ w, rtol=1e-4, atol=1e-5)
