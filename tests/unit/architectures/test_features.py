"""The CPU itself says what it has."""

from __future__ import annotations

import pytest

from mlc import architectures
from mlc.architectures import kernel_entries, missing_features, real_architecture
from mlc.targets.machine import available_targets


def test_executables_can_ask_for_all_that_artifacts_need() -> None:
    for machine in available_targets():
        for name in machine.required_cpu_flags:
            assert machine.instruction_set.feature_initializer(name).startswith(f'{{"{name}", ')


def test_the_cpu_has_what_the_kernel_lists() -> None:
    here = real_architecture()
    if here is None or not (listed := {*kernel_entries().get(here.features_field, "").split()}):
        pytest.skip("the kernel lists no features")
    known = {here.spelled_by_kernel(name) for name in here.feature_names}
    assert missing_features(sorted(listed & known)) == []
    assert missing_features(sorted(known - listed)) == sorted(known - listed)


def test_where_the_cpu_cannot_be_asked_the_kernel_is(monkeypatch: pytest.MonkeyPatch) -> None:
    if (here := real_architecture()) is None:
        pytest.skip("no architecture of mlc")

    def refuse(_: object) -> frozenset[str]:
        raise PermissionError("mmap")

    monkeypatch.setattr(type(here), "present_features", refuse)
    monkeypatch.setattr(architectures, "kernel_entries", lambda: {here.features_field: "avx asimdhp"})
    architectures._present_features.cache_clear()  # pyright: ignore[reportPrivateUsage]
    try:
        assert missing_features(["avx", "asimdhp", "avx2"]) == ["avx2"]
    finally:
        architectures._present_features.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_nothing_is_missing_where_nothing_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(architectures, "_present_features", lambda: None)
    assert missing_features(["avx", "asimdhp"]) == []
