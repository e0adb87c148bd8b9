"""Matrices of each format as constants of products: what these compute, beside the decoded numbers in f64."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, f32, i64
from xdsl.ir import Block, Region

from mlc.frontends.gguf.formats.block_format import BlockFormat
from mlc.frontends.gguf.formats.registry import known_formats
from mlc.frontends.gguf.weights import GgufWeights
from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.frontends.operators.weight_matrices import FloatMatrix, ShortMatrix, WeightMatrix
from mlc.reference.interpreter import run_function
from mlc.support.resources import Resources
from mlc.tests.unit.frontends.gguf.files import gguf, opened, tensor

_ROWS, _COLUMNS = 24, 512
_HALVES = {
    "F16": [0],
    **{name: [0] for name in ("Q4_0", "Q5_0", "Q8_0", "IQ4_NL")},
    **{name: [0, 2] for name in ("Q4_1", "Q5_1", "Q4_K", "Q5_K")},
    "Q2_K": [80, 82],
    "Q3_K": [108],
    "Q6_K": [208],
}
"""The bytes of a block where scales and offsets of 16 bits are."""


def _blocks(found: BlockFormat, scale: float) -> NDArray[np.uint8]:
    """Random blocks whose scales and offsets are of a size; some are 0."""
    rng = np.random.default_rng(found.number)
    blocks = rng.integers(0, 256, (_ROWS, _COLUMNS // found.elements, found.bytes), dtype=np.uint8)
    for at in _HALVES.get(found.name, []):
        halves = (rng.standard_normal(blocks.shape[:2]) * scale).astype("<f2")
        halves[rng.random(halves.shape) < 0.2] = 0
        blocks[..., at : at + 2] = halves[..., None].view(np.uint8)
    if found.name == "MXFP4":
        blocks[..., 0] = rng.integers(118, 126, blocks.shape[:2])
    if found.name in ("F32", "BF16"):
        blocks = found.encode(rng.standard_normal((_ROWS, _COLUMNS, 1)).astype(np.float32))
    return blocks


def _matrix(found: BlockFormat, blocks: NDArray[np.uint8], folder: Path, remarks: list[str]) -> WeightMatrix:
    file = opened(folder, gguf(tensors=[tensor("w", [_COLUMNS, _ROWS], found.number)], data=blocks.tobytes()))
    return GgufWeights(file, remarks.append).matrix("w", _ROWS, _COLUMNS)


def _computed(matrix: WeightMatrix, x: NDArray[Any], indices: NDArray[Any]) -> list[NDArray[Any]]:
    """The product with rows, and the rows at indices."""
    block = Block(arg_types=[TensorType(f32, x.shape), TensorType(i64, indices.shape)])
    end = func.ReturnOp()
    block.add_op(end)
    b = GraphBuilder(end, Knowledge(resources := Resources()))
    results = [matrix.product(b, block.args[0]), matrix.at(b, block.args[1])]
    block.insert_op_after(func.ReturnOp(*results), end)
    end.detach()
    function = func.FuncOp("f", (block.arg_types, [each.type for each in results]), Region(block))
    module = ModuleOp([function])
    module.verify()
    return run_function(module, "f", [x, indices], resources)


@pytest.mark.parametrize("found", [pytest.param(each, id=each.name) for each in known_formats()])
def test_products_and_rows(found: BlockFormat, tmp_path: Path) -> None:
    blocks, remarks = _blocks(found, 0.02), list[str]()
    matrix = _matrix(found, blocks, tmp_path, remarks)
    assert isinstance(matrix, FloatMatrix if found.elements == 1 else ShortMatrix) and not remarks
    decoded = found.decode(blocks).reshape(_ROWS, _COLUMNS)
    x = np.random.default_rng(1).standard_normal((3, _COLUMNS)).astype(np.float32)
    indices = np.array([5, 0, 23, 5])
    product, rows = _computed(matrix, x, indices)
    bound = np.abs(x).astype(np.float64) @ np.abs(decoded.astype(np.float64)).T
    assert (np.abs(product - x.astype(np.float64) @ decoded.astype(np.float64).T) <= 2e-6 * bound + 1e-6).all()
    assert np.array_equal(rows, decoded[indices])


def test_a_group_that_is_all_offset(tmp_path: Path) -> None:
    found = next(each for each in known_formats() if each.name == "Q4_1")
    blocks = _blocks(found, 0.02)
    blocks[..., :4] = np.frombuffer(struct.pack("<ee", 0.0, 3.5), np.uint8)
    product, _ = _computed(_matrix(found, blocks, tmp_path, []), np.ones((1, _COLUMNS), np.float32), np.array([0]))
    assert np.array_equal(product, np.full((1, _ROWS), 3.5 * _COLUMNS, np.float32))


@pytest.mark.parametrize("scale", [math.inf, math.nan])
def test_scales_that_are_not_finite(scale: float, tmp_path: Path) -> None:
    found = next(each for each in known_formats() if each.name == "Q8_0")
    blocks, remarks = _blocks(found, 0.02), list[str]()
    blocks[3, 0, :2] = np.frombuffer(struct.pack("<e", scale), np.uint8)
    assert isinstance(_matrix(found, blocks, tmp_path, remarks), FloatMatrix)
    assert remarks == ["'w' becomes floats of 32 bits: a scale is not finite, or too small for its offset"]


def test_parts_of_a_matrix(tmp_path: Path) -> None:
    found = next(each for each in known_formats() if each.name == "Q4_K")
    blocks = _blocks(found, 0.02)
    matrix = _matrix(found, blocks, tmp_path, [])
    x, indices = np.ones((1, _COLUMNS), np.float32), np.array([1])
    whole, part = _computed(matrix, x, indices)[0], _computed(matrix.part(8, 20), x, indices)
    assert part[0].shape == (1, 12)
    np.testing.assert_allclose(part[0], whole[:, 8:20], rtol=1e-6)
    assert np.array_equal(part[1], found.decode(blocks).reshape(_ROWS, _COLUMNS)[9:10])
