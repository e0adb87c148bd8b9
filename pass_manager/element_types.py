"""Giving all values of some element types others of the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import Rewriter

from mlc.support.dtypes import to_numpy
from mlc.support.types import MemRef, Tensor, Vector, element_type, integer_width

Replacements = Mapping[Attribute, IntegerType]
"""From element types to signless integers of as many bytes."""
_WITH_TYPES = frozenset({IntegerAttr, FloatAttr, DenseIntOrFPElementsAttr, DenseResourceAttr, FunctionType})
"""The attributes that a type is part of."""


def replace_element_types(root: Operation, new: Replacements) -> None:
    """Retype all values and attributes in `root`; numbers keep their bits, and what ops make of them is not asked."""
    for op in root.walk():
        arguments = [a for region in op.regions for block in region.blocks for a in block.args]
        for value in (*op.results, *arguments):
            if (kind := replaced(value.type, new)) is not value.type:
                Rewriter.replace_value_with_new_type(value, kind)
        for name, attribute in op.properties.items():
            if type(attribute) in _WITH_TYPES and (other := _attribute(attribute, new)) is not attribute:
                op.properties[name] = other


def replaced(kind: Attribute, new: Replacements) -> Attribute:
    """The type with another element type, or the type itself if that stays."""
    element = new.get(element_type(kind))
    if element is None:
        return kind
    match kind:
        case TensorType():
            tensor = cast(Tensor, kind)
            return TensorType(element, tensor.get_shape(), tensor.encoding)
        case VectorType():
            vector = cast(Vector, kind)
            return VectorType(element, vector.get_shape(), vector.scalable_dims)
        case MemRefType():
            memref = cast(MemRef, kind)
            return MemRefType(element, memref.get_shape(), memref.layout, memref.memory_space)
        case _:
            return element


def _attribute(attribute: Attribute, new: Replacements) -> Attribute:
    match attribute:
        case IntegerAttr() | FloatAttr():
            number = cast("IntegerAttr[Any] | FloatAttr[Any]", attribute)
            element = new.get(number.type)
            return attribute if element is None else _number(number.value.data, number.type, element)
        case DenseIntOrFPElementsAttr():
            dense = cast(DenseIntOrFPElementsAttr[Any], attribute)
            kind = replaced(dense.type, new)
            if kind is dense.type:
                return attribute
            return DenseIntOrFPElementsAttr(cast(Any, kind), _codes(dense.data, dense.type.element_type))
        case DenseResourceAttr():
            kind = cast(Any, replaced(attribute.type, new))
            return attribute if kind is attribute.type else DenseResourceAttr(attribute.resource_handle, kind)
        case FunctionType():
            inputs, outputs = ([replaced(t, new) for t in side] for side in (attribute.inputs, attribute.outputs))
            return FunctionType.from_lists(inputs, outputs)
        case _:
            return attribute


def _codes(data: BytesAttr, element: Attribute) -> BytesAttr:
    """The data of elements; integers of less than a byte without copies of their sign."""
    width = integer_width(element) or 8
    return data if width >= 8 or element == i1 else BytesAttr(bytes(b & (1 << width) - 1 for b in data.data))


def _number(value: float, kind: Attribute, element: IntegerType) -> Attribute:
    """The integer of the same bits; MLIR writes it with a sign."""
    with np.errstate(over="ignore"):
        bits = np.asarray(value).astype(to_numpy(kind)).view(to_numpy(element))
    return IntegerAttr(int(bits), element)
