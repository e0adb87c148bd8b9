"""Upstream MLIR, where it is installed, accepts what mlc prints, prints what mlc reads back as the same, and runs it.

What is not read back, and why: the llvm level. MLIR 19 knows no `noWrapFlags` of llvm.getelementptr, which xDSL
requires, and omits them.

What has no form upstream that we convert to is an error that names the op, and listed here (`_WITHOUT_A_FORM`).
"""

from __future__ import annotations

import ctypes
import io
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.pass_manager.base import Pass
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.syntax import print_module

ROOT = Path(__file__).parents[2]
MODELS = [ROOT / "examples/digits/mlp.mlir", ROOT / "examples/digits/cnn.mlir"]
PROGRAMS = [
    *MODELS,
    *(p for p in sorted((ROOT / "tests/lit/dialects/graph").glob("*.mlir")) if "invalid" not in p.name),
]
TARGET = "x86-64-v3"
THREADS = 2

_OPERATORS = """
func.func @main(%x: tensor<2x6x8x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x3x4x4xf32> {
  %0 = graph.layer_norm %x, %s, %b axis 3 epsilon 1.0e-05
       : tensor<2x6x8x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x6x8x4xf32>
  %1 = graph.softmax %0 axis 1 : tensor<2x6x8x4xf32>
  %2 = graph.compare lt, %1, %x : tensor<2x6x8x4xf32>, tensor<2x6x8x4xf32> -> tensor<2x6x8x4xi1>
  %3 = graph.where %2, %x, %1 : tensor<2x6x8x4xi1>, tensor<2x6x8x4xf32>, tensor<2x6x8x4xf32> -> tensor<2x6x8x4xf32>
  %4 = graph.transpose %3 [0, 3, 1, 2] : tensor<2x6x8x4xf32> -> tensor<2x4x6x8xf32>
  %5 = graph.max_pool2d %4 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
       : tensor<2x4x6x8xf32> -> tensor<2x4x3x4xf32>
  %6 = graph.transpose %5 [0, 2, 3, 1] : tensor<2x4x3x4xf32> -> tensor<2x3x4x4xf32>
  %7 = graph.slice %3 starts [0, 1, 0, 0] ends [2, 6, 8, 4] strides [1, 2, 2, 1]
       : tensor<2x6x8x4xf32> -> tensor<2x3x4x4xf32>
  %8 = graph.mul %6, %7 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32> -> tensor<2x3x4x4xf32>
  return %8 : tensor<2x3x4x4xf32>
}
"""

_WITHOUT_A_FORM = {
    ("branches", "linalg"): "'tensor.if' cannot be converted to linalg",
    ("branches", "linalg, fused"): "'tensor.if' cannot be converted to linalg",
    ("gather", "linalg"): "'tensor.take' cannot be converted to linalg",
    ("lookup", "linalg"): "'loop.lookup' cannot be converted to linalg",
    ("lookup", "linalg, fused"): "'loop.lookup' cannot be converted to linalg",
    ("lookup", "scf"): "'loop.lookup' cannot be converted to scf",
    ("lookup", "scf, scheduled"): "'loop.lookup' cannot be converted to scf",
    # upstream's row of a buffer has another type than a buffer, so that a call cannot take it
    ("scan", "linalg"): "'tensor.scan' cannot be converted to linalg",
    ("scan", "linalg, fused"): "'tensor.scan' cannot be converted to linalg",
    ("scan", "scf"): "'loop.row' cannot be converted to scf",
    ("scan", "scf, scheduled"): "'loop.row' cannot be converted to scf",
    ("scatter", "linalg"): "'tensor.put' cannot be converted to linalg",
    ("scatter", "linalg, fused"): "'tensor.put' cannot be converted to linalg",
    ("winograd", "linalg"): "'tensor.tile_map' cannot be converted to linalg",
}
"""The programs with ops that upstream has no word for, by the level they are converted to: the error."""

