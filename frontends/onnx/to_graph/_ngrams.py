"""Counting sequences of words, which are numbers here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible

Gram = tuple[int, ...]


@converts("TfIdfVectorizer")
def tf_idf_vectorizer(b: Node) -> Results:
    """How often each n-gram of a pool occurs in a row, with every number of words between its words up to a limit."""
    grams = _grams(b)
    rank = b.rank()
    if rank > 2:
        raise Unconvertible(f"x has shape {list(b.shape())}; it is a row of words, or rows of them")
    words = b.cast(b[0], i64)
    batch, length = shape_of(words) if rank == 2 else (1, int(np.prod(b.shape())))
    words = b.reshape(words, (batch, length))
    indexes = np.asarray(b.list("ngram_indexes"), np.int64)
    size = int(indexes.max(initial=-1)) + 1
    total = b.splat(0, (size, batch), f32)
    for count in sorted({len(gram) for gram in grams}):
        same = {gram: number for gram, number in grams.items() if len(gram) == count}
        numbers = list(same.values())
        windows = np.asarray(list(_windows(b, length, count)), np.int64).reshape(-1, count)
        if not len(windows):
            continue
        counts = _weighed(b, _counts(b, words, windows, np.asarray(list(same))), numbers)
        places = b.constant(indexes[numbers].reshape(-1, 1))
        total = b(graph.ScatterNdOp, "add", total, places, b.transpose(counts, (1, 0)), [0])
    found = b.transpose(total, (1, 0))
    return found if rank == 2 else b.reshape(found, (size,))


def _grams(b: Node) -> dict[Gram, int]:
    """The n-grams of the pool that are asked for, with their numbers in the pool; of equal ones the last counts.

    Raises:
        Unconvertible: the attributes contradict one another.
    """
    pool, starts, places = (b.ints(n) or [] for n in ("pool_int64s", "ngram_counts", "ngram_indexes"))
    least, most = b.int("min_gram_length"), b.int("max_gram_length")
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


def _windows(b: Node, length: int, count: int) -> Iterator[range]:
    """Where the words of an n-gram may be in a row. Words alone have nothing between them, and count once."""
    most = b.int("max_skip_count") if count > 1 else 0
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


def _weighed(b: Node, counts: SSAValue, numbers: Sequence[int]) -> SSAValue:
    """Counts, whether there are any, or either of them times the weights of the n-grams with these numbers."""
    mode = b.one_of("mode", "TF", "IDF", "TFIDF")
    if mode == "TF":
        return counts
    if mode == "IDF":
        counts = b.cast(b.compare("gt", counts, b.number(0, counts)), f32)
    weights = np.asarray(b.list("weights"), np.float32)
    if not weights.size:
        return counts
    if weights.size <= max(numbers):
        raise Unconvertible(f"it has {weights.size} weights, and an n-gram with the number {max(numbers)}")
    return b.mul(counts, b.constant(weights[list(numbers)]))
