"""Which values are like others for the checker: rounding, signs of NaN and of zeros, extremes."""

from __future__ import annotations

import pytest

from mlc.pass_manager.checking import ANY_ORDER, EquivalenceChecker
from mlc.support.errors import CompilerBug
from mlc.support.rounding import Rounding
from tests.unit.pass_manager.checked_forms import parse, run_check


def test_rounding_is_not_a_difference() -> None:
    body = """
        func.func @main(%x: tensor<64x512xf32>) -> tensor<64xf32> {
          %s = tensor.reduce add %x[m, k] over (m: 64) reduce (k: 512) : tensor<64x512xf32> -> tensor<64xf32>
          return %s : tensor<64xf32>
        }
    """
    serial = """
        func.func @main(%x: memref<64x512xf32>, %y: memref<64xf32> {mlc.output}) {
          %z = arith.constant 0.0 : f32
          loop.for parallel "m" %m = 0 to 64 {
            %s = loop.for serial "k" %k = 0 to 512 iter_args(%c = %z) -> (f32) {
              %a = loop.load %x[%m, -%k + 511] : memref<64x512xf32>
              %d = arith.addf %c, %a : f32
              loop.yield %d : f32
            }
            loop.store %s, %y[%m] : memref<64xf32>
          }
          return
        }
    """
    run_check(body, serial, ANY_ORDER)
    with pytest.raises(CompilerBug, match="computes something else"):
        run_check(body, serial.replace("to 512", "to 511"))


def test_the_sign_of_a_computed_nan_may_change() -> None:
    """What is made of its bits, too; of the bits of numbers not one may change."""
    body = """
        func.func @main(%x: tensor<64xf32>) -> tensor<64xi32> {
          %y = tensor.map %x[i] over (i: 64) : tensor<64xf32> -> tensor<64xi32> {
          ^bb0(%a: f32):
            %l = math.log %a : f32
            %n = arith.addf %l, %l : f32
            %b = arith.bitcast %n : f32 to i32
            tensor.yield %b : i32
          }
          return %y : tensor<64xi32>
        }
    """
    rounding = Rounding(8, "test")
    where_nan = """
            %m = arith.negf %n : f32
            %c = arith.cmpf une, %n, %n : f32
            %o = arith.select %c, %m, %n : f32
            %b = arith.bitcast %o"""
    negated = body.replace("%b = arith.bitcast %n", where_nan)
    run_check(body, negated, rounding)
    with pytest.raises(CompilerBug, match="computes something else"):
        run_check(body, negated.replace("cmpf une", "cmpf oeq"), rounding)


POWERS = """
    func.func @main(%x: tensor<2x64xf32>) -> tensor<2x64xf32> {
      %bases = graph.constant dense<[[BASE], [-1.0]]> : tensor<2x1xf32>
      %scales = graph.constant dense<[[1.0], [SCALE]]> : tensor<2x1xf32>
      %exponents = graph.mul %x, %scales : tensor<2x64xf32>, tensor<2x1xf32> -> tensor<2x64xf32>
      %y = graph.pow %bases, %exponents : tensor<2x1xf32>, tensor<2x64xf32> -> tensor<2x64xf32>
      return %y : tensor<2x64xf32>
    }
"""


def test_what_has_a_small_chance_is_seen_before_there_is_an_alarm() -> None:
    """Powers of -1, NaN but for integers, of which floats of that size are few. Beside them none may change."""
    before = POWERS.replace("BASE", "2.0").replace("SCALE", "2796202.0")
    after = before.replace("2796202.0", "2796202.25")
    run_check(before, after, Rounding(4, "test"))
    with pytest.raises(CompilerBug, match=r"computes something else: result 0 at \[0, "):
        run_check(before, after.replace("[2.0]", "[2.01]"), Rounding(4, "test"))


