"""Dot products of short numbers in words: one instruction where the target has one for their types.

Elsewhere products of 8 bits whose sums are known to fit are added up in 16 bits, or integers of 8 bits become pairs of
16 bits, of which x86 has dot products; what is left is computed number by number. Integers wrap, so all ways give the
same bits. Of long words the lower halves come first.
"""

from __future__ import annotations

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import bf16, f16, f32, i8, i16, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from mlc.architectures.instructions import DotInstruction
from mlc.dialects.llvm import integers, intrinsics
from mlc.dialects.loop import DotOp, OuterDotOp
from mlc.dialects.loop.dot import LONG_WORD_BITS, WORD_BITS, per_word
from mlc.pass_manager.lowering import lowers
from mlc.passes.loop_to_llvm._machine_pattern import MachinePattern
from mlc.passes.loop_to_llvm._registers import Registers
from mlc.passes.loop_to_llvm._types import VALUES, concatenated, intrinsic, number_of, shifted, shuffle, truncate
from mlc.support.context import CompilerContext
from mlc.support.dtypes import is_unsigned
from mlc.support.ir import erase_unused
from mlc.support.locations import error_at
from mlc.support.types import element_type, vector_of, vector_type
from mlc.targets.machine import Machine

_ELEMENTS: dict[str, Attribute] = {"i32": i32, "i16": i16, "i8": i8, "bfloat": bf16}
"""The types of elements of vectors, by LLVM's names."""


_ONES = 0x10001
"""A word of two numbers of 16 bits, each of which is 1."""


class _RegisterPattern(MachinePattern):
    """A pattern for what the target computes one register at a time."""

    def __init__(self, ctx: CompilerContext) -> None:
        super().__init__(ctx)
        self._registers = Registers()


@lowers(VALUES, DotOp)
class LowerDot(_RegisterPattern):
    """`loop.dot` becomes an instruction, or arithmetic."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter) -> None:
        _require_conversion(op, self.machine)
        operands, types = (op.lhs, op.rhs, op.accumulator), (op.lhs_type, op.rhs_type)
        in_i16 = op.in_i16 is not None
        rewriter.replace(op, _dots(self.machine, self._registers, *operands, types, in_i16=in_i16))
        for value in dict.fromkeys(operands):
            erase_unused(value)


@lowers(VALUES, OuterDotOp)
class LowerOuterDot(_RegisterPattern):
    """`loop.outer_dot` becomes an instruction, or a dot product for each lane."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OuterDotOp, rewriter: PatternRewriter) -> None:
        _require_conversion(op, self.machine)
        rows, columns = (kind.get_shape()[0] for v in (op.lhs, op.rhs) if (kind := vector_type(v.type)) is not None)
        found = self.machine.outer_dot_instruction(str(op.lhs_type), str(op.rhs_type))
        if found is not None and rows == columns == self.machine.lanes(LONG_WORD_BITS):
            casts = [_as_operand(found, v, rows * LONG_WORD_BITS) for v in (op.lhs, op.rhs)]
            operands = [op.accumulator, *(cast.results[0] for cast in casts)]
            rewriter.replace(op, [*casts, intrinsic(found.intrinsic, operands, op.accumulator.type)])
            return
        lhs = shuffle(op.lhs, op.lhs, [row for row in range(rows) for _ in range(columns)])
        rhs = shuffle(op.rhs, op.rhs, [column for _ in range(rows) for column in range(columns)])
        dots = _dots(self.machine, self._registers, lhs.res, rhs.res, op.accumulator, (op.lhs_type, op.rhs_type))
        rewriter.replace(op, [lhs, rhs, *dots])


def _require_conversion(op: DotOp | OuterDotOp, machine: Machine) -> None:
    """Check that numbers of f16 can be multiplied.

    Raises:
        UserError: the target does not convert them.
    """
    if op.lhs_type == f16 and not machine.converts_f16:
        raise error_at(op, f"{op.name} of f16 takes instructions that convert f16; {machine.name} has none")


