"""What the ops of a block cost a core: what they keep busy, how long they wait, what fits no register."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil, log2

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import AnyFloat, IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc.analysis.lanes import lanes_over
from mlc.dialects.loop import (
    DotOp,
    ForOp,
    LoadOp,
    LookupOp,
    LoopKind,
    MmaOp,
    OuterDotOp,
    PrefetchOp,
    StoreOp,
    UnpackBytesOp,
    UnpackOp,
    WordOp,
    YieldOp,
)
from mlc.dialects.loop.dot import WORD_BITS
from mlc.dialects.loop.memory import CONSECUTIVE
from mlc.schedules.cost.lines import part_on_two_lines
from mlc.support.affine import split_constant
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type, integer_width, vector_type
from mlc.targets.machine import Machine

_UNROLLED = 300
"""Up to so many ops LLVM unrolls all loops in another one, before it makes vectors (its `unroll-threshold`)."""
_PIECE_BYTES = 16
"""What shuffles of x86 and of NEON work on: wider vectors are several such pieces side by side."""
_NEWTON = 6
"""Multiply-adds of a division: three steps of Newton's method, of two each."""


@dataclass
class Instructions:
    """What ops start on a core, in instructions on whole registers."""

    multiply_adds: float = 0.0
    others: float = 0.0
    """Additions, comparisons, conversions."""
    loads: float = 0.0
    stores: float = 0.0
    shuffles: float = 0.0
    gathers: float = 0.0
    """Loads of a register whose lanes are not beside each other."""

    def add(self, other: Instructions) -> None:
        """Also start what `other` does."""
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)

    def share(self, lanes: float) -> None:
        """Start one instruction for each `lanes` of them."""
        for name, number in vars(self).items():
            setattr(self, name, number / lanes)

    def cycles(self, machine: Machine) -> dict[str, float]:
        """How long each part of the core is busy with it: arithmetic, loads, stores, shuffles."""
        issue = machine.issue
        arithmetic = self.multiply_adds + self.others
        return {
            "arithmetic": max(self.multiply_adds / issue.fma_units, arithmetic / max(issue.fma_units, issue.adds)),
            "loads": self.loads / issue.loads + self.gathers * issue.gather_cycles,
            "stores": self.stores / issue.stores,
            "shuffles": self.shuffles / issue.shuffles,
        }


@dataclass
class BlockWork:
    """The ops of one block, without those of the loops in it."""

    work: Instructions = field(default_factory=Instructions)
    chain: float = 0.0
    """Cycles from what an iteration is handed to what it hands on, of the slowest value."""
    path: float = 0.0
    """Cycles from the first load to the last result."""
    spilled: int = 0
    """Registers that are needed at a time beyond those that there are."""
    side_by_side: int = 1
    """How many iterations LLVM makes one of, where a schedule left a loop that it can vectorise."""

    def spilling(self, machine: Machine) -> float:
        """Cycles of storing and loading what fits no register: accumulators, which wait for that."""
        return self.spilled / machine.issue.stores + self.spilled / machine.issue.loads


def work_of_block(block: Block, machine: Machine) -> BlockWork:
    """What the ops of a block cost, but for what is in the regions of loops."""
    found = BlockWork()
    seen: set[tuple[object, ...]] = set()
    late: dict[SSAValue, float] = {}
    from_carried: dict[SSAValue, dict[SSAValue, float]] = {v: {v: 0.0} for v in block.args[1:]}
    for op in block.ops:
        if isinstance(op, YieldOp):
            continue
        if isinstance(op, LoadOp):
            place = (op.memref, *op.indices, op.map, op.lanes, op.result.type)
            if place not in seen:
                seen.add(place)
                found.work.add(_work(op, machine))
        elif not isinstance(op, ForOp):
            found.work.add(_work(op, machine))
        latency = _latency(op, machine)
        ready = latency + max((late.get(v, 0.0) for v in op.operands), default=0.0)
        chains: dict[SSAValue, float] = {}
        for operand in op.operands:
            for source, length in from_carried.get(operand, {}).items():
                chains[source] = max(chains.get(source, 0.0), length + latency)
        for result in op.results:
            late[result] = ready
            if chains:
                from_carried[result] = chains
        found.path = max(found.path, ready)
    if isinstance(last := block.last_op, YieldOp) and len(block.args) == len(last.arguments) + 1:
        for argument, value in zip(block.args[1:], last.arguments, strict=True):
            found.chain = max(found.chain, from_carried.get(value, {}).get(argument, 0.0))
    is_innermost = not any(isinstance(op, ForOp) for op in block.ops)
    if is_innermost:
        lanes = _lanes_of_copies(block, machine)
        found.work.share(lanes)
        found.work.add(_taken_apart(block, machine))
        found.spilled = max(0, ceil(_registers_needed(block, machine) / lanes) - machine.vector_registers)
    if is_innermost or _size_unrolled(block) <= _UNROLLED:
        found.side_by_side = _lanes_of_llvm(block, machine)
    return found


