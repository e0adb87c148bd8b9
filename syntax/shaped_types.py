"""What shaped types may consist of. These are rules of MLIR that xDSL's types do not check."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ComplexType,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefLayoutAttr,
    MemRefType,
    NoneType,
    StridedLayoutAttr,
    TensorType,
    TupleType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute

from mlc.syntax.errors import Fault

_NUMBERS = (IntegerType, IndexType, AnyFloat)
_MEMREFS = (MemRefType, UnrankedMemRefType)
_NO_ELEMENTS = {
    "tensor": (*_MEMREFS, TensorType, UnrankedTensorType, TupleType, NoneType, FunctionType),
    "memref": (TensorType, UnrankedTensorType, TupleType, NoneType, FunctionType),
    "vector": (*_MEMREFS, TensorType, UnrankedTensorType, TupleType, NoneType, FunctionType, ComplexType, VectorType),
}
"""The builtin types of which there are no tensors, buffers and vectors; other dialects know their own."""
_ELEMENTS = {
    "tensor": "integers, indices, floats, complex numbers or vectors",
    "memref": "integers, indices, floats, complex numbers, vectors or memrefs",
    "vector": "integers, indices or floats",
}
_LARGEST = 2**63 - 1


def check_shaped(kind: str, sizes: Sequence[int | None] | None, element: Attribute, position: int | None) -> None:
    """Raise Fault unless there are tensors, memrefs or vectors (`kind`) of these elements and sizes.

    Args:
        sizes: None for a dynamic size, and for unranked types.
    """
    if isinstance(element, _NO_ELEMENTS[kind]):
        raise Fault(f"the elements of a {kind} are {_ELEMENTS[kind]}, got {element}", position)
    for size in sizes or ():
        if size is not None and size > _LARGEST:
            raise Fault(f"a size has at most 64 bits, got {size}", position)
        if kind == "vector" and size is None:
            raise Fault("a vector has no dynamic sizes", position)
        if kind == "vector" and size == 0:
            raise Fault("the sizes of a vector are positive, got 0", position)


def check_layout(layout: MemRefLayoutAttr, rank: int, position: int | None) -> None:
    """Raise Fault unless `layout` is one of memrefs of `rank` dimensions."""
    found = rank
    if isinstance(layout, StridedLayoutAttr):
        found = len(layout.strides.data)
    elif isinstance(layout, AffineMapAttr):
        found = layout.data.num_dims
    if found != rank:
        raise Fault(f"the layout {layout} is of rank {found}, the memref of rank {rank}", position)
