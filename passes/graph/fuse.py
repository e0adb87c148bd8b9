"""The pass `fuse`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    AddOp,
    ConstantOp,
    ConvOp,
    ConvTransposeOp,
    FusionOp,
    GraphOp,
    MatmulOp,
    ReduceOp,
    SliceOp,
    YieldOp,
    constant_of,
    splat_of,
)
from mlc.dialects.graph.types import shape_of
from mlc.dialects.graph.windows import channel_dim
from mlc.pass_manager.base import Pass
from mlc.passes.graph._attention import attention_before
from mlc.passes.graph._blocks import graph_blocks
from mlc.passes.graph._grouping import Group, Grouping, producers
from mlc.support.context import CompilerContext
from mlc.support.ir import clone

_LONGEST_NAME = 48


@dataclass(frozen=True)
class FusePass(Pass):
    """Group ops that are computed together, element by element, into `graph.fusion`.

    ```mlir
    %0 = graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
    %1 = graph.add %0, %b : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
    %2 = graph.relu %1 : tensor<64x200xf32>
    // after
    %2 = graph.fusion "linear_relu" (%x1 = %x, %w1 = %w, %b1 = %b) : (...) -> tensor<64x200xf32> {
      ... the three ops, on the arguments
      graph.yield %1 : tensor<64x200xf32>
    }
    ```

    A contraction, pool, reduction or normalisation takes along the elementwise ops that follow it; elementwise ops
    group among themselves, and with the reduction or normalisation after them. Shapes of results must be equal, and
    nothing but the last result may be read outside. Constants come in as operands; those of one repeated number move
    inside. A softmax over a product of matrices that is multiplied with another one (attention) is one group.

    Transposes and slices, and reshapes between them, go to the op that reads what they moved if its subscripts can say
    where that was (`fold-moves` writes them), along contiguous memory; a transpose that nobody takes, or a pad, goes to
    the op that computes what it moves. It leaves alone other ops that move data, and elementwise ops *before* a
    contraction. Bodies of loops are fused as what stands around them is. The remarks tell, for each value that passes
    from op to op, why the two are or are not together.
    """

    name = "fuse"

    max_ops: int = 32
    """The most ops that one kernel takes."""
    attention: bool = True
    """Whether attention becomes one kernel, rather than one for each product and one for the softmax."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for block in graph_blocks(module):
            _fuse_block(block, Grouping(self.max_ops, self.attention), ctx)


def _fuse_block(block: Block, grouping: Grouping, ctx: CompilerContext) -> None:
    groups = grouping.group(block)
    names = {group: kernel_name(group.ops) for group in groups}
    for consumer in (op for op in block.ops if isinstance(op, GraphOp)):
        for producer in producers(consumer):
            group = grouping.group_of.get(consumer)
            if group is not None and group is grouping.group_of.get(producer):
                outcome = f"fused into {names[group]}"
            else:
                outcome = f"not fused: {grouping.why_separate(producer, consumer)}"
            ctx.remark(consumer, f"{producer.name} -> {consumer.name}: {outcome}", producer)
    for group in groups:
        if len(group.ops) > 1:
            _outline(group, names[group])


def _outline(group: Group, name: str) -> None:
    """Move the ops of a group into a `graph.fusion` where its last op is.

    Each slice gets an argument of its own, though several may cut one value up: a schedule packs arguments, and the
    queries, keys and values in one matrix are three things.
    """
    inside = set[Operation](group.ops)
    outside = dict.fromkeys(_source(v, op) for op in group.ops for v in op.operands if v.owner not in inside)
    constants = [c for v, _ in outside if (c := _inlined_constant(v)) is not None]
    inputs = [source for source in outside if _inlined_constant(source[0]) is None]
    body = Block(arg_types=[v.type for v, _ in inputs])
    mapping: dict[_Source, SSAValue] = dict(zip(inputs, body.args, strict=True))
    for (value, part), argument in mapping.items():
        argument.name_hint = value.name_hint if part is None else part.result.name_hint
    for constant in constants:
        copy = clone(constant)
        body.add_op(copy)
        mapping[constant.result, None] = copy.results[0]
    result = group.ops[-1].result
    fusion = FusionOp(name, [v for v, _ in inputs], [result.type], Region(body))
    fusion.location = group.ops[0].location
    fusion.results[0].name_hint = result.name_hint
    Rewriter.insert_op(fusion, InsertPoint.after(group.ops[-1]))
    result.replace_all_uses_with(fusion.results[0])
    for op in group.ops:
        op.detach()
        body.add_op(op)
        for i, operand in enumerate(op.operands):
            op.operands[i] = mapping.get(_source(operand, op), operand)
    body.add_op(YieldOp(result))
    for constant in constants:
        if constant.result.first_use is None:
            constant.detach()
            constant.erase()


_Source = tuple[SSAValue, SliceOp | None]
"""A value that a group reads, with the slice that it is read for."""


def _source(value: SSAValue, reader: Operation) -> _Source:
    return value, reader if isinstance(reader, SliceOp) and _inlined_constant(value) is None else None


def _inlined_constant(value: SSAValue) -> ConstantOp | None:
    """The constant behind `value`, if it is one number repeated, which a kernel holds in its code."""
    return None if splat_of(value) is None else constant_of(value)


def kernel_name(ops: Sequence[GraphOp]) -> str:
    """A name that says what a kernel computes: `linear_relu`; long ones are cut and tell how much is missing."""
    words = list(_words(ops))
    name = words[0]
    for i, word in enumerate(words[1:], 1):
        if len(name) + 1 + len(word) > _LONGEST_NAME:
            return f"{name}_and_{len(words) - i}_more"
        name = f"{name}_{word}"
    return name


def _words(ops: Sequence[GraphOp]) -> Iterator[str]:
    """One word per op, but `linear` for a matmul with its bias, `attention` for all of it, and none for moves."""
    computing = [op for op in ops if not op.MOVES]
    inside = set(computing)
    attention = {op for last in computing for op in attention_before(last) if inside.issuperset(attention_before(last))}
    if attention:
        yield "attention"
    ops = [op for op in computing if op not in attention] if computing else ops
    i = 0
    while i < len(ops):
        op, following = ops[i], ops[i + 1] if i + 1 < len(ops) else None
        is_biased = following is not None and _adds_bias(op, following)
        if isinstance(op, MatmulOp) and is_biased:
            yield "linear"
        elif isinstance(op, ReduceOp):
            yield op.kind.data.value
        else:
            yield op.name.removeprefix("graph.").replace(".", "_")
            if is_biased:
                yield "bias"
        i += 2 if is_biased else 1


def _adds_bias(op: GraphOp, following: GraphOp) -> bool:
    """Whether `following` adds one number per channel to the result of a contraction."""
    if not isinstance(op, MatmulOp | ConvOp | ConvTransposeOp) or not isinstance(following, AddOp):
        return False
    if following.lhs is op.result:
        bias = shape_of(following.rhs)
    elif following.rhs is op.result:
        bias = shape_of(following.lhs)
    else:
        return False
    rank = len(shape_of(op.result))
    channels = rank - 1 if isinstance(op, MatmulOp) else channel_dim(op.layout.data)
    aligned = (1,) * (rank - len(bias)) + bias
    return aligned[channels] == shape_of(op.result)[channels] == prod(bias)
