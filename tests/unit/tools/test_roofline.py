"""The limits of machines: what a kernel takes at least."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlc.targets.machine import resolve_target
from mlc.tools import roofline as rooflines
from mlc.tools.kernel_work import KernelWork
from mlc.tools.roofline import measured, planned


def test_a_planned_roofline_is_in_cycles() -> None:
    roofline = planned(resolve_target("cortex-a53"))
    assert roofline.bound(KernelWork(8_000, 0, 100, 32)).time == 1000  # one vector of 4 multiply-adds a cycle
    assert roofline.bound(KernelWork(8_000, 0, 100, 64)).time == 2000
    assert roofline.bound(KernelWork(0, 4_000, 100, 32)).time == 1000
    assert roofline.bound(KernelWork(8_000, 0, 100, 32)).limit == "compute"
    assert [roofline.bound(KernelWork(0, 0, 1 << n, 32)).limit for n in (10, 20)] == ["L1", "memory"]


def test_several_cores_have_several_private_caches() -> None:
    one, two = planned(resolve_target("cortex-a53")), planned(resolve_target("cortex-a53"), 2)
    assert (one.cores, two.cores, planned(resolve_target("cortex-a53"), 1000).cores) == (1, 2, one.machine.cores)
    assert two.bound(KernelWork(8_000, 0, 100, 32)).time == 500
    assert two.bandwidth("L2") == 2 * one.bandwidth("L2")
    assert two.bandwidth("memory") == one.bandwidth("memory")
    assert (one.level_of(one.machine.l1_bytes), two.level_of(one.machine.l1_bytes)) == ("L2", "L1")


def test_what_nearer_caches_hold_comes_from_there() -> None:
    roofline = planned(resolve_target("skylake-avx512"))
    machine, memory = roofline.machine, roofline.machine.memory
    beyond, private = 1 << 16, machine.l1_bytes + machine.l2_bytes
    bound = roofline.bound(KernelWork(0, 0, private + beyond, 32))
    assert roofline.levels_of(KernelWork(0, 0, private + beyond, 32)) == ["L1", "L2", "L3"]
    assert (bound.level, bound.time) == ("L2", (machine.l2_bytes + beyond) / memory.l2_read)
    assert roofline.bound(KernelWork(0, 0, 8 * private, 32)).transfer == 7 * private / memory.l3_read


def test_the_nearest_cache_reads_and_writes_at_a_time() -> None:
    roofline = planned(resolve_target("cortex-a53"))
    rate = roofline.bandwidth("L1")
    for written, most in ((0, 1000), (300, 700), (900, 900)):
        assert roofline.bound(KernelWork(0, 0, 1000, 32, written=written)).transfer == most / rate


def test_additions_beside_multiply_adds_are_not_too_good() -> None:
    """A core that starts both at a time is not bound by its multiply-adds alone, nor its multiply-adds by the sum."""
    roofline = replace(planned(resolve_target("cortex-a53")), peak=lambda: 8.0, operations=lambda: 16.0)
    assert roofline.bound(KernelWork(0, 4_000, 100, 32)).arithmetic == 500
    assert roofline.bound(KernelWork(8_000, 4_000, 100, 32)).arithmetic == 1000
    assert roofline.bound(KernelWork(8_000, 8_000, 100, 32)).arithmetic == 1500
    slower = replace(roofline, operations=lambda: 4.0)  # measured while something else ran
    assert slower.bound(KernelWork(0, 4_000, 100, 32)).arithmetic == 1000


def test_the_limit_is_the_best_that_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs beside a probe makes it slower, so that one measurement alone may give what is not a limit."""
    times = {"peak": iter([1.0, 1.0]), "operations": iter([1.0, 1.0]), "L1": iter([2.0, 1.0, 4.0])}
    monkeypatch.setattr(rooflines._Limits, "_build_probe", lambda _, name: (8.0, name, []))  # pyright: ignore
    monkeypatch.setattr(rooflines, "shortest_time", lambda name, *_: next(times[name]))  # pyright: ignore
    roofline = measured(resolve_target("native"))
    seen: list[tuple[float, float]] = []
    for _ in range(3):
        seen.append((roofline.bandwidth("L1"), roofline.unsteadiness()))
        if len(seen) < 3:
            roofline.refresh("L1")
    assert seen == [(4, 0), (8, 0.5), (8, 0.75)]
    assert roofline.peak() == 8


def test_the_part_of_the_cores_that_limits_are_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """What two threads do at once is measured beside what one does: a busy core makes limits of two those of one."""
    times = {("peak", 2): 1.6, ("peak of one thread", 1): 1.0}
    monkeypatch.setattr(rooflines._Limits, "_build_probe", lambda _, name: (8.0, name, []))  # pyright: ignore
    monkeypatch.setattr(rooflines, "shortest_time", lambda name, _, calls, threads: times[name, threads])  # pyright: ignore
    monkeypatch.setattr(rooflines.host, "core_count", lambda: 2)
    assert measured(resolve_target("native"), 4).share() == pytest.approx(0.625)
    assert measured(resolve_target("native")).share() == 1