def test_what_is_divided_by_a_zero_of_either_sign_may_change() -> None:
    """The greatest of 0 and -0 may be either; a greatest number of another sign may not."""
    body = """
        func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
          %z = graph.constant dense<[FIRST, SECOND]> : tensor<2xf32>
          %m = graph.reduce max %z axes [0] keepdims : tensor<2xf32> -> tensor<1xf32>
          %q = graph.div %x, %m : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
          return %q : tensor<1xf32>
        }
    """
    zeros, turned = (body.replace("FIRST", a).replace("SECOND", b) for a, b in (("0.0", "-0.0"), ("-0.0", "0.0")))
    run_check(zeros, turned, Rounding(1, "test"))
    with pytest.raises(CompilerBug, match="computes something else"):
        run_check(zeros.replace(" -0.0", " 1.0"), zeros.replace(" -0.0", " 2.0"), Rounding(1, "test"))


POINT = """
    func.func @main(%x: tensor<SHAPE>) -> tensor<SHAPE> {
      %zero = graph.constant dense<0.0> : tensor<f32>
      %half = graph.constant dense<0.5> : tensor<f32>
      %six = graph.constant dense<6.0> : tensor<f32>
      %abs = graph.abs %x : tensor<SHAPE>
      %relu = graph.relu %x : tensor<SHAPE>
      %doubled = graph.add %x, %abs : tensor<SHAPE>, tensor<SHAPE> -> tensor<SHAPE>
      %halved = graph.mul %doubled, %half : tensor<SHAPE>, tensor<f32> -> tensor<SHAPE>
      %clamped = graph.min %relu, %six : tensor<SHAPE>, tensor<f32> -> tensor<SHAPE>
      %flushed = graph.add %x, %zero : tensor<SHAPE>, tensor<f32> -> tensor<SHAPE>
      return %RESULT : tensor<SHAPE>
    }
"""


@pytest.mark.parametrize("shape", ["1xf32", "4xf32", "3x5xf32", "200xf32"])
@pytest.mark.parametrize(
    ("before", "after"),
    [("relu", "clamped"), ("relu", "halved"), ("x", "flushed"), ("abs", "relu")],
    ids=["a clamp at 6", "an infinity", "the sign of a zero", "a sign"],
)
def test_what_is_like_something_between_minus_two_and_two(shape: str, before: str, after: str) -> None:
    text = POINT.replace("SHAPE", shape)
    with pytest.raises(CompilerBug, match="after 'second', 'main' computes something else"):
        run_check(text.replace("RESULT", before), text.replace("RESULT", after))


INTEGERS = """
    func.func @main(%x: tensor<9xi32>) -> tensor<9xi32> {
      %most = graph.constant dense<2147483647> : tensor<i32>
      %y = graph.min %x, %most : tensor<9xi32>, tensor<i32> -> tensor<9xi32>
      return %y : tensor<9xi32>
    }
"""


def test_extremes_of_integers() -> None:
    run_check(INTEGERS, INTEGERS.replace("%y :", "%x :"))
    with pytest.raises(CompilerBug, match="is 2147483646, it was 2147483647"):
        run_check(INTEGERS, INTEGERS.replace("dense<2147483647>", "dense<2147483646>"))


SUM = """
    func.func @main(%x: memref<600xf32>, %y: memref<1xf32> {mlc.output}) {
      %z = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 600 iter_args(%c = %z) -> (f32) {
        %a = loop.load %x[FROM] : memref<600xf32>
        %d = arith.addf %c, %a : f32
        loop.yield %d : f32
      }
      loop.store %s, %y[0] : memref<1xf32>
      return
    }
"""


def test_a_pass_may_round_only_if_it_says_so() -> None:
    before, after = SUM.replace("FROM", "%k"), SUM.replace("FROM", "-%k + 599")
    run_check(before, after, Rounding(1, "the order is another one"))
    with pytest.raises(CompilerBug, match="'main' computes something else"):
        run_check(before, after)


def test_what_passes_move_is_bounded_by_what_all_of_them_say() -> None:
    module, ctx = parse(POINT.replace("SHAPE", "7xf32").replace("RESULT", "halved"))
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    with pytest.raises(CompilerBug, match=r"after 'pass 1?[1-9]', 'main' computes something else"):
        for i in range(1, 200):
            factor = f"dense<{0.5 * (1 + i * 3e-7):.10f}>"
            text = POINT.replace("SHAPE", "7xf32").replace("RESULT", "halved").replace("dense<0.5>", factor)
            checker.check(f"pass {i}", parse(text)[0], Rounding(2 if i == 1 else 0, "it drifts"))
