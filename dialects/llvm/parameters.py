"""What upstream requires of the attributes of arguments and results of functions."""

from collections.abc import Iterator, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
)
from xdsl.dialects.llvm import FuncOp, LLVMPointerType, LLVMVoidType
from xdsl.ir import Attribute, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from mlc.support.requirements import requires

_UNITS = {
    "llvm.noalias",
    "llvm.readonly",
    "llvm.readnone",
    "llvm.writeonly",
    "llvm.nest",
    "llvm.nocapture",
    "llvm.nofree",
    "llvm.nonnull",
    "llvm.signext",
    "llvm.zeroext",
    "llvm.noundef",
    "llvm.inreg",
    "llvm.returned",
    "llvm.allocalign",
    "llvm.allocptr",
}
_INTEGERS = {"llvm.align", "llvm.alignstack", "llvm.dereferenceable", "llvm.dereferenceable_or_null"}
_TYPES = {"llvm.sret", "llvm.byval", "llvm.byref", "llvm.inalloca", "llvm.preallocated", "llvm.elementtype"}
_OF_INTEGERS = {"llvm.signext", "llvm.zeroext"}
_OF_ANYTHING = {"llvm.noundef", "llvm.inreg", "llvm.returned", "llvm.allocalign", "llvm.allocptr", "llvm.elementtype"}
_OF_POINTERS = (_UNITS | _INTEGERS | _TYPES) - _OF_INTEGERS - _OF_ANYTHING
_OF_ARGUMENTS = _TYPES | {
    "llvm.alignstack",
    "llvm.allocalign",
    "llvm.allocptr",
    "llvm.nest",
    "llvm.nocapture",
    "llvm.nofree",
    "llvm.readonly",
    "llvm.readnone",
    "llvm.writeonly",
    "llvm.returned",
}


@requires(FuncOp)
def attributes_of_parameters(op: FuncOp) -> None:
    """Attributes of the llvm dialect stand where they mean something, with values of the right kind."""
    outputs = () if isinstance(op.function_type.output, LLVMVoidType) else (op.function_type.output,)
    _check(op.name, op.function_type.inputs.data, op.arg_attrs, outputs, op.res_attrs)


@requires(func.FuncOp)
def attributes_of_arguments(op: func.FuncOp) -> None:
    """The same for functions that are to become functions of LLVM."""
    _check(op.name, op.function_type.inputs.data, op.arg_attrs, op.function_type.outputs.data, op.res_attrs)


def _check(
    name: str,
    inputs: Sequence[Attribute],
    of_inputs: ArrayAttr[DictionaryAttr] | None,
    outputs: Sequence[Attribute],
    of_outputs: ArrayAttr[DictionaryAttr] | None,
) -> None:
    for noun, types, attributes in (("argument", inputs, of_inputs), ("result", outputs, of_outputs)):
        if attributes is None:
            continue
        if len(attributes) != len(types):
            raise VerifyException(f"{name}: attributes of {len(attributes)} {noun}s, there are {len(types)}")
        for kind, each in zip(types, attributes, strict=True):
            for attribute, value in each.data.items():
                for fault in _faults(attribute, value, kind, is_result=noun == "result"):
                    raise VerifyException(f"{name}: '{attribute}' {fault}")


def _faults(name: str, value: Attribute, kind: Attribute, *, is_result: bool) -> Iterator[str]:
    if is_result and name in _OF_ARGUMENTS:
        yield "is an attribute of arguments, not of results"
    if name in _UNITS and not isinstance(value, UnitAttr):
        yield f"has no value, got {value}"
    if name in _INTEGERS and not isinstance(value, IntegerAttr):
        yield f"is an integer, got {value}"
    if name in _TYPES and not isinstance(value, TypeAttribute):
        yield f"is a type, got {value}"
    if name in _OF_POINTERS and _is_of_llvm(kind) and not isinstance(kind, LLVMPointerType):
        yield f"needs a pointer, got {kind}"
    if name in _OF_INTEGERS and _is_of_llvm(kind) and not isinstance(kind, IntegerType):
        yield f"needs an integer, got {kind}"


def _is_of_llvm(kind: Attribute) -> bool:
    """Whether it is a type of LLVM: others are to be converted, and then mean something else."""
    return not isinstance(kind, MemRefType | TensorType | UnrankedMemRefType | UnrankedTensorType | IndexType)
