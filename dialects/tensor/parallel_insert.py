"""Writing a slice of a tensor at the end of an iteration of `scf.forall`."""

from xdsl.dialects.builtin import DYNAMIC_INDEX, I64, DenseArrayBase, IndexType, TensorType
from xdsl.dialects.utils.dynamic_index_list import DynamicIndexList, verify_dynamic_index_list
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import tensor_type


@irdl_op_definition
class ParallelInsertSliceOp(IRDLOperation):
    """Writes a tensor over a slice of another, in no order with those of other iterations: spelled as upstream spells
    it.

    ```mlir
    %y = scf.forall (%i) in (8) shared_outs(%out = %init) -> (tensor<8xf32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %out[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      }
    }
    ```

    Constraints:
      parallel_insert_slice_c1: offsets, sizes and strides have one entry for each dim of the destination
      parallel_insert_slice_c2: both tensors have the same element type
    """

    name = "tensor.parallel_insert_slice"

    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase[I64])
    static_sizes = prop_def(DenseArrayBase[I64])
    static_strides = prop_def(DenseArrayBase[I64])

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$source `into` $dest ``"
        "custom<DynamicIndexList>($offsets, $static_offsets)"
        "custom<DynamicIndexList>($sizes, $static_sizes)"
        "custom<DynamicIndexList>($strides, $static_strides)"
        "attr-dict `:` type($source) `into` type($dest)"
    )

    def verify_(self) -> None:
        source, dest = tensor_type(self.source), tensor_type(self.dest)
        for noun, numbers, values in (
            ("offsets", self.static_offsets, self.offsets),
            ("sizes", self.static_sizes, self.sizes),
            ("strides", self.static_strides, self.strides),
        ):
            verify_dynamic_index_list(numbers.get_values(), values, DYNAMIC_INDEX, f" in the {noun}")
            if len(numbers) != dest.get_num_dims():
                raise VerifyException(
                    f"tensor.parallel_insert_slice: {len(numbers)} {noun} for {dest} (parallel_insert_slice_c1)"
                )
        if source.element_type != dest.element_type:
            raise VerifyException(
                f"tensor.parallel_insert_slice: the source has elements {source.element_type}, "
                f"the destination {dest.element_type} (parallel_insert_slice_c2)"
            )
