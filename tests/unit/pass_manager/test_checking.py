"""The checker finds passes that change what a module computes, and only those."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mlc.pass_manager.checking import EquivalenceChecker
from mlc.support.errors import CompilerBug, UserError
from mlc.support.rounding import Rounding
from tests.unit.pass_manager.checked_forms import parse, run_check

ADD = """
    func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
      %a = graph.add %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
      %b = graph.BINARY %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
      return %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
    }
"""
KERNEL = """
    func.func private @k(%a: memref<2xELEMENT>, %y: memref<2xELEMENT> {mlc.output}) {
      loop.for parallel "i" %i = 0 to 2 {
        %0 = loop.load %a[FROM] : memref<2xELEMENT>
        loop.store %0, %y[TO] : memref<2xELEMENT>
      }
      return
    }
"""
ENTRY = """
    func.func @main(%x: memref<2xELEMENT>, %y: memref<2xELEMENT> {mlc.output}) {
      %t = memref.alloc() : memref<2xELEMENT>
      func.call @k(%x, %t) : (memref<2xELEMENT>, memref<2xELEMENT>) -> ()
      func.call @k(%t, %y) : (memref<2xELEMENT>, memref<2xELEMENT>) -> ()
      return
    }
"""
FORWARD, BACKWARD, OUTSIDE = ("%i", "%i"), ("-%i + 1", "%i"), ("%i + 1", "%i")


def kernel(subscripts: tuple[str, str], element: str = "f32") -> str:
    return KERNEL.replace("FROM", subscripts[0]).replace("TO", subscripts[1]).replace("ELEMENT", element)


def test_names_the_pass_the_function_and_the_value() -> None:
    message = (
        r"after 'second', 'main' computes something else: result 1 at \[\d, \d\] is -?[\d.]+, it was -?[\d.]+; "
        r"6 of 6 elements differ"
    )
    with pytest.raises(CompilerBug, match=message) as caught:
        run_check(ADD.replace("BINARY", "sub"), ADD.replace("BINARY", "mul"))
    assert caught.value.stage == "second"


def test_integers_must_be_equal() -> None:
    run_check(kernel(FORWARD, "i64"), kernel(FORWARD, "i64"))
    with pytest.raises(CompilerBug, match="'k' computes something else: result 0"):
        run_check(kernel(FORWARD, "i64"), kernel(BACKWARD, "i64"))


def test_a_wrong_kernel_is_named_before_the_entry_that_calls_it() -> None:
    entry = ENTRY.replace("ELEMENT", "f32").replace("@k(%t, %y)", "@copy(%t, %y)")
    copy = kernel(FORWARD).replace("@k", "@copy")
    with pytest.raises(CompilerBug, match="'k' computes something else"):
        run_check(entry + copy + kernel(FORWARD), entry + copy + kernel(BACKWARD))


def test_a_kernel_may_change_together_with_its_callers() -> None:
    entry = ENTRY.replace("ELEMENT", "f32")
    run_check(entry + kernel(FORWARD), entry + kernel(BACKWARD))  # reversed twice


def test_a_new_or_changed_function_is_compared_from_then_on() -> None:
    module, ctx = parse(kernel(FORWARD, "f32"))
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    checker.check("widen", parse(kernel(FORWARD, "f64"))[0])
    with pytest.raises(CompilerBug, match="after 'reverse', 'k' computes something else"):
        checker.check("reverse", parse(kernel(BACKWARD, "f64"))[0])


def test_undefined_behavior_is_blamed_on_the_pass_that_made_it() -> None:
    message = "after 'second', 'k' has undefined behavior: .*loop.load: subscript 0 runs from 1 to 2, outside of"
    with pytest.raises(CompilerBug, match=message):
        run_check(kernel(FORWARD), kernel(OUTSIDE))


def test_undefined_behavior_at_the_start_is_the_users() -> None:
    module, ctx = parse(kernel(OUTSIDE))
    with pytest.raises(UserError, match="'k' has undefined behavior"):
        EquivalenceChecker(ctx).start(module)


ROWS = """
    func.func @main(%x: tensor<ROWSx4xf32>, %i: tensor<64xi64>) -> tensor<64x4xf32> {
      %o = graph.constant dense<OFFSET> : tensor<i64>
      %at = graph.add %i, %o : tensor<64xi64>, tensor<i64> -> tensor<64xi64>
      %y = graph.gather %x, %at axis 0 : tensor<ROWSx4xf32>, tensor<64xi64> -> tensor<64x4xf32>
      %z = graph.RESULT %y : tensor<64x4xf32>
      return %z : tensor<64x4xf32>
    }
