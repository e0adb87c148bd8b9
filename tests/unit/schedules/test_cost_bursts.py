"""What a core waits for where lines arrive in bursts, beside numbers that are counted by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.schedules.cost.bursts import Bursts
from mlc.schedules.cost.estimate import Estimate, estimate
from mlc.targets.machine import resolve_target

_BLOCKS, _ROWS, _STEPS = 6, 10, 500
_PRODUCT = """
func.func private @product(%x: memref<40x500xf32>, %w: memref<6x500x16xf32>, %y: memref<40x96xf32> {{mlc.output}}) {{
  %zero = arith.constant dense<0.0> : vector<16xf32>
  loop.for parallel "{0}" %{0} = 0 to {1} {{
    loop.for parallel "{2}" %{2} = 0 to {3} {{
      %s:4 = loop.for serial "k" %k = 0 to 500 iter_args(%a = %zero, %b = %zero, %c = %zero, %d = %zero)
          -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {{
        {4}
        %v = loop.load %w[%n, %k, 0] : memref<6x500x16xf32>, vector<16xf32>
        {5}
        loop.yield %a1, %b1, %c1, %d1 : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
      }}
      {6}
    }}
  }}
  return
}}
"""
_MULTIPLIED = """%n{0} = loop.load %x[%m * 4 + {0}, %k] : memref<40x500xf32>
        %l{0} = vector.broadcast %n{0} : f32 to vector<16xf32>
        %{1}1 = math.fma %l{0}, %v, %{1} : vector<16xf32>"""
_MACHINE = resolve_target("znver5")


def _text(order: tuple[str, str] = ("n", "m"), prefetch: str = "") -> str:
    trips = {"n": _BLOCKS, "m": _ROWS}
    stores = [f"loop.store %s#{i}, %y[%m * 4 + {i}, %n * 16] : memref<40x96xf32>, vector<16xf32>" for i in range(4)]
    return _PRODUCT.format(
        order[0],
        trips[order[0]],
        order[1],
        trips[order[1]],
        prefetch,
        "\n        ".join(_MULTIPLIED.format(i, name) for i, name in enumerate("abcd")),
        "\n      ".join(stores),
    )


def _estimate(text: str, distance: int, read: float, latency: int = 1) -> Estimate:
    """With the weights `distance` bytes away, and `read` bytes per cycle from main memory."""
    memory = replace(_MACHINE.memory, memory_read=read, memory_latency=latency)
    module = parse_verified(text, "<product>", new_context("znver5"), Path())
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    weights = function.body.block.args[1]
    return estimate(function, replace(_MACHINE, memory=memory), distances={weights: distance})


def test_first_rows_wait_for_a_panel() -> None:
    """A panel of 500 lines at 2 bytes per cycle takes 16,000 cycles to come, which ten tiles do not wait for alike."""
    near = _estimate(_text(), 0, 2.0)
    far = _estimate(_text(), 1 << 30, 2.0)
    panel, tile = _STEPS * 64 / 2.0, near.cycles / (_BLOCKS * _ROWS)
    assert near.waiting == 0
    assert far.waiting == pytest.approx(_BLOCKS * (panel - tile), rel=0.01)
    assert far.cycles == pytest.approx(near.cycles + far.waiting, rel=0.01)


def test_nobody_waits_for_what_is_computed_longer() -> None:
    assert _estimate(_text(), 1 << 30, 64.0).waiting == 0


def test_prefetches_spread_a_panel_over_all_rows() -> None:
    prefetch = "loop.prefetch %w[%n + 1, (%m * 500 + %k) floordiv 8, 0] : memref<6x500x16xf32>"
    plain, early = (_estimate(_text(prefetch=p), 1 << 30, 8.0) for p in ("", prefetch))
    assert plain.waiting > 0
    assert early.waiting == 0
    assert early.cycles < plain.cycles


def test_a_prefetch_into_another_cache_is_none() -> None:
    """What is asked into the last cache still comes from there in bursts."""
    prefetch = "loop.prefetch %w[%n + 1, (%m * 500 + %k) floordiv 8, 0] to 3 : memref<6x500x16xf32>"
    machine = replace(_MACHINE, memory=replace(_MACHINE.memory, l3_read=2.0, l3_latency=1))
    module = parse_verified(_text(prefetch=prefetch), "<product>", new_context("znver5"), Path())
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    assert estimate(function, machine, distances={function.body.block.args[1]: 4 << 20}).waiting > 0


_ROWS_TWICE = """
func.func private @rows(%x: memref<40x1024xf32>, %y: memref<40xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 40 {
    %s = loop.for serial "k" %k = 0 to 1024 iter_args(%sum = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<40x1024xf32>
      %b = arith.addf %sum, %a : f32
      loop.yield %b : f32
    }
    %t = loop.for serial "j" %j = 0 to 1024 iter_args(%sum = %s) -> (f32) {
      PREFETCH
      %a = loop.load %x[%m, %j] : memref<40x1024xf32>
      %b = arith.addf %sum, %a : f32
      %c = arith.addf %b, %a : f32
      %d = arith.addf %c, %a : f32
      loop.yield %d : f32
    }
    loop.store %t, %y[%m] : memref<40xf32>
  }
  return
}
"""


def _rows_twice(cache: int, prefetch: str = "") -> Estimate:
    """Rows that are read twice, from a memory that is far behind caches of so many bytes.

    The first pass takes a quarter of the time of both.
    """
    module = parse_verified(_ROWS_TWICE.replace("PREFETCH", prefetch), "<rows>", new_context("znver5"), Path())
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    memory = replace(_MACHINE.memory, memory_read=0.1, memory_latency=1)
    return estimate(function, replace(_MACHINE, l1_bytes=cache, l2_bytes=cache, l3_bytes=cache, memory=memory))


def test_a_second_pass_finds_what_the_first_one_brought() -> None:
    """Of rows of 4 KB, a cache of 8 KB holds one."""
    found = _rows_twice(8 << 10)
    brought, computed = found.brought["memory"], found.parts["arithmetic"] + found.parts["late results"]
    assert brought == pytest.approx(40 * 4096 / 0.1, rel=0.02)
    assert found.waiting == pytest.approx(brought - computed / 4, rel=0.01)


def test_passes_that_bring_their_rows_again() -> None:
    found = _rows_twice(1 << 10)
    brought, computed = found.brought["memory"], found.parts["arithmetic"] + found.parts["late results"]
    assert brought == pytest.approx(2 * 40 * 4096 / 0.1, rel=0.02)
    assert found.waiting == pytest.approx(brought - computed, rel=0.02)


def test_the_second_pass_asks_for_the_next_row() -> None:
    """Lines come where they are asked for, in three quarters of the time, and not where they are read first."""
    found = _rows_twice(16 << 10, "loop.prefetch %x[%m + 1, %j] to 3 : memref<40x1024xf32>")
    computed = found.parts["arithmetic"] + found.parts["late results"]
    assert found.waiting == pytest.approx(found.brought["memory"] - 3 * computed / 4, rel=0.01)


def test_panels_within_rows_all_come_to_the_first_rows() -> None:
    """All weights, 192 KB, come while a tenth is computed, and are in the caches then."""
    near, far = (_estimate(_text(("m", "n")), distance, 2.0) for distance in (0, 1 << 30))
    assert far.waiting == pytest.approx(_BLOCKS * _STEPS * 64 / 2.0 - near.cycles / _ROWS, rel=0.01)


def test_what_is_on_its_way_when_a_burst_begins_is_not_waited_for() -> None:
    slow, early = (_estimate(_text(), 1 << 30, 2.0, latency).waiting for latency in (1, 1001))
    assert slow - early == pytest.approx(_BLOCKS * 1000)


def test_two_loops_that_bring_lines_of_their_own() -> None:
    both = Bursts(0.5, 2).within(0.5).and_also(Bursts(1.0).within(0.25))
    assert (both.part, both.count) == (0.5, 3)
    assert both.in_each_of(10) == Bursts(0.5, 30)
    assert both.in_first_of(10) == Bursts(0.05, 3)
    assert Bursts().in_each_of(10) == Bursts()


def test_what_always_arrives_is_waited_for_only_beyond_computing() -> None:
    assert Bursts().waiting(100, 300, 10) == 0
    assert Bursts().waiting(400, 300, 10) == 100
    assert Bursts(0.5).waiting(400, 300, 10) == 400 - 150 - 10
    assert Bursts(0.5, 100).waiting(400, 300, 10) == 400 - 150 - 150
