"""What bodies of loops cost beyond the ops that one counts: vectors that LLVM makes or takes apart, lines, threads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.dialects.loop import LoadOp, StoreOp
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.schedules.cost.estimate import Estimate, estimate
from mlc.schedules.cost.lines import Address, part_on_two_lines, width
from mlc.schedules.cost.traits import traits
from mlc.targets.machine import Machine, resolve_target

_MACHINE = resolve_target("znver4")
_LANES = _MACHINE.lanes(32)
_DOUBLED = """
func.func private @doubled(%x: memref<8x128xf32>, %y: memref<8x128xf32> {{mlc.output}}) {0} {{
  loop.for parallel "m" %m = 0 to 8 {{
    loop.for parallel "n" %n = 0 to 128 {{
      %a = loop.load %x[%m, %n] : memref<8x128xf32>
      {1}
      %b = arith.addf %a, %a : f32
      loop.store %b, %y[%m, %n] : memref<8x128xf32>
    }}
  }}
  return
}}
"""
_SUM = """
func.func private @sum(%x: memref<{0}x{1}xf32>, %y: memref<{1}xf32> {{mlc.output}}) {{
  %zero = arith.constant dense<0.0> : vector<{1}xf32>
  %r = loop.for serial "k" %k = 0 to {0} iter_args(%sum = %zero) -> (vector<{1}xf32>) {{
    %a = loop.load %x[%k, 0] : memref<{0}x{1}xf32>, vector<{1}xf32>
    %b = arith.addf %sum, %a : vector<{1}xf32>
    loop.yield %b : vector<{1}xf32>
  }}
  loop.store %r, %y[0] : memref<{1}xf32>, vector<{1}xf32>
  return
}}
"""
_SHIFTED = """
func.func private @shifted(%x: memref<4x192xf32>, %y: memref<4x192xf32> {{mlc.output}}) {{
  loop.for parallel "m" %m = 0 to 4 {{
    loop.for serial "n" %n = 0 to 128 step {0} {{
      %a = loop.load %x[%m, %n + {1}] : memref<4x192xf32>, vector<{2}xf32>
      loop.store %a, %y[%m, %n] : memref<4x192xf32>, vector<{2}xf32>
    }}
  }}
  return
}}
"""
_PRODUCT = """
func.func private @product(%x: memref<40x64xf32>, %y: memref<64x192xf32>, %z: memref<40x192xf32> {{mlc.output}})
    attributes {{schedule = #loop.schedule<[tile(n, {1}), tile(m, {0}), unroll(mi), vectorize(ni, {1})]>}} {{
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 40 {{
    loop.for parallel "n" %n = 0 to 192 {{
      %r = loop.for serial "k" %k = 0 to 64 iter_args(%sum = %zero) -> (f32) {{
        %a = loop.load %x[%m, %k] : memref<40x64xf32>
        %s = {2}
        %b = loop.load %y[%k, %n] : memref<64x192xf32>
        %c = math.fma %s, %b, %sum : f32
        loop.yield %c : f32
      }}
      loop.store %r, %z[%m, %n] : memref<40x192xf32>
    }}
  }}
  return
}}
"""


def _function(text: str, passes: str = "") -> FuncOp:
    ctx = new_context("znver4")
    module = parse_verified(text, "text", ctx, Path())
    PassManager(ctx).run(module, parse_passes(passes) if passes else [])
    return next(op for op in module.ops if isinstance(op, FuncOp))


def _doubled(steps: str = "", op: str = "", threads: int = 1, machine: Machine = _MACHINE) -> Estimate:
    attributes = f"attributes {{schedule = #loop.schedule<[{steps}]>}}" if steps else ""
    return estimate(_function(_DOUBLED.format(attributes, op), "apply-schedule"), machine, threads)


def test_llvm_makes_no_vectors_of_prefetches() -> None:
    plain, ahead = _doubled(), _doubled(op="loop.prefetch %x[%m, %n + 64] : memref<8x128xf32>")
    assert ahead.parts["stores"] == _LANES * plain.parts["stores"]


def test_llvm_makes_vectors_of_copies_side_by_side() -> None:
    said, left = _doubled("tile(n, 16), vectorize(ni, 16)"), _doubled("tile(n, 32), unroll(ni)")
    assert left.parts["stores"] == said.parts["stores"]
    assert left.spilled == 0
    across = _doubled("interchange(n, m), threads(n), unroll(m)")  # one below the other
    assert across.parts["stores"] == _LANES * said.parts["stores"]
    rest = _doubled("tile(n, 21), unroll(ni)")  # six times 16, 4 and 1 of them, and two that are left
    assert rest.parts["stores"] == pytest.approx(8 * (6 * 3 + 2) / _MACHINE.issue.stores)
    few = _doubled("tile(n, 4), unroll(ni)")
    assert few.parts["stores"] == _LANES // 4 * said.parts["stores"]


def test_vectors_whose_lanes_are_no_power_of_two_are_carried_lane_by_lane() -> None:
    even, odd = (estimate(_function(_SUM.format(20, lanes)), _MACHINE) for lanes in (64, 48))
    assert (even.parts["shuffles"], even.spilled) == (0, 0)
    assert odd.parts["shuffles"] == 20 * 2 * 48 / _MACHINE.issue.shuffles
    assert odd.spilled > 0


def _product(rows: int, columns: int, factor: str) -> Estimate:
    text = _PRODUCT.format(rows, columns, factor)
    return estimate(_function(text, "apply-schedule,canonicalize,cse,sink,split-vectors"), _MACHINE)


@pytest.mark.parametrize(("rows", "columns", "spilled"), [(6, 64, 0), (7, 64, 7 * 4 + 4 + 1 - 32), (4, 96, 0)])
def test_a_number_in_all_lanes_is_in_one_register(rows: int, columns: int, spilled: int) -> None:
    """Beside the sums, a tile has the vectors of a row in registers, and the factor that they are multiplied by."""
    assert _product(rows, columns, "arith.bitcast %a : f32 to f32").spilled == spilled


def test_a_number_is_put_into_all_lanes_by_one_shuffle() -> None:
    assert _product(4, 64, "arith.addf %a, %a : f32").parts["shuffles"] == 40 * 3 * 64 / _MACHINE.issue.shuffles


@pytest.mark.parametrize(
    ("step", "start", "lanes", "part"),
    [
        (16, 0, 16, 0.0),
        (16, 1, 16, 1.0),
        (16, 16, 32, 0.0),
        (8, 0, 16, 0.5),
        (8, 0, 8, 0.0),
        (4, 0, 8, 0.25),
        (16, 12, 8, 1.0),
        (16, 12, 32, 1.0),
        (1, 0, 16, 15 / 16),
        (1, 0, 2, 1 / 16),
    ],
)
def test_vectors_on_two_lines(step: int, start: int, lanes: int, part: float) -> None:
    """Beside a count of all that are loaded."""
    function = _function(_SHIFTED.format(step, start, lanes))
    load = next(op for op in function.walk() if isinstance(op, LoadOp))
    size = min(4 * lanes, 64)
    places = [
        4 * (192 * m + n + start) + piece
        for m in range(4)
        for n in range(0, 128, step)
        for piece in range(0, 4 * lanes, size)
    ]
    assert sum(place % 64 + size > 64 for place in places) / len(places) == pytest.approx(part)
    assert part_on_two_lines(load, 64, 64) == pytest.approx(part)
    loads = estimate(function, _MACHINE).parts["loads"]
    assert loads == pytest.approx(len(places) * (1 + part) / _MACHINE.issue.loads)


def test_addresses_in_bytes() -> None:
    function = _function(_SHIFTED.format(8, 3, 16))
    load = next(op for op in function.walk() if isinstance(op, LoadOp))
    address = Address.of(load)
    assert address is not None
    assert part_on_two_lines(load, 16, 64) == 0.25  # of four registers the one that begins at 60
    assert (address.constant, sorted(address.factors.values()), width(load)) == (12, [4, 768], 64)
    scalar = next(op for op in _function(_DOUBLED.format("", "")).walk() if isinstance(op, StoreOp))
    assert (width(scalar), part_on_two_lines(scalar, 64, 64)) == (4, 0.0)


_ONCE = _MACHINE.threading.fork_join_ns * _MACHINE.frequency_mhz / 1000
"""The cycles of sharing a loop."""


def test_a_loop_that_is_shared_costs_that_once() -> None:
    assert "sharing" not in _doubled(threads=2).parts
    assert _doubled("threads(m)", threads=2).parts["sharing"] == _ONCE
    assert _doubled("threads(n)", threads=2).parts["sharing"] == 8 * _ONCE
    assert _doubled("threads(m), threads(n)", threads=2).parts["sharing"] == _ONCE


def test_one_thread_shares_nothing() -> None:
    """Whether others are missing in the program, on the machine, or by the words of the loop."""
    alone = _doubled("threads(m)")
    assert "sharing" not in alone.parts
    assert _doubled("threads(m, 1)", threads=2) == alone
    assert _doubled("threads(m)", threads=2, machine=replace(_MACHINE, cores=1)) == alone
    inner = _doubled("threads(m, 1), threads(n)", threads=2)
    assert inner.parts["sharing"] == 8 * _ONCE


@pytest.mark.parametrize(
    ("steps", "threads", "rows"),
    [
        ("threads(m)", 1, 8),
        ("threads(m)", 2, 4),
        ("threads(m)", 3, 3),
        ("threads(m, 2)", 4, 4),
        ("threads(m)", 100, 1),
        ("threads(n)", 2, 4),  # half of the columns of each row
        ("", 2, 8),
    ],
)
def test_threads_share_what_is_computed(steps: str, threads: int, rows: int) -> None:
    """The time is that of the thread with the most rows, of eight."""
    alone, shared = (_doubled(steps, threads=n) for n in (1, threads))
    assert shared.parts["stores"] == alone.parts["stores"] * rows / 8
    assert shared.cycles - shared.parts.get("sharing", 0) == pytest.approx(alone.cycles * rows / 8, rel=0.05)


@pytest.mark.parametrize("steps", ["threads(m)", "threads(n)"])
def test_threads_share_what_caches_deliver_and_wait_for_the_main_memory(steps: str) -> None:
    for level, machine, part in (
        ("L2", replace(_MACHINE, l1_bytes=1024), 2),
        ("memory", replace(_MACHINE, l1_bytes=1024, l2_bytes=1024, l3_bytes=1024), 1),
    ):
        alone, shared = (_doubled(steps, threads=n, machine=machine).brought[level] for n in (1, 2))
        assert 0 < shared == alone / part


def test_traits_are_those_of_the_loop_that_takes_longest() -> None:
    plain = traits(_function(_DOUBLED.format("", "")), _MACHINE)
    assert plain["loops"] == 2
    assert plain["loops entered"] == 3  # eight times the inner one
    assert plain["longest iterations"] == 7
    assert (plain["jumping"], plain["longest conflicts"]) == (0, 0)
    across = _DOUBLED.format("attributes {schedule = #loop.schedule<[interchange(n, m)]>}", "")
    across = across.replace("8x128", "64x128").replace("0 to 8", "0 to 64")
    columns = traits(_function(across, "apply-schedule"), _MACHINE)
    assert (columns["longest iterations"], columns["jumping"]) == (6, 1)
    assert 2 ** columns["longest conflicts"] == 64 / (_MACHINE.memory.set_period / 512) > 1
    nothing = traits(_function("func.func private @nothing() { return }"), _MACHINE)
    assert nothing["loops"] == 0 and "longest loads" not in nothing


def test_llvm_unrolls_short_loops_before_it_makes_vectors() -> None:
    windows = """
