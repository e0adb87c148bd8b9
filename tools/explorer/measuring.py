"""Measured times of kernels and of the model, as `mlc explain` measures them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mlc.compiler.compilation import Compilation
from mlc.support.errors import UserError
from mlc.targets.host import can_run
from mlc.tools.explorer.document import KernelPage, KernelTime
from mlc.tools.kernel_numbers import KernelNumbers


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


def with_times(
    pages: Sequence[KernelPage], rows: Sequence[KernelNumbers], removed: Collection[str]
) -> list[KernelPage]:
    """The pages of kernels with their times, as far as these were measured. Kernels that passes `removed`, by their
    names, are parts of the loops that called them."""
    seconds = {row.name: row.seconds for row in rows if row.seconds is not None}
    times = {name: KernelTime(time, name in removed) for name, time in seconds.items()}
    return [replace(page, measured=times.get(page.name)) for page in pages]
