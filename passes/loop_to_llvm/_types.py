"""Types and small constants of the llvm level, made once."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects.llvm.call_intrinsic import CallIntrinsicOp
from mlc.dialects.llvm.integers import NO_OVERFLOW_FLAGS, ShlOp
from mlc.support.types import scalar_attribute, vector_of, vector_type

POINTER = llvm.LLVMPointerType()

ACCESSES = "convert-accesses-to-llvm"
"""The first half of `convert-loop-to-llvm`, for loads and stores: their patterns see memrefs, with their shapes."""
VALUES = "convert-loop-to-llvm"
"""The second half, for everything else: memrefs become pointers, index becomes an integer."""


_index: ContextVar[IntegerType[int]] = ContextVar("index", default=i64)
"""What index is in the module that is being lowered."""


@contextmanager
def index_width(bits: int) -> Generator[None]:
    """Lower index to integers of so many bits inside."""
    token = _index.set(IntegerType(bits))
    try:
        yield
    finally:
        _index.reset(token)


def index_type() -> IntegerType[int]:
    """The integers that index becomes: as wide as the target's addresses."""
    return _index.get()


def lower_type(attribute: Attribute) -> Attribute:
    """The type at the llvm level: index is an integer, a memref is its address."""
    match attribute:
        case IndexType():
            return index_type()
        case MemRefType():
            return POINTER
        case VectorType() if isinstance(attribute.element_type, IndexType):
            return VectorType(index_type(), attribute.get_shape())
        case _:
            return attribute


def memory_element(element: Attribute) -> Attribute:
    """How an element is kept in memory: an i1 takes a byte, an index an integer."""
    return i8 if element == i1 else lower_type(element)


def in_memory(accessed: Attribute) -> Attribute:
    """How a value, scalar or vector, is kept in memory."""
    vector = vector_type(accessed)
    if vector is None:
        return memory_element(accessed)
    element = memory_element(vector.element_type)
    return accessed if element is vector.element_type else VectorType(element, vector.get_shape())


def bit_width(attribute: Attribute) -> int:
    """The number of bits of an integer, index or float; of an element, for a vector."""
    vector = vector_type(attribute)
    scalar = lower_type(attribute if vector is None else vector.element_type)
    return cast(int, cast(Any, scalar).bitwidth)


def integer_constant(value: int, kind: Attribute | None = None) -> llvm.ConstantOp:
    """A new constant op, of the type of index unless another is given."""
    kind = kind or index_type()
    return llvm.ConstantOp.create(result_types=[kind], properties={"value": _integer(value, kind)})


@lru_cache(maxsize=4096)
def _integer(value: int, kind: Attribute) -> IntegerAttr[Any]:
    return IntegerAttr(value, cast(Any, kind))


def number_of(kind: Attribute, value: float) -> Attribute:
    """The value of a constant of type `kind`: one number, or as many as a vector has lanes."""
    return _integer_of(kind, value) if isinstance(value, int) else _number_of(kind, value)


def _number_of(kind: Attribute, value: float) -> Attribute:
    if (vector := vector_type(kind)) is not None:
        return DenseIntOrFPElementsAttr.from_list(vector, [value])
    return scalar_attribute(value, kind)


_integer_of = lru_cache(maxsize=4096)(_number_of)  # not of floats: zeros of both signs are equal


def truncate(value: SSAValue, kind: Attribute) -> llvm.TruncOp:
    """An integer without its high bits. MLIR before version 20 reads no overflow flags here, so there are none."""
    return llvm.TruncOp.create(operands=[value], result_types=[kind])


def intrinsic(name: str, operands: Sequence[SSAValue], result: Attribute) -> CallIntrinsicOp:
    """A call of an intrinsic of LLVM that has a result of this type."""
    properties = {"intrin": _name(name), "fastmathFlags": _NO_FAST_MATH}
    return CallIntrinsicOp.create(operands=operands, result_types=[result], properties=properties)


@lru_cache(maxsize=4096)
def _name(name: str) -> StringAttr:
    return StringAttr(name)


@cache
def array_of(size: int, element: Attribute) -> llvm.LLVMArrayType:
    """`size` elements that follow each other."""
    return llvm.LLVMArrayType(size, element)


@cache
def _constant_indices(index: int) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i32, [index])


_NO_FLAGS = IntegerAttr(0, 32)
_NO_FAST_MATH = llvm.FastMathAttr(None)
_UNIT = UnitAttr()


def offset(pointer: SSAValue, index: int | SSAValue, element: Attribute, *, inbounds: bool = True) -> llvm.GEPOp:
    """The address of the `index`-th `element` from `pointer`; a number must fit 32 bits."""
    dynamic = isinstance(index, SSAValue)
    properties: dict[str, Attribute] = {
        "elem_type": element,
        "rawConstantIndices": _constant_indices(llvm.GEP_USE_SSA_VAL if dynamic else index),
        "noWrapFlags": _NO_FLAGS,
    }
    if inbounds:
        properties["inbounds"] = _UNIT
    operands = [pointer, index] if dynamic else [pointer]
    return llvm.GEPOp.create(operands=operands, result_types=[POINTER], properties=properties)


def offset_of_field(pointer: SSAValue, struct: llvm.LLVMStructType, field: int) -> llvm.GEPOp:
    """The address of a field of the struct that `pointer` points to."""
    return llvm.GEPOp(pointer, [0, field], struct, inbounds=True)


def shuffle(lhs: SSAValue, rhs: SSAValue, lanes: Sequence[int]) -> llvm.ShuffleVectorOp:
    """The lanes at these positions of `lhs` followed by `rhs`; -1 is a lane that nobody reads."""
    source = vector_type(lhs.type)
    assert source is not None
    kind, mask = vector_of(source.element_type, len(lanes)), _mask(tuple(lanes))
    return llvm.ShuffleVectorOp.create(operands=[lhs, rhs], result_types=[kind], properties={"mask": mask})


@lru_cache(maxsize=4096)
def _mask(lanes: tuple[int, ...]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i32, lanes)


def shifted(target: type[Operation], value: SSAValue, by: int) -> list[Operation]:
    """Ops that shift an integer, or each lane of a vector, by so many bits; the last one gives it."""
    amount = llvm.ConstantOp.create(result_types=[value.type], properties={"value": number_of(value.type, by)})
    flags: dict[str, Attribute] = {"overflowFlags": NO_OVERFLOW_FLAGS} if target is ShlOp else {}
    return [amount, target.create(operands=[value, amount.result], result_types=[value.type], properties=flags)]


def concatenated(parts: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
    """Ops that make one vector of a power of two of vectors of one type, and that vector."""
    ops: list[Operation] = []
    while len(parts) > 1:
        source = vector_type(parts[0].type)
        assert source is not None
        lanes = range(2 * source.get_shape()[0])
        joined = [shuffle(a, b, lanes) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        ops += joined
        parts = [op.res for op in joined]
    return ops, parts[0]
