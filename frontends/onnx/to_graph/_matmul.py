"""Products of matrices."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible


def matmul(b: GraphBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """NumPy's product: a vector on the left is a row, on the right a column, and the result lacks that dim."""
    left, right = shape_of(lhs), shape_of(rhs)
    if not left or not right:
        raise Unconvertible("a factor is a scalar")
    result = b.matmul(
        b.unsqueeze(lhs, [0]) if len(left) == 1 else lhs,
        b.unsqueeze(rhs, [1]) if len(right) == 1 else rhs,
    )
    rank = len(shape_of(result))
    added = [axis for axis, shape in ((rank - 2, left), (rank - 1, right)) if len(shape) == 1]
    return b.squeeze(result, added)


@converts("MatMul", bounded=True)
def mat_mul(b: Node) -> Results:
    """NumPy's product."""
    return matmul(b, b[0], b[1])


@converts(
    "Gemm", bounded=True, rounds_once=lambda b: b.float("alpha", 1.0) != 1 or (b.has(2) and b.float("beta", 1.0) != 1)
)
def gemm(b: Node) -> Results:
    """`alpha A B + beta C`, either factor transposed."""
    lhs = b.transpose(b[0], (1, 0)) if b.flag("transA") else b[0]
    rhs = b.transpose(b[1], (1, 0)) if b.flag("transB") else b[1]
    result = b.matmul(lhs, rhs)
    alpha, beta = b.float("alpha", 1.0), b.float("beta", 1.0)
    if alpha != 1:
        result = b.mul(result, b.number(alpha, result))
    if (bias := b.optional(2)) is None:
        return result
    if beta != 1:
        bias = b.mul(bias, b.number(beta, bias))
    return b.add(result, bias)


@converts("Einsum", rounds_once=lambda b: len(b.operands) > 2)
def einsum(b: Node) -> Results:
    """Sums of products in index notation, one operand after the other: each pair is a stack of matrix products."""
    terms, result = _equation(b)
    values = [_diagonal(b, v, term) for v, term in zip(b.operands, terms, strict=True)]
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


def _equation(b: Node) -> tuple[list[list[str]], list[str]]:
    """The indices of each operand and of the result; what `...` stands for is upper-case Greek."""
    text = b.string("equation").replace(" ", "")
    left, arrow, right = text.partition("->")
    words = left.split(",")
    if len(words) != len(b.operands):
        raise Unconvertible(f"the equation '{text}' names {len(words)} operands of {len(b.operands)}")
    terms: list[list[str]] = []
    widest: list[str] = []
    for i, word in enumerate(words):
        before, dots, after = word.partition("...")
        count = b.rank(i) - len(before) - len(after)
        if count < 0 or (count and not dots):
            raise Unconvertible(f"'{word}' of the equation '{text}' does not fit {b.rank(i)} dims")
        free = [chr(0x391 + 20 - n) for n in range(count)][::-1]
        widest = max(widest, free, key=len)
        terms.append([*before, *free, *after])
    if arrow:
        before, dots, after = right.partition("...")
        return terms, [*before, *(widest if dots else []), *after]
    letters = [letter for term in terms for letter in term]
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1 and letter not in widest)
    return terms, [*widest, *once]


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
    rows, columns = [i for i in x if i not in y], [i for i in y if i not in x]
    extents = dict(zip(x, shape_of(a), strict=True))
    for letter, extent in zip(y, shape_of(c), strict=True):
        extents[letter] = max(extents.get(letter, 1), extent) if extent != 0 else 0
    a = b.broadcast(a, [extents[i] for i in x])
    c = b.broadcast(c, [extents[i] for i in y])

    def sizes(letters: list[str]) -> list[int]:
        return [extents[i] for i in letters]

    lhs = b.transpose(a, [x.index(i) for i in (*batch, *rows, *summed)])
    rhs = b.transpose(c, [y.index(i) for i in (*batch, *summed, *columns)])
    lhs = b.reshape(lhs, (*sizes(batch), prod(sizes(rows)), prod(sizes(summed))))
    rhs = b.reshape(rhs, (*sizes(batch), prod(sizes(summed)), prod(sizes(columns))))
    term = [*batch, *rows, *columns]
    return b.reshape(b.matmul(lhs, rhs), sizes(term)), term


def _sum_alone(
    b: GraphBuilder, value: SSAValue, own: list[str], other: list[str], kept: set[str]
) -> tuple[SSAValue, list[str]]:
    """An operand summed over the indices that only it has."""
    alone = [i for i, letter in enumerate(own) if letter not in other and letter not in kept]
    if not alone:
        return value, own
    return b.reduce("sum", value, alone), [letter for i, letter in enumerate(own) if i not in alone]
