"""No message shows how Python or xDSL writes a class, a constraint or an attribute."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneType,
    StringAttr,
    TensorType,
    UnitAttr,
    VectorType,
    f64,
    i32,
)
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation

from mlc.compiler.compilation import new_context
from mlc.support.errors import UserError, UserErrors
from mlc.syntax import verify_module
from mlc.syntax.mismatches import explain_parsing

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_REPR = re.compile(
    r"<class|Constraint|BaseAttr|AnyOf|Error:|object at 0x|\('|subclassing|[A-Z]\w+Attr\b|(Tensor|Integer|Shaped)Type\b"
)
_VALUES = (
    StringAttr("x"),
    i32,
    ArrayAttr([StringAttr("y")]),
    UnitAttr(),
    IntegerAttr(3, 32),
    TensorType(f64, [2]),
)
_TYPES = (NoneType(), i32, TensorType(f64, [2, 3]), VectorType(i32, [4]), MemRefType(f64, [2]))


def _messages(op: type[IRDLOperation]) -> Iterator[str]:
    """What verifiers say to an op of wrong types, properties and attributes."""
    definition = op.get_irdl_definition()
    for i, value in enumerate(_VALUES):
        types = [_TYPES[(i + j) % len(_TYPES)] for j in range(len(definition.operands))]
        results = [_TYPES[(2 * i + j) % len(_TYPES)] for j in range(len(definition.results))]
        wrong: Operation = op.create(
            operands=TestOp.create(result_types=types).results,
            result_types=results,
            properties=dict.fromkeys(definition.properties, value),
            attributes=dict.fromkeys(definition.attributes, value),
        )
        try:
            verify_module(ModuleOp([wrong]))
        except UserError as e:
            yield from (each.message for each in (e.errors if isinstance(e, UserErrors) else (e,)))


def _of_dialect(name: str) -> list[str]:
    return [
        message
        for op in new_context("native").get_dialect(name).operations
        if issubclass(op, IRDLOperation) and not inspect.isabstract(op)
        for message in _messages(op)
    ]


_QUICK = ("arith", "asm", "check", "memref", "ml_program", "tensor", "tosa")
_MORE = sorted({*new_context("native").registered_dialect_names} - {*_QUICK, "aten", "builtin", "onnx", "pdl_interp"})
"""`pdl_interp` of xDSL has a message of its own that names classes."""


@pytest.mark.parametrize("dialect", [*_QUICK, *(pytest.param(each, marks=pytest.mark.slow) for each in _MORE)])
def test_no_verifier_shows_classes(dialect: str) -> None:
    assert [message for message in _of_dialect(dialect) if _REPR.search(message)] == []


@pytest.mark.parametrize(
    ("dialect", "message"),
    [
        ("asm", "'asm.from_reg': operand 'register' is of type i32; required: a register type"),
        ("stablehlo", 'stablehlo.constant: the value is "x"; it has to be dense data (constant_c1)'),
        ("ml_program", """'ml_program.global': property 'type' is "x"; required: a type"""),
        ("check", 'check.expect_eq_const: the expected value is "x"; it has to be dense data'),
    ],
)
def test_verifiers_say_what_is_required(dialect: str, message: str) -> None:
    assert any(message in each for each in _of_dialect(dialect))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"sdy.mesh"() <{sym_name = "x", mesh = i32}> : () -> ()', "property 'mesh' is i32; required: #sdy.mesh<...>"),
        (
            '%x = "t.x"() : () -> tensor<2x3xi32>\n%y = "tensor.collapse_shape"(%x) <{reassociation = ["y"]}>'
            ": (tensor<2x3xi32>) -> tensor<6xi32>",
            """'reassociation' is ["y"]; required: a list, such as [1, 2], instead of a string, such as "x\"""",
        ),
    ],
)
def test_values_of_properties_in_words(text: str, message: str, mlc_opt: CommandLine) -> None:
    assert message in mlc_opt("--allow-unregistered-dialect", stdin=text).err


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("3 should be of base attribute string", 'found 3; required: a string, such as "x"'),
        (
            "parameter 'a' does not verify: 3 should be of attribute subclassing `ShapedType`",
            "parameter 'a' is 3; required: a shaped type",
        ),
        ("parameter 'a' does not verify:\n3 should be of base attribute x.z", "parameter 'a' is 3; required: !x.z"),
    ],
)
def test_parameters_in_words(message: str, words: str) -> None:
    assert explain_parsing(message) == words


def test_nothing_is_lost_of_other_messages() -> None:
    attribute: Attribute = StringAttr("x")
    assert explain_parsing(f"{attribute} is not right") == '"x" is not right'
