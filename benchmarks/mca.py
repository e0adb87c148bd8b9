"""Inner loops for CPUs that are not at hand, judged by llvm-mca, which simulates LLVM's model of a CPU.

    python -m benchmarks.mca                       # from the root of the repository: eight CPUs, ten kernels
    python -m benchmarks.mca --target neoverse-v1 --only softmax
    python -m benchmarks.mca --facts               # also: what the table of CPUs and the models do not agree about
    python -m benchmarks.mca --output DIR          # where the table goes, as Markdown and as JSON

Compiles kernels, takes their innermost loops, and compares the cycles of an iteration in a long run with those in which
a core could start its arithmetic, loads, stores and shuffles, by the formula of `schedules/cost`. Rates are facts of
the machine, or those of the model where they are lower. The model knows pipelines and latencies, no caches.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

from mlc.architectures import cpus
from mlc.benchmarks.case import Case
from mlc.benchmarks.cpu_models import as_modelled, disagreements
from mlc.benchmarks.engines import saved_source
from mlc.benchmarks.suite import cases_by_family
from mlc.benchmarks.tables import Grid
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.support.dtypes import dtype_named
from mlc.targets.machine import Machine, resolve_target
from mlc.tools.inner_loops import MachineLoop, hottest_loop, innermost_loops
from mlc.tools.llvm_mca import busiest_unit, cycles_in, find_mca, simulate

TARGETS = (
    "neoverse-n1",
    "neoverse-v1",
    "cortex-a55",
    "cortex-a76",
    "skylake-avx512",
    "cascadelake",
    "sapphirerapids",
    "znver3",
)
KERNELS = (
    "matmul-1024x1024x1024",
    "resnet-1x1-256-1024-14x14",
    "resnet-3x3-256-256-14x14",
    "depthwise-3x3-384-14x14",
    "softmax-512x1024",
    "layer-norm-gelu-512x768",
)
_PRODUCT = """func.func @main(%x: tensor<512x1024x{0}>) -> tensor<512x512x{2}> {{
  %w = graph.constant dense_resource<w> : tensor<1024x512x{1}>
  %y = graph.matmul %x, %w : tensor<512x1024x{0}>, tensor<1024x512x{1}> -> tensor<512x512x{2}>
  return %y : tensor<512x512x{2}>
}}
"""
_CONVOLUTION = """func.func @main(%x: tensor<1x14x14x256x{0}>) -> tensor<1x14x14x256x{2}> {{
  %w = graph.constant dense_resource<w> : tensor<3x3x256x256x{1}>
  %y = graph.conv2d %x, %w {{layout = "NHWC", padding = array<i64: 1, 1, 1, 1>}}
      : tensor<1x14x14x256x{0}>, tensor<3x3x256x256x{1}> -> tensor<1x14x14x256x{2}>
  return %y : tensor<1x14x14x256x{2}>
}}
"""
_BYTES = (("ui8", "i8", "i32"), ("i8", "i8", "i32"))
_HALVES = (("bf16", "bf16", "f32"),)
SHORT_KERNELS = {
    "matmul-i8-512x1024x512": (_PRODUCT, (1024, 512), _BYTES),
    "conv-i8-3x3-256-256-14x14": (_CONVOLUTION, (3, 3, 256, 256), _BYTES),
    "matmul-bf16-512x1024x512": (_PRODUCT, (1024, 512), _HALVES),
    "conv-bf16-3x3-256-256-14x14": (_CONVOLUTION, (3, 3, 256, 256), _HALVES),
}
"""Kernels of short numbers: a text, the shape of its weights, and the types of factors and sums, of which the first is
taken for which a CPU has a dot product; without one it has no such kernel."""
WANTED = 0.9


@dataclass(frozen=True)
class Judgement:
    """What llvm-mca says of one loop; times are cycles of an iteration."""

    kernel: str
    loop: str
    """Which of its innermost loops."""
    cpu: str
    fmas: int
    moves: int
    spills: int
    cycles: float
    bound: float
    busiest: float
    """How long the unit is busy that most is asked of, the front of the core being one: it starts so many per cycle."""

    @property
    def share(self) -> float:
        """How much of the bound is reached."""
        return self.bound / self.cycles

    @property
    def of_units(self) -> float:
        """The same, if all instructions of the loop are needed: those that bounds do not count, too."""
        return max(self.bound, self.busiest) / self.cycles


def main(arguments: Sequence[str]) -> int:
    """Print the tables, and keep them. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mca", description="Judge inner loops by llvm-mca.")
    parser.add_argument("--target", action="append", help=f"machines of `mlc targets` ({', '.join(TARGETS)})")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose names contain this")
    parser.add_argument("--facts", action="store_true", help="compare all CPUs of the table with LLVM's models")
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks"), metavar="DIR")
    options = parser.parse_args(arguments)
    try:
        tool = find_mca()
    except LookupError as e:
        print(e, file=sys.stderr)
        return 2
    found: list[Judgement] = []
    for target in options.target or TARGETS:
        for kernel in (*KERNELS, *SHORT_KERNELS):
            if options.only in kernel:
                found += (judge_short if kernel in SHORT_KERNELS else judge)(tool, kernel, target)
    differing = list(disagreements(tool, (resolve_target(cpu.name) for _, cpu in cpus()))) if options.facts else []
    grids = [loops_table(found)]
    if differing:
        rows = [[d.cpu, d.fact, f"{d.ours:.3g}", d.source, f"{d.modelled:.3g}"] for d in differing]
        grids.append(Grid("Facts", ["CPU", "fact", "ours", "source", "LLVM's model"], rows))
    text = "\n\n".join(f"## {grid.title}\n\n{grid.markdown()}" for grid in grids)
    print(text)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "mca.md").write_text(f"# Inner loops, judged by llvm-mca\n\n{text}\n", encoding="utf-8")
    everything = {"loops": [asdict(j) for j in found], "facts": [asdict(d) for d in differing]}
    lines = [f"{json.dumps(k)}: [" + ",\n".join(map(json.dumps, v)) + "]" for k, v in everything.items()]
    (options.output / "mca.json").write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
    return 0


