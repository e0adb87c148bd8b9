"""Dequantisation that is spelled out as casts, a subtraction and a product, as frameworks take it apart."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import QUANTIZED, CastOp, DequantizeOp, MulOp, SubOp
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.passes.graph._constants import constant_from
from mlc.passes.graph._integer_factors import known_array
from mlc.support.dtypes import least_of, most_of, to_numpy
from mlc.support.ir import erase_unused
from mlc.support.resources import Resources


def raise_dequantize(module: ModuleOp, resources: Resources) -> None:
    """Let `(f32(q) - f32(z)) * s` be `graph.dequantize`.

    Proof: integers of up to 16 bits and their differences are exact in f32, so that both round once, in the product,
    and a difference of 0 is +0.
    """
    for op in list(module.walk()):
        if not isinstance(op, MulOp) or element_of(op.result) != f32 or not is_static(op.result.type):
            continue
        for centred, scale in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            parts = _parts(centred, resources)
            if parts is None or not shape_of(op.result) == shape_of(centred) == shape_of(parts[0]):
                continue
            if prod(shape_of(scale)) < prod(shape_of(centred)):
                new = DequantizeOp(parts[0], scale, parts[1])
                new.location, new.result.name_hint = op.location, op.result.name_hint
                Rewriter.insert_op(new, InsertPoint.before(op))
                op.result.replace_all_uses_with(new.result)
                Rewriter.erase_op(op)
                erase_unused(centred)
                break


def _parts(value: SSAValue, resources: Resources) -> tuple[SSAValue, SSAValue] | None:
    """The integers and the zero points, of the same type, that are subtracted; None if the value is something else."""
    op = value.owner
    if not isinstance(op, SubOp) or (integers := _integers(op.lhs)) is None:
        return None
    if (zeros := _integers(op.rhs)) is not None:
        return (integers, zeros) if element_of(zeros) == element_of(integers) else None
    known, element = known_array(op.rhs, resources), element_of(integers)
    if known is None or not (known == np.rint(known)).all():
        return None
    if known.size and not least_of(element) <= known.min() <= known.max() <= most_of(element):
        return None
    constant = constant_from(known.astype(to_numpy(element)), tensor(known.shape, element), resources, "zero_point")
    constant.location = op.location
    Rewriter.insert_op(constant, InsertPoint.before(op))
    return integers, constant.result


def _integers(value: SSAValue) -> SSAValue | None:
    """Quantised numbers of up to 16 bits that a value is in f32."""
    op = value.owner
    is_short = isinstance(op, CastOp) and element_of(op.input) in QUANTIZED and element_of(op.input) != i32
    return op.input if is_short and isinstance(op, CastOp) else None
