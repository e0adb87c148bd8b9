"""Compilation ahead of time: a module, or what `torch.export` made of one, as a model that needs no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import torch

from mlc.api import compile as compile_model
from mlc.compiler.options import FRAMEWORK_OPTIONS
from mlc.frameworks._options import require_known
from mlc.frontends.torch.source import ExportedModel
from mlc.runtime import Model
from mlc.support.errors import UserError


def compile(
    model: Any,
    inputs: torch.Tensor | Sequence[Any] = (),
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    checked: bool = False,
    **options: Any,
) -> Model:
    """Compile a module, a function of tensors, or an `ExportedProgram`, ahead of time.

    `inputs` and `kwargs` are examples of what it is called with; `dynamic_shapes` says which of their extents are open,
    as `torch.export.export` takes it. Then the result is compiled for the shapes of each call when they are met first,
    unless `shapes` fixes them. `options` are those of `mlc.compile`.

    With `checked` there is one more output after the others, `wrong_elements`, if the model reads or writes at indices
    or divides integers: how many of them are out of range, or 0. Where it is not 0, torch would raise an exception, and
    other outputs mean nothing.

    Inputs are called what the parameters of `forward` are called, and outputs what the keys of its result are. A
    buffer that the model changes is an input and an output.

    Raises:
        UserError: an option does not exist, the model cannot be exported, or uses an operator that mlc does not have.
    """
    require_known(options, "mlc.torch.compile", (*FRAMEWORK_OPTIONS, "shapes", "values"))
    program = model
    if not isinstance(model, torch.export.ExportedProgram):
        arguments = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)
        program = _exported(model, arguments, dict(kwargs or {}), dynamic_shapes)
    source = ExportedModel("<ExportedProgram>", Path.cwd(), exported=program, checked=checked)
    return compile_model(cast(Any, source), **options)


def _module(function: Any) -> torch.nn.Module:
    """A function as a module, whose inputs have the names of its parameters."""
    module = torch.nn.Module()
    module.forward = function
    return module


def _exported(model: Any, arguments: tuple[Any, ...], named: dict[str, Any], dynamic_shapes: Any) -> Any:
    if not callable(model):
        found = type(model).__name__
        raise UserError(f"found a model of type {found}; required: a torch.nn.Module, a function or an ExportedProgram")
    module = model if isinstance(model, torch.nn.Module) else _module(model)
    try:
        with torch.no_grad():
            return torch.export.export(module, arguments, named, dynamic_shapes=dynamic_shapes)
    except Exception as e:  # of many kinds, and with good explanations
        raise UserError(f"torch.export cannot make a graph of the model: {e}") from e
