"""What upstream requires of the types of the llvm dialect, wherever they stand."""

from xdsl.dialects.builtin import FunctionType, IndexType, MemRefType, TensorType
from xdsl.dialects.llvm import LLVMArrayType, LLVMFunctionType, LLVMStructType, LLVMVoidType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.llvm.kept import LabelType
from mlc.support.requirements import complete_dialects, requires_of_type

_NOT_STORED = (LLVMVoidType, LLVMFunctionType, LabelType, FunctionType, IndexType, MemRefType, TensorType)

complete_dialects.add("llvm")


@requires_of_type(LLVMArrayType, LLVMStructType)
def elements_are_stored(kind: LLVMArrayType | LLVMStructType) -> None:
    """The elements of arrays and structs are values that memory can hold."""
    pending: list[Attribute] = [kind]
    while pending:
        whole = pending.pop()
        if isinstance(whole, LLVMArrayType):
            parts: tuple[Attribute, ...] = (whole.type,)
        else:
            parts = whole.types.data if isinstance(whole, LLVMStructType) else ()
        for part in parts:
            if isinstance(part, _NOT_STORED):
                raise VerifyException(f"{part} is not the type of an element of {whole}")
        pending += parts
