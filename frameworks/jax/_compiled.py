"""A function of JAX that was compiled for known shapes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import jax
import numpy as np

from mlc.api import compile_source, recall_source
from mlc.compiler.library import Build, build_module
from mlc.compiler.options import CompileOptions, options_of_python
from mlc.frameworks._options import require_known
from mlc.frameworks.jax._buffers import Results, array_types, donors_of, is_packed
from mlc.frameworks.jax._keys import is_key, type_of_numbers, with_numbers
from mlc.frameworks.jax._source import JaxModel, lowered
from mlc.frameworks.jax._xla_call import LEAST_RESULTS, call_by_xla
from mlc.runtime import InputError, Model
from mlc.runtime.model import CallFrame
from mlc.support.errors import UserError
from mlc.support.tree_names import keys_of, output_name

_jax: Any = jax
"""Of whose functions the package gives no whole types."""


def compile(
    function: Callable[..., Any],
    *examples: Any,
    static_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    kwargs: dict[str, Any] | None = None,
    **options: Any,
) -> Compiled:
    """Compile a function ahead of time, for the shapes and dtypes of example arguments.

    Arguments and results are pytrees. Those of `static_argnums` are values of Python, which the result has built in;
    those of `donate_argnums` are deleted by a call, as `jax.jit` does it; a large result of an earlier call that is
    donated is changed in its own memory, if nobody else sees it. Inputs of the artifact are called what the parameters
    of the function are called, with the keys inside of them, `params.dense.kernel`. `options` are those of
    `mlc.compile`.

    Raises:
        UserError: an option does not exist, or the function does what mlc cannot do: side effects, a custom call,
            several devices.
    """
    require_known(options, "mlc.jax.compile")
    given = {"static_argnums": static_argnums, "donate_argnums": donate_argnums}
    traced = TracedFunction.of(function, *examples, **given, kwargs=kwargs, **options)
    return traced.compiled(traced.library())


@dataclass(frozen=True)
class TracedFunction:
    """A function that JAX has traced for some arguments.

    Only `library` may run in another thread: JAX has settings of its own for each.
    """

    source: JaxModel
    options: CompileOptions
    traced: Any
    static: tuple[int, ...]
    deleted: list[int]
    donors: dict[int, int]

    def library(self, build: Build = build_module) -> Model:
        """The model, as `build` makes it unless the cache has it.

        Raises:
            UserError: the function does what mlc cannot do.
        """
        return compile_source(self.source, self.options, build)

    def recalled(self) -> Model | None:
        """The model, if it was compiled before."""
        return recall_source(self.source, self.options)

    def compiled(self, model: Model) -> Compiled:
        """The function that runs the model."""
        return Compiled(model, self.traced, self.static, self.deleted, self.donors)

    @staticmethod
    def of(
        function: Callable[..., Any],
        *examples: Any,
        static_argnums: Any,
        donate_argnums: Any,
        kwargs: dict[str, Any] | None,
        **options: Any,
    ) -> TracedFunction:
        """What `compile` compiles.

        Raises:
            UserError: an option is wrong, or the function has side effects.
        """
        static = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
        donated = (donate_argnums,) if isinstance(donate_argnums, int) else tuple(donate_argnums)
        given = kwargs or {}
        traced = _jax.jit(function, static_argnums=static, keep_unused=True).trace(*examples, **given)
        if traced.jaxpr.effects:
            effects = ", ".join(sorted(map(str, traced.jaxpr.effects)))
            raise UserError(
                f"the function has side effects ({effects}); required: one whose results are all that it does"
            )
        dynamic = tuple(a for i, a in enumerate(examples) if i not in static)
        name = getattr(function, "__name__", type(function).__name__)
        inputs = _names((dynamic, given), parameters_of(function, static))
        outputs = _names(traced.out_info, None)
        leaves = [leaf for i, a in enumerate(dynamic) for leaf in [i] * len(_jax.tree.leaves(a))]
        kept = [i for i in range(len(examples)) if i not in static]
        deleted = [n for n, place in enumerate(leaves) if kept[place] in donated]
        donors = donors_of([_kind(a) for a in traced.jaxpr.in_avals], deleted, [_kind(a) for a in _results(traced)])
        source = lowered(traced, f"<{name}>", inputs, outputs, donors)
        return TracedFunction(source, options_of_python(options), traced, static, deleted, donors)


class Compiled:
    """A compiled function: called as the function is, without its static arguments.

    Calls from several threads run side by side.
    """

    def __init__(
        self, model: Model, traced: Any, static: Sequence[int], donated: Sequence[int], donors: Mapping[int, int]
    ) -> None:
        self.model = model
        """The model, as `mlc.compile` gives it."""
        self._static = set(static)
        self._donated = list(donated)
        self._tree = traced.in_tree
        self._out_tree = traced.out_tree
        self._expected = [_kind(a) for a in traced.jaxpr.in_avals]
        self._packed = [i for i, (_, dtype) in enumerate(self._expected) if is_packed(dtype)]
        self._kinds: list[Any] | None = None
        """The types that arrays had in the last call, None for what was none. JAX has one object for equal ones, so
        that comparing these lists is quick."""
        self._function = cast(Any, model)._function
        infos = _results(traced)
        self._keys = [(i, info) for i, info in enumerate(infos) if is_key(info.dtype)]
        kinds = [_kind(type_of_numbers(info)) for info in infos]
        self._results = Results(kinds, donors)
        self._by_xla: Callable[..., Any] | None = None
        """What calls it if it has many results, all of them small."""
        has_keys = self._keys or any(is_key(dtype) for _, dtype in self._expected)
        is_plain = self._results.are_small and not donated and not has_keys and not self._packed
        if len(infos) >= LEAST_RESULTS and is_plain:
            workspace = self.model.signature.workspace_bytes
            self._by_xla = call_by_xla(self._function, workspace, self._expected, kinds, self._out_tree)
        # Frames that no call uses. list.pop and list.append are atomic, so this pool needs no lock.
        self._frames: list[CallFrame] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it.

        Raises:
            InputError: the arguments are not those that it was compiled for.
        """
        if self._static:
            args = tuple(a for i, a in enumerate(args) if i not in self._static)
        leaves, tree = _jax.tree.flatten((args, kwargs))
        if tree != self._tree:
            raise InputError(f"found arguments {tree}; required: {self._tree}")
        arrays = array_types()
        kinds = [leaf.aval if type(leaf) in arrays else None for leaf in leaves]
        fit = kinds == self._kinds
        if not fit and all(k is None or _kind(k) == e for k, e in zip(kinds, self._expected, strict=True)):
            fit, self._kinds = True, kinds
        return self.on_leaves(leaves, fit)

    def on_leaves(self, leaves: Sequence[Any], fit: bool = False) -> Any:
        """Run it on the leaves of its arguments, in order; `fit` says that those that are arrays have the right types.

        Raises:
            InputError: one is not an array of the shape and dtype that it was compiled for.
        """
        arrays = array_types()
        if self._by_xla is not None and fit and all(type(leaf) in arrays for leaf in leaves):
            return self._by_xla(*leaves)
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = CallFrame(len(self._expected), len(self._results), self.model.signature.workspace_bytes)
        inputs, outputs = frame.inputs, frame.outputs
        held = self._arrays(leaves, fit)
        inputs[:] = [a.unsafe_buffer_pointer() if type(a) in arrays else _address(a) for a in held]
        given, kept = self._results.take(leaves, inputs) if self._donated else ({}, None)
        results = self._results.new(outputs, given)
        status = self._function(inputs, outputs, frame.workspace)
        self._frames.append(frame)
        if status != 0:
            raise RuntimeError(f"the function failed with status {status}")
        del kept
        for i in self._donated:
            if isinstance(leaves[i], jax.Array):
                leaves[i].delete()
        results = self._results.finished(results)
        for i, kind in self._keys:
            results[i] = with_numbers(kind, results[i])
        return _jax.tree.unflatten(self._out_tree, results)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Copy the shared library to `path`; see `mlc.Model.save`."""
        self.model.save(path)

    def __repr__(self) -> str:
        return f"<mlc.jax function of {self.model!r}>"

    def _arrays(self, leaves: Sequence[Any], fit: bool) -> list[Any]:
        """The leaves as arrays of JAX, computed, or of NumPy, of the shapes and dtypes that it was compiled for."""
        held, arrays = list(leaves), array_types()
        for i, leaf in [(i, leaf) for i, leaf in enumerate(leaves) if not fit or type(leaf) not in arrays]:
            if not isinstance(leaf, jax.Array) or (leaf.shape, leaf.dtype) != self._expected[i]:
                held[i] = self._adapted(i, leaf)
        for i in self._packed:
            held[i] = np.require(np.asarray(held[i]), None, ["C", "A"])
        return _jax.block_until_ready(held)

    def _adapted(self, index: int, leaf: Any) -> Any:
        """A leaf that is not an array of JAX as one of NumPy, as `jax.jit` takes it: it has the dtype that JAX gives
        it. What is made of one by JAX takes ten times as long as a call."""
        shape, dtype = self._expected[index]
        is_number = isinstance(leaf, bool | int | float | complex) and not shape and not is_key(dtype)
        if is_number:
            try:
                return np.asarray(leaf, dtype)
            except OverflowError:
                raise InputError(f"argument '{self.model.inputs[index].name}' is {leaf}; required: {dtype}") from None
        array = leaf if isinstance(leaf, jax.Array) else np.asarray(leaf)
        # JAX takes arrays of NumPy with 64 bits as those of 32, unless it is told not to.
        is_taken = not isinstance(leaf, jax.Array) and _jax.dtypes.canonicalize_dtype(array.dtype) == dtype
        if tuple(array.shape) != shape or (array.dtype != dtype and not is_taken):
            name = self.model.inputs[index].name
            found = f"{array.dtype}{list(array.shape)}"
            raise InputError(f"argument '{name}' is {found}; required: {dtype}{list(shape)}")
        return np.require(np.asarray(array), dtype, ["C", "A"]).reshape(shape)


def _address(array: Any) -> int:
    """Where an array of JAX or of NumPy lies."""
    return array.ctypes.data if isinstance(array, np.ndarray) else array.unsafe_buffer_pointer()


def _results(traced: Any) -> list[Any]:
    """The shapes and dtypes of the results, in order."""
    return _jax.tree.leaves(traced.out_info)


def _kind(value: Any) -> tuple[tuple[int, ...], Any]:
    """The shape and dtype of an array, or of what stands for one; that of keys is not a dtype of NumPy."""
    return tuple(value.shape), value.dtype if is_key(value.dtype) else np.dtype(value.dtype)


def parameters_of(function: Callable[..., Any], static: Sequence[int]) -> list[str] | None:
    """The names of the parameters that take arrays; None if they are not known."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return [name for i, name in enumerate(names) if i not in static]


def _names(tree: Any, parameters: Sequence[str] | None) -> list[str]:
    """What callers call the leaves of arguments, `(args, kwargs)`, or, without parameters, of results."""
    found: list[str] = []
    for path, _ in _jax.tree_util.tree_flatten_with_path(tree)[0]:
        keys = keys_of(path)
        if parameters is None:
            found.append(output_name(path))
        elif keys[0] == "0":
            place = int(keys[1])
            first = parameters[place] if place < len(parameters) else f"input{place}"
            found.append(".".join([first, *keys[2:]]))
        else:
            found.append(".".join(keys[1:]))
    return [name if found.count(name) == 1 else f"{name}.{i}" for i, name in enumerate(found)]
