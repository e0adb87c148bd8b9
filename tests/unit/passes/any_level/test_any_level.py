"""What lit tests of the passes for any level cannot see: locations, bounds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, f32
from xdsl.dialects.cf import BranchOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.dialects import graph
from mlc.dialects.graph.types import tensor
from mlc.pass_manager.registry import load_pass
from mlc.passes.any_level.canonicalize import CanonicalizePass
from mlc.passes.any_level.cse import CsePass
from mlc.passes.any_level.dce import DcePass
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug

_T = tensor((2, 3), f32)


def module_of(*blocks: Block) -> ModuleOp:
    """A module with one function of these blocks, the first of which takes the arguments."""
    return ModuleOp([FuncOp("main", (blocks[0].arg_types, [_T]), Region(blocks))])


@pytest.mark.parametrize(
    ("name", "level"),
    [("cse", None), ("dce", None), ("canonicalize", None), ("fuse", "graph"), ("convert-loop-to-llvm", "loop")],
)
def test_level_of_a_pass_is_its_folder(name: str, level: str | None) -> None:
    assert load_pass(name).ir_level == level


def test_canonicalize_keeps_the_location() -> None:
    block = Block(arg_types=[tensor((1, 6), f32)])
    op = graph.TransposeOp(block.args[0], (1, 0))
    op.location = FileLineColLoc(StringAttr("model.mlir"), IntAttr(7), IntAttr(3))
    block.add_ops([op, ReturnOp(op)])
    CanonicalizePass().run(module_of(block), CompilerContext())
    assert isinstance(block.first_op, graph.ReshapeOp)
    assert block.first_op.location == op.location


class _SwapForEver(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, graph.AddOp(op.operands[1], op.operands[0]))


def test_canonicalize_notices_patterns_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph.AddOp, "get_canonicalization_patterns", lambda: (_SwapForEver(),))
    block = Block(arg_types=[_T, _T])
    op = graph.AddOp(*block.args)
    block.add_ops([op, ReturnOp(op)])
    with pytest.raises(CompilerBug, match=r"'graph\.add' do not come to an end: the last one is _SwapForEver"):
        CanonicalizePass(max_rewrites_per_op=1).run(module_of(block), CompilerContext())


@pytest.mark.slow
def test_long_chains_of_blocks() -> None:
    """Neither recursion nor a search along the chain."""
    blocks = [Block(arg_types=[_T])] + [Block() for _ in range(3000)]
    x = blocks[0].args[0]
    for block, following in pairwise(blocks):
        block.add_ops([graph.ExpOp(x), graph.NegOp(x), BranchOp(following)])
    last = graph.ExpOp(x)
    blocks[-1].add_ops([last, ReturnOp(last)])
    module = module_of(*blocks)
    CsePass().run(module, CompilerContext())
    DcePass().run(module, CompilerContext())
    module.verify()
    assert [op.name for op in module.walk() if op.name.startswith("graph")] == ["graph.exp"]
