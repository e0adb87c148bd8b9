"""What is known about the addresses of buffers."""

from xdsl.dialects.builtin import I32, IntegerAttr, MemRefType
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class AssumeAlignmentOp(IRDLOperation):
    """Promises that a buffer starts at a multiple of so many bytes: without a result, as upstream has it in LLVM 19.

    ```mlir
    memref.assume_alignment %x, 64 : memref<4x4xf16>
    ```

    Constraints:
      assume_alignment_c1: the alignment is a power of 2
    """

    name = "memref.assume_alignment"

    memref = operand_def(MemRefType)
    alignment = prop_def(IntegerAttr[I32])

    assembly_format = "$memref `,` $alignment attr-dict `:` type($memref)"

    def verify_(self) -> None:
        alignment = self.alignment.value.data
        if alignment <= 0 or alignment.bit_count() != 1:
            raise VerifyException(
                f"memref.assume_alignment: the alignment is a power of 2, got {alignment} (assume_alignment_c1)"
            )
