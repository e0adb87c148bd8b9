"""Control flow of StableHLO."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from mlc.dialects.chlo.scan import ScanForm
from mlc.dialects.stablehlo import CompositeOp, HloOp, WhileOp, hlo
from mlc.reference.execution import Frame, InputsUndefined, executes
from mlc.support.dtypes import dtype_of
from mlc.support.locations import error_at
from mlc.support.types import tensor_type

_MOST_STEPS = 10_000
"""A loop that takes more steps than this is taken for one that does not end."""


@executes(WhileOp)
def loop(op: WhileOp, frame: Frame) -> None:
    """Its body, as long as the condition holds.

    Raises:
        InputsUndefined: it does not end.
    """
    carried = [frame[v] for v in op.operands]
    for _ in range(_MOST_STEPS):
        if not frame.run_block(op.cond.block, carried)[0].item():
            break
        carried = [np.asarray(a) for a in frame.run_block(op.do.block, carried)]
    else:
        raise InputsUndefined(f"{op.name}: more than {_MOST_STEPS} steps; the condition seems to hold for ever")
    for result, array in zip(op.results, carried, strict=True):
        frame[result] = array


@executes(hlo("scan", "chlo"))
def scan(op: HloOp, frame: Frame) -> None:
    """Step by step, from the end if it is reversed."""
    form = cast(ScanForm, op)
    carried = [frame[v] for v in form.initial]
    inputs = [np.moveaxis(frame[v], form.axis, 0) for v in form.inputs]
    outputs = op.results[: len(op.results) - form.carried]
    kinds = [tensor_type(v) for v in outputs]
    stacks = [np.zeros((form.steps, *_without(t.get_shape(), form.axis)), dtype_of(t.element_type)) for t in kinds]
    for step in reversed(range(form.steps)) if op.number("is_reverse") else range(form.steps):
        found = [np.asarray(a) for a in frame.run_block(op.body(), [*(np.asarray(x[step]) for x in inputs), *carried])]
        carried = found[len(stacks) :]
        for stack, row in zip(stacks, found, strict=False):
            stack[step] = row
    for result, array in zip(op.results, [*(np.moveaxis(s, 0, form.axis) for s in stacks), *carried], strict=True):
        frame[result] = array


def _without(extents: Sequence[int], axis: int) -> list[int]:
    return [e for i, e in enumerate(extents) if i != axis]


@executes(hlo("if"))
def branch(op: HloOp, frame: Frame) -> None:
    """One of two regions."""
    found = frame.run_block(op.body(0 if frame[op.operands[0]].item() else 1), [])
    for result, array in zip(op.results, found, strict=True):
        frame[result] = array


@executes(hlo("case"))
def case(op: HloOp, frame: Frame) -> None:
    """One of several regions; any number that is none of them means the last."""
    index, count = int(frame[op.operands[0]].item()), len(op.regions)
    found = frame.run_block(op.body(index if 0 <= index < count else count - 1), [])
    for result, array in zip(op.results, found, strict=True):
        frame[result] = array


@executes(CompositeOp)
def composite(op: CompositeOp, frame: Frame) -> None:
    """What its decomposition computes."""
    from xdsl.dialects.func import FuncOp

    name = op.decomposition.string_value()
    callee = frame.symbols.get(name)
    if not isinstance(callee, FuncOp) or not callee.body.blocks:
        raise error_at(op, f"'{name}' is called, but it is not a function with a body")
    inside = frame.of_callee()
    found = inside.run_block(callee.body.block, [frame[v] for v in op.operands])
    for result, array in zip(op.results, found, strict=True):
        frame[result] = array
