"""Ensembles of decision trees: all trees take a step at a time, as many as the deepest one has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._ml_linear import ML, labels, post_transform, rows
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible

Array = NDArray[Any]
COMPARISONS = {
    "BRANCH_LEQ": "le",
    "BRANCH_LT": "lt",
    "BRANCH_GTE": "ge",
    "BRANCH_GT": "gt",
    "BRANCH_EQ": "eq",
    "BRANCH_NEQ": "ne",
}


@dataclass
class Trees:
    """The nodes of all trees, one after the other; a leaf is followed by itself."""

    roots: Array
    modes: Array
    features: Array
    splits: Array
    on_true: Array
    on_false: Array
    missing_goes_on: Array
    """Whether a feature that is NaN makes the condition of a node true."""

    @property
    def depth(self) -> int:
        """How many steps lead from a root to the farthest leaf.

        Raises:
            Unconvertible: a path goes round in a circle.
        """
        level, steps = np.unique(self.roots), 0
        while True:
            following = np.unique(np.concatenate([self.on_true[level], self.on_false[level]]))
            level = following[self.modes[following] != "LEAF"]
            if not level.size:
                return steps + 1 if (self.modes[self.roots] != "LEAF").any() else 0
            steps += 1
            if steps > len(self.modes):
                raise Unconvertible("a path through a tree has no end")

    def leaves(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """The leaf that each row of `x` reaches in each tree, [rows, trees]."""
        count, trees = shape_of(x)[0], len(self.roots)
        at = b.broadcast(b.constant(self.roots[None], i64), (count, trees))
        kinds = [kind for kind in COMPARISONS if (self.modes == kind).any()]
        for _ in range(self.depth):
            at = self._step(b, x, at, kinds)
        return at

    def _step(self, b: GraphBuilder, x: SSAValue, at: SSAValue, kinds: list[str]) -> SSAValue:
        def of_node(values: Array) -> SSAValue:
            return b(graph.GatherOp, b.constant(values), at, 0)

        places = of_node(self.features)
        value = b(graph.GatherNdOp, x, b.reshape(places, (*shape_of(places), 1)), [1], [0])
        split = of_node(self.splits)
        goes_on: SSAValue | None = None
        for kind in kinds:
            holds = b.compare(COMPARISONS[kind], value, split)
            goes_on = holds if goes_on is None else b.where(of_node(self.modes == kind), holds, goes_on)
        assert goes_on is not None
        if self.missing_goes_on.any():
            missing = b(graph.AndOp, b.compare("ne", value, value), of_node(self.missing_goes_on))
            goes_on = b(graph.OrOp, goes_on, missing)
        return b.where(goes_on, of_node(self.on_true), of_node(self.on_false))


def _forest(b: Node) -> Trees:
    """The trees that the attributes of versions 1 to 3 list, by numbers of trees and of nodes in them."""
    trees, ids = (np.asarray(b.list(f"nodes_{n}"), np.int64) for n in ("treeids", "nodeids"))
    modes = np.asarray(b.list("nodes_modes"))
    unknown = set(modes.tolist()) - {"LEAF", *COMPARISONS}
    if unknown:
        raise Unconvertible(f"mode '{min(unknown)}' of a node is not known to mlc")
    number = {(int(t), int(n)): i for i, (t, n) in enumerate(zip(trees, ids, strict=True))}

    def following(name: str) -> Array:
        said = b.list(f"nodes_{name}")
        try:
            return np.asarray(
                [i if modes[i] == "LEAF" else number[int(trees[i]), int(said[i])] for i in range(len(modes))], np.int64
            )
        except KeyError:
            raise Unconvertible("a node of a tree is followed by one that is not there") from None

    on_true, on_false = following("truenodeids"), following("falsenodeids")
    inner = np.concatenate([on_true[modes != "LEAF"], on_false[modes != "LEAF"]])
    roots = np.setdiff1d(np.arange(len(modes)), inner)
    splits = np.asarray(b.list("nodes_values"), np.float32)
    features = np.where(modes == "LEAF", 0, np.asarray(b.list("nodes_featureids"), np.int64))
    missing = np.asarray(b.list("nodes_missing_value_tracks_true") or np.zeros(len(modes)), bool)
    return Trees(roots, modes, features, splits, on_true, on_false, missing & (modes != "LEAF"))


def _weights(b: Node, forest_ids: dict[tuple[int, int], int], noun: str, targets: int, nothing: float) -> Array:
    """What each node adds to each target, [nodes, targets], and `nothing` where it names the target not at all."""
    result = np.full((len(forest_ids), targets), nothing, np.float32)
    names = (f"{noun}_treeids", f"{noun}_nodeids", f"{noun}_ids", f"{noun}_weights")
    for tree, leaf, target, weight in zip(*(b.list(name) for name in names), strict=True):
        at = forest_ids[int(tree), int(leaf)], int(target)
        result[at] = weight + (result[at] if np.isfinite(result[at]) else 0)
    return result


def _ids(b: Node) -> dict[tuple[int, int], int]:
    pairs = zip(b.list("nodes_treeids"), b.list("nodes_nodeids"), strict=True)
    return {(int(t), int(n)): i for i, (t, n) in enumerate(pairs)}


def _sums(b: Node, noun: str, targets: int) -> SSAValue:
    """What the leaves of all trees add up to, [rows, targets], with the base values."""
    if b.attribute("nodes_values_as_tensor") is not None:
        raise Unconvertible("its numbers are in tensors of f64")
    leaves = _forest(b).leaves(b, rows(b))
    kinds = {"SUM": "sum", "AVERAGE": "mean", "MIN": "min", "MAX": "max"}
    kind = kinds[b.string("aggregate_function", "SUM")]
    nothing = {"min": np.inf, "max": -np.inf}.get(kind, 0.0)
    each = b(graph.GatherOp, b.constant(_weights(b, _ids(b), noun, targets, nothing)), leaves, 0)
    total = b.reduce(kind, each, [1])
    if nothing:  # what no leaf names is 0
        total = b.where(b.compare("eq", total, b.number(nothing, total)), b.number(0, total), total)
    base = np.asarray(b.list("base_values"), np.float32)
    return b.add(total, b.constant(base)) if base.size else total


@converts("TreeEnsembleRegressor", domain=ML)
def tree_ensemble_regressor(b: Node) -> Results:
    """Sums, or other aggregates, of leaves."""
    return post_transform(b, _sums(b, "target", b.int("n_targets", 1)))


@converts("TreeEnsembleClassifier", domain=ML)
def tree_ensemble_classifier(b: Node) -> Results:
    """The label of the largest sum, and all sums; leaves for one class of two are those of the second."""
    names = b.list("classlabels_int64s") or b.list("classlabels_strings")
    classes = sorted({int(c) for c in b.list("class_ids")})
    if len(names) == 2 and len(classes) == 1:
        return _binary(b)
    scores = _sums(b, "class", len(names))
    chosen = b(graph.ArgMaxOp, scores, 1)
    scores = post_transform(b, scores)
    return [labels(b, "classlabels_int64s", chosen) if b.wants(0) else None, scores]


def _binary(b: Node) -> Results:
    of_one = int(b.list("class_ids")[0])
    sums = _sums(b, "class", of_one + 1)
    second = b.slice(sums, 1, of_one, of_one + 1)
    kind = b.string("post_transform", "NONE")
    positive = all(weight >= 0 for weight in b.list("class_weights"))
    if kind == "LOGISTIC":
        limit, second = 0.5, b(graph.SigmoidOp, second)
    elif kind == "NONE":
        limit = 0.5 if positive else 0.0
    else:
        raise Unconvertible(f"post_transform is '{kind}' of one score")
    first = b.sub(b.number(1, second), second) if kind == "LOGISTIC" or positive else b(graph.NegOp, second)
    flat = b.reshape(second, (shape_of(second)[0],))
    chosen = b.cast(b.compare("gt", flat, b.number(limit, flat)), i64)
    return [labels(b, "classlabels_int64s", chosen) if b.wants(0) else None, b.concat([first, second], 1)]
