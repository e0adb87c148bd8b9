"""Loops of scf and affine on buffers, as native code and by the reference, beside NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import new_context
from mlc.reference.interpreter import run_function
from mlc.syntax import parse_module

if TYPE_CHECKING:
    from mlc.tests.conftest import CommandLine

_INDICES = "\n".join(f"  %c{n} = arith.constant {n} : index" for n in range(10))
_SPARSE = f"""func.func @main(%values: memref<7xf32>, %columns: memref<7xi64>, %starts: memref<5xi64>,
    %x: memref<6xf32>, %y: memref<4xf32> {{mlc.output}}) {{
{_INDICES}
  %z = arith.constant 0.0 : f32
  scf.for %r = %c0 to %c4 step %c1 {{
    %next = arith.addi %r, %c1 : index
    %f = memref.load %starts[%r] : memref<5xi64>
    %l = memref.load %starts[%next] : memref<5xi64>
    %first = arith.index_cast %f : i64 to index
    %last = arith.index_cast %l : i64 to index
    %s = scf.for %k = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {{
      %v = memref.load %values[%k] : memref<7xf32>
      %c = memref.load %columns[%k] : memref<7xi64>
      %column = arith.index_cast %c : i64 to index
      %a = memref.load %x[%column] : memref<6xf32>
      %p = arith.mulf %v, %a : f32
      %n = arith.addf %acc, %p : f32
      scf.yield %n : f32
    }}
    memref.store %s, %y[%r] : memref<4xf32>
  }}
  return
}}
"""
_MATMUL = """func.func @main(%a: memref<5x7xf64>, %b: memref<7x3xf64>, %c: memref<5x3xf64> {mlc.output}) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 3 {
      %s = affine.for %k = 0 to 7 iter_args(%acc = %z) -> (f64) {
        %x = affine.load %a[%i, %k] : memref<5x7xf64>
        %y = affine.load %b[%k, %j] : memref<7x3xf64>
        %p = arith.mulf %x, %y : f64
        %n = arith.addf %acc, %p : f64
        affine.yield %n : f64
      }
      affine.store %s, %c[%i, %j] : memref<5x3xf64>
    }
  }
  return
}
"""
_LINALG = """func.func @main(%x: memref<20x12xf32>, %w: memref<12x24xf32>, %y: memref<24x20xf32> {mlc.output}) {
  %z = arith.constant 0.0 : f32
  %h = memref.alloc() : memref<20x24xf32>
  linalg.fill ins(%z : f32) outs(%h : memref<20x24xf32>)
  linalg.matmul ins(%x, %w : memref<20x12xf32>, memref<12x24xf32>) outs(%h : memref<20x24xf32>)
  linalg.exp ins(%h : memref<20x24xf32>) outs(%h : memref<20x24xf32>)
  linalg.transpose ins(%h : memref<20x24xf32>) outs(%y : memref<24x20xf32>) permutation = [1, 0]
  return
}
"""
_TILES = """func.func @main(%x: tensor<16x12xf32>, %y: tensor<12x6xf32>, %z: tensor<18x6xf32>) -> tensor<18x6xf32> {
  %0 = scf.forall (%i, %j) = (0, 0) to (16, 3) step (8, 1) shared_outs(%out = %z) -> (tensor<18x6xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
    %a = tensor.extract_slice %x[%i, 0] [8, 12] [1, 1] : tensor<16x12xf32> to tensor<8x12xf32>
    %b = tensor.extract_slice %y[0, %k] [12, 2] [1, 1] : tensor<12x6xf32> to tensor<12x2xf32>
    %c = tensor.extract_slice %out[%at, %k] [8, 2] [1, 1] : tensor<18x6xf32> to tensor<8x2xf32>
    %m = linalg.matmul ins(%a, %b : tensor<8x12xf32>, tensor<12x2xf32>) outs(%c : tensor<8x2xf32>) -> tensor<8x2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %out[%at, %k] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<18x6xf32>
    }
  }
  return %0 : tensor<18x6xf32>
}
"""
_TRIANGLE = """func.func @main(%x: memref<4x4xi32>, %y: memref<4x4xi32> {mlc.output}) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      affine.store %zero, %y[%i, %j] : memref<4x4xi32>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (4, d0 + 3)>(%i) {
      %a = affine.load %x[%j, %i] : memref<4x4xi32>
      affine.if affine_set<(d0, d1) : (d0 + d1 - 3 >= 0, (d0 * 2 + d1) mod 3 - 1 >= 0)> (%i, %j) {
        affine.store %a, %y[%i, %j] : memref<4x4xi32>
      }
    }
  }
  return
}
"""
_REDUCED = f"""func.func @main(%x: memref<3x4x2xf32>, %y: memref<2xf32> {{mlc.output}}) {{
{_INDICES}
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %sum, %most = scf.parallel (%i, %j, %k) = (%c0, %c1, %c0) to (%c3, %c4, %c2) step (%c1, %c2, %c1)
      init (%z, %low) -> (f32, f32) {{
    %a = memref.load %x[%i, %j, %k] : memref<3x4x2xf32>
    scf.reduce(%a, %a : f32, f32) {{
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      scf.reduce.return %0 : f32
    }}, {{
    ^bb0(%l: f32, %r: f32):
      %0 = arith.maximumf %l, %r : f32
      scf.reduce.return %0 : f32
    }}
  }}
  memref.store %sum, %y[%c0] : memref<2xf32>
  memref.store %most, %y[%c1] : memref<2xf32>
  return
}}
"""
_DIVIDED = """func.func @main(%y: memref<9x6xi64> {mlc.output}) {
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  loop.for serial "i" %i = -4 to 5 {
    %row = arith.addi %i, %three : index
    %at = arith.addi %row, %one : index
    %0 = arith.floordivsi %i, %three : index
    %1 = arith.ceildivsi %i, %three : index
    %2 = arith.divsi %i, %three : index
    %3 = arith.remsi %i, %three : index
    %4 = arith.shli %i, %one : index
    %5 = arith.shrsi %i, %one : index
    %a = arith.index_cast %0 : index to i64
    %b = arith.index_cast %1 : index to i64
    %c = arith.index_cast %2 : index to i64
    %d = arith.index_cast %3 : index to i64
    %e = arith.index_cast %4 : index to i64
    %f = arith.index_cast %5 : index to i64
    loop.store %a, %y[%at, 0] : memref<9x6xi64>
    loop.store %b, %y[%at, 1] : memref<9x6xi64>
    loop.store %c, %y[%at, 2] : memref<9x6xi64>
    loop.store %d, %y[%at, 3] : memref<9x6xi64>
    loop.store %e, %y[%at, 4] : memref<9x6xi64>
    loop.store %f, %y[%at, 5] : memref<9x6xi64>
  }
  return
}
"""
_BOUNDS = """func.func @main(%n: memref<1xi64>, %x: memref<12xi64>, %y: memref<6x6xi64> {mlc.output}) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %nine = arith.constant 9 : index
  %none = arith.constant -1 : i64
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      affine.store %none, %y[%i, %j] : memref<6x6xi64>
    }
  }
  %count = memref.load %n[%zero] : memref<1xi64>
  %s = arith.index_cast %count : i64 to index
  affine.for %i = 0 to 6 {
    affine.for %j = max affine_map<(d0) -> (d0 - 2, 1)>(%i) to min affine_map<(d0)[s0] -> (5, d0 + s0)>(%i)[%s] {
      %back = arith.subi %nine, %i : index
      %twice = arith.muli %j, %two : index
      %a = memref.load %x[%back] : memref<12xi64>
      %b = memref.load %x[%twice] : memref<12xi64>
      %c = affine.load %x[%j + symbol(%s)] : memref<12xi64>
      %wrapped = affine.apply affine_map<(d0)[s0] -> ((d0 - 5) mod 4 + s0 * 100)>(%j)[%s]
      %d = arith.index_cast %wrapped : index to i64
      %0 = arith.muli %a, %b : i64
      %1 = arith.muli %0, %c : i64
      %2 = arith.addi %1, %d : i64
      affine.store %2, %y[%i, %j] : memref<6x6xi64>
    }
  }
  return
}
"""
_COUNTED_DOWN = f"""func.func @main(%n: memref<1xi64>, %y: memref<8xi64> {{mlc.output}}) {{
{_INDICES}
  %minus = arith.constant -1 : i64
  scf.for %i = %c0 to %c8 step %c1 {{
    memref.store %minus, %y[%i] : memref<8xi64>
  }}
  %count = memref.load %n[%c0] : memref<1xi64>
  %upper = arith.index_cast %count : i64 to index
  scf.parallel (%i, %j) = (%c0, %c0) to (%upper, %c2) step (%c2, %c1) {{
    %at = affine.apply affine_map<(d0, d1) -> ((d0 + d1) mod 8)>(%i, %j)
    %q = affine.apply affine_map<(d0, d1) -> ((d0 * 3 + d1) floordiv 4 - d0 ceildiv 3)>(%i, %j)
    %v = arith.index_cast %q : index to i64
    memref.store %v, %y[%at] : memref<8xi64>
    scf.reduce
  }}
  return
}}
"""
_SWITCHED = f"""func.func @main(%n: memref<1xi64>, %x: memref<4x6xi64>, %y: memref<6x4xi64> {{mlc.output}}) {{
{_INDICES}
  %minus = arith.constant -1 : i64
  scf.forall (%i, %j) in (6, 4) {{
    memref.store %minus, %y[%i, %j] : memref<6x4xi64>
  }}
  %count = memref.load %n[%c0] : memref<1xi64>
  %upper = arith.index_cast %count : i64 to index
  scf.forall (%i, %j) = (0, 1) to (%upper, 6) step (1, 2) {{
    %a = memref.load %x[%i, %j] : memref<4x6xi64>
    %two = arith.constant 2 : i64
    %v, %k = scf.index_switch %i -> i64, index
    case 1 {{
      %b = arith.muli %a, %two : i64
      scf.yield %b, %c3 : i64, index
    }}
    case 3 {{
      %b = arith.subi %a, %two : i64
      scf.yield %b, %c1 : i64, index
    }}
    default {{
      scf.yield %a, %i : i64, index
    }}
    memref.store %v, %y[%j, %k] : memref<6x4xi64>
  }}
  return
}}
"""


def _switched(n: Any, x: Any) -> Any:
    y = np.full((6, 4), -1)
    for i in range(int(n[0])):
        for j in range(1, 6, 2):
            y[j, {1: 3, 3: 1}.get(i, i)] = {1: 2 * x[i, j], 3: x[i, j] - 2}.get(i, x[i, j])
    return y


def _sparse(values: Any, columns: Any, starts: Any, x: Any) -> Any:
    return np.array(
        [sum(values[k] * x[columns[k]] for k in range(starts[r], starts[r + 1])) for r in range(4)], np.float32
    )


def _linalg(x: Any, w: Any) -> Any:
    return np.exp(x @ w).T


def _tiles(x: Any, y: Any, z: Any) -> Any:
    z = z.copy()
    z[1:17] += x @ y
    return z


def _triangle(x: Any) -> Any:
    y = np.zeros_like(x)
    for i in range(4):
        for j in range(i, min(4, i + 3)):
            if i + j >= 3 and (2 * i + j) % 3 >= 1:
                y[i, j] = x[j, i]
    return y


def _reduced(x: Any) -> Any:
    taken = x[:, 1:4:2, :]
    return np.array([taken.sum(), taken.max()], np.float32)


def _counted(n: Any) -> Any:
    y = np.full(8, -1)
    for i in range(0, int(n[0]), 2):
        for j in range(2):
            y[(i + j) % 8] = (i * 3 + j) // 4 + (-i) // 3
    return y


def _bounds(n: Any, x: Any) -> Any:
    y, s = np.full((6, 6), -1), int(n[0])
    for i in range(6):
        for j in range(max(i - 2, 1), min(5, i + s)):
            y[i, j] = x[9 - i] * x[2 * j] * x[j + s] + (j - 5) % 4 + 100 * s
    return y


def _divided() -> Any:
    return np.array([[i // 3, -(-i // 3), int(i / 3), i - 3 * int(i / 3), 2 * i, i >> 1] for i in range(-4, 5)])


_RNG = np.random.default_rng(7)
_PROGRAMS: dict[str, tuple[str, Any, list[list[Any]]]] = {
    "sparse": (
        _SPARSE,
        _sparse,
        [
            [
                _RNG.standard_normal(7).astype(np.float32),
                np.array([0, 5, 2, 3, 3, 1, 4]),
                np.array(starts),
                _RNG.standard_normal(6).astype(np.float32),
            ]
            for starts in ([0, 2, 2, 6, 7], [0, 0, 0, 0, 0], [0, 7, 7, 7, 7])
        ],
    ),
    "matmul": (_MATMUL, np.matmul, [[_RNG.standard_normal((5, 7)), _RNG.standard_normal((7, 3))]]),
    "linalg": (
        _LINALG,
        _linalg,
        [[_RNG.standard_normal((20, 12)).astype(np.float32) / 4, _RNG.standard_normal((12, 24)).astype(np.float32)]],
    ),
    "tiles": (
        _TILES,
        _tiles,
        [[_RNG.standard_normal(shape).astype(np.float32) for shape in ((16, 12), (12, 6), (18, 6))]],
    ),
    "triangle": (_TRIANGLE, _triangle, [[_RNG.integers(-9, 9, (4, 4), np.int32)]]),
    "reduced": (_REDUCED, _reduced, [[_RNG.standard_normal((3, 4, 2)).astype(np.float32)]]),
    "bounds": (_BOUNDS, _bounds, [[np.array([n]), _RNG.integers(-99, 99, 12)] for n in (0, 1, 2, 4)]),
    "switched": (_SWITCHED, _switched, [[np.array([n]), _RNG.integers(-9, 9, (4, 6))] for n in (0, 2, 4)]),
    "divided": (_DIVIDED, _divided, [[]]),
    "counted": (_COUNTED_DOWN, _counted, [[np.array([n])] for n in (0, 1, 3, 8, -4)]),
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_beside_numpy(name: str) -> None:
    text, expected, calls = _PROGRAMS[name]
    module = parse_module(text, "program.mlir", ctx := new_context())
    models = [mlc.compile(text, opt_level=level) for level in (0, 3)]
    for inputs in calls:
        right = expected(*inputs)
        (by_reference,) = run_function(module, "main", inputs, ctx.resources)
        results: list[Any] = [by_reference, *(model(*inputs) for model in models)]
        for found in results:
            np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5)


_MODELS = {
    "softmax": """func.func @main(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = graph.softmax %x axis 1 : tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
""",
    "linear": """func.func @main(%x: tensor<3x5xf32>, %w: tensor<5x9xf32>) -> tensor<3x9xf32> {
  %0 = graph.matmul %x, %w : tensor<3x5xf32>, tensor<5x9xf32> -> tensor<3x9xf32>
  %1 = graph.relu %0 : tensor<3x9xf32>
  return %1 : tensor<3x9xf32>
}
""",
    "constant": """func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.mul %x, %w : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
""",
}


@pytest.mark.parametrize("flags", [("--lower-to-loops",), ("-O1", "--emit=mlir:loop")])
@pytest.mark.parametrize("name", _MODELS)
def test_what_is_written_comes_back(name: str, flags: tuple[str, ...], mlc_opt: CommandLine, tmp_path: Path) -> None:
    """The text of `--convert-loop-to-scf` gives the numbers of the model it is of."""
    text = _MODELS[name]
    loops = mlc_opt(*flags, stdin=text)
    assert loops.status == 0, loops.err
    written = mlc_opt("--convert-loop-to-scf", stdin=loops.out)
    assert written.status == 0 and "scf.parallel" in written.out, written.err
    back = mlc_opt("--check-each", "--convert-scf-to-loop", stdin=written.out)
    assert back.status == 0 and "scf.for" not in back.out and "scf.parallel" not in back.out, back.err
    model = mlc.compile(text, opt_level=0)
    inputs = [_RNG.standard_normal(each.shape).astype(each.dtype) for each in model.inputs]
    np.testing.assert_allclose(mlc.compile(written.out)(*inputs), model(*inputs), rtol=1e-6)