def _dots(
    machine: Machine,
    registers: Registers,
    lhs: SSAValue,
    rhs: SSAValue,
    total: SSAValue,
    types: tuple[Attribute, Attribute],
    *,
    in_i16: bool = False,
) -> list[Operation]:
    """Ops that add the dot products of words, or of long words, of two types to sums; the last one gives them."""
    if element_type(lhs.type) == i64:
        halves = [_half_of_words(v, number) for number in range(2) for v in (lhs, rhs)]
        ops = [op for half in halves for op in half]
        for left, right in zip(halves[::2], halves[1::2], strict=True):
            words = left[-1].results[0], right[-1].results[0]
            ops += _dots(machine, registers, *words, total, types, in_i16=in_i16)
            total = ops[-1].results[0]
        return ops
    kind, most = vector_type(lhs.type), machine.vector_bits // WORD_BITS
    lanes = 1 if kind is None else kind.get_shape()[0]
    if lanes <= most or lanes & (lanes - 1):
        writer = _Writer(machine, lhs.type, total.type, in_i16)
        writer.dot(lhs, rhs, total, *types)
        return writer.ops
    new: list[Operation] = []
    results: list[SSAValue] = []
    for left, right, part in zip(*(registers.of(v, most, new) for v in (lhs, rhs, total)), strict=True):
        writer = _Writer(machine, left.type, part.type, in_i16)
        results.append(writer.dot(left, right, part, *types))
        new += writer.ops
    joined, _ = concatenated(results)
    return [*new, *joined]


def _half_of_words(words: SSAValue, number: int) -> list[Operation]:
    """Ops that take the lower half of each long word, or the upper one."""
    if (kind := vector_type(words.type)) is None:
        ops = shifted(llvm.LShrOp, words, number * WORD_BITS) if number else []
        return [*ops, truncate(ops[-1].results[0] if ops else words, i32)]
    (lanes,) = kind.get_shape()
    halves = llvm.BitcastOp.create(operands=[words], result_types=[vector_of(i32, 2 * lanes)])
    return [halves, shuffle(halves.results[0], halves.results[0], [2 * lane + number for lane in range(lanes)])]


