"""Each number of the table of CPUs says where it comes from, and LLVM's are LLVM's."""

from __future__ import annotations

import subprocess

import pytest

from mlc.benchmarks.cpu_models import find_mca, modelled
from mlc.targets.cpu_sources import SOURCES
from mlc.targets.cpus import CPUS
from mlc.targets.facts import FACTS, FactSource
from mlc.targets.machine import resolve_target

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
    machine = resolve_target(name)
    assert modelled(tool, machine, fact) == pytest.approx(machine.fact(fact), rel=0.02)