func.func private @windows(%x: memref<4x128xf32>, %y: memref<128xf32> {{mlc.output}}) {{
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 128 {{
    %r = loop.for serial "k" %k = 0 to {0} iter_args(%sum = %zero) -> (f32) {{
      %a = loop.load %x[%k floordiv {1}, %n] : memref<4x128xf32>
      %b = arith.addf %sum, %a : f32
      loop.yield %b : f32
    }}
    loop.store %r, %y[%n] : memref<128xf32>
  }}
  return
}}
"""
    short, long = (estimate(_function(windows.format(4 * n, n)), _MACHINE).parts for n in (1, 100))
    assert short["stores"] == 128 / _LANES / _MACHINE.issue.stores
    assert short["loads"] == 4 * 128 / _LANES / _MACHINE.issue.loads
    assert long["stores"] == 128 / _MACHINE.issue.stores


def test_computing_and_bringing_hide_each_other_but_for_a_little() -> None:
    def machine(share: float) -> Machine:
        """One whose second cache takes a part of the time that a core computes."""
        bytes_fetched, slow = 2 * 8 * 128 * 4, 1e9
        memory = replace(_MACHINE.memory, l2_read=bytes_fetched / (share * computed), l2_write=slow)
        return replace(_MACHINE, l1_bytes=1024, l2_bytes=1 << 30, memory=memory)

    function = _function(_DOUBLED.format("", ""))
    computed = estimate(function, _MACHINE).cycles
    found = [estimate(function, machine(share)).cycles / computed for share in (0.01, 0.5, 1, 2, 100)]
    assert found == pytest.approx([1, (1 + 0.5**4) ** 0.25, 2**0.25, 17**0.25, 100], rel=0.01)


def test_what_is_spilled_does_not_hide_what_is_brought() -> None:
    function = _function(_SUM.format(2000, 64 * 16))
    near = estimate(function, replace(_MACHINE, l1_bytes=1 << 30, l2_bytes=1 << 30, l3_bytes=1 << 30))
    far = estimate(function, _MACHINE)
    assert near.parts["spilling"] == far.parts["spilling"] > 0
    brought = sum(far.brought.values())
    assert far.cycles > max(near.cycles, brought + far.parts["spilling"])


def test_what_follows_sums_is_around_the_innermost_loops() -> None:
    """It takes as long for longer sums, and is nothing where each number is by itself."""
    text = _PRODUCT.format(4, 96, "arith.mulf %a, %a : f32")
    longer = text.replace("0 to 64", "0 to 128").replace("40x64", "40x128").replace("64x192", "128x192")
    short, long = (estimate(_function(each, "apply-schedule"), _MACHINE) for each in (text, longer))
    assert 0 < short.around == long.around < short.cycles < long.cycles
    assert short.around >= 40 * 192 / _LANES / _MACHINE.issue.stores  # each result is stored once
    assert _doubled().around == 0
