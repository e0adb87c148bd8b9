"""What upstream requires of constants: a value of the type that they say."""

from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.llvm.values import FLOATS
from mlc.support.requirements import requires


@requires(llvm.ConstantOp)
def constants_fit_their_type(op: llvm.ConstantOp) -> None:
    """An integer is of an integer type, a float of a type of its width, a list of a vector or array type."""
    kind, value = op.result.type, cast(Attribute, op.value)
    match value:
        case IntegerAttr():
            fits, required = isinstance(kind, IntegerType), "an integer type"
        case FloatAttr():
            width = cast(FloatAttr[Any], value).type.bitwidth
            fits = isinstance(kind, (IntegerType, *FLOATS)) and kind.bitwidth == width
            required = f"a float type of LLVM or an integer type of {width} bits"
        case DenseIntOrFPElementsAttr():
            fits, required = isinstance(kind, VectorType | llvm.LLVMArrayType), "a vector or array type"
        case _:
            return
    if not fits:
        raise VerifyException(f"{op.name}: {value} needs {required}, got {kind}")
