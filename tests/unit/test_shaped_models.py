"""Models of ONNX that are compiled for several shapes: one artifact, which picks the code for the shapes of a call."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file  # pyright: ignore[reportUnknownVariableType]

import mlc as package
from mlc.runtime.library import open_library
from mlc.targets.cache import Cache
from mlc.targets.toolchain import find_clang
from tests.conftest import CommandLine

onnx: Any = pytest.importorskip("onnx")
helper: Any = onnx.helper
_WIDTH = 64


def _save(path: Path, nodes: list[Any], inputs: list[Any], outputs: list[Any], **weights: Any) -> Path:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "g",
        [value(name, kind, dims) for name, kind, dims in inputs],
        [value(name, 1, dims) for name, dims in outputs],
        [onnx.numpy_helper.from_array(a, n) for n, a in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(path))
    return path


_W = np.random.default_rng(0).standard_normal((_WIDTH, 48)).astype(np.float32)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """`y = relu(x @ w)` for any batch and length."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    dims = ["batch", "seq"]
    return _save(tmp_path / "net.onnx", nodes, [("x", 1, [*dims, _WIDTH])], [("y", [*dims, 48])], w=_W)


def _expected(x: Any) -> Any:
    return np.maximum(x.astype(np.float64) @ _W, 0)


def _input(batch: int, seq: int) -> Any:
    return np.random.default_rng(batch).standard_normal((batch, seq, _WIDTH)).astype(np.float32)


@pytest.mark.slow
def test_calls_run_the_code_for_their_shapes(net: Path, tmp_path: Path) -> None:
    model = package.compile(net, shapes={"batch": [1, 3], "seq": [2, 5]})
    assert isinstance(model, package.ShapedModel)
    model.save(tmp_path / "net.so")
    for each in (model, package.load(tmp_path / "net.so")):
        for batch, seq in product((1, 3), (2, 5)):
            x = _input(batch, seq)
            np.testing.assert_allclose(each(x), _expected(x), atol=1e-4)
            np.testing.assert_allclose(each.run({"x": x})["y"], _expected(x), atol=1e-4)
    assert [v.signature.name for v in model.variants] == [f"main_batch{b}_seq{s}" for b in (1, 3) for s in (2, 5)]
    assert package.load(tmp_path / "net.so", "main_batch3_seq2").inputs[0].shape == (3, 2, _WIDTH)
    shown = "x [1, 2, 64] | x [1, 5, 64] | x [3, 2, 64] | x [3, 5, 64]"
    assert repr(model).startswith(f"<mlc model for 4 shapes ({shown}), ")
    with pytest.raises(package.InputError) as error:
        model(_input(2, 2))
    assert str(error.value) == f"there is no code for x [2, 2, 64]; the model was compiled for {shown}"
    with pytest.raises(package.InputError, match="input 'x' has dtype float64; required: float32"):
        model(_input(3, 2).astype(np.float64))
    with pytest.raises(package.InputError, match="the model takes 1 inputs"):
        model(_input(3, 2), _input(3, 2))
    with pytest.raises(package.InputError, match="the call misses 'x'"):
        model.run({"z": _input(3, 2)})
    with pytest.raises(package.InputError, match="input 'x' is a list; required: a NumPy array"):
        model([[1.0]])
    with pytest.raises(AttributeError, match=r"the model is for 4 shapes: see the inputs of each of model\.variants"):
        _ = model.inputs
    with pytest.raises(
        package.ArtifactError, match=r"a model for several shapes; required: one of its functions, 'main_b"
    ):
        open_library(tmp_path / "net.so")


@pytest.mark.slow
def test_a_temporary_file_stays_for_any_variant(net: Path, tmp_path: Path) -> None:
    model: Any = package.compile(net, shapes={"batch": [1, 3], "seq": 2})
    path, one = model.path, model.variants[1]
    del model
    one.save(tmp_path / "kept.so")
    assert path.exists() and isinstance(package.load(tmp_path / "kept.so"), package.ShapedModel)
    del one
    assert not path.exists()


