"""Measure this machine, or show what schedules know of it. `mlc machine measure` takes less than a minute of a quiet
machine and writes a file that `--target native` uses from then on; MLC_MACHINE_FILE names another one. `mlc machine
show` prints each number and where it comes from.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from mlc.architectures.facts import FACTS
from mlc.support.errors import UserError
from mlc.support.version import __version__
from mlc.targets import host
from mlc.targets.machine import Machine, resolve_target
from mlc.targets.machine_file import (
    VARIABLE,
    MachineFile,
    Measured,
    machine_file_path,
    read_machine_file,
    require_writable,
    why_no_place,
    write_machine_file,
)
from mlc.tools.driver import ArgumentParser, Namespace
from mlc.tools.machine_measurement import ROUNDS, measure_machine
from mlc.tools.progress import progress_bar

_MANY_UNSTEADY = 3
"""So many unsteady facts are worth a word."""


@dataclass(kw_only=True)
class Arguments(Namespace):
    """The parsed command line."""

    action: str
    target: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    actions = "show (default): what is known; measure: find out, and write it down"
    parser.add_argument("action", nargs="?", choices=("show", "measure"), default="show", help=actions)
    parser.add_argument("--target", metavar="NAME", help="of show: a machine of `mlc targets` (native)")


def run(arguments: Namespace) -> None:
    """Do it."""
    args = Arguments(**vars(arguments))
    if args.action == "measure":
        if args.target is not None:
            raise UserError("'mlc machine measure' measures this machine; it takes no --target")
        measure()
    else:
        print_facts(resolve_target(args.target or "native"))


def measure(rounds: int = ROUNDS) -> None:
    """Measure this machine, and write its file.

    Raises:
        UserError: there is no clang, or no place for the file.
    """
    path = machine_file_path()
    if path is None:
        raise UserError(
            f"found no place for the file of this machine: {why_no_place(VARIABLE)}; required: its name in {VARIABLE}"
        )
    require_writable(path)
    before = None
    with suppress(UserError):  # a broken file, which is written anew
        before = read_machine_file()
    with without_machine_file(), progress_bar("measuring") as bar:
        machine = resolve_target("native")
        facts = measure_machine(
            machine,
            before if before is not None and before.is_of_this_machine else None,
            rounds,
            None if bar is None else lambda done: bar.update("rounds", done, rounds),
        )
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    write_machine_file(path, MachineFile(__version__, date, machine.cpu, host.identity(), facts))
    print_facts(resolve_target("native"))
    unsteady = [name for name, fact in facts.items() if fact.planned is None]
    print(f"wrote {path}: {len(facts) - len(unsteady)} facts")
    if unsteady:
        advice = "; something else runs on this machine: measure again" if len(unsteady) >= _MANY_UNSTEADY else ""
        print(f"too unsteady, so not used: {', '.join(unsteady)}{advice}")


@contextmanager
def without_machine_file() -> Generator[None, None, None]:
    """Let `native` be the machine of the table, also in processes that are started meanwhile."""
    known = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = ""
    try:
        yield
    finally:
        if known is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = known


def print_facts(machine: Machine) -> None:
    """A table of all that is known of a machine in numbers."""
    from rich.console import Console
    from rich.table import Table

    file = read_machine_file() if machine.name == "native" else None
    measured: Mapping[str, Measured] = file.facts if file is not None and file.is_of_this_machine else {}
    registers = f"{machine.vector_registers} registers of {machine.vector_bits} bit"
    table = Table(title=f"{machine.name}: {machine.cpu}, {registers}", title_justify="left", box=None)
    for column in ("fact", "used", "seen", "spread", "unit", "what it is", "from"):
        table.add_column(column, justify="right" if column in ("used", "seen", "spread") else "left")
    for name, fact in FACTS.items():
        seen = measured.get(name)
        words = (f"{seen.value:.4g}", f"{seen.spread:.0%}") if seen is not None else ("", "")
        source = str(machine.sources.get(name, "assumed"))
        if seen is not None and seen.planned is None:
            source += "; measured, but unsteady"
        table.add_row(name, f"{machine.fact(name):g}", *words, fact.unit, fact.words, source)
    Console(width=None if os.isatty(1) else 200).print(table)
