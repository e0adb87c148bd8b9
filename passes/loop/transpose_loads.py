"""`transpose-loads`: turn loads down neighbouring columns into loads of rows and shuffles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, VectorType, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from mlc.analysis.memory_accesses import base_of
from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import CONSECUTIVE, ForOp, Lanes, LoadOp, StoreOp
from mlc.pass_manager.base import Pass
from mlc.passes.loop._transposition import transposed
from mlc.support.affine import simplify_sum, split_constant
from mlc.support.context import CompilerContext
from mlc.support.types import Vector, vector_type

_Key = tuple[SSAValue, tuple[SSAValue, ...], tuple[AffineExpr | None, ...], Lanes, Attribute]
"""What the columns of one block have in common: all but a constant in the last subscript."""


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


@dataclass
class _Columns:
    """The loads of a block so far that may be moved to where the first of their kind stands."""

    groups: dict[_Key, dict[int, LoadOp]] = field(default_factory=dict[_Key, dict[int, LoadOp]])

    def visit(self, block: Block) -> None:
        """Rewrite the loads of one block."""
        for op in list(block.ops):
            if isinstance(op, LoadOp):
                self._add(op)
            elif isinstance(op, StoreOp):
                self._finish(written=base_of(op.memref))
            elif op.regions or not is_side_effect_free(op):
                self._finish()
        self._finish()

    def _add(self, op: LoadOp) -> None:
        kind = vector_type(op.result.type)
        if op.is_consecutive or op.lanes.along is None or kind is None or kind.element_type == i1:
            return
        if kind.get_shape()[0].bit_count() != 1:
            return  # shuffles halve vectors
        *outer, last = op.map.data.results
        terms, constant = split_constant(last)
        key = (op.memref, tuple(op.indices), (*outer, terms), op.lanes, op.result.type)
        group = self.groups.setdefault(key, {})
        if constant in group:
            Rewriter.replace_op(op, [], [group[constant].result])
        else:
            group[constant] = op

    def _finish(self, written: SSAValue | None = None) -> None:
        """Rewrite the groups that a write to `written`, or to anything, ends."""
        for key, group in list(self.groups.items()):
            if written is None or base_of(key[0]) is written:
                del self.groups[key]
                place = {op: number for number, op in enumerate(group.values())}
                for columns in _neighbours(group):
                    _load_by_rows(columns, before=min(columns, key=place.__getitem__))


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
    row: Vector = VectorType(kind.element_type, [width])
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
