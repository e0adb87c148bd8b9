"""What Python programs call: `mlc.parse` and `mlc.compile`."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

from mlc.compiler import Compilation, CompileOptions, ModelText, new_context, parse_verified
from mlc.passes.pipeline import HIGHEST
from mlc.recall import Recipe
from mlc.runtime import Model, load
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext
    from mlc.targets.build import BuildReport

_contexts: WeakKeyDictionary[ModuleOp, CompilerContext] = WeakKeyDictionary()
"""The weights of modules that `parse` made lie in their contexts."""


def parse(model: str | os.PathLike[str]) -> ModuleOp:
    """The IR of a model, given as text or as the path of a text file.

    Raises:
        TypeError: `model` is something else.
        UserError: the file cannot be read, or the text is wrong.
    """
    return _parse(_read(model))


def compile(
    model: str | os.PathLike[str] | ModuleOp,
    *,
    target: str = "native",
    threads: int = 1,
    opt_level: int = HIGHEST,
    cc: str | None = None,
) -> Model:
    """Compile a model, given as text, as the path of a text file, or as IR, which stays as it is.

    `target` is a name of `mlc targets` that this machine can run, `opt_level` 0 to 3, `threads` the most that a call
    may use, `cc` the clang to use instead of the newest one found.

    Raises:
        TypeError: `model` is something else.
        UserError: the model or an option is wrong, or there is no usable clang.
        CompilerBug: mlc is wrong.
        ArtifactError: this machine cannot run code for `target`.
    """
    options = CompileOptions(target, threads, opt_level, cc)
    options.check()
    handle, name = tempfile.mkstemp(prefix="mlc-", suffix=".so")
    os.close(handle)
    path = Path(name)
    try:
        if isinstance(model, str | os.PathLike):
            _make_library(_read(model), options, path)
        else:
            _build(_checked(model), options, path)
        return load(path, temporary=True)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _make_library(model: ModelText, options: CompileOptions, path: Path) -> None:
    """Make the library of a model that is given as text, from the cache if it was compiled before."""
    recipe = Recipe(model, options, "shared")
    if not recipe.recall(path):
        module = _parse(model)
        report = _build(module, options, path)
        recipe.remember(_contexts[module].resources, report)


def _checked(model: ModuleOp) -> ModuleOp:
    """Raises: TypeError if `model` is no module."""
    from xdsl.dialects.builtin import ModuleOp

    if not isinstance(cast(object, model), ModuleOp):
        raise TypeError(_wrong_type(model))
    return model


def _wrong_type(model: object) -> str:
    found = type(model).__name__
    return f"found a model of type {found}; required: its text, the path of a text file, or IR of mlc.parse"


def _build(parsed: ModuleOp, options: CompileOptions, path: Path) -> BuildReport:
    from mlc.passes.manager import PassManager

    ctx = _contexts[parsed].clone() if parsed in _contexts else new_context()
    ctx.target = options.target
    manager = PassManager(ctx, source=lambda: _text(parsed, ctx))
    return Compilation(parsed.clone(), ctx, options, manager).build("shared", path)


def _parse(model: ModelText) -> ModuleOp:
    ctx = new_context()
    module = parse_verified(model.text, model.file, ctx, model.base)
    _contexts[module] = ctx
    return module


def _text(module: ModuleOp, ctx: CompilerContext) -> str:
    from mlc.syntax import print_module

    stream = io.StringIO()
    print_module(module, ctx, stream)
    return stream.getvalue()


def _read(model: str | os.PathLike[str]) -> ModelText:
    if isinstance(model, str) and ("\n" in model or "{" in model):
        return ModelText(model.removeprefix("\ufeff"), "<text>", Path.cwd())
    if not isinstance(cast(object, model), str | os.PathLike):
        raise TypeError(_wrong_type(model))
    if model == "":
        raise UserError("found an empty string as model; required: its text, or the path of a text file")
    path = Path(model)
    try:
        return ModelText(path.read_text(encoding="utf-8-sig"), str(path), path.parent)
    except FileNotFoundError:
        raise UserError(f"model '{path}' not found") from None
    except UnicodeDecodeError:
        raise UserError(f"model '{path}' is not UTF-8 text") from None
    except OSError as e:
        raise UserError(f"cannot read model '{path}': {e.strerror}") from None
