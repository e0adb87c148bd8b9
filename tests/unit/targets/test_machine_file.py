"""What was measured of a machine: written, read, believed where it was measured, and nowhere else."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

import mlc
from mlc.architectures.facts import FACTS, FactSource
from mlc.support.errors import UserError
from mlc.targets import host
from mlc.targets.machine import resolve_target, words_of_sources
from mlc.targets.machine_file import (
    MachineFile,
    Measured,
    machine_file_path,
    measured_facts,
    read_machine_file,
    require_writable,
    write_machine_file,
)

_FACTS = {
    "l1_ways": Measured(4, 0.0, 4, FactSource("sysfs", 'a probe says "yes"')),
    "fma_latency": Measured(6.97, 0.0125, 7),
    "l2_loads": Measured(0.4931, 0.25, 0.5),
    "loads": Measured(2.4, 0.5, None),
    "wake_ns": Measured(70123.4, 0.5, 65536),
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the file of this process is."""
    file = tmp_path / "folder" / "machine.toml"
    monkeypatch.setenv("MLC_MACHINE_FILE", str(file))
    return file


def _file(identity: dict[str, str] | None = None) -> MachineFile:
    return MachineFile("0.1.0", "2026-01-31", "znver9", host.identity() if identity is None else identity, _FACTS)


def test_a_change_that_no_clock_shows_is_read(path: Path) -> None:
    """Of the same size, in place, at the same time."""
    for latency in (4, 7):
        write_machine_file(
            path.with_suffix(".new"), replace(_file(), facts={"fma_latency": Measured(latency, 0, latency)})
        )
        path.write_bytes(path.with_suffix(".new").read_bytes())
        os.utime(path, (10**9, 10**9))
        assert measured_facts()[0] == {"fma_latency": latency}


def test_what_is_written_is_read(path: Path) -> None:
    assert read_machine_file() is None
    odd = _file({"model": 'with "quotes", \\ and\ttabs: ±', "flags": ""})
    write_machine_file(path, odd)
    assert read_machine_file() == odd
    assert [each.name for each in path.parent.iterdir()] == ["machine.toml"]


def test_native_uses_what_was_measured_and_is_steady(path: Path) -> None:
    before = resolve_target("native")
    write_machine_file(path, _file())
    machine = resolve_target("native")
    assert (machine.issue.fma_latency, machine.issue.l2_loads, machine.memory.l1_ways) == (7, 0.5, 4)
    assert machine.threading.wake_ns == 65536
    assert machine.issue.loads == before.issue.loads
    assert machine.sources["fma_latency"] == FactSource("measured", "2026-01-31")
    assert str(machine.sources["l1_ways"]) == 'sysfs: a probe says "yes"'
    assert machine.sources["loads"] == before.sources["loads"]
    assert machine == replace(before, issue=machine.issue, memory=machine.memory, threading=machine.threading), (
        "nothing else has changed"
    )
    new = {name for name in FACTS if machine.sources[name] == FactSource("measured", "2026-01-31")}
    assert new == {"fma_latency", "l2_loads", "wake_ns"}
    count = len(new | {name for name in FACTS if before.sources[name].kind == "measured"})
    assert f"{count} measured" in words_of_sources(machine), "the table may have measured facts of this CPU, too"
    assert isinstance(machine.memory.l1_ways, int)


def test_other_targets_are_those_of_the_table(path: Path) -> None:
    before = resolve_target("znver4")
    write_machine_file(path, _file())
    assert resolve_target("znver4") == before
    assert resolve_target("znver4").sources == before.sources


@pytest.mark.parametrize("key", ["arch", "model", "flags"])
def test_another_cpu_is_ignored(key: str, path: Path) -> None:
    before = resolve_target("native")
    write_machine_file(path, _file({**host.identity(), key: "another"}))
    assert measured_facts() == ({}, {})
    assert resolve_target("native") == before


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mlc = ", "Invalid value"),
        ('mlc = "0"', "'facts' is missing; required: a table"),
        ("[facts]", "'identity' is missing; required: a table"),
        ("mlc = 3\n[facts]\n[identity]", "found 'mlc' as 3; required: a text"),
        ("[facts]\nloads = 3", "found 'loads' without a value; required: a table with 'value' and 'spread'"),
        ("[facts.loads]\nvalue = 'two'", "found 'value' of 'loads' as 'two'; required: a number that is not negative"),
        ("[facts.loads]\nvalue = -1", "found 'value' of 'loads' as -1; required: a number that is not negative"),
        ("[facts.loads]\nvalue = nan", "found 'value' of 'loads' as nan; required"),
        ("[facts.loads]\nvalue = 2", "'spread' of 'loads' is missing; required: a number"),
        ("[facts.loads]\nvalue = 2\nspread = 0\nplanned = 0", "found 'loads' planned as 0; required: at least 1"),
        ("[facts.load]\nvalue = 2\nspread = 0", "found the fact 'load', did you mean 'loads'?"),
        (
            "[facts.loads]\nvalue = 2\nspread = 0\nplan = 2",
            "found 'plan' of 'loads'; its fields are value, planned, unit, spread, source, detail",
        ),
        ("[facts.loads]\nvalue = 2\nspread = 0\nunit = 'MHz'", "found 'loads' in 'MHz'; required: 'per cycle'"),
        ("[facts.loads]\nvalue = 2\nspread = 0\nplanned = 64", "found 'loads' planned as 64, where 2 was measured"),
        (
            "[facts.loads]\nvalue = 2\nspread = 0\nsource = 'hearsay'",
            "found the source 'hearsay' of 'loads'; required: one of measured, sysfs, ",
        ),
    ],
)
def test_a_broken_file_is_named(text: str, problem: str, path: Path) -> None:
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(UserError) as raised:
        resolve_target("native")
    assert f"the machine file '{path}' is broken: {problem}" in str(raised.value)
    assert str(raised.value).endswith("make it again with `mlc machine measure`, or remove it")
    resolve_target("znver4")


