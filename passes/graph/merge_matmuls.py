"""The pass `merge-matmuls`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import AddOp, ConstantOp, GraphOp, MatmulOp, MoveOp, SliceOp, constant_of
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.passes.base import Pass
from mlc.passes.graph._attention import attention_before
from mlc.passes.graph._blocks import graph_blocks
from mlc.passes.graph._constants import constant_array, constant_from, resource_name
from mlc.passes.graph._movers import why_not_folded
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class MergeMatmulsPass(Pass):
    """Multiply a matrix with several constant ones at once: the queries, keys and values of attention.

    ```mlir
    %q = graph.matmul %x, %wq : tensor<128x384xf32>, tensor<384x384xf32> -> tensor<128x384xf32>
    %k = graph.matmul %x, %wk : ...
    // after, with %wq and %wk side by side in %w
    %0 = graph.matmul %x, %w : tensor<128x384xf32>, tensor<384x768xf32> -> tensor<128x768xf32>
    %q = graph.slice %0 starts [0, 0] ends [128, 384] strides [1, 1] : ...
    %k = graph.slice %0 starts [0, 384] ends [128, 768] strides [1, 1] : ...
    ```

    Biases are put side by side too. That pays only if no slice is ever made: each result has one reader, a product of
    matrices or an op along rows, and this can read it where it lies, through whatever transposes and reshapes there are
    (see `fuse`). Results that elementwise ops read are left alone, because these belong into the kernel of the product.

    No -O level runs it: where each product is at the machine's limit already, one large one is not faster.
    """

    name = "merge-matmuls"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for block in graph_blocks(module):
            for siblings in _siblings(block, ctx):
                _merge(siblings, ctx)


@dataclass(frozen=True)
class _Linear:
    """A product with a constant matrix, with or without a constant bias."""

    matmul: MatmulOp
    weights: ConstantOp
    add: AddOp | None
    bias: ConstantOp | None

    @property
    def last(self) -> GraphOp:
        """The op that computes the result."""
        return self.add or self.matmul

    @property
    def columns(self) -> int:
        return shape_of(self.weights.result)[1]


def _siblings(block: Block, ctx: CompilerContext) -> list[list[_Linear]]:
    """The products of a block that can be merged, by what is multiplied."""
    strided: set[SSAValue] = set()
    for op in block.ops:
        if isinstance(op, GraphOp) and (attention := attention_before(op)):
            strided.add(attention[0].operands[1])
    groups: dict[tuple[SSAValue, bool], list[_Linear]] = {}
    for op in block.ops:
        if isinstance(op, MatmulOp) and (linear := _linear(op, ctx)) is not None and _reads_in_place(linear, strided):
            groups.setdefault((op.lhs, linear.bias is None), []).append(linear)
    return [group for group in groups.values() if len(group) > 1]


def _linear(op: MatmulOp, ctx: CompilerContext) -> _Linear | None:
    """`op` with its bias, if its weights, and the bias, are constants that nobody else reads."""
    weights = constant_of(op.rhs)
    if weights is None or not _is_own(weights, ctx) or len(shape_of(op.rhs)) != 2 or not is_static(op.lhs.type):
        return None
    reader = op.result.get_user_of_unique_use()
    if isinstance(reader, AddOp) and reader.result.type == op.result.type and reader.parent is op.parent:
        bias = constant_of(reader.rhs if reader.lhs is op.result else reader.lhs)
        if bias is not None and shape_of(bias.result) == shape_of(op.rhs)[1:] and _is_own(bias, ctx):
            return _Linear(op, weights, reader, bias)
    return _Linear(op, weights, None, None)


def _is_own(constant: ConstantOp, ctx: CompilerContext) -> bool:
    return constant.result.has_one_use() and constant_array(constant, ctx.resources) is not None


def _reads_in_place(linear: _Linear, strided: set[SSAValue]) -> bool:
    """Whether the one reader of the result could read a part of a wider matrix just as well."""
    moves: list[MoveOp] = []
    value: SSAValue = linear.last.result
    reader: Operation | None = value.get_user_of_unique_use()
    while isinstance(reader, MoveOp) and reader.parent is linear.last.parent:
        moves.insert(0, reader)
        value = reader.result
        reader = value.get_user_of_unique_use()
    if not isinstance(reader, GraphOp) or reader.MAPS or not reader.WHOLE_AXES or not is_static(value.type):
        return False
    return not moves or why_not_folded(moves, value in strided) is None


def _merge(siblings: Sequence[_Linear], ctx: CompilerContext) -> None:
    first = siblings[0].matmul
    for linear in siblings[1:]:
        ctx.remark(linear.matmul, f"merged with {len(siblings) - 1} other products of the same matrix")
    weights = _side_by_side([linear.weights for linear in siblings], ctx)
    matmul = MatmulOp(first.lhs, weights.result)
    ops: list[Operation] = [weights, matmul]
    wide: SSAValue = matmul.result
    if siblings[0].bias is not None:
        bias = _side_by_side([linear.bias for linear in siblings if linear.bias is not None], ctx)
        add = AddOp(wide, bias.result)
        ops += [bias, add]
        wide = add.result
    start = 0
    *rows, _ = shape_of(wide)
    for linear in siblings:
        end = start + linear.columns
        part = SliceOp(wide, [*(0 for _ in rows), start], [*rows, end])
        part.result.name_hint = linear.last.result.name_hint
        linear.last.result.replace_all_uses_with(part.result)
        ops.append(part)
        start = end
    for op in ops:
        op.location = first.location
    Rewriter.insert_op(ops, InsertPoint.before(first))
    for linear in siblings:
        for dead in (linear.add, linear.matmul, linear.bias, linear.weights):
            if dead is not None:
                Rewriter.erase_op(dead)


def _side_by_side(constants: Sequence[ConstantOp], ctx: CompilerContext) -> ConstantOp:
    """One constant that holds several along the last axis."""
    arrays = [constant_array(c, ctx.resources) for c in constants]
    array = np.concatenate([a for a in arrays if a is not None], axis=-1)
    name = next((n for c in constants if (n := resource_name(c))), "") or constants[0].result.name_hint or "constant"
    merged = constant_from(array, tensor(array.shape, element_of(constants[0].result)), ctx.resources, f"{name}.merged")
    merged.result.name_hint = constants[0].result.name_hint
    return merged
