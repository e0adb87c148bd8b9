"""Measured times of kernels and of the model, as `mlc explain` measures them, and why they are what they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mlc.compiler.compilation import Compilation
from mlc.support.errors import UserError
from mlc.targets.host import can_run
from mlc.tools.explorer.document import KernelPage, KernelReason, KernelTime
from mlc.tools.kernel_numbers import KernelNumbers
from mlc.tools.kernel_reason import reason_of
from mlc.tools.roofline import Bound
from mlc.tuning.measure import MeasuredTime


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
    times = {
        row.name: KernelTime(time.shortest, time.median, time.upper, row.name in removed)
        for row in rows
        if (time := row.measured) is not None
    }
    return [replace(page, measured=times.get(page.name)) for page in pages]


def with_reasons(pages: Sequence[KernelPage]) -> list[KernelPage]:
    """The pages of kernels with why a call takes as long as it does: as was measured, or else as is estimated."""
    return [replace(page, reason=_reason(page)) for page in pages]


def _reason(page: KernelPage) -> KernelReason | None:
    bound, costs, time = page.bound, page.costs, page.measured
    found = reason_of(
        None if bound is None else Bound(bound.arithmetic, bound.transfer, bound.limit),
        {} if costs is None else {name: costs.seconds_of(cycles) for name, cycles in costs.spent.items()},
        {} if costs is None else costs.brought,
        None if time is None else MeasuredTime(time.seconds, time.median, time.upper),
    )
    return None if found is None else KernelReason(found.words, found.parts)
