"""Dialects that IRDL files define. What they allow is compared with `mlir-opt` 19, where that is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from xdsl.dialects.builtin import i32

import mlc
from mlc.plugins import load_irdl
from mlc.support.additions import plugin_scope

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_DIALECT = """irdl.dialect @d {
  irdl.type @t {
    %0 = irdl.any
    irdl.parameters(%0)
  }
  irdl.type @e
  irdl.attribute @at {
    %0 = irdl.is i32
    irdl.parameters(%0)
  }
  irdl.operation @same {
    %0 = irdl.base @d::@t
    irdl.operands(%0, %0)
  }
  irdl.operation @integer {
    %0 = irdl.base "!builtin.integer"
    irdl.operands(%0)
  }
  irdl.operation @number {
    %0 = irdl.base "#builtin.float"
    irdl.attributes { "value" = %0 }
  }
  irdl.operation @attributes {
    %0 = irdl.base @d::@at
    %1 = irdl.any
    irdl.attributes { "a" = %0, "b" = %1 }
  }
  irdl.operation @some {
    %0 = irdl.any
    irdl.operands(variadic %0)
    irdl.results(optional %0)
  }
  irdl.operation @groups {
    %0 = irdl.is i32
    %1 = irdl.any
    irdl.operands(variadic %0, variadic %1)
  }
  irdl.operation @regions {
    %0 = irdl.is i32
    %r0 = irdl.region(%0) with size 1
    %r1 = irdl.region
    irdl.regions(%r0, %r1)
  }
  irdl.operation @bare {
    %r0 = irdl.region()
    irdl.regions(%r0)
  }
  irdl.operation @either {
    %0 = irdl.is i32
    %1 = irdl.any
    %2 = irdl.parametric @d::@t<%1>
    %3 = irdl.any_of(%0, %2)
    irdl.operands(%3, %1)
  }
  irdl.operation @both {
    %0 = irdl.is i32
    %1 = irdl.is i64
    %2 = irdl.any_of(%0, %1)
    %3 = irdl.all_of(%2, %0)
    irdl.operands(%3)
  }
}
"""
_END = '"llvm.unreachable"() : () -> ()'
_OPS = [
    ('"d.same"(%a, %a) : (!d.t<i32>, !d.t<i32>) -> ()', ""),
    ('"d.same"(%a, %b) : (!d.t<i32>, !d.t<i64>) -> ()', "operand 1 is of type !d.t<i64>; required: !d.t<i32>"),
    ('"d.same"(%i, %i) : (i32, i32) -> ()', "operand 0 is of type i32; required: !d.t<...>"),
    ('"d.same"(%a) : (!d.t<i32>) -> ()', "found 1 operand; required: 2"),
    ('"d.integer"(%i) : (i32) -> ()', ""),
    ('"d.integer"(%e) : (!d.e) -> ()', "operand 0 is of type !d.e; required: !builtin.integer"),
    ('"d.number"() {value = 1.5 : f32} : () -> ()', ""),
    ('"d.number"() {value = 1 : i32} : () -> ()', "attribute 'value' is 1 : i32; required: #builtin.float"),
    ('"d.attributes"() {a = #d.at<i32>, b = "x", c = 3} : () -> ()', ""),
    ('"d.attributes"() {a = #d.at<i32>} : () -> ()', "attribute 'b' is missing; required: anything"),
    ('"d.attributes"() {a = 3 : i32, b = 3} : () -> ()', "attribute 'a' is 3 : i32; required: #d.at<...>"),
    ('"d.attributes"() {a = #d.at<i64>, b = 3} : () -> ()', "parameter 0 is i64; required: i32"),
    ('"d.some"() : () -> ()', ""),
    ('%r = "d.some"(%i, %i) : (i32, i32) -> i32', ""),
    ('"d.some"(%i, %j) : (i32, i64) -> ()', "operand 0 is of type i64; required: i32"),
    ('%r = "d.some"(%i) : (i32) -> i64', "result 0 is of type i64; required: i32"),
    ('%r:2 = "d.some"() : () -> (i32, i32)', "found 2 results; required: 0 to 1"),
    ('"d.groups"(%i, %i, %j) {operand_segment_sizes = array<i32: 2, 1>} : (i32, i32, i64) -> ()', ""),
    ('"d.groups"() {operand_segment_sizes = array<i32: 0, 0>} : () -> ()', ""),
    (
        '"d.groups"(%i, %j) {operand_segment_sizes = array<i32: 2, 0>} : (i32, i64) -> ()',
        "operand 0 is of type i64; required: i32",
    ),
    (
        '"d.groups"(%i) {operand_segment_sizes = array<i32: 1, 1>} : (i32) -> ()',
        "attribute 'operand_segment_sizes' is array<i32: 1, 1>; required: how many operands each group has, as in",
    ),
    ('"d.groups"(%i) : (i32) -> ()', "attribute 'operand_segment_sizes' is missing; required: how many operands each"),
    (f'"d.regions"() ({{ ^bb0(%x: i32): {_END} }}, {{ {_END} }}) : () -> ()', ""),
    (
        f'"d.regions"() ({{ ^bb0(%x: i64): {_END} }}, {{ {_END} }}) : () -> ()',
        "argument 0 of region 0 is of type i64; required: i32",
    ),
    (
        f'"d.regions"() ({{ ^bb0(%x: i32): {_END} \n ^bb1: {_END} }}, {{ {_END} }}) : () -> ()',
        "region 0 has 2 blocks; required: 1 block",
    ),
    (f'"d.regions"() ({{ {_END} }}, {{ {_END} }}) : () -> ()', "region 0 has 0 arguments; required: 1 argument"),
    ('"d.bare"() ({}) : () -> ()', ""),
    ('"d.bare"() : () -> ()', "found 0 regions; required: 1"),
    (f'"d.bare"() ({{ ^bb0(%x: i64): {_END} }}) : () -> ()', "region 0 has 1 argument; required: 0 arguments"),
    ('"d.either"(%a, %i) : (!d.t<i32>, i32) -> ()', ""),
    ('"d.either"(%a, %j) : (!d.t<i32>, i64) -> ()', "operand 1 is of type i64; required: i32"),
    ('"d.either"(%i, %j) : (i32, i64) -> ()', ""),
    ('"d.either"(%j, %j) : (i64, i64) -> ()', "operand 0 is of type i64; required: i32 or !d.t<anything>"),
    ('"d.both"(%i) : (i32) -> ()', ""),
    ('"d.both"(%j) : (i64) -> ()', "operand 0 is of type i64; required: i32 or i64 that is also i32"),
]


def _text(op: str) -> str:
    return f"func.func @f(%a: !d.t<i32>, %b: !d.t<i64>, %i: i32, %j: i64, %e: !d.e) {{\n  {op}\n  return\n}}\n"


@pytest.fixture
def dialect(tmp_path: Path) -> str:
    path = tmp_path / "d.irdl"
    path.write_text(_DIALECT)
    return str(path)


@pytest.mark.parametrize(("op", "message"), _OPS)
def test_ops_are_checked(op: str, message: str, dialect: str, mlc_opt: CommandLine) -> None:
    done = mlc_opt(f"--irdl-file={dialect}", stdin=_text(op))
    assert done.status == (1 if message else 0), done.err
    assert message in done.err


@pytest.mark.skipif(not shutil.which("mlir-opt-19"), reason="mlir-opt-19 is not installed")
@pytest.mark.parametrize(("op", "message"), _OPS)
def test_upstream_allows_the_same(op: str, message: str, dialect: str) -> None:
    command = ["mlir-opt-19", f"--irdl-file={dialect}"]
    done = subprocess.run(command, input=_text(op), text=True, capture_output=True, check=False)
    assert done.returncode == (1 if message else 0), done.stderr


@pytest.mark.skipif(not shutil.which("mlir-opt-19"), reason="mlir-opt-19 is not installed")
def test_a_file_that_is_named_twice_counts_once(dialect: str, mlc_opt: CommandLine, tmp_path: Path) -> None:
    done = mlc_opt(f"--irdl-file={dialect}", f"--irdl-file={dialect}", stdin="")
    assert "two dialects" not in done.err
    (copy := tmp_path / "copy.irdl").write_text(Path(dialect).read_text("utf-8"), encoding="utf-8")
    done = mlc_opt(f"--irdl-file={dialect}", f"--irdl-file={copy}", stdin="")
    assert (done.status, f"one of '{dialect}', one of '{copy}'; rename one" in done.err) == (1, True)


def test_what_is_printed_goes_back(dialect: str, mlc_opt: CommandLine, tmp_path: Path) -> None:
    (again := tmp_path / "again.irdl").write_text(mlc_opt(dialect).out)
    subprocess.run(["mlir-opt-19", str(again)], check=True, capture_output=True)
    assert mlc_opt(str(again)).out == again.read_text()


def test_types_of_other_dialects(mlc_opt: CommandLine, tmp_path: Path) -> None:
    """Upstream has loaded few dialects when it reads the file."""
    (path := tmp_path / "p.irdl").write_text(
        'irdl.dialect @p {\n  irdl.operation @o {\n    %0 = irdl.base "!llvm.ptr"\n    irdl.operands(%0)\n  }\n}\n'
    )
    text = 'func.func @f(%p: !llvm.ptr, %i: i32) {\n  "p.o"(%p) : (!llvm.ptr) -> ()\n  return\n}\n'
    assert mlc_opt(f"--irdl-file={path}", stdin=text).status == 0
    done = mlc_opt(f"--irdl-file={path}", stdin=text.replace("(%p) : (!llvm.ptr)", "(%i) : (i32)"))
    assert "operand 0 is of type i32; required: !llvm.ptr" in done.err


_NAMED = """irdl.dialect @n {
  irdl.type @pair {
    %0 = irdl.any
    irdl.parameters(first: %0, second: %0)
  }
  irdl.operation @make {
    %0 = irdl.any
    %1 = irdl.parametric @pair<%0, %0>
    irdl.operands(first: %0, rest: variadic %0)
    irdl.results(pair: %1)
  }
}
irdl.dialect @m {
  irdl.operation @first {
    %0 = irdl.any
    %1 = irdl.parametric @n::@pair<%0, %0>
    irdl.operands(pair: %1)
    irdl.results(first: %0)
  }
}
"""


def test_names_of_llvm_20_are_those_of_python(tmp_path: Path) -> None:
    (path := tmp_path / "n.irdl").write_text(_NAMED)
    with plugin_scope():
        load_irdl(path)
        module = mlc.parse(
            'func.func @f(%a: i32) -> i32 {\n  %0 = "n.make"(%a, %a, %a) : (i32, i32, i32) -> !n.pair<i32, i32>\n'
            '  %1 = "m.first"(%0) : (!n.pair<i32, i32>) -> i32\n  return %1 : i32\n}'
        )
    make, first = (cast(Any, op) for op in module.walk() if op.name in ("n.make", "m.first"))
    assert (make.first, list(make.rest), make.pair) == (make.operands[0], list(make.operands[1:]), make.results[0])
    assert first.pair is make.pair
    assert make.pair.type.second == i32


def test_names_stand_in_messages(mlc_opt: CommandLine, tmp_path: Path) -> None:
    (path := tmp_path / "n.irdl").write_text(_NAMED)
    text = 'func.func @f(%a: i32, %b: i64) {\n  %0 = "n.make"(%a, %b) : (i32, i64) -> !n.pair<i32, i32>\n  return\n}'
    done = mlc_opt(f"--irdl-file={path}", stdin=text)
    assert "<stdin>:2:8: error: 'n.make': operand 'rest' is of type i64; required: i32\n" in done.err
    done = mlc_opt(f"--irdl-file={path}", stdin="func.func private @f(!n.pair<i32>)")
    assert "'n.pair' has 2 parameters (first, second), got 1" in done.err
