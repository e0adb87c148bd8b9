"""Bytes of a table of 256: looked up by shuffles where the machine has these, else loaded one by one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, i8, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from mlc.architectures.instructions import ByteLookup
from mlc.dialects import loop
from mlc.dialects.arith import CmpiOp, SelectOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.loop_to_llvm._machine_pattern import MachinePattern
from mlc.passes.loop_to_llvm._types import ACCESSES, concatenated, intrinsic, offset, shuffle
from mlc.support.types import vector_of, vector_type


@lowers(ACCESSES, loop.LookupOp)
class LowerLookup(MachinePattern):
    """Vectors of codes, register by register; a single code, and those of a machine without shuffles, by a load."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.LookupOp, rewriter: PatternRewriter) -> None:
        kind = vector_type(op.codes.type)
        if kind is None:
            load = _Load(op)
            load.entry(op.codes)
            rewriter.replace(op, load.ops)
            return
        lanes = kind.get_shape()[0]
        found = self.machine.byte_lookup(lanes)
        writer = _Load(op) if found is None else _Shuffle(op, found)
        writer.vector(lanes)
        rewriter.replace(op, writer.ops)


class _LookupWriter:
    """Collects the ops that look up the codes of an op; the last one gives the result."""

    def __init__(self, op: loop.LookupOp) -> None:
        self._op = op
        self.ops: list[Operation] = []

    def insert(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]


class _Load(_LookupWriter):
    """Each code is the index of a load."""

    def entry(self, code: SSAValue) -> SSAValue:
        """The entry that one code names."""
        table = self.insert(loop.ConstantOp(self._op.table))
        index = self.insert(llvm.ZExtOp.create(operands=[code], result_types=[i64]))
        return self.insert(llvm.LoadOp(self.insert(offset(table, index, i8)), i8))

    def vector(self, lanes: int) -> SSAValue:
        """The entries of a vector of codes, lane by lane."""
        result = self._op.codes
        for lane in range(lanes):
            code = self.insert(vector.ExtractOp(self._op.codes, [lane], i8))
            result = self.insert(vector.InsertOp(self.entry(code), result, [lane]))
        return result


class _Shuffle(_LookupWriter):
    """Parts of the table are operands of shuffles, whose results are put together."""

    def __init__(self, op: loop.LookupOp, found: ByteLookup) -> None:
        super().__init__(op)
        self._found = found
        self._lanes = found.bits // 8
        self._kind = vector_of(i8, self._lanes)
        self._table: Sequence[int] = op.table.get_values()  # pyright: ignore

    def vector(self, lanes: int) -> SSAValue:
        """The entries of a vector of codes, as many at a time as fit in a register."""
        codes, own = self._op.codes, self._lanes
        if lanes == own:
            return self._register(codes)
        if lanes < own:
            wide = self._register(self.insert(shuffle(codes, codes, [*range(lanes), *[-1] * (own - lanes)])))
            return self.insert(shuffle(wide, wide, range(lanes)))
        parts = [self._register(self.insert(shuffle(codes, codes, range(at, at + own)))) for at in range(0, lanes, own)]
        ops, whole = concatenated(parts)
        self.ops += ops
        return whole

    def _register(self, codes: SSAValue) -> SSAValue:
        found = self._found
        if found.wraps:
            low, high = (self._look_up(part, codes) for part in range(2))
            zero = self._constant([0])
            is_high = self.insert(CmpiOp(codes, zero, "slt"))
            return self.insert(SelectOp(is_high, high, low))
        result: SSAValue | None = None
        for part in range(found.parts):
            at = self._constant([part * found.entries])
            moved = self.insert(arith.SubiOp(codes, at)) if part else codes
            if found.counts_from:
                start = self._constant([found.counts_from])
                name = f"llvm.uadd.sat.v{self._lanes}i8"
                moved = self.insert(intrinsic(name, [moved, start], self._kind))
            entries = self._look_up(part, moved)
            result = entries if result is None else self.insert(arith.OrIOp(result, entries))
        assert result is not None
        return result

    def _look_up(self, part: int, codes: SSAValue) -> SSAValue:
        """The entries of a part of the table."""
        found = self._found
        numbers = self._table[part * found.entries : (part + 1) * found.entries]
        each = min(self._lanes, found.entries)
        operands = [self._constant(numbers[at : at + each]) for at in range(0, found.entries, each)]
        operands.insert(found.codes_at, codes)
        return self.insert(intrinsic(found.name, operands, self._kind))

    def _constant(self, numbers: Sequence[int]) -> SSAValue:
        """A register of numbers, repeated until it is full."""
        signed = [n if n < 128 else n - 256 for n in numbers]
        value = DenseIntOrFPElementsAttr.from_list(self._kind, signed * (self._lanes // len(signed)))
        return self.insert(llvm.ConstantOp.create(result_types=[self._kind], properties={"value": value}))
