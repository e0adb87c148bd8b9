"""Values of a model for given inputs: an instrumentation of the pass manager that runs it by the reference.

The model runs when its graph is complete, and after each pass that changes it, as far as the tensor level. A value is
known in two forms of the model by its place, its number of elements and their type; where a place has several such
values, it is the last one, which is the result of what stands there. No array stays in memory: those of the last run
wait in a temporary file, and numbers are taken of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult, SSAValue

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.ir_levels import LEVEL_OF
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.runnable import why_not_run
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.functions import models_of
from mlc.tools.explorer.document import NO_PLACE
from mlc.tools.explorer.document_values import ModelValue, PassValue, PassValues, ValueForm
from mlc.tools.explorer.graph_view import RecordGraph
from mlc.tools.explorer.recording import RecordPasses
from mlc.tools.explorer.recording_calls import RecordCalls
from mlc.tools.explorer.run_values import run_model
from mlc.tools.explorer.value_numbers import difference_of, numbers_of
from mlc.tools.explorer.value_pictures import picture_of
from mlc.tools.explorer.value_store import ArrayStore, StoredArray

Array = NDArray[Any]
_Key = tuple[int, int, np.dtype[Any]]
"""By which a value is known: its place, the number of its elements, their type."""
_MOST_DIFFERING = 200
"""So many values that a pass changes are told."""


@dataclass(frozen=True)
class _KeptValue:
    """A value of a run."""

    type: str
    stored: StoredArray


@dataclass
class RecordValues(Instrumentation):
    """Records values. After a pass it has to come after `passes` and `graph`, of which it asks what they have seen."""

    file: str
    """That of the inputs, for messages."""
    inputs: Sequence[Array]
    ctx: CompilerContext
    passes: RecordPasses
    calls: RecordCalls
    graph: RecordGraph
    progress: Callable[[int, int], None] | None = None
    values: list[ModelValue] = field(default_factory=list[ModelValue])
    """Those of the graph, without other forms; `finished` has them with these."""
    by_pass: dict[int, PassValues] = field(default_factory=dict[int, PassValues])
    """By the number of the pass."""
    _store: ArrayStore = field(default_factory=ArrayStore)
    _last: dict[_Key, _KeptValue] = field(default_factory=dict[_Key, _KeptValue])
    _forms: dict[str, dict[_Key, _KeptValue]] = field(default_factory=dict[str, dict[_Key, _KeptValue]])
    """The values when the graph is complete, and when the tensor level begins, by the names of these times."""
    _keys: list[_Key] = field(default_factory=list[_Key])
    """Of `values`."""
    _is_running: bool = True

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        if not self.values:
            self._begin(module)

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        if not self.values:
            self._begin(module)
        elif self._is_running and self.passes.passes[-1].changes:
            self.by_pass[len(self.passes.passes) - 1] = self._compare(module)

    def finished(self) -> list[ModelValue]:
        """The values of the graph with their forms at the tensor level; no further pass is looked at."""
        self._is_running = False
        forms = dict(self._forms)
        graph = forms.pop(_GRAPH, {})
        if forms:
            forms[_ENDS] = self._last
        found = [
            ModelValue(
                each.node,
                each.result,
                each.type,
                each.numbers,
                each.picture,
                [self._form(words, graph[key], now[key]) for words, now in forms.items() if key in now],
            )
            if key[0] != NO_PLACE and key in graph and self._is_last(number)
            else each
            for number, (key, each) in enumerate(zip(self._keys, self.values, strict=True))
        ]
        self._store.close()
        return found

    def _is_last(self, number: int) -> bool:
        """Whether no value after this one is known by the same key."""
        return self._keys[number] not in self._keys[number + 1 :]

    def _form(self, words: str, before: _KeptValue, now: _KeptValue) -> ValueForm:
        array = self._store.read(now.stored)
        same = before.stored.digest == now.stored.digest
        difference = None if same else difference_of(self._store.read(before.stored), array)
        return ValueForm(words, now.type, difference, numbers_of(array))

    def _begin(self, module: ModuleOp) -> None:
        """Run the graph, if it is complete."""
        self.graph.look(module)
        number = self.graph.number_of
        if not number:
            return
        function = models_of(module)[0].sym_name.data
        if (reason := why_not_run(module).get(function)) is not None:
            raise UserError(f"found --inputs with a model that the reference cannot run: {reason}")
        found: dict[SSAValue, tuple[_Key, ModelValue]] = {}

        def note(value: SSAValue, array: Array, key: _Key) -> None:
            if (node := number.get(value)) is not None:
                which = value.index if isinstance(value, OpResult) else 0
                told = ModelValue(node, which, str(value.type), numbers_of(array), picture_of(value, array), ())
                found[value] = key, told
                if self.progress is not None:
                    self.progress(len(found), len(number))

        try:
            self._forms[_GRAPH] = self._run(module, note)
        except UndefinedBehavior as e:
            raise UserError(f"the model cannot be run on '{self.file}': {e}") from None
        ordered = sorted(found.values(), key=lambda each: (each[1].node, each[1].result))
        self._keys, self.values = [key for key, _ in ordered], [told for _, told in ordered]
        self._last = self._forms[_GRAPH]

    def _compare(self, module: ModuleOp) -> PassValues:
        """Run the model as a pass left it."""
        if (reason := why_not_run(module).get(models_of(module)[0].sym_name.data)) is not None:
            return PassValues(0, (), reason)
        try:
            now = self._run(module)
        except (UserError, UndefinedBehavior) as e:
            return PassValues(0, (), str(e))
        both = [key for key in self._last if key in now]
        differing: list[PassValue] = []
        for key in both:
            old, new = self._last[key], now[key]
            if old.stored.digest != new.stored.digest:
                found = difference_of(self._store.read(old.stored), self._store.read(new.stored))
                differing += [PassValue(key[0], new.type, found)] if found is not None else []
        infinite = float("inf")
        differing.sort(key=lambda each: -(infinite if each.difference.largest is None else each.difference.largest))
        self._last = now
        levels = {LEVEL_OF.get(op.dialect_name()) for op in module.walk()}
        if _BEGINS not in self._forms and "graph" not in levels:
            self._forms[_BEGINS] = now
        return PassValues(len(both), differing[:_MOST_DIFFERING], "")

    def _run(
        self, module: ModuleOp, note: Callable[[SSAValue, Array, _Key], None] | None = None
    ) -> dict[_Key, _KeptValue]:
        found: dict[_Key, _KeptValue] = {}
        first_place: dict[bytes, int] = {}

        def keep(value: SSAValue, array: Array, place: int) -> None:
            key = place, array.size, array.dtype
            if note is not None:
                note(value, array, key)
            if place == NO_PLACE:
                return
            stored = self._store.keep(array)
            first = first_place.setdefault(stored.digest, place)
            # What is only reshaped, at the place of a call perhaps, is not the result of that place.
            if key not in found or first == place:
                found[key] = _KeptValue(str(value.type), stored)

        texts, calls = self.calls.texts, self.calls.call_of
        run_model(module, self.inputs, self.ctx.resources, texts, calls, keep)
        return found


_GRAPH, _BEGINS, _ENDS = "graph", "when the tensor level begins", "when the tensor level ends"
