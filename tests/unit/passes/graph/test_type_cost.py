"""What products cost by the types of their factors, beside numbers that are counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import mlc
from mlc.compiler.compilation import new_context
from mlc.dialects.graph import ConvOp, MatmulOp
from mlc.pass_manager.manager import PassManager
from mlc.passes.graph._type_cost import TypedProduct, cycles_in_words
from mlc.passes.graph.narrow_products import NarrowProductsPass
from mlc.passes.graph.use_integer_products import UseIntegerProductsPass
from mlc.targets.machine import Machine, resolve_target

VNNI, AVX2 = resolve_target("icelake-server"), resolve_target("haswell")
SKYLAKE = resolve_target("skylake")
WITHOUT_AMX, AMX = resolve_target("sapphirerapids"), resolve_target("sapphirerapids-amx")
MANY = TypedProduct(rows=960, taps=1, depth=1024, columns=1024, repeated=1, groups=1, matrices=1, image=960 * 1024)
ROW = replace(MANY, rows=1, image=1024)


def _gain(product: TypedProduct, machine: Machine, lhs: str = "ui8", rhs: str = "i8") -> float:
    """How many times as fast as in f32 a product is."""
    among = product.weights
    floats = product.float_cycles(machine, among, is_quantized=rhs == "i8")
    return floats / product.short_cycles(machine, lhs, rhs, among)


def test_words_of_four_take_a_quarter() -> None:
    units = 960 * 1024 * 1024 / 16 / VNNI.issue.fma_units
    assert MANY.float_cycles(VNNI, MANY.weights, is_quantized=False) == pytest.approx(units, rel=0.1)
    assert 3.3 < _gain(MANY, VNNI) < 4.2


def test_words_that_are_taken_apart_take_no_less() -> None:
    """A Haswell multiplies pairs of 16 bits half as often as f32, a Skylake three quarters as often."""
    assert 0.9 < _gain(MANY, AVX2) < 1.1
    assert 1.35 < _gain(MANY, SKYLAKE) < 1.5
    for machine in (AVX2, SKYLAKE):
        in_bytes, in_pairs = (way(machine, "ui8", "i8", MANY.weights) for way in (MANY.sums_cycles, MANY.pairs_cycles))
        assert in_bytes > 1.3 * in_pairs
    assert _gain(MANY, AVX2, "bf16", "bf16") < 0.8
    assert _gain(MANY, WITHOUT_AMX, "bf16", "bf16") < 0.8
    assert _gain(MANY, AMX, "bf16", "bf16") > 4


@pytest.mark.parametrize("machine", [VNNI, AVX2, WITHOUT_AMX, AMX], ids=lambda m: m.name)
def test_one_row_waits_for_its_weights(machine: Machine) -> None:
    large = replace(ROW, depth=4096, columns=4096, image=4096)
    assert _gain(large, machine, "bf16", "bf16") > 1.7
    assert _gain(large, machine) > 3


def test_pairs_are_for_what_no_instruction_multiplies_in_bytes() -> None:
    """Four products are two instructions, and two additions; a single row waits for weights of twice the size."""
    assert MANY.pairs_cycles(SKYLAKE, "ui8", "i8", MANY.weights) == pytest.approx(
        960 * 1024 * 1024 / 8 / 2 / SKYLAKE.issue.i16_dots, rel=0.1
    )
    for other in (resolve_target("alderlake"), VNNI, resolve_target("cortex-a72")):
        assert MANY.pairs_cycles(other, "ui8", "i8", MANY.weights) == float("inf")
    assert replace(MANY, groups=4).pairs_cycles(SKYLAKE, "ui8", "i8", MANY.weights) == float("inf")
    large = replace(ROW, depth=4096, columns=4096, image=4096)
    in_bytes = large.sums_cycles(SKYLAKE, "ui8", "i8", large.weights)
    assert large.pairs_cycles(SKYLAKE, "ui8", "i8", large.weights) == pytest.approx(2 * in_bytes, rel=0.1)
    window = replace(MANY, taps=9, depth=1)
    in_pairs = (replace(window, depth=depth).pairs_cycles(SKYLAKE, "ui8", "i8", window.weights) for depth in (1, 3, 4))
    assert len(set(in_pairs)) == 1


def test_differences_of_bytes_are_pairs_on_every_machine_that_multiplies_these() -> None:
    """Where words of bytes are multiplied, too, pairs take twice as long as these, and half as long as f32."""
    for machine in (SKYLAKE, VNNI):
        floats = MANY.float_cycles(machine, MANY.weights, is_quantized=True)
        differences = MANY.differences_cycles(machine, MANY.weights)
        assert differences == pytest.approx(
            960 * 1024 * 1024 / (machine.vector_bits / 16) / machine.issue.i16_dots, rel=0.1
        )
        assert differences < 0.8 * floats
    assert 1.5 < MANY.differences_cycles(VNNI, MANY.weights) / MANY.short_cycles(VNNI, "ui8", "i8", MANY.weights) < 2.1
    assert resolve_target("cortex-a72").dot_instruction("i16", "i16", 128) is None
    assert MANY.differences_cycles(resolve_target("cortex-a72"), MANY.weights) == float("inf")
    assert replace(MANY, groups=4).differences_cycles(SKYLAKE, MANY.weights) == float("inf")
    odd, even = (replace(MANY, taps=9, depth=depth).differences_cycles(VNNI, MANY.weights) for depth in (3, 4))
    assert odd == even


def test_sums_in_16_bits_take_no_words_apart() -> None:
    for machine in (AVX2, SKYLAKE):
        small, large = (MANY.sums_cycles(machine, "ui8", "i8", MANY.weights, in_i16=fit) for fit in (True, False))
        assert small <= MANY.pairs_cycles(machine, "ui8", "i8", MANY.weights) and 1.3 * small < large
    for lhs, machine in (("ui8", VNNI), ("i8", AVX2)):
        known = (MANY.sums_cycles(machine, lhs, "i8", MANY.weights, in_i16=fit) for fit in (True, False))
        assert len(set(known)) == 1


def test_numbers_beyond_a_word_are_products_too() -> None:
    """One channel has four in integers; five have eight."""
    window = TypedProduct(rows=26, taps=9, depth=1, columns=64, repeated=26, groups=1, matrices=1, image=784)
    assert _gain(window, AVX2) < 0.5 * _gain(replace(window, depth=4), AVX2)
    assert _gain(replace(window, depth=5), AVX2) < 0.8 * _gain(replace(window, depth=8), AVX2)


def test_groups_that_fill_no_word_have_no_dot_products() -> None:
    grouped = TypedProduct(rows=56, taps=9, depth=4, columns=16, repeated=56, groups=4, matrices=1, image=56 * 56 * 16)
    assert _gain(grouped, VNNI) > 1.8
    assert _gain(replace(grouped, depth=3), VNNI) < 1


def _product(text: str) -> TypedProduct:
    (op,) = (op for op in mlc.parse(text).walk() if isinstance(op, MatmulOp | ConvOp))
    return TypedProduct.of(op)


def test_what_is_read_off_ops() -> None:
    stack = _product("""
    func.func @main(%x: tensor<2x3x4x8xf32>, %w: tensor<8x5xf32>) -> tensor<2x3x4x5xf32> {
      %y = graph.matmul %x, %w : tensor<2x3x4x8xf32>, tensor<8x5xf32> -> tensor<2x3x4x5xf32>
      return %y : tensor<2x3x4x5xf32>
    }""")
    assert (stack.rows, stack.depth, stack.columns, stack.repeated) == (24, 8, 5, 1)
    assert (stack.results, stack.weights, stack.image) == (120, 40, 192)
    batch = _product("""
    func.func @main(%x: tensor<3x4x8xf32>, %w: tensor<3x8x5xf32>) -> tensor<3x4x5xf32> {
      %y = graph.matmul %x, %w : tensor<3x4x8xf32>, tensor<3x8x5xf32> -> tensor<3x4x5xf32>
      return %y : tensor<3x4x5xf32>
    }""")
    assert (batch.rows, batch.repeated, batch.weights) == (4, 3, 120)
    image = _product("""
    func.func @main(%x: tensor<2x8x9x7xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<2x6x7x5xf32> {
      %y = graph.conv2d %x, %w {groups = 2 : i64} : tensor<2x8x9x7xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x5xf32>
      return %y : tensor<2x6x7x5xf32>
    }""")
    assert (image.rows, image.repeated, image.taps, image.depth, image.columns) == (5, 14, 9, 4, 3)
    assert image.results == 2 * 6 * 7 * 5 and image.weights == 6 * 4 * 9 and image.window is None


def test_batches_of_windows_count_each() -> None:
    def windows(batch: int) -> float:
        product = _product(f"""
        func.func @main(%x: tensor<{batch}x16x16x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<{batch}x14x14x64xf32> {{
          %y = graph.conv2d %x, %w {{layout = "NHWC", groups = 64 : i64}}
              : tensor<{batch}x16x16x64xf32>, tensor<3x3x1x64xf32> -> tensor<{batch}x14x14x64xf32>
          return %y : tensor<{batch}x14x14x64xf32>
        }}""")
        assert product.window is not None
        return product.short_cycles(VNNI, "ui8", "i8", product.weights)

    assert windows(3) == pytest.approx(3 * windows(1))


def _remarks(text: str, step: Any, target: str) -> list[str]:
    ctx = new_context(target)
    PassManager(ctx).run(mlc.parse(text), [step])
    return [remark.message for remark in ctx.remarks]


def test_remarks_say_what_was_compared() -> None:
    floats = """
    func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
      %w = graph.constant dense<0.5> : tensor<512x512xf32>
      %y = graph.matmul %x, %w : tensor<256x512xf32>, tensor<512x512xf32> -> tensor<256x512xf32>
      return %y : tensor<256x512xf32>
    }"""
    (stays,) = _remarks(floats, NarrowProductsPass(), "haswell")
    assert stays.startswith("factors stay f32: estimated ") and " cycles in f32, " in stays
    (rounded,) = _remarks(floats, NarrowProductsPass(), "sapphirerapids-amx")
    assert rounded.startswith("factors are rounded to bf16: estimated ") and " cycles in f32, " in rounded
    quantized = """
    func.func @main(%q: tensor<1x28x28x1xui8>) -> tensor<1x24x24x8xf32> {
      %s = graph.constant dense<0.5> : tensor<f32>
      %z = graph.constant dense<3> : tensor<ui8>
      %n = graph.constant dense<0> : tensor<i8>
      %v = graph.constant dense<7> : tensor<5x5x1x8xi8>
      %x = graph.dequantize %q, %s, %z : tensor<1x28x28x1xui8>, tensor<f32>, tensor<ui8> -> tensor<1x28x28x1xf32>
      %w = graph.dequantize %v, %s, %n : tensor<5x5x1x8xi8>, tensor<f32>, tensor<i8> -> tensor<5x5x1x8xf32>
      %y = graph.conv2d %x, %w {layout = "NHWC"}
          : tensor<1x28x28x1xf32>, tensor<5x5x1x8xf32> -> tensor<1x24x24x8xf32>
      return %y : tensor<1x24x24x8xf32>
    }"""
    (not_integers,) = _remarks(quantized, UseIntegerProductsPass(), "haswell")
    assert not_integers.startswith("not computed in integers: estimated ") and " cycles in integers, " in not_integers
    assert _remarks(quantized, UseIntegerProductsPass("keep"), "haswell") == ["computed in integers"]


def test_two_digits_are_said() -> None:
    assert cycles_in_words(123456.0) == "120,000 cycles"
    assert cycles_in_words(7.0) == "7 cycles"
