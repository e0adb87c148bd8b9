"""What calls of kernels compute: an instrumentation of the pass manager that follows them from pass to pass."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.support.functions import is_private, models_of
from mlc.tools.explorer.document import KernelCall
from mlc.tools.explorer.texts import Texts, places_in


@dataclass
class RecordCalls(Instrumentation):
    """Records the places of the ops that each call of a kernel computes: of those that were where the call is.

    The body of a kernel of several calls has the places of one of them.
    """

    texts: Texts
    _places: dict[CallOp, list[int]] = field(default_factory=dict[CallOp, list[int]])
    _before: dict[Attribute, list[int]] = field(default_factory=dict[Attribute, list[int]])
    """The places of the ops in each op of a model, by the location of that, before the pass that runs."""

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self._before = {
            op.location: places_in(self.texts, op.walk()) for model in models_of(module) for op in model.body.ops
        }

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        """Note what calls compute that were not there before: the same as what was in their place."""
        kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and is_private(op)}
        calls = [op for op in module.walk() if isinstance(op, CallOp) and op.callee.string_value() in kernels]
        if not calls:
            return
        known = {call: self._places[call] for call in calls if call in self._places}
        replaced = {call.location: places for call, places in self._places.items() if call not in known}
        for call in (call for call in calls if call not in known):
            places = replaced.get(call.location) or self._before.get(call.location)
            known[call] = places or places_in(self.texts, [call, *kernels[call.callee.string_value()].walk()])
        self._places = known

    def calls(self) -> list[KernelCall]:
        """The calls of kernels in the module as it is now."""
        return list(self.call_of.values())

    @property
    def call_of(self) -> dict[Operation, KernelCall]:
        """The same by the ops that are the calls."""
        return {call: KernelCall(call.callee.string_value(), at) for call, at in self._places.items()}