def _as_operand(found: DotInstruction, words: SSAValue, bits: int) -> llvm.BitcastOp:
    """Words of so many bits together as the vector that an intrinsic takes."""
    element = _ELEMENTS[found.element]
    kind = vector_of(element, bits // WORD_BITS * per_word(element))
    return llvm.BitcastOp.create(operands=[words], result_types=[kind])


class _Writer:
    """Collects the ops that compute a dot product."""

    def __init__(self, machine: Machine, words: Attribute, sums: Attribute, in_i16: bool) -> None:
        self._machine, self._in_i16 = machine, in_i16
        self._words, self._sums = words, sums
        self._lanes = None if (kind := vector_type(self._words)) is None else kind.get_shape()[0]
        self.ops: list[Operation] = []

    def dot(self, lhs: SSAValue, rhs: SSAValue, total: SSAValue, lhs_type: Attribute, rhs_type: Attribute) -> SSAValue:
        """`total` with the dot products of the words added, lane by lane."""
        if (found := self._instruction(lhs_type, rhs_type)) is not None:
            return self._called(found, lhs, rhs, total)
        if (found := self._instruction(rhs_type, lhs_type)) is not None:
            return self._called(found, rhs, lhs, total)
        if self._in_i16 and (name := self._byte_products(lhs_type, rhs_type)) is not None:
            numbers = (lhs, rhs) if is_unsigned(lhs_type) else (rhs, lhs)
            return self.dot(self._sums_of_pairs(name, *numbers), self._constant(self._words, _ONES), total, i16, i16)
        if per_word(lhs_type) == 4 and self._instruction(i16, i16) is not None:
            for odd in (False, True):
                left, right = self._pairs(lhs, lhs_type, odd), self._pairs(rhs, rhs_type, odd)
                total = self.dot(left, right, total, i16, i16)
            return total
        for number in range(per_word(lhs_type)):
            left, right = self._number(lhs, lhs_type, number), self._number(rhs, rhs_type, number)
            total = self._product_added(left, right, total)
        return total

    def _instruction(self, lhs: Attribute, rhs: Attribute) -> DotInstruction | None:
        if self._lanes is None:
            return None
        return self._machine.dot_instruction(str(lhs), str(rhs), WORD_BITS * self._lanes)

    def _byte_products(self, lhs: Attribute, rhs: Attribute) -> str | None:
        if self._lanes is None:
            return None
        return self._machine.byte_products(str(lhs), str(rhs), WORD_BITS * self._lanes)

    def _sums_of_pairs(self, name: str, unsigned: SSAValue, signed: SSAValue) -> SSAValue:
        """Words of the sums of the first two products of bytes, and of the last two, in i16."""
        assert self._lanes is not None
        bytes, halves = (vector_of(element, self._lanes * per_word(element)) for element in (i8, i16))
        operands = [self._cast(words, bytes) for words in (unsigned, signed)]
        return self._cast(self._insert(intrinsic(name, operands, halves)), self._words)

    def _cast(self, value: SSAValue, kind: Attribute) -> SSAValue:
        return self._insert(llvm.BitcastOp.create(operands=[value], result_types=[kind]))

    def _called(self, found: DotInstruction, lhs: SSAValue, rhs: SSAValue, total: SSAValue) -> SSAValue:
        operands = [self._typed(found, lhs), self._typed(found, rhs)]
        if found.adds:
            return self._insert(intrinsic(found.intrinsic, [total, *operands], self._sums))
        products = self._insert(intrinsic(found.intrinsic, operands, self._sums))
        return self._integer(integers.AddOp, total, products)

    def _typed(self, found: DotInstruction, words: SSAValue) -> SSAValue:
        """Words as the vectors that an intrinsic takes."""
        element = _ELEMENTS[found.element]
        if element == i32:
            return words
        assert self._lanes is not None
        kind = vector_of(element, self._lanes * per_word(element))
        while isinstance(cast := words.owner, llvm.BitcastOp | vector.BitcastOp):
            words = cast.operands[0]  # LLVM would take two casts for arithmetic on what is in between
        return self._insert(llvm.BitcastOp.create(operands=[words], result_types=[kind]))

    def _pairs(self, words: SSAValue, element: Attribute, odd: bool) -> SSAValue:
        """Words of two numbers of 16 bits: the first and the third of four of 8 bits, or the others."""
        assert self._lanes is not None
        kind = vector_of(i16, 2 * self._lanes)
        halves = self._insert(llvm.BitcastOp.create(operands=[words], result_types=[kind]))
        if not odd:
            halves = self._shifted(integers.ShlOp, halves, 8)
        halves = self._shifted(llvm.LShrOp if is_unsigned(element) else llvm.AShrOp, halves, 8)
        return self._insert(llvm.BitcastOp.create(operands=[halves], result_types=[self._words]))

    def _number(self, words: SSAValue, element: Attribute, number: int) -> SSAValue:
        """The number at a place of each word, as a number of the type of the sums."""
        if element == f16:
            return self._half(words, number)
        bits = WORD_BITS // per_word(element)
        at = number * bits
        if element == bf16:  # its bits are the upper ones of an f32
            upper = self._shifted(integers.ShlOp, words, WORD_BITS - bits - at)
            if number:
                mask = self._constant(self._words, -1 << bits)
                upper = self._insert(llvm.AndOp.create(operands=[upper, mask], result_types=[self._words]))
            return self._insert(llvm.BitcastOp.create(operands=[upper], result_types=[self._sums]))
        high = self._shifted(integers.ShlOp, words, WORD_BITS - bits - at)
        return self._shifted(llvm.LShrOp if is_unsigned(element) else llvm.AShrOp, high, WORD_BITS - bits)

    def _half(self, words: SSAValue, number: int) -> SSAValue:
        lanes = self._lanes or 1
        halves = self._insert(llvm.BitcastOp.create(operands=[words], result_types=[vector_of(f16, 2 * lanes)]))
        picked = self._insert(shuffle(halves, halves, range(number, 2 * lanes, 2)))
        wide = self._insert(llvm.FPExtOp.create(operands=[picked], result_types=[vector_of(f32, lanes)]))
        if self._lanes is not None:
            return wide
        return self._insert(llvm.BitcastOp.create(operands=[wide], result_types=[f32]))

    def _product_added(self, left: SSAValue, right: SSAValue, total: SSAValue) -> SSAValue:
        if self._is_float:
            properties = {"fastmathFlags": llvm.FastMathAttr(None)}
            return self._insert(
                intrinsics.FMulAddOp.create(
                    operands=[left, right, total], result_types=[self._sums], properties=properties
                )
            )
        return self._integer(integers.AddOp, total, self._integer(integers.MulOp, left, right))

    @property
    def _is_float(self) -> bool:
        kind = vector_type(self._sums)
        return (self._sums if kind is None else kind.element_type) == f32

    def _integer(self, target: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        properties: dict[str, Attribute] = {"overflowFlags": integers.NO_OVERFLOW_FLAGS}
        return self._insert(target.create(operands=[a, b], result_types=[a.type], properties=properties))

    def _shifted(self, target: type[Operation], value: SSAValue, by: int) -> SSAValue:
        if not by:
            return value
        self.ops += shifted(target, value, by)
        return self.ops[-1].results[0]

    def _constant(self, kind: Attribute, number: int) -> SSAValue:
        return self._insert(llvm.ConstantOp.create(result_types=[kind], properties={"value": number_of(kind, number)}))

    def _insert(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]
