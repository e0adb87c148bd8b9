"""Vector accesses that touch only some elements of a stretch of memory: the first lanes of it, or one in every few.

A machine that has them gets masked instructions. Others get plain accesses of a power of two of elements, largest
first, that are put together by shuffles: eleven lanes are eight, two and one.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import loop
from mlc.dialects.llvm import vectors
from mlc.passes.loop_to_llvm._types import bit_width, in_memory, integer_constant, lower_type, offset, shuffle, truncate
from mlc.support.types import Vector, element_type, memref_type, vector_of, vector_type
from mlc.targets.machine import Machine

ORDERING: dict[str, Attribute] = {"ordering": IntegerAttr(0, i64)}
"""What every load and store of llvm says: nothing about other threads."""


def load_lanes(op: loop.LoadOp, pointer: SSAValue, machine: Machine) -> list[Operation]:
    """Ops that load the active lanes of a vector from `pointer` on; the last one has the vector, 0 in other lanes."""
    wanted = op.result.type
    stored = cast(Vector, in_memory(wanted))
    length, active = _lengths(op)
    if not op.is_consecutive:
        distance = _distance(op)
        pairs = distance == 2 and active == length > 1
        new = _load_every_other(pointer, stored) if pairs else _load_apart(pointer, stored, distance, active)
    elif active.bit_count() > 1 and machine.has_masked_load(bit_width(stored)):
        new = _masked_load(pointer, stored, active)
    else:
        new = _load_pieces(pointer, stored, length, active)
    return new if stored == lower_type(wanted) else [*new, truncate(new[-1].results[0], wanted)]


def store_lanes(op: loop.StoreOp, pointer: SSAValue, machine: Machine) -> list[Operation]:
    """Ops that store the active lanes of a vector from `pointer` on."""
    new: list[Operation] = []
    value = op.value
    stored = cast(Vector, in_memory(value.type))
    if stored != lower_type(value.type):
        new.append(wide := llvm.ZExtOp(value, stored))
        value = wide.res
    length, active = _lengths(op)
    if not op.is_consecutive:
        return [*new, *_store_apart(value, pointer, _distance(op), active)]
    if active.bit_count() > 1 and machine.has_masked_store(bit_width(stored)):
        return [*new, *_masked_store(value, pointer, active)]
    return [*new, *_store_pieces(value, pointer, length, active)]


def _lengths(op: loop.LoadOp | loop.StoreOp) -> tuple[int, int]:
    """How many lanes there are, and how many of them are active."""
    vector = vector_type(op.accessed)
    assert vector is not None
    (length,) = vector.get_shape()
    active = op.lanes.active
    return length, length if active is None else active


def _distance(op: loop.LoadOp | loop.StoreOp) -> int:
    """How many elements two neighbouring lanes are apart in memory."""
    shape = memref_type(op.memref).get_shape()
    along = op.lanes.along
    return op.lanes.stride * (1 if along is None else prod(shape[along + 1 :]))


def _zero(kind: Vector) -> llvm.ConstantOp:
    return llvm.ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, kind), [0]), kind)


# Masked instructions ---------------------------------------------------------------------------------------------


def _mask(kind: Vector, active: int) -> llvm.ConstantOp:
    (length,) = kind.get_shape()
    mask = vector_of(i1, length)
    return llvm.ConstantOp(DenseIntOrFPElementsAttr.from_list(mask, [i < active for i in range(length)]), mask)


def _element_alignment(kind: Vector) -> dict[str, Attribute]:
    return {"alignment": IntegerAttr(bit_width(kind) // 8, i32)}


def _masked_load(pointer: SSAValue, kind: Vector, active: int) -> list[Operation]:
    mask, zero = _mask(kind, active), _zero(kind)
    operands = [pointer, mask.result, zero.results[0]]
    load = vectors.MaskedLoadOp.create(operands=operands, result_types=[kind], properties=_element_alignment(kind))
    return [mask, zero, load]


def _masked_store(value: SSAValue, pointer: SSAValue, active: int) -> list[Operation]:
    kind = cast(Vector, value.type)
    mask = _mask(kind, active)
    operands = [value, pointer, mask.result]
    return [mask, vectors.MaskedStoreOp.create(operands=operands, properties=_element_alignment(kind))]


# Pieces ----------------------------------------------------------------------------------------------------------


def _pieces(active: int) -> Iterator[tuple[int, int]]:
    """The position and the length of each power of two in `active`, largest first."""
    position = 0
    while position < active:
        length = 1 << ((active - position).bit_length() - 1)
        yield position, length
        position += length


def _load_pieces(pointer: SSAValue, kind: Vector, length: int, active: int) -> list[Operation]:
    zero = _zero(kind)
    new: list[Operation] = [zero]
    result: SSAValue = zero.results[0]
    for position, size in _pieces(active):
        at = _address(pointer, position, kind, new)
        part = _load(at, kind, size)
        new.append(part)
        if size == 1:
            result = _insert(part.results[0], result, position, new)
            continue
        spread = [i - position if position <= i < position + size else -1 for i in range(length)]
        new.append(wide := shuffle(part.results[0], part.results[0], spread))
        lanes = [length + i if position <= i < position + size else i for i in range(length)]
        new.append(joined := shuffle(result, wide.res, lanes))
        result = joined.res
    return new


def _store_pieces(value: SSAValue, pointer: SSAValue, length: int, active: int) -> list[Operation]:
    kind = cast(Vector, value.type)
    new: list[Operation] = []
    for position, size in _pieces(active):
        at = _address(pointer, position, kind, new)
        if size == 1:
            part = _extract(value, position, new)
        elif size == length:
            part = value
        else:
            new.append(piece := shuffle(value, value, range(position, position + size)))
            part = piece.res
        new.append(llvm.StoreOp.create(operands=[part, at], properties=ORDERING))
    return new


# Elements that are apart ---------------------------------------------------------------------------------------------


def _load_every_other(pointer: SSAValue, kind: Vector) -> list[Operation]:
    """Two vectors, of which the second ends with the last element that is wanted, and what is wanted of both."""
    (length,) = kind.get_shape()
    new: list[Operation] = [low := _load(pointer, kind, length)]
    new.append(high := _load(_address(pointer, length - 1, kind, new), kind, length))
    lanes = [2 * lane if 2 * lane < length else 2 * lane + 1 for lane in range(length)]
    return [*new, shuffle(low.results[0], high.results[0], lanes)]


def _load_apart(pointer: SSAValue, kind: Vector, distance: int, active: int) -> list[Operation]:
    """One element after the other, put into its lane."""
    first: Operation = _zero(kind)
    if active == kind.get_shape()[0]:
        first = vectors.PoisonOp.create(result_types=[kind])
    new: list[Operation] = [first]
    result = first.results[0]
    for lane in range(active):
        at = _address(pointer, lane * distance, kind, new)
        new.append(element := _load(at, kind, 1))
        result = _insert(element.results[0], result, lane, new)
    return new


def _store_apart(value: SSAValue, pointer: SSAValue, distance: int, active: int) -> list[Operation]:
    """One element after the other, taken out of its lane."""
    kind = cast(Vector, value.type)
    new: list[Operation] = []
    for lane in range(active):
        at = _address(pointer, lane * distance, kind, new)
        element = _extract(value, lane, new)
        new.append(llvm.StoreOp.create(operands=[element, at], properties=ORDERING))
    return new


def _address(pointer: SSAValue, elements: int, kind: Vector, new: list[Operation]) -> SSAValue:
    """The address of an element after `pointer`."""
    if not elements:
        return pointer
    index: int | SSAValue = elements
    if elements >= 2**31:
        new.append(constant := integer_constant(elements))
        index = constant.result
    new.append(step := offset(pointer, index, element_type(kind)))
    return step.result


def _load(pointer: SSAValue, kind: Vector, length: int) -> Operation:
    """A load of one element, or of a vector of `length`."""
    element = element_type(kind)
    loaded = element if length == 1 else kind if length == kind.get_shape()[0] else vector_of(element, length)
    return llvm.LoadOp.create(operands=[pointer], result_types=[loaded], properties=ORDERING)


def _insert(element: SSAValue, vector: SSAValue, lane: int, new: list[Operation]) -> SSAValue:
    new += [position := integer_constant(lane)]
    new += [insert := llvm.InsertElementOp(vector, element, position.result)]
    return insert.res


def _extract(vector: SSAValue, lane: int, new: list[Operation]) -> SSAValue:
    new += [position := integer_constant(lane)]
    new += [extract := vectors.ExtractElementOp(vector, position.result)]
    return extract.res
