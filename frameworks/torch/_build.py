"""From a module of the aten dialect to a loaded library."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.compiler import Compilation, CompileOptions, new_context
from mlc.passes.manager import PassManager
from mlc.runtime import Model, load
from mlc.support.errors import UserError
from mlc.support.recursion import deep_recursion
from mlc.targets.cache import Cache

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext

_KNOWN = ("target", "threads", "opt_level", "cc")
_KINDS: dict[type, str] = {str: "a name", int: "a whole number"}


def compile_options(options: Mapping[str, Any] | None) -> CompileOptions:
    """Options as `torch.compile(options=…)` gives them; threads are as many as torch uses, unless they are given.

    Raises:
        UserError: one does not exist, or has no such value.
    """
    import torch

    given = dict(options or {})
    if unknown := [name for name in given if name not in _KNOWN]:
        raise UserError(f"found the option '{unknown[0]}'; the backend takes {', '.join(_KNOWN)}")
    given.setdefault("threads", torch.get_num_threads())
    for name, kind in (("target", str), ("threads", int), ("opt_level", int)):
        if name in given and not isinstance(given[name], kind):
            value = given[name]
            raise UserError(f"option '{name}' is {value!r}, a {type(value).__name__}; required: {_KINDS[kind]}")
    found = CompileOptions(**given)
    found.check()
    return found


def context(options: CompileOptions) -> CompilerContext:
    """A new context for one module."""
    return new_context(options.target)


def build(module: ModuleOp, ctx: CompilerContext, options: CompileOptions) -> Model:
    """The library of a module, loaded; its file goes with it.

    Raises:
        UserError: an operator cannot be converted, or there is no usable clang.
        CompilerBug: mlc is wrong.
    """
    handle, name = tempfile.mkstemp(prefix="mlc-", suffix=".so")
    os.close(handle)
    path = Path(name)
    try:
        with deep_recursion():
            Compilation(module, ctx, options, PassManager(ctx)).build(
                "shared", path, replace(Cache.default(), links=True)
            )
        return load(path, temporary=True)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
