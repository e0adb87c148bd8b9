"""What LLVM's models of CPUs say of single instructions, as llvm-mca runs them: the rates and latencies of a core.

The numbers of CPUs that are said to be LLVM's are held against these by a test. Others differ, where a
model is that of another CPU, or wrong: `python -m benchmarks.mca --facts` shows which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mlc.targets.machine import Machine
from mlc.tools.llvm_mca import cycles

MODELLED_FACTS = (
    "fma_units",
    "fma_latency",
    "loads",
    "adds",
    "add_latency",
    "stores",
    "shuffles",
    "pair_cycles",
    "bf16_dots",
    "i8_dots",
    "i16_dots",
    "i8_outer_dots",
    "bf16_outer_dots",
)
"""The facts that a model has something to say of."""
_NOT_EVERYWHERE = ("bf16_dots", "i8_dots", "i8_outer_dots", "bf16_outer_dots")
"""Those of instructions that some CPUs lack."""
_KINDS = {"fma_units": "fma", "fma_latency": "fma", "adds": "add", "add_latency": "add", "pair_cycles": "pairs"}
_CLOSE = 0.02


def modelled(tool: str, machine: Machine, fact: str) -> float:
    """What the model of a machine says of one of the facts, on full vectors.

    Rates are those of a dozen instructions that do not wait for each other, latencies those of a chain.
    """
    kind = _KINDS.get(fact, fact)
    if fact.endswith("_latency"):
        return cycles(tool, machine, _instruction(kind, machine, 0))
    is_arm = machine.arch == "aarch64"
    is_absent = fact in _NOT_EVERYWHERE and not machine.fact(fact)
    if is_absent or (fact == "pair_cycles" and not is_arm):
        return 0.0
    # Many registers: what one chain waits for others hide.
    count = 24 if is_arm and kind in ("fma", "add", "i16_dots", *_NOT_EVERYWHERE) else 12
    kinds = ("i16_lower", "i16_upper") if is_arm and kind == "i16_dots" else (kind,)
    body = "\n".join(_instruction(each, machine, register) for each in kinds for register in range(count))
    taken = cycles(tool, machine, body) / count
    return taken if fact == "pair_cycles" else 1 / taken


@dataclass(frozen=True)
class Disagreement:
    """A number of the table of CPUs that is not LLVM's."""

    cpu: str
    fact: str
    ours: float
    source: str
    """Where ours comes from."""
    modelled: float


def disagreements(tool: str, machines: Iterable[Machine]) -> Iterator[Disagreement]:
    """The facts of machines of which LLVM's models say something else."""
    for machine in machines:
        for fact in MODELLED_FACTS:
            ours, found = machine.fact(fact), modelled(tool, machine, fact)
            if fact == "pair_cycles" and not ours:  # as two loads
                ours = 2 / modelled(tool, machine, "loads") if found else 0.0
            if abs(ours - found) > _CLOSE * max(found, ours):
                yield Disagreement(machine.name, fact, ours, machine.sources[fact].kind, found)


def as_modelled(tool: str, machine: Machine) -> Machine:
    """The machine with the slower one of what is known of each rate and what its model says.

    A loop in the model cannot be faster than the model, and nobody wants it to be faster than the CPU.
    """
    rates = [fact for fact in MODELLED_FACTS if not fact.endswith("_latency") and fact != "pair_cycles"]
    return machine.with_facts({f: min(machine.fact(f), modelled(tool, machine, f)) for f in rates}, {})


def _instruction(kind: str, machine: Machine, register: int) -> str:
    """One instruction of a kind, which waits for the one before it in `register`."""
    place = 32 * register
    if machine.arch == "aarch64":
        return {
            "fma": f"fmla v{register}.4s, v30.4s, v31.4s",
            "add": f"fadd v{register}.4s, v{register}.4s, v31.4s",
            "loads": f"ldr q{register}, [x0, #{place}]",
            "pairs": f"ldp q{register}, q{register + 12}, [x0, #{place}]",
            "stores": f"str q{register}, [x0, #{place}]",
            "shuffles": f"zip1 v{register}.4s, v30.4s, v31.4s",
            "i16_lower": f"smlal v{register}.4s, v30.4h, v31.4h",
            "i16_upper": f"smlal2 v{register}.4s, v30.8h, v31.8h",
            "i8_dots": f"sdot v{register}.4s, v30.16b, v31.16b",
            "bf16_dots": f"bfdot v{register}.4s, v30.8h, v31.8h",
            "i8_outer_dots": f"smmla v{register}.4s, v30.16b, v31.16b",
            "bf16_outer_dots": f"bfmmla v{register}.4s, v30.8h, v31.8h",
        }[kind]
    if not machine.fma:
        return {
            "fma": f"mulps %xmm15, %xmm{register}",
            "add": f"addps %xmm15, %xmm{register}",
            "loads": f"movaps {place}(%rdi), %xmm{register}",
            "stores": f"movaps %xmm{register}, {place}(%rdi)",
            "shuffles": f"unpcklps %xmm15, %xmm{register}",
            "i16_dots": f"movaps %xmm13, %xmm14\npmaddwd %xmm15, %xmm14\npaddd %xmm14, %xmm{register}",
        }[kind]
    bits, vex = ("zmm", "") if machine.vector_bits == 512 else ("ymm", "{vex} ")
    short = f"%{bits}14, %{bits}15, %{bits}{register}"
    if kind == "i16_dots" and not {"avx512vnni", "avxvnni"} & {*machine.features}:
        return f"vpmaddwd %{bits}14, %{bits}15, %{bits}13\nvpaddd %{bits}13, %{bits}{register}, %{bits}{register}"
    return {
        "i8_dots": f"{vex}vpdpbusd {short}",
        "i16_dots": f"{vex}vpdpwssd {short}",
        "bf16_dots": f"vdpbf16ps {short}",
        "fma": f"vfmadd231ps {short}",
        "add": f"vaddps %{bits}15, %{bits}{register}, %{bits}{register}",
        "loads": f"vmovaps {2 * place}(%rdi), %{bits}{register}",
        "stores": f"vmovaps %{bits}{register}, {2 * place}(%rdi)",
        "shuffles": f"vunpcklps %{bits}15, %{bits}14, %{bits}{register}",
    }[kind]