def test_a_file_that_is_no_text(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match=r"is broken: .* can't decode"):
        resolve_target("native")


def test_a_folder_is_no_file(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(UserError, match="is a folder; MLC_MACHINE_FILE names another file"):
        resolve_target("native")


def test_a_file_that_cannot_be_written(path: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("in the way")
    with pytest.raises(UserError, match=r"cannot write '.*machine.toml': .*; MLC_MACHINE_FILE names another file"):
        write_machine_file(path, _file())


def test_a_place_for_no_file_is_found_at_once(path: Path, tmp_path: Path) -> None:
    require_writable(path)
    assert list(path.parent.iterdir()) == []
    path.mkdir()
    with pytest.raises(UserError, match=r"cannot write '.*machine.toml': it is a folder; MLC_MACHINE_FILE names"):
        require_writable(path)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match=r"cannot write '.*below': .*; MLC_MACHINE_FILE names another file"):
        require_writable(tmp_path / "file" / "below")


def test_facts_of_other_versions_are_left_out(path: Path) -> None:
    write_machine_file(path, _file())
    path.write_text(path.read_text() + "\n[facts.colour]\nvalue = 3\nspread = 0\n")
    assert read_machine_file() == _file()


def test_a_file_that_changed_is_read_again(path: Path) -> None:
    write_machine_file(path, _file())
    assert resolve_target("native").issue.fma_latency == 7
    write_machine_file(path, replace(_file(), facts={"fma_latency": Measured(11.1, 0.0, 11)}))
    assert resolve_target("native").issue.fma_latency == 11


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MLC_MACHINE_FILE", "")
    assert machine_file_path() is None
    monkeypatch.delenv("MLC_MACHINE_FILE")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    first = machine_file_path()
    assert first is not None and first.parent == tmp_path / "mlc" and first.name.startswith("machine-")
    monkeypatch.setattr(host, "identity", lambda: {"model": "another"})
    assert machine_file_path() != first
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    other = machine_file_path()
    assert other is not None and other.parent == tmp_path / ".config" / "mlc"


@pytest.mark.parametrize(
    ("name", "value", "before", "expected"),
    [
        ("fma_latency", 4.02, None, 4),
        ("fma_latency", 3.6, None, 4),
        ("fma_latency", 0.2, None, 1),
        ("l2_loads", 0.62, None, 0.5),
        ("l2_loads", 0.63, None, 0.75),
        ("l2_loads", 0.63, 0.5, 0.5),
        ("l2_loads", 0.62, 0.75, 0.75),
        ("l2_loads", 0.8, 0.5, 0.75),
        ("late", 0.14, 0.0, 0.0),
        ("late", 0.14, None, 0.25),
        ("late", 0.2, 0.0, 0.25),
        ("memory_read", 9.1, None, 8),
        ("memory_read", 10.1, None, 12),
        ("memory_read", 10.1, 8, 8),
        ("memory_read", 12.0, 8, 12),
        ("memory_read", 0.7, None, 0.75),
        ("i8_dots", 0.0, None, 0),
        ("frequency_mhz", 3709, 3600, 3600),
    ],
)
def test_two_measurements_give_one_number(name: str, value: float, before: float | None, expected: float) -> None:
    """Rounded to what rules can see, and kept while a value lies between two steps."""
    rounded = FACTS[name].rounded(value, before)
    assert rounded == expected
    assert isinstance(rounded, int) == FACTS[name].is_whole


_MATMUL = """
func.func @main(%a: tensor<28x1024xf32>, %b: tensor<1024x512xf32>) -> tensor<28x512xf32> {
  %0 = graph.matmul %a, %b : tensor<28x1024xf32>, tensor<1024x512xf32> -> tensor<28x512xf32>
  return %0 : tensor<28x512xf32>
}
"""


def test_other_facts_are_another_artifact(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of 4 KB fall on the same sets: no more of them at a time than there are ways."""
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    codes: list[bytes] = []
    for ways in (16, 2, 16):
        facts = {"l1_ways": Measured(ways, 0.0, ways), "set_period": Measured(4096, 0.0, 4096)}
        write_machine_file(path, replace(_file(), facts=facts))
        model = mlc.compile(_MATMUL)
        codes.append(model.path.read_bytes())
    assert codes[0] != codes[1], "the cache has the code for other facts"
    assert codes[0] == codes[2]
