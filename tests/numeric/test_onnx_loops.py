"""Loops whose number of steps a condition says, and slices by a counter, beside ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.compiler.compilation import new_context
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function
from mlc.support.errors import UserError

onnx: Any = pytest.importorskip("onnx")
ort: Any = pytest.importorskip("onnxruntime")
h: Any = onnx.helper
Array = NDArray[Any]
X: Array = np.random.default_rng(0).standard_normal((90, 3)).astype(np.float32)
INT, BOOL, FLOAT = onnx.TensorProto.INT64, onnx.TensorProto.BOOL, onnx.TensorProto.FLOAT
Nodes = list[tuple[str, list[str], list[str]]]


def _model(
    folder: Path, body: Nodes, start: int, stacked: list[str] | None = None, most: int | None = None, **known: Any
) -> Path:
    """A loop that carries `i`, next `j`, and `sum`, next `total`, goes on while `go`, and stacks; `x`, `zero` and `one`
    are around it."""
    constants = {"true": np.bool_(True), "zero": np.int64(0), "one": np.int64(1), "i0": np.int64(start), **known}
    constants |= {"s0": np.zeros(3, np.float32), "axis": np.array([0])}
    if most is not None:
        constants["most"] = np.int64(most)
    value, stacked = h.make_tensor_value_info, stacked or []
    nodes = [h.make_node(op, taken, given, **({"to": INT} if op == "Cast" else {})) for op, taken, given in body]
    inner = h.make_graph(
        nodes,
        "body",
        [value("k", INT, []), value("c", BOOL, []), value("i", INT, []), value("sum", FLOAT, [3])],
        [
            value("go", BOOL, []),
            value("j", INT, []),
            value("total", FLOAT, [3]),
            *map(h.make_empty_tensor_value_info, stacked),
        ],
    )
    results = ["last", "y", *(f"stack{n}" for n in range(len(stacked)))]
    begins = "true" if "begins" not in constants else "begins"
    loop = h.make_node("Loop", ["" if most is None else "most", begins, "i0", "s0"], results, body=inner)
    graph = h.make_graph(
        [loop],
        "m",
        [value("x", FLOAT, X.shape)],
        [h.make_empty_tensor_value_info(name) for name in results],
        [onnx.numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder / "model.onnx"


def _agree(path: Path) -> str:
    """All results, by the reference of the graph level and by the runtime; returns the text of the graph."""
    ctx = new_context()
    module = read_onnx(path, ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    found = run_function(module, "main", [X], ctx.resources)
    wanted = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"x": X})
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    return str(module)


UP: Nodes = [("Add", ["i", "one"], ["j"])]
DOWN: Nodes = [("Sub", ["i", "one"], ["j"])]
ROW: Nodes = [("Gather", ["x", "i"], ["row"]), ("Add", ["sum", "row"], ["total"])]
ENDS_AFTER_THREE: Nodes = [("Add", ["p", "three"], ["q"]), ("Slice", ["x", "p", "q", "axis"], ["w"])]
KNOWN: dict[str, Any] = {
    "ones": np.array([1]),
    "three": np.array([3]),
    "back": np.array([-1]),
    "first": np.array([1, 0]),
    "ten": np.float32(10),
    "scalar": np.array([], np.int64),
    "m1": np.int64(-1),
    "m3": np.int64(3),
}
CONDITIONS: dict[str, tuple[Nodes, int, int]] = {
    "less": ([*UP, ("Less", ["j", "n"], ["go"])], 3, 10),
    "less or equal": ([*UP, ("LessOrEqual", ["j", "n"], ["go"])], 3, 9),
    "greater": ([*UP, ("Greater", ["n", "j"], ["go"])], 3, 10),
    "unequal": ([*UP, ("Equal", ["j", "n"], ["e"]), ("Not", ["e"], ["go"])], 3, 10),
    "down": ([*DOWN, ("Greater", ["j", "n"], ["go"])], 9, 2),
    "down to and with": ([*DOWN, ("GreaterOrEqual", ["j", "n"], ["go"])], 9, 3),
    "by twos": ([("Add", ["i", "two"], ["j"]), ("Less", ["j", "n"], ["go"])], 1, 14),
    "doubled": ([("Add", ["i", "i"], ["j"]), ("Less", ["j", "n"], ["go"])], 1, 65),
    "and": ([*UP, ("Less", ["j", "n"], ["l"]), ("And", ["c", "l"], ["go"])], 3, 10),
    "and true": ([*UP, ("Less", ["j", "n"], ["l"]), ("And", ["true", "l"], ["go"])], 3, 10),
    "either": ([*UP, ("Less", ["j", "n"], ["l"]), ("Equal", ["j", "n"], ["e"]), ("Or", ["l", "e"], ["go"])], 3, 9),
    "number": ([*UP, ("Less", ["k", "n"], ["go"])], 3, 6),
    "cast": ([*UP, ("Sub", ["n", "j"], ["d"]), ("Cast", ["d"], ["d64"]), ("Greater", ["d64", "zero"], ["go"])], 3, 10),
}
"""Nodes, where `i` starts, and `n`: seven steps each."""


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_that_count(name: str, tmp_path: Path):
    body, start, n = CONDITIONS[name]
    path = _model(tmp_path, [*body, *ROW], start, ["row", "j"], n=np.int64(n), two=np.int64(2))
    assert "graph.while" not in _agree(path)


def test_native(tmp_path: Path):
    """A counter that steers a gather and a slice, in a loop that its condition counts."""
    body: Nodes = [*UP, ("Less", ["j", "n"], ["go"]), *ROW, ("Reshape", ["i", "ones"], ["p"]), *ENDS_AFTER_THREE]
    path = _model(tmp_path, body, 3, ["row", "w"], n=np.int64(80), **KNOWN)
    wanted = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"x": X})
    for one, other in zip(mlc.compile(path)(X), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("most", [None, 2, 100, 2**62])
@pytest.mark.parametrize(("start", "steps"), [(3, 7), (9, 1), (10, 1), (12, 1)])
def test_the_first_limit_counts(start: int, steps: int, most: int | None, tmp_path: Path):
    """The first step is made in any case; the number of steps and the condition end the loop, whichever comes first."""
    body: Nodes = [*UP, ("Less", ["j", "n"], ["go"]), *ROW]
    path = _model(tmp_path, body, start, ["row"], most, n=np.int64(10))
    assert f"tensor<{min(steps, most or steps)}x3xf32>" in _agree(path)


@pytest.mark.parametrize("most", [None, 5])
def test_no_steps(most: int | None, tmp_path: Path):
    """What the condition in the body says does not count then, known or not."""
    compare: Nodes = [("ReduceMax", ["total"], ["m"]), ("Cast", ["m"], ["m64"]), ("Less", ["m64", "n"], ["l"])]
    body: Nodes = [*UP, *ROW, *compare, ("Reshape", ["l", "scalar"], ["go"])]
    known: dict[str, Any] = {"n": np.int64(10), "begins": np.bool_(False), "scalar": np.array([], np.int64)}
    assert "tensor<0x3xf32>" in _agree(_model(tmp_path, body, 3, ["row"], most, **known))


def _nested(folder: Path, steps: int, inner: Nodes) -> Path:
    """A loop of so many steps in one of as many; its counter is `a`, the outer one's `i`, and it stacks `part`."""
    value = h.make_tensor_value_info
    nodes: Nodes = [("Add", ["a", "one"], ["b"]), ("Less", ["b", "end"], ["on"]), *inner]
    graph = h.make_graph(
        [h.make_node(*node) for node in nodes],
        "inner",
        [value("k2", INT, []), value("c2", BOOL, []), value("a", INT, [])],
        [value("on", BOOL, []), value("b", INT, []), h.make_empty_tensor_value_info("part")],
    )
    path = _model(folder, [], 0, ["parts"], end=np.int64(steps), **KNOWN)
    model = onnx.load(path)
    body = model.graph.node[0].attribute[0].g
    outer: Nodes = [*UP, ("Less", ["j", "end"], ["go"]), *ROW]
    body.node.extend([h.make_node(*node) for node in outer])
    body.node.append(h.make_node("Loop", ["", "true", "zero"], ["b_", "parts"], body=graph))
    onnx.save(model, path)
    return path


