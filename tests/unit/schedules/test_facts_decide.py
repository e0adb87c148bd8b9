"""What rules choose follows from the facts of a machine: from no name, and from each fact where it should."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import bytes_of_constants, constant_arguments
from mlc.architectures import cpus
from mlc.compiler.compilation import new_context, parse_verified
from mlc.pass_manager.default_passes import default_passes
from mlc.schedules.default_schedule import tensor_kernel
from mlc.schedules.schedule_template import candidates_of
from mlc.support.functions import is_private
from mlc.targets.machine import Machine, resolve_target

_CPUS = [cpu.name for _, cpu in cpus()]


def _tensor(*shape: int) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def _model(x: str, y: str, line: str, **others: str) -> str:
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in {"x": x, **others}.items())
    return f"func.func @main({arguments}) -> {y} {{\n  %y = {line}\n  return %y : {y}\n}}\n"


def _matmul(m: int, k: int, n: int) -> str:
    x, w, y = _tensor(m, k), _tensor(k, n), _tensor(m, n)
    return _model(x, y, f"graph.matmul %x, %w : {x}, {w} -> {y}", w=w)


def _convolution(channels: int, groups: int, padding: int = 1) -> str:
    """One with 14 x 14 results, or 12 x 12 without padding."""
    x, w = _tensor(1, 14, 14, channels), _tensor(3, 3, channels // groups, channels)
    y = _tensor(1, 12 + 2 * padding, 12 + 2 * padding, channels)
    options = f'groups = {groups} : i64, padding = array<i64: {str((padding,) * 4)[1:-1]}>, layout = "NHWC"'
    return _model(x, y, f"graph.conv2d %x, %w {{{options}}} : {x}, {w} -> {y}", w=w)


def _softmax(columns: int) -> str:
    kind = _tensor(64, columns)
    return _model(kind, kind, f"graph.softmax %x axis 1 : {kind}")


_MODELS = {
    "matmul": _matmul(512, 256, 1024),
    "few rows": _matmul(2, 256, 64),
    "convolution": _convolution(64, 1),
    "depthwise": _convolution(64, 64, padding=0),
    "softmax": _softmax(512),
    "short softmax": _softmax(64),
    "column sum": _model(
        _tensor(1024, 512), _tensor(512), "graph.reduce sum %x axes [0] : tensor<1024x512xf32> -> tensor<512xf32>"
    ),
    "transpose": _model(
        _tensor(256, 128), _tensor(128, 256), "graph.transpose %x [1, 0] : tensor<256x128xf32> -> tensor<128x256xf32>"
    ),
}


_WEIGHTS = """func.func @main(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %w = graph.constant dense_resource<w> : tensor<1024x1024xf32>
  %y = graph.matmul %x, %w : tensor<64x1024xf32>, tensor<1024x1024xf32> -> tensor<64x1024xf32>
  return %y : tensor<64x1024xf32>
}
"""
_MODELS_WITH_WEIGHTS = {"product with weights": _WEIGHTS, "one tile": _WEIGHTS.replace("64x", "4x")}


@cache
def _chooser(name: str) -> Callable[[Machine], str]:
    """The default for the kernel of a model, as text."""
    ctx = new_context("x86-64-v3")
    ctx.resources.define("w", np.zeros((1024, 1024), np.float32))
    module = parse_verified((_MODELS | _MODELS_WITH_WEIGHTS)[name], "model.mlir", ctx, Path())
    for pass_ in default_passes(3, upto="tensor"):
        if pass_.name == "schedule":
            break
        pass_.run(module, ctx)
    (kernel,) = (op for op in module.ops if isinstance(op, FuncOp) and is_private(op))
    constants = constant_arguments(module)
    weights = bytes_of_constants(module)

    def default(machine: Machine) -> str:
        seen = tensor_kernel(kernel, machine, constants, ctx, {}, weights)
        assert seen is not None
        return ", ".join(s.spelling for s in next(candidates_of(seen)).steps)

    return default


@dataclass(frozen=True)
class _Shape:
    """What a schedule says of the loops, in numbers: 0 where there is no such step.

    Attributes:
        lanes: of a vector.
        columns, rows: of a register tile, or of a block of windows or lines.
        below: the rows of a block of windows, or those that use a panel before the next one.
        parts: how many results take turns in a reduction, or lie side by side in it.
    """

    lanes: int
    columns: int
    rows: int
    below: int
    parts: int
    rest: str
    """The steps without their numbers."""


def _shape(text: str) -> _Shape:
    def number(pattern: str) -> int:
        found = re.search(pattern, text)
        return int(found[1]) if found else 0

    in_blocks = number(r"tile\(mi, (\d+)\)")
    return _Shape(
        number(r" vectorize\(n\w*, (\d+)\)"),
        number(r"tile\(n, (\d+)\)"),
        in_blocks or number(r"tile\([mkx], (\d+)\)"),
        number(r"tile\(m, (\d+)\)") if in_blocks else number(r"tile\(y, (\d+)\)"),
        number(r"(?:split|vectorize)_reduction\(k, (\d+)\)"),
        re.sub(r", \d+\)", ")", text),
    )


def _with(machine: Machine, facts: Mapping[str, Any]) -> Machine:
    """The machine with other numbers, of vectors or of its facts."""
    vectors = {name: value for name, value in facts.items() if name.startswith("vector_")}
    others = {name: value for name, value in facts.items() if name not in vectors}
    return replace(machine, **vectors).with_facts(others, {})


@pytest.mark.parametrize("name", _MODELS)
def test_cpus_with_equal_facts_have_equal_schedules(name: str) -> None:
    """The name of a CPU, and what it can do beyond what kernels of f32 need, decide nothing."""
    choose = _chooser(name)
    for cpu in _CPUS:
        machine = resolve_target(cpu)
        nameless = replace(
            machine, name="some", cpu="some", base="some", features=("fma",) * machine.fma, cores=3, frequency_mhz=1000
        )
        nameless = replace(nameless, threading=replace(machine.threading, wake_ns=1))
        assert choose(nameless) == choose(machine), cpu


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("matmul", 8),
        ("few rows", 7),
        ("convolution", 6),
        ("depthwise", 4),
        ("softmax", 6),
        ("short softmax", 7),
        ("column sum", 5),
        ("transpose", 3),
    ],
)
def test_cpus_with_other_facts_have_other_schedules(name: str, kinds: int) -> None:
    """As many as there are kinds of CPUs for a kernel: transpositions ask for lanes only, products for most facts."""
    chosen: dict[str, list[Machine]] = {}
    for cpu in _CPUS:
        chosen.setdefault(_chooser(name)(resolve_target(cpu)), []).append(resolve_target(cpu))
    assert len(chosen) >= kinds
    for machines in chosen.values():
        assert len({machine.vector_bits for machine in machines}) == 1


def test_ten_cpus_and_a_product() -> None:
    """Registers and lanes, late results, loads per cycle, whose L2 holds the result: tiles of the CPUs of the table."""
    found = {cpu: _shape(_chooser("matmul")(resolve_target(cpu))) for cpu in _CPUS}
    lanes = {cpu: resolve_target(cpu).lanes(32) for cpu in _CPUS}
    tiles = {cpu: (shape.rows, shape.columns // lanes[cpu], "prefetch" in shape.rest) for cpu, shape in found.items()}
    expected = {
        "x86-64-v2": (2, 6, True),
        "haswell": (4, 3, True),
        "znver1": (3, 4, True),
        "znver3": (4, 3, True),
        "skylake-avx512": (5, 5, True),
        "sapphirerapids": (5, 5, False),
        "cortex-a55": (6, 4, True),
        "cortex-a72": (4, 6, True),
        "cortex-a76": (6, 4, True),
        "neoverse-n1": (6, 4, True),
        "neoverse-v1": (4, 6, True),
        "apple-m1": (4, 6, False),
    }
    assert {cpu: tiles[cpu] for cpu in expected} == expected


_WIDE, _NARROW, _ARM = "skylake-avx512", "x86-64-v3", "neoverse-n1"


@pytest.mark.parametrize(
    ("name", "base", "facts", "moved"),
    [
        # The number of registers: tiles, and windows.
        ("matmul", _WIDE, {"vector_registers": 16}, {"columns", "rows"}),
        ("matmul", _NARROW, {"vector_registers": 32}, {"columns", "rows"}),
        ("convolution", _ARM, {"vector_registers": 16}, {"columns"}),
        ("depthwise", _WIDE, {"vector_registers": 8}, {"below"}),
        ("softmax", _WIDE, {"vector_registers": 16}, set[str]()),
        ("transpose", _WIDE, {"vector_registers": 16}, set[str]()),
        # Late results: more multiply-adds in a tile, several results per accumulator, rows that do not wait.
        ("matmul", _WIDE, {"fma_latency": 12}, {"columns", "rows"}),
        ("few rows", _WIDE, {"fma_latency": 12}, {"parts"}),
        ("few rows", _WIDE, {"fma_units": 4}, {"parts"}),
        ("depthwise", _WIDE, {"fma_latency": 12}, set[str]()),
        ("transpose", _WIDE, {"fma_latency": 12}, set[str]()),
        ("softmax", _WIDE, {"add_latency": 8}, {"parts"}),
        ("softmax", _WIDE, {"adds": 1}, {"parts"}),
        ("matmul", _WIDE, {"add_latency": 8}, set[str]()),
        # Loads: a tile of fewer rows and more columns, or the other way round.
        ("matmul", _WIDE, {"loads": 1}, {"columns", "rows"}),
        ("matmul", _WIDE, {"l2_loads": 0.25}, {"columns", "rows"}),
        ("depthwise", _NARROW, {"loads": 1}, {"rows"}),
        ("transpose", _WIDE, {"loads": 1}, set[str]()),
        # Lines and sets of the first cache.
        ("column sum", _WIDE, {"l1_ways": 16}, {"rows"}),
        ("column sum", _WIDE, {"set_period": 8192}, {"columns"}),
        ("matmul", _WIDE, {"set_period": 8192}, set[str]()),
    ],
)
def test_one_fact_moves_its_part(name: str, base: str, facts: dict[str, Any], moved: set[str]) -> None:
    machine = resolve_target(base)
    before, after = (_shape(_chooser(name)(m)) for m in (machine, _with(machine, facts)))
    numbers = ("lanes", "columns", "rows", "below", "parts")
    assert {number for number in numbers if getattr(before, number) != getattr(after, number)} >= moved
    if not moved:
        assert before == after


@pytest.mark.parametrize("name", _MODELS)
@pytest.mark.parametrize("bits", [128, 256, 512])
def test_vectors_are_registers_or_whole_rows(name: str, bits: int) -> None:
    machine = replace(resolve_target(_WIDE), vector_bits=bits)
    shape = _shape(_chooser(name)(machine))
    assert shape.lanes % (bits // 32) == 0
    assert shape.lanes in (bits // 32, shape.columns)


def test_late_multiply_adds_fill_tiles() -> None:
    """A tile has at least as many multiply-adds as are in flight, where registers allow it."""
    for latency in (2, 4, 8, 12):
        machine = resolve_target(_WIDE).with_facts({"fma_latency": latency}, {})
        shape = _shape(_chooser("matmul")(machine))
        assert shape.rows * shape.columns // machine.lanes(32) >= 2 * latency


def test_a_first_cache_that_holds_a_panel_lets_few_rows_read_it() -> None:
    """Where little arrives from the second cache, only a panel in the first one can be read by few rows."""
    machine = resolve_target(_NARROW).with_facts({"l2_loads": 0.25}, {})
    small, large = (machine.with_facts({"l1_bytes": size}, {}) for size in (16 << 10, 256 << 10))
    few, many = (_shape(_chooser("matmul")(m)) for m in (large, small))
    assert few.rows < 8 <= many.rows  # two multiply-adds and a quarter of a load per cycle
    assert 256 * few.columns * 4 <= (256 << 10) // 2


def test_the_second_cache_decides_what_is_asked_for_early() -> None:
    machine = resolve_target(_WIDE)
    result = 512 * 1024 * 4
    small, large = (machine.with_facts({"l2_bytes": size}, {}) for size in (result - 1, result))
    choose = _chooser("matmul")
    assert choose(small).replace(", prefetch(k)", "") == choose(large)
    assert choose(small) != choose(large)


@pytest.mark.parametrize(
    ("facts", "is_brought"),
    [
        # 4 MiB of weights are in the last cache, or beyond it. A step of 5 x 5 vectors takes 12.5 cycles, and 320 B.
        ({"l3_read": 8}, True),
        ({"l3_read": 32}, False),
        ({"l3_read": 32, "l3_bytes": 3 << 20, "memory_read": 8}, True),
        ({"l3_read": 8, "l3_bytes": 3 << 20, "memory_read": 32}, False),
        # A panel takes 320 KiB, and what is read of rows meanwhile 40 KiB.
        ({"l3_read": 8, "l2_bytes": 700 << 10}, True),
        ({"l3_read": 8, "l2_bytes": 660 << 10}, False),
        # The second cache has all weights.
        ({"l3_read": 8, "l2_bytes": 4 << 20}, False),
        # Loads take as long as multiply-adds: one more is in the way.
        ({"l3_read": 8, "loads": 1, "fma_units": 2, "vector_registers": 16}, False),
    ],
)
def test_panels_that_come_late_are_brought_by_the_rows_before(facts: dict[str, Any], is_brought: bool) -> None:
    machine = resolve_target(_WIDE).with_facts({"l2_bytes": 1 << 20, "l3_bytes": 8 << 20}, {})
    assert ("prefetch_next(k, n, 2)" in _chooser("product with weights")(_with(machine, facts))) == is_brought
    assert "prefetch_next" not in _chooser("one tile")(_with(machine, facts))


def test_the_second_cache_decides_how_columns_are_added() -> None:
    machine = resolve_target(_WIDE)
    operand = 1024 * 512 * 4
    small, large = (machine.with_facts({"l2_bytes": size}, {}) for size in (operand - 1, operand))
    choose = _chooser("column sum")
    assert "cache_write(k, ni)" in choose(small)
    assert "cache_write" not in choose(large)


def test_the_second_cache_and_late_results_keep_short_rows_apart() -> None:
    machine = resolve_target(_NARROW)
    choose = _chooser("short softmax")
    assert "fuse(m)" in choose(machine)
    late = machine.with_facts({"fma_latency": 8}, {})
    assert "fuse(m)" not in choose(late)
    assert "fuse(m)" not in choose(machine.with_facts({"l1_latency": 8}, {}))
    assert "fuse(m)" in choose(late.with_facts({"l2_bytes": 16 << 10}, {}))


def test_blocks_of_windows_stay_in_the_first_cache() -> None:
    """6 x 1 results, of 64 channels, take 24 pixels and 9 weights, 39 places in all; 4 x 1 take 31, and 2 x 1 take 23.

    Where nothing is left for the next block, each reads all of its own, and those of 4 x 4 read least.
    """
    machine = resolve_target(_WIDE)
    for places, below, beside in ((39, 6, 0), (38, 4, 0), (31, 4, 0), (30, 3, 0), (27, 3, 0), (26, 2, 0), (22, 4, 4)):
        held = _shape(_chooser("depthwise")(machine.with_facts({"l1_bytes": places * 64 * 4}, {})))
        assert (held.below, held.rows) == (below, beside)


def test_far_rows_are_taken_in_blocks() -> None:
    """The rows of the product take 512 KB, a KB each: more than a quarter of a last cache of 1792 KB."""

    def chosen(l2: int, l3: int, arriving: float) -> _Shape:
        facts = {"l2_bytes": l2 << 10, "l3_bytes": l3 << 10, "l3_read": arriving}
        return _shape(_chooser("matmul")(resolve_target(_ARM).with_facts(facts, {})))

    assert chosen(128, 2048, 64.0).below == 0
    assert chosen(512, 1792, 64.0).below == 0
    shapes = [chosen(*facts) for facts in ((128, 1792, 64.0), (160, 1792, 64.0), (128, 1792, 16.0), (128, 1792, 2.0))]
    assert all(shape.below % shape.rows == 0 for shape in shapes)
    # Half of the second cache, or as many as make panels that come slowly little time, to an eighth of the last cache.
    assert [shape.below for shape in shapes] == [66, 90, 174, 258]


def test_blocks_of_a_transposition_are_lines() -> None:
    machine = resolve_target(_ARM)
    for size in (64, 128):
        shape = _shape(_chooser("transpose")(machine.with_facts({"line_bytes": size}, {})))
        assert shape.rows == shape.columns == size // 4
