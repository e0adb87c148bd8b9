"""What lit tests of the graph passes cannot see: locations, resources, remarks, bounds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseResourceAttr, FileLineColLoc, IntAttr, ModuleOp, StringAttr, f32
from xdsl.dialects.cf import BranchOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.dialects import graph
from mlc.dialects.graph.types import tensor
from mlc.passes.graph.canonicalize import CanonicalizePass
from mlc.passes.graph.cse import CsePass
from mlc.passes.graph.dce import DcePass
from mlc.passes.graph.fold_constants import FoldConstantsPass
from mlc.passes.graph.fuse import FusePass, kernel_name
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, SourceLocation

_T = tensor((2, 3), f32)


def module_of(*blocks: Block) -> ModuleOp:
    """A module with one function of these blocks, the first of which takes the arguments."""
    return ModuleOp([FuncOp("main", (blocks[0].arg_types, [_T]), Region(blocks))])


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
    with pytest.raises(CompilerBug, match=r"patterns of 'graph\.add' do not come to an end"):
        CanonicalizePass(max_rewrites_per_op=1).run(module_of(block), CompilerContext())


def test_fold_constants_stores_only_what_is_needed() -> None:
    ctx = CompilerContext()
    ctx.resources.define("w", np.arange(6, dtype=np.float32).reshape(3, 2))
    block = Block()
    w = graph.ConstantOp(DenseResourceAttr.from_params("w", tensor((3, 2), f32)))
    first = graph.TransposeOp(w, (1, 0))
    second = graph.AddOp(first, first)
    block.add_ops([w, first, second, ReturnOp(second)])
    FoldConstantsPass().run(module_of(block), ctx)
    assert [op.name for op in block.ops] == ["graph.constant", "func.return"]
    assert ctx.resources.names() == ["w", "w.add"]
    np.testing.assert_array_equal(ctx.resources.array("w.add"), [[0, 4, 8], [2, 6, 10]])


def test_fold_constants_leaves_data_that_is_not_loaded() -> None:
    block = Block()
    w = graph.ConstantOp(DenseResourceAttr.from_params("elsewhere", _T))
    op = graph.NegOp(w)
    block.add_ops([w, op, ReturnOp(op)])
    FoldConstantsPass().run(module_of(block), CompilerContext())
    assert [op.name for op in block.ops] == ["graph.constant", "graph.neg", "func.return"]


def test_fuse_places_remarks() -> None:
    block = Block(arg_types=[_T])
    first = graph.ExpOp(block.args[0])
    second = graph.LogOp(first)
    second.location = FileLineColLoc(StringAttr("model.mlir"), IntAttr(4), IntAttr(1))
    block.add_ops([first, second, ReturnOp(second)])
    ctx = CompilerContext()
    FusePass().run(module_of(block), ctx)
    (remark,) = ctx.remarks
    assert remark.message == "graph.exp -> graph.log: fused into exp_log"
    assert remark.location == SourceLocation("model.mlir", 4, 1)


def test_kernel_names_have_a_bound() -> None:
    block = Block(arg_types=[_T])
    ops: list[graph.GraphOp] = []
    for _ in range(20):
        ops.append(graph.SigmoidOp(ops[-1] if ops else block.args[0]))
    assert kernel_name(ops) == "sigmoid_sigmoid_sigmoid_sigmoid_sigmoid_sigmoid_and_14_more"


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
