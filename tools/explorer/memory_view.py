"""What lies where in the arena of a function, and when; and how large weights are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.support.dtypes import to_numpy
from mlc.support.file_digest import data_digest
from mlc.support.functions import models_of, passed_arguments
from mlc.support.ir import ancestor_in
from mlc.support.types import memref_type
from mlc.targets.program import Weight
from mlc.tools.explorer.document import Arena, Buffer, WeightSize
from mlc.tools.explorer.texts import Texts

_DIGITS = 16
"""How much of a digest is kept: 64 bits."""


@dataclass
class RecordMemory(Instrumentation):
    """Records the workspaces of models when they have some: later, views of one place of the workspace become one."""

    texts: Texts
    arenas: list[Arena] = field(default_factory=list[Arena])

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        if self.arenas:
            return
        self.arenas = [arena for function in models_of(module) if (arena := _arena(function, self.texts)) is not None]


def weight_sizes(weights: Sequence[Weight]) -> list[WeightSize]:
    """The constants of a program, the largest first."""
    return sorted(map(_size_of, weights), key=lambda each: -each.bytes)


def _size_of(weight: Weight) -> WeightSize:
    array = np.ascontiguousarray(weight.array)
    digest = data_digest(array.reshape(-1).view(np.uint8).data)[:_DIGITS]
    return WeightSize(weight.symbol, f"{'x'.join(map(str, array.shape))} {array.dtype}", array.nbytes, digest)


def _arena(function: FuncOp, texts: Texts) -> Arena | None:
    workspace = next((each.value for each in passed_arguments(function) if each.role == "workspace"), None)
    if workspace is None or len(function.body.blocks) > 1:
        return None
    block = function.body.block
    steps = [op for op in block.ops if not _is_preparation(op)]
    number = {op: n for n, op in enumerate(steps)}
    words = [op.callee.string_value() if isinstance(op, CallOp) else op.name for op in steps]
    buffers: list[Buffer] = []
    for use in workspace.uses:
        view = use.operation
        if not isinstance(view, memref.ViewOp) or (offset := _constant(view.byte_shift)) is None:
            continue
        users = [number[top] for user in _users(view.result) if (top := ancestor_in(user, block)) in number]
        kind = memref_type(view.result)
        size = to_numpy(kind.element_type).itemsize * prod(kind.get_shape())
        first, last = (min(users), max(users)) if users else (0, len(steps) - 1)
        name = f"%{hint}" if (hint := view.result.name_hint) else f"result of {words[first]}"
        buffers.append(Buffer(f"{name}: {kind}", offset, size, first, last, texts.place_of(view)))
    return Arena(function.sym_name.data, prod(memref_type(workspace).get_shape()), words, buffers)


def _is_preparation(op: Operation) -> bool:
    """Whether an op computes where something is."""
    return not op.regions and bool(op.results) and not isinstance(op, CallOp)


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    held = owner.value if isinstance(owner, arith.ConstantOp) else None
    return held.value.data if isinstance(held, IntegerAttr) else None


def _users(buffer: SSAValue) -> Iterator[Operation]:
    """The ops that touch a buffer, under whatever name."""
    pending, seen = [buffer], {buffer}
    while pending:
        for use in pending.pop().uses:
            yield use.operation
            views = [r for r in use.operation.results if isinstance(r.type, MemRefType) and r not in seen]
            seen.update(views)
            pending += views
