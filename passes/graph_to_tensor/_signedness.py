"""Integers lose their sign: below the graph level it is ops that say how they read bits, as it is in machines.

While patterns run, the elements of `tensor<4xui8>` are scalars of type `ui8`, and `Points` asks that type whether to
write `arith.maxui` or `arith.maxsi`. Then all types become signless. Whoever calls a function still has to know: its
arguments and results of unsigned integers are marked `mlc.unsigned`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import Rewriter

from mlc.support.dtypes import is_unsigned, signless
from mlc.support.functions import UNSIGNED
from mlc.support.types import Tensor, element_type


def mark_unsigned(function: FuncOp) -> None:
    """Note at the arguments and results of a function which of them are unsigned integers."""
    for field, types in (("arg_attrs", function.function_type.inputs), ("res_attrs", function.function_type.outputs)):
        if any(is_unsigned(element_type(t)) for t in types):
            given = cast("ArrayAttr[DictionaryAttr] | None", function.properties.get(field))
            function.properties[field] = ArrayAttr(_marked(types.data, given))


def _marked(types: Sequence[Attribute], given: ArrayAttr[DictionaryAttr] | None) -> list[DictionaryAttr]:
    marks = given or [DictionaryAttr({}) for _ in types]
    return [
        DictionaryAttr({**own.data, UNSIGNED: UnitAttr()}) if is_unsigned(element_type(t)) else own
        for t, own in zip(types, marks, strict=True)
    ]


def erase_signedness(root: Operation) -> None:
    """Make all integers in `root` signless; ops have been chosen for what they were."""
    for op in root.walk():
        arguments = [a for region in op.regions for block in region.blocks for a in block.args]
        for value in (*op.results, *arguments):
            if (kind := _signless_type(value.type)) is not value.type:
                Rewriter.replace_value_with_new_type(value, kind)
        for name, attribute in op.properties.items():
            if (new := _signless_attribute(attribute)) is not attribute:
                op.properties[name] = new


def _signless_type(kind: Attribute) -> Attribute:
    if is_unsigned(kind):
        return signless(kind)
    if is_unsigned(element := element_type(kind)) and isinstance(kind, TensorType):
        return TensorType(signless(element), cast(Tensor, kind).get_shape())
    return kind


def _signless_attribute(attribute: Attribute) -> Attribute:
    match attribute:
        case IntegerAttr() if is_unsigned(attribute.type):
            return _signless_number(attribute.value.data, signless(attribute.type))
        case DenseIntOrFPElementsAttr():
            dense = cast(DenseIntOrFPElementsAttr[Any], attribute)
            kind = _signless_type(dense.type)
            return attribute if kind is dense.type else DenseIntOrFPElementsAttr(cast(Any, kind), dense.data)
        case DenseResourceAttr():
            kind = cast(Any, _signless_type(attribute.type))
            return attribute if kind is attribute.type else DenseResourceAttr(attribute.resource_handle, kind)
        case FunctionType():
            inputs, outputs = ([_signless_type(t) for t in side] for side in (attribute.inputs, attribute.outputs))
            return FunctionType.from_lists(inputs, outputs)
        case _:
            return attribute


def _signless_number(value: int, kind: IntegerType[int]) -> IntegerAttr[Any]:
    """The number of the same bits; MLIR writes it with a sign."""
    half = 1 << (kind.width.data - 1)
    return IntegerAttr((value + half) % (2 * half) - half, kind)
