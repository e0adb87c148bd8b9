"""Which loops of a function its blocks are in, by the names of the loops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

LoopNames = Sequence[Sequence[str]]
"""For each block of a function, in order, the names of the loops around it, outermost first."""


def loop_names(module: ModuleOp) -> dict[str, LoopNames]:
    """Those of all functions of a module at the llvm level, by the names of these."""
    return {op.sym_name.data: _around(op.body.blocks) for op in module.walk() if isinstance(op, llvm.FuncOp)}


def _around(blocks: Sequence[Block]) -> LoopNames:
    """A loop is its first block, to which its last one goes back, and all between them: `convert-loop-to-llvm` writes
    blocks in the order of the loops. The first argument of the first block is the counter, called as the loop is."""
    number = {block: n for n, block in enumerate(blocks)}
    last: dict[int, int] = {}
    for n, block in enumerate(blocks):
        for successor in block.last_op.successors if block.last_op is not None else ():
            if (first := number[successor]) <= n:
                last[first] = n
    names = [(block.args[0].name_hint if block.args else None) or "?" for block in blocks]
    return [[names[first] for first, end in sorted(last.items()) if first <= n <= end] for n in range(len(blocks))]
