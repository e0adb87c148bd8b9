"""A model that answers before it is compiled: the reference semantics runs it until its code is there.

mlc.compile(model, tiered=True)
first tier    the graph level, op by op, in NumPy, as `reference/` defines each op
second tier   native code, which another process compiles meanwhile (`background.py`)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mlc.compiler.background import Background
from mlc.compiler.codegen import output_names
from mlc.compiler.compilation import Compilation, new_context, read_module
from mlc.compiler.options import CompileOptions
from mlc.reference.interpreter import FunctionInterface, interface_of, run_function
from mlc.runtime.dlpack import UNREADABLE, from_dlpack
from mlc.runtime.extents import actual_outputs, holders
from mlc.runtime.model import Model, arrays_by_name
from mlc.support.dtypes import to_numpy
from mlc.support.functions import extents_in, input_names, marks_of, models_of
from mlc.support.model_source import ModelSource
from mlc.support.python_warnings import warn_caller

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.runtime.model import Array
    from mlc.support.resources import Resources


@dataclass(frozen=True)
class InterpretedModel:
    """A model at the graph level that the reference semantics runs, for arrays of known shapes."""

    module: ModuleOp
    resources: Resources
    name: str
    interface: FunctionInterface
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @staticmethod
    def of(source: ModelSource, options: CompileOptions) -> InterpretedModel | None:
        """The model of a source; None if a call may give shorter inputs than the types say.

        Raises:
            UserError: the model is wrong.
        """
        from mlc.pass_manager.manager import PassManager

        ctx = new_context(options.target)
        module = read_module(source, ctx, options.bindings)
        least = replace(options, opt_level=0)
        Compilation(module, ctx, least, PassManager(ctx), is_watched=False).lower("graph")
        models = models_of(module)
        interface = interface_of(models[0]) if len(models) == 1 else None
        if interface is None or any(map(extents_in, marks_of(models[0].args, models[0].arg_attrs))):
            return None
        hidden = holders(interface.extents)
        seen = tuple(name for number, name in enumerate(output_names(module)) if number not in hidden)
        name = models[0].sym_name.data
        return InterpretedModel(module, ctx.resources, name, interface, tuple(input_names(models[0])), seen)

    def arguments(self, arrays: Sequence[Any]) -> list[Array] | None:
        """The arrays of a call, if they are what the model takes: native code says what is wrong with others."""
        if len(arrays) != len(self.interface.inputs):
            return None
        found: list[Array] = []
        for array, kind in zip(arrays, self.interface.inputs, strict=True):
            try:
                is_own = isinstance(array, np.ndarray | np.generic)
                given: Array = np.asarray(cast(Any, array)) if is_own else from_dlpack(array)
            except (AttributeError, *UNREADABLE):
                return None
            if given.shape != kind.get_shape() or given.dtype != to_numpy(kind.element_type):
                return None
            found.append(given)
        return found

    def __call__(self, arguments: Sequence[Array]) -> list[Array]:
        """The outputs, which share no memory with what goes in.

        Raises:
            UserError: an op cannot be run.
        """
        results = run_function(self.module, self.name, arguments, self.resources)
        return [np.array(each, order="C") for each in actual_outputs(results, self.interface.extents)]


class TieredModel(Model):
    """A model whose first calls are interpreted. What else is asked of it, such as `save`, waits for the code."""

    def __init__(self, background: Background[Model], first: InterpretedModel) -> None:
        self._background = background
        self._first: InterpretedModel | None = first
        self._native: Model | None = None
        self._has_warned = False
        self.interpreted_calls = 0
        """How many calls the first tier has answered."""

    def __repr__(self) -> str:
        if self._is_native():
            return repr(self._native)
        names = ", ".join(cast(InterpretedModel, self._first).inputs)
        return f"<mlc model ({names}) that is being compiled; {self.interpreted_calls} calls were interpreted>"

    def __getattr__(self, name: str) -> Any:
        # What the code says of itself: types, names, the file.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.native, name)

    @property
    def native(self) -> Model:
        """The model as native code; waits for it.

        Raises:
            UserError, CompilerBug: it cannot be compiled.
        """
        if self._native is None:
            self._native = self._background.result()
            self._first = None
        return self._native

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """Run the model on arrays by input name; returns arrays by output name.

        Raises:
            InputError: a name, a dtype or a shape is wrong, or `inputs` are not by name.
        """
        first = None if self._is_native() else self._first
        if first is None or not isinstance(cast(object, inputs), Mapping):
            return self.native.run(inputs)
        results = self._call(arrays_by_name(inputs, list(first.inputs)))
        return dict(zip(first.outputs, results, strict=True))

    def _call(self, arrays: tuple[Any, ...], donors: Mapping[int, int] = MappingProxyType({})) -> list[Array]:
        first = None if donors or self._is_native() else self._first
        if first is not None and (arguments := first.arguments(arrays)) is not None:
            self.interpreted_calls += 1
            return first(arguments)
        return self.native._call(arrays, donors)

    def _is_native(self) -> bool:
        """Whether the code is there. If there will be none, the first tier stays."""
        if self._native is None and self._first is not None and self._background.is_done:
            try:
                self._native, self._first = self._background.result(), None
            except Exception as e:
                if not self._has_warned:
                    self._has_warned = True
                    warn_caller(f"the model could not be compiled, and is interpreted: {e}")
        return self._native is not None
