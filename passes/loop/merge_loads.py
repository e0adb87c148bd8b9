"""`merge-loads`: words that dot products take from lanes are loaded a register at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, VectorType, f32, i32, i64
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import DotOp, LoadOp
from mlc.dialects.loop.dot import WORD_BITS, WORDS
from mlc.pass_manager.base import Pass
from mlc.passes.loop._load_groups import LoadGroups
from mlc.support.context import CompilerContext
from mlc.support.dtypes import HALVES, to_numpy
from mlc.support.types import Vector, element_type, vector_of, vector_type
from mlc.targets.machine import resolve_target


@dataclass(frozen=True)
class MergeLoadsPass(Pass):
    """Load neighbouring words at once where a dot product takes one of them from a lane, for all of its own lanes.

        %a = loop.load %x[%m, %k] : memref<8x64xi8>, vector<4xi8>
        %b = loop.load %x[%m, %k + 4] : memref<8x64xi8>, vector<4xi8>
        %c = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %d = vector.extract %c[0] : i32 from vector<1xi32>
        %e = vector.broadcast %d : i32 to vector<4xi32>             // and the same of %b
    ->
        %r = loop.load %x[%m, %k] : memref<8x64xi8>, vector<8xi8>
        %s = vector.bitcast %r : vector<8xi8> to vector<2xi32>
        %e = vector.shuffle %s, %s [0, 0, 0, 0]                     // and [1, 1, 1, 1]

    On ARM a load into all lanes takes a turn of the vector units, and one of a register does not. A factor from a lane
    becomes the second one, where instructions have it. Targets without such instructions are left alone. Long words,
    of i64, are merged in the same way.
    """

    name = "merge-loads"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        bits: int | None = None
        for function in functions_with_loops(module):
            for block in [b for op in function.walk() for region in op.regions for b in region.blocks]:
                if not any(isinstance(op, DotOp) for op in block.ops):
                    continue
                bits = bits or WORD_BITS * resolve_target(ctx.target).words_per_load()
                if bits == WORD_BITS:
                    return
                _Words(bits).visit(block)


@dataclass
class _Words(LoadGroups):
    """Loads of words, up to a register of them."""

    bits: int
    """The width of a register."""

    def takes(self, op: LoadOp) -> bool:
        return op.is_consecutive and op.lanes.active is None and len(_words_of(op)) > 0

    def parts(self, group: Mapping[int, LoadOp]) -> Iterator[list[LoadOp]]:
        return _neighbours(group, self.bits)

    def replace(self, loads: Sequence[LoadOp], before: LoadOp) -> None:
        _load_together(loads, before)


def _words_of(op: LoadOp) -> list[vector.ExtractOp]:
    """What takes the numbers that are loaded as one word, for all lanes; nothing if something else takes them."""
    kind, found = vector_type(op.result.type), list[vector.ExtractOp]()
    if kind is None or kind.get_num_dims() != 1 or (word := WORDS.get(_bits_of(kind))) is None:
        return []
    for use in op.result.uses:
        if not isinstance(cast := use.operation, vector.BitcastOp) or cast.result.type != VectorType(word, [1]):
            return []
        for other in cast.result.uses:
            taken = other.operation
            if not isinstance(taken, vector.ExtractOp):
                return []
            if not all(isinstance(each.operation, vector.BroadcastOp) for each in taken.result.uses):
                return []
            found.append(taken)
    return found


def _bits_of(kind: Vector) -> int:
    """The width of a vector of numbers."""
    return kind.get_shape()[0] * 8 * to_numpy(kind.element_type).itemsize


def _neighbours(group: Mapping[int, LoadOp], bits: int) -> Iterator[list[LoadOp]]:
    """Loads of words that follow each other, two, four, … up to a register of them."""
    run: list[LoadOp] = []
    previous = 0
    for constant, op in [*sorted(group.items()), (0, None)]:
        kind = None if op is None else vector_type(op.result.type)
        before = vector_type(run[-1].result.type) if run else None
        if before is not None and (kind is None or constant != previous + kind.get_shape()[0]):
            most = bits // _bits_of(before)
            while len(run) > 1:
                count = min(most, 1 << (len(run).bit_length() - 1))
                yield run[:count]
                run = run[count:]
            run = []
        if op is not None:
            run.append(op)
        previous = constant


def _load_together(loads: Sequence[LoadOp], before: LoadOp) -> None:
    """Replace loads of neighbouring words, in their order, by one that stands at the first of them in the program."""
    first = loads[0]
    kind = vector_type(first.result.type)
    assert kind is not None
    numbers = vector_of(kind.element_type, len(loads) * kind.get_shape()[0])
    load = LoadOp(first.memref, first.indices, first.map.data, numbers)
    word = WORDS[_bits_of(kind)]
    # LLVM takes a lane where its type is that of the sums.
    lane = f32 if word == i32 and kind.element_type in HALVES else word
    words = vector.BitcastOp(load.result, vector_of(lane, len(loads)))
    _insert([load, words], before, first)
    for number, old in enumerate(loads):
        for taken in _words_of(old):
            for use in list(taken.result.uses):
                assert isinstance(use.operation, vector.BroadcastOp)
                _take_lane(use.operation, words, number)
            Rewriter.erase_op(taken)
        for use in list(old.result.uses):
            Rewriter.erase_op(use.operation)
        Rewriter.erase_op(old)


def _take_lane(old: vector.BroadcastOp, words: vector.BitcastOp, number: int) -> None:
    """Put a word in all lanes of a vector, and make that the second factor of dot products of one type."""
    kind, element = old.vector.type, element_type(words.result.type)
    (count,) = kind.get_shape()
    places = DenseArrayBase.from_list(i64, [number] * count)
    new: list[Operation] = [vector.ShuffleOp(words.result, words.result, places, result_type=vector_of(element, count))]
    if element == f32:
        new.append(vector.BitcastOp(new[0].results[0], kind))
    _insert(new, old, old)
    result = new[-1].results[0]
    for use in list(old.vector.uses):
        dot = use.operation
        dot.operands[use.index] = result
        if isinstance(dot, DotOp) and use.index == 0 and dot.lhs_type == dot.rhs_type:
            dot.operands[0], dot.operands[1] = dot.rhs, dot.lhs
    Rewriter.erase_op(old)


def _insert(new: Sequence[Operation], before: Operation, source: Operation) -> None:
    for op in new:
        op.location = source.location
    Rewriter.insert_op(new, InsertPoint.before(before))
