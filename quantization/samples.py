"""Inputs to measure a model with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from xdsl.dialects.func import FuncOp

from mlc.compiler.model_inputs import Array, arrange_calls, read_tensors
from mlc.dialects.graph.types import element_of, shape_of
from mlc.runtime.library import TensorInfo
from mlc.support.dtypes import is_float, to_numpy
from mlc.support.errors import UserError
from mlc.support.functions import input_names

Samples = Sequence[Sequence[Array]]
"""The inputs of each call."""
_RANDOM = 8
"""So many calls have random inputs."""


def inputs_of(function: FuncOp) -> list[TensorInfo]:
    """What a function takes."""
    return [
        TensorInfo(name, to_numpy(element_of(value)).name, shape_of(value))
        for name, value in zip(input_names(function), function.args, strict=True)
    ]


def read_samples(path: Path, inputs: Sequence[TensorInfo]) -> Samples:
    """The calls that a file of NumPy or safetensors, or a folder of .npy, holds.

    The arrays of a folder are named after inputs, and each holds many samples; for a model of one input they may have
    other names, and each is a sample or several.

    Raises:
        UserError: nothing is there, or it is none of these, or does not fit the inputs.
    """
    if not path.is_dir():
        return _calls(read_tensors(str(path)), inputs, str(path))
    files = sorted(path.glob("*.npy"))
    if not files:
        raise UserError(f"folder '{path}' holds no .npy; required: an array for each input, or samples of the only one")
    arrays = {file.stem: read_tensors(str(file))[""] for file in files}
    if len(inputs) > 1 or inputs[0].name in arrays:
        return _calls(arrays, inputs, str(path))
    return [call for file, a in zip(files, arrays.values(), strict=True) for call in _calls({"": a}, inputs, str(file))]


def given_samples(data: object, inputs: Sequence[TensorInfo]) -> Samples:
    """The calls that an array, or arrays by the names of inputs, hold.

    Raises:
        TypeError: it is something else.
        UserError: it does not fit the inputs.
    """
    if isinstance(data, Mapping):
        arrays = {str(name): np.asarray(array) for name, array in cast("Mapping[Any, Any]", data).items()}
    elif isinstance(data, np.ndarray):
        arrays = {"": cast(Array, data)}
    else:
        raise TypeError(
            f"found data of type {type(data).__name__}; required: arrays by the names of inputs, one array, or the "
            "path of a .npz, of safetensors, or of a folder of .npy"
        )
    return _calls(arrays, inputs, "data")


def random_samples(inputs: Sequence[TensorInfo], seed: int) -> Samples:
    """Normal floats, and integers that are 0 or 1, which are in range wherever they are indices."""
    random = np.random.default_rng(seed)

    def array(info: TensorInfo) -> Array:
        if is_float(info.numpy_dtype):
            return random.standard_normal(info.shape).astype(info.numpy_dtype)
        return random.integers(0, 2, info.shape).astype(info.numpy_dtype)

    return [[array(info) for info in inputs] for _ in range(_RANDOM)]


def _calls(tensors: Mapping[str, Array], inputs: Sequence[TensorInfo], file: str) -> Samples:
    calls = arrange_calls(tensors, inputs, file)
    if calls.count == 0:
        raise UserError(f"'{file}' holds no sample; required: at least one")
    return [calls.inputs(number) for number in range(calls.count)]
