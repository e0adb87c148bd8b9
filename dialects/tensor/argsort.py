"""Sorting and selecting, which no index map can say either."""

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.support.dtypes import INTEGERS, is_unsigned
from mlc.support.types import tensor_type


class LeastKeysOp(IRDLOperation):
    """An op that finds the `count` least keys of each row; of equal ones, those in front.

    Keys are signed integers: one who sorts other things makes keys of them that are in the same order.

    Constraints:
      keys_c1: keys are signed integers, in rows: the tensor has two dims
      keys_c2: there are as many keys in a row as are wanted, fewer than 2^31
      keys_c3: the result has `count` positions of i64 for each row
    """

    keys = operand_def(TensorType)
    count = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$keys `first` $count attr-dict `:` type($keys) `->` type($result)"

    def __init__(self, keys: SSAValue, count: int) -> None:
        rows = tensor_type(keys).get_shape()[0]
        super().__init__(
            operands=[keys],
            properties={"count": IntegerAttr(count, i64)},
            result_types=[TensorType(i64, [rows, count])],
        )

    def verify_(self) -> None:
        keys, count = tensor_type(self.keys), self.count.value.data
        if keys.get_num_dims() != 2 or keys.element_type not in INTEGERS or is_unsigned(keys.element_type):
            raise VerifyException(f"{self.name}: takes rows of signed integers, got {keys} (keys_c1)")
        rows, length = keys.get_shape()
        if not 0 <= count <= length or length >= 1 << 31:
            raise VerifyException(f"{self.name}: the first {count} of a row are wanted, got {keys} (keys_c2)")
        if self.result.type != (expected := TensorType(i64, [rows, count])):
            raise VerifyException(f"{self.name}: the result is {self.result.type}, required {expected} (keys_c3)")


@irdl_op_definition
class ArgsortOp(LeastKeysOp):
    """The positions of the least keys of each row, in the order of the keys; equal keys stay in their order.

    ```mlir
    %p = tensor.argsort %keys first 1000 : tensor<64x1000xi32> -> tensor<64x1000xi64>
    ```
    """

    name = "tensor.argsort"


@irdl_op_definition
class TopKOp(LeastKeysOp):
    """The positions of the least keys of each row, in the order of the positions.

    ```mlir
    %p = tensor.top_k %keys first 5 : tensor<64x1000xi32> -> tensor<64x5xi64>
    ```
    """

    name = "tensor.top_k"
