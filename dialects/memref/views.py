"""Casts and copies of buffers, and what can be asked about them, spelled as upstream spells them."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, UnrankedMemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import BaseAttr, IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.upstream import written
from mlc.support.types import MemRef

_BUFFER = BaseAttr(MemRefType) | BaseAttr(UnrankedMemRefType)


@written("$source attr-dict `:` type($source) `to` type($dest)")
class CastOp(memref.CastOp):
    """The same buffer under a type that says more or less: sizes, strides, an offset, the number of dims.

    ```mlir
    %1 = memref.cast %0 : memref<4x?xf32> to memref<?x8xf32>
    ```

    Constraints:
      cast_c1: both types have the same elements and memory space
      cast_c2: where both say a rank, a size, a stride or the offset, they say the same
      cast_c3: one of the types has a rank
    """

    def verify_(self) -> None:
        super().verify_()
        source, dest = cast(MemRef, self.source.type), cast(MemRef, self.dest.type)
        if source.element_type != dest.element_type or source.memory_space != dest.memory_space:
            raise VerifyException(
                f"memref.cast: {source} and {dest} have other elements or another memory space (cast_c1)"
            )
        if _is_unranked(source) and _is_unranked(dest):
            raise VerifyException("memref.cast: neither of the types has a rank (cast_c3)")
        has_ranks = not _is_unranked(source) and not _is_unranked(dest)
        if has_ranks and not _agree(source, dest):
            raise VerifyException(
                f"memref.cast: {source} and {dest} contradict each other in a size, a stride or the offset (cast_c2)"
            )


def _is_unranked(kind: Attribute) -> bool:
    return isinstance(kind, UnrankedMemRefType)


def _agree(source: MemRef, dest: MemRef) -> bool:
    """Whether sizes and strides are the same where both are known."""
    one, other = source.get_shape(), dest.get_shape()
    if len(one) != len(other):
        return False
    known = [(a, b) for a, b in zip(one, other, strict=True) if DYNAMIC_INDEX not in (a, b)]
    if source.layout == dest.layout or source.get_strides() is None or dest.get_strides() is None:
        return source.layout == dest.layout and all(a == b for a, b in known)
    strides = zip(source.get_strides() or (), dest.get_strides() or (), strict=True)
    pairs: list[tuple[int | None, int | None]] = [*strides, (source.get_offset(), dest.get_offset())]
    return all(a == b for a, b in known) and all(a == b or None in (a, b) for a, b in pairs)


@written("$source attr-dict `:` type($source) `to` type($dest)")
class MemorySpaceCastOp(memref.MemorySpaceCastOp):
    """The same buffer in another memory space.

    ```mlir
    %1 = memref.memory_space_cast %0 : memref<4xf32, 1> to memref<4xf32>
    ```
    """

    def verify_(self) -> None:
        if isinstance(self.source.type, MemRefType):
            super().verify_()


@irdl_op_definition
class CopyOp(IRDLOperation):
    """Copies the elements of a buffer to another of the same shape; the two must not overlap in part.

    ```mlir
    memref.copy %from, %to : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1]>>
    ```

    Constraints:
      copy_c1: both buffers have the same elements, and where their sizes are known, the same shape
    """

    name = "memref.copy"
    source = operand_def(_BUFFER)
    destination = operand_def(_BUFFER)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$source `,` $destination attr-dict `:` type($source) `to` type($destination)"

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(operands=[source, destination])

    def verify_(self) -> None:
        source, destination = cast(MemRef, self.source.type), cast(MemRef, self.destination.type)
        fits = source.element_type == destination.element_type
        if fits and not _is_unranked(source) and not _is_unranked(destination):
            fits = _same_where_known(source.get_shape(), destination.get_shape())
        if not fits:
            raise VerifyException(
                f"memref.copy: {source} is copied to {destination}; shapes and elements must be equal (copy_c1)"
            )


def _same_where_known(one: Sequence[int], other: Sequence[int]) -> bool:
    return len(one) == len(other) and all(a == b or DYNAMIC_INDEX in (a, b) for a, b in zip(one, other, strict=True))


@irdl_op_definition
class RankOp(IRDLOperation):
    """The number of dims of a buffer.

    ```mlir
    %n = memref.rank %0 : memref<*xf32>
    ```
    """

    name = "memref.rank"
    memref = operand_def(_BUFFER)
    rank = result_def(IndexType())
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$memref attr-dict `:` type($memref)"

    def __init__(self, source: SSAValue) -> None:
        super().__init__(operands=[source], result_types=[IndexType()])


@irdl_op_definition
class ExtractAlignedPointerAsIndexOp(IRDLOperation):
    """The address of the first element of a buffer, before its offset.

    ```mlir
    %p = memref.extract_aligned_pointer_as_index %0 : memref<?xf32> -> index
    ```
    """

    name = "memref.extract_aligned_pointer_as_index"
    source = operand_def(_BUFFER)
    aligned_pointer = result_def(IndexType())
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$source `:` type($source) `->` type($aligned_pointer) attr-dict"

    def __init__(self, source: SSAValue) -> None:
        super().__init__(operands=[source], result_types=[IndexType()])
