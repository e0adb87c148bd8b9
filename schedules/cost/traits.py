"""What the loops of a function look like to a core, as numbers: for models of time that learn from measurements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import log2, prod

from xdsl.dialects import memref
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from mlc.analysis.accesses import AccessOp
from mlc.dialects.loop import ForOp, LoadOp, StoreOp, enclosing_loops
from mlc.schedules.cost.lines import Address, part_on_two_lines, width
from mlc.schedules.cost.work import BlockWork, work_of_block
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type, memref_type
from mlc.targets.machine import Machine


def traits(function: FuncOp, machine: Machine) -> dict[str, float]:
    """Numbers by name, of all loops of `function` and of the innermost one that keeps a core longest ("longest …").

    Numbers of things are logarithms to base 2, so that differences are factors; parts are between 0 and 1.
    """
    ops = list(function.walk())
    found = {
        "ops": log2(len(ops)),
        "loops": float(sum(isinstance(op, ForOp) for op in ops)),
        "allocated bytes": log2(1 + sum(_bytes(op) for op in ops if isinstance(op, memref.AllocOp))),
    }
    innermost = list(_innermost(function, machine))
    if not innermost:
        return found
    accesses = [(each, access) for each in innermost for access in each.accesses]
    count = sum(each.times for each, _ in accesses)
    piece, line = machine.vector_bits // 8, machine.memory.line_bytes
    on_two = sum(each.times * part_on_two_lines(a, piece, line) for each, a in accesses if a.is_consecutive)
    jumping = sum(each.times for each, access in accesses if _step(access, each.loop) >= line)
    longest = max(innermost, key=lambda each: each.busy * each.rounds)
    start = longest.work.work
    return found | {
        "iterations": log2(sum(each.rounds for each in innermost)),
        "loops entered": log2(sum(each.times / len(each.loop.range) for each in innermost)),
        "accesses": log2(1 + count),
        "bytes accessed": log2(1 + sum(each.times * width(access) for each, access in accesses)),
        "on two lines": on_two / max(count, 1),
        "jumping": jumping / max(count, 1),
        "longest iterations": log2(len(longest.loop.range)),
        "longest loads": start.loads + start.gathers,
        "longest stores": start.stores,
        "longest shuffles": start.shuffles,
        "longest path": longest.work.path,
        "longest carried": float(len(longest.block.args) - 1),
        "longest conflicts": _conflicts(longest, machine),
    }


@dataclass(frozen=True)
class _Innermost:
    """A loop without loops in it."""

    loop: ForOp
    times: int
    """How many iterations it runs in all."""
    machine: Machine

    @property
    def block(self) -> Block:
        return self.loop.body.block

    @cached_property
    def work(self) -> BlockWork:
        return work_of_block(self.block, self.machine)

    @property
    def rounds(self) -> float:
        """Its iterations, where LLVM makes several of them one."""
        return self.times / self.work.side_by_side

    @property
    def busy(self) -> float:
        """The cycles of an iteration."""
        busy = max(1.0, self.work.chain, *self.work.work.cycles(self.machine).values())
        return busy + self.work.spilling(self.machine)

    @cached_property
    def accesses(self) -> list[AccessOp]:
        return [op for op in self.block.walk() if isinstance(op, LoadOp | StoreOp)]


def _innermost(function: FuncOp, machine: Machine) -> Iterator[_Innermost]:
    """All that run."""
    for loop in function.walk():
        if isinstance(loop, ForOp) and not any(isinstance(op, ForOp) for op in loop.body.block.walk()):
            times = prod(len(each.range) for each in (loop, *enclosing_loops(loop)))
            if times:
                yield _Innermost(loop, times, machine)


def _conflicts(longest: _Innermost, machine: Machine) -> float:
    """How many times over the lines of one access, which jumps, fill the sets of the first cache that they fall on."""
    memory = machine.memory
    steps = [step for op in longest.accesses if (step := _step(op, longest.loop)) >= memory.line_bytes]
    sets = [memory.sets_of(step) for step in steps]
    return log2(max([1.0, *(len(longest.loop.range) / each for each in sets)]))


def _step(op: AccessOp, loop: ForOp) -> int:
    address = Address.of(op)
    return 0 if address is None else address.step(loop)


def _bytes(op: memref.AllocOp) -> int:
    kind = memref_type(op.memref)
    return prod(kind.get_shape()) * to_numpy(element_type(kind)).itemsize
