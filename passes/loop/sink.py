"""`sink`: compute values right where they are needed."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from mlc.analysis.memory_accesses import base_of, buffers_stored_in
from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import ForOp, LoadOp
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class SinkPass(Pass):
    """Move loads, and ops on one value such as broadcasts, down to the first op that reads them.

        %a = loop.load %x[%m, %k]; %b = loop.load %x[%m + 1, %k]; %c = math.fma %a, …; %d = math.fma %b, …
    ->
        %a = loop.load %x[%m, %k]; %c = math.fma %a, …; %b = loop.load %x[%m + 1, %k]; %d = math.fma %b, …

    So fewer values are alive at a time; an op on several values would only keep these alive longer. The accumulators of
    a register tile leave few registers for others, and LLVM takes the order of the program as the starting point of its
    own. Loads stay before what may write where they read: stores, calls, loops with stores to their buffer. They
    pass other loops, so that a mask that is read after a reduction takes no register in it. Nothing moves into another
    block.
    """

    name = "sink"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        for function in functions_with_loops(module):
            for block in function.body.blocks:
                _sink_in(block)
            for op in function.walk():
                if isinstance(op, ForOp):
                    _sink_in(op.body.block)


def _sink_in(block: Block) -> None:
    """Sort the ops of `block` by where they are needed; one with readers in other blocks alone stays where it is."""
    ops = list(block.ops)
    position: dict[Operation, int] = {op: i for i, op in enumerate(ops)}
    needed: dict[Operation, int] = {}
    end = len(ops)
    written: dict[SSAValue, int] = {}  # where each buffer is next written, and where all of them may be
    for op in reversed(ops):
        here = position[op]
        needed[op] = here
        if isinstance(op, LoadOp):
            needed[op] = min(_first_reader(op, needed, here), written.get(base_of(op.memref), end), end)
        elif op.regions or not is_side_effect_free(op):
            stored = buffers_stored_in(op)
            end = end if stored is not None else here
            written.update(dict.fromkeys(stored or (), here))
        elif len(op.operands) <= 1 and op.results:
            needed[op] = _first_reader(op, needed, here)
    order = sorted(ops, key=lambda op: (needed[op], position[op]))
    if order != ops:
        for op in ops:
            op.detach()
        block.add_ops(order)


def _first_reader(op: Operation, needed: dict[Operation, int], here: int) -> int:
    """Where the first reader of a result ends up; a reader inside a loop of the block is that loop."""
    places: list[int] = []
    for result in op.results:
        for use in result.uses:
            reader: Operation | None = use.operation
            while reader is not None and reader not in needed:
                reader = reader.parent_op()
            places.append(here if reader is None else needed[reader])
    return min(places, default=here)
