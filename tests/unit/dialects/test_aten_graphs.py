"""Graphs of torch.fx are read as the aten dialect, one op per node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.graphs import read_graph
from mlc.dialects.aten.schemas import schema_of
from mlc.dialects.aten.tensors import array_of
from mlc.support.errors import UserError
from mlc.support.resources import Resources


def _read(text: str, *tensors: torch.Tensor, **options: Any) -> str:
    """The text of the module of a call, in which `x`, `y` and `z` are tensors."""
    names = ", ".join("xyz"[: len(tensors)])
    function: Callable[..., Any] = eval(f"lambda {names}: {text}", {"torch": torch})
    graph = make_fx(function, tracing_mode="fake")(*tensors).graph
    module = read_graph(GraphSource(graph, **options), Resources())
    module.verify()
    return str(module)


def test_one_op_per_node() -> None:
    text = _read("torch.ops.aten.sum.dim_IntList(x.relu(), [1], True)", torch.zeros(2, 3))
    assert "%relu = aten.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>" in text
    assert "aten.sum.dim_IntList %relu {dim = array<i64: 1>, keepdim = true}" in text


def test_what_the_schema_says_anyway_is_left_out() -> None:
    text = _read("torch.add(x, y)", torch.zeros(2), torch.zeros(2))
    assert "aten.add.Tensor %x, %y : (" in text
    text = _read("torch.add(x, y, alpha=2)", torch.zeros(2), torch.zeros(2))
    assert "{alpha = 2 : i64}" in text


def test_numbers_for_tensors() -> None:
    """An overload for numbers takes them as it is; what has none gets a constant."""
    text = _read("torch.ops.aten.mul.Tensor(x, 2.5)", torch.ones(2))
    assert "aten.mul.Scalar %x {other = 2.500000e+00 : f64}" in text
    text = _read("torch.ops.aten.sub.Tensor(1, x)", torch.ones(2))
    assert "graph.constant dense<1> : tensor<i64>" in text
    assert "aten.sub.Tensor %0, %x : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>" in text


def test_tensors_that_are_left_out_of_lists() -> None:
    text = _read("x[:, y]", torch.zeros(4, 8), torch.zeros(3, dtype=torch.int64))
    assert "aten.none" in text
    assert "{aten.operands = array<i64: 1, 2>} : (tensor<4x8xf32>, none, tensor<3xi64>) -> tensor<4x3xf32>" in text


def test_results_that_nobody_asked_for() -> None:
    options = "None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [False, True, False]"
    images = torch.zeros(1, 2, 3, 3)
    text = _read(f"torch.ops.aten.convolution_backward(x, y, z, {options})[1]", images, images, torch.zeros(2, 2, 1, 1))
    assert "-> (none, tensor<2x2x1x1xf32>, none)" in text


def test_values_of_python() -> None:
    text = _read("torch.constant_pad_nd(x.to(torch.bfloat16), [1, 1], -float('inf'))", torch.zeros(2))
    assert "{dtype = bf16}" in text
    assert "value = 0xfff0000000000000 : f64" in text


def test_constants_share_memory() -> None:
    weight = torch.arange(6.0).reshape(2, 3)
    assert np.shares_memory(array_of(weight), weight.numpy())
    assert not np.shares_memory(array_of(weight.T), weight.numpy())
    assert array_of(weight.to(torch.bfloat16)).dtype.name == "bfloat16"
    text = _read("x @ y", torch.zeros(1, 2), weight, constants={"y_1": weight})
    assert "func.func @main(%x: tensor<1x2xf32>" in text
    assert "dense_resource<y_1>" in text


@pytest.mark.parametrize(
    ("text", "tensor", "message"),
    [
        ("x.nonzero()", torch.ones(2), "the shape of a tensor depends on data"),
        ("x.to_sparse()", torch.ones(2, 2), "it is a tensor of layout torch.sparse_coo; required: a dense one"),
        ("torch.ops.prims.exp(x)", torch.ones(2), "'torch._ops.prims.exp.default' is not an operator of ATen"),
        ("x.as_strided((2,), (1,))", torch.ones(2, 3)[:, 1:], "memory that is not that of its tensor alone"),
        (
            "x.to(torch.complex32)",
            torch.ones(2),
            "its elements are torch.complex32, which has no type in the IR",
        ),
    ],
    ids=["data", "sparse", "prims", "memory", "dtype"],
)
def test_what_is_no_graph_of_aten(text: str, tensor: torch.Tensor, message: str) -> None:
    with pytest.raises(UserError, match=message.replace(".", r"\.")):
        _read(text, tensor)


def test_an_operator_that_a_package_adds_later_is_known_then() -> None:
    assert schema_of("torchvision.added_later") is None
    scoped = cast(Any, torch).library._scoped_library
    with scoped("torchvision", "FRAGMENT") as library:
        library.define("added_later(Tensor x) -> Tensor")
        assert schema_of("torchvision.added_later") is not None
