"""A schedule as numbers, which mean the same for all kernels: what its loops should cost, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from mlc.schedules.cost.estimate import estimate
from mlc.schedules.cost.traits import traits
from mlc.targets.machine import Machine

Description = Mapping[str, float]
"""Numbers by name. Which there are depends on the loops; a model takes what is not there to be unknown."""

CYCLES = "cycles"
"""The name of the whole estimate, a logarithm to base 2."""


def described(function: FuncOp, machine: Machine, threads: int, distances: Mapping[SSAValue, int]) -> dict[str, float]:
    """The numbers of `function`, at the loop level and without calls: its estimate for so many threads, the parts of
    that, its traits. `distances` says of arguments how many bytes ago they were used."""
    cost = estimate(function, machine, threads, distances)
    cycles = max(cost.cycles, 1.0)
    brought = sum(cost.brought.values())
    shares = {f"share of {name}": part / cycles for name, part in (cost.parts | cost.brought).items()}
    waiting = cost.waiting / cycles
    whole = {CYCLES: log2(cycles), "bringing": log2(1 + brought) - log2(cycles), "share of waiting": waiting}
    return whole | shares | traits(function, machine)


def beside(description: Description, rules: Description) -> dict[str, float]:
    """How the loops of a schedule differ from those of the schedule by the rules, number by number."""
    return {name: round(value - rules.get(name, 0.0), 4) for name, value in description.items()}
