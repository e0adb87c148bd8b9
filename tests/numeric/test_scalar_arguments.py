"""Models that take and give scalars, as native code and by the reference, beside NumPy."""

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

_TENSORS = """func.func @main(%a: f32, %n: index, %v: tensor<8xf32>) -> (f32, index, tensor<8xf32>) {
  %e = math.exp %a : f32
  %c1 = arith.constant 1 : index
  %j = arith.addi %n, %c1 : index
  %x = tensor.extract %v[%j] : tensor<8xf32>
  %s = arith.addf %e, %x : f32
  %p = tensor.splat %s : tensor<8xf32>
  %o = arith.mulf %p, %v : tensor<8xf32>
  return %s, %j, %o : f32, index, tensor<8xf32>
}
"""
_SCALARS = """func.func @main(%x: f64, %b: i1, %k: i32) -> (f64, i1) {
  %m = math.sqrt %x : f64
  %r = arith.select %b, %m, %x : f64
  %f = arith.sitofp %k : i32 to f64
  %q = arith.addf %r, %f : f64
  %c = arith.cmpf olt, %q, %x : f64
  return %q, %c : f64, i1
}
"""
_BUFFERS = """func.func @main(%a: f32, %x: memref<300xf32>, %n: index, %y: memref<300xf32> {mlc.output}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 300 {
    %u = affine.load %x[%i] : memref<300xf32>
    %t = arith.mulf %u, %a : f32
    affine.store %t, %y[%i] : memref<300xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (f32) {
    %u = memref.load %x[%i] : memref<300xf32>
    %t = arith.addf %acc, %u : f32
    scf.yield %t : f32
  }
  return %s : f32
}
"""


def _tensors(a: Any, n: Any, v: Any) -> list[Any]:
    s = np.exp(a) + v[n + 1]
    return [s, n + 1, s * v]


def _scalars(x: Any, b: Any, k: Any) -> list[Any]:
    q = (np.sqrt(x) if b else x) + k
    return [q, q < x]


def _buffers(a: Any, x: Any, n: Any) -> list[Any]:
    return [x * a, x[: max(n, 0)].sum()]


_RNG = np.random.default_rng(5)
_PROGRAMS: dict[str, tuple[str, Any, list[list[Any]]]] = {
    "tensors": (_TENSORS, _tensors, [[np.float32(0.5), np.int64(n), np.arange(8, dtype=np.float32)] for n in (-1, 6)]),
    "scalars": (
        _SCALARS,
        _scalars,
        [[np.float64(2), np.bool_(b), np.int32(k)] for b in (False, True) for k in (-3, 3)],
    ),
    "buffers": (
        _BUFFERS,
        _buffers,
        [[np.float32(3), _RNG.standard_normal(300).astype(np.float32), np.int64(n)] for n in (0, 7, 300)],
    ),
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_beside_numpy(name: str) -> None:
    text, expected, calls = _PROGRAMS[name]
    module = parse_module(text, "program.mlir", ctx := new_context())
    models = [mlc.compile(text, opt_level=level) for level in (0, 3)]
    for inputs in calls:
        right = expected(*inputs)
        arrays = [np.asarray(each) for each in inputs]
        by_reference: Any = run_function(module, "main", arrays, ctx.resources)
        for found in [by_reference, *(model(*inputs) for model in models)]:
            for got, want in zip(found, right, strict=True):
                assert got.dtype == np.asarray(want).dtype
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_the_signature_has_rank_0() -> None:
    model = mlc.compile(_BUFFERS, opt_level=0)
    assert [str(each) for each in model.inputs] == ["float32[]", "float32[300]", "int64[]"]
    assert [(each.name, each.shape) for each in model.outputs] == [("y", (300,)), ("s", ())]
    with pytest.raises(Exception, match=r"input 'a' is a float; required: a NumPy array .* of float32\[\]"):
        model(3.0, np.zeros(300, np.float32), np.int64(1))


def test_commands_take_them(mlc: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.mlir").write_text(_TENSORS)
    np.savez("in.npz", a=np.float32(0.5), n=np.int64(2), v=np.arange(8, dtype=np.float32))
    run = mlc("run", "model.mlir", "--inputs", "in.npz")
    assert run.status == 0, run.err
    header = mlc("compile", "model.mlir", "--emit", "header", "-o", "-")
    assert '{"a", MLC_F32, 0, mlc_main_input0_shape, 0},' in header.out


def test_each_pass_is_checked(mlc_opt: CommandLine) -> None:
    for text in (_TENSORS, _SCALARS):
        done = mlc_opt("-O2", "--check-each", "--target=x86-64-v3", stdin=text)
        assert done.status == 0 and "did not check" not in done.err, done.err


def test_text_comes_back(mlc_opt: CommandLine) -> None:
    """What `convert-tensor-to-linalg` writes of a model with scalars is the same model."""
    tensors = mlc_opt("--lower-to-tensor", stdin=_SCALARS)
    written = mlc_opt("--convert-tensor-to-linalg", stdin=tensors.out)
    assert written.status == 0 and "linalg.generic" in written.out, written.err
    _, expected, (inputs, *_) = _PROGRAMS["scalars"]
    for got, want in zip(mlc.compile(written.out)(*inputs), expected(*inputs), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
