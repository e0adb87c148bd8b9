"""Words of short numbers that lie in several vectors: the vectors are interleaved, in rounds of two.

Machines interleave two vectors in pieces of 16 bytes (`punpcklbw`, `zip1`): the low halves of all pieces, and the
high ones. Where a vector has several pieces, four lanes of a row go to the piece and the half from which their words
come out in order. That takes one shuffle of a row, which may be a part of its load, and none where a piece is all
there is.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, VectorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from mlc.dialects.llvm import integers
from mlc.dialects.loop import WordOp
from mlc.dialects.loop.dot import WORD_BITS
from mlc.pass_manager.lowering import lowers
from mlc.passes.loop_to_llvm._machine_pattern import MachinePattern
from mlc.passes.loop_to_llvm._types import VALUES, bit_width, concatenated, shifted, shuffle
from mlc.support.types import repeated_number, vector_of, vector_type

_PIECE = 128
"""The bits of what an instruction interleaves by itself."""
_LANES = _PIECE // WORD_BITS
"""The words of a piece."""


@lowers(VALUES, WordOp)
class LowerWord(MachinePattern):
    """`loop.word` becomes shuffles, or shifts of single numbers."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: WordOp, rewriter: PatternRewriter) -> None:
        writer = _WordWriter(bit_width(op.numbers[0].type))
        kind = vector_type(op.result.type)
        lanes = 1 if kind is None else kind.get_shape()[0]
        if lanes % _LANES or lanes & (lanes - 1):
            writer.shifted(op.numbers, op.result.type)
        else:
            writer.words(op.numbers, lanes, min(self.machine.vector_bits, WORD_BITS * lanes))
        rewriter.replace(op, writer.ops)


class _WordWriter:
    """Collects the ops that put numbers of so many bits into words; the last one gives the words."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self.ops: list[Operation] = []

    def shifted(self, numbers: Sequence[SSAValue], words: Attribute) -> None:
        """Number by number."""
        total: SSAValue | None = None
        for place, number in enumerate(numbers):
            bits = self._cast(number, _like(number.type, IntegerType(self._bits)))
            wide = self._insert(llvm.ZExtOp.create(operands=[bits], result_types=[words]))
            if total is None:
                total = wide
                continue
            self.ops += shifted(integers.ShlOp, wide, place * self._bits)
            high = self.ops[-1].results[0]
            total = self._insert(llvm.OrOp.create(operands=[total, high], result_types=[words]))

    def words(self, rows: Sequence[SSAValue], lanes: int, register: int) -> None:
        """The words of rows of `lanes` numbers, in registers of so many bits."""
        most = register // self._bits
        parts = [self._registers(rows, at, min(most, lanes), register) for at in range(0, lanes, most)]
        ops, _ = concatenated([register for part in parts for register in part])
        self.ops += ops

    def _registers(self, rows: Sequence[SSAValue], first: int, lanes: int, register: int) -> list[SSAValue]:
        """The words of the lanes from `first` on, in order."""
        pieces = register // _PIECE
        halves = lanes // (_LANES * pieces)  # how many fours of lanes a piece of a row holds
        unit = IntegerType(_LANES * self._bits)
        fours = [first // _LANES + half * pieces + piece for piece in range(pieces) for half in range(halves)]
        order = [-1] * (register // unit.bitwidth)
        for at, four in enumerate(fours):
            order[at // halves * (_PIECE // unit.bitwidth) + at % halves] = four
        spread = {row: self._spread(row, order, unit, register) for row in dict.fromkeys(rows)}
        return self._interleaved([spread[row] for row in rows], self._bits, halves)

    def _spread(self, row: SSAValue, order: list[int], unit: IntegerType, register: int) -> SSAValue:
        """The fours of lanes of a row, in an order, as numbers in a register."""
        (length,) = _vector(row).get_shape()
        if length == register // self._bits and _is_repeated(row):
            return row
        moved = self._cast(row, vector_of(unit, length // _LANES))
        if order != list(range(length // _LANES)):
            moved = self._insert(shuffle(moved, moved, order))
        return self._cast(moved, vector_of(IntegerType(self._bits), register // self._bits))

    def _interleaved(self, rows: Sequence[SSAValue], bits: int, halves: int) -> list[SSAValue]:
        """The first so many registers of words, of rows whose numbers have `bits`."""
        if len(rows) == 1:
            return [self._cast(rows[0], vector_of(i32, _vector(rows[0]).get_shape()[0]))]
        most, found = len(rows) // 2, list[SSAValue]()
        for high in range(-(-halves // most)):
            joined = [self._half(a, b, bits, high) for a, b in _pairs(rows)]
            found += self._interleaved(joined, 2 * bits, min(most, halves - high * most))
        return found

    def _half(self, a: SSAValue, b: SSAValue, bits: int, high: int) -> SSAValue:
        """The low or the high halves of all pieces of two vectors, interleaved, as numbers of twice the bits."""
        (length,) = _vector(a).get_shape()
        size = _PIECE // bits
        starts = [piece + high * (size // 2) for piece in range(0, length, size)]
        lanes = [lane for start in starts for i in range(start, start + size // 2) for lane in (i, length + i)]
        mixed = self._insert(shuffle(a, b, lanes))
        return self._cast(mixed, vector_of(IntegerType(2 * bits), length // 2))

    def _cast(self, value: SSAValue, kind: Attribute) -> SSAValue:
        if value.type == kind:
            return value
        return self._insert(llvm.BitcastOp.create(operands=[value], result_types=[kind]))

    def _insert(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]


def _is_repeated(value: SSAValue) -> bool:
    """Whether all lanes of a vector are one constant, so that any order of them is the same."""
    constant = value.owner.value if isinstance(value.owner, llvm.ConstantOp) else None
    return isinstance(constant, DenseIntOrFPElementsAttr) and repeated_number(constant) is not None


def _vector(value: SSAValue) -> VectorType[Attribute]:
    kind = vector_type(value.type)
    assert kind is not None
    return kind


def _like(kind: Attribute, element: Attribute) -> Attribute:
    """As many elements of another type."""
    vector = vector_type(kind)
    return element if vector is None else VectorType(element, vector.get_shape())


def _pairs(values: Sequence[SSAValue]) -> zip[tuple[SSAValue, SSAValue]]:
    return zip(values[::2], values[1::2], strict=True)
