"""llvm-mca: how many cycles a loop takes on a CPU, by LLVM's model of it."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from mlc.targets.machine import Machine
from mlc.targets.toolchain import programs_on_path

MINIMUM_VERSION = 16
FRONT = "front of the core"
_ITERATIONS = 1000
_INSTRUCTIONS = 20_000
"""How many are simulated of a long loop, at least 100 times all of it: its cycles then are right to a hundredth."""
_PRESSURE = re.compile(r"^Resource pressure per iteration:\n(.*)\n(.*)$", re.MULTILINE)
_BY_INSTRUCTION = re.compile(r"^Resource pressure by instruction:\n.*\n((?:.+\n?)*)", re.MULTILINE)
_COUNT = r"^{}:\s+(\d+)"


def find_mca() -> str:
    """The newest llvm-mca on PATH.

    Raises:
        LookupError: there is none, or only older ones, whose models of CPUs lack some of ours; the message says which.
    """
    versions = {str(path): version_of(str(path)) for path in programs_on_path(r"llvm-mca(-\d+)?")}
    newest = max(versions, key=versions.__getitem__, default=None)
    if newest is not None and versions[newest] >= MINIMUM_VERSION:
        return newest
    found = f"only {newest}, version {versions[newest]}" if newest else "none on PATH"
    raise LookupError(f"llvm-mca {MINIMUM_VERSION} or newer is needed, found {found}; install one: apt install llvm-19")


def version_of(tool: str) -> int:
    """The major version of an llvm-mca; 0 if it does not say."""
    shown = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"LLVM version (\d+)", shown)
    return int(match[1]) if match else 0


def model_of(machine: Machine) -> str:
    """The CPU, as LLVM names it, whose model is that of a machine."""
    return machine.base if machine.arch == "aarch64" else machine.cpu


def iterations_of(instructions: int) -> int:
    """How many iterations of a loop are enough, by the number of its instructions."""
    return max(100, min(_ITERATIONS, _INSTRUCTIONS // max(instructions, 1)))


def simulate(tool: str, machine: Machine, body: str, iterations: int = _ITERATIONS) -> str:
    """What llvm-mca prints of many iterations of `body`.

    Raises:
        subprocess.CalledProcessError: llvm-mca does not know the CPU, or refuses the text.
    """
    command = [tool, f"-mtriple={machine.triple}", f"-mcpu={model_of(machine)}", f"-iterations={iterations}"]
    return subprocess.run(command, input=body, capture_output=True, text=True, check=True).stdout


def cycles_in(shown: str) -> float:
    """The cycles of one iteration, as `simulate` shows them."""
    total, iterations = (re.search(_COUNT.format(name), shown, re.MULTILINE) for name in ("Total Cycles", "Iterations"))
    assert total and iterations
    return int(total[1]) / int(iterations[1])


def cycles(tool: str, machine: Machine, body: str) -> float:
    """The cycles of one iteration of `body` in a long run.

    Raises:
        subprocess.CalledProcessError: llvm-mca does not know the CPU, or refuses the text.
    """
    return cycles_in(simulate(tool, machine, body))


@dataclass(frozen=True)
class BusyUnit:
    """A part of a core that works."""

    name: str
    """That of LLVM's model; `FRONT` is what starts instructions."""
    cycles: float
    """How many cycles of an iteration it works."""
    instructions: Mapping[str, float] = field(default_factory=dict[str, float])
    """How many of these it works on which instructions, by their names, the longest first; nothing of the front."""


def busiest_unit(shown: str) -> BusyUnit:
    """The unit that works most in an iteration, as llvm-mca shows it."""
    pressure = _PRESSURE.search(shown)
    operations, iterations, width = (
        re.search(_COUNT.format(name), shown, re.MULTILINE) for name in ("Total uOps", "Iterations", "Dispatch Width")
    )
    assert pressure and operations and iterations and width
    front = BusyUnit(FRONT, int(operations[1]) / int(iterations[1]) / int(width[1]))
    columns, numbers = pressure[1].split(), [_number(word) for word in pressure[2].split()]
    most = max(range(len(numbers)), key=numbers.__getitem__)
    if numbers[most] <= front.cycles:
        return front
    # Units that are alike are numbered: [12.0] and [12.1] are two of [12].
    named = re.search(rf"^{re.escape(columns[most])}\s+- (\S+)", shown, re.MULTILINE)
    return BusyUnit(named[1] if named else columns[most], numbers[most], _users(shown, most, len(columns)))


def _users(shown: str, column: int, columns: int) -> dict[str, float]:
    """How long each instruction keeps a unit busy."""
    found: Counter[str] = Counter()
    lines = _BY_INSTRUCTION.search(shown)
    for line in lines[1].splitlines() if lines else ():
        words = line.split(None, columns + 1)
        if len(words) > columns:
            found[words[columns]] += _number(words[column])  # pyright: ignore[reportArgumentType]
    return {name: round(cycles, 2) for name, cycles in found.most_common() if cycles}


def _number(word: str) -> float:
    return 0.0 if word == "-" else float(word)