def test_a_loop_in_a_loop(tmp_path: Path):
    """The inner one has a counter that starts anew."""
    path = _nested(tmp_path, 5, [("Add", ["i", "b"], ["place"]), ("Gather", ["x", "place"], ["part"])])
    text = _agree(path)
    assert "tensor<5x5x3xf32>" in text and "graph.while" not in text


@pytest.mark.parametrize("counter", ["a", "i"])
def test_slices_in_a_loop_in_a_loop(counter: str, tmp_path: Path):
    """By either counter, with more steps than are written out."""
    _agree(
        _nested(tmp_path, 66, [("Reshape", [counter, "ones"], ["p"]), *ENDS_AFTER_THREE, ("Identity", ["w"], ["part"])])
    )


def test_slices_by_two_counters(tmp_path: Path):
    """What one is in its steps says nothing of both, as many as these may be."""
    both: Nodes = [
        ("Sub", ["a", "i"], ["s"]),
        ("Reshape", ["s", "ones"], ["p"]),
        *ENDS_AFTER_THREE,
        ("Identity", ["w"], ["part"]),
    ]
    with pytest.raises(UserError, match="'starts' has to be known"):
        _agree(_nested(tmp_path, 66, both))


def test_conditions_on_data(tmp_path: Path):
    """They stay loops with a condition; rows of these cannot be stacked."""
    compare: Nodes = [("ReduceMax", ["total"], ["m"]), ("Cast", ["m"], ["m64"]), ("Less", ["m64", "n"], ["l"])]
    body: Nodes = [*UP, *ROW, *compare, ("Reshape", ["l", "scalar"], ["go"])]
    known: dict[str, Any] = {"n": np.int64(4), "scalar": np.array([], np.int64)}
    assert "graph.while" in _agree(_model(tmp_path, body, 3, **known))
    with pytest.raises(UserError, match="it stacks values of a number of steps that depends on data"):
        _agree(_model(tmp_path, body, 3, ["row"], **known))


