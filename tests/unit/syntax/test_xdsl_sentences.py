"""Each sentence of xDSL that mlc reads to say it in other words: xDSL itself still says it like this.

xDSL raises a `VerifyException` or `ParseError` with a sentence and no fields, so that there is no other way. A version
of xDSL that words one of them otherwise fails here, and not in a message that nobody understands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import pytest
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType, StringAttr, UnitAttr, f32, i32, i64
from xdsl.dialects.test import TestOp
from xdsl.ir import Operation, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    MessageConstraint,
    ParametrizedAttribute,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    prop_def,
)
from xdsl.irdl.constraints import VarConstraint, VerificationContext
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, PyRDLError, VerifyException

from mlc.syntax import mismatches
from mlc.syntax.words import one_line


@irdl_op_definition
class _Typed(IRDLOperation):
    name = "s.typed"
    value = operand_def(i32)
    count = prop_def(IntegerAttr)


@irdl_attr_definition
class _Held(ParametrizedAttribute, TypeAttribute):
    name = "s.held"
    kind: IntegerType = param_def(BaseAttr(IntegerType))


def _value(of: Any) -> Any:
    return TestOp.create(result_types=[of]).results[0]


def _verified(op: Operation) -> None:
    op.verify_()


def _constrained(constraint: Any, value: Any) -> None:
    context = VerificationContext()
    constraint.verify(value, context)
    constraint.verify(i64, context)  # a second value of a variable


def _with_format(text: str) -> object:
    @irdl_op_definition
    class _(IRDLOperation):
        name = "s.undetermined"
        value = operand_def(AnyAttr())
        assembly_format = text

    return _


_count = IntegerAttr(1, 32)
_SAYS: dict[str, Callable[[], object]] = {
    "_WRONG_TYPE": lambda: _verified(_Typed.create(operands=[_value(i64)], properties={"count": _count})),
    "_VARIABLE": lambda: _constrained(VarConstraint("T", AnyAttr()), i32),
    "_OTHER": lambda: _constrained(EqAttrConstraint(i32), i64),
    "_BASE": lambda: _constrained(BaseAttr(StringAttr), i64),
    "_OF_CLASS": lambda: _constrained(BaseAttr(TypeAttribute), _count),
    "_NO_LIST": lambda: ArrayAttr.constr(BaseAttr(StringAttr)).verify(UnitAttr(), VerificationContext()),
    "_PARAMETER": lambda: _Held(cast(Any, f32)),
    "_UNEXPECTED": lambda: _constrained(AnyOf((BaseAttr(StringAttr), BaseAttr(ArrayAttr))), i64),
    "_UNDERLYING": lambda: _constrained(MessageConstraint(BaseAttr(StringAttr), "a name is needed."), i64),
    "_EXPECTED": lambda: Parser(Context(), "3").parse_str_literal(),
    "_MISSING": lambda: _verified(_Typed.create(operands=[_value(i32)])),
    "_UNKNOWN": lambda: _verified(_Typed.create(operands=[_value(i32)], properties={"count": _count, "other": _count})),
    "_NOT_INFERRED": lambda: _with_format("$value attr-dict"),
    "_LEFT_OUT": lambda: _with_format("attr-dict"),
    "_NO_SEGMENTS": lambda: memref.AllocOp.create(operands=[], result_types=[]).verify_(),
}


def _sentence(error: Exception) -> str:
    if isinstance(error, PyRDLError):  # what xDSL was doing; where it found what
        return error.args[1][1]
    return one_line(error.msg if isinstance(error, ParseError) else str(error))


def _patterns(module: Any) -> list[str]:
    names = cast("dict[str, object]", vars(module))
    return [name for name, value in names.items() if isinstance(value, re.Pattern)]


@pytest.mark.parametrize("name", _patterns(mismatches))
def test_xdsl_says(name: str) -> None:
    with pytest.raises((VerifyException, ParseError, PyRDLError)) as raised:
        _SAYS[name]()
    assert getattr(mismatches, name).fullmatch(_sentence(raised.value))
