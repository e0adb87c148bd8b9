"""Products of matrices."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.open_shapes import by_rows
from mlc.frontends.operators.products import numpy_product, summed_products
from mlc.frontends.operators.refusal import Unconvertible


@converts("MatMul", bounded=True)
def mat_mul(b: Node) -> Results:
    """NumPy's product."""
    return numpy_product(b, b[0], b[1])


@converts("Gemm", bounded=True, rounds_once=lambda b: b.float("alpha", 1.0) != 1 or b.has(2))
def gemm(b: Node) -> Results:
    """`alpha A B + beta C`, either factor transposed."""
    lhs = b.transpose(b[0], (1, 0)) if b.flag("transA") else b[0]
    rhs = b.transpose(b[1], (1, 0)) if b.flag("transB") else b[1]
    alpha, beta = b.float("alpha", 1.0), b.float("beta", 1.0)
    bias = b.optional(2)
    if bias is not None and beta != 1:
        bias = b.mul(bias, b.number(beta, bias))

    def product(rows: SSAValue) -> SSAValue:
        result = b.matmul(rows, rhs)
        if alpha != 1:
            result = b.mul(result, b.number(alpha, result))
        return result if bias is None else b.add(result, bias)

    is_same_for_rows = bias is None or len(shape_of(bias)) < 2
    return by_rows(b, lhs, product) if is_same_for_rows else product(lhs)


@converts("Einsum", bounded=True, rounds_once=lambda b: len(b.operands) > 2)
def einsum(b: Node) -> Results:
    """Sums of products in index notation, one operand after the other: each pair is a stack of matrix products."""
    terms, result = _equation(b)
    return summed_products(b, b.operands, terms, result)


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
