"""Support vector machines: products of kernels with coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from xdsl.dialects.builtin import f32, i1
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._ml_linear import ML, floats, labels, post_transform, rows, transformed
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import Array, GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.refusal import Unconvertible


def _kernel(b: Node, x: SSAValue, vectors: Array) -> SSAValue:
    """How near each row is to each support vector, [rows, vectors]."""
    kind = b.one_of("kernel_type", "LINEAR", "POLY", "RBF", "SIGMOID")
    gamma, zero, degree = (*b.list("kernel_params"), 0.0, 0.0, 0.0)[:3]
    if kind == "RBF":
        count, features = shape_of(x)
        apart = b.sub(b.reshape(x, (count, 1, features)), b.constant(vectors[None]))
        distance = b.reduce("sum", b.mul(apart, apart), [2])
        return b(graph.ExpOp, b.mul(distance, b.number(-gamma, x)))
    product = b.matmul(x, b.constant(vectors.T.copy()))
    if kind == "LINEAR":
        return product
    line = b.add(b.mul(product, b.number(gamma, x)), b.number(zero, x))
    return b(graph.TanhOp, line) if kind == "SIGMOID" else b(graph.PowOp, line, b.number(degree, x))


def _vectors(b: Node, count: int, features: int) -> Array:
    found = floats(b, "support_vectors")
    if found.size != count * features:
        raise Unconvertible(
            f"support_vectors has {found.size} numbers; {count} vectors of {features} features need {count * features}"
        )
    return found.reshape(count, features)


@converts("SVMRegressor", domain=ML)
def svm_regressor(b: Node) -> Results:
    """Kernels times coefficients; of one class, on which side of its border a row is."""
    x, coefficients, rho = rows(b), floats(b, "coefficients"), floats(b, "rho")
    features, count = shape_of(x)[1], b.int("n_supports")
    b.one_of("post_transform", "NONE")
    if coefficients.size != (count or features) or not rho.size:
        raise Unconvertible(
            f"it has {coefficients.size} coefficients and {rho.size} of rho; required: {count or features} and 1"
        )
    near = _kernel(b, x, _vectors(b, count, features)) if count else x
    score = b.add(b.matmul(near, b.constant(coefficients[:, None].copy())), b.number(float(rho[0]), x))
    if not b.flag("one_class"):
        return score
    return b.where(b.compare("gt", score, b.number(0, score)), b.number(1, score), b.number(-1, score))


@dataclass
class _Machine:
    """One classifier for each pair of classes: what each vector counts in it."""

    classes: int
    weights: Array
    """[vectors, pairs]"""
    rho: Array

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The classes between which each decides."""
        return list(combinations(range(self.classes), 2))

    @staticmethod
    def of(b: Node, classes: int) -> _Machine:
        """That of a node, whose coefficients have a row for each class but one."""
        counts = b.ints("vectors_per_class") or []
        total, pairs = sum(counts), list(combinations(range(classes), 2))
        coefficients, rho = floats(b, "coefficients"), floats(b, "rho")
        if len(counts) != classes or coefficients.size != (classes - 1) * total or rho.size != len(pairs):
            raise Unconvertible(
                f"it has {coefficients.size} coefficients, {rho.size} of rho and vectors of {len(counts)} classes; "
                f"required for {classes} classes: {(classes - 1) * total}, {len(pairs)} and {classes}"
            )
        by_class = coefficients.reshape(classes - 1, total)
        own = np.repeat(np.arange(classes), counts)
        weights = np.zeros((total, len(pairs)), np.float32)
        for pair, (i, j) in enumerate(pairs):
            weights[own == i, pair] = by_class[j - 1, own == i]
            weights[own == j, pair] = by_class[i, own == j]
        return _Machine(classes, weights, rho)

    def votes(self, b: GraphBuilder, scores: SSAValue) -> SSAValue:
        """How many pairs each class wins, [rows, classes]; scores above zero are for the first of a pair."""
        gains = np.zeros((len(self.pairs), self.classes), np.float32)
        for pair, (i, j) in enumerate(self.pairs):
            gains[pair, i], gains[pair, j] = 1, -1
        always = np.bincount([j for _, j in self.pairs], minlength=self.classes).astype(np.float32)
        wins = b.cast(b.compare("gt", scores, b.number(0, scores)), f32)
        return b.add(b.matmul(wins, b.constant(gains)), b.constant(always))


@converts("SVMClassifier", domain=ML)
def svm_classifier(b: Node) -> Results:
    """The class that most pairs vote for, and scores or probabilities.

    Without support vectors there is a score for each class, and the largest says which it is.
    """
    names = b.list("classlabels_ints") or b.list("classlabels_strings")
    if len(names) < 2:
        raise Unconvertible(f"it has {len(names)} class labels; mlc converts those of two classes and more")
    x, total = rows(b), sum(b.ints("vectors_per_class") or [])
    if not total:
        return _linear(b, x, len(names))
    machine = _Machine.of(b, len(names))
    near = _kernel(b, x, _vectors(b, total, shape_of(x)[1]))
    scores = b.add(b.matmul(near, b.constant(machine.weights)), b.constant(machine.rho))
    chosen = b(graph.ArgMaxOp, machine.votes(b, scores), 1)
    if b.list("prob_a"):
        found = post_transform(b, _probabilities(b, machine, scores))
    elif len(names) == 2:
        found = _both(b, scores)
    else:
        found = post_transform(b, scores)
    return [labels(b, "classlabels_ints", chosen) if b.wants(0) else None, found]


