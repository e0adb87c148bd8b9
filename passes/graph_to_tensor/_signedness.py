"""Integers lose their sign, and types of codes become bytes: below the graph level ops say how they read bits, as in
machines.

While patterns run, the elements of `tensor<4xui8>` are scalars of type `ui8`, and `Points` asks that type whether to
write `arith.maxui` or `arith.maxsi`. Then all types become signless. Whoever calls a function still has to know: its
arguments and results of unsigned integers are marked `mlc.unsigned`, and codes with their type,
`mlc.stored = f8E4M3FN`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    UnitAttr,
    i8,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlc.pass_manager.element_types import replace_element_types
from mlc.support import functions
from mlc.support.dtypes import INTEGERS, NAMES, STORED, is_unsigned, signless
from mlc.support.locations import error_at
from mlc.support.types import element_type

_BITS = {t: signless(t) for t in INTEGERS if is_unsigned(t)} | dict.fromkeys(STORED, i8)


def mark_elements(function: FuncOp) -> None:
    """Note at the arguments and results of a function which of them are unsigned integers, or codes."""
    for field, types in (("arg_attrs", function.function_type.inputs), ("res_attrs", function.function_type.outputs)):
        if any(element_type(t) in _BITS for t in types):
            given = cast("ArrayAttr[DictionaryAttr] | None", function.properties.get(field))
            function.properties[field] = ArrayAttr(_marked(types.data, given))


def _marked(types: Sequence[Attribute], given: ArrayAttr[DictionaryAttr] | None) -> list[DictionaryAttr]:
    marks = given or [DictionaryAttr({}) for _ in types]
    return [
        DictionaryAttr({**own.data, **_mark(element_type(t))}) if element_type(t) in _BITS else own
        for t, own in zip(types, marks, strict=True)
    ]


def _mark(element: Attribute) -> dict[str, Attribute]:
    return {functions.CODES: element} if element in STORED else {functions.UNSIGNED: UnitAttr()}


def require_no_arithmetic(root: Operation) -> None:
    """Check that nobody has written arithmetic on codes below the graph level.

    Raises:
        UserError: at the first op that has some.
    """
    for op in root.walk():
        if op.name.startswith(("arith.", "math.")) and not isinstance(op, arith.ConstantOp):
            for value in (*op.operands, *op.results):
                if (element := element_type(value.type)) in STORED:
                    raise error_at(
                        op,
                        f"'{op.name}' is about {element}, whose elements are codes at this level; mlc computes with "
                        f"{NAMES}",
                    )


def elements_as_bits(root: Operation) -> None:
    """Make all integers in `root` signless, and bytes of codes; ops have been chosen for what they were."""
    replace_element_types(root, _BITS)
