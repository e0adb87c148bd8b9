"""Operators of `ai.onnx.ml`, as native code, beside the evaluator that the package onnx brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc

onnx: Any = pytest.importorskip("onnx")
from onnx.reference import ReferenceEvaluator  # noqa: E402

helper: Any = onnx.helper
_ML = "ai.onnx.ml"
_ROWS, _FEATURES = 9, 5


def _numbers(seed: int, special: bool = False) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    x = np.round(rng.standard_normal((_ROWS, _FEATURES)), 1).astype(np.float32)
    if special:
        x[0, 0], x[1, 1], x[2, 2], x[3, 3] = np.inf, -np.inf, -0.0, np.nan
    return x


def _compare(
    name: str, inputs: dict[str, Any], folder: Path, results: int = 1, exact: bool = False, **attributes: Any
) -> None:
    node = helper.make_node(name, list(inputs), [f"y{i}" for i in range(results)], domain=_ML, **attributes)
    types = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in inputs.items()
    ]
    outputs = [helper.make_value_info(f"y{i}", onnx.TypeProto()) for i in range(results)]
    model = helper.make_model(
        helper.make_graph([node], "g", types, outputs),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(_ML, 3)],
    )
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    found: Any = mlc.compile(path)(*inputs.values())
    answers: list[Any] = [*found] if isinstance(found, tuple) else [found]
    evaluator: Any = ReferenceEvaluator(model)
    wanted = evaluator.run(None, inputs)
    for a, b in zip(answers, wanted, strict=True):
        np.testing.assert_allclose(np.reshape(a, np.shape(b)), b, rtol=0 if exact else 1e-5, atol=0 if exact else 1e-6)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("Scaler", {"offset": [0.5, 0, -1, 2, 0], "scale": [1.0, 2, 3, 0.5, 1]}),
        ("Normalizer", {"norm": "L2"}),
        ("Normalizer", {"norm": "L1"}),
        ("Binarizer", {"threshold": 0.3}),
        ("Imputer", {"imputed_value_floats": [9.0, 8, 7, 6, 5], "replaced_value_float": float("nan")}),
        ("LinearRegressor", {"coefficients": np.arange(10) / 7, "intercepts": [0.5, -0.5], "targets": 2}),
    ],
)
def test_features(name: str, attributes: dict[str, Any], tmp_path: Path) -> None:
    x = _numbers(0, special=name == "Imputer")
    _compare(name, {"x": x}, tmp_path, **attributes)


def test_columns(tmp_path: Path) -> None:
    _compare("ArrayFeatureExtractor", {"x": _numbers(1), "places": np.array([3, 0, 3])}, tmp_path, exact=True)


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC"])
def test_linear_classifier(transform: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    _compare(
        "LinearClassifier",
        {"x": _numbers(3)},
        tmp_path,
        2,
        coefficients=rng.standard_normal(3 * _FEATURES),
        intercepts=rng.standard_normal(3),
        classlabels_ints=[4, 7, 9],
        post_transform=transform,
    )


def _forest(rng: np.random.Generator, mode: str, trees: int) -> dict[str, Any]:
    """Random trees, whose nodes have numbers with gaps and stand in any order."""
    nodes: list[tuple[int, int, str, int, float, int, int, int]] = []
    leaves: list[tuple[int, int]] = []
    for tree in range(trees):
        fresh = iter(rng.permutation(1000).tolist())

        def grow(tree: int, number: int, depth: int, fresh: Any = fresh) -> None:
            if depth == 0 or rng.random() < 0.2:
                nodes.append((tree, number, "LEAF", 0, 0.0, 0, 0, 0))
                leaves.append((tree, number))
                return
            on_true, on_false = next(fresh), next(fresh)
            split = round(float(rng.standard_normal()), 1)
            missing = int(rng.integers(2))
            nodes.append((tree, number, mode, int(rng.integers(_FEATURES)), split, on_true, on_false, missing))
            grow(tree, on_true, depth - 1)
            grow(tree, on_false, depth - 1)

        grow(tree, next(fresh), 4)
    columns = list(zip(*nodes, strict=True))
    names = ("treeids", "nodeids", "modes", "featureids", "values", "truenodeids", "falsenodeids")
    result: dict[str, Any] = {f"nodes_{name}": list(c) for name, c in zip(names, columns, strict=False)}
    result["nodes_missing_value_tracks_true"] = list(columns[7])
    result["leaves"] = leaves
    return result


@pytest.mark.parametrize("mode", ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"])
def test_trees(mode: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(len(mode))
    forest = _forest(rng, mode, 5)
    leaves = forest.pop("leaves")
    given: dict[str, Any] = {
        "target_treeids": [t for t, _ in leaves for _ in range(2)],
        "target_nodeids": [n for _, n in leaves for _ in range(2)],
        "target_ids": [i for _ in leaves for i in range(2)],
        "target_weights": rng.standard_normal(2 * len(leaves)),
    }
    _compare("TreeEnsembleRegressor", {"x": _numbers(4)}, tmp_path, n_targets=2, **forest, **given)


@pytest.mark.parametrize("aggregate", ["AVERAGE", "MIN", "MAX"])
def test_leaves_count_for_the_targets_that_they_name(aggregate: str, tmp_path: Path) -> None:
    """The least and the greatest are of those, and no zeros of others."""
    rng = np.random.default_rng(3)
    forest = _forest(rng, "BRANCH_LEQ", 3)
    leaves = forest.pop("leaves")
    given: dict[str, Any] = {
        "target_treeids": [t for t, _ in leaves],
        "target_nodeids": [n for _, n in leaves],
        "target_ids": [t % 2 for t, _ in leaves],
        "target_weights": 3 + rng.random(len(leaves)) * np.where([t < 2 for t, _ in leaves], 1, -9),
        "aggregate_function": aggregate,
    }
    _compare("TreeEnsembleRegressor", {"x": _numbers(4)}, tmp_path, n_targets=2, **forest, **given)


def test_trees_tell_classes(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    forest = _forest(rng, "BRANCH_LEQ", 6)
    leaves = forest.pop("leaves")
    given: dict[str, Any] = {
        "class_treeids": [t for t, _ in leaves],
        "class_nodeids": [n for _, n in leaves],
        "class_ids": [i % 3 for i in range(len(leaves))],
        "class_weights": rng.random(len(leaves)),
        "classlabels_int64s": [5, 6, 8],
    }
    _compare("TreeEnsembleClassifier", {"x": _numbers(5)}, tmp_path, 2, **forest, **given)


def test_missing_features_go_where_the_tree_says(tmp_path: Path) -> None:
    """Of one split at 0, missing values to the left."""
    x = np.asarray([[1.0], [-1.0], [np.nan]], np.float32)
    forest: dict[str, Any] = {
        "nodes_treeids": [0, 0, 0],
        "nodes_nodeids": [0, 1, 2],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
        "nodes_featureids": [0, 0, 0],
        "nodes_values": [0.0, 0, 0],
        "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0],
        "target_treeids": [0, 0],
        "target_nodeids": [1, 2],
        "target_ids": [0, 0],
        "target_weights": [10.0, 20.0],
    }
    for tracks, wanted in ((1, [20, 10, 10]), (0, [20, 10, 20])):
        given = {**forest, "nodes_missing_value_tracks_true": [tracks, 0, 0]}
        node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain=_ML, n_targets=1, **given)
        graph = helper.make_graph(
            [node],
            "g",
            [helper.make_tensor_value_info("x", 1, [3, 1])],
            [helper.make_tensor_value_info("y", 1, [3, 1])],
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_ML, 3)]
        path = tmp_path / f"trees{tracks}.onnx"
        path.write_bytes(helper.make_model(graph, opset_imports=opsets).SerializeToString())
        np.testing.assert_array_equal(np.ravel(mlc.compile(path)(x)), wanted)


def test_labels_that_are_strings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(mlc.UserError, match=r"ai\.onnx\.ml\.LinearClassifier \(version 1\): .*_strings. are strings"):
        _compare(
            "LinearClassifier",
            {"x": _numbers(3)},
            tmp_path,
            2,
            coefficients=np.ones(2 * _FEATURES),
            classlabels_strings=["cat", "dog"],
        )
