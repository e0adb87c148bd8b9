"""Version 5 of trees: inner nodes and leaves in lists of their own, thresholds and weights in tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.onnx.to_graph._ml_linear import ML, transformed
from mlc.frontends.onnx.to_graph._ml_trees import COMPARISONS, Trees
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.refusal import Unconvertible

Array = NDArray[Any]
_MODES = (*COMPARISONS, "BRANCH_MEMBER")
_AGGREGATES = ("mean", "sum", "min", "max")
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


@converts("TreeEnsemble", domain=ML)
def tree_ensemble(b: Node) -> Results:
    """Sums, or other aggregates, of the leaves that each row reaches."""
    if b.rank() != 2:
        raise Unconvertible(f"x has shape {list(b.shape())}; it is rows of features")
    x = b.cast(b[0], f64 if b.element() == f64 else f32)
    trees, weights = _trees(b), _leaf_weights(b)
    _require_features(trees, b.shape()[1])
    inner = len(trees.modes) - len(weights)
    aggregate = _choice(b, "aggregate_function", _AGGREGATES, 1)
    # What a leaf of another target counts for.
    nothing = {"min": np.inf, "max": -np.inf}.get(aggregate, 0.0)
    table = np.full((len(trees.modes), b.int("n_targets", 1)), nothing)
    for leaf, (target, weight) in enumerate(weights):
        table[inner + leaf, target] = weight
    each = b(graph.GatherOp, b.constant(table, element_of(x)), trees.leaves(b, x), 0)
    total = b.reduce(aggregate, each, [1])
    if nothing:
        total = b.where(b.compare("eq", total, b.number(nothing, total)), b.number(0, total), total)
    found = transformed(b, _choice(b, "post_transform", _TRANSFORMS, 0), total)
    return b.cast(found, b.element())


def _choice(b: Node, name: str, names: tuple[str, ...], default: int) -> str:
    """What a number among the attributes stands for."""
    number = b.int(name, default)
    if not 0 <= number < len(names):
        raise Unconvertible(f"attribute '{name}' is {number}; required: 0 to {len(names) - 1}")
    return names[number]


def _required(b: Node, name: str) -> Array:
    found = b.tensor(name)
    if found is None:
        raise Unconvertible(f"attribute '{name}' is missing")
    return found.reshape(-1)


def _leaf_weights(b: Node) -> list[tuple[int, float]]:
    """The target and the weight of each leaf."""
    targets, weights = b.ints("leaf_targetids") or [], _required(b, "leaf_weights").tolist()
    if len(targets) != len(weights):
        raise Unconvertible(f"it has {len(weights)} weights of leaves and {len(targets)} targets of these")
    count = b.int("n_targets", 1)
    if not all(0 <= target < count for target in targets):
        raise Unconvertible(f"a leaf is for target {max(targets, key=abs)} of {count}")
    return list(zip(targets, weights, strict=True))


def _require_features(trees: Trees, count: int) -> None:
    if trees.features.size and not 0 <= trees.features.min() <= trees.features.max() < count:
        raise Unconvertible(f"a node asks for feature {trees.features.max()} of {count}")


def _trees(b: Node) -> Trees:
    """The inner nodes, then the leaves. A set becomes a chain of nodes that compare with one member each."""
    numbers: list[int] = _required(b, "nodes_modes").tolist()
    if any(not 0 <= number < len(_MODES) for number in numbers):
        raise Unconvertible(f"mode {max(numbers)} of a node is not known to mlc")
    count, leaves = len(numbers), len(b.list("leaf_targetids"))
    sets = _sets(b, numbers.count(len(_MODES) - 1))
    splits = _required(b, "nodes_splits").astype(np.float64 if b.element() == f64 else np.float32)
    features = np.asarray(b.list("nodes_featureids"), np.int64)
    missing = np.asarray(b.list("nodes_missing_value_tracks_true") or [0] * count, bool)
    if not len(splits) == len(features) == len(missing) == count:
        raise Unconvertible(
            f"its lists of nodes have {count}, {len(splits)}, {len(features)} and {len(missing)} elements"
        )

    values = [
        sets.pop(0) if number == len(_MODES) - 1 else [split] for number, split in zip(numbers, splits, strict=True)
    ]
    sizes = np.asarray([len(each) for each in values], np.int64)
    starts = np.cumsum(sizes) - sizes
    total = int(sizes.sum())

    def following(branch: str) -> Array:
        ids = np.asarray(b.list(f"nodes_{branch}nodeids"), np.int64)
        is_leaf = np.asarray(b.list(f"nodes_{branch}leafs"), bool)
        if not len(ids) == len(is_leaf) == count or ((ids < 0) | (ids >= np.where(is_leaf, leaves, count))).any():
            raise Unconvertible("a node of a tree is followed by one that is not there")
        return np.where(is_leaf, total + ids, starts[np.where(is_leaf, 0, ids)])

    places = np.arange(total)
    is_last = np.isin(places, starts + sizes - 1)
    on_true, on_false = np.repeat(following("true"), sizes), np.repeat(following("false"), sizes)
    own = total + np.arange(leaves)
    modes = ["BRANCH_EQ" if number == len(_MODES) - 1 else _MODES[number] for number in numbers]
    roots = np.asarray(b.list("tree_roots"), np.int64)
    if not roots.size or not 0 <= roots.min() <= roots.max() < count:
        raise Unconvertible(f"tree_roots {roots.tolist()} are not all among {count} nodes")
    return Trees(
        roots=starts[roots],
        modes=np.asarray([*np.repeat(modes, sizes).tolist(), *["LEAF"] * leaves]),
        features=np.concatenate([np.repeat(features, sizes), np.zeros(leaves, np.int64)]),
        splits=np.asarray([*(v for each in values for v in each), *[0] * leaves], splits.dtype),
        on_true=np.concatenate([on_true, own]),
        on_false=np.concatenate([np.where(is_last, on_false, places + 1), own]),
        missing_goes_on=np.concatenate([np.repeat(missing, sizes), np.zeros(leaves, bool)]),
    )


def _sets(b: Node, count: int) -> list[list[float]]:
    """The members of each set, in the order of the nodes; an empty set has NaN, which equals nothing."""
    values = b.tensor("membership_values")
    result: list[list[float]] = []
    members: list[float] = []
    for value in () if values is None else values.reshape(-1).tolist():
        if np.isnan(value):
            result.append(members or [value])
            members = []
        else:
            members.append(value)
    if len(result) != count or members:
        raise Unconvertible(f"membership_values has {len(result)} sets that end in NaN, {count} nodes ask for one")
    return result
