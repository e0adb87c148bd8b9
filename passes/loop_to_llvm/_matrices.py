"""Matrices: vectors of two dims, which live in registers of their own.

    %a = loop.load %x[%m, %k] rows 0 …                      tileloadd 4, x + …
    %c = loop.mma %a, %b, %acc : …            ->            tdpbusd 0, 4, 6
    loop.store %c, %t[0, 0] rows 0 …                        tilestored 0, t

LLVM has such registers as numbers in its instructions, so they are allocated here. A product takes the register of the
sums that it adds to, and loops hand sums on in the register in which they came. Before a run of ops that use registers,
these are configured; where all runs in a loop have one configuration, before the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith, func, llvm, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, i8, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.architectures.instructions import MatrixRegisters
from mlc.dialects import loop
from mlc.dialects.llvm import CallIntrinsicOp
from mlc.dialects.llvm import FuncOp as LLVMFuncOp
from mlc.passes.loop_to_llvm._addresses import Addresses
from mlc.passes.loop_to_llvm._entry_checks import return_early
from mlc.passes.loop_to_llvm._types import bit_width, integer_constant, memory_element, offset
from mlc.support.locations import error_at
from mlc.support.types import memref_type, vector_type
from mlc.targets.machine import Machine

_PREPARE = "mlc_prepare_matrices"
"""What asks the system for the registers: see `runtime/matrices.c`."""

Size = tuple[int, int]
"""The rows of a matrix, and the bytes of a row."""
Sizes = tuple[Size, ...]
"""Those of the matrices in all registers, zeros where none is used: what registers are configured with."""


def makes_matrices(module: ModuleOp) -> bool:
    """Whether there are matrices in a module."""
    return any(_is_matrix(result) for op in module.walk() for result in op.results)


def lower_matrices(function: func.FuncOp, machine: Machine) -> None:
    """Lower all that a function does with matrices.

    Raises:
        UserError: the target has no registers for them, or not enough, or an op does something else with them.
    """
    first = next((op for op in function.walk() if _is_about_matrices(op)), None)
    if first is None:  # patterns for vectors of one dim say what they require
        return
    if (registers := machine.matrix_registers) is None:
        raise error_at(first, f"{first.name}: found a matrix, and {machine.name} has no registers for them")
    allocation = _RegisterAllocation(machine, registers)
    for block in function.body.blocks:
        allocation.visit(block)
    allocation.erase_old()
    _Configuring(machine, registers, function, allocation.runs).place()


@dataclass
class _RegisterAllocation:
    """One walk over a function in program order, which gives each matrix a register and lowers what is done with it."""

    machine: Machine
    registers: MatrixRegisters
    runs: dict[Operation, Sizes] = field(default_factory=dict[Operation, Sizes])
    """The first op of each run of ops that use registers, and their sizes in it."""
    _number: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    _uses_left: dict[int, int] = field(default_factory=dict[int, int])
    """Of each register that holds something."""
    _block: dict[int, Block] = field(default_factory=dict[int, Block])
    """Where each register that holds something was filled first: what loops in there use is needed until they end."""
    _sizes: dict[int, Size] = field(default_factory=dict[int, Size])
    """Of the registers that were used in this run."""
    _old: list[Operation] = field(default_factory=list[Operation])
    _waiting: dict[SSAValue, loop.LoadOp] = field(default_factory=dict[SSAValue, loop.LoadOp])
    """Loads that nobody needed yet: they take no register before, and nothing in between writes."""
    _start: Operation | None = None
    _addresses: Addresses = field(default_factory=Addresses)

    def visit(self, block: Block) -> None:
        """Lower what a block does."""
        for op in list(block.ops):
            handled = (*op.operands, *op.results)
            if any(map(_is_matrix, handled)):
                self._lower(op)
            elif self._uses_left and isinstance(op, func.CallOp | llvm.CallOp):
                raise error_at(op, "found a call while registers hold matrices, which it would lose")
            elif isinstance(op, loop.StoreOp) or op.regions:
                self._load_all(op)
            for region in op.regions:
                for inner in region.blocks:
                    self.visit(inner)
            if isinstance(op, loop.ForOp):
                self._leave(op)
            self._free(block)
        self._waiting.clear()  # what nobody uses

    def erase_old(self) -> None:
        """Erase the ops that were lowered, and what loops carry for them."""
        loops = [op for op in self._old if isinstance(op, loop.ForOp)]
        for op in loops:
            last = op.body.block.last_op
            assert last is not None
            last.operands = [v for v in last.operands if not _is_matrix(v)]
            op.start_from([v for v in op.iter_args if not _is_matrix(v)])
        for op in reversed(self._old):
            if not isinstance(op, loop.ForOp | loop.YieldOp):
                Rewriter.erase_op(op)
        for op in loops:
            _drop_matrices(op)

    def _lower(self, op: Operation) -> None:
        self._old.append(op)
        if isinstance(op, loop.StoreOp | loop.ForOp | loop.YieldOp):
            self._load_all(op)
        match op:
            case loop.LoadOp():
                self._waiting[op.result] = op
            case loop.StoreOp():
                number = self._use(op.value, op)
                name = self.registers.store
                self._emit(op, name, integer_constant(number, i8), self._address(op, op), _row_distance(op))
            case loop.MmaOp():
                self._multiply(op)
            case vector.BitcastOp():
                if (load := self._waiting.get(op.source)) is not None:
                    self._waiting[op.result] = load
                else:
                    self._holds(self._use(op.source, op), op.result)
            case arith.ConstantOp():
                value = op.value
                if not isinstance(value, DenseIntOrFPElementsAttr) or any(value.data.data):
                    raise error_at(
                        op, "arith.constant: found a matrix of other numbers, required zeros, all of them +0"
                    )
            case loop.ForOp():
                for initial, inside in zip(op.iter_args, op.carried, strict=True):
                    if _is_matrix(initial):
                        self._holds(self._sums(initial, op), inside)
            case loop.YieldOp():
                self._hand_on(op)
            case _:
                raise error_at(
                    op, f"{op.name}: found a vector of two dims; registers for matrices have no such instruction"
                )

    def _multiply(self, op: loop.MmaOp) -> None:
        name = self.machine.matrix_instruction(str(op.lhs_type), str(op.rhs_type))
        if name is None:
            raise error_at(
                op,
                f"loop.mma: found matrices of {op.lhs_type} and {op.rhs_type}, and {self.machine.name} has no "
                "instruction for their product; required: a schedule without 'mma', or another target",
            )
        sums = self._sums(op.accumulator, op)
        numbers = (sums, self._use(op.lhs, op), self._use(op.rhs, op))
        self._emit(op, name, *(integer_constant(n, i8) for n in numbers))
        self._holds(sums, op.result)

    def _sums(self, value: SSAValue, user: Operation) -> int:
        """The register of what `user` adds to, and overwrites; zeros are made for it."""
        if isinstance(value.owner, arith.ConstantOp):
            number = self._take(value, user)
            self._emit(user, self.registers.zero, integer_constant(number, i8))
            return number
        if len(list(value.uses)) > 1:
            raise error_at(user, f"{user.name}: found sums that are used elsewhere as well; they would be overwritten")
        return self._use(value, user)

    def _hand_on(self, op: loop.YieldOp) -> None:
        parent = op.parent_op()
        assert isinstance(parent, loop.ForOp)
        for value, inside in zip(op.operands, parent.carried, strict=True):
            if _is_matrix(value) and self._number.get(value) != self._number[inside]:
                raise error_at(op, "loop.yield: found a matrix in another register than the one it was carried in")

    def _leave(self, op: loop.ForOp) -> None:
        """After a loop, its results are in the registers of what it carries."""
        for inside, result in zip(op.carried, op.results, strict=True):
            if _is_matrix(result):
                number = self._number[inside]
                self._uses_left[number] = 0
                self._holds(number, result)

    def _take(self, value: SSAValue, user: Operation) -> int:
        """A register that is free.

        Raises:
            UserError: there is none of this size.
        """
        size = self._size(value, user)
        free = (n for n in range(self.registers.number) if n not in self._uses_left)
        number = next((n for n in free if self._sizes.get(n, size) == size), None)
        if number is None:
            raise error_at(
                user,
                f"{user.name}: found more matrices at a time, or of more sizes, than {self.machine.name} has registers "
                f"for, {self.registers.number}; required: fewer copies of unrolled loops",
            )
        block = user.parent
        assert block is not None
        self._sizes[number], self._uses_left[number], self._block[number] = size, 0, block
        return number

    def _size(self, value: SSAValue, user: Operation) -> Size:
        kind = vector_type(value.type)
        assert kind is not None
        rows, columns = kind.get_shape()
        row_bytes = columns * bit_width(kind) // 8
        if rows > self.registers.rows or row_bytes > self.registers.row_bytes:
            most = f"{self.registers.rows} rows of {self.registers.row_bytes} bytes"
            found = f"{rows} rows of {row_bytes} bytes"
            raise error_at(user, f"{user.name}: found {kind}, {found}, required at most {most}")
        return rows, row_bytes

    def _holds(self, number: int, value: SSAValue) -> None:
        self._number[value] = number
        self._uses_left[number] += len(list(value.uses))

    def _load_all(self, before: Operation) -> None:
        """Load what waits, before an op that may write."""
        for value in list(self._waiting):
            self._load(value, before)

    def _load(self, value: SSAValue, before: Operation) -> None:
        """Load a matrix that waits, under all its types."""
        if (load := self._waiting.get(value)) is None:
            return
        number = self._take(load.result, before)
        self._emit(
            before, self.registers.load, integer_constant(number, i8), self._address(load, before), _row_distance(load)
        )
        names = [v for v, waiting in self._waiting.items() if waiting is load]
        casts = {v.owner for v in names}
        for each in names:
            del self._waiting[each]
            self._number[each] = number
            self._uses_left[number] += sum(use.operation not in casts for use in each.uses)

    def _use(self, value: SSAValue, user: Operation) -> int:
        self._load(value, user)
        number = self._number[value]
        self._uses_left[number] -= 1
        return number

    def _free(self, block: Block) -> None:
        """Free the registers of this block that nobody uses any more; without any, a run ends."""
        if self._start is None:
            return
        for number in [n for n, left in self._uses_left.items() if left <= 0 and self._block[n] is block]:
            del self._uses_left[number]
        if not self._uses_left:
            self.runs[self._start] = tuple(self._sizes.get(n, (0, 0)) for n in range(self.registers.number))
            self._sizes, self._start = {}, None

    def _address(self, op: loop.LoadOp | loop.StoreOp, before: Operation) -> SSAValue:
        kind = memref_type(op.memref)
        element = memory_element(kind.element_type)
        return self._addresses.address(before, op.memref, kind.get_shape(), element, op.map.data.results, op.indices)

    def _emit(self, at: Operation, name: str, *operands: llvm.ConstantOp | SSAValue) -> None:
        first = call_intrinsic(name, operands, InsertPoint.before(at))
        self._start = self._start or first


def call_intrinsic(name: str, operands: Sequence[llvm.ConstantOp | SSAValue], at: InsertPoint) -> Operation:
    """Insert a call of an intrinsic without a result, and the constants that it takes; the first of these ops."""
    constants = [op for op in operands if isinstance(op, llvm.ConstantOp)]
    values = [op.result if isinstance(op, llvm.ConstantOp) else op for op in operands]
    ops = [*constants, CallIntrinsicOp(name, values, [])]
    Rewriter.insert_op(ops, at)
    return ops[0]


@dataclass
class _Configuring:
    """Tells registers the sizes of their matrices, as rarely as possible."""

    machine: Machine
    registers: MatrixRegisters
    function: func.FuncOp
    runs: dict[Operation, Sizes]
    _room: SSAValue | None = None

    def place(self) -> None:
        """Configure registers for all runs, and release them where the function returns."""
        for block in self.function.body.blocks:
            self._place_one_by_one(self._needs(block))
            last = block.last_op
            if isinstance(last, func.ReturnOp):
                call_intrinsic(self.registers.release, [], InsertPoint.before(last))

    def _needs(self, block: Block) -> list[tuple[Operation, Sizes | None]]:
        """What the ops of a block need, in order: sizes, or None where an op in it has changed them already."""
        needs: list[tuple[Operation, Sizes | None]] = []
        for op in list(block.ops):
            if (sizes := self.runs.get(op)) is not None:
                needs.append((op, sizes))
            elif isinstance(op, func.CallOp | llvm.CallOp):
                needs.append((op, None))
            for region in op.regions:
                inside = [need for inner in region.blocks for need in self._needs(inner)]
                kinds = {sizes for _, sizes in inside}
                if len(kinds) == 1 and None not in kinds:
                    needs.append((op, inside[0][1]))
                elif kinds:
                    self._place_one_by_one(inside)
                    needs.append((op, None))
        return needs

    def _place_one_by_one(self, needs: Sequence[tuple[Operation, Sizes | None]]) -> None:
        before: Sizes | None = None
        for op, sizes in needs:
            if sizes is not None and sizes != before:
                self._configure(op, sizes)
            before = sizes

    def _configure(self, op: Operation, sizes: Sizes) -> None:
        words = self.machine.instruction_set.matrix_configuration(sizes)
        at, room = InsertPoint.before(op), self._memory(len(words))
        for number, word in enumerate(words):
            constant, place = integer_constant(word, i64), offset(room, number, i64)
            Rewriter.insert_op([constant, place, llvm.StoreOp(constant.result, place.result)], at)
        call_intrinsic(self.registers.configure, [room], at)

    def _memory(self, words: int) -> SSAValue:
        """Room on the stack for what registers are told."""
        if self._room is None:
            size = integer_constant(words, i64)
            room = llvm.AllocaOp(size.result, i64, 64)
            first = self.function.body.blocks[0].first_op
            assert first is not None
            Rewriter.insert_op([size, room], InsertPoint.before(first))
            self._room = room.res
        return self._room


def _drop_matrices(op: loop.ForOp) -> None:
    """Replace a loop by one that carries no matrices, of which nothing is used any more."""
    block = op.body.block
    for argument in [a for a in block.args if _is_matrix(a)]:
        block.erase_arg(argument)
    results = [result for result in op.results if not _is_matrix(result)]
    new = op.like(op.iter_args, op.detach_region(op.body))
    Rewriter.insert_op(new, InsertPoint.before(op))
    for old, result in zip(results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()


def declare_preparation(module: ModuleOp) -> None:
    """Declare the function that asks the system for registers."""
    prepare = LLVMFuncOp(_PREPARE, llvm.LLVMFunctionType([], i32), linkage=llvm.LinkageAttr("external"), visibility=1)
    module.body.block.add_op(prepare)


def prepare_matrices(body: Region) -> None:
    """Ask the system for registers before the code of a model; if it refuses, return what it says."""
    call = llvm.CallOp(_PREPARE, return_type=i32)
    zero = integer_constant(0, i32)
    status = call.returned
    assert status is not None
    failed = llvm.ICmpOp(status, zero.result, IntegerAttr(llvm.ICmpPredicateFlag.NE.to_int(), i64))
    return_early(body, [call, zero, failed], failed.res, status)


def _is_about_matrices(op: Operation) -> bool:
    is_access = isinstance(op, loop.LoadOp | loop.StoreOp)
    return isinstance(op, loop.MmaOp) or (is_access and op.lanes.rows is not None)


def _is_matrix(value: SSAValue) -> bool:
    kind = vector_type(value.type)
    return kind is not None and kind.get_num_dims() == 2


def _row_distance(op: loop.LoadOp | loop.StoreOp) -> llvm.ConstantOp:
    """The bytes from one row of a matrix to the next."""
    kind, lanes = memref_type(op.memref), op.lanes
    assert lanes.rows is not None
    elements = lanes.row_stride * prod(kind.get_shape()[lanes.rows + 1 :])
    return integer_constant(elements * bit_width(kind.element_type) // 8, i64)
