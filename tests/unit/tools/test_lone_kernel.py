"""Kernels and models that are called alone, and their times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from xdsl.dialects.func import FuncOp

from mlc.api import compile as compile_model
from mlc.compiler.compilation import new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ForOp
from mlc.schedules.lone_kernel import lone_kernel
from mlc.tuning.measure import shortest_time
from mlc.tuning.stopwatch import Stopwatch, repeat_body

from .programs import KERNEL, parse_kernel


def test_threads_are_timed_together() -> None:
    model = compile_model(
        "func.func @main(%x: tensor<300000xf32>) -> tensor<300000xf32> {\n"
        "  %0 = graph.exp %x : tensor<300000xf32>\n  return %0 : tensor<300000xf32>\n}"
    )
    inputs = [np.ones(300_000, np.float32)]
    assert shortest_time(model, inputs, 3, threads=2) > 0.3 * shortest_time(model, inputs, 3)


def test_a_lone_kernel_keeps_its_constants() -> None:
    module, kernel = parse_kernel(KERNEL)
    alone = lone_kernel(module, kernel)
    alone.verify()
    main = alone.body.block.last_op
    assert isinstance(main, FuncOp)
    assert [a.name_hint for a in main.args] == ["x"]
    names = [op.name for op in main.body.block.ops]
    assert names == ["arith.constant", "tensor.expand_shape", "func.call", "func.return"]


def test_small_models_run_several_times_per_call() -> None:
    module = parse_verified(
        "func.func @main(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {\n"
        '  loop.for parallel "n" %n = 0 to 4 {\n'
        "    %a = loop.load %x[%n] : memref<4xf32>\n    loop.store %a, %y[%n] : memref<4xf32>\n  }\n  return\n}",
        "test.mlir",
        new_context(),
        Path(),
    )
    repeat_body(module, 7)
    module.verify()
    main = module.body.block.first_op
    assert isinstance(main, FuncOp)
    assert [op.name for op in main.body.block.ops] == ["loop.for", "func.return"]
    loop = main.body.block.first_op
    assert isinstance(loop, ForOp)
    assert (len(loop.range), [op.name for op in loop.body.block.ops]) == (7, ["loop.for", "loop.yield"])


def test_a_model_is_measured_as_it_is() -> None:
    """The time of one call, however many are made at once; and measuring leaves the model alone."""
    module, _ = parse_kernel(KERNEL)
    before = str(module)
    watch = Stopwatch(module, new_context(), CompileOptions())
    first = watch.measured.shortest
    watch.measure(0.01)
    assert 1e-8 < watch.measured.shortest <= first < 1e-2
    assert str(module) == before
