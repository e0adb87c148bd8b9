"""From a graph of torch to a loaded library, and what the caller may choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.api import compile_source
from mlc.compiler.library import Build, build_module
from mlc.compiler.options import FRAMEWORK_OPTIONS, OPTIONS, CompileOptions
from mlc.frameworks._options import require_known
from mlc.frameworks.torch._source import GraphModel
from mlc.support.errors import UserError
from mlc.targets.cache import Cache
from mlc.targets.toolchain import find_clang

if TYPE_CHECKING:
    from mlc.dialects.aten.graph_source import GraphSource
    from mlc.runtime import Model

_KINDS: dict[type, str] = {str: "a name", int: "a whole number"}


@dataclass(frozen=True)
class BackendOptions:
    """What `torch.compile(options=…)` gives besides options of the compiler.

    Attributes:
        checked: whether a call raises what torch raises of elements that it does not take.
        capacity: of how many elements of a dim that torch leaves open without an upper bound the first code has room
            for; None if code is made for each extent.
        tiered: whether calls run in torch while another process compiles.
    """

    checked: bool = True
    capacity: int | None = None
    tiered: bool = False


def backend_options(options: Mapping[str, Any] | None) -> tuple[BackendOptions, CompileOptions]:
    """The options of the backend alone, and those of `compile_options`.

    Raises:
        UserError: as there, or one of them has no such value.
    """
    given = dict(options or {})
    capacity = given.pop("capacity", BackendOptions.capacity)
    if capacity is not None and (not isinstance(capacity, int) or isinstance(capacity, bool) or capacity < 1):
        raise UserError(f"option 'capacity' is {capacity!r}; required: a whole number from 1 on")
    chosen = {name: given.pop(name, default) for name, default in (("checked", True), ("tiered", False))}
    for name, value in chosen.items():
        if not isinstance(value, bool):
            raise UserError(f"option '{name}' is {value!r}, a {type(value).__name__}; required: True or False")
    return BackendOptions(capacity=capacity, **chosen), compile_options(given)


def compile_options(options: Mapping[str, Any] | None) -> CompileOptions:
    """Options as `torch.compile(options=…)` gives them; threads are as many as torch uses, unless they are given.

    Raises:
        UserError: one does not exist, or has no such value, or `cc` names no clang.
    """
    import torch

    given = dict(options or {})
    require_known(given, "the backend", (*FRAMEWORK_OPTIONS, "checked", "capacity", "tiered"))
    given.setdefault("threads", torch.get_num_threads())
    if given.get("cc", "") is None:
        del given["cc"]
    for name, value in given.items():
        kind = int if OPTIONS[name].kind == "number" else str
        if not isinstance(value, kind) or isinstance(value, bool):
            raise UserError(f"option '{name}' is {value!r}, a {type(value).__name__}; required: {_KINDS[kind]}")
    found = CompileOptions(**given)
    found.check()
    if found.cc is not None:
        find_clang(found.cc, Cache.default())
    return found


def build(
    source: GraphSource,
    options: CompileOptions,
    kind: type[GraphModel] = GraphModel,
    by: Build = build_module,
    **more: Any,
) -> Model:
    """The library of a graph, loaded: from the cache, or as `by` makes it. `more` is what the `kind` of model has
    besides the graph.

    Raises:
        UserError: an operator cannot be converted, or there is no usable clang.
        CompilerBug: mlc is wrong.
    """
    return compile_source(kind("<torch.compile>", Path.cwd(), source=source, **more), options, by)