_COPY = """
// What upstream calls for a copy between buffers of different strides, from the library that its own runner loads.
// A descriptor is: allocated, aligned, offset, sizes..., strides... .
#include <stdint.h>
#include <string.h>
struct unranked { int64_t rank; int64_t *descriptor; };
static void copy(int64_t rank, int64_t bytes, char *from, char *to, int64_t *sizes, int64_t *in, int64_t *out) {
  if (rank == 0) memcpy(to, from, bytes);
  else for (int64_t i = 0; i < *sizes; i++)
    copy(rank - 1, bytes, from + i * *in * bytes, to + i * *out * bytes, sizes + 1, in + 1, out + 1);
}
void memrefCopy(int64_t bytes, struct unranked *from, struct unranked *to) {
  int64_t *f = from->descriptor, *t = to->descriptor, rank = from->rank;
  copy(rank, bytes, (char *)f[1] + f[2] * bytes, (char *)t[1] + t[2] * bytes, f + 3, f + 3 + rank, t + 3 + rank);
}
"""
_TO_LLVM = [
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-vector-to-llvm",
    "--convert-math-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-func-to-llvm=use-bare-ptr-memref-call-conv=1",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
]
_LINALG_TO_LOOPS = [
    "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map",
    "--buffer-results-to-out-params",
    "--convert-linalg-to-loops",
]


@cache
def _installed(tool: str) -> str | None:
    """A tool of MLIR 19 or newer, as Debian names it."""
    return next((path for n in range(40, 18, -1) if (path := shutil.which(f"{tool}-{n}"))), None)


def _run(tool: str, text: str, *flags: str) -> str:
    path = _installed(tool)
    if path is None:
        pytest.skip(f"needs {tool}")
    old = path.endswith("-19")
    done = subprocess.run(
        [path, *flags], input=_masks_as_lists(text) if old else text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:2000]
    return _masks_as_arrays(done.stdout) if old else done.stdout


def _masks_as_lists(text: str) -> str:
    """The mask of a generic vector.shuffle as MLIR 19 wants it: a list of attributes, `array<i64: …>` since MLIR 20."""
    return re.sub(r'("vector\.shuffle".*mask = )array<i64: ([^>]*)>', r"\1[\2]", text)


def _masks_as_arrays(text: str) -> str:
    """The reverse of `_masks_as_lists`, for xDSL."""
    return re.sub(r'("vector\.shuffle".*mask = )\[([^\]]*)\]', r"\1array<i64: \2>", text)


def _passes(level: str) -> list[Pass]:
    match level:
        case "linalg":
            return parse_passes("fold-empty,lower-to-tensor,convert-tensor-to-linalg")
        case "linalg, fused":
            return [*default_passes(3, THREADS, "tensor"), *parse_passes("convert-tensor-to-linalg")]
        case "scf":
            return parse_passes("fold-empty,lower-to-tensor,lower-to-loops,convert-loop-to-scf")
        case "scf, scheduled":
            return [*default_passes(3, THREADS, "loop"), *parse_passes("convert-loop-to-scf")]
        case _:
            return default_passes(3, THREADS, level)


def _lower(text: str, file: Path, level: str) -> tuple[ModuleOp, CompilerContext]:
    ctx = new_context(TARGET)
    module = parse_verified(text, str(file), ctx, file.parent)
    for op in list(module.ops):  # shapes have to be known below the graph level
        if re.search(r"<[^>]*\?", str(op.get_attr_or_prop("function_type"))):
            op.detach()
            op.erase()
    PassManager(ctx).run(module, _passes(level))
    return module, ctx


def _generic(module: ModuleOp, ctx: CompilerContext, debuginfo: bool = False) -> str:
    stream = io.StringIO()
    print_module(module, ctx, stream, generic=True, debuginfo=debuginfo)
    return stream.getvalue()


def _read(text: str) -> ModuleOp:
    return parse_verified(text, "upstream.mlir", new_context(TARGET), ROOT)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("level", ["linalg", "linalg, fused", "scf", "scf, scheduled", "llvm"])
@pytest.mark.parametrize("file", PROGRAMS, ids=lambda p: p.stem)
def test_upstream_accepts_and_gives_back(file: Path, level: str) -> None:
    if (error := _WITHOUT_A_FORM.get((file.stem, level))) is not None:
        with pytest.raises(UserError, match=re.escape(error)):
            _lower(file.read_text(), file, level)
        return
    module, ctx = _lower(file.read_text(), file, level)
    text = _generic(module, ctx)
    generic = _run("mlir-opt", text, "--verify-each", "--mlir-print-op-generic")
    if level == "llvm":
        return
    assert module.is_structurally_equivalent(_read(generic))
    pretty = _run("mlir-opt", text)
    generic = _run("mlir-opt", pretty, "--mlir-print-op-generic")  # empty lists of attributes are gone
    assert _read(pretty).is_structurally_equivalent(_read(generic))
    assert _run("mlir-opt", _pretty(module, ctx), "--mlir-print-op-generic") == generic


