"""The roofline of the machine, in seconds, with the sources of its numbers in words."""

from __future__ import annotations

from mlc.targets.machine import Machine
from mlc.tools.explorer.document import KernelBound, MachineLimits, Roof
from mlc.tools.kernel_numbers import ModelNumbers
from mlc.tools.kernel_work import KernelWork

_MEASURED = "measured on this machine, the best of several runs"
_FACTS = {"L1": "l1_read", "L2": "l2_read", "L3": "l3_read", "memory": "memory_read"}
"""The facts that rates are planned from, by the level of the memory."""


def limits_of(numbers: ModelNumbers) -> MachineLimits:
    """The limits that bounds of kernels rest on."""
    roofline = numbers.roofline
    machine, unit = roofline.machine, _seconds(numbers)
    roofs = [
        Roof(level, holds, roofline.bandwidth(level) / unit, _source(numbers, machine, _FACTS[level]))
        for level, holds in roofline.levels.items()
    ]
    return MachineLimits(roofline.cores, roofline.peak() / unit, _source(numbers, machine, "fma_units"), roofs)


def bound_of(numbers: ModelNumbers, work: KernelWork) -> KernelBound | None:
    """The least time of a call of a kernel."""
    if not work.flops and not work.bytes:
        return None
    found, unit = numbers.roofline.bound(work), _seconds(numbers)
    return KernelBound(found.arithmetic * unit, found.transfer * unit, found.limit)


def _seconds(numbers: ModelNumbers) -> float:
    """The unit of the roofline."""
    return 1.0 if numbers.runs_here else 1 / numbers.hertz


def _source(numbers: ModelNumbers, machine: Machine, fact: str) -> str:
    if numbers.runs_here:
        return _MEASURED
    rate, frequency = machine.sources[fact], machine.sources["frequency_mhz"]
    return str(rate) if rate == frequency else f"{rate}; the frequency {frequency}"
