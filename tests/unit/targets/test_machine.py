from __future__ import annotations

from functools import partial

import pytest

from mlc.architectures import cpus
from mlc.support.errors import UserError
from mlc.targets import host
from mlc.targets.machine import available_targets, resolve_target


def test_native_resolves_to_explicit_features():
    machine = resolve_target("native")
    assert machine == resolve_target("native")
    assert machine.arch == host.architecture()
    assert "native" not in " ".join([*machine.clang_flags, *machine.function_attributes.values()])
    assert machine.cores >= 1 and machine.l1_bytes >= 8 * 1024


def test_native_believes_flags_over_the_model(monkeypatch: pytest.MonkeyPatch):
    """A virtual machine may run on a Zen 5 and hide AVX-512."""
    flags = "ssse3 sse4_1 sse4_2 popcnt avx avx2 fma bmi1 bmi2 f16c movbe abm avx_vnni"
    monkeypatch.setattr(host, "machine_name", lambda: "x86_64")
    monkeypatch.setattr(host, "cpu_flags", lambda: frozenset(flags.split()))
    monkeypatch.setattr(host, "cpu", lambda: next(cpu for _, cpu in cpus() if cpu.name == "znver5"))
    machine = resolve_target("native")
    assert (machine.base, machine.cpu, machine.vector_bits) == ("x86-64-v3", "znver5", 256)
    assert "avxvnni" in machine.features and "avx512f" not in machine.features


def _entries(cpu: str, *more: str, model: str, but: tuple[str, ...] = ()) -> dict[str, str]:
    """What the kernel reports of a CPU of Intel that has the features of one of the table and `more`."""
    flags = [f for f in (*resolve_target(cpu).required_cpu_flags, *more) if f not in but]
    return {"vendor_id": "GenuineIntel", "cpu family": "6", "model": model, "flags": " ".join(flags)}


