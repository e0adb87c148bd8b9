"""The blocks in which a model's ops stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from mlc.dialects.graph import FusionOp


def graph_blocks(module: ModuleOp) -> list[Block]:
    """The blocks of all functions, and those of loops and branches in them; not those of kernels."""
    functions = [op for op in module.walk() if isinstance(op, FuncOp)]
    return [found for function in functions for found in _with_inner(function.body.blocks)]


def _with_inner(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        for op in block.ops:
            if not isinstance(op, FusionOp):
                for region in op.regions:
                    yield from _with_inner(region.blocks)