@pytest.mark.slow
def test_weights_exist_once(tmp_path: Path) -> None:
    """Of a weight that is read as it is."""
    table = np.random.default_rng(0).standard_normal(1 << 16).astype(np.float32)
    nodes = [helper.make_node("Mul", ["x", "w"], ["y"])]
    dims = ["batch", table.size]
    path = _save(tmp_path / "table.onnx", nodes, [("x", 1, dims)], [("y", dims)], w=table)
    model = package.compile(path, shapes={"batch": [1, 2, 3]})
    assert table.nbytes < model.path.stat().st_size < table.nbytes * 1.2
    x = np.ones((2, table.size), np.float32)
    np.testing.assert_array_equal(model(x), [table, table])


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["so", "o"])
def test_packed_weights_exist_once(tmp_path: Path, suffix: str, mlc: CommandLine) -> None:
    """Of the weight of a matrix product, and of one that is computed anew for each shape.

    Left alone, the tile of one row is wider than those of many.
    """
    rng = np.random.default_rng(0)
    w, v = (rng.standard_normal((384, 384)).astype(np.float32) for _ in range(2))
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Mul", ["v", "two"], ["v2"]),
        helper.make_node("MatMul", ["h", "v2"], ["y"]),
    ]
    dims = ["batch", 384]
    two = np.float32(2)
    path = _save(tmp_path / "net.onnx", nodes, [("x", 1, dims)], [("y", dims)], w=w, v=v, two=two)
    file = tmp_path / f"net.{suffix}"
    target = "native" if suffix == "so" else "x86-64-v3"
    done = mlc("compile", str(path), "--shape", "batch=8,1,32", "--target", target, "-o", str(file))
    assert done.status == 0, done.err
    assert w.nbytes + v.nbytes < file.stat().st_size < (w.nbytes + v.nbytes) * 1.2
    if suffix == "so":
        model: Any = package.load(file)
        assert [variant.inputs[0].shape[0] for variant in model.variants] == [1, 8, 32]
        for batch in (1, 8, 32):
            x = rng.standard_normal((batch, 384)).astype(np.float32)
            np.testing.assert_allclose(model(x), x @ w @ (2 * v), rtol=1e-3, atol=1e-2)


