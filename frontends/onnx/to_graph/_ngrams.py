"""Counting sequences of words, which are numbers here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import PASS, FromOnnx, Results
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers

Gram = tuple[int, ...]


@lowers(PASS, onnx.op("TfIdfVectorizer"))
class TfIdfVectorizer(FromOnnx):
    """How often each n-gram of a pool occurs in a row, with every number of words between its words up to a limit."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        grams = _grams(node)
        rank = node.rank()
        if rank > 2:
            raise Unconvertible(f"x has shape {list(node.shape())}; it is a row of words, or rows of them")
        words = b.cast(node[0], i64)
        batch, length = shape_of(words) if rank == 2 else (1, int(np.prod(node.shape())))
        words = b.reshape(words, (batch, length))
        indexes = np.asarray(node.list("ngram_indexes"), np.int64)
        size = int(indexes.max(initial=-1)) + 1
        total = b.splat(0, (size, batch), f32)
        for count in sorted({len(gram) for gram in grams}):
            same = {gram: number for gram, number in grams.items() if len(gram) == count}
            numbers = list(same.values())
            windows = np.asarray(list(_windows(node, length, count)), np.int64).reshape(-1, count)
            if not len(windows):
                continue
            counts = _weighed(node, b, _counts(b, words, windows, np.asarray(list(same))), numbers)
            places = b.constant(indexes[numbers].reshape(-1, 1))
            total = b(graph.ScatterNdOp, "add", total, places, b.transpose(counts, (1, 0)), [0])
        found = b.transpose(total, (1, 0))
        return found if rank == 2 else b.reshape(found, (size,))


def _grams(node: Node) -> dict[Gram, int]:
    """The n-grams of the pool that are asked for, with their numbers in the pool; of equal ones the last counts.

    Raises:
        Unconvertible: the attributes contradict one another.
    """
    pool, starts, places = (node.ints(n) or [] for n in ("pool_int64s", "ngram_counts", "ngram_indexes"))
    least, most = node.int("min_gram_length"), node.int("max_gram_length")
    found: dict[Gram, int] = {}
    number = 0
    for count, (start, end) in enumerate(zip(starts, [*starts[1:], len(pool)], strict=True), 1):
        if not 0 <= start <= end <= len(pool) or (end - start) % count:
            raise Unconvertible(f"ngram_counts {starts} do not divide a pool of {len(pool)} words into n-grams")
        for first in range(start, end, count):
            if number >= len(places) or places[number] < 0:
                raise Unconvertible(f"ngram_indexes has no place for n-gram {number} of the pool")
            if least <= count <= most:
                found[tuple(pool[first : first + count])] = number
            number += 1
    return found


def _windows(node: Node, length: int, count: int) -> Iterator[range]:
    """Where the words of an n-gram may be in a row. Words alone have nothing between them, and count once."""
    most = node.int("max_skip_count") if count > 1 else 0
    for step in range(1, most + 2):
        for first in range(length - step * (count - 1)):
            yield range(first, first + step * count, step)


def _counts(
    b: GraphBuilder,
    words: SSAValue,
    windows: np.ndarray[tuple[int, int], np.dtype[np.int64]],
    grams: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> SSAValue:
    """In how many windows of each row each n-gram is, [rows, n-grams]."""
    batch, _ = shape_of(words)
    matches: list[SSAValue] = []
    for column in range(grams.shape[1]):
        taken = b(graph.GatherOp, words, b.constant(windows[:, column].copy()), 1)
        apart = b.reshape(taken, (batch, len(windows), 1))
        matches.append(b.compare("eq", apart, b.constant(grams[:, column].copy())))
    everywhere = reduce(lambda p, q: b(graph.AndOp, p, q), matches)
    return b.reduce("sum", b.cast(everywhere, f32), [1])


def _weighed(node: Node, b: GraphBuilder, counts: SSAValue, numbers: Sequence[int]) -> SSAValue:
    """Counts, whether there are any, or either of them times the weights of the n-grams with these numbers."""
    mode = node.one_of("mode", "TF", "IDF", "TFIDF")
    if mode == "TF":
        return counts
    if mode == "IDF":
        counts = b.cast(b.compare("gt", counts, b.number(0, counts)), f32)
    weights = np.asarray(node.list("weights"), np.float32)
    if not weights.size:
        return counts
    if weights.size <= max(numbers):
        raise Unconvertible(f"it has {weights.size} weights, and an n-gram with the number {max(numbers)}")
    return b.mul(counts, b.constant(weights[list(numbers)]))
