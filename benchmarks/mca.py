"""Inner loops for CPUs that are not at hand, judged by llvm-mca, which simulates LLVM's model of a CPU.

    python -m benchmarks.mca                       # from the root of the repository
    python -m benchmarks.mca --target neoverse-v1

Compiles a large matmul and a large convolution, takes the loop that multiplies and adds most, and compares its cycles
with those that its multiply-adds alone would need. The model knows pipelines and latencies, no caches.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlc.benchmarks.case import Case
from mlc.benchmarks.engines import saved_source
from mlc.benchmarks.suite import cases_by_family
from mlc.benchmarks.tables import Grid
from mlc.compiler import Compilation, CompileOptions, new_context, parse_verified
from mlc.passes.manager import PassManager
from mlc.targets.machine import Machine, resolve_target
from mlc.targets.toolchain import programs_on_path

_TARGETS = ("neoverse-n1", "cortex-a76")
_CASES = r"^(matmul-1024x1024x1024|resnet-3x3-256-256-14x14)$"
_FMA = re.compile(r"^\s+(?:fmla|vfn?m(?:add|sub)\d+ps)\s", re.MULTILINE)
_LABEL = re.compile(r"^(\.L\w+):")
_BRANCH = re.compile(r"^\s+(?:b\.\w+|cbn?z|tbn?z|j\w+)\s.*?(\.L\w+)\s*(?://.*|#.*)?$")
_CYCLES = re.compile(r"^Total Cycles:\s+(\d+)", re.MULTILINE)
_ITERATIONS = 1000
MINIMUM_VERSION = 16
_CHAINS = 24


@dataclass(frozen=True)
class Loop:
    """One innermost loop of an assembly text."""

    text: str
    fmas: int


def main(arguments: Sequence[str]) -> int:
    """Print the table. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mca", description="Judge inner loops by llvm-mca.")
    parser.add_argument("--target", action="append", help=f"machines of `mlc targets` ({', '.join(_TARGETS)})")
    options = parser.parse_args(arguments)
    try:
        tool = find_mca()
    except LookupError as e:
        print(e, file=sys.stderr)
        return 2
    rows: list[list[str]] = []
    for target in options.target or _TARGETS:
        machine = resolve_target(target)
        for _, case in cases_by_family(_CASES):
            loop = hottest_loop(assembly(case, target))
            if loop is None:
                rows.append([case.name, target, "no loop with multiply-adds", "", ""])
                continue
            least, needed = fma_cycles(tool, machine) * loop.fmas, cycles(tool, machine, loop.text)
            rows.append([case.name, target, str(loop.fmas), f"{needed:.1f}", f"{least / needed:.0%}"])
    print(Grid("", ["case", "target", "FMAs in the loop", "cycles", "% of FMA throughput"], rows).markdown())
    return 0


def find_mca() -> str:
    """The newest llvm-mca on PATH.

    Raises:
        LookupError: there is none, or only older ones, whose models of CPUs lack some of ours; the message says which.
    """
    versions = {str(path): _version(str(path)) for path in programs_on_path(r"llvm-mca(-\d+)?")}
    newest = max(versions, key=versions.__getitem__, default=None)
    if newest is not None and versions[newest] >= MINIMUM_VERSION:
        return newest
    found = f"only {newest}, version {versions[newest]}" if newest else "none on PATH"
    raise LookupError(f"llvm-mca {MINIMUM_VERSION} or newer is needed, found {found}; install one: apt install llvm-19")


def _version(tool: str) -> int:
    """The major version of an llvm-mca; 0 if it does not say."""
    shown = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"LLVM version (\d+)", shown)
    return int(match[1]) if match else 0


def assembly(case: Case, target: str) -> str:
    """The case, compiled to assembly text."""
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
        ctx = new_context(target)
        module = parse_verified(saved_source(case, Path(folder)), case.name, ctx, Path(folder))
        output = Path(folder) / "model.s"
        Compilation(module, ctx, CompileOptions(target), PassManager(ctx)).build("asm", output)
        return output.read_text(encoding="utf-8")


def hottest_loop(text: str) -> Loop | None:
    """The loop of one block with the most multiply-adds; None if no such loop has any."""
    loops = [Loop(body, len(_FMA.findall(body))) for body in _loops(text)]
    return max((loop for loop in loops if loop.fmas), key=lambda loop: loop.fmas, default=None)


def cycles(tool: str, machine: Machine, body: str) -> float:
    """The cycles of one iteration of `body` in a long run.

    Raises:
        subprocess.CalledProcessError: llvm-mca does not know the CPU, or refuses the text.
    """
    cpu = machine.base if machine.arch == "aarch64" else machine.cpu
    command = [tool, f"-mtriple={machine.triple}", f"-mcpu={cpu}", f"-iterations={_ITERATIONS}"]
    result = subprocess.run(command, input=body, capture_output=True, text=True, check=True)
    found = _CYCLES.search(result.stdout)
    assert found is not None
    return int(found[1]) / _ITERATIONS


def fma_cycles(tool: str, machine: Machine) -> float:
    """The cycles of one multiply-add of full vectors, when nothing else is to be done."""
    if machine.arch == "aarch64":
        lines = [f"\tfmla v{8 + i}.4s, v0.4s, v1.4s" for i in range(_CHAINS)]
    else:
        register = "zmm" if machine.vector_bits == 512 else "ymm"
        chains = min(_CHAINS, machine.vector_registers - 2)
        lines = [f"\tvfmadd231ps %{register}0, %{register}1, %{register}{2 + i}" for i in range(chains)]
    return cycles(tool, machine, "\n".join(lines)) / len(lines)


def _loops(text: str) -> Iterator[str]:
    """The blocks that branch to their own beginnings."""
    label, block = "", list[str]()
    for line in text.splitlines():
        if start := _LABEL.match(line):
            label, block = start[1], []
        elif branch := _BRANCH.match(line):
            block.append(line)
            if branch[1] == label:
                yield "\n".join(block)
            label, block = "", []
        elif not line.lstrip().startswith((".", "//", "#")):
            block.append(line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
