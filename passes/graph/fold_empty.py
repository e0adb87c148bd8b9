"""The pass `fold-empty`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    ConcatOp,
    ConstantOp,
    FusionOp,
    Graph,
    GraphOp,
    IfOp,
    ScanOp,
    ScatterNdOp,
    WhileOp,
    YieldOp,
)
from mlc.dialects.graph.scan_parts import ScanParts
from mlc.dialects.graph.types import Tensor, is_static
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import constant_array, constant_from
from mlc.reference import graph as reference
from mlc.support.context import CompilerContext
from mlc.support.resources import Resources


@dataclass(frozen=True)
class FoldEmptyPass(Pass):
    """Replace tensors without elements by constants, and what is computed from nothing else by what it is.

    ```mlir
    %0 = graph.relu %x : tensor<0x8xf32>
    %1 = graph.concat %0, %y axis 0 : tensor<0x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    %2 = graph.matmul %a, %b : tensor<4x0xf32>, tensor<0x8xf32> -> tensor<4x8xf32>
    // after
    %1 = graph.concat %y axis 0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %2 = graph.constant dense<0.0> : tensor<4x8xf32>
    ```

    Of a tensor with an extent of 0 everything is known. So an op whose results have no elements needs not run, and one
    whose operands have none, or are constants, gives what its reference says: sums of nothing are 0, products 1, and
    the greatest of nothing is the least value of its type. A concatenation leaves out such operands, and a scatter of
    nothing is its data. Kernels (`graph.fusion`) that have such operands or results are opened. After this pass the
    only tensors without elements are arguments of functions and constants that they return, which all passes take.
    """

    name = "fold-empty"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, FusionOp) and any(_is_empty(v.type) for v in (*op.operands, *op.results)):
                _open(op)
        for op in module.walk():
            if isinstance(op, FuncOp):
                for block in op.body.blocks:
                    _BlockFolding(ctx.resources, block).fold()


def _is_empty(kind: Attribute) -> bool:
    return is_static(kind) and 0 in cast(Tensor, kind).get_shape()


def _open(fusion: FusionOp) -> None:
    """Put the ops of a kernel in its place."""
    body = fusion.body.block
    for argument, operand in zip(body.args, fusion.inputs, strict=True):
        argument.replace_all_uses_with(operand)
    results = list(fusion.results_inside)
    end = body.last_op
    assert end is not None
    Rewriter.erase_op(end)
    for op in list(body.ops):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(fusion))
    Rewriter.replace_op(fusion, [], results)


@dataclass
class _BlockFolding:
    """The folding of one block."""

    resources: Resources
    block: Block
    constants: dict[Attribute, SSAValue] = field(default_factory=dict[Attribute, SSAValue])
    """The constants without elements, by type."""

    def fold(self) -> None:
        """Fold the ops of the block in program order, and those inside of them."""
        for op in list(self.block.ops):
            is_of_graph = _is_of_graph(op)
            if not is_of_graph and op is not self.block.last_op:
                continue
            for i, value in enumerate(op.operands):
                if _is_empty(value.type) and _may_be_graph(value):
                    op.operands[i] = self._empty(value.type)
            if not is_of_graph:
                continue
            for result in op.results:
                if _is_empty(result.type) and result.uses:
                    result.replace_all_uses_with(self._empty(result.type))
            if op.results and all(_is_empty(result.type) for result in op.results):
                Rewriter.erase_op(op)
            elif isinstance(op, ScanOp):
                self._simplify_scan(op)
            elif isinstance(op, IfOp | WhileOp):
                self._simplify_branches(op)
            elif op.regions:
                self._fold_regions(op)
            elif isinstance(op, GraphOp) and any(_is_empty(v.type) for v in op.operands):
                self._simplify(op)
        self.drop_unused()

    def drop_unused(self) -> None:
        """Erase the constants that were made in vain."""
        for kind, constant in list(self.constants.items()):
            if not constant.uses:
                Rewriter.erase_op(cast(Operation, constant.owner))
                del self.constants[kind]

    def _fold_regions(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                _BlockFolding(self.resources, block).fold()

    def _empty(self, kind: Attribute) -> SSAValue:
        if kind not in self.constants:
            op = ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, kind), cast("list[int]", [])))
            Rewriter.insert_op(op, InsertPoint.at_start(self.block))
            self.constants[kind] = op.result
        return self.constants[kind]

    def _simplify_scan(self, op: ScanOp) -> None:
        """Leave out what has no elements of what is carried, taken, used and stacked."""
        if op.steps == 0:
            Rewriter.replace_op(op, [], [*op.initial, *(None for _ in op.stacks)])
            return
        body = _BlockFolding(self.resources, op.body.block)
        body.fold()
        if not any(_is_empty(v.type) for v in (*op.operands, *op.results)):
            return
        parts = ScanParts(op)
        parts.carried = [c for c in parts.carried if not _is_empty(c.inside.type)]
        parts.rows = [r for r in parts.rows if not _is_empty(r.inside.type)]
        parts.used = [u for u in parts.used if not _is_empty(u.inside.type)]
        parts.stacks = [s for s in parts.stacks if not _is_empty(s.row.type)]
        parts.rebuild(PatternRewriter(op))
        body.drop_unused()

    def _simplify_branches(self, op: IfOp | WhileOp) -> None:
        """Leave out what has no elements of what is carried, used and given."""
        bodies = [_BlockFolding(self.resources, region.block) for region in op.regions]
        for body in bodies:
            body.fold()
        if not any(_is_empty(v.type) for v in (*op.operands, *op.results)):
            return
        for body in bodies:
            last = body.block.last_op
            assert last is not None
            last.operands = [v for v in last.operands if not _is_empty(v.type)]
            for argument in [a for a in body.block.args if _is_empty(a.type)]:
                body.block.erase_arg(argument)
            body.drop_unused()
        captured = [v for v in op.captured if not _is_empty(v.type)]
        kept = [result for result in op.outputs if not _is_empty(result.type)]
        first, second = (op.detach_region(region) for region in list(op.regions))
        if isinstance(op, IfOp):
            new: IfOp | WhileOp = IfOp(op.condition, captured, [r.type for r in kept], first, second)
        else:
            new = WhileOp([v for v in op.initial if not _is_empty(v.type)], captured, first, second)
        new.location = op.location
        results: dict[SSAValue, SSAValue] = dict(zip(kept, new.outputs, strict=True))
        Rewriter.replace_op(op, new, [results.get(result) for result in op.outputs])

    def _simplify(self, op: GraphOp) -> None:
        """An op with operands that have no elements, and a result that has some."""
        new: GraphOp | ConstantOp | None = None
        if isinstance(op, ScatterNdOp):
            Rewriter.replace_op(op, [], [op.data])
        elif isinstance(op, ConcatOp):
            new = ConcatOp([v for v in op.operands if not _is_empty(v.type)], op.axis.value.data)
        elif (arrays := list(self._arrays(op))) and len(arrays) == len(op.operands):
            with np.errstate(all="ignore"):
                (result,) = reference.evaluate(op, arrays)
            new = self._constant(result, op)
        if new is not None:
            new.location, new.result.name_hint = op.location, op.result.name_hint
            Rewriter.replace_op(op, new)

    def _arrays(self, op: GraphOp) -> Iterator[Any]:
        for value in op.operands:
            if isinstance(value.owner, ConstantOp):
                array = constant_array(value.owner, self.resources)
                if array is not None:
                    yield array

    def _constant(self, array: Any, op: GraphOp) -> ConstantOp:
        first = array.reshape(-1)[0]
        if np.all((array == first) | ((array != array) & (first != first))):
            dense = DenseIntOrFPElementsAttr.from_list(cast(Any, op.result.type), [first.item()])
            return ConstantOp(dense)
        return constant_from(array, op.result.type, self.resources, op.result.name_hint or "constant")


def _may_be_graph(value: SSAValue) -> bool:
    """Whether a value is computed at the graph level, or given; ops of upstream stay until they are converted."""
    return not isinstance(value.owner, Operation) or _is_of_graph(value.owner)


def _is_of_graph(op: Operation) -> bool:
    """Whether it is an op of the graph dialect that computes something: these have no effects."""
    return op.name.startswith(f"{Graph.name}.") and not isinstance(op, ConstantOp | YieldOp)