WINDOWS: dict[str, tuple[int, Nodes]] = {
    "rows": (0, [("Add", ["p", "ones"], ["q"]), ("Slice", ["x", "p", "q", "axis"], ["w"])]),
    "three rows": (0, ENDS_AFTER_THREE),
    "from the end": (-80, ENDS_AFTER_THREE),
    "backwards": (5, [("Sub", ["p", "three"], ["q"]), ("Slice", ["x", "p", "q", "axis", "back"], ["w"])]),
    "both axes": (
        0,
        [("Mul", ["p", "first"], ["a"]), ("Add", ["a", "ones"], ["q"]), ("Slice", ["x", "a", "q"], ["w"])],
    ),
    "always the same": (90, [("Mul", ["p", "three"], ["q"]), ("Slice", ["x", "axis", "q", "axis"], ["w"])]),
    "counted": (0, [("Add", ["i", "m3"], ["e"]), ("Range", ["i", "e", "one"], ["q"]), ("Gather", ["x", "q"], ["w"])]),
    "counted down": (
        5,
        [("Sub", ["i", "m3"], ["e"]), ("Range", ["i", "e", "m1"], ["q"]), ("Gather", ["x", "q"], ["w"])],
    ),
}
"""Where the counter starts, and nodes that make `w` of `p`, its value in one dim."""


@pytest.mark.parametrize("ends", ["count", "data"])
@pytest.mark.parametrize("name", WINDOWS)
def test_slices_by_a_counter(name: str, ends: str, tmp_path: Path):
    """More steps than are written out; a loop that data may end before a count does has a counter as well."""
    start, nodes = WINDOWS[name]
    body: Nodes = [*UP, ("Reshape", ["i", "ones"], ["p"]), *nodes, ("ReduceSum", ["w", "axis"], ["r"])]
    body += [("Squeeze", ["r", "axis"], ["row"]), ("Add", ["sum", "row"], ["total"]), ("Less", ["j", "n"], ["l"])]
    if ends == "data":
        body += [("ReduceMax", ["total"], ["m"]), ("Less", ["m", "ten"], ["d"]), ("Reshape", ["d", "scalar"], ["d0"])]
    body += [("And", ["l", "d0" if ends == "data" else "true"], ["go"])]
    path = _model(tmp_path, body, start, ["w"] if ends == "count" else [], n=np.int64(start + 70), **KNOWN)
    assert ("graph.while" in _agree(path)) == (ends == "data")


REFUSED: dict[str, tuple[Nodes, str]] = {
    "at the end": (ENDS_AFTER_THREE, "it takes 0 to 3 elements along axis 0 in the steps of a loop; required: as many"),
    "growing": (
        [("Slice", ["x", "axis", "p", "axis"], ["w"])],
        "it takes 0 to 90 elements along axis 0 in the steps of a loop; required: as many",
    ),
    "over the end": (
        [("Sub", ["p", "hundred"], ["a"]), ("Slice", ["x", "a", "beyond", "axis", "many"], ["w"])],
        "it starts inside and outside of axis 0 in the steps of a loop; required: one of both in all steps",
    ),
    "counted": (
        [("Range", ["zero", "i", "one"], ["q"]), ("Gather", ["x", "q"], ["w"])],
        "it counts 0 to 94 numbers in the steps of a loop; required: as many in each",
    ),
}
"""Nodes, and what is said of them in a loop of 95 steps."""


@pytest.mark.parametrize("name", REFUSED)
def test_slices_that_grow(name: str, tmp_path: Path):
    nodes, message = REFUSED[name]
    body: Nodes = [*UP, ("Reshape", ["i", "ones"], ["p"]), *nodes, ("ReduceSum", ["w", "axis"], ["r"])]
    body += [("Squeeze", ["r", "axis"], ["row"]), ("Add", ["sum", "row"], ["total"]), ("Less", ["j", "n"], ["go"])]
    more: dict[str, Any] = {"hundred": np.array([100]), "beyond": np.array([2**40]), "many": np.array([100])}
    with pytest.raises(UserError, match=message):
        _agree(_model(tmp_path, body, 0, n=np.int64(95), **KNOWN, **more))
