"""Whether networks would keep more threads busy than there are here: the estimate can be asked of any number."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.func import CallOp

from mlc.analysis.nests import functions_with_loops
from mlc.benchmarks.engines import saved_source
from mlc.benchmarks.suite import cases_by_family
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.schedules.cost.estimate import estimate
from mlc.targets.machine import resolve_target

_TARGET = "x86-64-v4"
_CASES = {case.name: case for _, case in cases_by_family()}


@pytest.mark.parametrize(
    ("name", "threads", "least"),
    [
        ("bottleneck", 2, 0.98),
        ("bottleneck", 8, 0.95),
        ("bert-encoder-layer", 2, 0.97),
        ("bert-encoder-layer", 8, 0.84),
        ("llama-decoder-layer", 8, 0.8),
        pytest.param("resnet-50", 8, 0.9, marks=pytest.mark.slow),
    ],
)
def test_threads_work_most_of_the_time(name: str, threads: int, least: float, tmp_path: Path) -> None:
    ctx = new_context(_TARGET)
    module = parse_verified(saved_source(_CASES[name], tmp_path), name, ctx, tmp_path)
    options = CompileOptions(target=_TARGET, threads=threads, records="")
    compilation = Compilation(module, ctx, options, PassManager(ctx))
    compilation.lower("loop")
    calls = Counter(op.callee.string_value() for op in compilation.module.walk() if isinstance(op, CallOp))
    machine = replace(resolve_target(_TARGET), cores=threads)
    alone = shared = 0.0
    for function in functions_with_loops(compilation.module):
        times = calls[function.sym_name.data]
        alone += times * estimate(function, machine, 1).cycles
        shared += times * estimate(function, machine, threads).cycles
    assert alone / threads / shared >= least
