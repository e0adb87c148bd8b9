"""Schedules that mlc chose stay its own, whatever becomes of their kernels: a person is not warned of them."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects import func

from mlc.compiler import new_context, parse_verified
from mlc.passes.pipeline import default_passes

_MODEL = """
func.func @main(%x: tensor<4x32xf32>, %y: tensor<4x32xf32>, %w: tensor<32x64xf32>) -> tensor<4x128xf32> {
  %0 = graph.matmul %x, %w : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
  %1 = graph.matmul %y, %w : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
  %2 = graph.concat %0, %1 axis 1 : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x128xf32>
  return %2 : tensor<4x128xf32>
}
"""


def test_a_variant_of_a_kernel_has_the_schedule_of_the_rules() -> None:
    ctx = new_context("x86-64-v3")
    module = parse_verified(_MODEL, "model.mlir", ctx, Path())
    for pass_ in default_passes(3):
        if pass_.name == "apply-schedule":
            break
        pass_.run(module, ctx)
    scheduled = {
        f.sym_name.data: f.attributes["schedule"]
        for f in module.ops
        if isinstance(f, func.FuncOp) and "schedule" in f.attributes
    }
    assert len([name for name in scheduled if name.startswith("matmul")]) == 2, "each part is written elsewhere"
    assert set(scheduled.items()) <= ctx.rule_schedules
