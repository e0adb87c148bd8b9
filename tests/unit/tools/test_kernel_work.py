"""The work of kernels: what is computed, and what is moved at least."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context
from mlc.targets.machine import resolve_target
from mlc.tools.kernel_work import KernelWork, work_of
from mlc.tools.roofline import planned

from .programs import KERNEL, parse_kernel


def test_work_counts_operations_and_what_is_moved_once() -> None:
    """Of exp: 3 multiply-adds for what remains of x, 7 for the polynomial; 9 others for limits, and the scale."""
    _, kernel = parse_kernel(KERNEL)
    before, ctx = str(kernel), new_context()
    ctx.target = "x86-64-v3"
    work = work_of(kernel, ctx)
    size, points = 4 * (6 * 50 + 50 * 200 + 6 * 200), 6 * 200
    assert work == KernelWork(2 * points * (50 + 10), points * (1 + 9), size, 32, written=4 * points)
    assert work.intensity == work.flops / work.bytes
    assert str(kernel) == before


@pytest.mark.parametrize(
    ("subscripts", "read"),
    [
        (["m + 20, n"], 10 * 64),
        (["m + 20, n", "m + 20, n"], 10 * 64),
        (["m + 20, n", "m + 21, n"], 11 * 64),
        (["m, n", "m + 990, n"], 20 * 64),
        (["m * 100, n"], 10 * 64),
        (["m, n", "m + 500, n", "500 - m, n"], 30 * 64),
        (["m + n, n"], 73 * 64),
        (["m, n floordiv 2"], 10 * 32),
        (["n, m * 7"], 64 * 64),
    ],
)
def test_of_a_slice_what_is_read_counts(subscripts: list[str], read: int) -> None:
    operands = ", ".join(f"%x[{each}]" for each in subscripts)
    types = ", ".join(["tensor<1000x64xf32>"] * len(subscripts))
    arguments = ", ".join(f"%a{i}: f32" for i in range(len(subscripts)))
    _, kernel = parse_kernel(f"""
      func.func private @kernel(%x: tensor<1000x64xf32>) -> tensor<10x64xf32> {{
        %0 = tensor.map {operands} over (m: 10, n: 64) : {types} -> tensor<10x64xf32> {{
        ^bb0({arguments}):
          tensor.yield %a0 : f32
        }}
        return %0 : tensor<10x64xf32>
      }}
    """)
    work = work_of(kernel, new_context())
    assert (work.bytes - work.written, work.written, work.flops) == (4 * read, 4 * 10 * 64, 0)


def test_tiles_of_windows_count() -> None:
    _, kernel = parse_kernel("""
      func.func private @kernel(%x: tensor<90xf32>) -> tensor<5xf32> {
        %y = "tensor.tile_map"(%x, %x) <{
          dims = ["m"], sizes = array<i64: 3>,
          maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>],
          places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>]
        }> ({
        ^bb0(%a: f32, %b: f32):
          %two = arith.constant 2.0 : f32
          %s = arith.addf %a, %b : f32
          %d = math.fma %a, %two, %b : f32
          tensor.yield %s, %d : f32, f32
        }) : (tensor<90xf32>, tensor<90xf32>) -> tensor<5xf32>
        return %y : tensor<5xf32>
      }
    """)
    assert work_of(kernel, new_context()) == KernelWork(2 * 3, 3, 4 * (6 + 5), 32, written=4 * 5)


def test_a_table_counts_as_the_rows_that_are_read() -> None:
    _, kernel = parse_kernel("""
      func.func private @kernel(%rows: tensor<9000x8xf64>, %i: tensor<5xi64>) -> tensor<1x5x8xf64> {
        %table = tensor.expand_shape %rows [[0, 1], [2]] output_shape [1, 9000, 8]
            : tensor<9000x8xf64> into tensor<1x9000x8xf64>
        %0 = tensor.take %table[b, i, n] at (i = %i[m]) over (b: 1, m: 5, n: 8)
            : tensor<1x9000x8xf64>, tensor<5xi64> -> tensor<1x5x8xf64>
        return %0 : tensor<1x5x8xf64>
      }
    """)
    assert work_of(kernel, new_context()).bytes == 8 * (5 * 8 + 5 + 5 * 8)


def _window(pad: str, low: int = 1, stride: int = 1, number: str = "0.0") -> ModuleOp:
    """A convolution of 8 x 8 pixels of 2 channels with 3 x 3 taps of 4 filters."""
    rows = (8 + low + 1 - 3) // stride + 1
    padded, result = f"tensor<{8 + low + 1}x{8 + low + 1}x2xf32>", f"tensor<{rows}x{rows}x4xf32>"
    text = f"""
      func.func private @kernel(%x: tensor<8x8x2xf32>, %w: tensor<3x3x2x4xf32>) -> {result} {{
        %zero = arith.constant {number} : f32
        %p = tensor.pad %x low[{low}, {low}, 0] high[1, 1, 0] {{
        ^bb0(%i: index, %j: index, %k: index):
          tensor.yield %zero : f32
        }} : tensor<8x8x2xf32> to {padded}
        %0 = tensor.contract {pad} over (y: {rows}, x: {rows}, n: 4) reduce (ky: 3, kx: 3, c: 2)
            : {padded}, tensor<3x3x2x4xf32> -> {result}
        return %0 : {result}
      }}
    """
    return parse_kernel(text)[0]


@pytest.mark.parametrize(
    ("low", "stride", "number", "expected"),
    [
        # By rows: 8 of 10 rows see 3 taps inside, the outer ones 2.
        (1, 1, "0.0", 2 * 4 * 2 * (24 * 24 - 22 * 22)),
        (1, 1, "1.0", 0),  # numbers that count
        (0, 1, "-0.0", 2 * 4 * 2 * (21 * 21 - 20 * 20)),
        (1, 2, "0.0", 2 * 4 * 2 * (12 * 12 - 11 * 11)),
    ],
)
def test_products_with_padding_need_not_be_computed(low: int, stride: int, number: str, expected: int) -> None:
    subscripts = f"%p[y * {stride} + ky, x * {stride} + kx, c], %w[ky, kx, c, n]"
    kernel = _window(subscripts, low, stride, number).body.block.first_op
    assert isinstance(kernel, FuncOp)
    work = work_of(kernel, new_context())
    assert work.with_padding == expected
    assert planned(resolve_target("cortex-a53")).bound(work).arithmetic == (work.multiply_adds - expected) / 8


def test_padding_is_counted_where_subscripts_are_apart() -> None:
    """One dim in two subscripts: how often both are inside is not the product of how often each is."""
    kernel = _window("%p[y + ky, y + kx, c], %w[ky, kx, c, n]").body.block.first_op
    assert isinstance(kernel, FuncOp)
    assert work_of(kernel, new_context()).with_padding == 0


@pytest.mark.parametrize(
    ("taken", "given", "bits"), [("i8", "i8", 8), ("i16", "i1", 16), ("f16", "f16", 32), ("f64", "i1", 64)]
)
def test_lanes_are_as_wide_as_the_widest_element(taken: str, given: str, bits: int) -> None:
    _, kernel = parse_kernel(
        f"""
      func.func private @kernel(%x: tensor<8x{taken}>) -> tensor<8x{given}> {{
        %0 = tensor.map %x[n] over (n: 8) : tensor<8x{taken}> -> tensor<8x{given}> {{
        ^bb0(%a: {taken}):
          %b = arith.constant 1 : {given}
          tensor.yield %b : {given}
        }}
        return %0 : tensor<8x{given}>
      }}
    """.replace("constant 1 : f16", "constant 1.0 : f16")
    )
    assert work_of(kernel, new_context()).element_bits == bits
    work = KernelWork(0, 4_000, 100, bits)
    assert planned(resolve_target("cortex-a53")).bound(work).arithmetic == 1000 * bits / 32


@pytest.mark.parametrize(("steps", "count"), [("dot(k, 4)", 1), ("dot(k, 8)", 2), ("dot(k, 16)", 4)])
def test_words_of_dot_products_hold_up_to_sixteen_weights(steps: str, count: int) -> None:
    _, kernel = parse_kernel(f"""
      func.func private @kernel(%x: tensor<32xi8>, %w: tensor<32x5xi8>) -> tensor<5xi32>
          attributes {{schedule = #loop.schedule<[{steps}]>}} {{
        %0 = tensor.contract %x[k], %w[k, n] over (n: 5) reduce (k: 32)
            : tensor<32xi8>, tensor<32x5xi8> -> tensor<5xi32>
        return %0 : tensor<5xi32>
      }}
    """)
    assert work_of(kernel, new_context()).bytes == 32 * 5 // count + 32 + 4 * 5


@pytest.mark.parametrize(("steps", "bytes"), [("unpack(k)", 32 * 5 // 2), ("tile(n, 4)", 32 * 5)])
def test_weights_in_words_take_half_a_byte(steps: str, bytes: int) -> None:
    _, kernel = parse_kernel(f"""
      func.func private @kernel(%x: tensor<32xf32>, %w: tensor<32x5xi8>) -> tensor<5xf32>
          attributes {{schedule = #loop.schedule<[{steps}]>}} {{
        %0 = tensor.contract %x[k], %w[k, n] over (n: 5) reduce (k: 32)
            : tensor<32xf32>, tensor<32x5xi8> -> tensor<5xf32>
        return %0 : tensor<5xf32>
      }}
    """)
    assert work_of(kernel, new_context()).bytes == bytes + 4 * (32 + 5)
