"""What the code of a model computes for inputs: its results to the bit, which two compilations can be compared by."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.compiler.compilation import Compilation
from mlc.runtime.library import TensorInfo
from mlc.runtime.model import Model
from mlc.support.dtypes import is_float
from mlc.tools.explorer.document import Document
from mlc.tools.explorer.document_values import ModelResult
from mlc.tools.explorer.value_numbers import difference_of, numbers_of, real_parts

Array = NDArray[Any]
_MOST_BYTES = 1 << 16
"""Results of more are told by their digest, and their numbers."""
_DIGITS = 16


class ResultsOfCode:
    """Runs the library of a model, once.

    Args:
        compilation: makes the library.
        arrays: the inputs.
    """

    def __init__(self, compilation: Compilation, arrays: Sequence[Array]) -> None:
        self._backend, self._arrays = compilation.backend, arrays
        self.inputs_digest = _digest(*arrays)
        self.found: Sequence[ModelResult] = ()
        """The results, as soon as it ran."""
        runs = self._backend.runs_here(compilation.machine)
        self.reason = "" if runs else f"this machine cannot run code for '{compilation.options.target}'"
        """Why it does not run here."""

    def of(self, path: Path) -> None:
        """Run the library in a file, unless this machine cannot."""
        if not self.reason:
            (library,) = self._backend.open(path)
            model = Model(library)
            answer = model(*self._arrays)
            arrays = [answer] if len(model.outputs) == 1 else answer
            self.found = [_told(info, array) for info, array in zip(model.outputs, arrays, strict=True)]


def _told(info: TensorInfo, array: Array) -> ModelResult:
    is_small = array.nbytes <= _MOST_BYTES
    elements = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode() if is_small else ""
    return ModelResult(info.name, info.dtype, array.shape, _digest(array), elements, numbers_of(array))


def _digest(*arrays: Array) -> str:
    """Equal for arrays that are the same to the bit, where one NaN is like another."""
    found = sha256()
    for array in arrays:
        found.update(f"{array.dtype} {array.shape}".encode())
        flat = real_parts(array)
        if is_float(flat.dtype) and (is_nan := flat != flat).any():
            flat = np.where(is_nan, np.array(np.nan, flat.dtype), flat)
        found.update(flat.tobytes())
    return found.hexdigest()[:_DIGITS]


def why_not_compared(before: Document, after: Document) -> str:
    """Why results of two documents are not compared though there are inputs; empty if they are, or none were given."""
    if not (before.inputs or after.inputs):
        return ""
    for each in (before, after):
        if not each.inputs:
            return f"results are not compared: '{each.title}' was compiled without --inputs"
        if each.no_results:
            return f"results are not compared: {each.no_results}"
    if before.inputs_digest != after.inputs_digest:
        return f"results are not compared: '{before.inputs}' and '{after.inputs}' are other inputs"
    return ""


def result_changes(before: Document, after: Document) -> Iterator[str]:
    """In words, which results have other bits, in the order of the outputs; their names count for nothing."""
    if why_not_compared(before, after):
        return
    if len(before.results) != len(after.results):
        yield f"results: {len(before.results)} → {len(after.results)}"
        return
    for old, new in zip(before.results, after.results, strict=True):
        if (old.dtype, [*old.shape]) != (new.dtype, [*new.shape]):
            yield f"result {new.name}: {_info(old)} → {_info(new)}"
        elif old.digest != new.digest:
            yield f"result {new.name}: {_difference(old, new)}"


def _info(result: ModelResult) -> TensorInfo:
    return TensorInfo(result.name, result.dtype, tuple(result.shape))


def _difference(old: ModelResult, new: ModelResult) -> str:
    arrays = _array(old), _array(new)
    if arrays[0] is None or arrays[1] is None or (found := difference_of(arrays[0], arrays[1])) is None:
        return "other bits"
    counted = f"{found.count:,} of {found.elements:,} elements have other bits"
    if found.is_reordered:
        return f"{counted}: the numbers are in another order"
    apart = "" if found.largest is None else f", at most {found.largest:.3g} apart"
    return f"{counted}{apart}: {found.before} → {found.after} at {[*found.at]}"


def _array(result: ModelResult) -> Array | None:
    """The elements, if the document has them; a page that was written elsewhere may hold anything."""
    try:
        data, dtype = base64.b64decode(result.elements, validate=True), _info(result).numpy_dtype
    except (binascii.Error, TypeError, AttributeError):
        return None
    count = math.prod(result.shape)
    if dtype.hasobject or not count or len(data) != count * dtype.itemsize:
        return None
    return np.frombuffer(data, dtype).reshape(result.shape)
