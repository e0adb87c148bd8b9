"""Floats that become bytes: a conversion that rounds, and packs that saturate, where the machine has them.

Quantisation limits a float, rounds it by the sum with a number whose unit is 1, takes the integer in the low bits and
adds a zero point (`graph_to_tensor/_quantization.py`). That is right on every machine. Where the limits are those of a
byte, packs limit what is rounded:

    limited = min(max(x, least - z), most - z); byte = the low 8 bits of bits(limited + 1.5 * 2^23) + z
    byte = pack(saturating_add(pack(convert(min(most - z, x))), z))

Both round to nearest even and are monotonic, and agree where x is an integer beyond the limits, so they agree for all
x. What is less than all i32, and NaN, becomes the least i32, and so the least byte; `min` keeps NaN, and keeps what is
more than all i32 away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, ModuleOp, i8, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.architectures.architecture import InstructionSet
from mlc.architectures.instructions import SaturatingPacks
from mlc.dialects.arith import CmpfOp, SelectOp, TruncIOp
from mlc.passes.loop_to_llvm._types import concatenated, intrinsic, number_of, shuffle
from mlc.support.ir import erase_unused
from mlc.support.types import repeated_number, vector_of, vector_type
from mlc.targets.machine import Machine

_WORD, _PIECE = 32, 4
"""The bits of an f32, and how many of them a piece of 16 bytes holds."""
_LARGE = 2.0**22
"""Sums that round have operands of no more."""
_LIMITS = ((-128, 127, False), (0, 255, True))
"""The least and the greatest byte, and whether bytes are unsigned."""


@dataclass(frozen=True)
class _Quantised:
    """What a vector of bytes is made of."""

    x: SSAValue
    zero_point: int
    high: float
    """The limit above, of x."""
    is_unsigned: bool


def use_saturating_packs(module: ModuleOp, machine: Machine) -> None:
    """Let packs make the bytes of floats, where a vector of these is made of several registers."""
    architecture = machine.architecture
    if not isinstance(architecture, InstructionSet):
        return
    packs = architecture.saturating_packs(machine.features, machine.vector_bits)
    if packs is None:
        return
    lanes = machine.vector_bits // _WORD
    for op in [op for op in module.walk() if isinstance(op, TruncIOp)]:
        kind = vector_type(op.results[0].type)
        if kind is None or kind.element_type != i8 or kind.get_shape()[0] % (2 * lanes):
            continue
        length = kind.get_shape()[0]
        if length & (length - 1) == 0 and (found := _quantised(op)) is not None:
            writer = _PackWriter(packs, lanes)
            writer.bytes_of(found, length)
            rounded = op.operands[0]
            Rewriter.replace_op(op, writer.ops, [writer.ops[-1].results[0]])
            erase_unused(rounded)


def _quantised(op: TruncIOp) -> _Quantised | None:
    """What a truncation takes the low bits of, if that is a limited float, rounded by a sum."""
    cast, offset = _with_number(op.operands[0], arith.AddiOp) or (op.operands[0], 0)
    if not isinstance(cast.owner, arith.BitcastOp) or (total := _with_number(cast.owner.input, arith.AddfOp)) is None:
        return None
    limited, rounding = total
    if rounding != 1.5 * 2.0**23 or (upper := _limited(limited, "olt")) is None:
        return None
    inner, high = upper
    if (lower := _limited(inner, "ogt")) is None:
        return None
    x, low = lower
    if not (low.is_integer() and high.is_integer() and -_LARGE <= low <= high <= _LARGE):
        return None
    for least, most, is_unsigned in _LIMITS:
        zero_point = least - int(low)
        if int(high) + zero_point == most and (int(offset) - zero_point) % 256 == 0:
            return _Quantised(x, zero_point, high, is_unsigned)
    return None


def _with_number(value: SSAValue, kind: type[Operation]) -> tuple[SSAValue, float] | None:
    """The operands of an op, the second of which is one number in all lanes."""
    owner = value.owner
    if not isinstance(owner, kind) or (number := _number(owner.operands[1])) is None:
        return None
    return owner.operands[0], number


def _limited(value: SSAValue, predicate: str) -> tuple[SSAValue, float] | None:
    """x and the number c of `x < c ? x : c`, or of another comparison."""
    select = value.owner
    if not isinstance(select, SelectOp) or not isinstance(compare := select.operands[0].owner, CmpfOp):
        return None
    _, x, limit = select.operands
    wanted = CmpfOp(x, limit, predicate)
    is_it = compare.predicate == wanted.predicate and compare.lhs is x and _is_same(compare.rhs, limit)
    wanted.erase()
    number = _number(limit)
    return (x, number) if is_it and number is not None else None


def _is_same(a: SSAValue, b: SSAValue) -> bool:
    return a is b or (_number(a) is not None and _number(a) == _number(b))


def _number(value: SSAValue) -> float | None:
    """The number that is in all lanes of a constant."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, DenseIntOrFPElementsAttr):
        return None
    found: Any = repeated_number(owner.value)
    return found