def _lanes_of_copies(block: Block, machine: Machine) -> float:
    """How many copies of a body, which stand side by side since a loop was unrolled, become the lanes of vectors.

    LLVM looks for scalar ops that are alike and whose elements follow each other in memory (Larsen and Amarasinghe,
    "Exploiting Superword Level Parallelism", 2000). So most loads and stores that are not a number for all have to.
    """
    runs: dict[tuple[object, ...], set[int]] = {}
    bits = 8
    for op in block.ops:
        if any(vector_type(v.type) is not None for v in (*op.operands, *op.results)):
            return 1.0
        if isinstance(op, LoadOp | StoreOp) and op.map.data.results:
            *outer, last = op.map.data.results
            rest, constant = split_constant(last)
            runs.setdefault((op.memref, *op.indices, *outer, str(rest)), set()).add(constant)
            bits = max(bits, 8 * to_numpy(element_type(op.memref.type)).itemsize)
    rows: list[int] = []
    for places in runs.values():
        is_row = max(places) - min(places) < len(places)
        rows += [len(places)] if is_row else [1] * len(places)
    lanes = machine.lanes(bits)
    while lanes > 1 and 2 * sum(row for row in rows if row >= lanes) <= sum(rows):
        lanes //= 2
    # What is left of a row becomes vectors of half as many lanes, and so on.
    return sum(rows) / sum(row // lanes + (row % lanes).bit_count() for row in rows) if lanes > 1 else 1.0


def _size_unrolled(block: Block) -> int:
    """The ops of a block if all loops in it are unrolled."""
    return sum(len(op.range) * _size_unrolled(op.body.block) if isinstance(op, ForOp) else 1 for op in block.ops)


def _lanes_of_llvm(block: Block, machine: Machine) -> int:
    """How many iterations of an innermost loop become the lanes of vectors without a step that says so.

    Those of a parallel loop over elements that follow each other in memory, in which no loop is left when those of few
    iterations are unrolled. One that is spread over threads is not such a loop: an iteration is a call. Nor is one that
    asks for lines ahead, for LLVM has no prefetch of vectors.
    """
    loop = block.parent_op()
    if not isinstance(loop, ForOp) or loop.kind.data is not LoopKind.PARALLEL:
        return 1
    bits = 8
    for op in block.walk():
        if isinstance(op, PrefetchOp) or any(vector_type(v.type) is not None for v in (*op.operands, *op.results)):
            return 1
        if isinstance(op, LoadOp | StoreOp):
            bits = max(bits, 8 * to_numpy(element_type(op.memref.type)).itemsize)
            if loop.induction_variable in op.indices:
                lanes = lanes_over(op, loop.induction_variable, loop.step.value.data)
                if lanes != CONSECUTIVE:
                    return 1
    return max(1, min(machine.lanes(bits), len(loop.range)))


def _taken_apart(block: Block, machine: Machine) -> Instructions:
    """What it takes to hand vectors of several registers from iteration to iteration, if not of a power of two lanes.

    Between blocks LLVM keeps such a vector as its lanes, each in a register: they are taken out, and put together.
    """
    lanes = sum(_lanes_apart(value.type, machine) for value in block.args[1:])
    return Instructions(shuffles=2 * lanes)


def _lanes_apart(kind: Attribute, machine: Machine) -> int:
    """The lanes of a vector that is carried lane by lane; 0 of all else."""
    shaped = vector_type(kind)
    lanes = 0 if shaped is None else shaped.get_shape()[0]
    return lanes if lanes & (lanes - 1) and registers_of(kind, machine) > 1 else 0


def registers_of(kind: Attribute, machine: Machine) -> int:
    """How many vector registers a value takes; 0 if it lives elsewhere: addresses, masks, integers of no vector."""
    shaped = vector_type(kind)
    element = kind if shaped is None else element_type(shaped)
    is_float = isinstance(element, AnyFloat)
    if not is_float and (shaped is None or integer_width(element) in (1, None)):
        return 0
    if shaped is not None and shaped.get_num_dims() == 2:
        return 0  # matrices have registers of their own
    bits = 8 * to_numpy(element).itemsize
    return 1 if shaped is None else ceil(shaped.get_shape()[0] * bits / machine.vector_bits)


def _registers_with(value: SSAValue, machine: Machine) -> int:
    """How many vector registers hold a value: one where a single number is in all lanes, however many these are."""
    registers = registers_of(value.type, machine)
    return min(registers, 1) if isinstance(value.owner, vector.BroadcastOp) else registers


def _width(op: Operation, machine: Machine) -> int:
    """How many registers the widest value of an op takes; one at least."""
    return max([1, *(registers_of(v.type, machine) for v in (*op.operands, *op.results))])


def _work(op: Operation, machine: Machine) -> Instructions:
    if isinstance(op, LoadOp):
        return _access(op, registers_of(op.result.type, machine), machine)
    if isinstance(op, StoreOp):
        return _access(op, registers_of(op.value.type, machine), machine)
    if isinstance(op, PrefetchOp):
        return Instructions(loads=1)
    if all(isinstance(v.type, IndexType) for v in (*op.operands, *op.results)):
        return Instructions()
    width = _width(op, machine)
    match op:
        case arith.ConstantOp() | vector.BitcastOp() | arith.BitcastOp():
            return Instructions()
        case DotOp() | OuterDotOp():
            types, bits = (str(op.lhs_type), str(op.rhs_type)), integer_width(element_type(op.lhs.type)) or WORD_BITS
            sums = max(registers_of(op.result.type, machine), 1)
            return Instructions(multiply_adds=sums * machine.issue.fma_units / machine.dots(*types, bits))
        case MmaOp():
            cycles = machine.matrix_cycles(op.dims[0]) if machine.matrix_registers else 0.0
            return Instructions(multiply_adds=cycles * machine.issue.fma_units)
        case UnpackOp():
            # A shift, and a lookup or two more operations.
            looked_up = machine.architecture.lookup(machine.features, machine.vector_bits) is not None
            return Instructions(shuffles=width, others=width) if looked_up else Instructions(others=3 * width)
        case LookupOp():
            return _lookup(op, machine)
        case UnpackBytesOp():
            return Instructions(others=(1 + (op.number.value.data > 0)) * width)
        case WordOp():
            rounds = len(op.numbers).bit_length() - 1  # and a shuffle in front where a register has several pieces
            return Instructions(shuffles=width * (rounds + (machine.vector_bits > 8 * _PIECE_BYTES)))
        case math.FmaOp() | arith.MulfOp() | arith.MuliOp():
            return Instructions(multiply_adds=width)
        case arith.DivfOp() | math.SqrtOp():
            return Instructions(multiply_adds=_NEWTON * width)
        case vector.BroadcastOp():
            return Instructions() if _is_loaded(op.source) else Instructions(shuffles=1)
        case vector.ReductionOp():
            steps = _combining_steps(op, machine)
            return Instructions(others=width - 1 + steps, shuffles=steps)
        case vector.ExtractOp() if _is_loaded(op.result):
            return Instructions()
        case vector.ShuffleOp() if _joins_registers(op, machine):
            return Instructions()
        case vector.ShuffleOp() | vector.ExtractOp() | vector.InsertOp():
            return Instructions(shuffles=width)
        case _:
            return Instructions(others=width) if op.results else Instructions()


def _joins_registers(op: vector.ShuffleOp, machine: Machine) -> bool:
    """Whether the result is both operands one after the other, each of them whole registers."""
    kind = vector_type(op.v1.type)
    if kind is None or tuple(op.mask.iter_values()) != tuple(range(2 * kind.get_shape()[0])):
        return False
    return kind.get_shape()[0] * 8 * to_numpy(kind.element_type).itemsize % machine.vector_bits == 0


def _lookup(op: LookupOp, machine: Machine) -> Instructions:
    shaped = vector_type(op.codes.type)
    lanes = 1 if shaped is None else shaped.get_shape()[0]
    if (found := machine.byte_lookup(lanes)) is None:
        return Instructions(loads=lanes, shuffles=0 if shaped is None else 2 * lanes)
    vectors = found.vectors(lanes)
    return Instructions(shuffles=vectors * found.parts, others=vectors * found.others)


def _access(op: LoadOp | StoreOp, registers: int, machine: Machine) -> Instructions:
    registers = max(registers, 1)
    is_load = isinstance(op, LoadOp)
    if op.lanes.rows is not None and (matrix := vector_type(op.accessed)) is not None:
        rows = matrix.get_shape()[0]
        return Instructions(loads=rows) if is_load else Instructions(stores=rows)
    if op.is_consecutive:
        # What lies on two lines is loaded, or stored, twice.
        times = registers * (1 + part_on_two_lines(op, machine.vector_bits // 8, machine.memory.line_bytes))
        return Instructions(loads=times) if is_load else Instructions(stores=times)
    shaped = vector_type(op.accessed)
    lanes = 1 if shaped is None else op.lanes.active or shaped.get_shape()[0]
    if op.lanes.along is None and op.lanes.stride == 2 and is_load:
        return Instructions(loads=2 * registers, shuffles=registers)
    if is_load:
        one_by_one = lanes / machine.issue.loads + lanes / machine.issue.shuffles
        gathered = registers * machine.issue.gather_cycles
        if 0 < gathered < one_by_one:
            return Instructions(gathers=registers)
        return Instructions(loads=lanes, shuffles=lanes)
    return Instructions(stores=lanes, shuffles=lanes)


def _combining_steps(op: Operation, machine: Machine) -> int:
    """How many times the lanes of a register are halved until one is left."""
    shaped = vector_type(op.operands[0].type)
    if shaped is None:
        return 0
    bits = 8 * to_numpy(element_type(shaped)).itemsize
    return ceil(log2(max(min(shaped.get_shape()[0], machine.vector_bits // bits), 1)))


def _latency(op: Operation, machine: Machine) -> float:
    issue = machine.issue
    if isinstance(op, LoadOp):
        return machine.memory.l1_latency
    if isinstance(op, ForOp | StoreOp | arith.ConstantOp | vector.BitcastOp | vector.BroadcastOp):
        return 0.0
    if all(isinstance(v.type, IndexType) for v in (*op.operands, *op.results)):
        return 0.0
    match op:
        case MmaOp():
            return issue.mma_latency
        case math.FmaOp() | arith.MulfOp() | arith.MuliOp() | DotOp() | OuterDotOp():
            return issue.fma_latency
        case arith.DivfOp() | math.SqrtOp():
            return _NEWTON * issue.fma_latency
        case vector.ReductionOp():
            halved = ceil(log2(max(_width(op, machine), 1))) + 2 * _combining_steps(op, machine)
            return halved * issue.add_latency
        case _:
            return issue.add_latency


def _registers_needed(block: Block, machine: Machine) -> int:
    """The most vector registers that hold values at a time, from what is carried to what is handed on."""
    ops = list(block.ops)
    last_use = {operand: at for at, op in enumerate(ops) for operand in op.operands}
    inside = {r for op in ops for r in op.results}.union(block.args)
    outside = [v for v in last_use if v not in inside]
    carried = block.args[1:]
    between = _total(outside, machine) + sum(
        _lanes_apart(v.type, machine) or registers_of(v.type, machine) for v in carried
    )
    held = _total((*carried, *outside), machine)
    most = max(between, held)
    dying: dict[int, list[SSAValue]] = {}
    for value, at in last_use.items():
        if value in inside:
            dying.setdefault(at, []).append(value)
    for at, op in enumerate(ops[:-1]):
        held -= _total(dying.get(at, ()), machine)
        held += _total((r for r in op.results if r in last_use and not _is_broadcast_only(r)), machine)
        most = max(most, held)
    return most


def _total(values: Iterable[SSAValue], machine: Machine) -> int:
    """The registers of values; constants are in memory for all that need them."""
    held = (v for v in values if not _is_broadcast_only(v) and not isinstance(v.owner, arith.ConstantOp))
    return sum(_registers_with(v, machine) for v in held)


def _is_broadcast_only(value: SSAValue) -> bool:
    """Whether a number is loaded into all lanes at once, and in no register of its own."""
    readers = [u.operation for u in value.uses]
    if all(isinstance(reader, vector.BitcastOp) for reader in readers):
        readers = [u.operation for reader in readers for word in reader.results for u in word.uses]
    if all(isinstance(reader, vector.ExtractOp) for reader in readers):
        readers = [u.operation for reader in readers for number in reader.results for u in number.uses]
    return _is_loaded(value) and all(isinstance(reader, vector.BroadcastOp) for reader in readers)


def _is_loaded(value: SSAValue) -> bool:
    """Whether a value is a number, or a word of several, as it was loaded."""
    while isinstance(value.owner, vector.BitcastOp | vector.ExtractOp):
        value = value.owner.operands[0]
    return isinstance(value.owner, LoadOp)