@pytest.mark.slow
def test_weights_whose_names_are_no_symbols_are_told_apart(tmp_path: Path) -> None:
    """Which of them comes first in the code differs between shapes, or may."""
    arrays = {name: np.arange(2000, dtype=np.float32) + i for i, name in enumerate(["a@1", "a\n1", "a%1", "a%401"])}
    nodes = [
        helper.make_node("Add" if i % 2 else "Mul", [f"v{i}" if i else "x", name], [f"v{i + 1}" if i < 3 else "y"])
        for i, name in enumerate(arrays)
    ]
    path = _save(tmp_path / "n.onnx", nodes, [("x", 1, ["n", 2000])], [("y", ["n", 2000])], **arrays)
    model = package.compile(path, shapes={"n": [1, 2]})
    a, b, c, d = arrays.values()
    x = np.ones((2, 2000), np.float32)
    np.testing.assert_array_equal(model(x), (x * a + b) * c + d)
    np.testing.assert_array_equal(model(x[:1]), (x[:1] * a + b) * c + d)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"batch": [1, 2]}, "for batch=2: the model leaves dims of its inputs open: 'x'"),
        ({"batch": [1, 2], "seq": 2, "z": 3}, "the model has no input or dim 'z' to bind a shape to"),
        ({"batch": [1, 2], "x": [(1, 2, 64), (2, 2, 64)]}, "for batch=1, x=2x2x64: input 'x' is bound to 2x2x64, and"),
        ({"x": [(1, 2, 64), (2, 2, 65)]}, "for x=2x2x65: input 'x' has the shape .*, which 2x2x65 does not fit"),
        ({"x": [(1, 2, 64), (2, 2)]}, "'x' is given shapes of different ranks, 1x2x64 and 2x2"),
    ],
)
def test_shapes_that_do_not_fit_the_model(net: Path, shapes: dict[str, Any], message: str) -> None:
    with pytest.raises(package.UserError, match=message):
        package.compile(net, shapes=shapes)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([], "found no shape of 'x'; required: a number or a tuple of them, or a list of several"),
        ([1, "a"], "found 'a' as the shape of 'x'; required: a number or a tuple of them, or a list of several"),
        (
            [2, 3, 64],
            r"found \[2, 3, 64\] as the shape of 'x'; a list holds several shapes; required: a tuple for one",
        ),
    ],
)
def test_lists_of_something_else(net: Path, shape: list[Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        package.compile(net, shapes={"x": shape})


def test_a_list_of_one_shape_is_that_shape(net: Path) -> None:
    model = package.compile(net, shapes={"x": [(3, 2, _WIDTH)]})
    assert [t.shape for t in model.inputs] == [(3, 2, _WIDTH)]


def test_variants_that_no_call_tells_apart(tmp_path: Path) -> None:
    nodes = [helper.make_node("Shape", ["s"], ["d"]), helper.make_node("Expand", ["x", "d"], ["y"])]
    path = _save(tmp_path / "s.onnx", nodes, [("x", 1, [1]), ("s", 7, ["n"])], [("y", [None])])
    message = "the variants 'main_n3' and 'main_n2' take inputs of the same shapes, and no caller could tell"
    with pytest.raises(package.UserError, match=message):
        package.compile(path, shapes={"n": [2, 3]}, values={"s": np.array(1)})


_CALLER = """
#include <stdio.h>
#include "net.h"

static float x[3 * 5 * 64], y[3 * 5 * 48];
static _Alignas(64) char workspace[MLC_SMALL_MAIN_WORKSPACE_BYTES + 1];

int main(void) {
    const void *inputs[] = {[MLC_SMALL_MAIN_BATCH3_INPUT_x] = x};
    void *outputs[] = {[MLC_SMALL_MAIN_BATCH3_OUTPUT_y] = y};
    fread(x, sizeof x, 1, stdin);
    if (mlc_small_main_workspace_bytes() != MLC_SMALL_MAIN_WORKSPACE_BYTES) return 1;
    for (int i = 0; i < MLC_SMALL_MAIN_VARIANTS; i++)
        if (mlc_small_main_at(mlc_small_main_variant_extents[i], inputs, outputs, workspace) != 0) return 2;
    const int64_t other[MLC_SMALL_MAIN_DIMS] = {[MLC_SMALL_MAIN_DIM_batch] = 2};
    if (mlc_small_main_at(other, inputs, outputs, workspace) != MLC_NO_VARIANT) return 3;
    const int64_t three[MLC_SMALL_MAIN_DIMS] = {[MLC_SMALL_MAIN_DIM_batch] = 3};
    if (mlc_small_main_at(three, inputs, outputs, workspace) != 0) return 4;
    fwrite(y, sizeof y, 1, stdout);
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["o", "a"])
def test_calls_from_c(net: Path, tmp_path: Path, mlc: CommandLine, kind: str) -> None:
    for suffix in ("h", kind):
        options = ("--shape", "batch=1,3", "--shape", "seq=5", "--prefix", "small")
        done = mlc("compile", str(net), *options, "-o", str(tmp_path / f"net.{suffix}"))
        assert done.status == 0, done.err
    (tmp_path / "main.c").write_text(_CALLER)
    clang = find_clang(None, Cache.default())
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", "main"]
    subprocess.run([*clang.command, *flags, "main.c", f"net.{kind}"], check=True, cwd=tmp_path)
    x = _input(3, 5)
    done = subprocess.run([tmp_path / "main"], input=x.tobytes(), capture_output=True, check=True)
    y = np.frombuffer(done.stdout, np.float32).reshape(3, 5, 48)
    np.testing.assert_allclose(y, _expected(x), atol=1e-4)


def test_the_model_is_found_without_its_name(net: Path, tmp_path: Path, mlc: CommandLine) -> None:
    path = str(tmp_path / "net.so")
    shapes = ("--shape", "batch=1,3", "--shape", "seq=5")
    assert mlc("compile", str(net), *shapes, "--prefix", "small", "-o", path).status == 0
    assert isinstance(package.load(path), package.ShapedModel)
    assert isinstance(package.load(path, "small_main"), package.ShapedModel)


def test_the_command_line_picks_by_the_shapes_of_the_tensors(net: Path, tmp_path: Path, mlc: CommandLine) -> None:
    path = str(tmp_path / "net.so")
    done = mlc("compile", str(net), "--shape", "x=2x2x64,6x2x64,1x5x64", "-o", path)
    assert done.status == 0, done.err
    # As few calls as can be: one of 6; three of 2, as 8 is not a multiple of 6; one of a single row.
    for batch, seq in ((6, 2), (12, 2), (8, 2), (1, 5)):
        x = _input(batch, seq)
        inputs, outputs = tmp_path / "x.safetensors", tmp_path / "y.safetensors"
        save_file({"x": x}, inputs)
        done = mlc("run", path, "--inputs", str(inputs), "--outputs", str(outputs), "--repeat", "1")
        assert done.status == 0, done.err
        np.testing.assert_allclose(load_file(outputs)["y"], _expected(x), atol=1e-4)
    save_file({"x": _input(3, 2)}, inputs)
    done = mlc("run", path, "--inputs", str(inputs))
    found = "has 'x' [3, 2, 64]; the model was compiled for x [1, 5, 64] | x [2, 2, 64] | x [6, 2, 64], or many of one"
    assert done.status == 1 and found in done.err
    save_file({"x": _input(6, 2).astype(np.float64)}, inputs)
    assert "'x' is float32 in the model" in mlc("run", path, "--inputs", str(inputs)).err


def test_operators_that_nobody_knows_are_told_for_several_shapes(tmp_path: Path, mlc: CommandLine) -> None:
    nodes = [helper.make_node("Nobody", ["x"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    path = _save(tmp_path / "n.onnx", nodes, [("x", 1, ["n", 2])], [("y", ["n", 2])])
    done = mlc("compile", str(path), "--shape", "n=1,2", "-o", str(tmp_path / "n.so"))
    assert done.status == 1 and "Nobody" in done.err and "required" not in done.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ("compile", "-o", "net"),
            "shapes of 'batch', 1, 8; a program has one shape: give 'batch' one of these",
        ),
        (("compile", "-o", "net.mlir"), "shapes of 'batch', 1, 8; a text of IR has one shape"),
        (
            ("import", "-o", "net.mlir"),
            "shapes of 'batch', 1, 8; a text of the graph level has one shape",
        ),
        (("explain",), "shapes of 'batch', 1, 8; what is explained has one shape"),
    ],
)
def test_commands_that_take_one_shape(net: Path, mlc: CommandLine, command: tuple[str, ...], message: str) -> None:
    done = mlc(command[0], str(net), *command[1:], "--shape", "batch=1,8", "--shape", "seq=4")
    assert done.status == 1 and message in done.err


def test_mlc_opt_takes_one_shape(net: Path, mlc_opt: CommandLine) -> None:
    done = mlc_opt(str(net), "--shape", "batch=1,8")
    assert "shapes of 'batch', 1, 8; what is bound here has one shape: give 'batch' one of these" in done.err


def test_names_with_shapes_of_their_own(net: Path, mlc: CommandLine) -> None:
    done = mlc("check", str(net), "--shape", "batch=1,seq=4")
    assert "which has several names; required: one option for each, --shape batch=1 --shape seq=4" in done.err


def test_a_check_looks_at_each_shape(net: Path, mlc: CommandLine) -> None:
    done = mlc("check", str(net), "--shape", "batch=1,8", "--shape", "seq=4")
    assert done.status == 0
    assert [line for line in done.out.splitlines() if "nodes" in line or "output" in line] == [
        f"{net}: 2 nodes of 2 operators for batch=1",
        "  output y: tensor<1x4x48xf32>",
        f"{net}: 2 nodes of 2 operators for batch=8",
        "  output y: tensor<8x4x48xf32>",
    ]
    assert done.out.endswith("nothing stands in the way\n")


@pytest.mark.slow
def test_each_variant_is_checked(net: Path, tmp_path: Path, mlc: CommandLine) -> None:
    shapes = ("--shape", "batch=1,2", "--shape", "seq=3")
    done = mlc("compile", str(net), *shapes, "--check-each", "--threads", "2", "-o", str(tmp_path / "net.so"))
    assert done.status == 0, done.err
    assert "compared" in done.err
    model = package.load(tmp_path / "net.so")
    np.testing.assert_allclose(model(_input(2, 3)), _expected(_input(2, 3)), atol=1e-4)
