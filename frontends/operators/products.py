"""Products of matrices: as NumPy has them, and sums of products over dims that are named."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible

_Dims = tuple[Sequence[int], Sequence[int]]
"""Dims of two operands, in pairs."""


def numpy_product(b: GraphBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """NumPy's product: a vector on the left is a row, on the right a column, and the result lacks that dim."""
    left, right = shape_of(lhs), shape_of(rhs)
    if not left or not right:
        raise Unconvertible("a factor is a scalar")
    result = b.matmul(
        b.unsqueeze(lhs, [0]) if len(left) == 1 else lhs,
        b.unsqueeze(rhs, [1]) if len(right) == 1 else rhs,
    )
    rank = len(shape_of(result))
    return b.squeeze(result, [axis for axis, shape in ((rank - 2, left), (rank - 1, right)) if len(shape) == 1])


def product_over(b: GraphBuilder, x: SSAValue, y: SSAValue, batch: _Dims, contract: _Dims) -> SSAValue:
    """Sums of products over the pairs `contract`: the dims of the result are those of `batch`, then what is free of `x`
    and of `y`."""
    free = [[d for d in range(len(shape_of(v))) if d not in (*batch[i], *contract[i])] for i, v in enumerate((x, y))]
    sizes = [shape_of(x)[d] for d in batch[0]]
    rows, columns = [shape_of(x)[d] for d in free[0]], [shape_of(y)[d] for d in free[1]]
    depth = prod(shape_of(x)[d] for d in contract[0])
    shape = (*sizes, *rows, *columns)
    if 0 in (*shape, depth):
        return b.splat(0, shape, element_of(x))
    # Dims that end at extents of a call cannot be joined: rows are a stack, of which each is multiplied by `right`.
    joined = rows if rows and not sizes and b.knowledge.extents.get(x) else [prod(rows)]
    left = b.reshape(b.transpose(x, [*batch[0], *free[0], *contract[0]]), (*sizes, *joined, depth))
    right = b.reshape(b.transpose(y, [*batch[1], *contract[1], *free[1]]), (*sizes, depth, prod(columns)))
    return b.reshape(b.matmul(left, right), shape)


def summed_products(
    b: GraphBuilder, operands: Sequence[SSAValue], terms: Sequence[list[str]], result: list[str]
) -> SSAValue:
    """`einsum`: products of all operands, whose dims have the indices `terms`, summed over those that are not in
    `result`. One operand after the other: each pair is a stack of matrix products. An extent of 1 broadcasts."""
    values = [_diagonal(b, v, term) for v, term in zip(operands, terms, strict=True)]
    while len(values) > 1:
        (a, x), (c, y) = values[0], values[1]
        others = {letter for _, term in values[2:] for letter in term} | set(result)
        values[:2] = [_contract(b, a, x, c, y, others)]
    value, term = values[0]
    summed = [i for i, letter in enumerate(term) if letter not in result]
    if summed:
        value = b.reduce("sum", value, summed)
        term = [letter for letter in term if letter in result]
    return b.transpose(value, [term.index(letter) for letter in result])


def _diagonal(b: GraphBuilder, value: SSAValue, term: list[str]) -> tuple[SSAValue, list[str]]:
    """An operand of which no index occurs twice: of one that does, the diagonal."""
    for letter in term:
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            rest = [i for i in range(len(term)) if i not in (first, second)]
            shape = shape_of(value)
            n = shape[first]
            moved = b.transpose(value, [first, second, *rest])
            flat = b.reshape(moved, (n * n, *[shape[i] for i in rest]))
            value = b.slice(flat, 0, 0, n * n, n + 1) if n else flat
            term = [letter, *[term[i] for i in rest]]
    return value, term


def _contract(
    b: GraphBuilder, a: SSAValue, x: list[str], c: SSAValue, y: list[str], kept: set[str]
) -> tuple[SSAValue, list[str]]:
    """The product of two operands, summed over the indices that nobody else has."""
    a, x = _sum_alone(b, a, x, y, kept)
    c, y = _sum_alone(b, c, y, x, kept)
    batch = [i for i in x if i in y and i in kept]
    summed = [i for i in x if i in y and i not in kept]
    extents = dict(zip(x, shape_of(a), strict=True))
    for letter, extent in zip(y, shape_of(c), strict=True):
        extents[letter] = max(extents.get(letter, 1), extent) if extent != 0 else 0
    a = b.broadcast(a, [extents[i] for i in x])
    c = b.broadcast(c, [extents[i] for i in y])
    dims = [([term.index(i) for i in batch], [term.index(i) for i in summed]) for term in (x, y)]
    found = product_over(b, a, c, (dims[0][0], dims[1][0]), (dims[0][1], dims[1][1]))
    return found, [*batch, *(i for i in x if i not in y), *(i for i in y if i not in x)]


def _sum_alone(
    b: GraphBuilder, value: SSAValue, own: list[str], other: list[str], kept: set[str]
) -> tuple[SSAValue, list[str]]:
    """An operand summed over the indices that only it has."""
    alone = [i for i, letter in enumerate(own) if letter not in other and letter not in kept]
    if not alone:
        return value, own
    return b.reduce("sum", value, alone), [letter for i, letter in enumerate(own) if i not in alone]
