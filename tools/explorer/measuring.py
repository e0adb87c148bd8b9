"""Measured times of kernels and of the model, as `mlc explain` measures them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlc.compiler.compilation import Compilation
from mlc.support.errors import UserError
from mlc.targets.host import can_run
from mlc.tools.explain_table import inlined_kernels
from mlc.tools.explorer.document import KernelTime
from mlc.tools.kernel_numbers import ModelNumbers


@dataclass(frozen=True)
class Measurements:
    """What was measured of one model."""

    kernels: Mapping[str, KernelTime]
    """By the names of kernels."""
    model: float | None
    """The shortest time of a call of the whole model, in seconds."""


def require_measurable(compilation: Compilation) -> None:
    """Check that kernels of a model can be measured here, before it is compiled.

    Raises:
        UserError: they cannot.
    """
    machine, target = compilation.machine, compilation.options.target
    if "tensor" not in compilation.backend.levels:
        raise UserError(
            f"found --measure with target '{target}', whose backend '{compilation.backend.name}' has no kernels at the "
            "tensor level; required: a target that `mlc targets` lists as native code"
        )
    if not can_run(machine.arch, machine.required_cpu_flags):
        raise UserError(
            f"found --measure with target '{target}', whose code this machine cannot run; required: a target that it "
            "can, such as --target native"
        )


def measure_kernels(compilation: Compilation) -> Measurements:
    """Measure all kernels of what `compilation` has lowered to the tensor level, which stays, and the model.

    It takes 0.6 seconds for each kernel, and the time to compile them.

    Raises:
        UserError: there is no usable clang.
    """
    numbers = ModelNumbers.about(compilation)
    rows, model = numbers.of(numbers.kernels, whole=True)
    inlined = inlined_kernels(numbers)
    times = {row.name: KernelTime(row.seconds, row.name in inlined) for row in rows if row.seconds is not None}
    return Measurements(times, model)