"""


def rows(count: int, result: str = "neg", offset: int = 0) -> str:
    return ROWS.replace("ROWS", str(count)).replace("RESULT", result).replace("OFFSET", str(offset))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_indices_of_short_axes_are_drawn_in_range(count: int) -> None:
    checker = run_check(rows(count), rows(count))
    assert not checker.skipped
    with pytest.raises(CompilerBug, match="after 'second', 'main' computes something else"):
        run_check(rows(count), rows(count, "abs"))


@pytest.mark.parametrize("before", [rows(4, offset=9), "func.func @main(%x: tensor<?xf32>) { return }"])
def test_what_has_no_meaning_for_inputs_that_are_drawn_is_left_out(before: str) -> None:
    """It may have one for those that the model is for, whether it was there at the start or not."""
    other = ADD.replace("BINARY", "sub").replace("@main", "@other")
    checker = run_check(other + before, other + rows(4, offset=9))
    checker.check("third", parse(other + rows(4, "abs", offset=9))[0])
    reason = "for all inputs that were drawn it has undefined behavior: graph.gather: index .* is out of range"
    assert re.match(reason, checker.skipped["main"])
    assert any(
        line.startswith(f"did not check 'main' after 'third': {checker.skipped['main']}") for line in checker.coverage()
    )
    with pytest.raises(CompilerBug, match="'other' computes something else"):
        checker.check("fourth", parse(other.replace("sub", "mul") + rows(4, offset=9))[0])


def test_a_pass_that_makes_indices_wrong_has_a_bug() -> None:
    with pytest.raises(CompilerBug, match=r"after 'second', 'main' has undefined behavior: .*index .* is out of range"):
        run_check(rows(4), rows(4, offset=9))


def test_functions_that_cannot_be_run_are_skipped_with_a_reason() -> None:
    module, ctx = parse("""
        func.func private @low() {
          %0 = "llvm.mlir.zero"() : () -> !llvm.ptr
          return
        }
        func.func @caller() {
          func.call @low() : () -> ()
          return
        }
        func.func private @index(%i: index) { return }
        func.func @dynamic(%x: tensor<?xf32>) { return }
        func.func @inside(%x: memref<4xi8>, %y: memref<4xi32> {mlc.output}) {
          %a = loop.load %x[0] : memref<4xi8>
          %b = arith.extsi %a : i8 to i24
          %c = arith.extui %b : i24 to i32
          loop.store %c, %y[0] : memref<4xi32>
          return
        }
        func.func @fine(%x: tensor<2xf32>) { return }
    """)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    assert checker.skipped == {
        "low": "'llvm.mlir.zero' has no reference semantics",
        "caller": "it calls 'low': 'llvm.mlir.zero' has no reference semantics",
        "index": "its arguments are not all tensors or buffers",
        "dynamic": "its shapes are not all static",
        "inside": "'arith.extsi' is about i24, a type that mlc does not compute with",
    }
    assert checker.inputs_of("low") is None
    assert checker.inputs_of("fine") is not None


def test_outputs_from_elsewhere_are_compared() -> None:
    module, ctx = parse(ADD.replace("BINARY", "sub"))
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    inputs = checker.inputs_of("main")
    assert inputs is not None
    x, y = inputs
    checker.compare_outputs("clang", "main", [x + y, x - y])
    checker.compare_outputs("clang", "unknown", [])
    wrong = x - y
    wrong[1, 2] = np.nan
    message = re.escape("in 'clang', 'main' computes something else: result 1 at [1, 2] is nan, it was ")
    with pytest.raises(CompilerBug, match=message):
        checker.compare_outputs("clang", "main", [x + y, wrong])
    with pytest.raises(CompilerBug, match="'main' has 1 outputs, it had 2"):
        checker.compare_outputs("clang", "main", [x + y])
    with pytest.raises(CompilerBug, match=re.escape("result 0 of 'main' is float64 [2, 3], it was float32 [2, 3]")):
        checker.compare_outputs("clang", "main", [(x + y).astype(np.float64), x - y])


def test_inputs_depend_on_the_seed_alone() -> None:
    module, ctx = parse(ADD.replace("BINARY", "sub"))
    found: list[bytes] = []
    for seed in (0, 0, 1):
        checker = EquivalenceChecker(ctx, seed)
        checker.start(module)
        inputs = checker.inputs_of("main")
        assert inputs is not None
        found.append(inputs[0].tobytes())
    assert found[0] == found[1] != found[2]


FILLED = """
    func.func private @k(%x: memref<3x4xf32>, %y: memref<3x4xf32> {mlc.output}) {
      loop.for parallel "a" %a = 0 to 3 {
        loop.for parallel "b" %b = 0 to 4 {
          %0 = loop.load %x[%a, %b] : memref<3x4xf32>
          loop.store %0, %y[%a, %b] : memref<3x4xf32>
        }
      }
      NEST
            %0 = loop.load %y[%t, %j - 1] : memref<3x4xf32>
            %1 = loop.load %y[%t, %j + 1] : memref<3x4xf32>
            %2 = arith.addf %0, %1 : f32
            loop.store %2, %y[%t + 1, %j] : memref<3x4xf32>
      }}
      return
    }
