"""Reductions: intrinsics that combine all elements of a vector.

They print as the other intrinsics do, `llvm.intr.vector.reduce.<name>(%v) : (vector<…>) -> T`.
"""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr, SignlessIntegerConstraint, VectorType
from xdsl.dialects.llvm import FastMathAttr
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
    """The largest number; NaN only if all are.

    ```mlir
    %r = llvm.intr.vector.reduce.fmax(%v) : (vector<8xf32>) -> f32
    ```
    """

    name = "llvm.intr.vector.reduce.fmax"


@irdl_op_definition
class ReduceFMinOp(FloatReduction):
    """The smallest number; NaN only if all are.

    ```mlir
    %r = llvm.intr.vector.reduce.fmin(%v) : (vector<8xf32>) -> f32
    ```
    """

    name = "llvm.intr.vector.reduce.fmin"


@irdl_op_definition
class ReduceFMaximumOp(FloatReduction):
    """The maximum; NaN if any is.

    ```mlir
    %r = llvm.intr.vector.reduce.fmaximum(%v) : (vector<8xf32>) -> f32
    ```
    """

    name = "llvm.intr.vector.reduce.fmaximum"


@irdl_op_definition
class ReduceFMinimumOp(FloatReduction):
    """The minimum; NaN if any is.

    ```mlir
    %r = llvm.intr.vector.reduce.fminimum(%v) : (vector<8xf32>) -> f32
    ```
    """

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
    """The start value plus each element, from the first to the last.

    ```mlir
    %r = llvm.intr.vector.reduce.fadd(%s, %v) : (f32, vector<8xf32>) -> f32
    ```
    """

    name = "llvm.intr.vector.reduce.fadd"


@irdl_op_definition
class ReduceFMulOp(OrderedFloatReduction):
    """The start value times each element, from the first to the last.

    ```mlir
    %r = llvm.intr.vector.reduce.fmul(%s, %v) : (f32, vector<8xf32>) -> f32
    ```
    """

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
    """The sum.

    ```mlir
    %r = llvm.intr.vector.reduce.add(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.add"


@irdl_op_definition
class ReduceMulOp(IntegerReduction):
    """The product.

    ```mlir
    %r = llvm.intr.vector.reduce.mul(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.mul"


@irdl_op_definition
class ReduceAndOp(IntegerReduction):
    """The conjunction, bit by bit.

    ```mlir
    %r = llvm.intr.vector.reduce.and(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.and"


@irdl_op_definition
class ReduceOrOp(IntegerReduction):
    """The disjunction, bit by bit.

    ```mlir
    %r = llvm.intr.vector.reduce.or(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.or"


@irdl_op_definition
class ReduceXorOp(IntegerReduction):
    """The exclusive disjunction, bit by bit.

    ```mlir
    %r = llvm.intr.vector.reduce.xor(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.xor"


@irdl_op_definition
class ReduceSMaxOp(IntegerReduction):
    """The largest element, as signed integers.

    ```mlir
    %r = llvm.intr.vector.reduce.smax(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.smax"


@irdl_op_definition
class ReduceSMinOp(IntegerReduction):
    """The smallest element, as signed integers.

    ```mlir
    %r = llvm.intr.vector.reduce.smin(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.smin"


@irdl_op_definition
class ReduceUMaxOp(IntegerReduction):
    """The largest element, as unsigned integers.

    ```mlir
    %r = llvm.intr.vector.reduce.umax(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.umax"


@irdl_op_definition
class ReduceUMinOp(IntegerReduction):
    """The smallest element, as unsigned integers.

    ```mlir
    %r = llvm.intr.vector.reduce.umin(%v) : (vector<8xi32>) -> i32
    ```
    """

    name = "llvm.intr.vector.reduce.umin"


VECTOR_REDUCTIONS: Sequence[type[IRDLOperation]] = (
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
