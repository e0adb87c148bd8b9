"""Prefetching: an intrinsic about time, not about values."""

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """Asks for the cache line at an address, which need not exist.

    ```mlir
    "llvm.intr.prefetch"(%p) <{rw = 0 : i32, hint = 2 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
    ```

    `rw` 0 to read, 1 to write; `hint` from 0, used once, to 3, to be kept in all caches; `cache` 1 for data.
    """

    name = "llvm.intr.prefetch"
    addr = operand_def(LLVMPointerType)
    rw = prop_def(IntegerAttr[I32])
    hint = prop_def(IntegerAttr[I32])
    cache = prop_def(IntegerAttr[I32])

    def __init__(self, addr: SSAValue, rw: int = 0, hint: int = 3, cache: int = 1) -> None:
        numbers = {"rw": rw, "hint": hint, "cache": cache}
        super().__init__(operands=[addr], properties={name: IntegerAttr(n, i32) for name, n in numbers.items()})