def loops_table(found: Sequence[Judgement]) -> Grid:
    """A row per loop, and how many reach what is wanted."""
    header = ["loop", "CPU", "FMAs", "moves", "spills", "cycles", "bound", "% of bound", "busiest unit", "% with it"]
    rows = [
        [
            f"{j.kernel}{j.loop}",
            j.cpu,
            *map(str, (j.fmas, j.moves, j.spills)),
            *(f"{number:.1f}" for number in (j.cycles, j.bound)),
            f"{j.share:.0%}",
            f"{j.busiest:.1f}",
            f"{j.of_units:.0%}",
        ]
        for j in found
    ]
    reached = sum(j.share >= WANTED for j in found)
    with_all = sum(j.of_units >= WANTED for j in found)
    title = (
        f"{reached} of {len(found)} loops reach {WANTED:.0%} of their bounds, {with_all} with all they ask of a unit"
    )
    return Grid(title, header, rows)


def judge(tool: str, kernel: str, target: str) -> Iterator[Judgement]:
    """The loops that decide how fast a kernel is: the one with most multiply-adds, or each pass over rows.

    Raises:
        subprocess.CalledProcessError: llvm-mca does not know the CPU.
    """
    machine = resolve_target(target)
    ((_, case),) = cases_by_family(f"^{kernel}$")
    text = assembly(case, target)
    hottest = hottest_loop(text, machine)
    assert hottest is not None
    reduces_rows = kernel.startswith(("softmax", "layer-norm"))
    loops = innermost_loops(text, machine) if reduces_rows else [hottest]
    rates = as_modelled(tool, machine)
    for number, loop in enumerate(loops, 1):
        name = f", loop {number} of {len(loops)}" if reduces_rows else ""
        yield _judged(tool, machine, rates, loop, kernel, name)


def judge_short(tool: str, kernel: str, target: str) -> Iterator[Judgement]:
    """The loop with most dot products of a kernel of short numbers; nothing if the CPU has none of its types.

    Raises:
        subprocess.CalledProcessError: llvm-mca does not know the CPU.
    """
    machine = resolve_target(target)
    text, shape, choices = SHORT_KERNELS[kernel]
    for types in choices:
        if machine.dot_instruction(types[0], types[1], machine.vector_bits) is not None:
            loop = hottest_loop(_assembly_of_short(text.format(*types), types[1], shape, target), machine)
            assert loop is not None
            modelled = as_modelled(tool, machine)
            lhs, rhs = types[:2]
            rates = modelled.multiplying(modelled.outer_dots(lhs, rhs) if loop.outer_dots else modelled.dots(lhs, rhs))
            yield _judged(tool, machine, rates, loop, kernel, "")
            return


def _assembly_of_short(text: str, element: str, shape: Sequence[int], target: str) -> str:
    """A kernel compiled to assembly text, with random weights."""
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
        numbers = np.random.default_rng(0).integers(-127, 128, shape)
        weights = numbers.astype(dtype_named({"i8": "int8", "bf16": "bfloat16"}[element]))
        path = Path(folder) / "weights.safetensors"
        save_file({"w": weights}, path)
        resources = f'{{-#\n  external_resources: {{ mlc: {{ weights: "{path}" }} }}\n#-}}\n'
        return _compiled(f"{text}\n{resources}", "short", Path(folder), target)


def _judged(tool: str, machine: Machine, rates: Machine, loop: MachineLoop, kernel: str, name: str) -> Judgement:
    shown = simulate(tool, machine, loop.text)
    return Judgement(
        kernel,
        name,
        machine.name,
        loop.fmas,
        loop.moves,
        loop.spills,
        cycles_in(shown),
        round(loop.bound(rates), 3),
        busiest_unit(shown).cycles,
    )


def assembly(case: Case, target: str) -> str:
    """The case, compiled to assembly text."""
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
        return _compiled(saved_source(case, Path(folder)), case.name, Path(folder), target)


def _compiled(text: str, name: str, folder: Path, target: str) -> str:
    ctx = new_context(target)
    module = parse_verified(text, name, ctx, folder)
    output = folder / "model.s"
    Compilation(module, ctx, CompileOptions(target), PassManager(ctx)).build("asm", output)
    return output.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
