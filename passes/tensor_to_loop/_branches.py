"""Branches and loops on tensors become those of upstream, around ops on buffers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, i1
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.loop import LoadOp
from mlc.dialects.scf import IfOp as ScfIfOp
from mlc.dialects.tensor import IfOp, WhileOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._functions import allocate, buffer_type, destination
from mlc.passes.tensor_to_loop._yields import expect
from mlc.support.types import tensor_type


@lowers("convert-tensor-to-loop", IfOp)
class IfToBranches(StatelessPattern):
    """`scf.if`, both sides of which leave their results in the same buffers.

        %y = tensor.if %c using (%x) : … { … yield %a } else { … yield %b }
    ->
        %flag = loop.load %c[] : memref<i1>
        scf.if %flag { … } else { … }             // both compute %y
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, IfOp)
        results = [destination(rewriter, result) for result in op.outputs]
        bodies: list[Region] = []
        for region in (op.then, op.otherwise):
            block = Block()
            places = _move(region.block, block, op.captured)
            expect(_last(block), list(zip(places, results, strict=True)))
            block.add_op(scf.YieldOp())
            bodies.append(Region(block))
        flag = LoadOp(op.condition, [])
        rewriter.replace(op, [flag, ScfIfOp(flag.result, [], bodies[0], bodies[1])], results)


@lowers("convert-tensor-to-loop", WhileOp)
class WhileToLoop(StatelessPattern):
    """`scf.while`, which hands buffers on; what is carried has two that take turns, as in a scan.

        %y = tensor.while carry (%x) … { … yield %c } do { … yield %n }
    ->
        %y:3 = scf.while (%s = %x, %next = %a, %other = %b) : … {
          …                                       // computes %flag
          %c = loop.load %flag[] : memref<i1>
          scf.condition(%c) %s, %next, %other
        } do {
        ^bb0(%s, %next, %other):
          …                                       // computes %next
          scf.yield %next, %other, %next
        }
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, WhileOp)
        handed_on: list[SSAValue] = []
        for initial, result in zip(op.initial, op.outputs, strict=True):
            buffers = [rewriter.insert(allocate(buffer_type(tensor_type(result)))).memref for _ in range(2)]
            handed_on += [initial, *buffers]
        flag = rewriter.insert(allocate(MemRefType(i1, []))).memref
        types = [v.type for v in handed_on]
        before, after = Block(arg_types=types), Block(arg_types=types)
        yielded = _move(op.condition.block, before, [*before.args[::3], *op.captured])
        expect(_last(before), [(yielded[0], flag)])
        before.add_op(again := LoadOp(flag, []))
        before.add_op(scf.ConditionOp(again.result, *before.args))
        yielded = _move(op.body.block, after, [*after.args[::3], *op.captured])
        expect(_last(after), list(zip(yielded, after.args[1::3], strict=True)))
        turned = [
            v for this, other in zip(after.args[1::3], after.args[2::3], strict=True) for v in (this, other, this)
        ]
        after.add_op(scf.YieldOp(*turned))
        loop = scf.WhileOp(handed_on, types, Region(before), Region(after))
        loop.location = op.location
        rewriter.replace(op, loop, loop.res[::3])


def _move(source: Block, target: Block, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Move the ops of a body, with `values` for its arguments; returns what it yields."""
    last = source.last_op
    assert last is not None
    for argument, value in zip(source.args, values, strict=True):
        if value.owner is target:
            value.name_hint = argument.name_hint
        argument.replace_all_uses_with(value)
    for inner in list(source.ops):
        inner.detach()
        target.add_op(inner)
    return list(last.operands)


def _last(block: Block) -> YieldOp:
    last = block.last_op
    assert isinstance(last, YieldOp)
    return last
