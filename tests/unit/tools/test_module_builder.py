"""Modules that are built in Python."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f32

import mlc
from mlc.tools.module_builder import BuiltFunction, BuiltModule

_RNG = np.random.default_rng(0)


def test_a_model_is_built_and_compiled() -> None:
    weights = _RNG.normal(size=(8, 300)).astype(np.float32)
    graph = mlc.new_module()
    with graph.function("main", x="4x8xf32", b=TensorType(f32, [300])) as f:
        y = f.graph.add(f.graph.matmul(f.x, weights), f.b)
        f.returns(f.graph.relu(y), f.graph.softmax(y, axis=1))
    kept = weights.copy()
    weights[:] = 0  # the constant is that of then
    x, b = np.ones((4, 8), np.float32), _RNG.normal(size=300).astype(np.float32)
    first, second = mlc.compile(graph.module)(x, b)
    np.testing.assert_allclose(first, np.maximum(x @ kept + b, 0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(second.sum(axis=1), 1, rtol=1e-5)
    assert graph.view().functions == ["main"]
    assert "graph.matmul %x, %0" in repr(graph)
    assert np.array_equal(mlc.compile(repr(graph))(x, b)[0], first)


def test_functions_call_each_other() -> None:
    graph = mlc.new_module()
    with graph.function("twice", [("a name", "3xf32")], private=True) as f:
        f.returns(f.graph.add(f["a name"], f["a name"]))
    with graph.function("main", graph="3xf32") as f:
        f.returns(f.call("twice", [f.call("twice", [f["graph"]])], ["3xf32"]))
    assert list(mlc.compile(graph.module)(np.array([1, 2, 3], np.float32))) == [4, 8, 12]
    assert graph.view().kernels == ["twice"]


def test_any_dialect_and_any_type() -> None:
    graph = mlc.new_module()
    with graph.function("f", x="?x3xf32", n="f32", m="memref<4xf32>", i="tensor<i64>") as f:
        assert f.arith.addf(f.n, f.n).type == f32
        f.returns()
    assert "(%x: tensor<?x3xf32>, %n: f32, %m: memref<4xf32>, %i: tensor<i64>)" in repr(graph)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (np.array([1, 2], np.int8), "dense<[1, 2]> : tensor<2xi8>"),
        ([1.5, 2.5], "dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>"),
        (3, "dense<3> : tensor<i64>"),
        (np.zeros((0, 3), np.float32), "tensor<0x3xf32>"),
        (np.array([True, False]), "dense<[true, false]> : tensor<2xi1>"),
        (np.array([-0.0, np.nan, np.inf]), "dense<[-0.0"),
        (np.ones((100, 2), np.float16)[:, ::-1], "dense_resource<constant> : tensor<100x2xf16>"),
    ],
)
def test_constants(data: object, words: str) -> None:
    graph = mlc.new_module()
    with graph.function("f") as f:
        f.returns(f.constant(data))
    assert words in repr(graph)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4x", "'x' has the type '4x': expected a size or a type, got '>'"),
        ("f32, f32", "'x' has the type 'f32, f32'; required: one type, such as '4x8xf32'"),
        ("", "'x' has the type ''; required: one type"),
        ("4x8xf3", "'x' has the type '4x8xf3': unknown type 'f3', did you mean 'f32'?"),
    ],
)
def test_wrong_types(text: str, message: str) -> None:
    graph = mlc.new_module()
    with pytest.raises(mlc.UserError) as raised, graph.function("g", x=text):
        pass
    assert message in str(raised.value)


@contextmanager
def _failing(graph: BuiltModule, message: str, error: type[Exception] = mlc.UserError) -> Generator[BuiltFunction]:
    """A function that is refused; nothing of it stays."""
    before = repr(graph)
    with pytest.raises(error) as raised, graph.function("g", x="4x8xf32", y="3xf32") as f:
        yield f
    assert message in str(raised.value)
    assert repr(graph) == before


def test_what_is_refused() -> None:
    graph = mlc.new_module()
    with _failing(graph, "graph.matmul: tensor<4x8xf32> and tensor<3xf32> must both have at least 2 dim") as f:
        f.graph.matmul(f.x, f.y)
    with _failing(graph, "dialect 'graph' has no op 'mattmul'; did you mean 'matmul'?", AttributeError) as f:
        f.graph.mattmul(f.x, f.y)
    with _failing(graph, "function 'g' has no input and no dialect 'graf'; did you mean 'graph'?", AttributeError) as f:
        f.graf.matmul(f.x, f.y)
    with _failing(graph, "function 'g' does not end; required: returns(), with results if it has any"):
        pass
    with _failing(graph, "'graph.relu' comes after what function 'g' returns") as f:
        f.returns()
        f.graph.relu(f.x)
    with _failing(graph, "function 'g' has returned already") as f:
        f.returns()
        f.returns()
    with _failing(graph, "nowhere") as f:
        f.returns(f.call("nowhere", [f.x], ["f32"]))
    with _failing(graph, "the module has no function 'hh'; required: one that it has, or the types of results") as f:
        f.call("hh")
    with _failing(graph, "an array of <U1 is not a constant") as f:
        f.constant("a")
    with graph.function("g") as f:
        f.returns()
    with pytest.raises(mlc.UserError, match="there is a function 'g' already"), graph.function("g"):
        pass
    with (
        pytest.raises(mlc.UserError, match="function 'h' has two inputs 'x'"),
        graph.function("h", [("x", "f32")], x="f32"),
    ):
        pass


def test_ops_of_plugins(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from xdsl.ir import Dialect\nfrom xdsl.irdl import IRDLOperation, irdl_op_definition\n\n\n"
        "@irdl_op_definition\nclass IfOp(IRDLOperation):\n    name = 'mine.if'\n    assembly_format = 'attr-dict'\n\n\n"
        "Mine = Dialect('mine', [IfOp])\n",
        encoding="utf-8",
    )
    from mlc.support.additions import plugin_scope

    with plugin_scope():
        mlc.load_dialect(tmp_path / "mine.py")
        graph = mlc.new_module()
        with graph.function("f") as f:
            f.mine.if_()
            f.returns()
        assert "mine.if" in repr(graph)
        assert "if" in dir(f.mine)
