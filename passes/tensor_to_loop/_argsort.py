"""`tensor.argsort` becomes a radix sort of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, MemRefType, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.arith import ExtSIOp, IndexCastOp
from mlc.dialects.tensor import ArgsortOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._body import NestWriter
from mlc.passes.tensor_to_loop._functions import allocate, destination
from mlc.support.types import integer_width, memref_type, tensor_type

_LONG_ROW = 4096
"""From how many keys on digits have 11 bits rather than 8: fewer passes over the keys, more counters to sum up."""


@lowers("convert-tensor-to-loop", ArgsortOp)
class ArgsortToRadixSort(StatelessPattern):
    """Keys are moved once per digit, from the least digit to the greatest, to where their digit begins.

        for m {
          for k { for each digit: count[digit of keys[m, k]]++ }
          for each digit: count = sums of the counts in front
          for each digit: for k { to[count[digit of from[k]]++] = from[k] }
        }

    Moving keeps the order of keys whose digits are equal, so each pass keeps what those before it have sorted, and
    equal keys stay as they were. All loops have known bounds and no branch depends on a key: `n` keys of 32 bits take
    four passes of about `n` steps. (Radix sort, least significant digit first: Knuth, The Art of Computer Programming,
    volume 3, 5.2.5.)
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ArgsortOp)
        target = destination(rewriter, op.result)
        rows, length = memref_type(op.keys).get_shape()
        count = tensor_type(op.result).get_shape()[1]
        width = integer_width(memref_type(op.keys).element_type)
        assert width is not None
        bits = 11 if length >= _LONG_ROW and width > 16 else 8
        b = NestWriter()

        def sort(inside: NestWriter, m: SSAValue) -> None:
            _RowSort(inside, op.keys, m, length, width, range(0, width, bits), bits).sort_into(target, count)

        if rows and count:
            b.parallel("m", rows, sort)
        rewriter.replace(op, b.ops, [target])


@dataclass(frozen=True)
class _Pairs:
    """Buffers of keys and of their positions, where there is something in them."""

    keys: SSAValue | None = None
    positions: SSAValue | None = None


@dataclass(frozen=True)
class _RowSort:
    """The sort of row `m` of `keys`, which are `length` integers of `width` bits, written to `b`."""

    b: NestWriter
    keys: SSAValue
    m: SSAValue
    length: int
    width: int
    shifts: Sequence[int]
    """Where each digit begins, in bits from the least one."""
    bits: int
    """Of a digit."""

    @property
    def word(self) -> IntegerType:
        """What keys are computed with."""
        return i64 if self.width == 64 else i32

    def sort_into(self, target: SSAValue, count: int) -> None:
        """Store the positions of the first `count` keys of the sorted row in row `m` of `target`."""
        counts = [self._buffer(1 << self.bits, i32) for _ in self.shifts]
        self._count_digits(counts)
        pairs = _Pairs()
        for shift, starts in zip(self.shifts, counts, strict=True):
            keys = None if starts is counts[-1] else self._buffer(self.length, self.word)
            moved = _Pairs(keys, self._buffer(self.length, i32))
            self._move(pairs, moved, starts, shift)
            pairs = moved
        positions = pairs.positions
        assert positions is not None

        def widen(b: NestWriter, k: SSAValue) -> None:
            b.store(b(ExtSIOp, b.load(positions, k), i64), target, self.m, k)

        self.b.parallel("k", count, widen)

    def _buffer(self, size: int, element: IntegerType) -> SSAValue:
        buffer: MemRefType[Any] = MemRefType(element, [size])
        return self.b(allocate, buffer)

    def _key(self, b: NestWriter, k: SSAValue) -> SSAValue:
        """Key `k` of the row, as an unsigned word that is in the order of the signed key."""
        key = b.load(self.keys, self.m, k)
        if self.width < self.word.width.data:
            key = b(ExtSIOp, key, self.word)
        return b(arith.XOrIOp, key, b.number(-1 << (self.width - 1), self.word))

    def _digit(self, b: NestWriter, key: SSAValue, shift: int) -> SSAValue:
        shifted = b(arith.ShRUIOp, key, b.number(shift, self.word)) if shift else key
        mask = (1 << min(self.bits, self.width - shift)) - 1
        return b.index(b(arith.AndIOp, shifted, b.number(mask, self.word)))

    def _count_digits(self, counts: Sequence[SSAValue]) -> None:
        """In each of `counts`: how many keys have a digit that is less."""

        def clear(b: NestWriter, digit: SSAValue) -> None:
            zero = b.number(0, i32)
            for buffer in counts:
                b.store(zero, buffer, digit)

        def count(b: NestWriter, k: SSAValue, none: Sequence[SSAValue]) -> Sequence[SSAValue]:
            key, one = self._key(b, k), b.number(1, i32)
            for buffer, shift in zip(counts, self.shifts, strict=True):
                digit = self._digit(b, key, shift)
                b.store(b(arith.AddiOp, b.load(buffer, digit), one), buffer, digit)
            return none

        def sum_up(b: NestWriter, digit: SSAValue, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
            after: list[SSAValue] = []
            for buffer, before in zip(counts, sums, strict=True):
                after.append(b(arith.AddiOp, before, b.load(buffer, digit)))
                b.store(before, buffer, digit)
            return after

        self.b.parallel("digit", 1 << self.bits, clear)
        self.b.serial("k", self.length, [], count)
        self.b.serial("digit", 1 << self.bits, [self.b.number(0, i32) for _ in counts], sum_up)

    def _move(self, pairs: _Pairs, moved: _Pairs, starts: SSAValue, shift: int) -> None:
        """Store each key, if it is needed again, and its position where the next one with its digit belongs."""
        positions = moved.positions
        assert positions is not None

        def move(b: NestWriter, k: SSAValue, none: Sequence[SSAValue]) -> Sequence[SSAValue]:
            key = self._key(b, k) if pairs.keys is None else b.load(pairs.keys, k)
            position = b(IndexCastOp, k, i32) if pairs.positions is None else b.load(pairs.positions, k)
            digit = self._digit(b, key, shift)
            place = b.load(starts, digit)
            if moved.keys is not None:
                b.store(key, moved.keys, b.index(place))
            b.store(position, positions, b.index(place))
            b.store(b(arith.AddiOp, place, b.number(1, i32)), starts, digit)
            return none

        self.b.serial("k", self.length, [], move)
