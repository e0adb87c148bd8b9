"""What lit tests of the graph passes cannot see: locations, resources, remarks, bounds."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import DenseResourceAttr, FileLineColLoc, IntAttr, ModuleOp, StringAttr, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from mlc.dialects import graph
from mlc.dialects.graph.types import tensor
from mlc.passes.graph.fold_constants import FoldConstantsPass
from mlc.passes.graph.fuse import FusePass, kernel_name
from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation

_T = tensor((2, 3), f32)


def module_of(*blocks: Block) -> ModuleOp:
    """A module with one function of these blocks, the first of which takes the arguments."""
    return ModuleOp([FuncOp("main", (blocks[0].arg_types, [_T]), Region(blocks))])


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
