"""The pass `shorten-scales`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f16, f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import CastOp, GatherOp, ScaledMatmulOp
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import folded_from
from mlc.passes.graph._integer_factors import known_array
from mlc.reference.folding import is_splat
from mlc.support.context import CompilerContext
from mlc.support.ir import erase_unused
from mlc.support.resources import Resources
from mlc.targets.machine import resolve_target

_SMALL = 1 << 14
"""Constants of up to this number of bytes are in a cache next to the core."""


@dataclass(frozen=True)
class ShortenScalesPass(Pass):
    """Store scales of short weights, and tables, as f16 where that is what they are.

    ```mlir
    %y = graph.scaled_matmul %x, %w, %s, %u
        : tensor<1x512xi8>, tensor<512x256xui8>, tensor<16x256xf32>, tensor<1x16xf32> -> tensor<1x256xf32>
    // after, where all numbers of %s are ones of f16
    %y = graph.scaled_matmul %x, %w, %t, %u
        : tensor<1x512xi8>, tensor<512x256xui8>, tensor<16x256xf16>, tensor<1x16xf32> -> tensor<1x256xf32>
    ```

    Formats of weights have scales of f16. A group of 32 weights of four bits takes 16 bytes, and its scale 4 or 2.
    Tables of which rows are read follow: one may be the scales of a product, transposed, and is stored once with these.
    No number changes. Products of floats keep f32, as they have no time to convert while weights come; and so do
    targets without an instruction for that.
    """

    name = "shorten-scales"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        products = [op for op in module.walk() if isinstance(op, ScaledMatmulOp) and op.lhs_scale is not None]
        if not products or not resolve_target(ctx.target).converts_f16:
            return
        found: dict[SSAValue, SSAValue | None] = {}

        def shortened(value: SSAValue) -> SSAValue | None:
            if value not in found:
                found[value] = _shortened(value, ctx.resources)
            return found[value]

        for op in products:
            if (short := shortened(op.scale)) is not None:
                op.operands[2] = short
        for op in [op for op in module.walk() if isinstance(op, GatherOp)]:
            if (short := shortened(op.data)) is not None:
                _read_short(op, short)
        for value in found:
            erase_unused(value)


def _shortened(value: SSAValue, resources: Resources) -> SSAValue | None:
    """A large constant as one of f16, behind it; None if it is none, or has other numbers."""
    if not isinstance(value.owner, Operation) or element_of(value) != f32 or not is_static(value.type):
        return None
    if 4 * prod(shape_of(value)) <= _SMALL:
        return None
    array = known_array(value, resources)
    if array is None or is_splat(array):
        return None
    with np.errstate(over="ignore"):
        short = array.astype(np.float16)
    if short.astype(np.float32).tobytes() != np.ascontiguousarray(array).tobytes():
        return None
    ops = folded_from(short, tensor(array.shape, f16), resources, f"{value.name_hint or 'scale'}.short")
    for each in ops:
        each.location = value.owner.location
    Rewriter.insert_op(ops, InsertPoint.after(value.owner))
    return ops[-1].results[0]


def _read_short(op: GatherOp, data: SSAValue) -> None:
    """Let rows be read of a table of f16, and widened."""
    rows = type(op).create(
        operands=[data, *op.operands[1:]],
        result_types=[tensor(shape_of(op.result), f16)],
        properties=dict(op.properties),
    )
    wide = CastOp(rows.result, f32)
    rows.location = wide.location = op.location
    Rewriter.insert_op([rows, wide], InsertPoint.before(op))
    op.result.replace_all_uses_with(wide.result)
    Rewriter.erase_op(op)
