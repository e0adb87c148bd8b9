"""The op at which two forms of a function part, found from their values.

In each form the search starts at the outputs and goes from a value that the other form does not have to those that it
is computed of, as long as these are missing in the other form as well. Where it ends stands an op with operands that
both forms have, and a result that only one has: in the form before what is computed no more, in the form after what is
computed instead. (As delta debugging of states does: Zeller, "Isolating cause-effect chains", FSE 2002.)

A pattern that replaces an op may leave out operands of it, which are computed no more either, and before it. So in the
form before an op comes first that a pattern was applied to.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from numpy.typing import NDArray
from xdsl.dialects.builtin import MemRefType, ModuleOp, UnknownLoc, i1
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from mlc.analysis.memory_accesses import base_of
from mlc.pass_manager.snapshots import Snapshot
from mlc.support.functions import OUTPUT, marks_of
from mlc.support.locations import location_of
from mlc.support.types import element_type
from mlc.tools.value_trace import Trace, first_parting, is_compared

Array = NDArray[Any]


@dataclass(frozen=True)
class Parting:
    """Where two forms of a function part.

    Attributes:
        before: the op of the form before whose result the form after does not have, if there is one: one that a pattern
            was applied to, if there is such a one.
        after: the op of the form after whose result the form before does not have, if there is one.
        number: the place, counted over all numbers in order, and the two numbers at which these results part first;
            None if they have different shapes, or were not made of one op of the model.
    """

    before: Operation | None
    after: Operation | None
    number: tuple[int, Any, Any] | None = None


def parting_of(
    forms: tuple[Snapshot, Snapshot], function: str, inputs: Sequence[Array], rewritten: Container[Operation] = ()
) -> Parting:
    """Where the two forms of `function` part, for inputs for which their outputs differ; patterns were applied to the
    ops `rewritten` of the form before.

    If all values of both are in the other one too, which is so if a pass loads or stores at the wrong place, neither
    has an op that parts.
    """
    traces = [Trace(form, function, inputs) for form in forms]
    found = [
        _first_missing(_function(form, function), own, other, rewritten)
        for form, own, other in zip(forms, traces, reversed(traces), strict=True)
    ]
    before, after = found
    number = None
    old, new = before and _op_of(before), after and _op_of(after)
    if before and after and old and new and _has_place_of(new, old):
        number = first_parting(traces[0].values[before], traces[1].values[after])
    return Parting(old, new, number)


def _function(form: Snapshot, name: str) -> FuncOp:
    return next(op for op in form.module.ops if isinstance(op, FuncOp) and op.sym_name.data == name)


def _first_missing(function: FuncOp, own: Trace, other: Trace, rewritten: Container[Operation]) -> SSAValue | None:
    """The value, missing in the other run, that is computed first of values which are not; before all others one that
    an op of `rewritten` computes."""
    sources = _Sources(function)
    order = {value: number for number, value in enumerate(own.values)}

    def is_missing(value: SSAValue) -> bool:
        return value in own.values and not other.has(own.values[value])

    work = [value for value in sources.outputs() if is_missing(value)]
    seen, ends = set(work), list[SSAValue]()
    while work:
        value = work.pop()
        further = {each for each in sources.of(value) if not _is_free(each, value) and is_missing(each)}
        if not further:
            ends.append(value)
        work += further - seen
        seen |= further
    replaced = [each for each in seen if (op := _op_of(each)) and op in rewritten]
    # Values that a loop carries are computed of each other: then it is the op that ran first.
    ends = replaced or ends or [value for value in seen if isinstance(value, OpResult)]
    return min(ends, key=order.__getitem__, default=None)


def _has_place_of(new: Operation, old: Operation) -> bool:
    """Whether one op may have been made of the other: nobody has to say of a new op where it is from."""
    return isinstance(new.location, UnknownLoc) or location_of(new) == location_of(old)


def _is_free(source: SSAValue, value: SSAValue) -> bool:
    """Whether another form may have another `source` for a `value` without being wrong: a constant, or a condition."""
    is_constant = isinstance(source, OpResult) and not source.op.operands and not source.op.regions
    return is_constant or (element_type(source.type) == i1 != element_type(value.type))


def _op_of(value: SSAValue) -> Operation | None:
    return value.op if isinstance(value, OpResult) else cast(Block, value.owner).parent_op()


class _Sources:
    """What values of a function, and of those that it calls, are computed of, through buffers as well."""

    def __init__(self, function: FuncOp) -> None:
        self._function = function
        self._stored: dict[SSAValue, list[SSAValue]] = {}
        """By buffer, what stores write to it."""
        self._passed: dict[SSAValue, list[SSAValue]] = {}
        """By value, the arguments of functions that it is passed as, and the other way round."""
        module = function.parent_op()
        assert isinstance(module, ModuleOp)
        self._functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}
        for op in module.walk():
            if isinstance(op, CallOp):
                callee = self._functions.get(op.callee.string_value())
                for operand, argument in zip(op.arguments, callee.args if callee else (), strict=False):
                    self._link(_base(operand), argument)
            elif not op.results:
                for buffer in (v for v in op.operands if isinstance(v.type, MemRefType)):
                    self._stored.setdefault(base_of(buffer), []).extend(v for v in op.operands if is_compared(v))

    def _link(self, operand: SSAValue, argument: SSAValue) -> None:
        self._passed.setdefault(operand, []).append(argument)
        self._passed.setdefault(argument, []).append(operand)

    def outputs(self) -> Iterator[SSAValue]:
        """What the function returns, or stores in the buffers of its caller."""
        marks = marks_of(self._function.args, self._function.arg_attrs)
        for argument, mark in zip(self._function.args, marks, strict=True):
            if OUTPUT in mark:
                yield from self._written(argument)
        yield from _returned(self._function)

    def of(self, value: SSAValue) -> Iterator[SSAValue]:
        """Operands, what blocks hand on, what is stored in buffers that are read, what callees return."""
        if isinstance(value, OpResult):
            op, blocks = value.op, [block for region in value.op.regions for block in region.blocks]
        else:
            block = value.owner
            assert isinstance(block, Block)
            op, blocks = block.parent_op(), [block]
        if isinstance(op, FuncOp):
            yield from self._passed.get(value, ())
        elif isinstance(op, CallOp) and (callee := self._functions.get(op.callee.string_value())) is not None:
            yield from _returned(callee)
        elif op is not None:
            for source in (*op.operands, *(v for each in blocks if each.last_op for v in each.last_op.operands)):
                yield from self._written(source) if isinstance(source.type, MemRefType) else (source,)

    def _written(self, buffer: SSAValue) -> Iterator[SSAValue]:
        """What is stored in a buffer, here or where it is passed to."""
        work, seen = [base_of(buffer)], set[SSAValue]()
        while work:
            each = work.pop()
            if each not in seen:
                seen.add(each)
                yield from self._stored.get(each, ())
                work += map(_base, self._passed.get(each, ()))


def _base(value: SSAValue) -> SSAValue:
    return base_of(value) if isinstance(value.type, MemRefType) else value


def _returned(function: FuncOp) -> Iterator[SSAValue]:
    for block in function.body.blocks:
        if isinstance(block.last_op, ReturnOp):
            yield from block.last_op.operands
