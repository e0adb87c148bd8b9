"""What upstream requires of the types of values and of globals: they are types of LLVM."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    IntegerType,
    Signedness,
    VectorType,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.llvm.vectors import FPToSIOp, FPToUIOp, UIToFPOp
from mlc.support.requirements import requires
from mlc.support.types import element_type

FLOATS = (Float16Type, BFloat16Type, Float32Type, Float64Type, Float80Type, Float128Type)
_LANES: tuple[type[Attribute], ...] = (IntegerType, llvm.LLVMPointerType, *FLOATS)


def is_type_of_llvm(kind: Attribute) -> bool:
    """Whether LLVM has values of a type: signless integers, floats, vectors of one dim, pointers, arrays, structs."""
    match kind:
        case IntegerType():
            return kind.signedness.data == Signedness.SIGNLESS
        case VectorType():
            element: Attribute = kind.element_type
            return len(kind.shape) == 1 and isinstance(element, _LANES) and is_type_of_llvm(element)
        case llvm.LLVMArrayType():
            return is_type_of_llvm(kind.type)
        case llvm.LLVMStructType():
            return all(map(is_type_of_llvm, kind.types))
        case llvm.LLVMVoidType() | llvm.LLVMFunctionType():
            return False
        case _:
            return isinstance(kind, FLOATS) or kind.name.startswith("llvm.")


def values_are_of_llvm(op: Operation) -> None:
    """Operands and results have types of LLVM."""
    for noun, values in (("operand", op.operands), ("result", op.results)):
        for index, value in enumerate(values):
            if not is_type_of_llvm(value.type):
                raise VerifyException(f"{op.name}: {noun} {index} is of type {value.type}, which LLVM does not have")


@requires(llvm.GlobalOp)
def globals_are_of_llvm(op: llvm.GlobalOp) -> None:
    """So have globals."""
    if not is_type_of_llvm(op.global_type):
        raise VerifyException(f"{op.name}: the global is of type {op.global_type}, which LLVM does not have")


@requires(llvm.SIToFPOp, UIToFPOp)
def integers_become_floats(op: llvm.SIToFPOp | UIToFPOp) -> None:
    """`llvm.sitofp` and `llvm.uitofp` go from integers to floats."""
    _require_cast(op, "integers to floats", (IntegerType,), FLOATS)


@requires(FPToSIOp, FPToUIOp)
def floats_become_integers(op: FPToSIOp | FPToUIOp) -> None:
    """`llvm.fptosi` and `llvm.fptoui` go from floats to integers."""
    _require_cast(op, "floats to integers", FLOATS, (IntegerType,))


@requires(llvm.FPExtOp, llvm.FPTruncOp)
def floats_stay_floats(op: llvm.FPExtOp | llvm.FPTruncOp) -> None:
    """`llvm.fpext` and `llvm.fptrunc` go from floats to floats."""
    _require_cast(op, "floats to floats", FLOATS, FLOATS)


def _require_cast(
    op: llvm.GenericCastOp, meaning: str, sources: tuple[type[Attribute], ...], targets: tuple[type[Attribute], ...]
) -> None:
    source, target = op.arg.type, op.result.type
    if not isinstance(element_type(source), sources) or not isinstance(element_type(target), targets):
        raise VerifyException(f"{op.name}: goes from {meaning}, got {source} to {target}")
