"""Conversions between integers and floats, and between widths of integers, of scalars or lane by lane."""

from abc import ABC

from xdsl.dialects.arith import floatingPointLike
from xdsl.dialects.builtin import IndexType, IntegerType, container_of
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AnyAttr, IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.arith.lanes import mask_of
from mlc.support.types import element_type, integer_width

IntegerLike = container_of(IntegerType)
_IntegerOrIndex = IntegerLike | container_of(IndexType)


class _ConversionOp(IRDLOperation, ABC):
    """What all conversions share: one value in, one of the same shape out."""

    input = operand_def(AnyAttr())
    result = result_def(AnyAttr())

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, input: Operation | SSAValue, target: Attribute) -> None:
        super().__init__(operands=[input], result_types=[target])

    def verify_(self) -> None:
        source, target = self.input.type, self.result.type
        if mask_of(source) != mask_of(target):
            raise VerifyException(f"{self.name}: {source} becomes {target}; both must have the same shape")


class _WideningOp(_ConversionOp, ABC):
    """An integer becomes a wider one."""

    input = operand_def(IntegerLike)
    result = result_def(IntegerLike)

    def verify_(self) -> None:
        super().verify_()
        if not _width(self.input.type) < _width(self.result.type):
            raise VerifyException(f"{self.name}: {self.input.type} becomes {self.result.type}, which is not wider")


@irdl_op_definition
class ExtSIOp(_WideningOp):
    """Widens an integer; the new bits are its sign.

    ```mlir
    %b = arith.extsi %a : vector<4xi32> to vector<4xi64>
    ```
    """

    name = "arith.extsi"


@irdl_op_definition
class ExtUIOp(_WideningOp):
    """Widens an integer; the new bits are zeros.

    ```mlir
    %b = arith.extui %a : i1 to i32
    ```
    """

    name = "arith.extui"


@irdl_op_definition
class TruncIOp(_ConversionOp):
    """The low bits of an integer.

    ```mlir
    %b = arith.trunci %a : vector<4xi64> to vector<4xi32>
    ```
    """

    name = "arith.trunci"
    input = operand_def(IntegerLike)
    result = result_def(IntegerLike)

    def verify_(self) -> None:
        super().verify_()
        if not _width(self.input.type) > _width(self.result.type):
            raise VerifyException(f"{self.name}: {self.input.type} becomes {self.result.type}, which is not narrower")


@irdl_op_definition
class FPToSIOp(_ConversionOp):
    """A float towards zero, as a signed integer: the nearest one that there is, and 0 for NaN.

    ```mlir
    %b = arith.fptosi %a : vector<4xf32> to vector<4xi32>
    ```
    """

    name = "arith.fptosi"
    input = operand_def(floatingPointLike)
    result = result_def(IntegerLike)


@irdl_op_definition
class FPToUIOp(_ConversionOp):
    """A float towards zero, as an unsigned integer: the nearest one that there is, and 0 for NaN.

    ```mlir
    %b = arith.fptoui %a : f32 to i32
    ```
    """

    name = "arith.fptoui"
    input = operand_def(floatingPointLike)
    result = result_def(IntegerLike)


@irdl_op_definition
class SIToFPOp(_ConversionOp):
    """The float nearest to a signed integer.

    ```mlir
    %b = arith.sitofp %a : vector<4xi32> to vector<4xf32>
    ```
    """

    name = "arith.sitofp"
    input = operand_def(IntegerLike)
    result = result_def(floatingPointLike)


@irdl_op_definition
class UIToFPOp(_ConversionOp):
    """The float nearest to an unsigned integer.

    ```mlir
    %b = arith.uitofp %a : i1 to f32
    ```
    """

    name = "arith.uitofp"
    input = operand_def(IntegerLike)
    result = result_def(floatingPointLike)


class _IndexCastOp(_ConversionOp, ABC):
    """Between `index` and an integer."""

    input = operand_def(_IntegerOrIndex)
    result = result_def(_IntegerOrIndex)

    def verify_(self) -> None:
        super().verify_()
        source, target = self.input.type, self.result.type
        if isinstance(element_type(source), IndexType) == isinstance(element_type(target), IndexType):
            raise VerifyException(f"{self.name}: {source} becomes {target}; one of both must be of index")


@irdl_op_definition
class IndexCastOp(_IndexCastOp):
    """Between `index` and a signed integer: a wider result has its sign in front, a shorter one the low bits.

    ```mlir
    %i = arith.index_cast %a : tensor<4xi32> to tensor<4xindex>
    ```
    """

    name = "arith.index_cast"


@irdl_op_definition
class IndexCastUIOp(_IndexCastOp):
    """Between `index` and an unsigned integer: a wider result has zeros in front, a shorter one the low bits.

    ```mlir
    %i = arith.index_castui %a : i8 to index
    ```
    """

    name = "arith.index_castui"


CONVERSIONS = (ExtSIOp, ExtUIOp, TruncIOp, FPToSIOp, FPToUIOp, SIToFPOp, UIToFPOp, IndexCastOp, IndexCastUIOp)


def _width(attribute: Attribute) -> int:
    return integer_width(element_type(attribute)) or 0
