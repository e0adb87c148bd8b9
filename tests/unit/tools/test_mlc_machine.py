"""`mlc machine`: measuring this machine, and showing what is known of one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mlc.architectures.facts import FACTS
from mlc.targets import host
from mlc.targets.cache import Cache
from mlc.targets.machine import Machine, resolve_target
from mlc.targets.machine_file import MachineFile, Measured, read_machine_file, write_machine_file
from mlc.targets.toolchain import find_clang
from mlc.targets.units import Compiler, Processes, Unit, clang_flags
from mlc.tools import mlc_machine, probe_code
from mlc.tools.machine_measurement import Rounds, facts_of, measure_machine, unsteady_from
from mlc.tools.machine_probes import instruction_probes, products_of_matrices
from mlc.tools.probe_code import thread_tasks

if TYPE_CHECKING:
    from tests.conftest import CommandLine


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the file of this process is."""
    file = tmp_path / "machine.toml"
    monkeypatch.setenv("MLC_MACHINE_FILE", str(file))
    return file


def _written(path: Path, **identity: str) -> None:
    facts = {"fma_latency": Measured(6.97, 0.0125, 7), "loads": Measured(2.4, 0.5, None)}
    write_machine_file(path, MachineFile("0.0.9", "2026-01-31", "znver9", {**host.identity(), **identity}, facts))


def _row(shown: str, name: str) -> str:
    (row,) = [line for line in shown.splitlines() if line.split()[:1] == [name]]
    return " ".join(row.split())


def test_facts_of_the_table(mlc: CommandLine) -> None:
    shown = mlc("machine", "show", "--target=znver3").out
    assert shown.startswith("znver3: znver3, 16 registers of 256 bit")
    assert re.fullmatch(r"fma_latency 4 cycles .* LLVM's scheduling model", _row(shown, "fma_latency"))
    assert re.fullmatch(r"l1_bytes 32768 B .* manual: AMD .*", _row(shown, "l1_bytes"))
    assert "measured: on a Zen 3" in _row(shown, "late")
    assert "assumed: " in _row(shown, "l1_ways")
    assert all(_row(shown, name) for name in FACTS)


def test_facts_that_were_measured(path: Path, mlc: CommandLine) -> None:
    _written(path)
    shown = mlc("machine").out
    assert re.fullmatch(r"fma_latency 7 6\.97 1% cycles .* measured: 2026-01-31", _row(shown, "fma_latency"))
    assert re.fullmatch(r"loads \d 2\.4 50% per cycle .*; measured, but unsteady", _row(shown, "loads"))
    assert "6.97" not in mlc("machine", "--target=znver3").out


def _measured_facts() -> int:
    """How many facts of this CPU were measured by others and stand in the table, those that `_written` has left out."""
    return sum(
        source.kind == "measured" for name, source in resolve_target("native").sources.items() if name != "fma_latency"
    )


