"""`MLC_HOST`: code is planned for a host that is not there, and run where that is possible."""

from __future__ import annotations

import platform

import pytest

from mlc.architectures import cpus
from mlc.support.errors import UserError
from mlc.targets import host
from mlc.targets.machine import resolve_target

_KNOWN = [cpu.name for _, cpu in cpus() if cpu.reported]


@pytest.mark.parametrize("name", _KNOWN)
def test_cpus_of_the_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`native` is then what the name stands for."""
    monkeypatch.setenv("MLC_HOST", f"cpu={name} cores=3")
    native, wanted = resolve_target("native"), resolve_target(name)
    assert (native.cpu, native.arch, native.cores) == (wanted.cpu, wanted.arch, 3)
    assert (native.features, native.vector_bits, native.issue) == (wanted.features, wanted.vector_bits, wanted.issue)
    assert (native.l1_bytes, native.l2_bytes, native.l3_bytes) == (wanted.l1_bytes, wanted.l2_bytes, wanted.l3_bytes)
    assert host.core_count() == 3


def test_an_unknown_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_HOST", "cpu=x86-64-v3 caches=none hypervisor")
    native = resolve_target("native")
    assert (host.cpu(), native.cpu, native.vector_bits, native.cores) == (None, "x86-64-v3", 256, 8)
    assert host.cache_bytes() == {} and host.first_cache() is None and "hypervisor" in host.cpu_flags()


def test_what_runs_is_told_by_the_cpu_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    before = host.cpu_flags()
    monkeypatch.setenv("MLC_HOST", "cpu=sapphirerapids")
    assert "avx512_fp16" in host.cpu_flags()
    assert host.missing_flags(["avx2"]) == ([] if "avx2" in before or not before else ["avx2"])
    assert host.missing_flags(["no_such_flag"]) == (["no_such_flag"] if before else [])
    assert not host.can_run("aarch64" if platform.machine() == "x86_64" else "x86_64", [])


@pytest.mark.parametrize(
    "text",
    ["znver4", "cpu=znver9", "cpu=znver4 cores=0", "cpu=znver4 cores=x", "cpu=znver4 l2=3", "cpu=znver4 caches=9"],
)
def test_what_describes_no_host(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_HOST", text)
    with pytest.raises(UserError, match=f"MLC_HOST is '{text}'; required: 'cpu=NAME', and perhaps 'cores=N'"):
        resolve_target("native")