@pytest.mark.parametrize(
    ("entries", "extras", "rates"),
    [
        (_entries("x86-64-v4", model="1"), (), (0, 0, 0)),
        (_entries("x86-64-v4", "avx512_vnni", model="1"), ("avx512vnni",), (2, 0, 0)),
        (_entries("x86-64-v4", "avx512_bf16", model="1"), ("avx512bf16",), (0, 0.5, 0)),
        (_entries("x86-64-v4", "avx512_fp16", "avx_vnni", model="1"), ("avxvnni", "avx512fp16"), (0, 0, 2)),
        (_entries("x86-64-v3", "avx_vnni", model="1"), ("avxvnni",), (2, 0, 0)),
        (_entries("x86-64-v3", "avx512_vnni", "amx_int8", model="1"), (), (0, 0, 0)),
        (_entries("x86-64-v2", "avx_vnni", model="1"), (), (0, 0, 0)),
    ],
)
def test_native_uses_what_a_cpu_has_that_nobody_knows(
    entries: dict[str, str], extras: tuple[str, ...], rates: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(host, "machine_name", lambda: "x86_64")
    monkeypatch.setattr(host, "_cpu_entries", lambda: entries)
    machine = resolve_target("native")
    level = resolve_target(machine.cpu)
    assert machine.cpu == machine.base and machine.features == (*level.features, *extras)
    assert (machine.issue.i8_dots, machine.issue.bf16_dots, machine.issue.f16_fma_units) == rates


def test_native_counts_only_what_is_not_hidden(monkeypatch: pytest.MonkeyPatch):
    hidden = ("avx512_bf16", "avx512_vnni", "avx_vnni")
    monkeypatch.setattr(host, "machine_name", lambda: "x86_64")
    monkeypatch.setattr(host, "_cpu_entries", lambda: _entries("sapphirerapids", model="143", but=hidden))
    machine = resolve_target("native")
    assert machine.cpu == "sapphirerapids" and not {"avx512bf16", "avx512vnni", "avxvnni"} & {*machine.features}
    assert (machine.issue.i8_dots, machine.issue.bf16_dots, machine.issue.f16_fma_units) == (0, 0, 2)


def test_a_model_that_lacks_features_of_the_host_is_not_meant(monkeypatch: pytest.MonkeyPatch):
    """A hypervisor may call what has the features of a Sapphire Rapids a Rocket Lake."""
    monkeypatch.setattr(host, "machine_name", lambda: "x86_64")
    for cpu, found in (("rocketlake", "rocketlake"), ("sapphirerapids", "x86-64-v4")):
        entries = _entries(cpu, model="167")
        monkeypatch.setattr(host, "_cpu_entries", partial(dict[str, str], entries))
        machine = resolve_target("native")
        assert (machine.cpu, machine.features) == (found, resolve_target(cpu).features)


def test_native_on_other_architectures(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(host, "machine_name", lambda: "riscv64")
    with pytest.raises(UserError, match="'native' is a riscv64 machine; mlc generates code for x86_64 and aarch64"):
        resolve_target("native")


@pytest.mark.parametrize(
    "entries, name",
    [
        ({"vendor_id": "AuthenticAMD", "cpu family": "25", "model": "17"}, "znver4"),
        ({"vendor_id": "AuthenticAMD", "cpu family": "25", "model": "1"}, "znver3"),
        (
            {"vendor_id": "GenuineIntel", "cpu family": "6", "model": "85", "flags": "avx512f"},
            "skylake-avx512",
        ),
        (
            {"vendor_id": "GenuineIntel", "cpu family": "6", "model": "85", "flags": "avx512f avx512_vnni"},
            "cascadelake",
        ),
        (
            {"vendor_id": "GenuineIntel", "cpu family": "6", "model": "85", "flags": "avx512_vnni avx512_bf16"},
            "cooperlake",
        ),
        ({"vendor_id": "GenuineIntel", "cpu family": "6", "model": "175", "flags": "avx_vnni"}, "sierraforest"),
        ({"vendor_id": "GenuineIntel", "cpu family": "6", "model": "175", "flags": "avx512f"}, None),
        ({"vendor_id": "AuthenticAMD", "cpu family": "25", "model": "160"}, "znver4"),
        ({"vendor_id": "AuthenticAMD", "cpu family": "25", "model": "80"}, "znver3"),
        ({"vendor_id": "AuthenticAMD", "cpu family": "23", "model": "49"}, "znver2"),
        ({"vendor_id": "GenuineIntel", "cpu family": "6", "model": "1"}, None),
        ({"CPU implementer": "0x41", "CPU part": "0xd0c"}, "neoverse-n1"),
        ({"CPU implementer": "0x99", "CPU part": "0x1"}, None),
        ({}, None),
    ],
)
def test_what_the_kernel_reports(entries: dict[str, str], name: str | None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(host, "machine_name", lambda: "aarch64" if "CPU implementer" in entries else "x86_64")
    monkeypatch.setattr(host, "_cpu_entries", lambda: entries)
    assert (cpu.name if (cpu := host.cpu()) else None) == name


def test_attributes_keep_wide_vectors():
    attributes = resolve_target("skylake-avx512").function_attributes
    assert attributes["target-cpu"] == "x86-64-v4"
    assert attributes["tune-cpu"] == "skylake-avx512"
    assert "+avx512vl" in attributes["target-features"].split(",")
    assert attributes["prefer-vector-width"] == attributes["min-legal-vector-width"] == "512"


@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_levels_are_tuned_for_themselves(level: str, monkeypatch: pytest.MonkeyPatch):
    """LLVM's generic CPU has no multiply-add, and register tiles that are scheduled for it spill."""
    assert resolve_target(level).function_attributes["tune-cpu"] == level
    monkeypatch.setattr(host, "machine_name", lambda: "x86_64")
    monkeypatch.setattr(host, "cpu", lambda: None)
    monkeypatch.setattr(host, "cpu_flags", lambda: frozenset(resolve_target(level).required_cpu_flags))
    assert resolve_target("native").function_attributes["tune-cpu"] == level


def test_arm():
    machine = resolve_target("neoverse-v1")
    assert (machine.arch, machine.vector_bits, machine.vector_registers, machine.fma) == (
        "aarch64",
        128,
        32,
        True,
    )
    assert machine.function_attributes == {"target-cpu": "neoverse-v1"}
    assert machine.lanes(32) == 4


def test_vectors_are_loaded_in_pairs_where_that_is_as_fast():
    in_order, other = resolve_target("cortex-a55"), resolve_target("cortex-a53")
    assert in_order.function_attributes["target-features"] == "+slow-paired-128"
    assert "target-features" not in other.function_attributes
    as_two = in_order.with_facts({"pair_cycles": 2}, {})
    assert "target-features" not in as_two.function_attributes


def test_fma_is_a_fact_of_the_level():
    assert not resolve_target("x86-64-v2").fma
    assert resolve_target("x86-64-v3").fma


def test_unknown_target():
    with pytest.raises(UserError, match=r"unknown target 'znver9': did you mean .*znver.*\? `mlc targets` lists all"):
        resolve_target("znver9")
    with pytest.raises(UserError, match="unknown target 'pentium': `mlc targets` lists all of them"):
        resolve_target("pentium")


def test_available_targets_can_be_resolved():
    names = [machine.name for machine in available_targets()]
    assert {cpu.name for _, cpu in cpus()} <= {*names}
    assert all(resolve_target(name).name == name for name in names)


def test_native_has_the_first_cache_that_the_system_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "cache_bytes", lambda: {1: 48 * 1024, 2: 1 << 21})
    monkeypatch.setattr(host, "first_cache", lambda: (64, 16))
    told = resolve_target("native")
    assert (told.memory.l1_ways, told.memory.set_period) == (16, 3072)
    assert {str(told.sources[name]) for name in ("l1_bytes", "l1_ways", "set_period")} == {"sysfs"}
    monkeypatch.setattr(host, "first_cache", lambda: None)
    assert str(resolve_target("native").sources["l1_ways"]) != "sysfs"