"""
STEPS, COLUMNS = 'loop.for serial "t" %t = 0 to 2 {', 'loop.for parallel "j" %j = 1 to 3 {'
RIGHT, WRONG = FILLED.replace("NEST", STEPS + COLUMNS), FILLED.replace("NEST", COLUMNS + STEPS)


def test_a_loop_that_a_pass_left_parallel_is_named() -> None:
    message = (
        r"""after 'second', in 'k', the parallel loop "j" at test.mlir:9:7 is not parallel: result 0 at \[2, 1\] is """
    )
    with pytest.raises(CompilerBug, match=message):
        run_check(RIGHT, WRONG)


def test_a_loop_that_a_person_calls_parallel_is_theirs() -> None:
    module, ctx = parse(WRONG)
    with pytest.raises(UserError, match=r"in 'k', the parallel loop \"j\" at test.mlir:9:7 is not parallel"):
        EquivalenceChecker(ctx).start(module)


def test_an_index_out_of_range_is_not_for_every_draw() -> None:
    module, ctx = parse("""
        func.func @main(%i: memref<3xi64>, %x: memref<9xf32>, %y: memref<3xf32> {mlc.output}) {
          %four = arith.constant 4 : index
          loop.for parallel "n" %n = 0 to 3 {
            %a = loop.load %i[%n] : memref<3xi64>
            %b = arith.index_cast %a : i64 to index
            %c = arith.addi %b, %four : index
            %d = memref.load %x[%c] : memref<9xf32>
            loop.store %d, %y[%n] : memref<3xf32>
          }
          return
        }
    """)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    assert len(checker.cases_of("main")) == 1


def test_what_is_not_computed_any_more_is_no_product_with_padding() -> None:
    """Buffers that nobody writes hold NaN, as products of padding and infinities do, where inputs are finite or not."""
    before = kernel(FORWARD)
    after = before.replace("loop.store %0, %y[%i] : memref<2xf32>", "")
    assert after != before
    with pytest.raises(CompilerBug, match=r"'k' computes something else: result 0 at \[0\] is nan"):
        run_check(before, after, Rounding(4, "", skips_zeros=True))
