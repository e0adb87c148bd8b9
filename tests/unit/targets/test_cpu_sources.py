"""Each number of the table of CPUs says where it comes from, and LLVM's are LLVM's."""

from __future__ import annotations

import subprocess

import pytest

from mlc.benchmarks.mca import cycles, find_mca
from mlc.targets.cpu_sources import SOURCES
from mlc.targets.cpus import CPUS
from mlc.targets.facts import FACTS, FactSource
from mlc.targets.machine import Machine, resolve_target

_MODELLED = [(cpu.name, fact) for cpu in CPUS.values() for fact in cpu.modelled]


def test_every_fact_has_a_source() -> None:
    assert SOURCES.keys() == CPUS.keys()
    for name, sources in SOURCES.items():
        assert sources.keys() == FACTS.keys()
        machine = resolve_target(name)
        assert machine.sources == sources
        assert all(machine.fact(fact) >= 0 for fact in FACTS)
        assert all(source.detail for source in sources.values() if source.kind in ("manual", "assumed"))


def test_sources_are_not_what_code_depends_on() -> None:
    machine = resolve_target("znver4")
    other = machine.with_facts({}, {"loads": FactSource("measured", "now")})
    assert other.sources != machine.sources
    assert other == machine and repr(other) == repr(machine)
    assert repr(machine.with_facts({"line_bytes": 128}, {})) != repr(machine)


def _chain(fact: str, machine: Machine, register: int) -> str:
    """One instruction of the kind that a fact is about, which waits for the one before it in `register`."""
    if machine.arch == "aarch64":
        return {
            "fma": f"fmla v{register}.4s, v30.4s, v31.4s",
            "add": f"fadd v{register}.4s, v{register}.4s, v31.4s",
            "loads": f"ldr q{register}, [x0, #{64 * register}]",
            "stores": f"str q{register}, [x0, #{64 * register}]",
            "shuffles": f"zip1 v{register}.4s, v30.4s, v31.4s",
        }[fact]
    if not machine.fma:
        return {
            "fma": f"mulps %xmm15, %xmm{register}",
            "add": f"addps %xmm15, %xmm{register}",
            "loads": f"movaps {64 * register}(%rdi), %xmm{register}",
            "stores": f"movaps %xmm{register}, {64 * register}(%rdi)",
            "shuffles": f"unpcklps %xmm15, %xmm{register}",
        }[fact]
    bits = "zmm" if machine.vector_bits == 512 else "ymm"
    return {
        "fma": f"vfmadd231ps %{bits}14, %{bits}15, %{bits}{register}",
        "add": f"vaddps %{bits}15, %{bits}{register}, %{bits}{register}",
        "loads": f"vmovaps {64 * register}(%rdi), %{bits}{register}",
        "stores": f"vmovaps %{bits}{register}, {64 * register}(%rdi)",
        "shuffles": f"vunpcklps %{bits}15, %{bits}14, %{bits}{register}",
    }[fact]


_KINDS = {"fma_units": "fma", "fma_latency": "fma", "adds": "add", "add_latency": "add"}


@pytest.fixture(scope="module")
def tool() -> str:
    """The llvm-mca that the table is from; other versions have other models."""
    try:
        tool = find_mca()
    except LookupError as e:
        pytest.skip(str(e))
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    if "LLVM version 19." not in version:
        pytest.skip("the numbers are those of LLVM 19")
    return tool


@pytest.mark.parametrize(("name", "fact"), _MODELLED)
def test_numbers_of_llvm(name: str, fact: str, tool: str) -> None:
    machine, kind = resolve_target(name), _KINDS.get(fact, fact)
    if fact.endswith("_latency"):
        assert cycles(tool, machine, _chain(kind, machine, 0)) == pytest.approx(machine.fact(fact), rel=0.02)
        return
    # Many registers: what one chain waits for others hide.
    count = 24 if machine.arch == "aarch64" and kind in ("fma", "add") else 12
    body = "\n".join(_chain(kind, machine, register) for register in range(count))
    assert count / cycles(tool, machine, body) == pytest.approx(machine.fact(fact), rel=0.02)
