"""Bodies of `graph.if` and `graph.while` that hold operators of PyTorch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import aten, graph
from mlc.dialects.graph.types import tensor
from mlc.frontends.operators.complex_values import ConversionOfPairs
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.to_graph import erase_unused


@dataclass
class CountingConversion(ConversionOfPairs):
    """A conversion that may count elements that torch does not take."""

    wrong: list[SSAValue] | None = None
    """How many elements of arguments are none that torch takes, an i64 for each argument; None if nobody asks."""

    @abstractmethod
    def lower(self, ops: Iterable[Operation]) -> None:
        """Convert ops, in program order."""


def convert_bodies(run: CountingConversion, op: graph.IfOp | graph.WhileOp) -> None:
    """Convert the bodies of an op. If elements are counted that torch does not take, those of the branch that is
    taken count, and those of all steps; the condition of a loop, which yields nothing else, has no place for them."""
    if any(map(run.is_lost, op.operands)):
        run.lose(op)
        return
    refused, outside, repeated = len(run.refused), run.wrong, run.knowledge.repeated
    run.knowledge.repeated = repeated or isinstance(op, graph.WhileOp)
    counts: list[list[SSAValue]] = []
    for region in op.regions:
        is_condition = isinstance(op, graph.WhileOp) and region is op.condition
        run.wrong = None if outside is None or is_condition else []
        run.lower(region.block.ops)
        counts.append(run.wrong or [])
    run.wrong, run.knowledge.repeated = outside, repeated
    if len(run.refused) > refused or any(run.is_lost(v) for each in op.regions for v in _end(each.block).operands):
        run.lose(op)
        return
    blocks = [region.block for region in op.regions]
    if outside is not None and any(counts):
        outside.append(_with_count(run, op, counts))
    for block in blocks:
        erase_unused(block, lambda each: isinstance(each, aten.AtenOp))


def _end(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op


def _with_count(
    run: CountingConversion, op: graph.IfOp | graph.WhileOp, counts: Sequence[Sequence[SSAValue]]
) -> SSAValue:
    """The op with one more result, after the others: the sum of what the bodies count, an i64."""
    first, second = (op.detach_region(region) for region in list(op.regions))
    if isinstance(op, graph.IfOp):
        for region, each in zip((first, second), counts, strict=True):
            _yield_sum(run, region.block, each)
        types = [*op.result_types, tensor((), i64)]
        made: graph.IfOp | graph.WhileOp = graph.IfOp(op.condition, op.captured, types, first, second)
    else:
        place = len(op.initial)
        counted = [region.block.insert_arg(tensor((), i64), place) for region in (first, second)][1]
        _yield_sum(run, second.block, [counted, *counts[1]])
        start = GraphBuilder(op, run.knowledge).constant(0)
        made = graph.WhileOp([*op.initial, start], op.captured, first, second)
    made.location = op.location
    Rewriter.insert_op(made, InsertPoint.before(op))
    for old, new in zip(op.results, made.results, strict=False):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)
    return made.results[-1]


def _yield_sum(run: CountingConversion, block: Block, counts: Sequence[SSAValue]) -> None:
    end = _end(block)
    b = GraphBuilder(end, run.knowledge)
    total = b.constant(0)
    for each in counts:
        total = b.add(total, each)
    end.operands = [*end.operands, total]
