"""Products of matrices in registers, on any x86: instructions are calls of functions that do what a manual says.

The code is the one that is compiled for a CPU with AMX. The functions (`tiles.c`) also tell where an instruction would
fault: registers that are not configured, or of other sizes. `test_dot_products.py` runs such code
where a CPU has these instructions.
"""

from __future__ import annotations

import ctypes
import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.compiler.compilation import Compilation, new_context
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.support.dtypes import dtype_named
from mlc.targets.cache import Cache
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_clang
from mlc.targets.weights import collect, write_object
from mlc.tests.numeric.test_dot_products import DTYPES, PAIRS, Products

Array = NDArray[Any]
_TARGET = "sapphirerapids-amx"
_TILES = Path(__file__).with_name("tiles.c")

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="vectors of x86 are compiled as they are")


class EmulatedTiles:
    """A module compiled for AMX, whose instructions on tiles are calls of `tiles.c`."""

    def __init__(self, module: Any, folder: Path) -> None:
        ctx = new_context(_TARGET)
        compilation = Compilation(module.clone(), ctx, CompileOptions(_TARGET), PassManager(ctx))
        self.signature = compilation.lower_fully()
        program = compilation.program(self.signature)
        units = [program.entry, *program.kernels]
        self.text = "\n".join(unit.text for unit in units)
        (folder / "tiles.c").write_text(_TILES.read_text())
        names = ["tiles.c"]
        for number, unit in enumerate(units):
            # The features are those of any x86; LLVM splits vectors that are too wide for it.
            text = re.sub(r'"(target-cpu|tune-cpu|target-features|[a-z-]*vector-width)"="[^"]*" ?', "", unit.text)
            text = text.replace("@llvm.x86.t", "@tiles_t").replace("@llvm.x86.ldtilecfg", "@tiles_ldtilecfg")
            (folder / f"{number}.ll").write_text(text)
            names.append(f"{number}.ll")
        write_object(collect(program.weights), resolve_target(_TARGET).instruction_set, folder / "weights.o")
        clang = find_clang(None, Cache.default())
        command = [*clang.command, "-O1", "-w", "-shared", "-fPIC", "-o", "model.so", *names, "weights.o", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        self.library = ctypes.CDLL(str(folder / "model.so"))

    def run(self, inputs: list[Array]) -> tuple[int, list[Array]]:
        """What the model returns, and its outputs."""
        outputs = [np.zeros(t.shape, dtype_named(t.dtype)) for t in self.signature.outputs]
        workspace = np.zeros(self.signature.workspace_bytes + 64, np.uint8)
        start = workspace.ctypes.data + -workspace.ctypes.data % 64
        tables = [(ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)) for arrays in (inputs, outputs)]
        status = getattr(self.library, self.signature.symbol)(*tables, ctypes.c_void_p(start))
        assert ctypes.c_char_p.in_dll(self.library, "fault").value == b""
        return status, outputs

    def count(self, name: str) -> int:
        """A number that `tiles.c` keeps."""
        return ctypes.c_int.in_dll(self.library, name).value


