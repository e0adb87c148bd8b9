"""What schedules of a kernel would cost: its plain loops are made once, each schedule is carried out on a copy."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue

from mlc.analysis.nests import inline_single_iterations
from mlc.dialects.loop import ConstantOp, ForOp
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.schedules.cost.estimate import Estimate, estimate
from mlc.schedules.lone_kernel import called_alone
from mlc.schedules.plain_loops import passes_around_steps
from mlc.schedules.steps.base import Scheduling, apply_step
from mlc.schedules.steps.llvm_unroll import is_written_out
from mlc.schedules.steps.unroll import MOST_OPS, unroll
from mlc.support.context import CompilerContext
from mlc.support.dtypes import dtype_of
from mlc.support.errors import UserError
from mlc.support.resources import Resources
from mlc.support.types import tensor_type
from mlc.targets.machine import Machine

_PLANS_MEMORY = "plan-memory"
_DEFAULT = PipelineOptions()


class KernelOnLoops:
    """A kernel as `convert-tensor-to-loop` makes it, before any step of a schedule.

    The passes are those of the default pipeline, by its own data, but that nothing is verified and no observer called:
    what they make is estimated and thrown away. `plan-memory` is left out, for one arena would hide which buffer an
    access belongs to.
    """

    def __init__(
        self,
        kernel: FuncOp,
        constants: Container[tuple[str, int]],
        ctx: CompilerContext,
        machine: Machine,
        options: PipelineOptions = _DEFAULT,
        weights: int = 0,
    ) -> None:
        """Make the loops of `kernel`, a function at the tensor level, which stays as it is.

        Args:
            kernel: it may have a schedule, which is not looked at.
            constants: holds the arguments (name of the kernel, position) that are known when a program is compiled: a
                step may reorder them for nothing. Their data is not needed.
            ctx: stays as it is, remarks included.
            machine: the one whose time is estimated: of a name that is known, perhaps with other facts.
            options: those of the compilation, whose level is one at which schedules are carried out, 2 or more.
            weights: the size of all constants of the model, in bytes: what passes by between two calls of the kernel.

        Raises:
            UserError: an op cannot be lowered.
        """
        self._name, self._machine, self._weights = kernel.sym_name.data, machine, weights
        self._options = options
        self.problem: str | None = None
        """What is wrong with the steps that were estimated last: a loop that is not there; None if nothing is."""
        self._ctx = ctx.clone()
        self._ctx.target = machine.name
        self._ctx.resources = _WithoutNumbers(**vars(self._ctx.resources))
        known = [a for a in kernel.body.block.args if (self._name, a.index) in constants]
        self._module = called_alone(kernel, {a.index: [self._no_data(a)] for a in known})
        if (function := _function(self._module, self._name)) is not None:
            function.attributes.pop("schedule", None)
        before, self._behind = _around_steps(options)
        _run(before, self._module, self._ctx)

    def estimate(self, steps: Sequence[Step], most_ops: int = MOST_OPS) -> Estimate | None:
        """What the kernel takes with these steps, as far as its loops allow them.

        None if a step names no loop, or an argument that is none, or what it makes cannot be lowered further; if there
        are more than `most_ops` ops then; or if the kernel is part of the loop that calls it.
        """
        self.problem = None
        module, ctx = self._module.clone(), self._ctx.clone()
        ctx.resources = self._ctx.resources
        if (function := _function(module, self._name)) is None:
            return None
        scheduling = Scheduling(module, ctx, self._options.accuracy)
        try:
            for step in steps:
                apply_step(step, function, scheduling)
                if sum(1 for _ in function.walk()) > most_ops:
                    return None
            _finish(self._behind, module, function, ctx)
        except UserError as e:
            self.problem = e.message
            return None
        distances = distances_of_constants(module, function, self._weights)
        return estimate(function, self._machine, self._options.threads, distances)

    def _no_data(self, argument: SSAValue) -> arith.ConstantOp:
        """A constant for an argument, of which nothing but the type is true."""
        kind = tensor_type(argument)
        zeros = np.broadcast_to(np.zeros((), dtype_of(kind.element_type)), kind.get_shape())
        return arith.ConstantOp(DenseResourceAttr.from_params(self._ctx.resources.add(zeros, "zeros"), kind))


class _WithoutNumbers(Resources):
    """Weights that nobody computes with: zeros that share one number stay that way, and take no memory."""

    def add(self, array: Any, hint: str) -> str:
        name = f"{hint}.{len(self.names())}"
        self.define(name, array)
        return name


def finish_loops(module: ModuleOp, function: FuncOp, ctx: CompilerContext, options: PipelineOptions) -> None:
    """Take a module on, whose plain loops steps were carried out on, to where estimates are made.

    Raises:
        UserError: what the steps made cannot be lowered further.
    """
    _finish(_around_steps(options)[1], module, function, ctx)


def distances_of_constants(module: ModuleOp, function: FuncOp, distance: int) -> dict[SSAValue, int]:
    """That the arguments of `function` which are constants of all its callers were used `distance` bytes ago."""
    calls = [
        op for op in module.walk() if isinstance(op, CallOp) and op.callee.string_value() == function.sym_name.data
    ]
    each = zip(function.body.block.args, *(call.operands for call in calls), strict=True) if calls else ()
    return {argument: distance for argument, *passed in each if all(isinstance(v.owner, ConstantOp) for v in passed)}


def _around_steps(options: PipelineOptions) -> tuple[list[Pass], list[Pass]]:
    """The passes to where steps are carried out, and those after them, but the one that plans the arena.

    Raises:
        ValueError: no step is carried out at that level.
    """
    if (around := passes_around_steps(options)) is None:
        raise ValueError(f"found opt_level {options.opt_level}; required: one at which schedules are carried out")
    return around[0], [pass_ for pass_ in around[1] if pass_.name != _PLANS_MEMORY]


def _finish(passes: Sequence[Pass], module: ModuleOp, function: FuncOp, ctx: CompilerContext) -> None:
    inline_single_iterations(function)
    # What LLVM writes out is estimated as it is then, so that what two iterations load is loaded once.
    for loop in reversed([op for op in function.walk() if isinstance(op, ForOp) and is_written_out(op)]):
        unroll(loop)
    _run(passes, module, ctx)


def _run(passes: Sequence[Pass], module: ModuleOp, ctx: CompilerContext) -> None:
    for pass_ in passes:
        pass_.run(module, ctx)


def _function(module: ModuleOp, name: str) -> FuncOp | None:
    return next((op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name), None)
