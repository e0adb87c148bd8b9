"""The weights of a model in a file of GGUF, as matrices that kernels multiply with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from mlc.frontends.gguf.file import GgufFile, StoredTensor
from mlc.frontends.operators.weight_matrices import FloatMatrix, ModelWeights, ShortMatrix, WeightMatrix

_HALVES = {"F16": np.dtype("<f2"), "BF16": np.dtype(ml_dtypes.bfloat16)}
"""Formats that are read as they lie."""
_LEAST_GROUP = 16


@dataclass(frozen=True)
class GgufWeights(ModelWeights):
    """Tensors of a file, decoded when they are asked for.

    Numbers that are short integers in groups stay such. Where that is not exact, as a scale is not finite, they become
    floats, of which `remark` is told.
    """

    file: GgufFile
    remark: Callable[[str], object] = lambda words: None

    def has(self, name: str) -> bool:
        return name in self.file.tensors

    def matrix(self, name: str, rows: int, columns: int) -> WeightMatrix:
        stored = self._of_shape(name, (rows, columns))
        found = self.file.format_of(stored)
        blocks = self.file.blocks(stored)
        if (dtype := _HALVES.get(found.name)) is not None:
            return FloatMatrix(name, np.ascontiguousarray(blocks).view(dtype).reshape(rows, columns))
        groups = found.groups(blocks)
        if groups is None or groups.group < _LEAST_GROUP:
            if found.elements > 1:
                self.remark(f"'{name}' becomes floats of 32 bits: {found.name} has no integers in groups")
            return FloatMatrix(name, self.file.floats(stored))
        per_row = columns // groups.group
        offset = None if groups.offset is None else groups.offset.reshape(rows, per_row)
        integers = groups.integers.reshape(rows, columns)
        short = ShortMatrix(name, integers, groups.scale.reshape(rows, per_row), offset)
        if not short.is_scaled_safely():
            self.remark(f"'{name}' becomes floats of 32 bits: a scale is not finite, or too small for its offset")
            return FloatMatrix(name, self.file.floats(stored))
        return short

    def vector(self, name: str, size: int) -> NDArray[np.float32]:
        return self.file.floats(self._of_shape(name, (size,)))

    def _of_shape(self, name: str, shape: tuple[int, ...]) -> StoredTensor:
        stored = self.file.tensor(name)
        if stored.shape != shape:
            raise self.file.error(f"tensor '{name}' has the shape {list(stored.shape)}; required: {list(shape)}")
        return stored