def _random(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    limits = np.iinfo(DTYPES[kind])
    return rng.integers(limits.min, limits.max + 1, shape).astype(DTYPES[kind])


def _shapes() -> Iterator[tuple[int, int, int]]:
    """Rows, steps and columns: each number of rows up to 33, words in equal parts of several sizes, odd columns.

    The last one has more results than the second cache holds: blocks of rows, the last of them shorter.
    """
    words = (16, 20, 24, 28, 30, 32, 36, 45, 48, 64)
    for rows in range(6, 34):
        yield rows, 4 * words[rows % len(words)], (rows * 11) % 70 + 9
    yield from ((49, 2048, 100), (196, 256, 33), (16, 64, 16), (100, 192, 17), (3003, 64, 200))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kinds", PAIRS)
def test_products_of_bytes(kinds: tuple[str, str], tmp_path: Path) -> None:
    rng, products = np.random.default_rng(3), Products()
    for m, k, n in _shapes():
        products.add(_random(kinds[0], (m, k), rng), _random(kinds[1], (k, n), rng), kinds)
    tiles = EmulatedTiles(products.module(), tmp_path)
    assert tiles.text.count("call void @llvm.x86.tdp") > len(products.inputs)
    status, found = tiles.run(products.inputs)
    assert status == 0
    products.check(found)
    assert tiles.count("configured") >= tiles.count("released") > 0


def test_products_of_bf16(tmp_path: Path) -> None:
    rng, products = np.random.default_rng(4), Products()
    sizes: list[Array] = []
    for m, k, n in ((16, 32, 16), (17, 96, 33), (49, 256, 40), (9, 40, 16), (37, 2816, 70)):
        lhs, rhs = (rng.standard_normal(s).astype(DTYPES["bf16"]) for s in ((m, k), (k, n)))
        products.add(lhs, rhs, ("bf16", "bf16"), "f32")
        sizes.append(k * np.abs(lhs.astype(np.float64)) @ np.abs(rhs.astype(np.float64)))
    tiles = EmulatedTiles(products.module(), tmp_path)
    assert "@llvm.x86.tdpbf16ps" in tiles.text
    status, found = tiles.run(products.inputs)
    assert status == 0
    for got, want, size in zip(found, products.expected, sizes, strict=True):
        assert (np.abs(got - want) <= 2.0**-24 * size).all()


@pytest.mark.parametrize(
    ("channels", "image", "window", "stride", "dilation"),
    [
        *((64, (9, 11), (3, 3), 1, 1), (64, (14, 14), (3, 3), 2, 1), (64, (7, 7), (1, 1), 1, 1)),
        (256, (9, 11), (3, 3), 1, 1),
        *((64, (20, 5), (3, 2), 1, 2), (4, (31, 33), (7, 7), 2, 1), (24, (12, 17), (3, 3), 1, 1)),
    ],
)
def test_convolutions(
    channels: int, image: tuple[int, int], window: tuple[int, int], stride: int, dilation: int, tmp_path: Path
) -> None:
    """Against sums of products, tap by tap, in i64; those of many channels are stored early."""
    rng, filters = np.random.default_rng(5), 40
    x, w = _random("ui8", (1, *image, channels), rng), _random("i8", (*window, channels, filters), rng)
    height, width = ((e - (k - 1) * dilation - 1) // stride + 1 for e, k in zip(image, window, strict=True))
    want = np.zeros((1, height, width, filters), np.int64)
    for i, j in np.ndindex(*window):
        rows = slice(i * dilation, i * dilation + (height - 1) * stride + 1, stride)
        columns = slice(j * dilation, j * dilation + (width - 1) * stride + 1, stride)
        want += x[:, rows, columns].astype(np.int64) @ w[i, j].astype(np.int64)
    kinds = [f"tensor<{'x'.join(map(str, a.shape))}x{kind}>" for a, kind in ((x, "ui8"), (w, "i8"), (want, "i32"))]
    options = (
        f'layout = "NHWC", strides = array<i64: {stride}, {stride}>, dilations = array<i64: {dilation}, {dilation}>'
    )
    text = f"""
    func.func @main(%x: {kinds[0]}) -> {kinds[2]} {{
      %w = graph.constant dense<"0x{w.tobytes().hex()}"> : {kinds[1]}
      %y = graph.conv2d %x, %w {{{options}}} : {kinds[0]}, {kinds[1]} -> {kinds[2]}
      return %y : {kinds[2]}
    }}
    """
    tiles = EmulatedTiles(mlc.parse(text), tmp_path)
    assert "@llvm.x86.tdpbusd" in tiles.text
    status, (found,) = tiles.run([x])
    assert status == 0
    np.testing.assert_array_equal(found, want)


def test_a_system_that_refuses(tmp_path: Path) -> None:
    """The model computes nothing and returns what it was told."""
    rng, products = np.random.default_rng(6), Products()
    products.add(_random("ui8", (16, 64), rng), _random("i8", (64, 16), rng), ("ui8", "i8"))
    tiles = EmulatedTiles(products.module(), tmp_path)
    ctypes.c_int.in_dll(tiles.library, "answer").value = -2
    status, (found,) = tiles.run(products.inputs)
    assert status == -2 and not found.any() and tiles.count("configured") == 0
