"""Results that are as long as data says: by NumPy, ONNX's own reference evaluator, and a plain greedy suppression."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import onnx
import onnx.helper
import onnx.reference
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from mlc import compile
from mlc.compiler.compilation import new_context
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function
from mlc.runtime.extents import actual_outputs
from mlc.support.functions import extents_in

if TYPE_CHECKING:
    from tests.conftest import CommandLine

Array = NDArray[Any]
Nodes = Sequence[tuple[str, list[str], list[str], dict[str, Any]]]
Run = Callable[[Mapping[str, Array]], list[Array]]


def _write(nodes: Nodes, inputs: Mapping[str, Array], outputs: Sequence[str], constants: Any, folder: Path) -> Path:
    helper = cast(Any, onnx.helper)
    made = [helper.make_node(op, ins, outs, **options) for op, ins, outs, options in nodes]
    kinds = {name: helper.np_dtype_to_tensor_dtype(a.dtype) for name, a in inputs.items()}
    given = [helper.make_tensor_value_info(n, kinds[n], a.shape) for n, a in inputs.items()]
    data = [cast(Any, onnx).numpy_helper.from_array(np.asarray(a), n) for n, a in constants.items()]
    graph = helper.make_graph(made, "m", given, [helper.make_empty_tensor_value_info(n) for n in outputs], data)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    cast(Any, onnx).save(model, str(folder / "model.onnx"))
    return folder / "model.onnx"


def _by_reference(path: Path, names: Sequence[str]) -> Run:
    """The graph level by its reference semantics; callers see as much as the extents say."""
    ctx = new_context()
    module = read_onnx(path, ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    function = cast(Any, next(iter(module.ops)))

    def run(inputs: Mapping[str, Array]) -> list[Array]:
        found = run_function(module, "main", [inputs[n] for n in names], ctx.resources)
        return actual_outputs(found, [extents_in(marks.data) for marks in function.res_attrs])

    return run


def _check(
    nodes: Nodes,
    draws: Sequence[Mapping[str, Array]],
    outputs: Sequence[str],
    folder: Path,
    constants: Mapping[str, Any] | None = None,
) -> None:
    path = _write(nodes, draws[0], outputs, constants or {}, folder)
    run = _by_reference(path, list(draws[0]))
    evaluator = cast(Any, onnx.reference).ReferenceEvaluator(str(path))
    for inputs in draws:
        for name, found, want in zip(outputs, run(inputs), evaluator.run(None, dict(inputs)), strict=True):
            assert found.shape == want.shape and found.dtype == want.dtype, (name, found, want)
            np.testing.assert_allclose(found, want, rtol=1e-6, err_msg=name)


def _vectors() -> list[Array]:
    """Some elements set, none, all, and NaN, which is not 0."""
    some = np.array([0, 3, -1, 0, -0.0, 5, 2, 0], np.float32)
    return [some, np.zeros_like(some), np.ones_like(some), np.where(some == 5, np.float32(np.nan), some)]


def test_means(tmp_path: Path) -> None:
    """Of as many places as there are, of integers towards zero; nothing lies behind the last one that would count."""
    nodes: Nodes = [
        ("NonZero", ["x"], ["y"], {}),
        ("ReduceMean", ["y", "last"], ["whole"], {"keepdims": 0}),
        ("Cast", ["y"], ["floats"], {"to": 1}),
        ("ReduceMean", ["floats", "last"], ["rows"], {}),
        ("ReduceMean", ["floats"], ["all"], {"keepdims": 0}),
        ("ReduceMean", ["floats", "first"], ["columns"], {}),
    ]
    draws = [{"x": x.reshape(2, 4)} for x in _vectors() if x.any()]
    constants = {"last": np.array([1]), "first": np.array([0])}
    _check(nodes, draws, ["whole", "rows", "all", "columns"], tmp_path, constants)


def test_the_mean_of_no_integers_is_0(tmp_path: Path) -> None:
    x = np.zeros(4, np.float32)
    nodes: Nodes = [("NonZero", ["x"], ["y"], {}), ("ReduceMean", ["y"], ["mean"], {})]
    path = _write(nodes, {"x": x}, ["mean"], {}, tmp_path)
    assert _by_reference(path, ["x"])({"x": x})[0].tolist() == [[0]]


def test_running_sums_and_sorts(tmp_path: Path) -> None:
    """From both ends, along the dim that data says and across it; what lies behind comes last, also behind NaN."""
    nodes: Nodes = [
        ("NonZero", ["x"], ["y"], {}),
        ("Transpose", ["y"], ["places"], {}),
        ("GatherND", ["x", "places"], ["elements"], {}),
        *(
            ("CumSum", ["y", axis], [f"sums_{axis}_{r}{e}"], {"reverse": r, "exclusive": e})
            for axis in ("one", "zero")
            for r in (0, 1)
            for e in (0, 1)
        ),
        *(("TopK", ["elements", "k"], [f"top_{n}", f"at_{n}"], {"largest": n}) for n in (0, 1)),
        *(("TopK", ["y", "k"], [f"first_{n}", f"where_{n}"], {"largest": n}) for n in (0, 1)),
        ("TopK", ["y", "single"], ["upper", "row"], {"axis": 0}),
        ("Add", ["top_0", "top_0"], ["added"], {}),
    ]
    outputs = [name for _, _, names, _ in nodes[3:] for name in names]
    constants = {"one": np.array(1), "zero": np.array(0), "k": np.array([2]), "single": np.array([1])}
    draws = [{"x": v.reshape(2, 4)} for v in _vectors() if v.any()]
    _check(nodes, draws[:2], outputs, tmp_path, constants)
    x = np.array([[np.nan, -np.inf, 0, 0]], np.float32)
    run = _by_reference(_write(nodes, {"x": x}, ["top_0", "top_1"], constants, tmp_path), ["x"])
    for found, want in zip(run({"x": x}), ([-np.inf, np.nan], [np.nan, -np.inf]), strict=True):
        np.testing.assert_array_equal(found, np.array(want, np.float32))
    for found in run({"x": np.array([[0, 0, 7, 0]], np.float32)}):
        assert found.tolist() == [7]  # fewer than are asked for


@pytest.mark.parametrize("batch", [0, 2])
def test_a_kept_dim_may_be_empty(batch: int, tmp_path: Path) -> None:
    """What is left for -1 does not depend on the extents of dims that are kept."""
    x = np.arange(batch * 12, dtype=np.float32).reshape(batch, 3, 4)
    constants = {"flat": np.array([0, -1]), "split": np.array([0, 3, -1, 2])}
    nodes: Nodes = [("Reshape", ["x", "flat"], ["a"], {}), ("Reshape", ["x", "split"], ["b"], {})]
    a, b = _by_reference(_write(nodes, {"x": x}, ["a", "b"], constants, tmp_path), ["x"])({"x": x})
    np.testing.assert_array_equal(a, x.reshape(batch, 12))
    np.testing.assert_array_equal(b, x.reshape(batch, 3, 2, 2))


@pytest.mark.parametrize("shape", [(8,), (2, 4), (2, 1, 4), (8, 1)])
def test_nonzero(shape: tuple[int, ...], tmp_path: Path) -> None:
    nodes: Nodes = [
        ("NonZero", ["x"], ["y"], {}),
        ("Shape", ["y"], ["shape"], {}),
        ("Size", ["y"], ["size"], {}),
        ("Transpose", ["y"], ["places"], {}),
        ("GatherND", ["x", "places"], ["elements"], {}),
        ("Neg", ["elements"], ["negated"], {}),
    ]
    outputs = ["y", "shape", "size", "places", "elements", "negated"]
    _check(nodes, [{"x": v.reshape(shape)} for v in _vectors()], outputs, tmp_path)


@pytest.mark.parametrize("shape", [(0,), (3, 0), ()])
def test_nonzero_of_nothing_and_of_a_scalar(shape: tuple[int, ...], tmp_path: Path) -> None:
    x = np.ones(shape, np.float32)
    run = _by_reference(_write([("NonZero", ["x"], ["y"], {})], {"x": x}, ["y"], {}, tmp_path), ["x"])
    assert run({"x": x})[0].shape == (len(shape), x.size)
    assert run({"x": x * 0})[0].shape == (len(shape), 0)


def test_what_combines_leaves_out_what_lies_behind(tmp_path: Path) -> None:
    """Sums, extremes, products, weights; rows of a product; positions from the end, and one that is the first."""
    nodes: Nodes = [
        ("NonZero", ["x"], ["at"], {}),
        ("Squeeze", ["at", "zero"], ["i"], {}),
        ("Gather", ["rows", "i"], ["v"], {}),
        *((f"Reduce{kind}", ["v", "zero"], [kind], {"keepdims": 0}) for kind in ("Sum", "Max", "Min", "Prod", "L2")),
        ("ReduceSum", ["v", "one"], ["each"], {}),
        ("ArgMax", ["v"], ["best"], {"axis": 0}),
        ("Softmax", ["v"], ["weights"], {"axis": 0}),
        ("MatMul", ["v", "matrix"], ["product"], {}),
        ("Gather", ["v", "ends"], ["both_ends"], {}),
        ("Slice", ["v", "one", "three", "zero"], ["middle"], {}),
        ("Concat", ["rows", "v"], ["longer"], {"axis": 0}),
        ("Unsqueeze", ["v", "zero"], ["apart"], {}),
        ("Reshape", ["apart", "same"], ["back"], {}),
    ]
    outputs = [name for _, _, (name,), _ in nodes[2:]]
    rng = np.random.default_rng(0)
    rows, matrix = (rng.standard_normal(s).astype(np.float32) - 3 for s in ((8, 3), (3, 5)))
    constants = {"matrix": matrix, "ends": np.array([-1, 0]), "same": np.array([-1, 3])}
    constants |= {"zero": np.array([0]), "one": np.array([1]), "three": np.array([3])}
    draws = [{"x": v, "rows": rows} for v in _vectors() if v.any()]  # of nothing, there is no largest element
    _check(nodes, draws, outputs, tmp_path, constants)


def test_compress(tmp_path: Path) -> None:
    """Along each axis, of all elements, and by a condition that ends early."""
    nodes: Nodes = [("Compress", ["x", f"c{axis}"], [f"y{axis}"], {"axis": axis}) for axis in (0, 1)]
    nodes = [*nodes, ("Compress", ["x", "c1"], ["flat"], {})]
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    conditions = [([True, False], [False, True, True, True]), ([False] * 2, [False] * 4), ([True] * 2, [True] * 4)]
    draws = [{"x": x, "c0": np.array(a), "c1": np.array(b)} for a, b in conditions]
    path = _write(nodes, draws[0], ["y0", "y1", "flat"], {}, tmp_path)
    run = _by_reference(path, ["x", "c0", "c1"])
    for inputs in draws:
        a, b = (cast(Any, inputs[name]) for name in ("c0", "c1"))
        wanted: list[Array] = [np.compress(a, x, 0), np.compress(b, x, 1), np.compress(b, x)]
        for found, want in zip(run(inputs), wanted, strict=True):
            assert found.tolist() == want.tolist() and found.shape == want.shape


@pytest.mark.parametrize("is_sorted", [0, 1])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_unique(is_sorted: int, axis: int | None, tmp_path: Path) -> None:
    """Few values, one, all different; slices are sorted by their first elements first."""
    options = {"sorted": is_sorted} | ({} if axis is None else {"axis": axis})
    rng = np.random.default_rng(0)
    draws = [{"x": rng.integers(0, 2, (5, 3)).astype(np.float32)} for _ in range(4)]
    draws += [{"x": np.zeros((5, 3), np.float32)}, {"x": rng.standard_normal((5, 3)).astype(np.float32)}]
    outputs = ["y", "first", "inverse", "counts"]
    run = _by_reference(_write([("Unique", ["x"], outputs, options)], draws[0], outputs, {}, tmp_path), ["x"])
    for inputs in draws:
        for name, found, want in zip(outputs, run(inputs), _unique(inputs["x"], axis, is_sorted), strict=True):
            assert found.shape == want.shape and found.dtype == want.dtype, name
            np.testing.assert_array_equal(found, want, name)


def _unique(x: Array, axis: int | None, is_sorted: int) -> tuple[Array, ...]:
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    order = np.arange(first.size) if is_sorted else np.argsort(first)
    return np.take(values, order, axis or 0), first[order], np.argsort(order)[np.ravel(inverse)], counts[order]


def test_one_nan_is_like_another(tmp_path: Path) -> None:
    x = np.array([np.nan, 1, np.nan, -0.0, 0.0], np.float32)
    outputs = ["y", "first", "inverse", "counts"]
    path = _write([("Unique", ["x"], outputs, {})], {"x": x}, outputs, {}, tmp_path)
    for found, want in zip(_by_reference(path, ["x"])({"x": x}), np.unique(x, True, True, True), strict=True):
        np.testing.assert_array_equal(found, want)


def _suppressed(boxes: Array, scores: Array, most: int, overlap: float, least: float) -> list[tuple[int, int, int]]:
    """Boxes by descending score, the first of equal ones first, but for those that a chosen one covers."""
    found: list[tuple[int, int, int]] = []
    for batch, group in np.ndindex(scores.shape[:2]):
        chosen: list[int] = []
        for i in np.argsort(-scores[batch, group], kind="stable"):
            is_free = all(_covered(boxes[batch, i], boxes[batch, j]) <= overlap for j in chosen)
            if scores[batch, group, i] > least and is_free and len(chosen) < most:
                chosen.append(int(i))
        found += [(batch, group, i) for i in chosen]
    return found


def _covered(a: Array, b: Array) -> float:
    (ay, ax, ay2, ax2), (by, bx, by2, bx2) = (
        np.concatenate([np.minimum(c[:2], c[2:]), np.maximum(c[:2], c[2:])]) for c in (a, b)
    )
    common = max(min(ay2, by2) - max(ay, by), 0) * max(min(ax2, bx2) - max(ax, bx), 0)
    together = (ay2 - ay) * (ax2 - ax) + (by2 - by) * (bx2 - bx) - common
    return common / together if common > 0 else 0.0


def test_suppression(tmp_path: Path) -> None:
    """Ties in scores, boxes without an area, no box at all, fewer or more than may be chosen."""
    rng = np.random.default_rng(0)
    boxes = rng.random((2, 9, 4)).astype(np.float32)
    boxes[0, 3:5, 2:] = boxes[0, 3:5, :2]
    scores = (rng.integers(0, 5, (2, 3, 9)) / 5).astype(np.float32)
    inputs = ["boxes", "scores", "most", "overlap", "least"]
    cases = [(4, 0.3, 0.2), (0, 0.3, 0.2), (-1, 0.3, 0.2), (9, 1, 0), (100, 0, 0), (5, 0.1, 5)]

    def draw(most: int, overlap: float, least: float) -> dict[str, Array]:
        bounds = {"overlap": np.array([overlap], np.float32), "least": np.array([least], np.float32)}
        return {"boxes": boxes, "scores": scores, "most": np.array([most]), **bounds}

    path = _write([("NonMaxSuppression", inputs, ["y"], {})], draw(1, 0, 0), ["y"], {}, tmp_path)
    run = _by_reference(path, inputs)
    for most, overlap, least in cases:
        found = run(draw(most, overlap, least))[0]
        wanted = _suppressed(boxes, scores, most, float(np.float32(overlap)), float(np.float32(least)))
        assert found.shape == (len(wanted), 3)
        assert [tuple(row) for row in found.tolist()] == wanted


@pytest.mark.parametrize("most", [1, 6])
def test_suppression_of_many(most: int, tmp_path: Path) -> None:
    """Few of many: ties, boxes that are no more than a line, scores without an order, bounds that leave nothing."""
    rng = np.random.default_rng(0)
    corners = rng.random((2, 33, 2)).astype(np.float32)
    boxes = np.concatenate([corners, corners + rng.integers(0, 4, (2, 33, 2)).astype(np.float32) / 8], 2)
    scores = (rng.integers(0, 9, (2, 3, 33)) / 8).astype(np.float32)
    scores[0, 0, ::5], scores[1, 1] = -np.inf, 0
    path = _write(
        [("NonMaxSuppression", ["boxes", "scores", "most", "overlap", "least"], ["y"], {})],
        {"boxes": boxes, "scores": scores, "overlap": np.zeros(1, np.float32), "least": np.zeros(1, np.float32)},
        ["y"],
        {"most": np.array([most])},
        tmp_path,
    )
    names = ["boxes", "scores", "overlap", "least"]
    by_reference, model = _by_reference(path, names), compile(path)
    for overlap, least in ((0.25, 0.1), (0, 0), (0.9, 0.5), (1, 2)):
        bounds = {"overlap": np.array([overlap], np.float32), "least": np.array([least], np.float32)}
        inputs: dict[str, Array] = {"boxes": boxes, "scores": scores, **bounds}
        wanted = _suppressed(boxes, scores, most, float(bounds["overlap"][0]), float(bounds["least"][0]))
        for found in (by_reference(inputs)[0], model.run(inputs)["y"]):
            assert [tuple(row) for row in found.tolist()] == wanted


@pytest.mark.slow
def test_native_code_from_python(tmp_path: Path) -> None:
    """All four as one model; what is not asked for in Python are the extents, which are not outputs there."""
    nodes: Nodes = [
        ("NonZero", ["x"], ["at"], {}),
        ("Compress", ["x", "c"], ["kept"], {"axis": 1}),
        ("Unique", ["x"], ["values", "first", "inverse", "counts"], {"sorted": 0}),
        ("NonMaxSuppression", ["boxes", "scores", "most"], ["chosen"], {}),
    ]
    outputs = ["at", "kept", "values", "first", "inverse", "counts", "chosen"]
    rng = np.random.default_rng(0)
    boxes, scores = (rng.random(s).astype(np.float32) for s in ((1, 9, 4), (1, 2, 9)))
    draws: list[dict[str, Array]] = []
    for v, c in zip(_vectors()[:3], ([True, False], [False, False], [True, True]), strict=True):
        draws.append({"x": v.reshape(2, 4), "c": np.array(c), "boxes": boxes * v[1], "scores": scores * v[2]})
    path = _write(nodes, draws[0], outputs, {"most": np.array([3])}, tmp_path)
    model, run = compile(path), _by_reference(path, list(draws[0]))
    assert [t.name for t in model.outputs] == outputs and "at: int64[2, ≤8]" in repr(model)
    for inputs in draws:
        for name, found, want in zip(outputs, model.run(inputs).values(), run(inputs), strict=True):
            assert found.shape == want.shape and found.flags.c_contiguous, name
            np.testing.assert_array_equal(found, want, name)


@pytest.mark.slow
def test_native_code_from_c(tmp_path: Path, mlc: CommandLine) -> None:
    """A buffer of the largest size, and the actual extent beside it, as the header says."""
    x = np.array([[0, 7, 0, 8], [0, 0, 9, 0]], np.float32)
    path = _write([("NonZero", ["x"], ["y"], {})], {"x": x}, ["y"], {}, tmp_path)
    for suffix in (".so", ".h"):
        assert mlc("compile", str(path), "-o", str(path.with_suffix(suffix))).status == 0
    header = (tmp_path / "model.h").read_text()
    assert "output 0 has up to 8 elements along dim 1: output 1 says" in header
    assert re.search(r'\{"y", MLC_I64, 2, \w+_output0_shape, (\w+_output0_extents)\}', header)
    assert "_output0_extents[] = {-1, 1};" in header and '{"y.extent1", MLC_I64, 0,' in header
    subprocess.run(["cc", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c", tmp_path / "model.h"], check=True)

    function = ctypes.CDLL(str(tmp_path / "model.so")).mlc_main
    room, extent = np.full((2, 8), -1), np.array(-1)
    work = np.empty(1 << 16, np.uint8)
    aligned = -(-work.ctypes.data // 64) * 64
    inputs = (ctypes.c_void_p * 1)(x.ctypes.data)
    outputs = (ctypes.c_void_p * 2)(room.ctypes.data, extent.ctypes.data)
    assert function(inputs, outputs, ctypes.c_void_p(aligned)) == 0
    assert int(extent) == 3 and room[:, :3].tolist() == [[0, 0, 1], [1, 3, 2]]


@pytest.mark.slow
def test_native_code_from_the_command_line(tmp_path: Path, mlc: CommandLine) -> None:
    """Also of the graph level as text; calls whose results have other shapes cannot be one tensor."""
    files = cast(Any, safetensors.numpy)
    x = np.array([[0, 7, 0, 8], [0, 0, 9, 0]], np.float32)
    path = _write([("NonZero", ["x"], ["y"], {})], {"x": x}, ["y"], {}, tmp_path)
    text, given, outputs = (str(tmp_path / name) for name in ("model.mlir", "x.safetensors", "y.safetensors"))
    assert mlc("import", str(path), "-o", text).status == 0
    for array, want in ((x, np.nonzero(x)), (x * 0, np.nonzero(x * 0))):
        files.save_file({"x": array}, given)
        assert mlc("run", text, "--inputs", given, "--outputs", outputs, "--repeat", "1").status == 0
        found = files.load_file(outputs)
        assert list(found) == ["y"] and found["y"].tolist() == np.array(want).tolist()
        assert found["y"].shape == np.array(want).shape
    files.save_file({"x": np.stack([x, x * 0])}, given)
    done = mlc("run", text, "--inputs", given, "--repeat", "1")
    assert done.status == 1
    assert "output 'y' has other shapes in other calls, [2, 0], [2, 3], and cannot be one tensor" in done.err
    checked = mlc("check", str(path))
    assert "output y: tensor<2x8xi64> at most: the extent of dim 1 is known when the model runs" in checked.out
    assert "y.extent1" not in checked.out