@pytest.mark.parametrize("flags", [[], ["--mlir-print-op-generic"]], ids=["pretty", "generic"])
def test_upstream_gives_locations_back(flags: list[str]) -> None:
    module, ctx = _lower(_OPERATORS, ROOT / "operators.mlir", "linalg")
    text = _generic(module, ctx, debuginfo=True)
    with_aliases = _run("mlir-opt", text, "--mlir-print-debuginfo", *flags)
    assert "loc(#loc1)" in with_aliases and "\n#loc1 = loc(" in with_aliases
    in_place = _run("mlir-opt", text, "--mlir-print-debuginfo", "--mlir-print-local-scope", *flags)
    read = _generic(_read(with_aliases), ctx, debuginfo=True)
    assert read == _generic(_read(in_place), ctx, debuginfo=True)
    assert _places(read) == _places(text)


def _places(text: str) -> list[str]:
    """The locations, but for those of ends of bodies: that of a named op is not printed."""
    return [
        place for line in text.splitlines() if "linalg.yield" not in line for place in re.findall(r"loc\([^)]*", line)
    ]


def test_weights_stay_in_their_file_on_request() -> None:
    ctx = new_context(TARGET)
    module = parse_verified(MODELS[0].read_text(), str(MODELS[0]), ctx, MODELS[0].parent)
    PassManager(ctx).run(module, parse_passes("lower-to-tensor,convert-tensor-to-linalg{embed-weights=false}"))
    text = _generic(module, ctx)
    assert "dialect_resources" not in text and "mlp.safetensors" in text
    assert "mlp.safetensors" in _run("mlir-opt", text)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("level", ["linalg", "linalg, fused", "scf", "scf, scheduled"])
@pytest.mark.parametrize("name", ["mlp", "cnn", "operators"])
def test_upstream_computes_the_same(name: str, level: str, tmp_path: Path) -> None:
    clang = next((path for n in range(40, 15, -1) if (path := shutil.which(f"clang-{n}"))), None)
    if clang is None:
        pytest.skip("needs clang")
    file = ROOT / "examples/digits" / f"{name}.mlir"
    source = _OPERATORS if name == "operators" else file.read_text()
    before, ctx = _lower(source, file, "graph")
    checker = EquivalenceChecker(ctx)
    checker.start(before)
    inputs = checker.inputs_of("main")
    assert inputs is not None
    (expected,) = run_function(before, "main", inputs, ctx.resources)

    # what an entry takes besides: its output, and at the loop level, if it needs one, its arena
    module, ctx = _lower(source, file, level)
    arena = re.search(r"@main\(.*memref<(\d+)xi8> \{mlc\.workspace\}", _pretty(module, ctx))
    steps = [*(_LINALG_TO_LOOPS if level.startswith("linalg") else []), *_TO_LLVM]
    llvm_ir = _run("mlir-translate", _run("mlir-opt", _generic(module, ctx), *steps), "--mlir-to-llvmir")
    library, runtime = tmp_path / "model.so", tmp_path / "copy.c"
    runtime.write_text(_COPY)
    command = [clang, "-O1", "-shared", "-fPIC", "-Wno-override-module", "-o", str(library)]
    command += [str(runtime), "-x", "ir", "-", "-lm"]
    subprocess.run(command, input=llvm_ir, text=True, check=True)
    output = np.empty_like(expected)
    buffers = [*inputs, output, *([np.empty(int(arena[1]) + 64, np.int8)] if arena else [])]
    ctypes.CDLL(str(library)).main(*(b.ctypes.data_as(ctypes.c_void_p) for b in buffers))
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)


def _pretty(module: ModuleOp, ctx: CompilerContext) -> str:
    stream = io.StringIO()
    print_module(module, ctx, stream)
    return stream.getvalue()
