"""Operators of ONNX as native code, beside ONNX Runtime where that has them, or beside NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc

onnx: Any = pytest.importorskip("onnx")
evaluator: Any = pytest.importorskip("onnx.reference")
runtime: Any = pytest.importorskip("onnxruntime")

Array = NDArray[Any]
ML = "ai.onnx.ml"


@dataclass
class Nodes:
    """A model of nodes that share inputs and constants; each gives outputs of the model."""

    inputs: dict[str, Array]
    constants: dict[str, Array] = field(default_factory=dict[str, Array])
    nodes: list[Any] = field(default_factory=list[Any])
    outputs: list[Any] = field(default_factory=list[Any])

    def add(self, op: str, operands: list[str], results: int = 1, domain: str = "", **attributes: Any) -> list[str]:
        """Append a node; the names of its results."""
        names = [f"y{len(self.outputs) + i}" for i in range(results)]
        self.nodes.append(onnx.helper.make_node(op, operands, names, domain=domain, **attributes))
        self.outputs += [onnx.helper.make_value_info(name, onnx.TypeProto()) for name in names]
        return names

    def model(self, folder: Path, **domains: int) -> Path:
        """The file of the model; `domains` are versions of ai.onnx.ml and the like, with `_` for a dot."""
        kind = onnx.helper.np_dtype_to_tensor_dtype
        given = [onnx.helper.make_tensor_value_info(n, kind(a.dtype), a.shape) for n, a in self.inputs.items()]
        weights = [onnx.numpy_helper.from_array(a, n) for n, a in self.constants.items()]
        graph = onnx.helper.make_graph(self.nodes, "nodes", given, self.outputs, weights)
        opsets = [onnx.helper.make_opsetid("", 22)]
        opsets += [onnx.helper.make_opsetid(d.replace("_", "."), v) for d, v in domains.items()]
        path = folder / "model.onnx"
        path.write_bytes(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())
        return path

    def found(self, folder: Path, **domains: int) -> dict[str, Array]:
        """What mlc computes, by the names of outputs."""
        return mlc.compile(self.model(folder, **domains)).run(self.inputs)

    def agree(self, folder: Path, rtol: float = 1e-5, atol: float = 1e-6, **domains: int) -> None:
        """Compare all outputs with those of ONNX Runtime: integers are equal."""
        found = self.found(folder, **domains)
        options = runtime.SessionOptions()
        options.log_severity_level = 3
        session = runtime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        wanted = dict(zip(found, session.run(list(found), self.inputs), strict=True))
        producers = {name: node for node in self.nodes for name in node.output}
        for name, want in wanted.items():
            exact = want.dtype.kind in "iu"
            label = str(producers[name].op_type)
            assert found[name].dtype == want.dtype, label
            np.testing.assert_allclose(
                found[name], want, rtol=0 if exact else rtol, atol=0 if exact else atol, err_msg=label
            )


def _normal(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float32)


@pytest.mark.slow
def test_deform_conv(tmp_path: Path) -> None:
    """Groups of channels and of offsets, offsets beyond the ends, strides, dilations and uneven padding."""
    rng = np.random.default_rng(0)
    inputs = {
        "x": _normal(rng, 2, 6, 9, 7),
        "w": _normal(rng, 4, 3, 3, 2),
        "offset": _normal(rng, 2, 3 * 6 * 2, 5, 6) * 3,
        "bias": _normal(rng, 4),
        "mask": _normal(rng, 2, 3 * 6, 5, 6),
    }
    nodes = Nodes(inputs)
    options: dict[str, Any] = {
        "group": 2,
        "offset_group": 3,
        "strides": [2, 1],
        "dilations": [1, 2],
        "pads": [2, 0, 0, 1],
    }
    nodes.add("DeformConv", ["x", "w", "offset"], **options)
    nodes.add("DeformConv", ["x", "w", "offset", "bias"], **options)
    nodes.add("DeformConv", ["x", "w", "offset", "", "mask"], **options)
    nodes.agree(tmp_path, 1e-4, 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("extents", [(8,), (4, 5, 3)])
def test_deform_conv_at_rest(extents: tuple[int, ...], tmp_path: Path) -> None:
    """Without offsets it is a convolution, of lines and volumes too."""
    rng = np.random.default_rng(1)
    rank = len(extents)
    inputs = {"x": _normal(rng, 1, 2, *extents), "w": _normal(rng, 3, 2, *[2] * rank)}
    nodes = Nodes(inputs, {"offset": np.zeros((1, 2**rank * rank, *(e - 1 for e in extents)), np.float32)})
    nodes.add("DeformConv", ["x", "w", "offset"])
    nodes.add("Conv", ["x", "w"])
    found = nodes.found(tmp_path)
    np.testing.assert_allclose(found["y0"], found["y1"], rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_determinants(tmp_path: Path) -> None:
    """Matrices that need pivots, singular ones, one of a single number, and none."""
    rng = np.random.default_rng(2)
    mixed = _normal(rng, 2, 3, 7, 7)
    mixed[0, 0, 0, 0] = 0
    mixed[0, 1] = np.eye(7)[rng.permutation(7)]
    mixed[0, 2, 3] = mixed[0, 2, 5]
    mixed[1, 0] = 0
    inputs = {
        "a": mixed,
        "b": _normal(rng, 1, 1),
        "c": np.zeros((3, 0, 0), np.float32),
        "d": rng.standard_normal((1, 23, 23)),
    }
    nodes = Nodes(inputs)
    for name in inputs:
        nodes.add("Det", [name])
    found = nodes.found(tmp_path)
    for result, x in zip(found.values(), inputs.values(), strict=True):
        want = np.linalg.det(x.astype(np.float64)).astype(x.dtype)
        assert result.shape == want.shape and result.dtype == x.dtype
        np.testing.assert_allclose(result, want, rtol=1e-6, atol=1e-12)


@pytest.mark.slow
def test_ngrams(tmp_path: Path) -> None:
    """Words that are often there, of one to three, with others between them, in rows longer and shorter than these."""
    rng = np.random.default_rng(3)
    ones, twos = np.arange(5), rng.permutation(25)[:9]
    threes = rng.permutation(125)[:11]
    pool = [
        *ones.tolist(),
        *np.stack([twos // 5, twos % 5], 1).reshape(-1).tolist(),
        *np.stack([threes // 25, threes // 5 % 5, threes % 5], 1).reshape(-1).tolist(),
    ]
    indexes = rng.permutation(len(ones) + len(twos) + len(threes)).tolist()
    nodes = Nodes(
        {
            "x": rng.integers(0, 6, (4, 13)).astype(np.int32),
            "row": rng.integers(0, 6, 6),
            "short": rng.integers(0, 6, 2),
        }
    )
    weights = rng.uniform(0.5, 2, len(indexes)).tolist()
    for x, mode, least, most, skips in (
        ("x", "TF", 1, 3, 0),
        ("row", "TF", 2, 3, 4),
        ("x", "IDF", 1, 2, 1),
        ("short", "TFIDF", 1, 3, 2),
    ):
        nodes.add(
            "TfIdfVectorizer",
            [x],
            mode=mode,
            min_gram_length=least,
            max_gram_length=most,
            max_skip_count=skips,
            pool_int64s=pool,
            ngram_counts=[0, 5, 23],
            ngram_indexes=indexes,
            **({} if mode == "TF" else {"weights": weights}),
        )
    nodes.agree(tmp_path)


@pytest.mark.slow
def test_labels(tmp_path: Path) -> None:
    """Keys in any order, elements that are none, NaN, and tables of other types."""
    inputs = {
        "i": np.array([[3, -7, 9], [4, 1 << 40, 0]]),
        "f": np.array([0.5, np.nan, -0.0, 3, np.inf], np.float32),
    }
    nodes = Nodes(inputs)
    ints, floats = [9, 3, -7, 1 << 40], [float("nan"), 0.5, 0.0, float("inf")]
    numbers = np.array([2.5, -1, 7, 0.125])
    nodes.add("LabelEncoder", ["i"], domain=ML, keys_int64s=ints, values_floats=numbers.tolist(), default_float=-2.0)
    nodes.add("LabelEncoder", ["i"], domain=ML, keys_int64s=ints, values_int64s=[5, 6, 7, 8])
    nodes.add("LabelEncoder", ["f"], domain=ML, keys_floats=floats, values_int64s=[5, 6, 7, 8], default_int64=3)
    nodes.add("LabelEncoder", ["f"], domain=ML, keys_floats=floats, values_floats=numbers.tolist())
    nodes.agree(tmp_path, ai_onnx_ml=4)


@pytest.mark.slow
def test_labels_in_tensors(tmp_path: Path) -> None:
    """Of keys that are repeated the last one counts, as version 4 says."""
    nodes = Nodes({"x": np.array([4, 9, 5, 4], np.int16)})
    keys, values = np.array([4, 5, 4], np.int16), np.array([1.5, 2.5, 3.5])
    tensors = {"keys_tensor": keys, "values_tensor": values, "default_tensor": np.array([0.25])}
    attributes = {name: onnx.numpy_helper.from_array(array) for name, array in tensors.items()}
    nodes.add("LabelEncoder", ["x"], domain=ML, **attributes)
    found = nodes.found(tmp_path, ai_onnx_ml=4)["y0"]
    np.testing.assert_array_equal(found, np.array([3.5, 0.25, 2.5, 3.5]))
    assert found.dtype == np.float64


@pytest.mark.slow
@pytest.mark.parametrize("step", [0, 3])
def test_optimizers(step: int, tmp_path: Path) -> None:
    """Two tensors of different shapes, with all their coefficients, at the first step and later."""
    rng = np.random.default_rng(step)
    domain = "ai.onnx.preview.training"
    shapes = {"p": (3, 5), "q": (7,)}
    inputs: dict[str, Array] = {"r": np.array(0.1), "t": np.array(step)}
    for kind in "xgvh":
        inputs |= {f"{kind}{n}": np.abs(rng.standard_normal(s)) for n, s in shapes.items()}
    names = {kind: [f"{kind}{n}" for n in shapes] for kind in "xgvh"}
    nodes = Nodes(inputs)
    first, second = [*names["x"], *names["g"], *names["v"]], names["h"]
    options: dict[str, Any] = {"alpha": 0.8, "beta": 0.7, "mode": "nesterov", "norm_coefficient": 0.2}
    nodes.add("Momentum", ["r", "t", *first], 4, domain, **options)
    nodes.add("Adagrad", ["r", "t", *first], 4, domain, norm_coefficient=0.2, decay_factor=0.3, epsilon=1e-3)
    del options["mode"]
    options |= {"norm_coefficient_post": 0.1, "epsilon": 1e-3}
    nodes.add("Adam", ["r", "t", *first, *second], 6, domain, **options)
    found = nodes.found(tmp_path, ai_onnx_preview_training=1)
    wanted = evaluator.ReferenceEvaluator(str(tmp_path / "model.onnx")).run(None, inputs)
    for result, want in zip(found.values(), wanted, strict=True):
        np.testing.assert_allclose(result, want, rtol=1e-6, atol=1e-9)


def _tree(rng: np.random.Generator, depth: int, features: int, targets: int, lists: dict[str, list[Any]]) -> None:
    """Append a full tree with nodes of all modes."""
    first = len(lists["nodes_modes"])
    lists["tree_roots"].append(first)
    inner = 2**depth - 1
    for node in range(inner):
        mode = int(rng.integers(0, 7))
        lists["nodes_modes"].append(mode)
        lists["nodes_splits"].append(0.0 if mode == 6 else float(rng.integers(-2, 3)))
        if mode == 6:
            lists["membership_values"] += [*rng.integers(-3, 4, 3).astype(float).tolist(), float("nan")]
        lists["nodes_featureids"].append(int(rng.integers(features)))
        lists["nodes_missing_value_tracks_true"].append(int(rng.integers(2)))
        for branch, child in (("true", 2 * node + 1), ("false", 2 * node + 2)):
            is_leaf = child >= inner
            lists[f"nodes_{branch}leafs"].append(int(is_leaf))
            lists[f"nodes_{branch}nodeids"].append(len(lists["leaf_weights"]) if is_leaf else first + child)
            if is_leaf:
                lists["leaf_weights"].append(float(rng.standard_normal()))
                lists["leaf_targetids"].append(int(rng.integers(targets)))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tree_ensembles(dtype: type[Any], tmp_path: Path) -> None:
    """All modes of nodes, numbers on the thresholds and NaN, and all aggregates.

    The runtime takes the numbers of SOFTMAX and LOGISTIC for one another, so these are not compared.
    """
    rng = np.random.default_rng(4)
    x = rng.integers(-3, 4, (40, 4)).astype(dtype)
    x[::7, 1] = np.nan
    nodes = Nodes({"x": x})
    names = ("modes", "splits", "featureids", "missing_value_tracks_true", "trueleafs", "truenodeids", "falseleafs")
    keys = [f"nodes_{n}" for n in (*names, "falsenodeids")]
    for aggregate, transform, targets in ((1, 3, 3), (2, 0, 1)) if dtype == np.float32 else ((0, 0, 3), (3, 0, 2)):
        lists: dict[str, list[Any]] = {n: [] for n in (*keys, "leaf_weights", "leaf_targetids", "tree_roots")}
        lists["membership_values"] = []
        for depth in (1, 3, 2):
            _tree(rng, depth, 4, targets, lists)
        tensors = {"nodes_modes": np.uint8, "nodes_splits": dtype, "leaf_weights": dtype, "membership_values": dtype}
        attributes: dict[str, Any] = {
            n: onnx.numpy_helper.from_array(np.asarray(v, tensors[n])) if n in tensors else v for n, v in lists.items()
        }
        attributes |= {"aggregate_function": aggregate, "post_transform": transform, "n_targets": targets}
        nodes.add("TreeEnsemble", ["x"], domain=ML, **attributes)
    nodes.agree(tmp_path, ai_onnx_ml=5)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 4])
def test_support_vector_classifiers(classes: int, tmp_path: Path) -> None:
    """All kernels, with probabilities and without, beside the runtime; classes overlap."""
    rng = np.random.default_rng(classes)
    per_class = [3, 5, 2, 4][:classes]
    total, pairs, features = sum(per_class), classes * (classes - 1) // 2, 3
    nodes = Nodes({"x": _normal(rng, 11, features)})
    common: dict[str, Any] = {
        "classlabels_ints": [7, 3, 5, 2][:classes],
        "vectors_per_class": per_class,
        "support_vectors": rng.standard_normal(total * features),
        "coefficients": rng.standard_normal((classes - 1) * total),
        "rho": rng.standard_normal(pairs) * 0.1,
    }
    chances = {"prob_a": -rng.uniform(0.5, 2, pairs), "prob_b": rng.standard_normal(pairs) * 0.1}
    for kernel in ("LINEAR", "POLY") if classes == 2 else ("RBF", "SIGMOID"):
        options = chances if kernel in ("POLY", "RBF") else {}
        parameters = {"kernel_type": kernel, "kernel_params": [0.3, 0.5, 3.0]}
        nodes.add("SVMClassifier", ["x"], 2, ML, **common, **options, **parameters)
    nodes.agree(tmp_path, 1e-4, 1e-5, ai_onnx_ml=3)


@pytest.mark.slow
def test_support_vector_regressors(tmp_path: Path) -> None:
    """Kernels, one class, and coefficients of features without vectors."""
    rng = np.random.default_rng(6)
    nodes = Nodes({"x": _normal(rng, 9, 4)})
    vectors: dict[str, Any] = {"support_vectors": rng.standard_normal(24), "coefficients": rng.standard_normal(6)}
    vectors |= {"n_supports": 6, "rho": [0.25]}
    for kernel, one_class in (("RBF", 0), ("POLY", 0), ("SIGMOID", 1)):
        parameters: dict[str, Any] = {"kernel_type": kernel, "kernel_params": [0.3, 0.5, 2.0], "one_class": one_class}
        nodes.add("SVMRegressor", ["x"], domain=ML, **vectors, **parameters)
    nodes.add(
        "SVMRegressor",
        ["x"],
        domain=ML,
        coefficients=rng.standard_normal(4),
        rho=[0.5],
        kernel_type="LINEAR",
        kernel_params=[0.0, 0.0, 0.0],
    )
    nodes.agree(tmp_path, 1e-4, 1e-5, ai_onnx_ml=3)
