"""Intrinsics: arithmetic that LLVM knows as functions.

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
    """To the nearest integer, halves to the even one.

    ```mlir
    %r = llvm.intr.roundeven(%a) : (vector<8xf32>) -> vector<8xf32>
    ```
    """

    name = "llvm.intr.roundeven"


@irdl_op_definition
class RoundOp(FloatUnaryIntrinsic):
    """To the nearest integer, halves away from zero.

    ```mlir
    %r = llvm.intr.round(%a) : (vector<8xf32>) -> vector<8xf32>
    ```
    """

    name = "llvm.intr.round"


@irdl_op_definition
class TruncateOp(FloatUnaryIntrinsic):
    """To the nearest integer towards zero (the float intrinsic; `llvm.trunc` narrows integers).

    ```mlir
    %r = llvm.intr.trunc(%a) : (vector<8xf32>) -> vector<8xf32>
    ```
    """

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
    """IEEE 754-2019 maximum: NaN if either operand is, and -0 < +0.

    ```mlir
    %r = llvm.intr.maximum(%a, %b) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    ```
    """

    name = "llvm.intr.maximum"


@irdl_op_definition
class MinimumOp(FloatBinaryIntrinsic):
    """IEEE 754-2019 minimum: NaN if either operand is, and -0 < +0.

    ```mlir
    %r = llvm.intr.minimum(%a, %b) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    ```
    """

    name = "llvm.intr.minimum"


@irdl_op_definition
class FMulAddOp(_FloatIntrinsic):
    """a * b + c, fused where the target has an instruction for it, and never a call (`llvm.intr.fma` may be one).

    ```mlir
    %r = llvm.intr.fmuladd(%a, %b, %c) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    ```
    """

    name = "llvm.intr.fmuladd"

    a = operand_def(_FloatIntrinsic.T)
    b = operand_def(_FloatIntrinsic.T)
    c = operand_def(_FloatIntrinsic.T)
    res = result_def(_FloatIntrinsic.T)

    def __init__(self, a: Operation | SSAValue, b: Operation | SSAValue, c: Operation | SSAValue):
        super().__init__(operands=[a, b, c], result_types=[SSAValue.get(a).type])


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
    """The larger of two signed integers.

    ```mlir
    %r = llvm.intr.smax(%a, %b) : (i64, i64) -> i64
    ```
    """

    name = "llvm.intr.smax"


@irdl_op_definition
class SMinOp(IntegerBinaryIntrinsic):
    """The smaller of two signed integers.

    ```mlir
    %r = llvm.intr.smin(%a, %b) : (i64, i64) -> i64
    ```
    """

    name = "llvm.intr.smin"


@irdl_op_definition
class UMaxOp(IntegerBinaryIntrinsic):
    """The larger of two unsigned integers.

    ```mlir
    %r = llvm.intr.umax(%a, %b) : (i64, i64) -> i64
    ```
    """

    name = "llvm.intr.umax"


@irdl_op_definition
class UMinOp(IntegerBinaryIntrinsic):
    """The smaller of two unsigned integers.

    ```mlir
    %r = llvm.intr.umin(%a, %b) : (i64, i64) -> i64
    ```
    """

    name = "llvm.intr.umin"


class _FlaggedIntegerIntrinsic(_IntegerIntrinsic, ABC):
    """An integer function with a constant flag that says for which operand the result is poison."""

    in_ = operand_def(_IntegerIntrinsic.T)
    res = result_def(_IntegerIntrinsic.T)


@irdl_op_definition
class AbsOp(_FlaggedIntegerIntrinsic):
    """The absolute value; the flag says whether that of the least integer is poison (it is itself otherwise).

    ```mlir
    %r = llvm.intr.abs(%a) {is_int_min_poison = false} : (vector<8xi32>) -> vector<8xi32>
    ```
    """

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
    """The number of leading zero bits; the flag says whether that of zero is poison (the bit width otherwise).

    ```mlir
    %r = llvm.intr.ctlz(%a) {is_zero_poison = false} : (i64) -> i64
    ```
    """

    name = "llvm.intr.ctlz"
    is_zero_poison = prop_def(IntegerAttr[I1])

    def __init__(self, value: Operation | SSAValue, is_zero_poison: bool = False):
        super().__init__(
            operands=[value],
            result_types=[SSAValue.get(value).type],
            properties={"is_zero_poison": IntegerAttr.from_bool(is_zero_poison)},
        )


@irdl_op_definition
class ScaleOp(FloatBinaryIntrinsic):
    """x * 2^floor(n), rounded once: one instruction of AVX-512 for each register of 512 bits.

    ```mlir
    %r = llvm.intr.x86.scalef(%x, %n) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    ```
    """

    name = "llvm.intr.x86.scalef"


@irdl_op_definition
class LimitOp(FloatBinaryIntrinsic):
    """x, but no further from 0 than the limit, and the limit if x is NaN: one instruction of AVX-512 (`vrangeps`).

    Vectors have 512 bits or a multiple of these, limits are positive; of NaN the limit may have either sign.

    ```mlir
    %r = llvm.intr.x86.range(%x, %limit) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    ```
    """

    name = "llvm.intr.x86.range"


@irdl_op_definition
class ReciprocalOp(FloatUnaryIntrinsic):
    """About 1 / x, off by 2^-14 of it at most: one instruction of AVX-512 for each register of f32 (`vrcp14ps`).

    What is below 2^-126 in size, as a number or as a result, may count as 0.

    ```mlir
    %r = llvm.intr.x86.rcp14(%x) : (vector<16xf32>) -> vector<16xf32>
    ```
    """

    name = "llvm.intr.x86.rcp14"


class SaturatingCastOp(IRDLOperation, ABC):
    """A float as an integer, towards zero: the nearest one that there is, and 0 for NaN."""

    input = operand_def(AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    res = result_def(SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT


@irdl_op_definition
class FPToSISatOp(SaturatingCastOp):
    """A float as a signed integer, towards zero: the nearest one that there is, and 0 for NaN.

    ```mlir
    %i = llvm.intr.fptosi.sat(%a) : (vector<8xf32>) -> vector<8xi32>
    ```
    """

    name = "llvm.intr.fptosi.sat"


@irdl_op_definition
class FPToUISatOp(SaturatingCastOp):
    """A float as an unsigned integer, towards zero: the nearest one that there is, and 0 for NaN.

    ```mlir
    %i = llvm.intr.fptoui.sat(%a) : (vector<8xf32>) -> vector<8xi32>
    ```
    """

    name = "llvm.intr.fptoui.sat"


INTRINSICS: Sequence[type[IRDLOperation]] = (
    RoundEvenOp,
    RoundOp,
    TruncateOp,
    MaximumOp,
    MinimumOp,
    FMulAddOp,
    SMaxOp,
    SMinOp,
    UMaxOp,
    UMinOp,
    AbsOp,
    CountLeadingZerosOp,
    ScaleOp,
    LimitOp,
    ReciprocalOp,
    FPToSISatOp,
    FPToUISatOp,
)
