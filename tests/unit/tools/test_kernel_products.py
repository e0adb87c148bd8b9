"""Which instruction multiplies in a kernel, by its schedule and the target."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

import mlc
from mlc.compiler.compilation import Compilation, new_context
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.support.functions import is_private
from mlc.targets.machine import resolve_target
from mlc.tools.kernel_products import KernelProducts, products_of
from mlc.tools.kernel_work import work_of
from mlc.tools.roofline import planned

_QUANTIZED = """
func.func @main(%q: tensor<64x64xui8>) -> tensor<64x64xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<ui8>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<7> : tensor<64x64xi8>
  %x = graph.dequantize %q, %s, %z : tensor<64x64xui8>, tensor<f32>, tensor<ui8> -> tensor<64x64xf32>
  %w = graph.dequantize %v, %s, %n : tensor<64x64xi8>, tensor<f32>, tensor<i8> -> tensor<64x64xf32>
  %y = graph.matmul %x, %w : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}"""
_TAPS = """
func.func @main(%q: tensor<1x16x16x64xui8>) -> tensor<1x14x14x64xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<ui8>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<7> : tensor<3x3x1x64xi8>
  %x = graph.dequantize %q, %s, %z : tensor<1x16x16x64xui8>, tensor<f32>, tensor<ui8> -> tensor<1x16x16x64xf32>
  %w = graph.dequantize %v, %s, %n : tensor<3x3x1x64xi8>, tensor<f32>, tensor<i8> -> tensor<3x3x1x64xf32>
  %y = graph.conv2d %x, %w {layout = "NHWC", groups = 64 : i64}
      : tensor<1x16x16x64xf32>, tensor<3x3x1x64xf32> -> tensor<1x14x14x64xf32>
  return %y : tensor<1x14x14x64xf32>
}"""
_FIELDS = """
func.func @main(%x: tensor<1x512xf32>) -> tensor<1x256xf32> {
  %w = graph.constant dense<7> : tensor<512x256xi8>
  %s = graph.constant dense<0.5> : tensor<16x256xf32>
  %y = graph.scaled_matmul %x, %w, %s : tensor<1x512xf32>, tensor<512x256xi8>, tensor<16x256xf32> -> tensor<1x256xf32>
  return %y : tensor<1x256xf32>
}"""
_ROWS = ", ".join(f"[{', '.join(str(0.5 + (row + column) % 3) for column in range(128))}]" for row in range(128))
_FLOATS = f"""
func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {{
  %w = graph.constant dense<[{_ROWS}]> : tensor<128x128xf32>
  %y = graph.matmul %x, %w : tensor<64x128xf32>, tensor<128x128xf32> -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}}"""


def _kernels(text: str, target: str, precision: str, accuracy: str = "exact") -> list[tuple[FuncOp, Compilation]]:
    ctx = new_context(target)
    options = CompileOptions(target, precision=precision, accuracy=accuracy)
    compilation = Compilation(mlc.parse(text), ctx, options, PassManager(ctx))
    compilation.lower("tensor")
    return [(f, compilation) for f in compilation.module.ops if isinstance(f, FuncOp) and is_private(f)]


_OF_WIDENED = "llvm.x86.avx2.pmadd.wd, of bytes that are widened to pairs of 16 bits"


def _products(text: str, target: str, precision: str = "keep") -> KernelProducts:
    found = [products_of(kernel, resolve_target(target)) for kernel, _ in _kernels(text, target, precision)]
    (products,) = (each for each in found if each is not None)
    return products


@pytest.mark.parametrize(
    ("target", "instruction", "gain"),
    [
        ("sapphirerapids-amx", "llvm.x86.tdpbusd", 32.0),
        ("sapphirerapids", "llvm.x86.avx512.vpdpbusd.512", 4.0),
        ("haswell", f"{_OF_WIDENED}, or of sums of two products that fit there", 1.0),
        ("neoverse-v1", "llvm.aarch64.neon.usmmla.v4i32.v16i8", 8.0),
        ("cortex-a72", "a multiplication for each number", 0.5),
    ],
)
def test_bytes(target: str, instruction: str, gain: float) -> None:
    found = _products(_QUANTIZED, target)
    assert (found.instruction, found.gain) == (instruction, gain)
    assert found.words in ("ui8*i8", "i8*i8", "i8")


@pytest.mark.parametrize(
    ("target", "instruction"),
    [
        ("sapphirerapids", "llvm.x86.avx512.vpdpbusd.512"),
        ("haswell", _OF_WIDENED),
    ],
)
def test_taps(target: str, instruction: str) -> None:
    assert _products(_TAPS, target).instruction == instruction
    works = [work_of(kernel, compilation.ctx) for kernel, compilation in _kernels(_TAPS, target, "keep")]
    assert ("ui8", "i8") in {each.types for work in works for each in work.short}


@pytest.mark.parametrize(
    ("target", "instruction", "gain", "of_all"),
    [
        ("sapphirerapids", "llvm.x86.avx512.vpdpbusd.512", 4.0, 3.4),
        ("haswell", "llvm.x86.avx2.pmadd.ub.sw, and llvm.x86.avx2.pmadd.wd of its sums of two products", 4 / 3, 1.32),
    ],
)
def test_fields_of_four_bits(target: str, instruction: str, gain: float, of_all: float) -> None:
    """Most of the kernel are products of bytes, a 32nd are those with scales in f32."""
    machine, found = resolve_target(target), list[tuple[KernelProducts, float]]()
    for kernel, compilation in _kernels(_FIELDS, target, "keep", "fast"):
        if (products := products_of(kernel, machine)) is not None:
            found.append((products, planned(machine).gain(work_of(kernel, compilation.ctx))))
    ((products, all_of_it),) = found
    assert (products.words, products.instruction) == ("i8*ui8", instruction)
    assert products.gain == pytest.approx(gain) and all_of_it == pytest.approx(of_all, rel=0.01)


def test_floats() -> None:
    plain = _products(_FLOATS, "haswell", "f32")
    assert (plain.words, plain.instruction, plain.gain) == ("f32", "llvm.fmuladd", 1.0)
    short = _products(_FLOATS, "sapphirerapids-amx", "bf16")
    assert (short.words, short.instruction) == ("bf16", "llvm.x86.tdpbf16ps")
    assert _products(_FLOATS, "haswell", "bf16").words == "f32"
