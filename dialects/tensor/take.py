"""Reading rows at positions that are data, which no affine index map can say."""

from xdsl.dialects.builtin import TensorType, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import EqAttrConstraint, IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import tensor_type


@irdl_op_definition
class TakeOp(IRDLOperation):
    """Copies rows: `y[b, m, n] = data[b, indices[m], n]`.

    A negative index counts from the end, and one that is out of range counts as the nearest that is not, so that
    nothing outside of `data` is ever read. Each index is read once for a whole row, which is contiguous.

    ```mlir
    %y = tensor.take %data, %indices : tensor<1x1000x64xf32>, tensor<16xi64> -> tensor<1x16x64xf32>
    ```

    Constraints:
      take_c1: `data` has three dims, `indices` has one
      take_c2: there is a row to read
      take_c3: the result has the shape of `data` with as many rows as indices, and its element type
    """

    name = "tensor.take"

    data = operand_def(TensorType)
    indices = operand_def(TensorType.constr(EqAttrConstraint(i32) | EqAttrConstraint(i64)))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "operands attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, data: SSAValue, indices: SSAValue) -> None:
        source = tensor_type(data)
        shape = source.get_shape()
        rows = tensor_type(indices).get_shape()
        result = TensorType(source.element_type, [*shape[:1], *rows, *shape[2:]])
        super().__init__(operands=[data, indices], result_types=[result])

    def verify_(self) -> None:
        data, indices, result = (tensor_type(v) for v in (self.data, self.indices, self.result))
        if data.get_num_dims() != 3 or indices.get_num_dims() != 1:
            raise VerifyException(
                f"tensor.take: takes data of three dims and indices of one, got {data} and {indices} (take_c1)"
            )
        batch, extent, row = data.get_shape()
        if extent < 1:
            raise VerifyException(f"tensor.take: there is no row to read in {data} (take_c2)")
        expected = TensorType(data.element_type, [batch, *indices.get_shape(), row])
        if result != expected:
            raise VerifyException(f"tensor.take: the result type is {result}, the operands give {expected} (take_c3)")
