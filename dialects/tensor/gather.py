"""Upstream's gather: slices at places that are data."""

from xdsl.dialects.builtin import DYNAMIC_INDEX, I64, DenseArrayBase, IndexType, IntegerType, TensorType, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import Tensor, tensor_type


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Collects slices of a tensor, spelled as upstream spells it; mlc reads it and lowers it nowhere (see
    `tensor.take`).

    The last dim of `indices` holds coordinates along `gather_dims`. For each of them the result has the slice of
    `source` there, whose size along `gather_dims` is 1 or, in the rank-reduced form, which has no such dims. `unique`
    promises that no coordinates occur twice.

    ```mlir
    %y = tensor.gather %x[%i] gather_dims([1]) : (tensor<4x8x6xf32>, tensor<3x1xindex>) -> tensor<3x4x1x6xf32>
    ```

    Constraints:
      gather_c1: `gather_dims` are dims of `source`, at least one, in increasing order
      gather_c2: the last dim of `indices` has a size, and that is the number of `gather_dims`
      gather_c3: the result has the other dims of `indices` and then the dims of `source`, those of `gather_dims` of
                 size 1 or left out; its elements are those of `source`
    """

    name = "tensor.gather"

    source = operand_def(TensorType)
    indices = operand_def(TensorType[IndexType | IntegerType])
    gather_dims = prop_def(DenseArrayBase[I64])
    unique = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$source `[` $indices `]` `gather_dims` `(` $gather_dims `)` (`unique` $unique^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    def __init__(
        self, source: SSAValue, indices: SSAValue, dims: tuple[int, ...], result: Tensor, unique: bool = False
    ) -> None:
        super().__init__(
            operands=[source, indices],
            result_types=[result],
            properties={
                "gather_dims": DenseArrayBase.from_list(i64, dims),
                "unique": UnitAttr() if unique else None,
            },
        )

    def verify_(self) -> None:
        source, indices, result = (tensor_type(v) for v in (self.source, self.indices, self.result))
        dims, rank = self.gather_dims.get_values(), source.get_num_dims()
        if not dims or list(dims) != sorted({*dims}) or dims[0] < 0 or dims[-1] >= rank:
            raise VerifyException(
                f"tensor.gather: gather_dims are {list(dims)}; "
                f"required: at least one dim of {source}, in increasing order (gather_c1)"
            )
        coordinates = indices.get_shape()
        if not coordinates or coordinates[-1] != len(dims):
            found = "no dims" if not coordinates else "?" if coordinates[-1] == DYNAMIC_INDEX else coordinates[-1]
            raise VerifyException(
                f"tensor.gather: the last dim of the indices is {found}, there are {len(dims)} gather_dims (gather_c2)"
            )
        shape = source.get_shape()
        slices = [1 if d in dims else n for d, n in enumerate(shape)], [n for d, n in enumerate(shape) if d not in dims]
        expected = [TensorType(source.element_type, [*coordinates[:-1], *sizes]) for sizes in slices]
        if result not in expected:
            raise VerifyException(
                f"tensor.gather: the result type is {result}, the operands give {' or '.join(map(str, expected))} "
                "(gather_c3)"
            )
