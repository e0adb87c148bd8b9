"""Views of stretches of memory: what a kernel gets that works on a part of a buffer."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, I64, IntegerAttr, MemRefType, NoneAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import MemRef, memref_type


@irdl_op_definition
class SpanOp(IRDLOperation):
    """Elements of a row-major buffer that follow each other, in the order in which they lie: the same memory.

    ```mlir
    %column = loop.span %x from 3 : memref<8x400xf32> -> memref<2801xf32>
    ```

    These are the elements from `%x[0, 3]` to `%x[7, 3]`, those in between included.

    Constraints:
      span_c1: the buffer is static and row-major
      span_c2: the result has one dim, no layout, and the element type and memory space of the buffer
      span_c3: all elements of the result are in the buffer
    """

    name = "loop.span"
    source = operand_def(MemRefType)
    start = prop_def(IntegerAttr.constr(I64))
    result = result_def(MemRefType)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$source `from` $start attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, start: int, length: int) -> None:
        """
        Args:
            source: the buffer.
            start: the number of its element that becomes the first one.
            length: how many elements.
        """
        result = span_type(memref_type(source), length)
        super().__init__(operands=[source], result_types=[result], properties={"start": IntegerAttr(start, i64)})

    def verify_(self) -> None:
        source, result = memref_type(self.source), memref_type(self.result)
        if not isinstance(source.layout, NoneAttr) or DYNAMIC_INDEX in source.get_shape():
            raise VerifyException(f"loop.span: the buffer must be static and row-major, got {source} (span_c1)")
        if DYNAMIC_INDEX in result.get_shape() or result != span_type(source, prod(result.get_shape())):
            raise VerifyException(
                f"loop.span: the result type is {result}, required one static dim of {source.element_type} (span_c2)"
            )
        start, elements = self.start.value.data, prod(source.get_shape())
        if start < 0 or start + prod(result.get_shape()) > elements:
            end = start + prod(result.get_shape()) - 1
            raise VerifyException(
                f"loop.span: takes the elements {start} to {end}, the buffer has 0 to {elements - 1} (span_c3)"
            )


def span_type(source: MemRef, length: int) -> MemRef:
    """The type of so many elements of a buffer."""
    return MemRefType(source.element_type, [length], memory_space=source.memory_space)
