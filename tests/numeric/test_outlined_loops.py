"""Loops of public functions become kernels where that is proved: beside NumPy, and random programs beside their oracle.

`MLC_OUTLINED=5000 pytest tests/numeric/test_outlined_loops.py` draws more of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import CallOp

import mlc
from mlc.compiler.compilation import new_context
from mlc.pass_manager.options import parse_passes
from mlc.reference.interpreter import run_function
from mlc.support.semantics import UndefinedBehavior
from mlc.syntax import parse_module, verify_module
from mlc.tests.numeric.loop_generator import make_program

_RNG = np.random.default_rng(7)
_PROGRAMS = int(os.environ.get("MLC_OUTLINED", "240"))
_BATCHES = 4
_TARGET = "x86-64-v3"


def _floats(*shape: int) -> Any:
    return _RNG.standard_normal(shape).astype(np.float32)


def _program(arguments: str, *nests: str) -> str:
    zero, low = "%zero = arith.constant 0.0 : f32", "%low = arith.constant 0xFF800000 : f32"
    half, none = "%half = arith.constant 0.5 : f32", "%none = arith.constant 0 : i32"
    return f"func.func @main({arguments}) {{\n{zero}\n{low}\n{half}\n{none}\n" + "\n".join(nests) + "\nreturn\n}\n"


def _loops(body: str, **bounds: str) -> str:
    """`affine.for` loops around some ops, outermost first."""
    for name, bound in reversed(bounds.items()):
        body = f"affine.for %{name} = {bound} {{\n{body}\n}}"
    return body


_PRODUCT = """%x = affine.load %a[%i, %k] : memref<40x24xf32>
%y = affine.load %b[%k, %j] : memref<24x56xf32>
%s = affine.load %c[%i, %j] : memref<40x56xf32>
%p = arith.mulf %x, %y : f32
%t = arith.addf %s, %p : f32
affine.store %t, %c[%i, %j] : memref<40x56xf32>"""
_MATRICES = "%a: memref<40x24xf32>, %b: memref<24x56xf32>, %d: memref<40x56xf32>, %c: memref<40x56xf32> {mlc.output}"
_FILL = "affine.store %zero, %c[%i, %j] : memref<40x56xf32>"
_COPY = "%v = affine.load %d[%i, %j] : memref<40x56xf32>\naffine.store %v, %c[%i, %j] : memref<40x56xf32>"
_BYTES = """%x = affine.load %a[%i, %k] : memref<24x32xi8>
%y = affine.load %b[%k, %j] : memref<32x40xi8>
%xx = arith.extsi %x : i8 to i32
%yy = arith.extsi %y : i8 to i32
%s = affine.load %c[%i, %j] : memref<24x40xi32>
%p = arith.muli %xx, %yy : i32
%t = arith.addi %s, %p : i32
affine.store %t, %c[%i, %j] : memref<24x40xi32>"""
_STENCIL = """%0 = affine.load %x[%i, %j] : memref<34x70xf32>
%1 = affine.load %x[%i - 1, %j] : memref<34x70xf32>
%2 = affine.load %x[%i + 1, %j + 1] : memref<34x70xf32>
%3 = arith.addf %0, %1 : f32
%4 = arith.mulf %3, %2 : f32
affine.store %4, %y[%i, %j] : memref<34x70xf32>"""
_BORDER = "affine.store %half, %y[%i, %j] : memref<34x70xf32>"
_SOFTMAX = """%m = affine.for %k = 0 to 80 iter_args(%acc = %low) -> (f32) {
  %v = affine.load %x[%i, %k] : memref<20x80xf32>
  %t = arith.maximumf %acc, %v : f32
  affine.yield %t : f32
}
%s = affine.for %k = 0 to 80 iter_args(%acc = %zero) -> (f32) {
  %v = affine.load %x[%i, %k] : memref<20x80xf32>
  %d = arith.subf %v, %m : f32
  %e = math.exp %d : f32
  %t = arith.addf %acc, %e : f32
  affine.yield %t : f32
}
affine.for %k = 0 to 80 {
  %v = affine.load %x[%i, %k] : memref<20x80xf32>
  %d = arith.subf %v, %m : f32
  %e = math.exp %d : f32
  %q = arith.divf %e, %s : f32
  affine.store %q, %y[%i, %k] : memref<20x80xf32>
}"""
_NORM = """%s:2 = affine.for %k = 0 to 80 iter_args(%a = %zero, %b = %half) -> (f32, f32) {
  %v = affine.load %x[%i, %k] : memref<20x80xf32>
  %q = arith.mulf %v, %v : f32
  %t = arith.addf %a, %v : f32
  %u = arith.addf %b, %q : f32
  affine.yield %t, %u : f32, f32
}
affine.for %k = 0 to 80 {
  %v = affine.load %x[%i, %k] : memref<20x80xf32>
  %d = arith.subf %v, %s#0 : f32
  %q = arith.divf %d, %s#1 : f32
  affine.store %q, %y[%i, %k] : memref<20x80xf32>
}"""
_POOL = """%m = affine.for %k = 0 to 2 iter_args(%outer = %low) -> (f32) {
  %n = affine.for %l = 0 to 3 iter_args(%acc = %outer) -> (f32) {
    %v = affine.load %x[%i * 2 + %k, %j + %l] : memref<40x66xf32>
    %t = arith.maximumf %acc, %v : f32
    affine.yield %t : f32
  }
  affine.yield %n : f32
}
%h = arith.mulf %m, %half : f32
affine.store %h, %y[%i, %j] : memref<20x64xf32>"""
_COLUMNS = """%v = affine.load %x[%i, %j] : memref<50x70xf32>
%s = affine.load %y[%j] : memref<70xf32>
%t = arith.addf %s, %v : f32
affine.store %t, %y[%j] : memref<70xf32>"""
_TRANSPOSED = """%v = affine.load %x[%i, %j] : memref<33x70xf32>
%n = arith.negf %v : f32
affine.store %n, %y[%j, %i] : memref<70x33xf32>"""
_ODD = """%v = affine.load %x[%i] : memref<900xf32>
%w = affine.load %x[%i + 1] : memref<900xf32>
%t = arith.subf %v, %w : f32
affine.store %t, %y[%i + 1] : memref<900xf32>"""
_PREFIX = """%v = affine.load %x[%i] : memref<900xf32>
%w = affine.load %y[%i - 1] : memref<900xf32>
%t = arith.addf %v, %w : f32
affine.store %t, %y[%i] : memref<900xf32>"""
_VECTORS = "%x: memref<900xf32>, %y: memref<900xf32> {mlc.output}"
_SEIDEL = """%v = affine.load %y[%i - 1, %j] : memref<34x70xf32>
%w = affine.load %y[%i, %j + 1] : memref<34x70xf32>
%s = arith.addf %v, %w : f32
%t = arith.mulf %s, %half : f32
affine.store %t, %y[%i, %j] : memref<34x70xf32>"""
_COPY_IMAGE = "%v = affine.load %x[%i, %j] : memref<34x70xf32>\naffine.store %v, %y[%i, %j] : memref<34x70xf32>"
_IMAGES = "%x: memref<34x70xf32>, %y: memref<34x70xf32> {mlc.output}"
_IN_TURN = """%v = affine.load %x[%i] : memref<900xf32>
affine.store %v, %y[%i] : memref<900xf32>
%w = affine.load %y[%i + 1] : memref<900xf32>
%t = arith.addf %w, %v : f32
affine.store %t, %z[%i] : memref<900xf32>"""
_FILL_Y = "affine.store %half, %y[%i] : memref<900xf32>"


def _product(a: Any, b: Any, d: Any) -> Any:
    del d
    return a @ b


def _added_product(a: Any, b: Any, d: Any) -> Any:
    return d + a @ b


def _product_of_bytes(a: Any, b: Any) -> Any:
    return a.astype(np.int32) @ b.astype(np.int32)


def _columns(x: Any) -> Any:
    return x.sum(0)


def _transposed(x: Any) -> Any:
    return -x.T


def _stencil(x: Any) -> Any:
    y = np.full_like(x, 0.5)
    y[1:-1, 1:-1] = (x[1:-1, 1:-1] + x[:-2, 1:-1]) * x[2:, 2:]
    return y


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _norm(x: Any) -> Any:
    return (x - x.sum(1, keepdims=True)) / (0.5 + (x * x).sum(1, keepdims=True))


def _pool(x: Any) -> Any:
    return 0.5 * np.max([x[k::2, m : m + 64][:20] for k in range(2) for m in range(3)], axis=0)


def _odd(x: Any) -> Any:
    y = np.full_like(x, 0.5)
    y[2:900:2] = x[1:899:2] - x[2:900:2]
    return y


def _prefix(x: Any) -> Any:
    return np.concatenate([[0.5], 0.5 + np.cumsum(x[1:])]).astype(np.float32)


def _seidel(x: Any) -> Any:
    y = x.copy()
    for i in range(1, 34):
        for j in range(69):
            y[i, j] = (y[i - 1, j] + y[i, j + 1]) * np.float32(0.5)
    return y


def _in_turn(x: Any) -> Any:
    z = x + np.float32(0.5)
    z[899] = 0.5
    return z


_I, _J, _K = "0 to 40", "0 to 56", "0 to 24"
_CASES: dict[str, tuple[str, list[Any], Callable[..., Any], int]] = {
    # Each has a text, inputs, what is right, and how many kernels the function calls.
    "the sum of a product in memory": (
        _program(_MATRICES, _loops(f"{_FILL}\n{_loops(_PRODUCT, k=_K)}", i=_I, j=_J)),
        [_floats(40, 24), _floats(24, 56), _floats(40, 56)],
        _product,
        1,
    ),
    "a product whose sum is the second loop": (
        _program(_MATRICES, _loops(_FILL, i=_I, j=_J), _loops(_PRODUCT, i=_I, k=_K, j=_J)),
        [_floats(40, 24), _floats(24, 56), _floats(40, 56)],
        _product,
        1,
    ),
    "a product that is added": (
        _program(_MATRICES, _loops(_COPY, i=_I, j=_J), _loops(_PRODUCT, k=_K, j=_J, i=_I)),
        [_floats(40, 24), _floats(24, 56), _floats(40, 56)],
        _added_product,
        1,
    ),
    "a product of bytes": (
        _program(
            "%a: memref<24x32xi8>, %b: memref<32x40xi8>, %c: memref<24x40xi32> {mlc.output}",
            _loops(
                "affine.store %none, %c[%i, %j] : memref<24x40xi32>\n" + _loops(_BYTES, k="0 to 32"),
                i="0 to 24",
                j="0 to 40",
            ),
        ),
        [_RNG.integers(-128, 128, (24, 32), np.int8), _RNG.integers(-128, 128, (32, 40), np.int8)],
        _product_of_bytes,
        1,
    ),
    "a stencil": (
        _program(_IMAGES, _loops(_BORDER, i="0 to 34", j="0 to 70"), _loops(_STENCIL, i="1 to 33", j="1 to 69")),
        [_floats(34, 70)],
        _stencil,
        1,
    ),
    "a softmax": (
        _program("%x: memref<20x80xf32>, %y: memref<20x80xf32> {mlc.output}", _loops(_SOFTMAX, i="0 to 20")),
        [_floats(20, 80)],
        _softmax,
        1,
    ),
    "two sums of a loop": (
        _program("%x: memref<20x80xf32>, %y: memref<20x80xf32> {mlc.output}", _loops(_NORM, i="0 to 20")),
        [_floats(20, 80)],
        _norm,
        1,
    ),
    "the maximum of windows": (
        _program("%x: memref<40x66xf32>, %y: memref<20x64xf32> {mlc.output}", _loops(_POOL, i="0 to 20", j="0 to 64")),
        [_floats(40, 66)],
        _pool,
        1,
    ),
    "sums of columns": (
        _program(
            "%x: memref<50x70xf32>, %y: memref<70xf32> {mlc.output}",
            _loops("affine.store %zero, %y[%j] : memref<70xf32>", j="0 to 70"),
            _loops(_COLUMNS, i="0 to 50", j="0 to 70"),
        ),
        [_floats(50, 70)],
        _columns,
        1,
    ),
    "a transposition": (
        _program(
            "%x: memref<33x70xf32>, %y: memref<70x33xf32> {mlc.output}", _loops(_TRANSPOSED, i="0 to 33", j="0 to 70")
        ),
        [_floats(33, 70)],
        _transposed,
        1,
    ),
    "every other element": (
        _program(_VECTORS, _loops(_FILL_Y, i="0 to 900"), _loops(_ODD, i="1 to 899 step 2")),
        [_floats(900)],
        _odd,
        1,
    ),
    "a running sum": (
        _program(_VECTORS, _loops(_FILL_Y, i="0 to 900"), _loops(_PREFIX, i="1 to 900")),
        [_RNG.integers(-3, 4, 900).astype(np.float32)],
        _prefix,
        0,
    ),
    "a stencil that reads what it has stored": (
        _program(_IMAGES, _loops(_COPY_IMAGE, i="0 to 34", j="0 to 70"), _loops(_SEIDEL, i="1 to 34", j="0 to 69")),
        [_floats(34, 70)],
        _seidel,
        0,
    ),
    "two stores that take turns": (
        _program(
            "%x: memref<900xf32>, %z: memref<900xf32> {mlc.output}",
            "%y = memref.alloc() : memref<900xf32>",
            _loops(_FILL_Y, i="0 to 900"),
            _loops("affine.store %half, %z[%i] : memref<900xf32>", i="0 to 900"),
            _loops(_IN_TURN, i="0 to 899"),
        ),
        [_floats(900)],
        _in_turn,
        0,
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_beside_numpy(name: str) -> None:
    text, inputs, expected, kernels = _CASES[name]
    module = parse_module(text, "program.mlir", ctx := new_context(_TARGET))
    for pass_ in parse_passes("convert-scf-to-loop,outline-loops"):
        pass_.run(module, ctx)
    verify_module(module)
    calls = [op for op in module.walk() if isinstance(op, CallOp)]
    assert len(calls) == kernels, [remark.message for remark in ctx.remarks]
    right = expected(*inputs)
    (by_reference,) = run_function(module, "main", inputs, ctx.resources)
    for found in (by_reference, *(mlc.compile(text, opt_level=level)(*inputs) for level in (1, 2, 3))):
        np.testing.assert_allclose(found, right, rtol=2e-5, atol=2e-5)


def test_threads_share_outlined_loops() -> None:
    text, inputs, expected, _ = _CASES["a softmax"]
    found = mlc.compile(text, threads=2)(*inputs)
    np.testing.assert_allclose(found, expected(*inputs), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("batch", range(_BATCHES))
def test_random_programs_keep_their_results(batch: int) -> None:
    """Recurrences, running sums and in-place updates among them: what is not proved stays."""
    calls = 0
    for seed in range(batch * _PROGRAMS // _BATCHES, (batch + 1) * _PROGRAMS // _BATCHES):
        program, inputs, right = make_program(seed)
        module = parse_module(program.text(), "program.mlir", ctx := new_context(_TARGET))
        try:
            run_function(module, "f", inputs, ctx.resources)
        except UndefinedBehavior:  # two stores of one iteration of a parallel loop, to one element
            continue
        for passes in ("outline-loops{least-points=1}", "apply-schedule,forward-stores"):
            for pass_ in parse_passes(passes):
                pass_.run(module, ctx)
            verify_module(module)
            calls += sum(isinstance(op, CallOp) for op in module.walk())
            found = run_function(module, "f", inputs, ctx.resources)
            equal = all(np.array_equal(a, b) for a, b in zip(found, right, strict=True))
            assert equal, f"seed {seed}, after {passes}\n{program.text()}"
    assert calls > _PROGRAMS // (2 * _BATCHES), "too few loops became kernels for this to show anything"
