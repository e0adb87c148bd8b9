"""Types of plugins that lowering turns into others: native code beside NumPy, and errors at their places."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mlc

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_INPUTS = Path(__file__).parents[2] / "lit" / "plugins" / "Inputs"
_FIXED = """func.func @main(%x: tensor<4x5xf32>, %w: tensor<4x5x!fx.fixed<16, 8>>)
    -> (tensor<4x5xf32>, tensor<4x5x!fx.fixed<16, 8>>) {
  %0 = fx.quantize %x : tensor<4x5xf32> -> tensor<4x5x!fx.fixed<16, 8>>
  %1 = fx.mul %0, %w : tensor<4x5x!fx.fixed<16, 8>>
  %2 = func.call @twice(%1) : (tensor<4x5x!fx.fixed<16, 8>>) -> tensor<4x5x!fx.fixed<16, 8>>
  %3 = fx.dequantize %2 : tensor<4x5x!fx.fixed<16, 8>> -> tensor<4x5xf32>
  return %3, %1 : tensor<4x5xf32>, tensor<4x5x!fx.fixed<16, 8>>
}
func.func private @twice(%x: tensor<4x5x!fx.fixed<16, 8>>) -> tensor<4x5x!fx.fixed<16, 8>> {
  %0 = fx.add %x, %x : tensor<4x5x!fx.fixed<16, 8>>
  return %0 : tensor<4x5x!fx.fixed<16, 8>>
}
"""
_PAIRS = """func.func @main(%x: tensor<6x!pairs.complex>, %y: tensor<6x!pairs.complex>)
    -> (tensor<6x!pairs.complex>, tensor<6xf32>) {
  %0 = pairs.mul %x, %y : tensor<6x!pairs.complex>
  %1 = pairs.mul %0, %y : tensor<6x!pairs.complex>
  %2 = pairs.norm %1 : tensor<6x!pairs.complex> -> tensor<6xf32>
  return %1, %2 : tensor<6x!pairs.complex>, tensor<6xf32>
}
"""
_TAGGED = """func.func @main(%x: !tag.of<tensor<3xf32>, "m">, %y: !tag.of<tensor<3xf32>, "m">) -> tensor<3xf32> {
  %0 = tag.add %x, %y : !tag.of<tensor<3xf32>, "m">
  %1 = tag.strip %0 : !tag.of<tensor<3xf32>, "m"> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""


def test_fixed_point_numbers() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-4, 4, (4, 5)).astype(np.float32)
    x[0] = [np.nan, np.inf, -np.inf, 300, -300]
    w = rng.integers(-(1 << 15), 1 << 15, (4, 5)).astype(np.int16)
    quantized = np.clip(np.nan_to_num(np.rint(x.astype(np.float64) * 256)), -32768, 32767).astype(np.int64)
    product = ((quantized * w) >> 8).astype(np.int16)
    for level in (0, 3):
        floats, fixed = mlc.compile(_FIXED, plugins=[_INPUTS / "fixed.py"], opt_level=level)(x, w)
        np.testing.assert_array_equal(fixed, product)
        np.testing.assert_array_equal(floats, (product + product).astype(np.float32) / 256)


def test_complex_numbers_are_two_tensors() -> None:
    rng = np.random.default_rng(0)
    a, b, c, d = rng.standard_normal((4, 6)).astype(np.float32)
    expected = (a + 1j * b) * (c + 1j * d) * (c + 1j * d)
    for level in (0, 3):
        real, imaginary, norm = mlc.compile(_PAIRS, plugins=[_INPUTS / "pairs.py"], opt_level=level)(a, b, c, d)
        np.testing.assert_allclose(real + 1j * imaginary, expected, rtol=1e-5)
        np.testing.assert_allclose(norm, np.abs(expected) ** 2, rtol=1e-5)


def test_a_type_around_a_tensor() -> None:
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(mlc.compile(_TAGGED, plugins=[_INPUTS / "tagged.py"])(x, y), x + y)


@pytest.mark.parametrize("flags", [["--lower-to-tensor"], ["-O3", "--emit=mlir:loop"], ["-O3"]])
def test_each_form_computes_the_same(flags: list[str], mlc_opt: CommandLine) -> None:
    """`--check-each` holds values of such types as arrays of what they become."""
    shown = mlc_opt(f"--load-dialect={_INPUTS / 'fixed.py'}", "--check-each", *flags, stdin=_FIXED_INSIDE)
    assert shown.status == 0
    assert shown.err.startswith("note: --check-each compared ")


_FIXED_INSIDE = """func.func @main(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = fx.quantize %x : tensor<4x5xf32> -> tensor<4x5x!fx.fixed<16, 8>>
  %1 = fx.mul %0, %0 : tensor<4x5x!fx.fixed<16, 8>>
  %2 = fx.dequantize %1 : tensor<4x5x!fx.fixed<16, 8>> -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}
"""


def test_such_ops_are_fused(mlc_opt: CommandLine) -> None:
    shown = mlc_opt(f"--load-dialect={_INPUTS / 'fixed.py'}", "--fuse", "--lower-to-tensor", stdin=_FIXED_INSIDE)
    assert shown.err == ""
    assert shown.out.count("func.func private") == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '@lowers("convert-graph-to-tensor", AddOp)\n',
            "",
            "<stdin>:10:8: error: 'fx.add' has a value of type tensor<4x5x!fx.fixed<16, 8>>, which "
            "convert-graph-to-tensor makes tensor<4x5xi16> of, and no pattern of convert-graph-to-tensor takes this op",
        ),
        (
            "return self.map(op, b, Points.add)",
            "return self.map(op, b, lambda p, x, y: p(arith.ExtSIOp, x, i32))",
            "",
        ),
        (
            "return IntegerType(fixed.width.data)",
            "return []",
            "'bits_of' makes [] of the type !fx.fixed<16, 8>; required: a type, or a list of types",
        ),
        (
            '@lowers("convert-graph-to-tensor", QuantizeOp)\n',
            '@converts_type("convert-graph-to-tensor", FixedType)\ndef again(t): return i32\n\n'
            '@lowers("convert-graph-to-tensor", QuantizeOp)\n',
            "ValueError: two functions convert the type 'fx.fixed' in 'convert-graph-to-tensor': bits_of and again",
        ),
    ],
)
def test_what_is_left_or_wrong(old: str, new: str, message: str, tmp_path: Path, mlc_opt: CommandLine) -> None:
    source = (_INPUTS / "fixed.py").read_text()
    assert source.count(old) == 1
    (tmp_path / "fixed.py").write_text(source.replace(old, new))
    shown = mlc_opt(f"--load-dialect={tmp_path / 'fixed.py'}", "--lower-to-tensor", stdin=_FIXED)
    assert shown.status == 1
    assert message in shown.err
