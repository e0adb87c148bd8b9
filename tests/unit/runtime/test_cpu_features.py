"""The CPU itself says what it has."""

from __future__ import annotations

import pytest

from mlc.runtime import cpu_features
from mlc.runtime.cpu_features import ARM, X86, missing_features
from mlc.targets.machine import available_targets


def test_the_tables_have_all_that_artifacts_need() -> None:
    for machine in available_targets():
        known = X86 if machine.arch == "x86_64" else ARM
        assert set(machine.required_cpu_flags) <= set(known), machine.name


def test_the_cpu_has_what_the_kernel_lists() -> None:
    listed = cpu_features._as_the_kernel_says()  # pyright: ignore[reportPrivateUsage]
    if listed is None or not listed & {*X86, *ARM}:
        pytest.skip("the kernel lists no features")
    assert missing_features(sorted(listed & {*X86, *ARM})) == []
    absent = sorted({*X86, *ARM} - listed)
    assert missing_features(absent) == absent


def test_where_no_memory_may_be_executed_the_kernel_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> frozenset[str]:
        raise PermissionError("mmap")

    for ask in ("_of_x86", "_of_arm"):
        monkeypatch.setattr(cpu_features, ask, refuse)
    monkeypatch.setattr(cpu_features, "_as_the_kernel_says", lambda: frozenset({"avx", "asimdhp"}))
    cpu_features._features.cache_clear()  # pyright: ignore[reportPrivateUsage]
    try:
        assert missing_features(["avx", "asimdhp", "avx2"]) == ["avx2"]
    finally:
        cpu_features._features.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_nothing_is_missing_where_nothing_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_features, "_features", lambda: None)
    assert missing_features(["avx", "asimdhp"]) == []
