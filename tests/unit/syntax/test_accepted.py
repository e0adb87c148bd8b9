"""An op like one that verifies is not looked at again, but for what its class verifies besides."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.arith import AddfOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, f32, f64, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, OpDef, irdl_op_definition, operand_def, opt_prop_def, prop_def, traits_def
from xdsl.traits import HasParent
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.loop import LoadOp, StoreOp
from mlc.syntax.accepted import AcceptedOps, _constraints_of  # pyright: ignore[reportPrivateUsage]

FOUR, FIVE = IntegerAttr(4, i32), IntegerAttr(5, i32)


@irdl_op_definition
class OddOp(IRDLOperation):
    """Has a verifier of its own, that looks at what no constraint sees."""

    name = "accepted.odd"
    x = operand_def(f32)
    base = opt_prop_def(IntegerAttr)
    exact = prop_def(FOUR)

    def verify_(self) -> None:
        if self.x.name_hint == "bad":
            raise VerifyException("a bad name")


@irdl_op_definition
class InModuleOp(IRDLOperation):
    name = "accepted.in_module"
    traits = traits_def(HasParent(ModuleOp))


def _value(kind: Attribute = f32, name: str | None = None) -> SSAValue:
    value = test.TestOp(result_types=[kind]).results[0]
    value.name_hint = name
    return value


def _odd(x: SSAValue, **properties: Attribute) -> OddOp:
    return OddOp.create(operands=[x], properties={"exact": FOUR, **properties})


def _sum(*operands: SSAValue, result: Attribute = f32) -> AddfOp:
    flags = AddfOp(_value(), _value()).properties
    return AddfOp.create(operands=operands, result_types=[result], properties=dict(flags))


def test_one_of_many_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    x, ops, looked_at = _value(), AcceptedOps(), list[Operation]()
    verify = OpDef.verify

    def counting(definition: OpDef, op: Operation) -> None:
        looked_at.append(op)
        verify(definition, op)

    monkeypatch.setattr(OpDef, "verify", counting)
    for _ in range(9):
        ops.verify(_sum(x, x))
    assert len(looked_at) == 1


def test_other_types_and_counts_are_looked_at() -> None:
    x, y, ops = _value(), _value(f64), AcceptedOps()
    for _ in range(2):
        ops.verify(_sum(x, x))
    for wrong in (_sum(x, y), _sum(x, x, result=f64), _sum(x), _sum(x, x, x)):
        with pytest.raises(VerifyException):
            ops.verify(wrong)


def test_properties_and_attributes_are_looked_at() -> None:
    x, ops = _value(), AcceptedOps()
    ops.verify(_odd(x))
    ops.verify(_odd(x, base=FOUR))
    ops.verify(_odd(x, base=FIVE))  # as its constraint asks for the class
    for wrong in ({"base": i32}, {"exact": FIVE}, {"other": FOUR}):
        with pytest.raises(VerifyException):
            ops.verify(_odd(x, **wrong))


def test_what_a_class_verifies_is_asked_each_time() -> None:
    ops = AcceptedOps()
    ops.verify(_odd(_value()))
    with pytest.raises(VerifyException, match="a bad name"):
        ops.verify(_odd(_value(name="bad")))


def test_what_traits_verify_is_asked_each_time() -> None:
    inside, outside, ops = InModuleOp(), InModuleOp(), AcceptedOps()
    ModuleOp([inside])
    test.TestOp(regions=[Region(Block([outside]))])
    ops.verify(inside)
    with pytest.raises(VerifyException, match="module"):
        ops.verify(outside)


def test_a_wrong_op_is_wrong_again() -> None:
    ops = AcceptedOps()
    for _ in range(2):
        with pytest.raises(VerifyException):
            ops.verify(_sum(_value(), _value(f64)))


@pytest.mark.parametrize("kind", [LoadOp, StoreOp, AddfOp, OddOp])
def test_xdsl_still_makes_verifiers_of_two_parts(kind: type[Operation]) -> None:
    """Else all would be right, and slower."""
    found = _constraints_of(kind)
    assert found is not None
    assert (found.verifier is not None) == (kind is not AddfOp)
