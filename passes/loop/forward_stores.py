"""`forward-stores`: use a value that was stored, instead of loading it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from mlc.analysis.dependences import may_meet
from mlc.analysis.memory_accesses import MemoryAccess, base_of, buffers_stored_in
from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import LoadOp, StoreOp
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext

Known = dict[SSAValue, list[tuple[MemoryAccess, SSAValue]]]
"""Per buffer, what is known to be in it: the stores of the last values, and these values."""


@dataclass(frozen=True)
class ForwardStoresPass(Pass):
    """Replace loads by the values that were stored there, and drop buffers that nobody reads any more.

        loop.store %max, %t[0] : memref<1xf32>
        loop.for parallel "n" %n = 0 to 16 {
          %a = loop.load %t[0] : memref<1xf32>
          S(%a)
        }
    ->
        loop.for parallel "n" %n = 0 to 16 { S(%max) }

    A load takes the value of a store before it, in its block or in a block around it, at equal subscripts and of
    the same type, unless an op in between may write there. So the sum of a row stays in a register.
    """

    name = "forward-stores"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        for function in functions_with_loops(module):
            for block in function.body.blocks:
                _Forwarder(block).run()
            for op in [op for op in function.walk() if isinstance(op, memref.AllocOp)]:
                _erase_if_unread(op)


class _Forwarder:
    """One walk over a block of a function in program order; of what other blocks have stored it knows nothing."""

    def __init__(self, block: Block) -> None:
        self._block = block
        # Most buffers are only read, or only written, or read elsewhere: at places that depend on other counters.
        self._read = {_place(op) for op in block.walk() if isinstance(op, LoadOp)}

    def run(self) -> None:
        """Forward the stores of the block."""
        self._visit(self._block, {})

    def _visit(self, block: Block, known: Known) -> None:
        for op in list(block.ops):
            if isinstance(op, LoadOp):
                _forward(op, known)
            elif isinstance(op, StoreOp):
                self._store(op, known)
            elif op.regions:
                self._enter(op, known)
            elif known and buffers_stored_in(op) is None:
                known.clear()

    def _store(self, op: StoreOp, known: Known) -> None:
        place = _place(op)
        entries = known.get(place[0], ())
        if not entries and place not in self._read:
            return
        access = MemoryAccess.of(op)
        kept = [entry for entry in entries if not may_meet(entry[0], access)]
        known[access.buffer] = [*kept, (access, op.value)] if place in self._read else kept

    def _enter(self, op: Operation, known: Known) -> None:
        """What a later iteration finds is what earlier ones have left: what is stored in a loop is not known in it."""
        stored = buffers_stored_in(op)
        if stored is None:
            known.clear()
        for buffer in stored or ():
            known.pop(buffer, None)
        for region in op.regions:
            for block in region.blocks:
                self._visit(block, dict(known))


def _place(op: LoadOp | StoreOp) -> tuple[SSAValue, frozenset[SSAValue]]:
    """The buffer of an access, and what its subscripts depend on: the same for two that are equal."""
    return base_of(op.memref), frozenset(op.indices)


def _forward(op: LoadOp, known: Known) -> None:
    """Replace the load if what it reads is known."""
    candidates = known.get(base_of(op.memref))
    if not candidates:
        return
    access = MemoryAccess.of(op)
    for store, value in candidates:
        if value.type == op.result.type and _same_place(store, access):
            op.result.replace_all_uses_with(value)
            op.detach()
            op.erase()
            return


def _same_place(store: MemoryAccess, load: MemoryAccess) -> bool:
    """Whether all that is read is what was written; lanes that are not active read as 0, whatever the value has."""
    direct = store.op.memref is store.buffer and load.op.memref is load.buffer
    lanes = store.op.lanes
    return (
        direct
        and None not in load.subscripts
        and store.subscripts == load.subscripts
        and lanes == load.op.lanes
        and lanes.active is None
    )


def _erase_if_unread(alloc: memref.AllocOp) -> None:
    users = [use.operation for use in alloc.memref.uses]
    if all(isinstance(user, StoreOp) and user.memref is alloc.memref for user in users):
        for op in (*users, alloc):
            op.detach()
            op.erase()
