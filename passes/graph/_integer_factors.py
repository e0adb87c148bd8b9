"""Factors of products of quantised numbers: integers, their zero point, and their scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, i8, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import CastOp, ConstantOp, DequantizeOp, GraphOp, MaxPoolOp, MoveOp, QuantizeOp, SubOp
from mlc.dialects.graph.types import element_of, shape_of, tensor
from mlc.dialects.loop.dot import ui8
from mlc.passes.graph._constants import constant_array, constant_from
from mlc.reference.folding import computed
from mlc.support.dtypes import least_of, most_of
from mlc.support.resources import Resources

Array = NDArray[Any]
_SHORT = (i8, ui8)
LARGEST_DIFFERENCE = 255
"""By how much two integers of 8 bits of one type differ at most."""
_MOST_NESTED = 8
"""How many ops a constant may be computed by."""


@dataclass(frozen=True)
class Factor:
    """A tensor that is `(quantized - zero point) * scale`."""

    quantized: SSAValue
    """Of i8 or ui8."""
    zero_point: SSAValue | None
    """Of the same type or of i32, which broadcasts with it; None for 0."""
    scale: SSAValue | None
    """Of f32; None for 1."""


@dataclass(frozen=True)
class IntegerWeights:
    """A constant factor, as integers without a zero point."""

    integers: Array
    """Of i8 if they fit in it, else of i16: what two integers of 8 bits differ by."""
    scale: Array | None
    """Of f32, which broadcasts with the integers; None for 1."""

    @property
    def is_short(self) -> bool:
        """Whether the integers are of i8."""
        return self.integers.dtype == np.int8


def factor_of(value: SSAValue) -> Factor | None:
    """A value as quantised numbers of 8 bits; None if it is something else."""
    owner = value.owner
    if isinstance(owner, DequantizeOp):
        is_plain = element_of(owner.scale) == f32 and shape_of(owner.result) == shape_of(owner.input)
        if element_of(owner.input) not in _SHORT or not is_plain:
            return None
        return Factor(owner.input, owner.zero_point, owner.scale)
    if element_of(value) != i32:
        return None
    if isinstance(owner, CastOp) and element_of(owner.input) in _SHORT:
        return Factor(owner.input, None, None)
    if not isinstance(owner, SubOp) or not isinstance(wide := owner.lhs.owner, CastOp):
        return None
    is_short = element_of(wide.input) in _SHORT and shape_of(owner.result) == shape_of(owner.lhs)
    return Factor(wide.input, owner.rhs, None) if is_short else None


def weights_of(value: SSAValue, resources: Resources) -> IntegerWeights | None:
    """A constant as integers of 8 bits less a zero point, with a scale; None if it is not that."""
    owner, scale = value.owner, None
    if isinstance(owner, DequantizeOp):
        parts = [known_array(v, resources) for v in owner.operands]
        if any(part is None for part in parts) or element_of(owner.scale) != f32:
            return None
        integers, scale, zero = (np.asarray(part) for part in parts)
        if integers.shape != shape_of(value) or integers.dtype.itemsize > 4:
            return None
        integers = integers.astype(np.int64) - zero.astype(np.int64)
    elif element_of(value) != i32 or (found := known_array(value, resources)) is None:
        return None
    else:
        integers = found
    if not integers.size or max(-integers.min(), integers.max()) > LARGEST_DIFFERENCE:
        return None
    is_short = integers.min() >= -128 and integers.max() <= 127
    return IntegerWeights(integers.astype(np.int8 if is_short else np.int16), scale)


def is_difference(factor: Factor, resources: Resources) -> bool:
    """Whether the quantised numbers less their zero point are at most `LARGEST_DIFFERENCE` from 0."""
    zero, element = factor.zero_point, element_of(factor.quantized)
    if zero is None:
        return True
    source = zero.owner.input if isinstance(zero.owner, CastOp) else zero
    if element_of(source) == element:
        return True
    known = known_array(zero, resources)
    return known is not None and bool(least_of(element) <= known.min() and known.max() <= most_of(element))


def known_array(value: SSAValue, resources: Resources, most: int = _MOST_NESTED) -> Array | None:
    """The data of what is computed from constants by a few ops; None for other values."""
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return constant_array(owner, resources)
    is_simple = isinstance(owner, GraphOp) and (owner.MAPS or isinstance(owner, MoveOp))
    if not is_simple or not isinstance(owner, GraphOp) or not most:
        return None
    arrays = [known_array(v, resources, most - 1) for v in owner.operands]
    known = [a for a in arrays if a is not None]
    return computed(owner, known) if len(known) == len(arrays) else None


def quantize_to(op: QuantizeOp, element: Attribute, resources: Resources) -> None:
    """Let an op quantise to `element`, ui8 instead of i8 or the other way round, with a zero point 128 off.

    Only if the zero point is known, and all that reads the result moves elements, takes the largest of them, or
    dequantises them.
    """
    zero = known_array(op.zero_point, resources)
    readers = _readers(op.result)
    if zero is None or readers is None:
        return
    by = 128 if element == ui8 else -128
    shifted = (zero.astype(np.int32) + by).astype(np.uint8 if element == ui8 else np.int8)
    kind = tensor(shape_of(op.zero_point), element)
    constant = constant_from(shifted, kind, resources, op.zero_point.name_hint or "zero_point")
    constant.location = op.location
    Rewriter.insert_op(constant, InsertPoint.before(op))
    op.operands[2] = constant.result
    Rewriter.replace_value_with_new_type(op.result, tensor(shape_of(op.result), element))
    for reader in readers:
        if not isinstance(reader, DequantizeOp):
            Rewriter.replace_value_with_new_type(reader.result, tensor(shape_of(reader.result), element))
            continue
        own = known_array(reader.zero_point, resources)
        assert own is not None
        moved = (own.astype(np.int32) + by).astype(shifted.dtype)
        new = constant_from(moved, tensor(moved.shape, element), resources, reader.zero_point.name_hint or "zero_point")
        new.location = reader.location
        Rewriter.insert_op(new, InsertPoint.before(reader))
        reader.operands[2] = new.result


def _readers(value: SSAValue) -> list[GraphOp] | None:
    """All that reads quantised numbers, also after moves; None if one of them wants to know what they are."""
    found: list[GraphOp] = []
    for use in value.uses:
        reader = use.operation
        if isinstance(reader, DequantizeOp):
            if use.index or not isinstance(reader.zero_point.owner, ConstantOp):
                return None
            found.append(reader)
        elif isinstance(reader, MoveOp | MaxPoolOp) and (behind := _readers(reader.result)) is not None:
            found += [reader, *behind]
        else:
            return None
    return found
