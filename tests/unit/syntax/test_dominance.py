"""Uses that their definitions do not reach."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from mlc.support.errors import UserError
from mlc.syntax import verify_module

from .conftest import Syntax

DIAMOND = """\
func.func @f(%c: i1, %a: f32) -> f32 {{
  cf.cond_br %c, ^left, ^right
^left:
  %x = arith.addf %a, %a : f32
  cf.br ^join
^right:
  {right}
  cf.br ^join
^join:
  return {result} : f32
}}
"""


def test_a_definition_on_every_path(syntax: Syntax) -> None:
    syntax.parse(DIAMOND.format(right="%y = arith.addf %a, %a : f32", result="%a"))


@pytest.mark.parametrize("right", ["%y = arith.addf %a, %a : f32", "%y = arith.addf %x, %a : f32"])
def test_a_definition_on_one_path_only(right: str, syntax: Syntax) -> None:
    found = syntax.errors(DIAMOND.format(right=right, result="%x"))
    assert "10:10 'func.return': operand '%x' is used where its definition does not reach" in found
    assert "4:8 note: defined here" in found


def test_use_before_definition_in_a_block(syntax: Syntax) -> None:
    text = "func.func @f(%a: f32) {\n  %y = arith.addf %a, %z : f32\n  %z = arith.addf %a, %a : f32\n  return\n}"
    assert syntax.errors(text) == [
        "2:23 'arith.addf': operand '%z' is used where its definition does not reach",
        "3:8 note: defined here",
    ]


def test_values_of_an_inner_region_do_not_leave_it(syntax: Syntax) -> None:
    text = "func.func @f(%c: i1) -> i32 {\n  scf.if %c {\n    %x = arith.constant 1 : i32\n  }\n  return %x : i32\n}"
    assert syntax.errors(text) == ["5:10 value '%x' is not defined"]


def test_loops_and_unreachable_blocks(syntax: Syntax) -> None:
    syntax.parse(
        """\
func.func @f(%n: index, %a: index) -> index {
  cf.br ^loop(%a : index)
^loop(%i: index):
  %next = arith.addi %i, %n : index
  %more = arith.cmpi ult, %next, %n : index
  cf.cond_br %more, ^loop(%next : index), ^done
^unreachable:
  %z = arith.addi %next, %n : index
  cf.br ^done
^done:
  return %next : index
}
"""
    )


def test_many_blocks_take_linear_time(syntax: Syntax) -> None:
    blocks = "".join(f"^b{i}:\n  %v{i} = arith.addi %n, %n : index\n  cf.br ^b{i + 1}\n" for i in range(3000))
    syntax.parse(f"func.func @f(%n: index) -> index {{\n  cf.br ^b0\n{blocks}^b3000:\n  return %v0 : index\n}}")


def test_ir_that_no_text_made() -> None:
    late = test.TestOp(result_types=[i32])
    early = test.TestOp(operands=[late.results[0]])
    function = FuncOp("f", ((), ()), Region(Block([early, late, ReturnOp()])))
    with pytest.raises(UserError, match=r"'test\.op': operand number 0 is used where its definition does not reach"):
        verify_module(ModuleOp([function]))
