"""Integers lose their sign: below the graph level it is ops that say how they read bits, as it is in machines.

While patterns run, the elements of `tensor<4xui8>` are scalars of type `ui8`, and `Points` asks that type whether to
write `arith.maxui` or `arith.maxsi`. Then all types become signless. Whoever calls a function still has to know: its
arguments and results of unsigned integers are marked `mlc.unsigned`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlc.passes.shared.element_types import replace_element_types
from mlc.support.dtypes import INTEGERS, is_unsigned, signless
from mlc.support.functions import UNSIGNED
from mlc.support.types import element_type

_SIGNLESS = {t: signless(t) for t in INTEGERS if is_unsigned(t)}


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
    replace_element_types(root, _SIGNLESS)
