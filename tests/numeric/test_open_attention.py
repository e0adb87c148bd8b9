"""Attention in models with open dims, that of ONNX and as ONNX Runtime fuses it: as others compute it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.support.errors import UserError

from .open_graphs import expected

Array = NDArray[Any]
_FLOAT, _I32, _I64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
_INPUTS: dict[str, tuple[int, list[str | int]]] = {
    "x": (_FLOAT, ["batch", "rows", 8]),
    "y": (_FLOAT, ["batch", "keys", 8]),
    "past": (_FLOAT, ["batch", 2, "keys", 4]),
    "seen": (_I32, ["batch", "rows"]),
    "seen_keys": (_I32, ["batch", "keys"]),
    "seen_pairs": (_I32, ["batch", "rows", "rows"]),
    "ends": (_I32, ["batch"]),
    "bias": (_FLOAT, [1, 2, "rows", "keys"]),
    "q": (_FLOAT, ["batch", 4, "rows", 4]),
    "k": (_FLOAT, ["batch", 2, "keys", 4]),
    "mask": (_FLOAT, ["rows", "keys"]),
    "ids": (_I32, ["batch", "rows"]),
    "places": (_I64, ["batch", "rows"]),
}
_RANGES = {"batch": range(1, 4), "rows": range(1, 10), "keys": range(1, 8)}
_EXTENTS = ((1, 1, 1), (3, 9, 7), (2, 5, 7), (1, 9, 1), (3, 2, 3))


def _model(nodes: Sequence[Any], outputs: Sequence[str], weights: Mapping[str, Array]) -> Any:
    used = {name for node in nodes for name in node.input}
    given = [helper.make_tensor_value_info(name, *spec) for name, spec in _INPUTS.items() if name in used]
    initial = [numpy_helper.from_array(array, name) for name, array in weights.items() if name in used]
    graph = helper.make_graph(nodes, "main", given, list(map(helper.make_empty_tensor_value_info, outputs)), initial)
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=11)


def _node(kind: str, inputs: str, results: str, **attributes: Any) -> Any:
    """Inputs and results with blanks between them; `-` is one that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(kind, names, results.split(), domain="com.microsoft", **attributes)


def _arrays(rng: np.random.Generator, extents: Mapping[str, int], names: Sequence[str]) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for name in names:
        kind, shape = _INPUTS[name]
        sizes = [dim if isinstance(dim, int) else extents[dim] for dim in shape]
        numbers: Array = rng.standard_normal(sizes) if kind == _FLOAT else rng.integers(0, 2, sizes)
        numbers = numbers if name != "ends" else np.full(sizes, max(1, extents["rows"] // 2))
        found[name] = numbers.astype(helper.tensor_dtype_to_np_dtype(kind))
    return found


@pytest.mark.slow
def test_beside_the_runtime() -> None:
    """Masks of rows, of pairs and by where rows end; keys of their own length, and those of the past; causal ones."""
    runtime = pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(0)
    shapes = {"w": (8, 24), "b": (24,), "words": (2, 8), "table": (9, 8), "g": (8,), "cos": (9, 2), "sin": (9, 2)}
    weights = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    heads: dict[str, Any] = {"num_heads": 2}
    nodes = [
        _node("Attention", "x w b seen", "a0", unidirectional=1, **heads),
        _node("Attention", "x w b ends", "a1", **heads),
        _node("Attention", "x w b seen_pairs", "a2", **heads),
        _node("MultiHeadAttention", "x y y b seen_keys bias", "a3", **heads),
        _node("MultiHeadAttention", "x x x - - - past past", "a4 keys_ values_", unidirectional=1, **heads),
        _node("EmbedLayerNormalization", "ids ids words table words g g seen", "a5 count"),
        _node("RotaryEmbedding", "x places cos sin", "a6", **heads),
    ]
    outputs = [*(f"a{number}" for number in range(7)), "keys_", "count"]
    model = _model(nodes, outputs, weights)
    compiled = mlc.compile(model, shapes=_RANGES)
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for extents in _EXTENTS:
        given = _arrays(rng, dict(zip(_RANGES, extents, strict=True)), [each.name for each in compiled.inputs])
        found = compiled.run(given)
        for name, want in zip(outputs, session.run(outputs, given), strict=True):
            assert found[name].shape == want.shape, (name, extents)
            np.testing.assert_allclose(found[name], want, rtol=1e-4, atol=1e-5, err_msg=f"{name} {extents}")


@pytest.mark.parametrize("causal", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_attention_of_onnx(causal: int) -> None:
    """The body that ONNX gives it is made without extents: heads that are shared, and a mask."""
    node = helper.make_node("Attention", ["q", "k", "k", "mask"], ["a"], is_causal=causal, softcap=3.0)
    model = _model([node], ["a"], {})
    compiled = mlc.compile(model, shapes=_RANGES, opt_level=1)
    rng = np.random.default_rng(causal)
    for extents in _EXTENTS:
        given = _arrays(rng, dict(zip(_RANGES, extents, strict=True)), [each.name for each in compiled.inputs])
        want = expected(model, given)
        assert compiled.run(given)["a"].shape == want.shape
        np.testing.assert_allclose(compiled.run(given)["a"], want, rtol=1e-4, atol=1e-5, err_msg=f"{extents}")


def test_causal_attention_to_other_keys_is_refused() -> None:
    """The runtime has no one rule for that."""
    model = _model([_node("MultiHeadAttention", "x y y", "a", num_heads=2, unidirectional=1)], ["a"], {})
    with pytest.raises(UserError, match="is 1 for queries of rows rows and keys of keys; required: as many"):
        mlc.compile(model, shapes=_RANGES)
