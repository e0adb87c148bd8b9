"""Each number of the table of CPUs says where it comes from, and LLVM's are LLVM's."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from mlc.architectures import cpus
from mlc.architectures.architecture import AS_MANY, HALF_AS_MANY, LLVM
from mlc.architectures.facts import FACTS, FactSource, facts
from mlc.architectures.x86_64_cpus import EXTRAS
from mlc.benchmarks.cpu_models import modelled
from mlc.support.errors import CompilerBug
from mlc.targets.machine import resolve_target
from mlc.tools.llvm_mca import find_mca

_MODELLED = [(cpu.name, fact) for _, cpu in cpus() for fact in cpu.facts.get(LLVM, ())]


def test_every_fact_has_a_source() -> None:
    for _, cpu in cpus():
        assert cpu.sources.keys() == FACTS.keys()
        machine = resolve_target(cpu.name)
        assert machine.sources == cpu.sources
        assert all(machine.fact(fact) == value for fact, value in cpu.values.items())
        assert all(source.detail for source in cpu.sources.values() if source.kind in ("manual", "assumed"))


@pytest.mark.parametrize(
    ("name", "rates"),
    [
        ("haswell", (0, 0, 0, 1)),
        ("skylake-avx512", (0, 0, 0, 1)),
        ("tigerlake", (0, 0, 1, 1)),
        ("sapphirerapids", (2, 0.5, 2, 2)),
        ("znver1", (0, 0, 0, 0.5)),
        ("cortex-a55", (1, 0, 1, 0.5)),
        ("apple-m2", (4, 4, 4, 2)),
    ],
)
def test_short_types_are_as_fast_as_f32_where_there_are_instructions(name: str, rates: tuple[float, ...]) -> None:
    """Where there is none for pairs of i16, two do the same."""
    issue = resolve_target(name).issue
    assert (issue.f16_fma_units, issue.bf16_dots, issue.i8_dots, issue.i16_dots) == rates


def test_two_rows_at_a_time_take_features_of_their_own() -> None:
    """An instruction for two rows and two columns is worth it if it does more than two of vectors."""
    v1, n1, znver4 = (resolve_target(name) for name in ("neoverse-v1", "neoverse-n1", "znver4"))
    assert (v1.issue.i8_outer_dots, v1.issue.bf16_outer_dots) == (4, 4)
    assert v1.sources["i8_outer_dots"] == v1.sources["bf16_outer_dots"] == LLVM
    assert all((each.issue.i8_outer_dots, each.issue.bf16_outer_dots) == (0, 0) for each in (n1, znver4))
    assert v1.outer_dots("ui8", "i8") == v1.outer_dots("i8", "ui8") == v1.outer_dots("bf16", "bf16") == 4
    assert v1.outer_dot_instruction("i8", "ui8") is None and v1.outer_dots("i16", "i16") == 0
    assert v1.products("i8", "i8") == 2 * 4 * v1.issue.i8_dots
    slow = v1.with_facts({"i8_outer_dots": 2, "bf16_outer_dots": 2}, {})
    assert slow.outer_dots("i8", "i8") == slow.outer_dots("bf16", "bf16") == 0
    assert slow.dots("i8", "i8", 64) == slow.dots("i8", "i8") / 2
    without_dots = v1.with_facts({"bf16_dots": 1}, {})  # two multiply-adds of f32 are faster, and round otherwise
    assert without_dots.outer_dots("bf16", "bf16") == 0 < without_dots.outer_dots("i8", "i8")


def test_rates_of_absent_instructions_are_none_whatever_the_row_says() -> None:
    cpu = next(cpu for _, cpu in cpus() if cpu.name == "sapphirerapids")
    assert replace(cpu, extras=("avx512fp16",)).values["bf16_dots"] == 0
    assert cpu.sources["i16_dots"] is AS_MANY
    assert replace(cpu, extras=()).sources["i16_dots"] is HALF_AS_MANY


def test_a_host_may_use_what_the_cpus_of_the_table_have_beyond_their_levels() -> None:
    for architecture, cpu in cpus():
        if architecture.name == "x86_64":
            known = EXTRAS[cpu.base]
            assert cpu.extras == tuple(f for f in known if f in cpu.extras), cpu.name


def test_a_number_has_one_source() -> None:
    for _, cpu in cpus():
        names = [name for values in cpu.facts.values() for name in values]
        assert len(names) == len({*names}), cpu.name


def test_a_row_names_facts_that_there_are() -> None:
    assert facts(l1_kib=48, late=0.25) == {"l1_bytes": 48 << 10, "late": 0.25}
    with pytest.raises(CompilerBug, match="there is no fact named latte"):
        facts(latte=0.25)


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


def test_registers_for_matrices_are_asked_for_by_name() -> None:
    """Virtual machines hide them, so that the name of a CPU alone does not count on them."""
    plain, matrices = (resolve_target(name) for name in ("sapphirerapids", "sapphirerapids-amx"))
    assert plain.matrix_registers is None and plain.issue.mma_cycles == 0
    assert plain.matrix_instruction("ui8", "i8") is None
    registers = matrices.matrix_registers
    assert registers is not None and (registers.number, registers.rows, registers.words) == (8, 16, 16)
    assert matrices.cpu == plain.cpu == "sapphirerapids" and set(matrices.features) > set(plain.features)
    assert [matrices.matrix_instruction(*kinds) for kinds in (("i8", "ui8"), ("i16", "i16"))] == [
        "llvm.x86.tdpbsud",
        None,
    ]


def test_products_of_matrices_take_as_long_as_those_of_a_few_rows() -> None:
    machine = resolve_target("sapphirerapids-amx")
    assert [machine.matrix_cycles(rows) for rows in (16, 14, 10, 3)] == [16, 14, 10, 10]
    f32 = machine.issue.fma_units
    assert (machine.products("ui8", "i8") / f32, machine.products("bf16", "bf16") / f32) == (32, 16)
    assert resolve_target("sapphirerapids").products("ui8", "i8") / f32 == 4


def test_the_configuration_of_tiles_is_that_of_the_manual() -> None:
    words = resolve_target("sapphirerapids-amx").instruction_set.matrix_configuration([(14, 64), (0, 0), (3, 20)])
    text = b"".join(word.to_bytes(8, "little") for word in words)
    assert len(text) == 64 and text[:16] == bytes([1]).ljust(16, b"\0")
    assert text[16:22] == bytes([64, 0, 0, 0, 20, 0]) and not any(text[22:48])
    assert text[48:51] == bytes([14, 0, 3]) and not any(text[51:])
