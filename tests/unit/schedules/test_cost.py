"""Estimates of loops beside numbers that are counted by hand, and beside a cache that is played through."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from mlc.analysis.nests import outermost_loops
from mlc.architectures import cpus
from mlc.compiler.compilation import new_context, parse_verified
from mlc.dialects.loop import ForOp, LoadOp, StoreOp
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.schedules.cost.estimate import Estimate, estimate, estimate_nests
from mlc.support.types import memref_type, vector_type
from mlc.targets.machine import Machine, resolve_target

_LINE = 64
_PRODUCT = """
func.func private @product(%a: memref<24x40xf32>, %b: memref<40x36xf32>, %c: memref<24x36xf32> {{mlc.output}}) {{
  %zero = arith.constant 0.0 : f32
  loop.for parallel "{0}" %{0} = 0 to {3} {{
    loop.for parallel "{1}" %{1} = 0 to {4} {{
      %r = loop.for serial "k" %k = 0 to 40 iter_args(%sum = %zero) -> (f32) {{
        %x = loop.load %a[%{2}m, %k] : memref<24x40xf32>
        %y = loop.load %b[%k, %{2}n] : memref<40x36xf32>
        %z = math.fma %x, %y, %sum : f32
        loop.yield %z : f32
      }}
      loop.store %r, %c[%{2}m, %{2}n] : memref<24x36xf32>
    }}
  }}
  return
}}
"""
_BY_ROWS = _PRODUCT.format("m", "n", "", 24, 36)
_BY_COLUMNS = _PRODUCT.format("n", "m", "", 36, 24)
_TWO_PASSES = """
func.func private @rows(%x: memref<12x96xf32>, %y: memref<12x96xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 12 {
    %s = loop.for serial "k" %k = 0 to 96 iter_args(%sum = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<12x96xf32>
      %b = arith.addf %sum, %a : f32
      loop.yield %b : f32
    }
    loop.for parallel "n" %n = 0 to 96 {
      %a = loop.load %x[%m, %n] : memref<12x96xf32>
      %b = arith.divf %a, %s : f32
      loop.store %b, %y[%m, %n] : memref<12x96xf32>
    }
  }
  return
}
"""
_TRANSPOSED = """
func.func private @transposed(%x: memref<64x48xf32>, %y: memref<48x64xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 48 {
    loop.for parallel "m" %m = 0 to 64 {
      %a = loop.load %x[%m, %n] : memref<64x48xf32>
      loop.store %a, %y[%n, %m] : memref<48x64xf32>
    }
  }
  return
}
"""
_BLOCKS = """
func.func private @blocks(%x: memref<4x64x16xf32>, %y: memref<64x16xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 64 step 16 {
    loop.for parallel "m" %m = 0 to 16 {
      %a = loop.load %x[%n floordiv 16, %m + 7, 0] : memref<4x64x16xf32>, vector<16xf32>
      loop.store %a, %y[%n + %m, 0] : memref<64x16xf32>, vector<16xf32>
    }
  }
  return
}
"""
_SPARSE = """
func.func private @sparse(%x: memref<64x64xf32>, %y: memref<8x64xf32> {mlc.output}) {
  loop.for serial "t" %t = 0 to 3 {
    loop.for parallel "m" %m = 0 to 8 {
      %a = loop.load %x[%m * 8, 16] : memref<64x64xf32>, vector<32xf32>
      loop.store %a, %y[%m, 0] : memref<8x64xf32>, vector<32xf32>
    }
  }
  return
}
"""
_STRIDED = """
func.func private @strided(%x: memref<32x512xf32>, %y: memref<32x128xf32> {mlc.output}) {
  loop.for serial "t" %t = 0 to 3 {
    loop.for parallel "m" %m = 0 to 32 {
      loop.for parallel "n" %n = 0 to 16 {
        %a = loop.load %x[%m, %n * 32 + 3] : memref<32x512xf32>
        %b = loop.load %x[%m, %n * 32 + 19] : memref<32x512xf32>
        %c = arith.addf %a, %b : f32
        loop.store %c, %y[%m, %n * 8] : memref<32x128xf32>
      }
    }
  }
  return
}
"""


def _function(text: str, passes: str = "", target: str = "znver4") -> FuncOp:
    ctx = new_context(target)
    module = parse_verified(text, "text", ctx, Path())
    if passes:
        PassManager(ctx).run(module, parse_passes(passes))
    return _first(module)


def _first(module: ModuleOp) -> FuncOp:
    return next(op for op in module.ops if isinstance(op, FuncOp))


def _fetched(function: FuncOp, capacity: int) -> float:
    """The lines that a first cache of `capacity` bytes fetches by the estimate, from a second one that holds all."""
    machine = resolve_target("znver4")
    memory = replace(machine.memory, line_bytes=_LINE, l2_read=float(_LINE), l2_write=float("inf"))
    found = estimate(function, replace(machine, l1_bytes=capacity, l2_bytes=1 << 30, memory=memory))
    assert found.brought["L3"] == found.brought["memory"] == 0
    return found.brought["L2"]


def _played(function: FuncOp, capacity: int) -> int:
    """The lines that a cache without conflicts, which drops what was not used for longest, fetches in a second call."""
    starts: dict[SSAValue, int] = {v: i << 20 for i, v in enumerate(function.body.block.args)}
    lines: OrderedDict[int, None] = OrderedDict()
    fetched = 0
    for turn in range(2):
        fetched = 0
        for address in _addresses(function.body.block, {}, starts):
            if address in lines:
                lines.move_to_end(address)
                continue
            fetched += 1
            lines[address] = None
            if len(lines) * _LINE > capacity:
                lines.popitem(last=False)
        assert turn or fetched
    return fetched


def _addresses(block: Block, counters: dict[SSAValue, int], starts: dict[SSAValue, int]) -> Iterator[int]:
    for op in block.ops:
        if isinstance(op, ForOp):
            for value in op.range:
                counters[op.induction_variable] = value
                yield from _addresses(op.body.block, counters, starts)
        elif isinstance(op, LoadOp | StoreOp):
            place = op.map.data.eval([counters[v] for v in op.indices], [])
            offset = int(np.ravel_multi_index(place, memref_type(op.memref).get_shape()))
            kind = vector_type(op.accessed)
            for lane in range(1 if kind is None else kind.get_shape()[0]):
                yield (starts[op.memref] + 4 * (offset + lane)) // _LINE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "capacity", "within"),
    [
        (_BY_ROWS, 1 << 10, 1.35),
        (_BY_ROWS, 8 << 10, 1.8),  # a part is left from the call before
        (_BY_ROWS, 1 << 16, 1.0),
        (_BY_COLUMNS, 1 << 10, 1.35),
        (_BY_COLUMNS, 3 << 9, 1.35),
        (_TWO_PASSES, 1 << 10, 1.0),
        (_TWO_PASSES, 256, 1.0),
        (_TWO_PASSES, 1 << 16, 1.0),
        (_TRANSPOSED, 1 << 11, 1.2),
        (_TRANSPOSED, 6 << 10, 1.0),
        (_BLOCKS, 1 << 11, 1.0),
        (_SPARSE, 1 << 10, 1.0),
        (_SPARSE, 1 << 11, 1.0),
        (_STRIDED, 1 << 12, 1.0),
        (_STRIDED, 1 << 18, 1.0),
    ],
)
def test_lines_that_a_cache_fetches(text: str, capacity: int, within: float) -> None:
    function = _function(text)
    told, played = _fetched(function, capacity), _played(function, capacity)
    assert played / within <= told <= max(played * within, 0)


def _on(text: str, passes: str, target: str = "znver4") -> tuple[Estimate, Machine]:
    return estimate(_function(text, passes, target), resolve_target(target)), resolve_target(target)


def test_a_sum_waits_for_each_addition() -> None:
    found, machine = _on(_TWO_PASSES, "")
    assert found.parts["late results"] >= 12 * 96 * (machine.issue.add_latency - 1)
    side_by_side, _ = _on(_TWO_PASSES, "vectorize-reduction{loops=k lanes=32}")
    assert side_by_side.parts["late results"] < found.parts["late results"] / 6


def _with(steps: str, text: str) -> str:
    return text.replace("{mlc.output}) {", f"{{mlc.output}}) attributes {{schedule = #loop.schedule<[{steps}]>}} {{")


def test_a_tile_computes_as_fast_as_multiply_adds_start() -> None:
    tile = "tile(n, 36), tile(ni, 12), vectorize(nii, 16), unroll(ni), tile(m, {0}), unroll(mi)"
    found, machine = _on(_with(tile.format(4), _BY_ROWS), "apply-schedule,cse,sink")
    registers = 36 // 12
    assert found.parts["arithmetic"] == pytest.approx(24 * registers * 40 / machine.issue.fma_units)
    assert (found.spilled, found.decided_by) == (0, "arithmetic")
    wide, _ = _on(_with(tile.format(12), _BY_ROWS), "apply-schedule,cse,sink")
    assert wide.spilled > 0
    assert wide.cycles > found.cycles
    scalar, _ = _on(_BY_ROWS, "")
    # LLVM makes vectors, and one sum per vector waits for each addition.
    assert scalar.cycles > 3.5 * machine.issue.fma_units * found.cycles


@pytest.mark.parametrize("passes", ["", "apply-schedule,cse,sink"])
@pytest.mark.parametrize("text", [_TWO_PASSES, _with("tile(n, 36), tile(ni, 12), vectorize(nii, 16)", _BY_ROWS)])
def test_what_cycles_are_spent_on_adds_up(text: str, passes: str) -> None:
    found, _ = _on(text, passes)
    assert found.cycles == pytest.approx(sum(found.spent.values()))
    assert (found.around > 0) == (text != _TWO_PASSES)
    assert sum(found.computed.values()) < sum(found.parts.values()), "parts are busy at a time"


def test_a_load_that_is_repeated_is_one() -> None:
    load = "      %a = loop.load %x[%m * 8, 16] : memref<64x64xf32>, vector<32xf32>\n"
    once, _ = _on(_SPARSE, "")
    twice, _ = _on(_SPARSE.replace(load, load + load.replace("%a", "%b")), "")
    elsewhere, _ = _on(_SPARSE.replace(load, load + load.replace("%a", "%b").replace("16]", "0]")), "")
    assert once.parts["loads"] == twice.parts["loads"] == elsewhere.parts["loads"] / 2


def test_what_is_left_to_llvm_counts_as_vectors() -> None:
    along = _TRANSPOSED.replace("x: memref<64x48xf32>", "x: memref<48x64xf32>").replace(
        "%x[%m, %n] : memref<64x48xf32>", "%x[%n, %m] : memref<48x64xf32>"
    )
    left, machine = _on(along, "")
    said, _ = _on(_with("tile(m, 16), vectorize(mi, 16)", along), "apply-schedule")
    assert left.parts["stores"] == said.parts["stores"] == 48 * 64 / 16 / machine.issue.stores
    across, _ = _on(_TRANSPOSED, "")
    assert across.parts["stores"] == 48 * 64 / machine.issue.stores
    called, _ = _on(_with("threads(m)", along), "apply-schedule")
    assert called.parts["stores"] == across.parts["stores"]


def test_nests_of_a_function_are_its_time() -> None:
    module = parse_verified(_TWO_PASSES, "model.mlir", new_context(), Path())
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    machine = resolve_target("x86-64-v4")
    nests = estimate_nests(function, machine)
    assert list(nests) == outermost_loops(function)
    assert sum(nests.values()) == pytest.approx(estimate(function, machine).cycles, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("cpu", [cpu.name for _, cpu in cpus()])
def test_tiles_of_the_rules_fit_the_registers(cpu: str) -> None:
    text = """
func.func @main(%x: tensor<96x64xf32>, %w: tensor<64x256xf32>) -> tensor<96x256xf32> {
  %0 = graph.matmul %x, %w : tensor<96x64xf32>, tensor<64x256xf32> -> tensor<96x256xf32>
  return %0 : tensor<96x256xf32>
}
"""
    passes = "fuse,lower-to-tensor,schedule,lower-to-loops,apply-schedule,transpose-loads,cse,sink"
    found, machine = _on(text, passes, cpu)
    assert found.spilled == 0
    least = 96 * 64 * 256 / (machine.issue.fma_units * machine.lanes(32))
    assert least <= found.parts["arithmetic"] <= 1.3 * least
