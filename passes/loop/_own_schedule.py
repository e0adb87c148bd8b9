"""Carrying out a schedule of mlc's own templates: whatever is wrong with it, the function comes out right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DenseResourceAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.nests import erase_unused_buffer, inline_single_iterations
from mlc.dialects.loop import ConstantOp, ScheduleAttr
from mlc.schedules.steps.base import Scheduling, apply_step
from mlc.schedules.steps.pack import Packer
from mlc.support.errors import UserError
from mlc.support.ir import clone
from mlc.support.resources import Resources
from mlc.syntax import verify_module


def apply_first_legal(schedules: Sequence[ScheduleAttr], function: func.FuncOp, scheduling: Scheduling) -> None:
    """Carry out the first of the schedules, or the next one if it fails, or leaves what does not verify; at last none.

    A step that names what is not there is left out. All that goes wrong is a remark.
    """
    ctx = scheduling.ctx
    before = _FunctionBefore(function, scheduling.shared(Packer).calls_of(function), ctx.resources)
    for schedule in schedules:
        try:
            if _apply(schedule, function, scheduling):
                verify_module(function)
        except MemoryError:
            raise
        except Exception as e:
            reason = e.message if isinstance(e, UserError) else f"{type(e).__name__}: {e}"
            ctx.remark(function, f"another schedule is taken, as mlc's own rules are wrong here: {reason}")
            if ctx.absent_callers is not None:
                ctx.absent_callers.are_missed = True  # they would have to undo what they were told
            before = before.restored()
            scheduling.forget(function)
        else:
            return


def _apply(schedule: ScheduleAttr, function: func.FuncOp, scheduling: Scheduling) -> bool:
    """Carry out a schedule without the steps that name what is not there; whether there are any."""
    is_wrong = False
    for step in schedule.steps:
        try:
            scheduling.ctx.remarks += apply_step(step, function, scheduling)
        except UserError as e:
            scheduling.ctx.remark(function, f"left out, as mlc's own rules are wrong here: {e.message}")
            if scheduling.ctx.absent_callers is not None:
                scheduling.ctx.absent_callers.are_missed = True  # who asks for remarks is to be told
            is_wrong = True
    inline_single_iterations(function)
    return is_wrong


class _FunctionBefore:
    """A function, and the constants that its calls pass, before steps change them."""

    def __init__(self, function: func.FuncOp, calls: Sequence[func.CallOp], resources: Resources) -> None:
        copy = clone(function)
        assert isinstance(copy, func.FuncOp)
        self._function, self._copy, self._calls, self._resources = function, copy, calls, resources
        self._passed = [(call, n, v, _constant(v)) for call in calls for n, v in enumerate(call.operands)]
        names = [name for *_, ops in self._passed for op in ops if (name := _resource_of(op)) is not None]
        self._data: dict[str, NDArray[Any]] = {n: a for n in names if (a := resources.made(n)) is not None}

    def restored(self) -> _FunctionBefore:
        """Make everything as it was, and remember that once more."""
        function, copy = self._function, self._copy
        function.attributes, function.properties = copy.attributes, copy.properties
        function.detach_region(0).erase()
        function.add_region(copy.detach_region(0))
        for name, data in self._data.items():
            self._resources.define(name, data)
        for call, position, value, ops in self._passed:
            now = call.operands[position]
            if ops and now is not value:
                Rewriter.insert_op(ops, InsertPoint.before(call))
                call.operands[position] = ops[-1].results[0]
                erase_unused_buffer(now)
        return _FunctionBefore(function, self._calls, self._resources)


def _constant(value: SSAValue) -> list[Operation]:
    """Copies of the constant that `value` is, and of the views through which it is; nothing for other values."""
    ops: list[Operation] = []
    while isinstance(op := value.owner, memref.ReinterpretCastOp):
        ops.insert(0, op)
        value = op.source
    if not isinstance(op, ConstantOp):
        return []
    mapping: dict[SSAValue, SSAValue] = {}
    return [clone(each, mapping) for each in (op, *ops)]


def _resource_of(op: Operation) -> str | None:
    """The name of the resource that a constant has; None for other ops."""
    if not isinstance(op, ConstantOp) or not isinstance(op.value, DenseResourceAttr):
        return None
    return op.value.resource_handle.data
