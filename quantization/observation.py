"""Runs of a compiled model that also give what is inside: its intermediate tensors are further results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from mlc import api
from mlc.compiler.model_files import weights_of
from mlc.compiler.model_inputs import Array
from mlc.support.context import CompilerContext
from mlc.support.functions import models_of

Call = Callable[[Sequence[Array]], list[Array]]
"""Runs a model on the inputs of one call."""


def copy_of(module: ModuleOp) -> tuple[ModuleOp, dict[SSAValue, SSAValue]]:
    """A copy of a module, and where each value is in it."""
    values: dict[SSAValue, SSAValue] = {}
    return module.clone(values), values


def add_results(function: FuncOp, values: Sequence[SSAValue]) -> None:
    """Let a function also return these values."""
    end = function.body.block.last_op
    assert isinstance(end, ReturnOp)
    if function.res_attrs is not None:
        function.res_attrs = ArrayAttr([*function.res_attrs, *(DictionaryAttr({}) for _ in values)])
    end.operands = [*end.operands, *values]
    function.update_function_type()


def compiled(module: ModuleOp, ctx: CompilerContext) -> Call:
    """The model as native code for this machine.

    Raises:
        UserError: it cannot be compiled, or there is no usable clang.
        ArtifactError: this machine runs no code of mlc.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # who compiles the result gets them
        model = api.compile(module, weights=weights_of(module, ctx.resources))

    def call(inputs: Sequence[Array]) -> list[Array]:
        found: Any = model(*inputs)
        return list(cast("tuple[Array, ...]", found)) if isinstance(found, tuple) else [found]

    return call


def observing(module: ModuleOp, ctx: CompilerContext, values: Sequence[SSAValue]) -> Call:
    """The compiled model, whose results are followed by `values` of it.

    Raises:
        UserError, ArtifactError: as `compiled`.
    """
    copy, where = copy_of(module)
    add_results(models_of(copy)[0], [where[v] for v in values])
    return compiled(copy, ctx)


def relative_error(pairs: Sequence[tuple[Array, Array]]) -> float:
    """Of pairs (found, wanted): the norm of what all numbers are off, by the norm of those that are wanted."""
    off = total = 0.0
    for found, wanted in pairs:
        with np.errstate(all="ignore"):
            difference = np.where(found == wanted, 0, found.astype(np.float64) - wanted.astype(np.float64))
            off, total = off + float(np.sum(difference**2)), total + float(np.sum(wanted.astype(np.float64) ** 2))
    return ratio(off, total)


def ratio(off: float, total: float) -> float:
    """The root of the quotient of two sums of squares; infinite if it is none."""
    if off == 0:
        return 0.0
    found = (off / total) ** 0.5 if total > 0 else float("inf")
    return found if found == found else float("inf")
