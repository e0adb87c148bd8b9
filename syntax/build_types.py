"""Actions of the grammar: types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    BoolAttr,
    ComplexType,
    FunctionType,
    IntegerType,
    MemRefLayoutAttr,
    MemRefType,
    TensorType,
    TupleType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute, TypeAttribute

from mlc.syntax.lexer import Name
from mlc.syntax.shaped_types import check_layout, check_shaped
from mlc.syntax.state import State

Dim = tuple["int | None", bool]
"""A size (None: dynamic) and whether it is scalable."""
ParsedShape = tuple["list[int] | None", Attribute]
"""Sizes (None: unranked) and the element type."""
TypeLists = tuple[list[Attribute], list[Attribute]]


class TypeActions(State):
    """Makes types. The arguments of each action are the values of the grammar's symbols, punctuation included."""

    def signature(
        self, _open: str, inputs: list[Attribute], _close: str, _arrow: str, outputs: list[Attribute]
    ) -> TypeLists:
        """`(a, b) -> c`."""
        return inputs, outputs

    def function_type(self, signature: TypeLists) -> Attribute:
        """A signature as a type."""
        return FunctionType.from_lists(*signature)

    def ranked_shape(self, dims: list[Dim], element: Attribute) -> ParsedShape:
        """`4x?xf32`."""
        return [DYNAMIC_INDEX if size is None else size for size, _ in dims], element

    def unranked_shape(self, _star: str, element: Attribute) -> ParsedShape:
        """`*xf32`."""
        return None, element

    def tensor(self, word: Name, _open: str, shape: ParsedShape, _close: str) -> Attribute:
        """`tensor<4xf32>`."""
        sizes, element = shape
        check_shaped("tensor", sizes, element, word.position)
        return UnrankedTensorType(element) if sizes is None else TensorType(element, sizes)

    def encoded_tensor(
        self, word: Name, _open: str, shape: ParsedShape, _comma: str, encoding: Attribute, _close: str
    ) -> Attribute:
        """`tensor<4xf32, #encoding>`."""
        sizes, element = shape
        check_shaped("tensor", sizes, element, word.position)
        if sizes is None:
            self.fault("an unranked tensor has no encoding", word.position)
        return TensorType(element, sizes, encoding)

    def memref(self, word: Name, _open: str, shape: ParsedShape, _close: str) -> Attribute:
        """`memref<4xf32>`."""
        sizes, element = shape
        check_shaped("memref", sizes, element, word.position)
        return UnrankedMemRefType.from_type(element) if sizes is None else MemRefType(element, sizes)

    def qualified_memref(
        self, word: Name, _open: str, shape: ParsedShape, _comma: str, qualifier: Attribute, _close: str
    ) -> Attribute:
        """`memref<4xf32, layout-or-memory-space>`."""
        sizes, element = shape
        check_shaped("memref", sizes, element, word.position)
        if sizes is None:
            return UnrankedMemRefType.from_type(element, qualifier)
        if isinstance(qualifier, MemRefLayoutAttr):
            if self.checked:
                check_layout(qualifier, len(sizes), word.position)
            return MemRefType(element, sizes, layout=qualifier)
        return MemRefType(element, sizes, memory_space=qualifier)

    def strided_memref(
        self,
        word: Name,
        _open: str,
        shape: ParsedShape,
        _c1: str,
        layout: Attribute,
        _c2: str,
        space: Attribute,
        _close: str,
    ) -> Attribute:
        """`memref<4xf32, layout, memory-space>`."""
        sizes, element = shape
        if sizes is None or not isinstance(layout, MemRefLayoutAttr):
            self.fault(f"expected the layout of a memref, got {layout}", word.position)
        check_shaped("memref", sizes, element, word.position)
        if self.checked:
            check_layout(layout, len(sizes), word.position)
        return MemRefType(element, sizes, layout, space)

    def vector(self, word: Name, _open: str, dims: list[Dim], element: Attribute, _close: str) -> Attribute:
        """`vector<4x[8]xf32>`."""
        check_shaped("vector", [size for size, _ in dims], element, word.position)
        scalable = ArrayAttr(BoolAttr.from_bool(s) for _, s in dims)
        return VectorType(cast(Any, element), [cast(int, size) for size, _ in dims], scalable)

    def complex(self, _word: Name, _open: str, element: Attribute, _close: str) -> Attribute:
        """`complex<f32>`."""
        if not isinstance(element, IntegerType | AnyFloat):
            self.fault(f"a complex type has integer or float parts, got {element}")
        return ComplexType(cast(Any, element))

    def tuple(self, _word: Name, _open: str, types: Sequence[Attribute], _close: str) -> Attribute:
        """`tuple<f32, i32>`."""
        return TupleType(ArrayAttr(cast(Sequence[TypeAttribute], types)))
