"""`mlc.quantize`: which products take integers, what the IR says of them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import mlc
from mlc.dialects.graph import Conv2dOp, DequantizeOp, MatmulOp, QuantizeOp
from mlc.dialects.graph.types import shape_of
from mlc.quantization import QuantizedModel
from mlc.quantization.weights import WEIGHT_METHODS, WeightFormat, grouped_weights

_MODEL = """
func.func @main(%x: tensor<2x8xf32>, %z: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %w = graph.constant dense_resource<w> : tensor<8x4xf32>
  %a = graph.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  %r = graph.relu %a : tensor<2x4xf32>
  %b = graph.matmul %r, %z PLAN: tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}
"""


_WEIGHTS = {"w": np.random.default_rng(0).standard_normal((8, 4)).astype(np.float32)}


def _quantized(data: Any, plan: str = "", **options: Any) -> QuantizedModel:
    return mlc.quantize(_MODEL.replace("PLAN", plan), data, weights=_WEIGHTS, **options)


def _data() -> dict[str, Any]:
    random = np.random.default_rng(1)
    return {
        "x": random.standard_normal((5, 2, 8)).astype(np.float32),
        "z": random.standard_normal((4, 3)).astype(np.float32),
    }


def _products(module: ModuleOp) -> list[MatmulOp]:
    return [op for op in module.walk() if isinstance(op, MatmulOp)]


def _precisions(module: ModuleOp) -> list[str]:
    return [str(op.attributes["mlc.precision"]) for op in _products(module)]


def test_operands_of_products_are_quantised() -> None:
    model = _quantized(_data())
    model.module.verify()
    first, second = _products(model.module)
    assert _precisions(model.module) == ['"i8"', '"i8"']
    integers = [
        str(v.owner.input.type) for op in (first, second) for v in op.operands if isinstance(v.owner, DequantizeOp)
    ]
    assert integers == ["tensor<2x8xui8>", "tensor<8x4xi8>", "tensor<2x4xui8>", "tensor<4x3xui8>"]
    scales = [str(v.owner.scale.type) for v in first.operands if isinstance(v.owner, DequantizeOp)]
    assert scales == ["tensor<f32>", "tensor<1x4xf32>"]
    assert 0 < model.error < 0.03 and all(row.error is not None and 0 < row.error < 0.02 for row in model.rows)
    assert model.bytes < model.bytes_before


def test_the_result_compiles_to_what_was_measured(tmp_path: Path) -> None:
    data = _data()
    model = _quantized(data)
    model.save(tmp_path / "short.mlir")
    wanted = mlc.compile(_MODEL.replace("PLAN", ""), weights=_WEIGHTS)
    kept, found = mlc.compile(model.module), mlc.compile(tmp_path / "short.mlir")
    pairs = [(found(x, data["z"]), wanted(x, data["z"])) for x in data["x"]]
    off = sum(np.sum((a - b) ** 2) for a, b in pairs) / sum(np.sum(b**2) for _, b in pairs)
    assert off**0.5 == pytest.approx(model.error, rel=1e-3)
    np.testing.assert_array_equal(kept(data["x"][0], data["z"]), pairs[0][0])


def test_symmetric_ranges_need_no_zero_point() -> None:
    model = _quantized(_data(), symmetric=True)
    kinds = {str(op.result.type.element_type) for op in model.module.walk() if isinstance(op, QuantizeOp)}
    assert kinds == {"i8"}


def test_the_plan_is_obeyed() -> None:
    model = _quantized(_data(), '{mlc.precision = "f32"} ')
    assert _precisions(model.module) == ['"i8"', '"f32"']
    assert "mlc.error" not in _products(model.module)[1].attributes
    assert model.rows[1].error is None and model.rows[1].precision == "f32"
    assert not any(isinstance(v.owner, DequantizeOp) for v in _products(model.module)[1].operands)


@pytest.mark.slow
def test_the_largest_errors_go_back_to_floats_first() -> None:
    free = _quantized(_data())
    worst = max(range(2), key=lambda i: free.rows[i].error or 0)
    model = _quantized(_data(), max_error=free.error * 0.99)
    assert [row.precision for row in model.rows][worst] == "f32" and model.error <= free.error * 0.99
    none = _quantized(_data(), max_error=0)
    assert [row.precision for row in none.rows] == ["f32", "f32"] and none.error == 0
    assert not any(isinstance(op, QuantizeOp | DequantizeOp) for op in none.module.walk())


@pytest.mark.slow
def test_a_batch_norm_is_part_of_the_weights() -> None:
    file = Path(mlc.__file__).parent / "examples" / "digits" / "cnn.mlir"
    image = np.random.default_rng(0).random((4, 1, 8, 8), np.float32)
    model = mlc.quantize(file, image)
    convolutions = [op for op in model.module.walk() if isinstance(op, Conv2dOp)]
    scales = [str(op.weights.owner.scale.type) for op in convolutions if isinstance(op.weights.owner, DequantizeOp)]
    assert scales == ["tensor<16x1x1x1xf32>", "tensor<32x1x1x1xf32>"]
    assert not any(op.name == "graph.batch_norm" for op in model.module.walk())


def test_without_data_there_is_a_warning() -> None:
    with pytest.warns(UserWarning, match="random inputs"):
        first = _quantized(None)
    with pytest.warns(UserWarning, match="random inputs"):
        again, other = _quantized(None), _quantized(None, seed=1)
    assert first.error == again.error != other.error


def _refused(words: str, data: Any, plan: str = "", **options: Any) -> None:
    with pytest.raises(mlc.UserError) as e:
        _quantized(data, plan, **options)
    assert words in str(e.value)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    data = _data()
    _refused("required: one of minmax, percentile, mse", data, calibration="max")
    _refused("the largest error is -1; required: a number that is not negative", data, max_error=-1)
    _refused('mlc.precision is "i4"; required: "i8" or "f32"', data, '{mlc.precision = "i4"} ')
    infinite = {**data, "x": np.full((1, 2, 8), np.inf, np.float32)}
    _refused("an operand is not finite for sample 0; required: finite numbers", infinite)
    _refused("no tensor 'z' for that input", {"x": data["x"]})
    _refused("holds no sample; required: at least one", {**data, "x": data["x"][:0]})
    _refused("holds no .npy; required: an array for each input", tmp_path)
    _refused("not found", tmp_path / "data.npz")
    with pytest.raises(TypeError, match="found data of type list"):
        _quantized([1, 2])


_TWO = "func.func @a(%x: tensor<2xf32>) { return }\nfunc.func @b(%x: tensor<2xf32>) { return }"
_PLAIN = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"


def test_models_that_cannot_be_quantised() -> None:
    with pytest.raises(mlc.UserError, match="has no matrix product and no 2-d convolution of f32"):
        mlc.quantize(_PLAIN)
    with pytest.raises(mlc.UserError, match="the model has the functions 'a', 'b'; required: one"):
        mlc.quantize(_TWO)
    with pytest.raises(mlc.UserError, match=r"the model has graph\.quantize already; required: the model of floats"):
        mlc.quantize(_quantized(_data()).module, _data())
    with pytest.raises(TypeError, match="found a model of type int"):
        mlc.quantize(3)  # pyright: ignore[reportArgumentType]


def test_samples_from_files(tmp_path: Path) -> None:
    data = _data()
    wanted = _quantized(data)
    np.savez(tmp_path / "data.npz", **data)
    assert _quantized(tmp_path / "data.npz").rows == wanted.rows
    (tmp_path / "folder").mkdir()
    for name, array in data.items():
        np.save(tmp_path / "folder" / f"{name}.npy", array)
    assert _quantized(tmp_path / "folder").rows == wanted.rows


def test_files_that_are_samples(tmp_path: Path) -> None:
    text = "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
    text += "  %y = graph.matmul %x, %x : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>\n"
    text += "  return %y : tensor<2x2xf32>\n}\n"
    data = np.random.default_rng(0).standard_normal((3, 2, 2)).astype(np.float32)
    np.save(tmp_path / "one.npy", data[0])
    np.save(tmp_path / "two.npy", data[1:])
    assert mlc.quantize(text, tmp_path).rows == mlc.quantize(text, data).rows


_ONE_PRODUCT = """
func.func @main(%x: tensor<2x100xf32>, %z: tensor<5x3xf32>) -> (tensor<2x5xf32>, tensor<2x3xf32>) {
  %w = graph.constant dense_resource<w> : tensor<100x5xf32>
  %a = graph.matmul %x, %w : tensor<2x100xf32>, tensor<100x5xf32> -> tensor<2x5xf32>
  %b = graph.matmul %a, %z : tensor<2x5xf32>, tensor<5x3xf32> -> tensor<2x3xf32>
  return %a, %b : tensor<2x5xf32>, tensor<2x3xf32>
}
"""
_MATRIX = {"w": np.random.default_rng(2).standard_normal((100, 5)).astype(np.float32)}


@pytest.mark.parametrize("symmetric, element", [(True, "i4"), (False, "ui4")])
def test_weights_alone_become_integers(symmetric: bool, element: str) -> None:
    """Inputs stay floats, and so do products of two inputs; the plan is in the IR."""
    model = mlc.quantize(_ONE_PRODUCT, weights=_MATRIX, weight_bits=4, group=32, symmetric=symmetric)
    assert _precisions(model.module) == ['"i4 weights"', '"f32"']
    (op,) = [op for op in model.module.walk() if isinstance(op, DequantizeOp)]
    assert str(op.input.type) == f"tensor<4x32x5x{element}>" and str(op.scale.type) == "tensor<4x1x5xf32>"
    assert str(op.zero_point.type) == (f"tensor<{element}>" if symmetric else f"tensor<4x1x5x{element}>")
    assert not any(isinstance(op, QuantizeOp) for op in model.module.walk())
    assert 0.01 < model.error < 0.2 and model.rows[0].precision == "i4 weights"


def test_inputs_may_be_rounded_when_they_come() -> None:
    """With a scale for each row and group, once for each product; products of two inputs stay as they are."""
    how: dict[str, Any] = {"weights": _MATRIX, "weight_bits": 8, "group": 32}
    model, without = mlc.quantize(_ONE_PRODUCT, dynamic=True, **how), mlc.quantize(_ONE_PRODUCT, **how)
    assert _precisions(model.module) == ['"i8 weights, i8 inputs"', '"f32"']
    (op,) = [op for op in model.module.walk() if isinstance(op, QuantizeOp)]
    *rows, groups, group = shape_of(op.result)
    assert (groups, group) == (4, 32) and shape_of(op.scale) == (*rows, 4, 1)
    assert without.error < model.error < 0.02


def test_more_bits_shorter_groups_and_a_search_are_more_exact() -> None:
    def error(**how: Any) -> float:
        return mlc.quantize(_ONE_PRODUCT, weights=_MATRIX, **how).error

    assert error(weight_bits=8) < error(weight_bits=4, group=32) / 8
    assert error(weight_bits=4, group=32) < error(weight_bits=4)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("group", [None, 32, 128])
def test_integers_of_groups_are_the_nearest(bits: int, symmetric: bool, group: int | None) -> None:
    """No number is off by more than half a step; a search is never worse in the sum of squares. What fills up the last
    group is 0."""
    weights = np.random.default_rng(3).standard_normal((70, 9)).astype(np.float32)
    weights[:, 0], weights[3, 1] = 0, 40
    errors: list[float] = []
    for method in WEIGHT_METHODS:
        found = grouped_weights(weights, WeightFormat(bits, group, symmetric, method))
        integers, zero = found.integers.astype(np.int64), found.zero.astype(np.int64)
        floats, filling = np.split(((integers - zero) * found.scale.astype(np.float64)).reshape(-1, 9), [70])
        assert len(filling) == (-70 % group if group and group < 70 else 0) and not filling.any()
        if method == "minmax":
            steps = np.repeat(found.scale[:, 0], len(integers[0]), 0)[:70]
            assert (np.abs(floats - weights) <= 0.5001 * steps).all()
        errors.append(float(np.sum((floats - weights) ** 2)))
        assert not zero.any() or not symmetric
    assert errors[1] <= errors[0] and (bits == 8 or errors[1] < errors[0])


@pytest.mark.parametrize(
    "how, message",
    [
        ({"weight_bits": 3}, "weights have 3 bits; required: 4 or 8"),
        ({"weight_bits": 4, "group": 48}, "groups have 48 rows; required: one of 32, 64, 128, or none"),
        ({"weight_bits": 4, "calibration": "percentile"}, "required for weights alone: minmax or mse"),
        ({"weight_bits": 4, "dynamic": True}, "inputs are rounded in groups, and there are none"),
        ({"dynamic": True}, "inputs are rounded dynamically, but no weights alone; required: their bits, 4 or 8"),
        ({"group": 32}, "there are groups of 32 rows, but no weights alone; required: their bits, 4 or 8"),
    ],
)
def test_formats_that_there_are_not(how: dict[str, Any], message: str) -> None:
    with pytest.raises(mlc.UserError, match=message):
        mlc.quantize(_ONE_PRODUCT, weights=_MATRIX, **how)


def test_weights_alone_take_a_constant_matrix() -> None:
    text = _ONE_PRODUCT.replace("%w = graph.constant dense_resource<w> : tensor<100x5xf32>", "").replace(
        "%z: tensor", "%w: tensor<100x5xf32>, %z: tensor"
    )
    with pytest.raises(mlc.UserError, match="no matrix product with constant weights of f32"):
        mlc.quantize(text, weight_bits=4)
