"""Operators of ONNX on dims of a range, one at a time: for all extents what ONNX Runtime computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.support.errors import UserError

runtime: Any = pytest.importorskip("onnxruntime")
Array = NDArray[Any]
_MOST = 13
_EXTENTS = (1, 2, 5, 7, _MOST)
_KINDS = {"f": TensorProto.FLOAT, "i": TensorProto.INT64}
node: Any = helper.make_node


def _model(nodes: Sequence[Any], inputs: Mapping[str, list[str | int]], count: int, opset: int) -> Any:
    """Inputs whose names begin with `i` are integers; names that begin with `-` or a digit are constants."""
    names = dict.fromkeys(name for each in nodes for name in each.input if name[:1] in (*"-0123456789",) and name)
    constants = [numpy_helper.from_array(_constant(name), name) for name in names]
    given = [
        helper.make_tensor_value_info(n, TensorProto.INT64 if n[0] == "i" else TensorProto.FLOAT, shape)
        for n, shape in inputs.items()
    ]
    results = [helper.make_empty_tensor_value_info(f"y{number}") for number in range(count)]
    graph = helper.make_graph(nodes, "main", given, results, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def _constant(name: str) -> Array:
    """`1,2` is a list, `3` a scalar, of floats where there is a point."""
    numbers = np.array([float(word) for word in name.strip(",").split(",")])
    numbers = numbers.astype(np.float32 if "." in name else np.int64)
    return numbers if "," in name else numbers[0]


def _extent(source: str, axis: int, name: str) -> list[Any]:
    """Nodes that make a list of an extent."""
    return [
        node("Shape", [source], [f"{name}_shape"]),
        node("Gather", [f"{name}_shape", f"{axis},"], [name], axis=0),
    ]


_N, _M = "n", "m"
_CASES: dict[str, tuple[Any, ...]] = {
    "eye": ([node("EyeLike", ["x"], ["y0"], k=1)], {"x": [_N, _M]}),
    "eye, one dim": ([node("EyeLike", ["x"], ["y0"], k=-2, dtype=7)], {"x": [_N, 4]}),
    "one hot": (
        [*_extent("x", 0, "d"), node("OneHot", ["i", "d", "0.5,2.5"], ["y0"])],
        {"x": [_N], "i": [_M, 2]},
    ),
    "one hot in front": (
        [*_extent("x", 0, "d"), node("OneHot", ["i", "d", "3,-4"], ["y0"], axis=0)],
        {"x": [_N], "i": [2, _M]},
    ),
    "tile": (
        [*_extent("z", 0, "r"), node("Concat", ["r", "2,"], ["t"], axis=0), node("Tile", ["x", "t"], ["y0"])],
        {"x": [3, _M], "z": [_N]},
    ),
    "tile, the dim": (
        [*_extent("z", 0, "r"), node("Concat", ["r", "1,"], ["t"], axis=0), node("Tile", ["x", "t"], ["y0"])],
        {"x": [_M, 3], "z": [_N]},
    ),
    "last largest": (
        [
            node("ArgMax", ["x"], ["y0"], axis=1, select_last_index=1),
            node("ArgMin", ["x"], ["y1"], axis=0, select_last_index=1, keepdims=0),
        ],
        {"x": [_N, _M]},
    ),
    "middle": ([node("CenterCropPad", ["x", "6,4"], ["y0"])], {"x": [_N, _M]}),
    "middle, as long as another": (
        [*_extent("z", 0, "s"), node("CenterCropPad", ["x", "s"], ["y0"], axes=[1])],
        {"x": [2, _M], "z": [_N]},
    ),
    "determinants": ([node("Det", ["x"], ["y0"])], {"x": [_N, 2, 3, 3]}),
    "determinants of any size": ([node("Det", ["x"], ["y0"])], {"x": [_M, _N, _N]}),
    "determinants of nothing": ([node("Det", ["x"], ["y0"])], {"x": [_N, 2, 0, 0]}),
    "places in a pool": (
        [node("MaxPool", ["x"], ["y0", "y1"], kernel_shape=[2, 3], pads=[1, 1, 1, 1], strides=[1, 2])],
        {"x": [2, 3, _N, _M]},
    ),
    "places in images": (
        [node("MaxPool", ["x"], ["y0", "y1"], kernel_shape=[2, 2], strides=[2, 2])],
        {"x": [_N, _M, 5, 4]},
    ),
    "places by columns": (
        [node("MaxPool", ["x"], ["y0", "y1"], kernel_shape=[2, 1], pads=[1, 0, 1, 0], storage_order=1)],
        {"x": [_M, 2, _N, 3]},
    ),
    "places in lines": (
        [node("MaxPool", ["x"], ["y0", "y1"], kernel_shape=[3], pads=[1, 1], dilations=[1])],
        {"x": [_M, 2, _N]},
    ),
    "volumes": (
        [node("Resize", ["x", "", "1.,1.,2.,2.,2."], ["y0"], mode="linear")],
        {"x": [_N, 2, 2, 3, 2]},
    ),
    "volumes, of sizes": (
        [node("Resize", ["x", "", "", "3,2,5"], ["y0"], mode="nearest", axes=[2, 3, 4])],
        {"x": [_N, _M, 2, 3, 2]},
    ),
    "different elements": (
        [node("Unique", ["x"], ["y0", "y1", "y2", "y3"])],
        {"x": [_N, _M]},
    ),
    "different elements as they occur": (
        [node("Unique", ["x"], ["y0", "y1", "y2", "y3"], sorted=0)],
        {"x": [_N]},
    ),
    "different rows": (
        [node("Unique", ["x"], ["y0", "y1", "y2", "y3"], axis=0)],
        {"x": [_N, 2]},
    ),
    "different columns as they occur": (
        [node("Unique", ["x"], ["y0", "y1", "y2", "y3"], axis=1, sorted=0)],
        {"x": [_M, _N]},
    ),
    "as many as data says": (
        [
            *_extent("x", 1, "d"),
            node("ReduceSum", ["x"], ["s"], keepdims=0),
            node("Cast", ["s"], ["c"], to=_KINDS["i"]),
            node("Max", ["c", "1,"], ["p"]),
            node("Min", ["p", "d"], ["k"]),
            node("TopK", ["x", "k"], ["y0", "y1"], axis=1),
        ],
        {"x": [_N, _M]},
    ),
    "nothing is left": (
        [node("Resize", ["x", "", "1.,1.,.5,2."], ["y0"], mode="linear")],
        {"x": [_N, 2, 1, 3]},
    ),
    "backwards": (
        [
            node("Slice", ["x", "-1,", "-99999,", "1,", "-1,"], ["y0"]),
            node("Slice", ["x", "6,", "0,", "0,", "-2,"], ["y1"]),
        ],
        {"x": [_N, _M]},
    ),
}


def _numbers(rng: np.random.Generator, name: str, shape: Sequence[int]) -> Array:
    """Many are equal, so that it matters which one comes first."""
    if name == "i":
        return rng.integers(-14, 15, shape)
    return rng.integers(-2, 3, shape).astype(np.float32)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", _CASES)
def test_beside_the_runtime(name: str) -> None:
    nodes, inputs = _CASES[name][:2]
    count = sum(each.startswith("y") for one in nodes for each in one.output)
    model = _model(nodes, inputs, count, 18)
    open_dims = sorted({dim for shape in inputs.values() for dim in shape if isinstance(dim, str)})
    compiled = mlc.compile(model, shapes=dict.fromkeys(open_dims, range(1, _MOST + 1)))
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    for extents in product(_EXTENTS, repeat=len(open_dims)):
        known: dict[str | int, int] = dict(zip(open_dims, extents, strict=True))
        given = {
            n: _numbers(rng, n, [known[dim] if isinstance(dim, str) else dim for dim in shape])
            for n, shape in inputs.items()
        }
        found = compiled.run({each.name: given[each.name] for each in compiled.inputs})
        for number, want in enumerate(session.run(None, given)):
            one = found[f"y{number}"]
            assert (one.shape, one.dtype) == (want.shape, want.dtype), (known, number)
            np.testing.assert_allclose(one, want, rtol=1e-4, atol=1e-5, err_msg=f"{known} {number}")


def test_nothing_cannot_be_resized_to_something() -> None:
    resize = node("Resize", ["x", "", "", "1,1,2,2"], ["y0"], mode="linear")
    with pytest.raises(UserError, match="it resizes dim 2, which has no elements, to 2"):
        mlc.compile(_model([resize], {"x": [1, 1, 0, 4]}, 1, 18))
