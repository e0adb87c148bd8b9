"""llvm-mca: how many cycles a loop takes on a CPU, by LLVM's model of it."""

from __future__ import annotations

import re
import subprocess

from mlc.targets.machine import Machine
from mlc.targets.toolchain import programs_on_path

MINIMUM_VERSION = 16
_ITERATIONS = 1000
_CYCLES = re.compile(r"^Total Cycles:\s+(\d+)", re.MULTILINE)
_PRESSURE = re.compile(r"^Resource pressure per iteration:\n.*\n(.*)$", re.MULTILINE)
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


def simulate(tool: str, machine: Machine, body: str) -> str:
    """What llvm-mca prints of many iterations of `body`.

    Raises:
        subprocess.CalledProcessError: llvm-mca does not know the CPU, or refuses the text.
    """
    command = [tool, f"-mtriple={machine.triple}", f"-mcpu={model_of(machine)}", f"-iterations={_ITERATIONS}"]
    return subprocess.run(command, input=body, capture_output=True, text=True, check=True).stdout


def cycles_in(shown: str) -> float:
    """The cycles of one iteration, as `simulate` shows them."""
    found = _CYCLES.search(shown)
    assert found is not None
    return int(found[1]) / _ITERATIONS


def cycles(tool: str, machine: Machine, body: str) -> float:
    """The cycles of one iteration of `body` in a long run.

    Raises:
        subprocess.CalledProcessError: llvm-mca does not know the CPU, or refuses the text.
    """
    return cycles_in(simulate(tool, machine, body))


def busiest_unit(shown: str) -> float:
    """How many cycles of an iteration the busiest unit works, as llvm-mca shows it."""
    pressure = _PRESSURE.search(shown)
    operations, iterations, width = (
        re.search(_COUNT.format(name), shown, re.MULTILINE) for name in ("Total uOps", "Iterations", "Dispatch Width")
    )
    assert pressure and operations and iterations and width
    started = int(operations[1]) / int(iterations[1]) / int(width[1])
    return max([started, *(float(number) for number in pressure[1].split() if number != "-")])
