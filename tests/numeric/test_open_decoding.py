"""Decoders with open batch, rows, past rows and all rows, as exports of ONNX Runtime GenAI are: as the runtime computes
them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.support.errors import UserError

runtime: Any = pytest.importorskip("onnxruntime")
Array = NDArray[Any]
_RANGES = {"batch": range(1, 4), "rows": range(1, 8), "past": range(14), "total": range(1, 20)}
_EXTENTS = ((1, 1, 0, 1), (3, 7, 0, 7), (2, 1, 13, 14), (1, 5, 2, 7), (3, 1, 13, 5), (1, 1, 6, 7), (2, 3, 13, 3))
"""Prompts, steps, a prompt after a past, a step in a buffer that has room, a prompt in one."""
_SIZE = 16


def _decoder(inputs: dict[str, list[str | int]], **attributes: Any) -> Any:
    """A node, whose integers follow from a mask as exporters compute them."""
    node: Any = helper.make_node
    nodes: list[Any] = [
        node("ReduceSum", ["mask", "one"], ["seen"], keepdims=0),
        node("Sub", ["seen", "one"], ["last"]),
        node("Cast", ["last"], ["ends"], to=TensorProto.INT32),
        node("Shape", ["mask"], ["shape"]),
        node("Gather", ["shape", "at"], ["long"], axis=0),
        node("Cast", ["long"], ["length"], to=TensorProto.INT32),
    ]
    names = ["q", "k", "v", "past_k", "past_v", "ends", "length", "cos", "sin", "places", "bias", "sink"]
    there = [name if name in (*inputs, "ends", "length") else "" for name in names]
    if attributes.get("do_rotary"):
        there[7:9] = ["cos", "sin"]
    if "sink" in attributes:
        there[11] = "sink"
    heads = {"num_heads": 4, "kv_num_heads": 2, **{k: v for k, v in attributes.items() if k != "sink"}}
    nodes.append(node("GroupQueryAttention", there, ["y", "new_k", "new_v"], domain="com.microsoft", **heads))
    angles = np.arange(40 * _SIZE // 2).reshape(40, _SIZE // 2) * 0.3
    weights = {
        "one": np.array([1]),
        "at": np.array(1),
        "cos": np.cos(angles).astype(np.float32),
        "sin": np.sin(angles).astype(np.float32),
        "sink": np.array([0.5, -1, 2, 0], np.float32),
    }
    given = [
        helper.make_tensor_value_info(n, TensorProto.INT64 if n in ("mask", "places") else TensorProto.FLOAT, shape)
        for n, shape in inputs.items()
    ]
    initial = [numpy_helper.from_array(a, n) for n, a in weights.items() if any(n in each.input for each in nodes)]
    results = list(map(helper.make_empty_tensor_value_info, ["y", "new_k", "new_v"]))
    graph = helper.make_graph(nodes, "main", given, results, initial)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


_APART: dict[str, list[str | int]] = {
    "q": ["batch", "rows", 4 * _SIZE],
    "k": ["batch", "rows", 2 * _SIZE],
    "v": ["batch", "rows", 2 * _SIZE],
    "past_k": ["batch", 2, "past", _SIZE],
    "past_v": ["batch", 2, "past", _SIZE],
    "mask": ["batch", "total"],
}
_PACKED: dict[str, list[str | int]] = {
    "q": ["batch", "rows", 8 * _SIZE],
    **{name: shape for name, shape in _APART.items() if name not in ("q", "k", "v")},
}
_BIASED: dict[str, list[str | int]] = {**_APART, "bias": ["batch", 4, "rows", "total"]}
_PLACED: dict[str, list[str | int]] = {**_PACKED, "places": ["batch", "rows"]}
_FORMS: dict[str, Any] = {
    "apart": _decoder(_APART),
    "rotary": _decoder(_PACKED, do_rotary=1),
    "window": _decoder(_APART, local_window_size=3, softcap=4.0, scale=0.3),
    "bias": _decoder(_BIASED),
    "one bias": _decoder({**_APART, "bias": [1, 1, "rows", "total"]}),
    "sink": _decoder(_PACKED, sink=True, do_rotary=1, rotary_interleaved=1),
    "smooth": _decoder(_APART, smooth_softmax=1),
    "places": _decoder(_PLACED, do_rotary=1),
}


def _arrays(model: Any, extents: dict[str, int], rng: np.random.Generator) -> dict[str, Array]:
    """Inputs of a call. Of the places of a prompt the runtime reads the first one, and counts on."""
    found: dict[str, Array] = {}
    for each in model.graph.input:
        sizes = [dim.dim_value or extents[dim.dim_param] for dim in each.type.tensor_type.shape.dim]
        if each.name == "mask":
            found["mask"] = np.ones(sizes, np.int64)
            if extents["rows"] == 1 < extents["batch"]:
                found["mask"][1, -2:] = 0  # a text that is shorter
            continue
        places = np.broadcast_to(3 + np.arange(extents["rows"]), (extents["batch"], extents["rows"]))
        found[each.name] = places if each.name == "places" else rng.standard_normal(sizes).astype(np.float32)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("form", _FORMS)
def test_beside_the_runtime(form: str) -> None:
    model, rng = _FORMS[form], np.random.default_rng(0)
    compiled = mlc.compile(model, shapes=_RANGES)
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for batch, rows, past, total in _EXTENTS:
        given = _arrays(model, {"batch": batch, "rows": rows, "past": past, "total": total}, rng)
        found = compiled.run(given)
        for name, want in zip(("y", "new_k", "new_v"), session.run(None, given), strict=True):
            assert found[name].shape == want.shape, (name, batch, rows, past, total)
            for number, count in enumerate(given["mask"].sum(1)):  # rows of a cache behind the last one are anything
                where = (number,) if name == "y" else np.s_[number, :, :count]
                np.testing.assert_allclose(
                    *(found[name][where], want[where]),
                    rtol=1e-4,
                    atol=1e-5,
                    err_msg=f"{name} {batch} {rows} {past} {total}",
                )


def test_lengths_that_do_not_fit_are_refused() -> None:
    inputs = {name: shape for name, shape in _APART.items() if name not in ("past_k", "past_v")}
    with pytest.raises(UserError, match="there are total rows of keys, of which rows are new, and no past ones"):
        mlc.compile(_decoder(inputs), shapes={name: _RANGES[name] for name in ("batch", "rows", "total")})