def _linear(b: Node, x: SSAValue, classes: int) -> Results:
    coefficients, rho = floats(b, "coefficients"), floats(b, "rho")
    features = shape_of(x)[1]
    if coefficients.size != classes * features or rho.size < 1 or (rho.size == 1 and classes > 2):
        raise Unconvertible(
            f"it has {coefficients.size} coefficients and {rho.size} of rho for {classes} classes of {features} "
            f"features; required: {classes * features} and more than one"
        )
    matrix = b.constant(coefficients.reshape(classes, features).T.copy())
    scores = b.add(b.matmul(x, matrix), b.number(float(rho[0]), x))
    chosen = b(graph.ArgMaxOp, scores, 1)
    found = post_transform(b, scores)
    return [labels(b, "classlabels_ints", chosen) if b.wants(0) else None, found]


def _both(b: Node, score: SSAValue) -> SSAValue:
    """The scores of both classes, of which one is known."""
    kind = b.string("post_transform", "NONE")
    both = b.concat([b(graph.NegOp, score), score], 1)
    if kind == "PROBIT":
        raise Unconvertible("post_transform is 'PROBIT' of one score")
    return transformed(b, kind, both)


def _probabilities(b: Node, machine: _Machine, scores: SSAValue) -> SSAValue:
    """Probabilities of classes, [rows, classes], from those of pairs, which are logistic functions of their scores.

    These contradict one another as a rule; what contradicts them least is found by iteration (Platt, 1999; Wu, Lin and
    Weng, 2004, second method), until the error is below 0.005 / classes, at most 100 times.
    """
    a, c = floats(b, "prob_a"), floats(b, "prob_b")
    pairs, classes = machine.pairs, machine.classes
    if not a.size == c.size == len(pairs):
        raise Unconvertible(f"it has {a.size} of prob_a and {c.size} of prob_b; required: {len(pairs)} of each")
    count = shape_of(scores)[0]
    line = b.add(b.mul(scores, b.constant(a)), b.constant(c))
    low = b.number(1e-7, line)
    of_first = b(graph.SigmoidOp, b(graph.NegOp, line))
    of_first = b(graph.MinOp, b(graph.MaxOp, of_first, low), b.sub(b.number(1, line), low))
    places = np.zeros((classes, classes), np.int64)
    for pair, (i, j) in enumerate(pairs):
        places[i, j], places[j, i] = pair, len(pairs) + pair
    every = b.concat([of_first, b.sub(b.number(1, of_first), of_first)], 1)
    ratios = b.mul(b(graph.GatherOp, every, b.constant(places), 1), b.constant(1 - np.eye(classes, dtype=np.float32)))

    # Q[t, t] = sum of r[j, t]^2 over j, Q[t, j] = -r[j, t] r[t, j].
    turned = b.transpose(ratios, (0, 2, 1))
    diagonal = b.reduce("sum", b.mul(ratios, ratios), [1])
    eye = b.constant(np.eye(classes, dtype=np.float32))
    q = b.sub(b.mul(b.reshape(diagonal, (count, 1, classes)), eye), b.mul(ratios, turned))

    scan = ScanWriter(b, max(100, classes))
    shares = scan.carry(b.splat(1 / classes, (count, classes), f32))
    going = scan.carry(b.splat(1, (count,), i1))
    next, still = _iteration(scan.inside, q, diagonal, shares, going)
    return scan.finish([next, still])[0]


def _iteration(
    b: GraphBuilder, q: SSAValue, diagonal: SSAValue, shares: SSAValue, going: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """One round over all classes; rows that are near enough stay as they are."""
    count, classes = shape_of(shares)
    slopes = b.reshape(b.matmul(q, b.reshape(shares, (count, classes, 1))), (count, classes))
    total = b.reduce("sum", b.mul(shares, slopes), [1], True)
    error = b.reduce("max", b(graph.AbsOp, b.sub(slopes, total)), [1])
    going = b(graph.AndOp, going, b.compare("ge", error, b.number(0.005 / classes, error)))
    new = shares
    for t in range(classes):
        own, at = b.slice(diagonal, 1, t, t + 1), b.slice(slopes, 1, t, t + 1)
        step = b.div(b.sub(total, at), own)
        scale = b.add(b.number(1, step), step)
        rise = b.mul(step, b.add(b.mul(step, own), b.add(at, at)))
        total = b.div(b.add(total, rise), b.mul(scale, scale))
        new = b.div(b.add(new, b.mul(step, b.constant(np.eye(classes, dtype=np.float32)[t]))), scale)
        row = b.reshape(b.slice(q, 1, t, t + 1), (count, classes))
        slopes = b.div(b.add(slopes, b.mul(step, row)), scale)
    return b.where(b.reshape(going, (count, 1)), new, shares), going
