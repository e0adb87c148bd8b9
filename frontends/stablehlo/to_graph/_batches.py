"""Ops that compute one result for each element of a batch, of which a call says how long it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph.types import shape_of
from mlc.dialects.stablehlo import hlo
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part, number_of
from mlc.frontends.operators.open_shapes import largest, require_fixed, shape_sizes
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize
from mlc.frontends.stablehlo.to_graph._calls import HloCall, convert_ops


def is_open(b: HloCall) -> bool:
    """Whether a dim of an operand ends at an extent of the call."""
    return any(b.knowledge.extents.get(v) for operand in b.op.operands for v in number_of(b.run.number(operand)))


def of_whole_batch(b: HloCall, rank: int, operands: int) -> list[RealOrPair]:
    """The results of an op that treats each element of a batch, the first `rank` dims of its first `operands` operands
    and of all results, alike: of zeros after the data, as many as there may be, and data as far as a call says.

    Raises:
        Unconvertible: other dims end at extents of the call, or batches differ.
    """
    sizes = shape_sizes(b, number_of(b.operand(0))[0])[:rank]
    taken: list[SSAValue] = []
    helpers: list[Operation] = []
    for i, value in enumerate(b.op.operands):
        number = b.run.number(value)
        for part in number_of(number) if i < operands else ():
            require_fixed(b, part, f"operand {i}", range(rank, len(shape_of(part))))
            if shape_sizes(b, part)[:rank] != sizes:
                raise Unconvertible(f"the batch of operand {i} has other extents than that of operand 0")
        whole = each_part(number, lambda part: filled(b, part, 0, range(rank))) if i < operands else number
        if isinstance(whole, Pair):
            stands_for = hlo("optimization_barrier").create(operands=[value], result_types=[_known(value, sizes)])
            Rewriter.insert_op(stands_for, InsertPoint.before(b.before))
            helpers.append(stands_for)
            b.run.pairs[stands_for.results[0]] = whole
        taken.append(helpers[-1].results[0] if isinstance(whole, Pair) else whole)
    types = [_known(result, sizes) for result in b.op.results]
    op = type(b.op).create(
        operands=taken, result_types=types, properties=dict(b.op.properties), attributes=dict(b.op.attributes)
    )
    refused, replaced = len(b.run.refused), len(b.run.replaced)
    Rewriter.insert_op(op, InsertPoint.before(b.before))
    found = convert_ops(b.run, [op], op.results, b.before, refused, replaced)
    for helper in helpers:
        Rewriter.erase_op(helper)
    return [each_part(number, lambda part: b.sized(part, dict(enumerate(sizes)))) for number in found]


def _known(value: SSAValue, batch: Sequence[AnySize]) -> Attribute:
    """The type of a value whose batch is as long as it may be."""
    kind = cast("TensorType[Any]", value.type)
    shape = kind.get_shape()
    return TensorType(kind.element_type, (*largest(batch[: len(shape)]), *shape[len(batch) :]))