class _PackWriter:
    """Collects the ops that make bytes; the last one gives them."""

    def __init__(self, packs: SaturatingPacks, lanes: int) -> None:
        self._packs, self._lanes = packs, lanes
        self._constants: dict[tuple[Attribute, float], SSAValue] = {}
        self.ops: list[Operation] = []

    def bytes_of(self, found: _Quantised, length: int) -> None:
        """The bytes of a vector of floats."""
        count = min(length // self._lanes, 4)
        parts = [self._part(found, at, count) for at in range(0, length, count * self._lanes)]
        ops, _ = concatenated(parts)
        self.ops += ops

    def _part(self, found: _Quantised, first: int, count: int) -> SSAValue:
        """The bytes of two or four registers of floats, from a lane on."""
        lanes = self._lanes
        starts = range(first, first + count * lanes, lanes)
        words = [self._rounded(self._insert(shuffle(found.x, found.x, range(a, a + lanes))), found) for a in starts]
        kind = vector_of(i16, 2 * lanes)
        halves = [self._call(self._packs.halves, words[i : i + 2], kind) for i in range(0, count, 2)]
        if found.zero_point:
            moved = self._constant(kind, found.zero_point)
            halves = [self._call(f"llvm.sadd.sat.v{2 * lanes}i16", [half, moved], kind) for half in halves]
        name = self._packs.unsigned_bytes if found.is_unsigned else self._packs.bytes
        packed = self._call(name, [halves[0], halves[-1]], vector_of(i8, 4 * lanes))
        # A piece has four bytes of each register, one after the other.
        pieces = lanes // _PIECE
        order = [_PIECE * piece + register for register in range(count) for piece in range(pieces)]
        if order == list(range(lanes)):
            return packed
        fours = self._cast(packed, vector_of(i32, lanes))
        return self._cast(self._insert(shuffle(fours, fours, order)), vector_of(i8, count * lanes))

    def _rounded(self, x: SSAValue, found: _Quantised) -> SSAValue:
        """The nearest i32; the least one for NaN."""
        high = self._constant(x.type, found.high)
        is_more = self._insert(CmpfOp(x, high, "ogt"))
        operands = [self._insert(SelectOp(is_more, high, x))]
        words = vector_of(i32, self._lanes)
        if self._packs.is_masked:
            mask = IntegerType(max(self._lanes, 8))
            operands += [self._constant(words, 0), self._constant(mask, -1), self._constant(i32, _BY_MODE)]
        return self._call(self._packs.convert, operands, words)

    def _call(self, name: str, operands: Sequence[SSAValue], kind: Attribute) -> SSAValue:
        return self._insert(intrinsic(name, operands, kind))

    def _constant(self, kind: Attribute, number: float) -> SSAValue:
        if (kind, number) not in self._constants:
            constant = llvm.ConstantOp.create(result_types=[kind], properties={"value": number_of(kind, number)})
            self._constants[kind, number] = self._insert(constant)
        return self._constants[kind, number]

    def _cast(self, value: SSAValue, kind: Attribute) -> SSAValue:
        return self._insert(llvm.BitcastOp.create(operands=[value], result_types=[kind]))

    def _insert(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]


_BY_MODE = 4
"""`_MM_FROUND_CUR_DIRECTION`: round as the control register says."""
