"""Views of rows: what a step of a loop works on."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, NoneAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import MemRef, memref_type


@irdl_op_definition
class RowOp(IRDLOperation):
    """The part of a row-major buffer at one subscript of its first dim: the same memory, which lies in one piece.

    Upstream's `memref.subview` gives it a layout with an offset, which kernels do not take.

    ```mlir
    %x = loop.row %xs[%t] : memref<16x4x8xf32> -> memref<4x8xf32>
    ```

    A subscript that is not a row has undefined behavior.

    Constraints:
      row_c1: the buffer is static, row-major, and has a dim
      row_c2: the result is the buffer without its first dim
    """

    name = "loop.row"
    source = operand_def(MemRefType)
    index = operand_def(IndexType())
    result = result_def(MemRefType)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$source `[` $index `]` attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, index: SSAValue) -> None:
        super().__init__(operands=[source, index], result_types=[row_type(memref_type(source))])

    def verify_(self) -> None:
        source, result = memref_type(self.source), memref_type(self.result)
        if not isinstance(source.layout, NoneAttr) or DYNAMIC_INDEX in source.get_shape() or not source.get_shape():
            raise VerifyException(
                f"loop.row: the buffer must be static, row-major and have a dim, got {source} (row_c1)"
            )
        if result != row_type(source):
            raise VerifyException(f"loop.row: the result type is {result}, a row is {row_type(source)} (row_c2)")


def row_type(source: MemRef) -> MemRef:
    """The type of a row of a buffer."""
    return MemRefType(source.element_type, source.get_shape()[1:], memory_space=source.memory_space)
