"""Sorting: the region has to compare what one function makes of two elements, or several such keys in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Block, BlockArgument, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.stablehlo import HloOp
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part
from mlc.frontends.operators.places import taken_along
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts
from mlc.frontends.stablehlo.to_graph._elementwise import total_order
from mlc.frontends.stablehlo.to_graph._expressions import comparison, expression, returned


@dataclass(frozen=True)
class _Key:
    """What elements are sorted by: a value of the region, which is made of an element of one input."""

    value: SSAValue
    input: int
    descending: bool
    total: bool


@converts("sort", bounded=True)
def sort(b: HloCall) -> Converted:
    """The positions of the sorted keys, and all inputs read there. Sorting is stable, so that the last key is first."""
    block = b.op.body()
    keys = _keys(returned(block)[0], block)
    if keys is None:
        raise Unconvertible(
            "mlc does not know its comparator; required: 'less' or 'greater' of one function of both elements, "
            "or several in order, as in 'a < b or (a == b and c < d)'"
        )
    inputs = [b.run.number(v) for v in b.op.operands]
    shape = _shape(b)
    axis = b.op.number("dimension", -1) % len(shape) if shape else 0
    if not shape or shape[axis] < 2 or 0 in shape:
        return inputs
    order: SSAValue | None = None
    for key in reversed(keys):
        value = _computed(b, block, key)
        if order is not None:
            value = taken_along(b, value, order, axis)
        found = b(graph.ArgsortOp, value, axis, descending=key.descending)
        order = found if order is None else taken_along(b, order, found, axis)
    assert order is not None
    at = order
    return [each_part(n, lambda v: taken_along(b, v, at, axis)) for n in inputs]


def _keys(value: SSAValue, block: Block) -> list[_Key] | None:
    """The keys of a comparator, the most significant one first; None if it is none that can be proved to be one."""
    if (key := _key(value, block)) is not None:
        return [key]
    op = value.owner
    if not isinstance(op, HloOp) or op.name != "stablehlo.or":
        return None
    for first, rest in (tuple(op.operands), tuple(reversed(op.operands))):
        key, both = _key(first, block), rest.owner
        if key is None or not isinstance(both, HloOp) or both.name != "stablehlo.and":
            continue
        for equal, others in (tuple(both.operands), tuple(reversed(both.operands))):
            if _says_equal(equal, key, block) and (more := _keys(others, block)) is not None:
                return [key, *more]
    return None


def _key(value: SSAValue, block: Block) -> _Key | None:
    found = comparison(value)
    if found is None or found[0] not in ("LT", "GT"):
        return None
    direction, kind, one, two = found
    swapped = {i: i ^ 1 for i in range(len(block.args))}
    if expression(one, block) != expression(two, block, swapped):
        return None
    inputs = _arguments(one, block)
    if len(inputs) != 1:
        return None
    (index,) = inputs
    # The operands of the comparison may be exchanged.
    descending = (direction == "GT") == (index % 2 == 0)
    if kind in ("FLOAT", "") and str(getattr(one.type, "element_type", "")).startswith("complex"):
        return None
    return _Key(one, index, descending, kind == "TOTALORDER")


def _arguments(value: SSAValue, block: Block) -> set[int]:
    if value in block.args:
        return {[*block.args].index(cast(BlockArgument, value))}
    op = value.owner
    if isinstance(op, Block) or op.parent is not block:
        return set()  # from outside of the region, such as a constant
    if not isinstance(op, HloOp) or not op.POINTWISE:
        return {-1, -2}
    return {index for v in op.operands for index in _arguments(v, block)}


def _says_equal(value: SSAValue, key: _Key, block: Block) -> bool:
    found = comparison(value)
    if found is None or found[0] != "EQ":
        return False
    swapped = {i: i ^ 1 for i in range(len(block.args))}
    one, two = expression(found[2], block), expression(found[3], block)
    own, other = expression(key.value, block), expression(key.value, block, swapped)
    return (one, two) in ((own, other), (other, own)) or (one in (own, other) and two in (own, other) and one != two)


def _shape(b: HloCall) -> tuple[int, ...]:
    """That of all operands."""
    first = b.run.number(b.op.operands[0])
    return shape_of(first.re if isinstance(first, Pair) else first)


def _computed(b: HloCall, block: Block, key: _Key) -> SSAValue:
    """A key of all elements: the ops that make it, on the whole input."""
    arguments: list[RealOrPair] = [b.run.number(b.op.operands[i // 2]) for i in range(len(block.args))]
    value = arguments[key.input] if key.value in block.args else _of_block(b, block, arguments, key.value)
    if isinstance(value, Pair):
        raise Unconvertible("it sorts by complex numbers; mlc sorts by real ones")
    value = b.broadcast(value, _shape(b))
    if key.total and not isinstance(element_of(value), IntegerType):
        return total_order(b, value)
    return b.cast(value, IntegerType(32)) if element_of(value) == i1 else value


def _of_block(b: HloCall, block: Block, arguments: list[RealOrPair], value: SSAValue) -> RealOrPair:
    """What a value of a region is for whole tensors."""
    last = block.last_op
    assert last is not None
    before = list(last.operands)
    # The region is only looked at, so that what it returns is put back.
    last.operands = [value]
    try:
        (found,) = b.body(block, arguments, lifted=True)
    finally:
        last.operands = before
    return found


@converts("chlo.top_k")
def top_k(b: HloCall) -> Converted:
    """The first of the descending order, by the total order of floats as in XLA."""
    x, k = b[0], b.op.number("k")
    axis = len(shape_of(x)) - 1
    if b.is_empty:
        return [b.splat(0, b.shape(), element_of(x)), b.splat(0, b.shape(), b.element(1))]
    key = x if isinstance(element_of(x), IntegerType) else total_order(b, x)
    key = b.cast(key, IntegerType(32)) if element_of(key) == i1 else key
    order = b(graph.ArgsortOp, key, axis, descending=True, first=k)
    return [taken_along(b, x, order, axis), b.cast(order, b.element(1))]
