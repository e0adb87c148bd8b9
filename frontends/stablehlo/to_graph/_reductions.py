"""Reductions: by one op, the place of an extreme, or by any region on rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part, number_of
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.open_shapes import counts_along, require_fixed
from mlc.frontends.operators.places import neutral
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, convert_block, converts
from mlc.frontends.stablehlo.to_graph._elementwise import combine
from mlc.frontends.stablehlo.to_graph._expressions import comparison, expression, only_op, returned
from mlc.support.dtypes import least_of, most_of

_KINDS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
_OF_TRUTH = {"or": "max", "and": "min", "add": "max", "multiply": "min", "maximum": "max", "minimum": "min"}
_FEW = 16
"""So many rows are combined one after the other without a loop."""


def kind_of(op_name: str, element: object) -> str | None:
    """How the graph calls a reduction by an op of elements of a type; None if it has no such reduction."""
    return _OF_TRUTH.get(op_name) if element == i1 else _KINDS.get(op_name)


@converts("reduce", bounded=True)
def reduce(b: HloCall) -> Converted:
    """A reduction of the graph where the region is one, else a loop over rows."""
    count = len(b.op.operands) // 2
    dims = sorted(b.op.ints("dimensions"))
    if count == 1 and (op := only_op(b.op.body())) is not None:
        name = op.mnemonic()
        if b.is_pair(0):
            if name == "add":
                x, init = b.pair(0), b.pair(1)
                parts = [_by_kind(b, "add", v, i, dims) for v, i in ((x.re, init.re), (x.im, init.im))]
                return Pair(*parts)
        elif kind_of(name, element_of(b[0])) is not None:
            return _by_kind(b, name, b[0], b[1], dims)
    if count == 2 and len(dims) == 1 and (place := _extreme(b, dims[0])) is not None:
        return place
    for i, value in enumerate(b.op.operands[:count]):
        require_fixed(b, value, f"operand {i}")
    return _by_rows(b, count, dims)


def _by_kind(b: HloCall, name: str, x: SSAValue, init: SSAValue, dims: list[int]) -> SSAValue:
    found = reduced(b, name, x, dims)
    kind = kind_of(name, element_of(x))
    assert kind is not None
    known = b.knowledge.array(init)
    own = neutral(kind, element_of(x))
    if known is not None and known.item() == own:
        return found
    if element_of(x) == i1:
        return b(graph.OrOp if kind == "max" else graph.AndOp, found, init)
    return combine(b, name, found, init)


def reduced(b: GraphBuilder, name: str, x: SSAValue, dims: list[int]) -> SSAValue:
    """All elements along dims combined; truth values by way of integers."""
    element = element_of(x)
    kind = kind_of(name, element)
    assert kind is not None
    if not dims:
        return x
    if 0 in (shape_of(x)[d] for d in dims):
        shape = [n for d, n in enumerate(shape_of(x)) if d not in dims]
        return b.splat(neutral(kind, element), shape, element)
    if element == i1:
        wide = b.reduce(kind, b.cast(x, IntegerType(32)), dims)
        return b.compare("ne", wide, b.number(0, wide))
    return b.reduce(kind, x, dims)


def _extreme(b: HloCall, dim: int) -> list[SSAValue] | None:
    """The greatest or the least element and its place, of several the first one, as JAX writes argmax and argmin.

    The second input has to count along the dim, and the region to take a NaN for the extreme.
    """
    block = b.op.body()
    results = returned(block)
    found = _template(results[0].owner, block)
    if found is None:
        return None
    direction, has_nan = found
    if _expected(block, direction, has_nan) != tuple(expression(v, block) for v in results):
        return None
    x, places = b[0], b[1]
    if not shape_of(x)[dim] or not counts_along(b, places, dim):
        return None
    init, first = b.known(2), b.known(3)
    bound = least_of(element_of(x)) if direction == "GT" else most_of(element_of(x))
    if init is None or first is None or init.item() != bound or (is_float(x) and not has_nan):
        return None
    # The starting value stands at place `first`; with a place of 0 it cannot be told from the first element.
    if first.item() != 0:
        return None
    at = b(graph.ArgMaxOp if direction == "GT" else graph.ArgMinOp, x, dim)
    value = b.reduce("max" if direction == "GT" else "min", x, [dim])
    return [value, b.cast(at, b.element(1))]


def _template(op: Any, block: Any) -> tuple[str, bool] | None:
    """The direction of the comparison that a selection goes by, and whether NaN is looked for."""
    if getattr(op, "name", "") != "stablehlo.select":
        return None
    test = op.operands[0].owner
    if getattr(test, "name", "") == "stablehlo.or":
        for operand in test.operands:
            found = comparison(operand)
            if found is not None and found[0] in ("GT", "LT"):
                return found[0], True
        return None
    found = comparison(op.operands[0])
    return (found[0], False) if found is not None and found[0] in ("GT", "LT") else None


def _expected(block: Any, direction: str, has_nan: bool) -> tuple[Any, ...]:
    """What the region of an argmax or argmin returns, as expressions."""
    types = [str(a.type) for a in block.args]
    truth = "tensor<i1>"
    values = [("arg", i) for i in range(4)]

    def kind(i: int) -> str:
        element = block.args[i].type.element_type
        return (
            "FLOAT"
            if str(element).startswith(("f", "bf"))
            else "UNSIGNED"
            if str(element).startswith("ui")
            else "SIGNED"
        )

    def compare(word: str, one: int, two: int) -> tuple[Any, ...]:
        properties = (
            ("compare_type", f"#stablehlo<comparison_type {kind(one)}>"),
            ("comparison_direction", f"#stablehlo<comparison_direction {word}>"),
        )
        return ("stablehlo.compare", properties, truth, values[one], values[two])

    def both(name: str, *operands: tuple[Any, ...]) -> tuple[Any, ...]:
        return (f"stablehlo.{name}", (), truth, *sorted(operands, key=repr))

    better = compare(direction, 0, 2)
    picks = both("or", better, compare("NE", 0, 0)) if has_nan else better
    tied = both("and", compare("EQ", 0, 2), compare("LT", 1, 3))
    place = both("or", picks, tied)
    return (
        ("stablehlo.select", (), types[0], picks, values[0], values[2]),
        ("stablehlo.select", (), types[1], place, values[1], values[3]),
    )


def _by_rows(b: HloCall, count: int, dims: list[int]) -> list[RealOrPair]:
    """Row after row, in the order of the elements, all inputs at once."""
    block = b.op.body()
    inputs = [b.run.number(v) for v in b.op.operands[:count]]
    inits = [b.run.number(v) for v in b.op.operands[count:]]
    shape = shape_of(number_of(inputs[0])[0])
    kept = [d for d in range(len(shape)) if d not in dims]
    steps = prod(shape[d] for d in dims)
    rest = [shape[d] for d in kept]
    rows = [each_part(n, lambda v: b.reshape(b.transpose(v, [*dims, *kept]), (steps, *rest))) for n in inputs]
    carried = [each_part(n, lambda v: b.broadcast(v, rest)) for n in inits]
    if steps <= _FEW:
        for i in range(steps):
            row = [each_part(n, _row(b, i, rest)) for n in rows]
            carried = [
                each_part(n, lambda v: b.broadcast(v, rest)) for n in b.body(block, [*carried, *row], lifted=True)
            ]
        return carried
    scan = ScanWriter(b, steps)
    arguments = [each_part(n, scan.carry) for n in carried]
    elements = [each_part(n, scan.row) for n in rows]
    next = convert_block(b.run, block, [*arguments, *elements], scan.body.end, lifted=True)
    wide = [v for n in next for v in number_of(each_part(n, lambda v: scan.inside.broadcast(v, rest)))]
    return regrouped(scan.finish(wide), carried)


def _row(b: GraphBuilder, index: int, shape: Sequence[int]) -> Callable[[SSAValue], SSAValue]:
    return lambda value: b.reshape(b.slice(value, 0, index, index + 1), shape)


def regrouped(values: list[SSAValue], like: list[RealOrPair]) -> list[RealOrPair]:
    """Tensors as the numbers that they are parts of."""
    rest = iter(values)
    return [Pair(next(rest), next(rest)) if isinstance(n, Pair) else next(rest) for n in like]


@converts("map")
def map_elements(b: HloCall) -> Converted:
    """The region on whole tensors."""
    return b.body(b.op.body(), [b.run.number(v) for v in b.op.operands], lifted=True)
