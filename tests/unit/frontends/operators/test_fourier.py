"""Fourier transforms of real numbers, at the graph level, beside NumPy's in f64."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context
from mlc.dialects.graph import ConstantOp, MatmulOp
from mlc.dialects.graph.types import shape_of
from mlc.frontends.stablehlo.to_graph.convert_stablehlo_to_graph import ConvertStablehloToGraphPass
from mlc.reference.interpreter import run_function
from mlc.syntax import parse_module

Array = NDArray[Any]
LENGTHS = (
    1,
    2,
    3,
    5,
    8,
    63,
    64,
    65,
    66,
    67,
    96,
    127,
    128,
    130,
    134,
    213,
    243,
    1001,
    2053,
    4096,
    4099,
    4225,
    4290,
    8198,
    12297,
)
"""Direct and composed, even and odd, with odd and even factors, of one step and of two, and with large primes."""


def converted(kind: str, before: str, after: str, lengths: list[int]) -> tuple[ModuleOp, Any]:
    text = f"""
        func.func @main(%x: tensor<{before}>) -> tensor<{after}> {{
          %0 = stablehlo.fft %x, type = {kind}, length = {lengths} : (tensor<{before}>) -> tensor<{after}>
          return %0 : tensor<{after}>
        }}
    """
    ctx = new_context()
    module = parse_module(text, "test.mlir", ctx)
    ConvertStablehloToGraphPass().run(module, ctx)
    return module, ctx.resources


def run(kind: str, x: Array, before: str, after: str, lengths: list[int]) -> Array:
    module, resources = converted(kind, before, after, lengths)
    (found,) = run_function(module, "main", [x], resources)
    return found[..., 0] + 1j * found[..., 1] if "complex" in after else found


def assert_close(found: Array, wanted: Array) -> None:
    assert found.shape == wanted.shape
    assert np.max(np.abs(found - wanted)) <= 2e-6 * np.max(np.abs(wanted))


@pytest.mark.parametrize("length", LENGTHS)
def test_real_numbers(length: int) -> None:
    x = np.random.default_rng(length).standard_normal((2, length)).astype(np.float32)
    found = run("RFFT", x, f"2x{length}xf32", f"2x{length // 2 + 1}xcomplex<f32>", [length])
    assert_close(found, np.fft.rfft(x.astype(np.float64)))


@pytest.mark.parametrize("length", LENGTHS)
def test_to_real_numbers(length: int) -> None:
    """Imaginary parts of numbers that have to be real count for nothing."""
    half = length // 2 + 1
    x = np.random.default_rng(length).standard_normal((2, half, 2)).astype(np.float32)
    found = run("IRFFT", x, f"2x{half}xcomplex<f32>", f"2x{length}xf32", [length])
    numbers = x[..., 0].astype(np.float64) + 1j * x[..., 1]
    wanted = np.fft.irfft(numbers, length) if length > 1 else numbers.real
    assert_close(found, wanted)


def test_several_dims() -> None:
    x = np.random.default_rng(0).standard_normal((3, 66, 130)).astype(np.float32)
    found = run("RFFT", x, "3x66x130xf32", "3x66x66xcomplex<f32>", [66, 130])
    assert_close(found, np.fft.rfft2(x.astype(np.float64)))
    halves = np.stack([np.real(found), np.imag(found)], -1).astype(np.float32)
    assert_close(run("IRFFT", halves, "3x66x66xcomplex<f32>", "3x66x130xf32", [66, 130]), x)


def multiplications(module: ModuleOp) -> int:
    products = [op for op in module.walk() if isinstance(op, MatmulOp)]
    return sum(prod(shape_of(op.result)) * shape_of(op.operands[0])[-1] for op in products)


@pytest.mark.parametrize(
    ("kind", "before", "after"), [("RFFT", "4096xf32", "2049xcomplex<f32>"), ("IRFFT", "2049xcomplex<f32>", "4096xf32")]
)
def test_real_numbers_take_half_of_the_work(kind: str, before: str, after: str) -> None:
    """Six products of 33 x 64 and 64 x 64 matrices; complex numbers take eight of 64 x 64."""
    module, _ = converted(kind, before, after, [4096])
    whole, _ = converted("FFT", "4096xcomplex<f32>", "4096xcomplex<f32>", [4096])
    assert (multiplications(module), multiplications(whole)) == (6 * 33 * 64 * 64, 8 * 64**3)


@pytest.mark.parametrize("length", [2053, 4099, 3 * 4099])
@pytest.mark.parametrize("inverse", [False, True])
def test_large_primes(length: int, inverse: bool) -> None:
    """With the error of other lengths, and constants of about four times the length."""
    kind = f"2x{length}xcomplex<f32>"
    x = np.random.default_rng(length).standard_normal((2, length, 2)).astype(np.float32)
    numbers = x[..., 0].astype(np.float64) + 1j * x[..., 1]
    found = run("IFFT" if inverse else "FFT", x, kind, kind, [length])
    wanted = np.fft.ifft(numbers) if inverse else np.fft.fft(numbers)
    assert np.sqrt(np.mean(abs(found - wanted) ** 2) / np.mean(abs(wanted) ** 2)) < 5e-7
    module, resources = converted("FFT", kind, kind, [length])
    largest = max(prod(shape_of(op.results[0])) for op in module.walk() if isinstance(op, ConstantOp))
    assert largest <= 8 * length and resources is not None
