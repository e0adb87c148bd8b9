"""What upstream requires of constants, of parts of arrays and structs, and of what is said about memory accesses."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, VectorType
from xdsl.dialects.llvm import (
    ConstantOp,
    ExtractValueOp,
    InsertValueOp,
    LLVMArrayType,
    LLVMStructType,
    LoadOp,
    ShuffleVectorOp,
    StoreOp,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.kept_text import KeptAsText
from mlc.dialects.llvm.kept import TargetType
from mlc.support.requirements import requires


def _part(name: str, whole: Attribute, position: Sequence[int]) -> Attribute:
    """The type of the part of an array or struct at a position."""
    for index in position:
        match whole:
            case LLVMArrayType() if 0 <= index < whole.size.data:
                whole = whole.type
            case LLVMStructType() if 0 <= index < len(whole.types):
                whole = whole.types.data[index]
            case LLVMArrayType() | LLVMStructType():
                raise VerifyException(f"{name}: position {index} is not in {whole}")
            case _:
                raise VerifyException(f"{name}: {whole} has no parts, position {index} asks for one")
    return whole


def _elements(value: Attribute | None) -> Sequence[Attribute] | None:
    """Those of an array of attributes, None for something else."""
    return cast("ArrayAttr[Attribute]", value).data if isinstance(value, ArrayAttr) else None


@requires(ExtractValueOp)
def extracted_type(op: ExtractValueOp) -> None:
    """The result has the type of the part."""
    part = _part(op.name, op.container.type, op.position.get_values())
    if part != op.res.type:
        raise VerifyException(f"{op.name}: the part of {op.container.type} is {part}, the result is {op.res.type}")


@requires(InsertValueOp)
def inserted_type(op: InsertValueOp) -> None:
    """What is inserted has the type of the part, and the whole stays what it is."""
    part = _part(op.name, op.container.type, op.position.get_values())
    if part != op.value.type:
        raise VerifyException(f"{op.name}: the part of {op.container.type} is {part}, inserted is {op.value.type}")
    if op.res.type != op.container.type:
        raise VerifyException(f"{op.name}: {op.container.type} becomes {op.res.type}; both must be the same")


@requires(ConstantOp)
def kinds_of_constants(op: ConstantOp) -> None:
    """A struct is a complex number, written as an array of two; types of targets have no constants."""
    kind = op.result.type
    if isinstance(kind, TargetType):
        raise VerifyException(f"{op.name}: {kind} has no constants but llvm.mlir.zero")
    if isinstance(kind, LLVMStructType) and len(_elements(op.value) or ()) != 2:
        raise VerifyException(f"{op.name}: for {kind} the value is an array of two numbers, got {op.value}")


@requires(ShuffleVectorOp)
def shuffles_of_scalable_vectors(op: ShuffleVectorOp) -> None:
    """Of a vector whose size is not known only one lane can be repeated."""
    kind = op.v1.type
    if isinstance(kind, VectorType) and kind.get_num_scalable_dims() and len(set(op.mask.get_values())) > 1:
        raise VerifyException(f"{op.name}: for the scalable {kind} all numbers of the mask are equal")


_METADATA = {
    "access_groups": "llvm.access_group",
    "alias_scopes": "llvm.alias_scope",
    "noalias_scopes": "llvm.alias_scope",
    "tbaa": "llvm.tbaa_tag",
}


@requires(LoadOp, StoreOp)
def metadata_of_accesses(op: LoadOp | StoreOp) -> None:
    """Metadata about aliasing are lists of attributes of their kind."""
    for name, kind in _METADATA.items():
        value = op.attributes.get(name)
        elements = _elements(value)
        right = elements is not None and all(isinstance(v, KeptAsText) and v.name == kind for v in elements)
        if value is not None and not right:
            raise VerifyException(f"{op.name}: '{name}' is a list of #{kind}, got {value}")
