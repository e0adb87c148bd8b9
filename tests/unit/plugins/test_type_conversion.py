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


_T = "tensor<4x5x!fx.fixed<16, 8>>"
_IN_A_BRANCH = f"""func.func @main(%c: tensor<i1>, %x: tensor<4x5xf32>) -> tensor<4x5xf32> {{
  %0 = fx.quantize %x : tensor<4x5xf32> -> {_T}
  %1 = graph.if %c using (%0) : ({_T}) -> ({_T}) {{
  ^bb0(%a: {_T}):
    %2 = fx.add %a, %a : {_T}
    graph.yield %2 : {_T}
  }} else {{
  ^bb0(%a: {_T}):
    graph.yield %a : {_T}
  }}
  %3 = fx.dequantize %1 : {_T} -> tensor<4x5xf32>
  return %3 : tensor<4x5xf32>
}}
"""
_IN_A_SCAN = f"""func.func @main(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {{
  %0 = fx.quantize %x : tensor<4x5xf32> -> {_T}
  %1 = graph.scan 3 carry (%h = %0) over () using (%w = %0) : ({_T}, {_T}) -> ({_T}) {{
    %2 = fx.add %h, %w : {_T}
    graph.yield %2 : {_T}
  }}
  %3 = fx.dequantize %1 : {_T} -> tensor<4x5xf32>
  return %3 : tensor<4x5xf32>
}}
"""
_IN_A_LOOP = f"""func.func @main(%x: tensor<4x5xf32>, %most: tensor<i64>) -> tensor<4x5xf32> {{
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %0 = fx.quantize %x : tensor<4x5xf32> -> {_T}
  %n, %1 = graph.while carry (%zero, %0) using (%most, %one)
      : (tensor<i64>, {_T}), (tensor<i64>, tensor<i64>) -> (tensor<i64>, {_T}) {{
  ^bb0(%i: tensor<i64>, %s: {_T}, %limit: tensor<i64>, %step: tensor<i64>):
    %2 = graph.compare lt, %i, %limit : tensor<i64>, tensor<i64> -> tensor<i1>
    graph.yield %2 : tensor<i1>
  }} do {{
  ^bb0(%i: tensor<i64>, %s: {_T}, %limit: tensor<i64>, %step: tensor<i64>):
    %3 = graph.add %i, %step : tensor<i64>, tensor<i64> -> tensor<i64>
    %4 = fx.add %s, %s : {_T}
    graph.yield %3, %4 : tensor<i64>, {_T}
  }}
  %5 = fx.dequantize %1 : {_T} -> tensor<4x5xf32>
  return %5 : tensor<4x5xf32>
}}
"""


@pytest.mark.parametrize("level", [0, 3])
def test_values_of_such_types_go_through_branches_and_loops(level: int) -> None:
    x = (np.arange(-10, 10, dtype=np.float32) / 4).reshape(4, 5)  # whole multiples of 2 ** -8
    plugins = [_INPUTS / "fixed.py"]
    branch = mlc.compile(_IN_A_BRANCH, plugins=plugins, opt_level=level)
    np.testing.assert_array_equal(branch(np.array(True), x), 2 * x)
    np.testing.assert_array_equal(branch(np.array(False), x), x)
    np.testing.assert_array_equal(mlc.compile(_IN_A_SCAN, plugins=plugins, opt_level=level)(x), 4 * x)
    loop = mlc.compile(_IN_A_LOOP, plugins=plugins, opt_level=level)
    np.testing.assert_array_equal(loop(x, np.array(3)), 8 * x)


def test_a_value_that_becomes_several_does_not_go_through_a_branch(mlc_opt: CommandLine) -> None:
    kind = "tensor<6x!pairs.complex>"
    text = f"""func.func @main(%c: tensor<i1>, %x: {kind}) -> {kind} {{
  %0 = graph.if %c using (%x) : ({kind}) -> ({kind}) {{
  ^bb0(%a: {kind}):
    graph.yield %a : {kind}
  }} else {{
  ^bb0(%a: {kind}):
    graph.yield %a : {kind}
  }}
  return %0 : {kind}
}}
"""
    shown = mlc_opt(f"--load-dialect={_INPUTS / 'pairs.py'}", "--lower-to-tensor", stdin=text)
    what = f"{kind}, which convert-graph-to-tensor makes 2 values of; loops hold values that become one"
    assert f"<stdin>:2:8: error: 'graph.if' has a value of type {what}" in shown.err


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
            "note: 'fx.add' was lowered by LowerAdd",
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
