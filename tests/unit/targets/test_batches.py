"""Small kernels share a unit where there are many of them; the code of each is what it would be alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import new_context, parse_verified
from mlc.pass_manager.default_passes import default_passes
from mlc.targets.batches import LINES, batched, unit_of
from mlc.targets.cache import Cache
from mlc.targets.llvm_ir import emit_kernels
from mlc.targets.machine import resolve_target
from mlc.targets.program import Kernel, KernelParts
from mlc.targets.toolchain import find_clang
from mlc.targets.units import Compiler, Processes, Unit, clang_flags

TARGET = "x86-64-v3"
_COUNT = 32
"""Of kernels."""
_BITS = 6
"""Of the numbers of kernels."""


def _model(count: int) -> str:
    """A row of `count` columns, each of which goes through a kernel of its own: the bits of its number are its ops."""
    row = f"tensor<8x{count}xf32>"
    lines = [f"func.func @main(%x: {row}) -> {row} {{"]
    for i in range(count):
        lines += [
            f"%s{i} = graph.slice %x starts [0, {i}] ends [8, {i + 1}] strides [1, 1] : {row} -> tensor<8x1xf32>",
            f"%e{i}_0 = graph.{'abs' if i % 3 else 'neg'} %s{i} : tensor<8x1xf32>",
        ]
        for bit in range(_BITS):
            op = "mul" if i >> bit & 1 else "add"
            types = "tensor<8x1xf32>, tensor<8x1xf32> -> tensor<8x1xf32>"
            lines.append(f"%e{i}_{bit + 1} = graph.{op} %e{i}_{bit}, %s{i} : {types}")
    parts, kinds = (", ".join(each) for each in ([f"%e{i}_{_BITS}" for i in range(count)], ["tensor<8x1xf32>"] * count))
    return "\n".join([*lines, f"%y = graph.concat {parts} axis 1 : {kinds} -> {row}", f"return %y : {row}", "}"])


@pytest.fixture(scope="module")
def kernels() -> list[Kernel]:
    ctx = new_context(TARGET)
    module = parse_verified(_model(_COUNT), "model.mlir", ctx, Path())
    for pass_ in default_passes(3):
        pass_.run(module, ctx)
    return list(emit_kernels(module, resolve_target(TARGET)))


def _small(kernels: list[Kernel]) -> list[Kernel]:
    found = [kernel for kernel in kernels if kernel.parts is not None and kernel.text.count("\n") < LINES]
    assert len(found) >= _COUNT
    return found


def _defined(unit: Unit) -> list[str]:
    return re.findall(r"^define .*@(\w+)\(", unit.text, re.MULTILINE)


def test_each_kernel_is_in_one_unit(kernels: list[Kernel]) -> None:
    units = batched(kernels)
    assert len(units) < len(kernels) / 2
    names = [name for unit in units for name in _defined(unit)]
    assert sorted(names) == sorted(kernel.name for kernel in kernels)
    assert batched(kernels[::-1])[-1] == units[-1], "their order does not matter"
    assert batched([*kernels, *_small(kernels)]) == units, "nor that a variant of the model has the same"


def test_large_ones_are_apart(kernels: list[Kernel]) -> None:
    large = replace(kernels[0], name="large", text=kernels[0].text + ";\n" * LINES)
    assert unit_of(large) in batched([*kernels, large])


def test_one_that_goes_changes_its_own_batch(kernels: list[Kernel]) -> None:
    many = [_other(kernel, n) for n in range(4) for kernel in _small(kernels)]
    before, after = set(batched(many)), set(batched(many[1:]))
    assert len(before - after) == 1 < len(before) and len(after - before) <= 1


def _other(kernel: Kernel, number: int) -> Kernel:
    assert kernel.parts is not None
    name = f"{kernel.name}_{number}"
    parts = replace(kernel.parts, definition=kernel.parts.definition.replace(kernel.name, name))
    return Kernel(name, kernel.text.replace(kernel.name, name), None, parts)


def test_batches_are_as_long_as_a_start_of_clang_is_worth() -> None:
    """Ten kernels on average, next to never one alone, and no batch without an end."""
    text = "\n" * (LINES // 10)
    kernels = [Kernel(f"k{n}", f"{n}{text}", None, KernelParts((), f"define @k{n}(", "")) for n in range(2000)]
    sizes = [len(_defined(unit)) for unit in batched(kernels)]
    assert sum(sizes) == len(kernels)
    assert 7 < np.mean(sizes) < 13
    assert sizes.count(1) < len(sizes) / 5
    assert max(sizes) == 30


def test_levels_of_clang_are_kept_apart(kernels: list[Kernel]) -> None:
    small = _small(kernels)
    mixed = [replace(kernel, opt_level=n % 2 or None) for n, kernel in enumerate(small)]
    levels = {name: unit.opt_level for unit in batched(mixed) for name in _defined(unit)}
    assert levels == {kernel.name: kernel.opt_level for kernel in mixed}


_SHARED = """
llvm.func weak_odr hidden @inner(%x: !llvm.ptr) { llvm.return }
llvm.func weak_odr hidden @outer(%x: !llvm.ptr) {
  llvm.call @inner(%x) : (!llvm.ptr) -> ()
  llvm.return
}
"""


def test_who_calls_a_kernel_is_apart() -> None:
    """It would be declared in the text that defines it, and clang could write it in place of the call."""
    ctx = new_context(TARGET)
    module = parse_verified(_SHARED, "model.mlir", ctx, Path())
    inner, outer = emit_kernels(module, resolve_target(TARGET))
    assert inner.parts is not None and outer.parts is None


def test_code_is_what_it_would_be_alone(kernels: list[Kernel], tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    clang, flags = find_clang(None, cache), clang_flags(resolve_target(TARGET), 3)
    compiler = Compiler(clang, flags, cache, Processes(), "-S")

    def code(unit: Unit) -> dict[str, str]:
        compiler.compile(unit, tmp_path / "out.s")
        text = re.sub(
            r"\.L([A-Za-z]+)\d+_|[ \t]*#.*", lambda m: f".L{m[1]}_" if m[1] else "", (tmp_path / "out.s").read_text()
        )
        return {name: text.partition(f"\n{name}:")[2].partition(".Lfunc_end")[0] for name in _defined(unit)}

    batches = [unit for unit in batched(kernels) if len(_defined(unit)) > 1]
    together = {name: text for unit in batches for name, text in code(unit).items()}
    for kernel in [kernel for kernel in kernels if kernel.name in together][:4]:
        alone = code(unit_of(kernel))[kernel.name]
        assert "ret" in alone
        assert together[kernel.name] == alone


def test_a_model_of_many_small_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path))
    x = np.random.default_rng(0).standard_normal((8, _COUNT)).astype(np.float32)
    y = mlc.compile(_model(_COUNT))(x)
    expected = np.abs(x)
    expected[:, ::3] = -x[:, ::3]
    numbers = np.arange(_COUNT)
    for bit in range(_BITS):
        expected = np.where(numbers >> bit & 1, expected * x, expected + x)
    np.testing.assert_array_max_ulp(y, expected, 4)  # a product and a sum may be one op
