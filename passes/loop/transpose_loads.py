"""`transpose-loads`: turn loads down neighbouring columns into loads of rows and shuffles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import CONSECUTIVE, ForOp, Lanes, LoadOp
from mlc.pass_manager.base import Pass
from mlc.passes.loop._load_groups import LoadGroups
from mlc.passes.loop._transposition import transposed
from mlc.support.affine import simplify_sum
from mlc.support.context import CompilerContext
from mlc.support.types import Vector, vector_of, vector_type


@dataclass(frozen=True)
class TransposeLoadsPass(Pass):
    """Load blocks by rows where straight-line code loads them by columns.

        a = x[n, m] along 0 : vector<4>             r0 = x[n, m] : vector<4>, …, r3 = x[n + 3, m] : vector<4>
        b = x[n, m + 1] along 0 : vector<4>   ->    a, b, c, d = the columns of r0, …, r3, by shuffles
        …
        d = x[n, m + 3] along 0 : vector<4>

    Lane by lane, sixteen loads become four, and eight shuffles. Columns that have no neighbour stay as they are, and so
    do those of i1, whose vectors are not vectors of bytes. Schedules make such code of a transposition: tile both dims,
    vectorize one and unroll the other.
    """

    name = "transpose-loads"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        for function in functions_with_loops(module):
            holders = [op for op in function.walk() if isinstance(op, ForOp | FuncOp)]
            for block in [block for op in holders for region in op.regions for block in region.blocks]:
                _Columns().visit(block)


class _Columns(LoadGroups):
    """Loads down columns, as many at a time as their vectors have lanes."""

    def takes(self, op: LoadOp) -> bool:
        kind = vector_type(op.result.type)
        if op.is_consecutive or op.lanes.along is None or kind is None or kind.element_type == i1:
            return False
        return kind.get_shape()[0].bit_count() == 1  # shuffles halve vectors

    def parts(self, group: Mapping[int, LoadOp]) -> Iterator[list[LoadOp]]:
        return _neighbours(group)

    def replace(self, loads: Sequence[LoadOp], before: LoadOp) -> None:
        _load_by_rows(loads, before)


def _neighbours(group: Mapping[int, LoadOp]) -> Iterator[list[LoadOp]]:
    """Loads of columns that follow each other, as many at a time as the vectors have lanes; at least two."""
    chunk: list[LoadOp] = []
    previous = None
    for constant, op in sorted(group.items()):
        kind = vector_type(op.result.type)
        assert kind is not None
        if chunk and (constant - 1 != previous or len(chunk) == kind.get_shape()[0]):
            if len(chunk) > 1:
                yield chunk
            chunk = []
        chunk.append(op)
        previous = constant
    if len(chunk) > 1:
        yield chunk


def _load_by_rows(columns: Sequence[LoadOp], before: LoadOp) -> None:
    """Replace loads of neighbouring columns, leftmost first, by ops that stand at the first of them in the program."""
    kind = vector_type(columns[0].result.type)
    assert kind is not None
    (length,) = kind.get_shape()
    width = 1 << (len(columns) - 1).bit_length()
    row: Vector = vector_of(kind.element_type, width)
    active = columns[0].lanes.active
    new: list[Operation] = [_row(columns, number, row) for number in range(length if active is None else active)]
    rows: list[SSAValue] = [op.results[0] for op in new]
    if len(rows) < length:
        new.append(zero := arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(row, [0])))
        rows += [zero.result] * (length - len(rows))
    shuffles, results = transposed(rows)
    Rewriter.insert_op([*new, *shuffles], InsertPoint.before(before))
    for column, result in zip(columns, results, strict=False):
        Rewriter.replace_op(column, [], [result])


def _row(columns: Sequence[LoadOp], number: int, kind: Vector) -> LoadOp:
    """The load of what the lane `number` of all columns needs."""
    first = columns[0]
    along, stride = first.lanes.along, first.lanes.stride
    assert along is not None
    subscripts = list(first.map.data.results)
    subscripts[along] = simplify_sum(subscripts[along] + number * stride)
    (width,) = kind.get_shape()
    lanes = CONSECUTIVE if len(columns) == width else Lanes(active=len(columns))
    affine = AffineMap(len(first.indices), 0, tuple(subscripts))
    load = LoadOp(first.memref, first.indices, affine, kind, lanes)
    load.location = first.location
    return load
