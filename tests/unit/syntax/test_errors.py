"""What a user reads about a wrong text: the message, the place, and no follow-up errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Syntax

Errors = Callable[[str], list[str]]


def body(line: str) -> str:
    """A function whose second line is `line`."""
    return f"func.func @f(%a: f32, %m: memref<4xf32>, %i: index) {{\n  {line}\n  return\n}}\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%x = memref.load %m[%i : memref<4xf32>", "2:26 expected ',' or ']', got ':'"),
        ("%x = arith.addf %a, %a fastmath<fast> f32", "2:41 expected ':' or '{', got 'f32'"),
        ('%x = "arith.addf"(%a %a) : (f32, f32) -> f32', "2:24 expected ')' or ',', got '%a'"),
        ("%x = arith.addf %a, : f32", "2:23 expected a value such as %x, got ':'"),
        ("%x = arith.addf %a, %a : 5", "2:28 expected a type, got '5'"),
        ("%x = graph.matmull %a, %a : f32", "2:8 unknown operation 'graph.matmull', did you mean 'graph.matmul'?"),
        ("%x = arit.addf %a, %a : f32", "2:8 unknown dialect 'arit', did you mean 'arith'?"),
        ("retrun", "2:3 unknown operation 'retrun', did you mean 'return'?"),
        ("%x = arith.addf %a, %b : f32", "2:23 value '%b' is not defined"),
        ("%x, %y = arith.addf %a, %a : f32", "2:3 'arith.addf' has 1 result, but 2 are named"),
        ('%x = "arith.addf"(%a) : (f32, f32) -> f32', "2:21 1 operand but 2 operand types"),
        ("cf.br ^bb7", "2:9 block '^bb7' is not defined in this region"),
        (
            '%x = arith.constant "abc',
            "2:23 expected an attribute, got a string that is not closed on its line, or has an",
        ),
        (
            "%x = arith.constant dense<[[1, 2], [3]]> : tensor<2x2xi32>",
            "2:41 the lists in a dense literal differ in shape",
        ),
        (
            "%x = arith.constant dense<[1, 2]> : tensor<3xi32>",
            "2:23 tensor<3xi32> has shape [3], but the dense literal",
        ),
        ("%x = arith.constant dense<[1, 2.5]> : tensor<2xi32>", "2:23 numbers with fractions do not fit i32"),
        ("%x = arith.constant {a = 1, a = 2}", "2:31 attribute 'a' appears twice"),
        ("%x = arith.constant #none", "2:23 alias '#none' is not defined"),
        ("%x = arith.constant 1 : vector<?xf32>", "2:27 a vector has no dynamic sizes"),
        ("%x = affine.apply affine_map<(d0) -> (d1)>(%i)", "2:41 'd1' is not a dimension or symbol of this affine map"),
        ("%x = arith.cmpf huh, %a, %a : f32", "2:"),
        ("?", "2:3 expected '}', a block such as ^bb0 or an operation, got '?'"),
        ("\x01", "2:3 expected '}', a block such as ^bb0 or an operation, got character '\\x01'"),
        ("// a comment\n  $", "3:3 expected '}', a block such as ^bb0 or an operation, got character '$'"),
        # An error of a whole construct is shown where that begins,
        ("%x = arith.constant 1.5 : i32", "2:23 a number with a fraction cannot have type i32"),
        ("%x = arith.addf %a, %a : tensor<4xf31>", "2:37 unknown type 'f31', did you mean 'f32'?"),
        ("%x = arith.addf %a, %a : complex<index>", "2:28 a complex type has integer or float parts, got index"),
        # also inside of hand-written syntax,
        ("%x = llvm.mlir.constant(1.5 : i32) : i32", "2:27 a number with a fraction cannot have type i32"),
        ("%x = llvm.mlir.constant(1 : i32) : i3x2", "2:38 unknown type 'i3x2'"),
        ("%x = scf.execute_region -> tensor<4xf31> {}", "2:39 unknown type 'f31', did you mean 'f32'?"),
        ("%x = affine.load %m[%i] : f32", "2:29 a subscript needs a memref, got f32"),
        # where a line that is too short is shown at its end, and not at the next operation.
        ("%x = llvm.mlir.constant(1 : i32) :", "2:36 expected a type"),
        ("%x = affine.load %m[%i]", "2:25 Expected ':'"),
        ("%x = scf.execute_region ->", "2:28 expected a type"),
    ],
)
def test_one_error(line: str, message: str, errors: Errors) -> None:
    found = errors(body(line))
    assert [e for e in found if "note: " not in e] == [found[0]]
    assert found[0].startswith(message)


def test_several_errors_and_no_cascade(errors: Errors) -> None:
    text = """\
func.func @f(%a: f32, %m: memref<4x?xf32>, %i: index) -> f32 {
  %x = memref.load %m[%i, %i : memref<4x?xf32>
  %y = arith.mulf %a, %x fastmath<contract> f32
  %z = arith.addf %y, %a : f32
  scf.if %q {
    %w = "arith.addf"(%z %a) : (f32, f32) -> f32
  }
  func.return %w : f32
}
func.func @g(%a: f32 -> f32 {
  %z = arith.mulf %unknown, %a : f32
  func.return %z : f32
}
"""
    assert errors(text) == [
        "2:30 expected ',' or ']', got ':'",
        "3:45 expected ':' or '{', got 'f32'",
        "5:10 value '%q' is not defined",
        "6:26 expected ')' or ',', got '%a'",
        "10:22 ')' expected, got '->'",
    ]


def test_redefinition_points_at_the_first(errors: Errors) -> None:
    assert errors(body("%a = arith.constant 1.0 : f32")) == [
        "2:3 value '%a' is defined twice",
        "1:14 note: defined here before",
    ]


def test_wrong_type_points_at_the_definition(errors: Errors) -> None:
    assert errors(body("%x = arith.addf %i, %i : f32")) == [
        "2:19 value '%i' has type index, but is used here as f32",
        "1:42 note: defined here",
    ]


def test_near_miss_of_a_value(errors: Errors) -> None:
    text = "func.func @f(%weight: f32) {\n  %x = arith.addf %wieght, %weight : f32\n  return\n}"
    assert errors(text) == ["2:19 value '%wieght' is not defined, did you mean '%weight'?", "1:14 note: defined here"]


def test_values_around_an_isolated_region(errors: Errors) -> None:
    text = "%x = arith.constant 1 : i32\nfunc.func @f() -> i32 {\n  return %x : i32\n}"
    assert errors(text)[0] == "3:10 value '%x' is defined outside of an operation that is isolated from above"


def test_end_of_file_points_at_the_open_brace(errors: Errors) -> None:
    assert errors("func.func @f() {\n  return\n") == [
        "3:1 expected '{', '}', a block such as ^bb0 or an operation, got end of file",
        "1:16 note: this brace is not closed",
    ]


def test_empty_text(errors: Errors) -> None:
    assert errors("// nothing\n") == ["1:1 expected an operation, the text has none"]


def test_verifier_errors_stand_at_the_operation(syntax: Syntax) -> None:
    found = syntax.errors("func.func @f(%a: i32) -> f32 {\n  return %a : i32\n}")
    assert len(found) == 1
    assert found[0].startswith("2:3 'func.return': Expected arguments to have the same types")


def test_an_unclosed_string_takes_no_time(errors: Errors) -> None:
    assert "string" in errors(body('%x = "test.op"() {a = "' + "long " * 50_000))[0]
