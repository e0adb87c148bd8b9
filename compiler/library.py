"""Making the artifact of a model for this process: from the cache, or by a compilation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mlc.compiler.compilation import Compilation, new_context, read_module
from mlc.compiler.options import CompileOptions
from mlc.compiler.recall import Recipe
from mlc.support.model_source import ModelSource
from mlc.targets.cache import Cache

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext
    from mlc.targets.build import BuildReport

Build = Callable[
    ["ModuleOp", "CompilerContext", CompileOptions, str, Path, Cache], "tuple[CompilerContext, BuildReport]"
]
"""What makes the file of a module, as `build_module` does."""


def build_module(
    module: ModuleOp, context: CompilerContext, options: CompileOptions, form: str, output: Path, cache: Cache
) -> tuple[CompilerContext, BuildReport]:
    """Make the file `output` of a module, which stays as it is, in a form of the backend; also gives the context in
    which it was compiled, with what is to be warned of.

    Raises:
        UserError, CompilerBug: as `Compilation.build`.
    """
    from mlc.pass_manager.manager import PassManager
    from mlc.syntax import module_text

    ctx = context.clone()
    ctx.warnings += context.warnings  # of the text
    ctx.target = options.target
    manager = PassManager(ctx, source=lambda: module_text(module, ctx))
    compilation = Compilation(module.clone(), ctx, options, manager, is_watched=False)
    return ctx, compilation.build(form, output, cache)


def make_library(
    model: ModelSource, options: CompileOptions, form: str, output: Path, cache: Cache, build: Build = build_module
) -> list[str]:
    """Make the file `output` of a model, in a form of the backend, from the cache if it was made before; returns what
    is to be warned of.

    Raises:
        UserError: the model or an option is wrong, or there is no usable clang.
        CompilerBug: mlc is wrong.
    """
    recipe = Recipe(model, options, form, cache)
    if not recipe.recall(output):
        ctx = new_context()
        module = read_module(model, ctx, options.bindings)
        recipe.remember(*build(module, ctx, options, form, output, cache))
    return [f"{place}{': ' * bool(place)}{message}" for place, message in recipe.warned]
