"""Inputs of a model from a file: which tensor is which input, and how many calls they make."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from mlc.support import resources
from mlc.support.dtypes import dtype_named, is_stored, out_of_safetensors
from mlc.support.errors import UserError

Array = NDArray[Any]
_OF_NUMPY = (b"PK\x03\x04", b"\x93NUMPY")
"""How files of several arrays, and of one, begin."""


class TensorLike(Protocol):
    """One input or output of a model."""

    @property
    def name(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def extents(self) -> tuple[int, ...]: ...


@dataclass(frozen=True)
class Calls:
    """The inputs of a series of calls."""

    count: int
    arrays: tuple[Array, ...]
    """Per input of the model; all but shared ones start with a dimension of `count`."""
    shared: tuple[bool, ...]
    """Whether an input is the same for every call."""

    stacked: bool
    """Whether calls were told apart by a dimension of their own, not by a multiple of the model's first one."""

    def inputs(self, call: int) -> list[Array]:
        """The contiguous inputs of one call."""
        return [a if same else a[call, ...] for a, same in zip(self.arrays, self.shared, strict=True)]


def read_tensors(file: str) -> dict[str, Array]:
    """All tensors of a file of safetensors, or of NumPy: an .npz, or an .npy, whose array has the name "".

    Raises:
        UserError: the file cannot be read, or is of another format.
    """
    try:
        with Path(file).open("rb") as opened:
            is_numpy = opened.read(6).startswith(_OF_NUMPY)
        return _read_numpy(file) if is_numpy else resources.read_tensors(Path(file))
    except FileNotFoundError:
        raise UserError(f"file '{file}' not found") from None
    except OSError as e:
        raise UserError(f"cannot read '{file}': {e.strerror or e}") from None
    except ValueError as e:
        formats = "required: safetensors, .npz or .npy of NumPy, or an image"
        raise UserError(f"'{file}' is not a safetensors file: {e}; {formats}") from None


def _read_numpy(file: str) -> dict[str, Array]:
    """Raises: UserError if the file is damaged, or holds Python objects, which would be code to run."""
    try:
        found = np.load(file, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return {"": found}
        with found:
            return {name: found[name] for name in found.files}
    except (ValueError, EOFError, BadZipFile, zlib.error) as e:
        raise UserError(f"'{file}' cannot be read as arrays of NumPy: {e}; required: .npz or .npy of numbers") from None


def choose_calls(
    tensors: Mapping[str, Array], variants: Sequence[Sequence[TensorLike]], file: str
) -> tuple[int, Calls]:
    """The number of the one among the variants of a model, given by their inputs, that needs the fewest calls for the
    tensors of a file, and these calls.

    Raises:
        UserError: there is none whose inputs they can be.
    """
    if len(variants) == 1:
        return 0, arrange_calls(tensors, variants[0], file)
    found: list[tuple[int, Calls]] = []
    for number, inputs in enumerate(variants):
        with suppress(UserError):
            found.append((number, arrange_calls(tensors, inputs, file)))
    if found:
        return min(found, key=lambda each: each[1].count)
    given = ", ".join(f"'{i.name}' {list(_tensor_for(i, tensors, file).shape)}" for i in variants[0])
    known = " | ".join(", ".join(f"{i.name} {list(i.shape)}" for i in inputs) for inputs in variants)
    own = {i.name: _tensor_for(i, tensors, file) for i in variants[0]}
    dtypes = {f"'{i.name}' is {i.dtype}" for i in variants[0] if own[i.name].dtype != dtype_named(i.dtype)}
    hint = f" ({', '.join(sorted(dtypes))} in the model)" if dtypes else ""
    raise UserError(f"'{file}' has {given}{hint}; the model was compiled for {known}, or many of one of these")


def arrange_calls(tensors: Mapping[str, Array], inputs: Sequence[TensorLike], file: str) -> Calls:
    """Match tensors to inputs by name and cut them into calls.

    A tensor of the input's own shape, or of a smaller one where dims are open, is used for every call. One of shape
    [n, *shape], or whose first dimension is n times that of the input, holds n calls.

    Raises:
        UserError: an input has no tensor, or one of another dtype or shape, or two disagree on the number of calls.
    """
    if "" in tensors and len(inputs) > 1:
        names = ", ".join(f"'{i.name}'" for i in inputs)
        raise UserError(f"'{file}' is one array without a name; the model has the inputs {names}: required: an .npz")
    arrays: list[Array] = []
    counts: dict[str, int] = {}
    found = [out_of_safetensors(_tensor_for(info, tensors, file), dtype_named(info.dtype)) for info in inputs]
    for info, array in zip(inputs, found, strict=True):
        if array.dtype != dtype_named(info.dtype):
            codes = ""
            if is_stored(dtype_named(info.dtype)):
                codes = f", or U8 with a code in each byte: the array as ml_dtypes.{info.dtype}, .view('uint8')"
            raise UserError(f"tensor '{info.name}' of '{file}' is {array.dtype}; the model takes {info.dtype}{codes}")
        if array.shape == info.shape or _is_shorter(info, array):
            arrays.append(np.asarray(array, order="C"))
            continue
        counts[info.name] = _count(info, array, file)
        arrays.append(np.reshape(np.asarray(array, order="C"), (counts[info.name], *info.shape)))
    if len(set(counts.values())) > 1:
        numbers = ", ".join(f"'{name}' {n}" for name, n in counts.items())
        raise UserError(f"the inputs in '{file}' are for different numbers of calls: {numbers}")
    stacked = any(tensor.ndim > len(i.shape) for i, tensor in zip(inputs, found, strict=True))
    return Calls(max(counts.values(), default=1), tuple(arrays), tuple(i.name not in counts for i in inputs), stacked)


def _is_shorter(info: TensorLike, array: Array) -> bool:
    """Whether a tensor is as long as the input, except along dims that are open."""
    if not info.extents or array.ndim != len(info.shape):
        return False
    each = zip(array.shape, info.shape, info.extents, strict=True)
    return all(extent == most or place >= 0 for extent, most, place in each)


def tensor_named(name: str, tensors: Mapping[str, Array]) -> Array | None:
    """The tensor for an input; that of a file which gives no names is for any."""
    return tensors.get(name, tensors.get(""))


def _tensor_for(info: TensorLike, tensors: Mapping[str, Array], file: str) -> Array:
    if (found := tensor_named(info.name, tensors)) is not None:
        return found
    known = ", ".join(f"'{name}'" for name in tensors) or "none"
    raise UserError(f"'{file}' has no tensor '{info.name}' for that input of the model (it has {known})")


def _count(info: TensorLike, array: Array, file: str) -> int:
    if array.shape[1:] == info.shape and array.ndim:
        return array.shape[0]
    same_rest = array.ndim == len(info.shape) > 0 and array.shape[1:] == info.shape[1:]
    if same_rest and info.shape[0] and array.shape[0] % info.shape[0] == 0:
        return array.shape[0] // info.shape[0]
    wanted = ", ".join(map(str, info.shape))
    if same_rest:
        raise UserError(
            f"tensor '{info.name}' of '{file}' has {array.shape[0]} rows; the model takes {info.shape[0]} in a call, "
            f"so the number of rows must be a multiple of that"
        )
    raise UserError(
        f"tensor '{info.name}' of '{file}' has shape {list(array.shape)}; the model takes [{wanted}], "
        "or many of these stacked along a first dimension"
    )