def test_doctor_says_where_numbers_come_from(path: Path, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def facts() -> str:
        found = re.search(r"^facts +(.*(?:\n  .*)*)", mlc("doctor").out, re.MULTILINE)
        assert found is not None
        return found[1]

    missing = f"MLC_MACHINE_FILE names {path}, which is not there; `mlc machine measure` writes it"
    assert "assumed" in facts() and facts().endswith(missing)
    with monkeypatch.context() as patch:
        patch.delenv("MLC_MACHINE_FILE")
        patch.setenv("XDG_CONFIG_HOME", str(path.parent))
        assert facts().endswith("; `mlc machine measure` finds out more (less than a minute)")
    of_the_table = _measured_facts()
    _written(path)
    assert f"{of_the_table + 1} measured" in facts()
    assert facts().endswith(f"; measured 2026-01-31 with mlc 0.0.9, 1 too unsteady to be used ({path})")
    _written(path, model="Another 3000")
    assert f"{path} is ignored: it was measured on another CPU (znver9: Another 3000); `mlc machine measure`" in facts()
    path.write_text("facts = 3")
    shown = mlc("doctor")
    assert shown.status == 1
    assert f"\nfacts              BROKEN: the machine file '{path}' is broken: " in shown.out
    assert shown.out.count("is broken") == 1 and "MISSING" not in shown.out
    assert re.search(r"^this machine +\S+ \S+ .* cores, ", shown.out, re.MULTILINE) and "\nlinker x86_64" in shown.out
    monkeypatch.setenv("MLC_MACHINE_FILE", "")
    assert facts().endswith("; no file of this machine is used: MLC_MACHINE_FILE is empty")
    monkeypatch.setenv("MLC_MACHINE_FILE", str(path))
    assert mlc("targets").out == ""


def test_targets_say_where_numbers_come_from(path: Path, mlc: CommandLine) -> None:
    of_the_table = _measured_facts()
    _written(path)
    native, *others = mlc("targets").out.splitlines()[1:]
    assert native.startswith("native ") and re.search(rf"\d+ assumed, .*\b{of_the_table + 1} measured", native)
    assert all(re.search(r" \d+ assumed(, |$)", line) for line in others)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure", "--target=znver3"], "'mlc machine measure' measures this machine; it takes no --target"),
        (["show", "--target=znver9"], "unknown target 'znver9'"),
        (["weigh"], "found 'weigh' as action; it is one of show, measure"),
        (
            ["measure"],
            "no place for the file of this machine: MLC_MACHINE_FILE is empty; required: its name in MLC_MACHINE_FILE",
        ),
    ],
)
def test_user_errors(arguments: list[str], message: str, mlc: CommandLine) -> None:
    result = mlc("machine", *arguments)
    assert result.status == 1
    assert message in result.err


