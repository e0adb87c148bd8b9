"""Intrinsics: arithmetic that LLVM knows as functions, and reductions of vectors.

All of them print as `llvm.intr.<name>(%a, %b) : (T, T) -> T`.
"""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
)
from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

_FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


class _FloatIntrinsic(IRDLOperation, ABC):
    """A pure function on floats, elementwise on vectors."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT


class FloatUnaryIntrinsic(_FloatIntrinsic, ABC):
    """One float to one of the same type."""

    input = operand_def(_FloatIntrinsic.T)
    res = result_def(_FloatIntrinsic.T)

    def __init__(self, input: Operation | SSAValue):
        super().__init__(operands=[input], result_types=[SSAValue.get(input).type])


@irdl_op_definition
class RoundEvenOp(FloatUnaryIntrinsic):
    """To the nearest integer, halves to the even one."""

    name = "llvm.intr.roundeven"


@irdl_op_definition
class RoundOp(FloatUnaryIntrinsic):
    """To the nearest integer, halves away from zero."""

    name = "llvm.intr.round"


@irdl_op_definition
class TruncateOp(FloatUnaryIntrinsic):
    """To the nearest integer towards zero (the float intrinsic; `llvm.trunc` narrows integers)."""

    name = "llvm.intr.trunc"


class FloatBinaryIntrinsic(_FloatIntrinsic, ABC):
    """Two floats to one of the same type."""

    lhs = operand_def(_FloatIntrinsic.T)
    rhs = operand_def(_FloatIntrinsic.T)
    res = result_def(_FloatIntrinsic.T)

    def __init__(self, lhs: Operation | SSAValue, rhs: Operation | SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])


@irdl_op_definition
class MaximumOp(FloatBinaryIntrinsic):
    """IEEE 754-2019 maximum: NaN if either operand is, and -0 < +0."""

    name = "llvm.intr.maximum"


@irdl_op_definition
class MinimumOp(FloatBinaryIntrinsic):
    """IEEE 754-2019 minimum: NaN if either operand is, and -0 < +0."""

    name = "llvm.intr.minimum"


class _IntegerIntrinsic(IRDLOperation, ABC):
    """A pure function on signless integers, elementwise on vectors."""

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT


class IntegerBinaryIntrinsic(_IntegerIntrinsic, ABC):
    """Two integers to one of the same type."""

    lhs = operand_def(_IntegerIntrinsic.T)
    rhs = operand_def(_IntegerIntrinsic.T)
    res = result_def(_IntegerIntrinsic.T)

    def __init__(self, lhs: Operation | SSAValue, rhs: Operation | SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])


@irdl_op_definition
class SMaxOp(IntegerBinaryIntrinsic):
    name = "llvm.intr.smax"


@irdl_op_definition
class SMinOp(IntegerBinaryIntrinsic):
    name = "llvm.intr.smin"


@irdl_op_definition
class UMaxOp(IntegerBinaryIntrinsic):
    name = "llvm.intr.umax"


@irdl_op_definition
class UMinOp(IntegerBinaryIntrinsic):
    name = "llvm.intr.umin"


class _FlaggedIntegerIntrinsic(_IntegerIntrinsic, ABC):
    """An integer function with a constant flag that says for which operand the result is poison."""

    in_ = operand_def(_IntegerIntrinsic.T)
    res = result_def(_IntegerIntrinsic.T)


@irdl_op_definition
class AbsOp(_FlaggedIntegerIntrinsic):
    """The absolute value; the flag says whether that of the least integer is poison (it is itself otherwise)."""

    name = "llvm.intr.abs"
    is_int_min_poison = prop_def(IntegerAttr[I1])

    def __init__(self, value: Operation | SSAValue, is_int_min_poison: bool = False):
        super().__init__(
            operands=[value],
            result_types=[SSAValue.get(value).type],
            properties={"is_int_min_poison": IntegerAttr.from_bool(is_int_min_poison)},
        )


@irdl_op_definition
class CountLeadingZerosOp(_FlaggedIntegerIntrinsic):
    """The number of leading zero bits; the flag says whether that of zero is poison (the bit width otherwise)."""

    name = "llvm.intr.ctlz"
    is_zero_poison = prop_def(IntegerAttr[I1])

    def __init__(self, value: Operation | SSAValue, is_zero_poison: bool = False):
        super().__init__(
            operands=[value],
            result_types=[SSAValue.get(value).type],
            properties={"is_zero_poison": IntegerAttr.from_bool(is_zero_poison)},
        )


class FloatReduction(IRDLOperation, ABC):
    """All elements of a float vector combined."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr)
    input = operand_def(VectorType.constr(T))
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT


@irdl_op_definition
class ReduceFMaxOp(FloatReduction):
    """The largest number; NaN only if all are."""

    name = "llvm.intr.vector.reduce.fmax"


@irdl_op_definition
class ReduceFMinOp(FloatReduction):
    """The smallest number; NaN only if all are."""

    name = "llvm.intr.vector.reduce.fmin"


@irdl_op_definition
class ReduceFMaximumOp(FloatReduction):
    """The maximum; NaN if any is."""

    name = "llvm.intr.vector.reduce.fmaximum"


@irdl_op_definition
class ReduceFMinimumOp(FloatReduction):
    """The minimum; NaN if any is."""

    name = "llvm.intr.vector.reduce.fminimum"


class OrderedFloatReduction(IRDLOperation, ABC):
    """A start value, then the elements of a vector one after the other."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr)
    start_value = operand_def(T)
    input = operand_def(VectorType.constr(T))
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT


@irdl_op_definition
class ReduceFAddOp(OrderedFloatReduction):
    name = "llvm.intr.vector.reduce.fadd"


@irdl_op_definition
class ReduceFMulOp(OrderedFloatReduction):
    name = "llvm.intr.vector.reduce.fmul"


class IntegerReduction(IRDLOperation, ABC):
    """All elements of an integer vector combined."""

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)
    input = operand_def(VectorType.constr(T))
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = _FORMAT


@irdl_op_definition
class ReduceAddOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.add"


@irdl_op_definition
class ReduceMulOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.mul"


@irdl_op_definition
class ReduceAndOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.and"


@irdl_op_definition
class ReduceOrOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.or"


@irdl_op_definition
class ReduceXorOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.xor"


@irdl_op_definition
class ReduceSMaxOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.smax"


@irdl_op_definition
class ReduceSMinOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.smin"


@irdl_op_definition
class ReduceUMaxOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.umax"


@irdl_op_definition
class ReduceUMinOp(IntegerReduction):
    name = "llvm.intr.vector.reduce.umin"


INTRINSICS: Sequence[type[IRDLOperation]] = (
    RoundEvenOp,
    RoundOp,
    TruncateOp,
    MaximumOp,
    MinimumOp,
    SMaxOp,
    SMinOp,
    UMaxOp,
    UMinOp,
    AbsOp,
    CountLeadingZerosOp,
    ReduceFMaxOp,
    ReduceFMinOp,
    ReduceFMaximumOp,
    ReduceFMinimumOp,
    ReduceFAddOp,
    ReduceFMulOp,
    ReduceAddOp,
    ReduceMulOp,
    ReduceAndOp,
    ReduceOrOp,
    ReduceXorOp,
    ReduceSMaxOp,
    ReduceSMinOp,
    ReduceUMaxOp,
    ReduceUMinOp,
)
