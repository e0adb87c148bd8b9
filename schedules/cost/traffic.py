"""How long bytes take from the nearest level of memory that holds them, and what is computed meanwhile."""

from __future__ import annotations

from mlc.targets.machine import Machine


def side_by_side(one: float, other: float) -> float:
    """How long two things take at a time: the longer one, and a little more where both take about as long.

    The norm of both times for the exponent 4. Which exponent ranks measured schedules best was tried.
    """
    longer, shorter = max(one, other), min(one, other)
    return longer * (1 + (shorter / longer) ** 4) ** 0.25 if longer else 0.0


def read_cycles(size: int, machine: Machine, among: int = 0) -> float:
    """Of reading `size` bytes once, where they were left by the code before, `among` others if these are more."""
    memory = machine.memory
    return size / _rate(max(size, among), machine, memory.l2_read, memory.l3_read, memory.memory_read)


def write_cycles(size: int, machine: Machine) -> float:
    """Of writing `size` bytes for the code after it."""
    memory = machine.memory
    return size / _rate(size, machine, memory.l2_write, memory.l3_write, memory.memory_write)


def _rate(size: int, machine: Machine, second: float, last: float, main: float) -> float:
    levels = (machine.l2_bytes, second), (machine.l3_bytes, last)
    return next((rate for level, rate in levels if size <= level), main)
