"""What Python programs call: `mlc.parse` and `mlc.compile`."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, Unpack, cast
from weakref import WeakKeyDictionary

from mlc.compiler.backends import backend_of
from mlc.compiler.compilation import ModelText, new_context, read_module
from mlc.compiler.library import Build, build_module, make_library
from mlc.compiler.library_file import library_file
from mlc.compiler.options import CompileOptions, PythonOptions, options_of_python
from mlc.compiler.recall import Recipe, plugins_may_take_part
from mlc.frontends.registry import model_in_memory, open_model
from mlc.plugins.scope import loaded, paths_of
from mlc.runtime import ArtifactError, Model
from mlc.support.bindings import Bindings, ShapeChoices
from mlc.support.errors import UserError
from mlc.support.file_kinds import kind_of, suffix_advice
from mlc.support.model_source import DeclaredInput, ModelSource
from mlc.support.portable_bytecode import text_of_artifact
from mlc.support.python_bindings import bindings_of_python
from mlc.support.python_warnings import warn_caller
from mlc.support.recursion import deep_recursion
from mlc.targets.machine import resolve_target

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext
    from mlc.support.resources import Array


class OnnxMessage(Protocol):
    """An `onnx.ModelProto`, of a package that may not be there."""

    def SerializeToString(self) -> bytes: ...


AnyModel: TypeAlias = "str | os.PathLike[str] | bytes | OnnxMessage | ModuleOp"
"""What is taken as a model."""
GivenShape = int | range | Sequence[int | range]
"""The shape of an input, or the extent of a dim."""
_Path = str | os.PathLike[str]
_SHOWN = 100
"""The most characters that are shown of what is meant to be a path."""
_contexts: WeakKeyDictionary[ModuleOp, CompilerContext] = WeakKeyDictionary()
"""The weights of modules that `parse` made lie in their contexts."""


def parse(model: str | os.PathLike[str]) -> ModuleOp:
    """The IR of a model, given as text or as the path of a text file.

    Raises:
        TypeError: `model` is something else.
        UserError: the file cannot be read, or the text is wrong.
    """
    module = _parse(_read(model))
    for each in _contexts[module].warnings:
        warn_caller(str(each))
    return module


def context_of(module: ModuleOp) -> CompilerContext:
    """What a module that `parse` has read carries besides the IR: dialects, weights, remarks.

    Raises:
        UserError: it is of another origin; `new_context` makes a context for such.
    """
    if module not in _contexts:
        raise UserError("found a module that mlc.parse has not read; required: one that it has, or mlc.new_context()")
    return _contexts[module]


def read(
    model: AnyModel, shapes: Mapping[str, GivenShape] | None = None, weights: Mapping[str, ArrayLike] | None = None
) -> tuple[ModuleOp, CompilerContext]:
    """The IR of a model that `compile` would take, of one shape, and its context; IR is copied.

    Raises:
        TypeError: `model` is something else.
        UserError: the model or a shape is wrong.
    """
    bindings, arrays = bindings_of_python(shapes, None), _arrays(weights)
    with _deep():
        from mlc.frontends.onnx.to_graph.bind_inputs import bind

        bindings.require_single("one text")
        source = _source(model)
        module = _parse(source, arrays, bindings) if isinstance(source, ModelSource) else source.clone()
        ctx = _contexts[module] if isinstance(source, ModelSource) else _context_of(source, arrays)
        bind(module, bindings, ctx)
        return module, ctx


def know(module: ModuleOp, ctx: CompilerContext) -> None:
    """Let `compile` find the context, and so the weights, of a module."""
    _contexts[module] = ctx


def compile(
    model: AnyModel,
    *,
    weights: Mapping[str, ArrayLike] | None = None,
    shapes: Mapping[str, GivenShape | list[GivenShape]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    plugins: Sequence[_Path] = (),
    tiered: bool = False,
    **options: Unpack[PythonOptions],
) -> Model:
    """Compile a model, given as text, as the path of a file of text or of ONNX, or as IR, which stays as it is. What is
    in hand of ONNX is taken, too: an `onnx.ModelProto`, or the bytes of a file.

    `shapes` are shapes by the names of inputs, and extents by the names of their dims; `values` are those of inputs
    that only steer, which are not inputs any more. A list holds several shapes: `{"batch": [1, 8, 32]}` makes a
    `ShapedModel`, one library that runs the code for the shapes of a call. A model that leaves dims of its inputs open
    becomes an `OpenModel`, which is compiled for the shapes of each call when they are met first. A range, as in
    `{"seq": range(1, 513)}`, stands for all extents in it: the model is compiled once, and takes any of them.

    `weights` are the arrays behind `dense_resource<name>`, beside those of the files that a text names. Each has the
    shape and the element type of the constant that uses it.

    `plugins` are Python files whose dialects, passes and patterns are known for this compilation alone.

    With `tiered`, a model that was not compiled before is compiled by another process: first calls are answered by the
    reference semantics in NumPy, and those that come when the code is there run it. Both are right to rounding, but not
    equal in all bits. `mlc.wait()` waits for the code. What is given as IR, with `weights`, for several shapes or
    ranges, or with plugins, is compiled at once.

    The options are those of `mlc compile` (docs/options.md): `target` is a name of `mlc targets` that this machine can
    run, `opt_level` 0 to 3, `threads` the most that a call may use, `cc` the clang to use instead of the newest one
    found. `records` is the file of `mlc tune` that schedules are taken from, instead of the user's own; "" is none.
    `accuracy` is "exact", or "fast" for algorithms with larger errors, such as Winograd's for 3 x 3 convolutions, of
    which warnings tell. `precision` is "f32", or "bf16" for products of factors that are rounded to bf16.

    Raises:
        TypeError: `model` or an option is something else.
        UserError: the model, a weight or an option is wrong, or there is no usable clang.
        CompilerBug: mlc is wrong.
        ArtifactError: this machine cannot run code for `target`.
    """
    with _deep(), loaded(files := paths_of(plugins)):
        chosen = replace(options_of_python(options), bindings=bindings_of_python(shapes, values))
        arrays = _arrays(weights)
        form = _require_runnable(chosen)
        source = _source(model)
        inputs = _open_inputs(source, chosen, form) if isinstance(source, ModelSource) else ()
        has_tiers = tiered and not arrays and not plugins_may_take_part()
        made = _tiered if has_tiers else _compiled
        if not inputs:
            return made(source, arrays, chosen)
    from mlc.compiler.open_model import OpenModel

    def compile_for(bindings: Bindings) -> Model:
        with loaded(files):
            return made(source, arrays, replace(chosen, bindings=bindings))

    return OpenModel(inputs, compile_for, chosen.bindings)


def _require_runnable(options: CompileOptions) -> str:
    """The form of what runs in this process.

    Raises:
        ArtifactError: this machine cannot run code for the target.
    """
    backend = backend_of(machine := resolve_target(options.target))
    if (obstacle := backend.obstacle(machine)) is not None:
        raise ArtifactError(obstacle)
    return backend.runnable


def _open_inputs(model: ModelSource, options: CompileOptions, form: str) -> tuple[DeclaredInput, ...]:
    """The inputs of a model, if some of their dims are open. What was compiled like this before is not looked into."""
    given = options.bindings
    if given.choices:
        _check_choices(model, given.choices)
        return ()
    if Recipe(model, options, form).weight_files() is not None:
        return ()
    declared = model.inputs()
    extents = given.extents({each.name: each.dims for each in declared})
    inputs = tuple(each.bound(given.shapes, extents) for each in declared if each.name not in given.values)
    if not any(each.is_open for each in inputs):
        return ()
    from mlc.frontends.onnx.to_graph.bind_inputs import bind
    from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import preflight

    # What is wrong whatever the shapes are is told now, not by the first call.
    module, wrong = model.bound(given).readable(ctx := new_context())
    bind(module, given, ctx)
    preflight(module, ctx, wrong, shapes_follow=True)
    return inputs


def _check_choices(model: ModelSource, choices: ShapeChoices) -> None:
    """Raises: TypeError if a list of numbers is given to an input of more dims: it is not a shape, but several."""
    for declared in model.inputs():
        several = choices.get(declared.name, ())
        if several and len(declared.shape or ()) > 1 and all(isinstance(extent, int) for extent in several):
            raise TypeError(
                f"found {list(several)} as the shape of '{declared.name}'; a list holds several shapes; required: a "
                f"tuple for one shape: {several}"
            )


def compile_source(model: ModelSource, options: CompileOptions, build: Build = build_module) -> Model:
    """The model of a source, from the cache, or as `build` makes its file now.

    Raises:
        UserError, CompilerBug, ArtifactError: as `compile`.
    """
    _require_runnable(options)
    with _deep(), library_file(options.target) as made:
        _warn(make_library(model, options, made.form, made.path, made.cache, build))
        return made.model()


def recall_source(model: ModelSource, options: CompileOptions) -> Model | None:
    """The model of a source from the cache, if it was compiled before.

    Raises:
        UserError, ArtifactError: as `compile_source`.
    """
    _require_runnable(options)
    with _deep(), library_file(options.target) as made:
        return made.model() if Recipe(model, options, made.form, made.cache).recall(made.path) else None


def _compiled(model: ModelSource | ModuleOp, arrays: Mapping[str, Array], options: CompileOptions) -> Model:
    """The model, from the cache or compiled now."""
    if isinstance(model, ModelSource) and not arrays:
        return compile_source(model, options)
    with _deep(), library_file(options.target) as made:
        # The arrays are not part of what the cache knows a model by.
        module = _parse(model, arrays, options.bindings) if isinstance(model, ModelSource) else model
        context = _contexts[module] if isinstance(model, ModelSource) else _context_of(model, arrays)
        ctx, _ = build_module(module, context, options, made.form, made.path, made.cache)
        _warn(map(str, ctx.warnings))
        return made.model()


def _tiered(model: ModelSource | ModuleOp, arrays: Mapping[str, Array], options: CompileOptions) -> Model:
    """The model, from the cache, or one that is interpreted while it is compiled in the background."""
    from mlc.compiler.background import Background
    from mlc.compiler.tiered_model import InterpretedModel, TieredModel

    if not isinstance(model, ModelSource) or options.bindings.choices:
        return _compiled(model, arrays, options)
    if (known := recall_source(model, options)) is not None:
        return known
    background = Background(lambda build: compile_source(model, options, build))
    if background.wait_for_start() or (first := InterpretedModel.of(model, options)) is None:
        return background.result()
    return TieredModel(background, first)


def _warn(messages: Iterable[str]) -> None:
    for message in messages:
        warn_caller(message)


@contextmanager
def _deep() -> Generator[None]:
    """Let nesting be deep, and say so where it is too deep."""
    try:
        with deep_recursion():
            yield
    except RecursionError:
        raise UserError("the model is nested too deeply") from None


def _arrays(weights: Mapping[str, ArrayLike] | None) -> dict[str, Array]:
    """Raises: TypeError if `weights` is not a mapping from names to arrays."""
    import numpy as np

    if not isinstance(cast(object, weights or {}), Mapping):
        raise TypeError(f"found weights of type {type(weights).__name__}; required: a dict of arrays by name")
    arrays: dict[str, Array] = {}
    for name, value in (weights or {}).items():
        array = np.asarray(value)
        if not isinstance(cast(object, name), str) or array.dtype == object:
            raise TypeError(f"found {name!r}: {type(value).__name__} in weights; required: a name and an array")
        arrays[name] = np.ascontiguousarray(array)
    return arrays


def _context_of(model: ModuleOp, weights: Mapping[str, Array]) -> CompilerContext:
    """The context to compile IR in, with its weights.

    Raises:
        UserError: the IR does not verify, lacks a weight, or has another for a name.
    """
    from mlc.syntax import verify_module
    from mlc.syntax.resources import check_uses, define_weights

    is_parsed = _checked(model) in _contexts
    ctx = _contexts[model].clone() if is_parsed else new_context()
    verify_module(model)
    define_weights(weights, ctx.resources)
    check_uses(model, ctx.resources, weights)
    return ctx


def _checked(model: object) -> ModuleOp:
    """Raises: TypeError if `model` is not a module."""
    from xdsl.dialects.builtin import ModuleOp

    if not isinstance(model, ModuleOp):
        raise TypeError(_wrong_type(model))
    return model


def _wrong_type(model: object) -> str:
    instead = "; what runs Python is for mlc.torch.compile or mlc.jax.compile" if callable(model) else ""
    return (
        f"found a model of type {type(model).__name__}; required: its text, the path of a file of text, of ONNX or of "
        f"PyTorch (.pt2), an onnx.ModelProto or the bytes of one, or IR of mlc.parse{instead}"
    )


def _parse(
    model: ModelSource, weights: Mapping[str, Array] | None = None, bindings: Bindings | None = None
) -> ModuleOp:
    from mlc.syntax.resources import check_uses, define_weights

    ctx = new_context()
    define_weights(weights or {}, ctx.resources)
    module = read_module(model, ctx, bindings or Bindings())
    if weights:
        check_uses(module, ctx.resources, weights)
    _contexts[module] = ctx
    return module


def _source(model: object) -> ModelSource | ModuleOp:
    if isinstance(model, str | os.PathLike):
        return _read(cast("str | os.PathLike[str]", model))
    if isinstance(model, ModelSource):
        return model
    return model_in_memory(model) or _checked(model)


def _read(model: str | os.PathLike[str]) -> ModelSource:
    if isinstance(model, str) and ("\n" in model or "{" in model):
        return ModelText("<text>", Path.cwd(), model.removeprefix("\ufeff"))
    if not isinstance(cast(object, model), str | os.PathLike):
        raise TypeError(_wrong_type(model))
    if model == "":
        raise UserError("found an empty string as model; required: its text, or the path of a text file")
    path = Path(model)
    if (source := open_model(path)) is not None:
        return source
    try:
        data = path.read_bytes()
        if (text := text_of_artifact(data, str(path))) is not None:
            return ModelText(str(path), path.parent, text)
        if (kind := kind_of(data)) is not None:
            raise UserError(f"model '{path}' is {kind}, not MLIR text{suffix_advice(kind)}")
        return ModelText(str(path), path.parent, data.decode("utf-8-sig"))
    except FileNotFoundError:
        raise UserError(f"model '{path}' not found") from None
    except UnicodeDecodeError:
        raise UserError(f"model '{path}' is not UTF-8 text") from None
    except (OSError, ValueError) as e:
        shown = f"{str(path)[:_SHOWN]}…" if len(str(path)) > _SHOWN else path
        raise UserError(f"cannot read model '{shown}': {getattr(e, 'strerror', None) or e}") from None
