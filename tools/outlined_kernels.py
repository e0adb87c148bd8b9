"""Kernels that a model gets below the tensor level: loops on buffers that `outline-loops` makes functions of."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.options import CompileOptions
from mlc.pass_manager.default_passes import passes_of
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.pipeline import default_steps
from mlc.passes.loop.outline_loops import OutlineLoopsPass, outline
from mlc.support.context import CompilerContext
from mlc.support.functions import models_of


def outlined_kernels(
    module: ModuleOp, ctx: CompilerContext, options: CompileOptions
) -> tuple[Sequence[FuncOp], ModuleOp]:
    """What `outline-loops` makes of a module that is lowered to the tensor level, which stays.

    Returns:
        The kernels at the tensor level, with their schedules, and a module at the loop level that calls them. Without
        such kernels it is the given module.
    """
    steps = default_steps(options, "loop", "tensor")
    names = [step.passes for step in steps]
    if OutlineLoopsPass.name not in names or not any(map(_has_buffers, models_of(module))):
        return [], module
    own, loops = ctx.clone(), module.clone()
    before = steps[: names.index(OutlineLoopsPass.name)]
    PassManager(own).run(loops, passes_of(before, options))
    kernels = outline(loops, own, OutlineLoopsPass.least_points)
    ctx.rule_schedules |= own.rule_schedules
    return kernels, loops if kernels else module


def _has_buffers(function: FuncOp) -> bool:
    return any(isinstance(kind, MemRefType) for kind in function.function_type.inputs)
