"""`mlc.compile(…, weights={"w": array})`: the data of models that no text and no file holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]
from xdsl.dialects.builtin import DenseResourceAttr, FunctionType, ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

import mlc
from mlc.dialects.graph import AddOp, ConstantOp, MulOp

_TYPE = TensorType(f32, [3])
_X, _W, _B = (np.array(v, np.float32) for v in ([1, 2, 3], [5, 6, 7], [1, 1, 1]))


def _model() -> ModuleOp:
    """x * w + b, built in Python."""
    block = Block(arg_types=[_TYPE])
    w, b = (ConstantOp(DenseResourceAttr.from_params(name, _TYPE)) for name in ("w", "b"))
    product = MulOp(block.args[0], w.result)
    result = AddOp(product.result, b.result)
    block.add_ops([w, b, product, result, ReturnOp(result.result)])
    return ModuleOp([FuncOp("main", FunctionType.from_lists([_TYPE], [_TYPE]), Region(block))])


@pytest.mark.parametrize("opt_level", [0, 3])
def test_ir_that_is_built_in_python(opt_level: int) -> None:
    model = _model()
    before = str(model)
    for w in (_W, 2 * _W):  # one module, several models
        compiled = mlc.compile(model, weights={"w": w, "b": _B}, opt_level=opt_level)
        np.testing.assert_array_equal(compiled(_X), _X * w + _B)
    assert str(model) == before


def test_arrays_of_any_layout() -> None:
    strided = np.repeat(_W, 2)[::2]
    np.testing.assert_array_equal(mlc.compile(_model(), weights={"w": strided, "b": _B})(_X), _X * _W + _B)


def test_text_and_parsed_ir(tmp_path: Path) -> None:
    text = str(_model())
    np.testing.assert_array_equal(mlc.compile(text, weights={"w": _W, "b": _B})(_X), _X * _W + _B)
    np.testing.assert_array_equal(mlc.compile(text, weights={"w": 2 * _W, "b": _B})(_X), 2 * _X * _W + _B)
    save_file({"w": _W}, tmp_path / "w.safetensors")
    file = tmp_path / "model.mlir"
    file.write_text(text + '\n{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}\n')
    np.testing.assert_array_equal(mlc.compile(file, weights={"b": _B})(_X), _X * _W + _B)
    with pytest.raises(mlc.UserError, match=r"resource 'w' of 'w\.safetensors' is already defined"):
        mlc.compile(file, weights={"w": _W, "b": _B})


@pytest.mark.parametrize(
    ("weights", "messages"),
    [
        (None, ["'w' has no data; give it to mlc.compile, as in weights={'w': array}", "'b' has no data"]),
        ({"b": _B}, ["weight 'w' has no data; give it to mlc.compile"]),
        ({"b": _B, "ww": _W}, ["weight 'w' has no data; found 'ww'", "weight 'ww' is not used: no constant of the"]),
        ({"b": _B, "w": _W[:2]}, ["resource 'w' has shape 2, but tensor<3xf32> has shape 3"]),
        ({"b": _B, "w": [1, 2, 3]}, ["resource 'w' has elements of type int64, but tensor<3xf32> has float32"]),
    ],
)
def test_wrong_weights(weights: Any, messages: list[str]) -> None:
    with pytest.raises(mlc.UserError) as caught:
        mlc.compile(_model(), weights=weights)
    errors = [str(e) for e in getattr(caught.value, "errors", [caught.value])]
    assert len(errors) == len(messages)
    assert all(message in error for message, error in zip(messages, errors, strict=True)), errors


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([_W], "found weights of type list; required: a dict of arrays by name"),
        ({"w": object()}, "found 'w': object in weights; required: a name and an array"),
        ({3: _W}, "found 3: ndarray in weights; required: a name and an array"),
    ],
)
def test_weights_have_types(weights: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        mlc.compile(_model(), weights=weights)


def test_ir_that_does_not_verify() -> None:
    model = _model()
    (function,) = model.ops
    assert isinstance(function, FuncOp)
    function.function_type = FunctionType.from_lists([_TYPE], [])
    with pytest.raises(mlc.UserError):
        mlc.compile(model, weights={"w": _W, "b": _B})
