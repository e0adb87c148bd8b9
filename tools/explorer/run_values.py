"""One run of a model by the reference: its values, and where each is from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, OpResult, SSAValue

from mlc.reference.interpreter import run_function
from mlc.support.functions import models_of
from mlc.support.resources import Resources
from mlc.tools.explorer.document import NO_PLACE, KernelCall
from mlc.tools.explorer.texts import Texts, places_in

Array = NDArray[Any]
TellValue = Callable[[SSAValue, Array, int], None]
"""Is told that a value of a tensor is an array, with the place of what computes it. Inputs have none, nor what only
hands on a value that was told before."""


def run_model(
    module: ModuleOp,
    inputs: Sequence[Array],
    resources: Resources,
    texts: Texts,
    calls: Mapping[Operation, KernelCall],
    note: TellValue,
) -> None:
    """Run the first model of a module, and tell `note` each tensor on the way, in order of execution.

    A kernel of several calls has the places of one of them: `calls` has those of each.

    Raises:
        UserError, UndefinedBehavior: it cannot be run.
    """
    watch = _Watch(models_of(module)[0], texts, calls, note)
    run_function(module, watch.model.sym_name.data, inputs, resources, watch=watch.value)


def _hands_on(op: Operation) -> bool:
    """Whether the results of an op are those of others, in a kernel or in its regions, which have places."""
    inner = (result for each in op.walk() if each is not op for result in each.results)
    return isinstance(op, CallOp) or any(isinstance(result.type, TensorType) for result in inner)


class _Watch:
    def __init__(self, model: FuncOp, texts: Texts, calls: Mapping[Operation, KernelCall], note: TellValue) -> None:
        self.model = model
        self._texts, self._calls, self._note = texts, calls, note
        self._pending: list[tuple[SSAValue, Array]] = []
        """What the kernel that runs has computed: which call it is shows when that has its result."""
        self._homes: dict[Operation, bool] = {}
        self._in_body: dict[str, Sequence[int]] = {}

    def value(self, value: SSAValue, array: Array) -> None:
        """Note a value; one of a kernel with the next call."""
        if not isinstance(value.type, TensorType):
            return
        op = value.op if isinstance(value, OpResult) else None
        if op is None:
            if value in self.model.args:
                self._note(value, np.asarray(array), NO_PLACE)
        elif not op.operands and not op.regions:
            return  # a constant
        elif not self._is_of_model(op):
            self._pending.append((value, np.asarray(array)))
        else:
            if isinstance(op, CallOp):
                self._end_call(op)
            self._note(value, np.asarray(array), NO_PLACE if _hands_on(op) else self._texts.place_of(op))

    def _is_of_model(self, op: Operation) -> bool:
        if op not in self._homes:
            around: Operation | None = op
            while around is not None and not isinstance(around, FuncOp):
                around = around.parent_op()
            self._homes[op] = around is self.model
        return self._homes[op]

    def _end_call(self, call: CallOp) -> None:
        """Note what the kernel of a call computed, at the places of this call."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        body = self._places_of_body(call, pending[0][0])
        own = self._calls[call].places if call in self._calls else body
        if set(body) <= set(own):
            moved = dict(zip(body, body, strict=True))
        elif len(body) == len(own):
            moved = dict(zip(body, own, strict=True))
        else:  # which is which is not known
            return
        for value, array in pending:
            assert isinstance(value, OpResult)
            place = self._texts.place_of(value.op)
            self._note(value, array, moved.get(place, place))

    def _places_of_body(self, call: CallOp, value: SSAValue) -> Sequence[int]:
        name = call.callee.string_value()
        if name not in self._in_body:
            assert isinstance(value, OpResult)
            function: Operation | None = value.op
            while function is not None and not isinstance(function, FuncOp):
                function = function.parent_op()
            self._in_body[name] = places_in(self._texts, function.walk()) if function is not None else ()
        return self._in_body[name]
