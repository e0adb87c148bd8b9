"""Weights and other data that is known when the program is compiled."""

from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, MemRefType, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import MemRef, memref_type


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A read-only buffer with known contents.

    Upstream's `memref.global` needs a symbol and an op per use; a value says it in one line.

    ```mlir
    %w = loop.constant dense_resource<fc1.weight> : tensor<64x200xf32> to memref<64x200xf32>
    ```

    Constraints:
      constant_c1: the buffer has the shape and the element type of the data
    """

    name = "loop.constant"
    value = prop_def(DenseResourceAttr | DenseIntOrFPElementsAttr)
    result = result_def(MemRefType)
    traits = traits_def(Pure(), ConstantLike())
    assembly_format = "$value `to` type($result) attr-dict"

    MESSAGE: ClassVar = (
        "loop.constant: the data has type {}, the buffer {}; shapes and elements must be equal (constant_c1)"
    )

    def __init__(self, value: DenseResourceAttr | DenseIntOrFPElementsAttr) -> None:
        source = cast(TensorType[Any], value.get_type())
        super().__init__(
            result_types=[MemRefType(source.element_type, source.shape)],
            properties={"value": value},
        )

    @property
    def buffer_type(self) -> MemRef:
        """The type of the buffer."""
        return memref_type(SSAValue.get(self.result))

    def verify_(self) -> None:
        source = cast(TensorType[Any], self.value.get_type())
        buffer = self.buffer_type
        if source.get_shape() != buffer.get_shape() or source.element_type != buffer.element_type:
            raise VerifyException(self.MESSAGE.format(source, buffer))
