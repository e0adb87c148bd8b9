"""List the machines that mlc compiles for, and where the numbers come from that schedules are chosen by; `native` is
this one. `mlc machine show --target NAME` prints the numbers of one.
"""

from __future__ import annotations

from mlc.targets.machine import Machine, available_targets, words_of_sources
from mlc.tools.driver import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """This command has none."""


def run(arguments: Namespace) -> None:
    """Print one line per target."""
    rows = [_row(machine) for machine in available_targets()]
    sizes = f"{'L1':>6} {'L2':>8} {'L3':>8}"
    print(f"{'target':<16} {'arch':<8} {'vectors':<13} {sizes} {'cores':>5}  {'tuned for':<28} numbers")
    print(*rows, sep="\n")


def _row(m: Machine) -> str:
    vectors = f"{m.vector_registers} x {m.vector_bits} bit"
    caches = f"{_size(m.l1_bytes):>6} {_size(m.l2_bytes):>8} {_size(m.l3_bytes):>8}"
    tuned = f"{m.cpu} ({m.base})"
    return f"{m.name:<16} {m.arch:<8} {vectors:<13} {caches} {m.cores:>5}  {tuned:<28} {words_of_sources(m)}"


def _size(size: int) -> str:
    """A number of bytes for people."""
    if size == 0:
        return "-"
    return f"{size >> 10}K" if size < 1 << 20 else f"{size / (1 << 20):.3g}M"