def test_without_a_home(mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("MLC_MACHINE_FILE", "MLC_RECORDS_FILE", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert "no file of this machine is used: there is no home directory" in mlc("doctor").out
    assert (
        "no place for the file of this machine: there is no home directory; required: " in mlc("machine", "measure").err
    )


def test_measuring_replaces_a_broken_file(path: Path, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier: list[MachineFile | None] = []

    def measured(machine: Machine, before: MachineFile | None, *_: object) -> dict[str, Measured]:
        earlier.append(before)
        assert machine.issue.fma_latency != 9, "a machine is measured with the code of the table"
        return {"fma_latency": Measured(9.02, 0.0, 9), "late": Measured(0.3, 1.0, None)}

    monkeypatch.setattr(mlc_machine, "measure_machine", measured)
    path.write_text("facts = 3")
    shown = mlc("machine", "measure")
    assert shown.out.endswith(f"wrote {path}: 1 facts\ntoo unsteady, so not used: late\n")
    assert _row(shown.out, "fma_latency").startswith("fma_latency 9 9.02 ")
    mlc("machine", "measure")
    _written(path, model="another")
    mlc("machine", "measure")
    assert [each is not None and each.facts["fma_latency"].planned for each in earlier] == [False, 9, False]
    found = read_machine_file()
    assert found is not None and found.is_of_this_machine


def _rounds(cycles: dict[str, list[float]], ghz: float = 2.0) -> Rounds:
    seen = Rounds()
    for name, values in {"fma": [0.5] * 9, "fma 1": [4.0] * 9, **cycles}.items():
        seen.seconds[name] = [1e-9 / ghz * value for value in values]
        seen.seconds[f"clock beside {name}"] = [1e-9 / ghz] * len(values)
    return seen


def test_noise_makes_things_longer_only() -> None:
    """The best quarter of the rounds counts; what else ran in the others does not."""
    values = facts_of(_rounds({"loads": [0.5, 3.0, 0.51, 0.5, 2.0, 1.5, 2.5, 0.9, 0.8]}), resolve_target("znver3"))
    assert values["loads"][:2] == (pytest.approx(2.0), pytest.approx(0.02, abs=0.001))
    assert values["frequency_mhz"][:2] == (pytest.approx(2000), pytest.approx(0))
    assert values["fma_latency"][:2] == (pytest.approx(4), pytest.approx(0))


def test_late_results_are_what_a_short_loop_loses() -> None:
    machine = resolve_target("znver3")
    assert facts_of(_rounds({"fma 8": [0.545] * 9}), machine)["late"][0] == pytest.approx(0.36)
    assert facts_of(_rounds({"fma 8": [0.4] * 9}), machine)["late"][0] == 0
    assert "late" not in facts_of(_rounds({"fma": [0.35] * 9}), machine), "3 per cycle have no probe"


def test_threads_that_nobody_helped_are_no_measurement() -> None:
    alone, machine = [60_000.0] * 9, resolve_target("znver3")
    costs = {"woken": [60_100.0] * 9, "woken alone": alone}
    for shared, expected in ((61_000.0, True), (119_000.0, False)):
        found = facts_of(_rounds({"shared": [shared] * 9, "alone": alone, **costs}), machine)
        assert (found["fork_join_ns"][1] <= unsteady_from("fork_join_ns")) == expected
    assert facts_of(_rounds({"shared": [61_000.0] * 9, "alone": alone, **costs}), machine)["fork_join_ns"][
        0
    ] == pytest.approx(500)


@pytest.mark.parametrize(("one", "two", "agrees"), [(4.0, 14.0, True), (4.1, 4.2, False), (13.0, 14.0, False)])
def test_ways_are_believed_if_lines_conflict(
    one: float, two: float, agrees: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "first_cache", lambda: (64, 12))
    monkeypatch.setattr(host, "cache_bytes", dict[int, int])
    machine = replace(resolve_target("znver3"), l1_bytes=12 * 4096)
    walks = {"chase l1": [4.0] * 9, "chase ways": [one] * 9, "chase sets": [two] * 9}
    found = facts_of(_rounds(walks), machine)
    assert (found["l1_ways"][0], found["set_period"][0], found["line_bytes"][0]) == (12, 4096, 64)
    assert (found["l1_ways"][1] <= unsteady_from("l1_ways")) == agrees


@pytest.mark.parametrize(
    "target",
    [
        "x86-64-v2",
        "znver3",
        "alderlake",
        "skylake-avx512",
        "sapphirerapids-amx",
        "neoverse-n1",
        "neoverse-v1",
        "cortex-a53",
    ],
)
def test_probes_are_code_for_all_machines(target: str, tmp_path: Path) -> None:
    machine = resolve_target(target)
    probes = instruction_probes(machine) | products_of_matrices(machine)
    assert ("mma" in probes) == ("mma 1" in probes) == (machine.matrix_registers is not None)
    assert ("i16 dots" in probes) == (machine.arch == "x86_64")
    walks = [probe_code.clock(machine), probe_code.chase(machine), probe_code.write(machine, 1 << 14)]
    texts = {each.symbol: each.text for each in [*probes.values(), *walks]} | {"tasks": thread_tasks(machine)}
    assert ("i8 dots" in probes) == bool({"avx512vnni", "avxvnni", "dotprod"} & {*machine.features})
    cache = Cache(tmp_path)
    compiler = Compiler(find_clang(None, cache), clang_flags(machine, 2), cache, Processes())
    units = [Unit(symbol, text) for symbol, text in texts.items()]
    files, _ = compiler.compile_all(units, tmp_path, None)
    assert len(files) == len(texts), "each is another function"


@pytest.mark.slow
def test_this_machine() -> None:
    """A short measurement; what runs beside it makes numbers worse, but not these relations between them."""
    native = resolve_target("native")
    found = {name: fact.value for name, fact in measure_machine(native, rounds=4).items()}
    assert 0.4 < found["fma_units"] < 9 and 1.5 < found["fma_latency"] < 14
    assert 0.4 < found["adds"] < 9 and 0.9 < found["add_latency"] < 12
    assert found["f64_fma_units"] > 0.2 and found["stores"] > 0.2 and found["shuffles"] > 0.2
    assert found["loads"] > 0.4 and found["gather_cycles"] > 1
    assert found["l1_read"] > found["memory_read"] > 0
    assert found["l1_write"] > found["memory_write"] > 0
    assert found["l1_latency"] < found["l2_latency"] < found["memory_latency"]
    assert 300 < found["frequency_mhz"] < 9000
    if host.core_count() > 1:
        assert found["fork_join_ns"] > 0 and found["wake_ns"] > 0
    assert (found["i8_dots"] > 0) == bool({"avx512vnni", "avxvnni", "dotprod"} & {*native.features})
    if found["mma_cycles"]:  # one that adds to the result of another may follow it at once
        assert 4 < found["mma_cycles"] < 1.5 * found["mma_latency"] < 200
    assert ("i16_dots" in found) == (native.arch == "x86_64") and found.get("i16_dots", 1) > 0.2
