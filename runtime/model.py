"""Calling a compiled model from Python."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mlc.runtime.dlpack import UNREADABLE, from_dlpack
from mlc.runtime.extents import InputError, actual_outputs, holders, whole_inputs
from mlc.runtime.library import Library, TensorInfo

_LINE = 64
"""The bytes of a cache line, and the alignment of the workspace."""
_LARGE = 1 << 14
"""The size in bytes from which it is worth a microsecond to start an output on a line."""
_FAILURES = {
    -2: "the system does not grant this process the registers for matrices (AMX) that the model needs, as in some "
    "sandboxes; compile it for a CPU without them, such as sapphirerapids",
    -3: "an extent is outside of the range for which the model was compiled",
}
"""What a model returns if it fails, and why."""
_LIBRARY_NAME = re.compile(r"\.so(\.\d+)*$")

_address_of: Callable[[Any], int] = ctypes.addressof
_bytes_of: Callable[[Any], ctypes.c_char] = ctypes.c_char.from_buffer
"""Of an array that is contiguous and can be written to; raises TypeError or ValueError for others."""

Array = NDArray[Any]


class Model:
    """A compiled model. Calls from several threads run side by side.

    ```python
    model = mlc.load("mlp.so")
    y = model(x)                        # positional; one output is returned as it is, several as a tuple
    outputs = model.run({"x": x})       # by name
    ```

    Inputs are NumPy arrays, or anything with `__dlpack__` in CPU memory, of exactly the model's dtypes and shapes.
    Strided inputs are copied; others are read in place.
    """

    file: object = None
    """What keeps the file of the model, if that is temporary."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.path = library.path
        self.signature = library.signature
        self._function = library.function
        given = self.signature.outputs
        taken = self.signature.inputs
        types = [t.numpy_dtype for t in (*taken, *given)]
        # With the bytes of an element, and of a whole output.
        self._inputs = tuple((t.shape, d, d.itemsize) for t, d in zip(taken, types, strict=False))
        outputs = zip(given, types[len(taken) :], strict=True)
        self._outputs = tuple((t.shape, d, prod(t.shape) * d.itemsize) for t, d in outputs)
        self._extents = [t.extents for t in given]
        self._donors = {number: t.donor for number, t in enumerate(given) if t.donor is not None}
        hidden = holders(self._extents)
        self._seen = tuple(t for number, t in enumerate(given) if number not in hidden)
        held = holders([t.extents for t in taken])
        self._asked = tuple(t for number, t in enumerate(taken) if number not in held)
        self._is_open = bool(held)
        # Frames that no call uses. list.pop and list.append are atomic, so this pool needs no lock.
        self._frames: list[CallFrame] = []

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """Names, dtypes and shapes of the inputs, in order.

        An input that may be shorter has the largest shape; `signature.inputs` has the ranges of its extents.
        """
        return self._asked

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """Names, dtypes and shapes of the outputs, in order.

        An output that is as long as data says has the shape of the most that there can be; a call gives what there is.
        """
        return self._seen

    def __repr__(self) -> str:
        inputs = ", ".join(f"{t.name}: {t}" for t in self.inputs)
        outputs = ", ".join(f"{t.name}: {t}" for t in self.outputs)
        return f"<mlc model '{self.signature.name}' ({inputs}) -> ({outputs}), {self.signature.cpu}>"

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """Run the model on one array per input.

        Raises:
            InputError: the number, a dtype or a shape is wrong, or arrays are given by name.
        """
        if named:
            raise InputError(
                f"found arrays by name, {', '.join(named)}; required: arrays in order, or model.run({{'name': array}})"
            )
        results = self._call(arrays)
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """Run the model on arrays by input name; returns arrays by output name.

        Raises:
            InputError: a name, a dtype or a shape is wrong, or `inputs` are not by name.
        """
        if not isinstance(cast(object, inputs), Mapping):
            wanted = ", ".join(f"'{t.name}': {t}" for t in self.inputs)
            raise InputError(
                f"found a {type(inputs).__name__}; required: a dict of arrays by input name, {{{wanted}}}; "
                "model(array, ...) takes them in order"
            )
        results = self._call(arrays_by_name(inputs, [t.name for t in self.inputs]))
        return {t.name: r for t, r in zip(self.outputs, results, strict=True)}

    def in_place(self, *arrays: Any) -> tuple[Array, ...]:
        """Run the model on one array per input, and change those in whose memory results may lie: caches, say. Returns
        the other results.

        Raises:
            InputError: the number, a dtype or a shape is wrong; or an array that is changed is not a contiguous,
                writable NumPy array that owns its memory.
        """
        if len(arrays) == len(self._asked):
            for donor in self._donors.values():
                self._require_own_memory(donor, arrays[donor])
            _require_apart([arrays[donor] for donor in self._donors.values()], arrays)
        results = self._call(arrays, self._donors)
        return tuple(each for number, each in enumerate(results) if number not in self._donors)

    def _require_own_memory(self, index: int, array: Any) -> None:
        """Raises: InputError if results cannot be written to an input as it is."""
        info, (shape, dtype, size) = self.inputs[index], self._inputs[index]
        if type(array) is not np.ndarray or array.dtype != dtype or array.shape != shape:
            found = type(array).__name__
            if isinstance(array, np.ndarray):
                given = cast(Array, array)
                found = f"{given.dtype}{list(given.shape)}"
            raise InputError(f"input '{info.name}', which is changed, is {found}; required: a NumPy array of {info}")
        if not array.flags.c_contiguous or not array.flags.writeable or _address(array) % size:
            raise InputError(
                f"input '{info.name}', which is changed, is read-only, strided or not aligned; required: an array of "
                "its own, such as np.zeros makes"
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Copy the model's shared library to `path`, a name that ends in `.so`, or in a version such as `.so.1`.

        Raises:
            ValueError: the name of `path` asks for something else than a shared library.
            OSError: `path` cannot be written; its `filename` is `path`.
        """
        if not _LIBRARY_NAME.search(os.fspath(path)) and not Path(path).is_dir():
            raise ValueError(
                f"cannot save the model as '{os.fspath(path)}': it is a shared library; required: a name that ends in "
                "'.so'. The command 'mlc compile MODEL -o FILE' makes objects (.o), headers (.h), programs and text"
            )
        try:
            self._copy_to(Path(os.path.realpath(path)))
        except OSError as e:  # of a staging file, whose name says nothing to the caller
            raise OSError(e.errno, f"cannot save the model: {e.strerror}", os.fspath(path)) from None

    def _copy_to(self, target: Path) -> None:
        if target.is_dir():
            raise OSError(errno.EISDIR, "it is a folder; name a file in it")
        if target.exists() and target.samefile(self.path):
            return
        # A library of that name may be in use; replacing the file leaves its users alone, overwriting crashes them.
        with tempfile.TemporaryDirectory(prefix=".mlc-", dir=target.parent) as folder:
            staged = Path(folder) / target.name
            shutil.copy(self.path, staged)
            staged.replace(target)

    def _call(self, arrays: tuple[Any, ...], donors: Mapping[int, int] = MappingProxyType({})) -> list[Array]:
        if len(arrays) != len(self._asked):
            raise InputError(
                f"the model takes {len(self._asked)} inputs ({_names([t.name for t in self.inputs])}), "
                f"and the call gives {len(arrays)}"
            )
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = CallFrame(len(self._inputs), len(self._outputs), self.signature.workspace_bytes)
        if self._is_open:
            arrays = tuple(self.whole_inputs(arrays, frame.rooms))
        # A small model takes no longer than this, and leaves little of Python in the caches: as few steps as can be.
        copies: list[Array] = []  # they live until the call returns
        for i, (shape, dtype, size) in enumerate(self._inputs):
            array = arrays[i]
            if type(array) is np.ndarray and array.dtype == dtype and array.shape == shape:
                try:
                    address = _address_of(_bytes_of(array))
                except (TypeError, ValueError):  # not contiguous, or read-only, or empty
                    pass
                else:
                    if address % size == 0:
                        frame.inputs[i] = address
                        continue
            copies.append(self._adapt(i, array))
            frame.inputs[i] = copies[-1].ctypes.data
        results: list[Array] = []
        for i, (shape, dtype, size) in enumerate(self._outputs):
            if i in donors:
                frame.outputs[i] = frame.inputs[donors[i]]
                results.append(arrays[donors[i]])
                continue
            result = np.empty(shape, dtype) if size < _LARGE else empty_lines(shape, dtype, size)
            frame.outputs[i] = _address(result)
            results.append(result)
        status = self._function(frame.inputs, frame.outputs, frame.workspace)
        self._frames.append(frame)
        if status != 0:
            raise RuntimeError(_FAILURES.get(status, f"the model failed with status {status}"))
        return results if len(self._seen) == len(results) else actual_outputs(results, self._extents)

    def whole_inputs(self, arrays: Sequence[Any], rooms: dict[int, Array]) -> list[Array]:
        """What the C function takes for the inputs of a call, which may be shorter than they can be: each with room for
        the largest extents, and the extents. `rooms` are kept from call to call.

        Raises:
            InputError: a dtype or a shape is wrong.
        """
        read = [self._read(info, array) for info, array in zip(self._asked, arrays, strict=True)]
        return whole_inputs(read, self.signature.inputs, rooms)

    def _adapt(self, index: int, value: Any) -> Array:
        """An input that is not yet a plain array of the right type: convert what converts without loss, or explain."""
        info = self.signature.inputs[index]
        array = self._read(info, value)
        if array.shape != info.shape:
            raise InputError(f"input '{info.name}' has shape {array.shape}; required: {info.shape}")
        return np.require(array, requirements=("C", "A"))

    def _read(self, info: TensorInfo, value: Any) -> Array:
        """An array of the right type.

        Raises:
            InputError: it has another, or `value` is not an array.
        """
        if isinstance(value, np.ndarray | np.generic):  # the second are scalars, of no dims
            array = np.asarray(cast(Any, value))
        elif hasattr(value, "__dlpack__"):
            try:
                array = from_dlpack(value)
            except UNREADABLE as e:
                raise InputError(f"input '{info.name}' cannot be read through DLPack: {e}") from None
        else:
            raise InputError(
                f"input '{info.name}' is a {type(value).__name__}; required: a NumPy array (or one with DLPack) of "
                f"{info}: np.asarray(value, '{info.dtype}')"
            )
        if array.dtype != info.numpy_dtype:
            raise InputError(
                f"input '{info.name}' has dtype {array.dtype}; required: {info.dtype}: array.astype('{info.dtype}')"
            )
        return array


class CallFrame:
    """What one call needs at a time: the pointer arrays and the workspace."""

    def __init__(self, inputs: int, outputs: int, workspace_bytes: int) -> None:
        self.inputs = (ctypes.c_void_p * inputs)()
        self.outputs = (ctypes.c_void_p * outputs)()
        self._memory = np.empty(workspace_bytes + _LINE, np.uint8)
        self.workspace = -(-_address(self._memory) // _LINE) * _LINE
        self.rooms: dict[int, Array] = {}
        """Where inputs lie that are shorter than they may be."""


def empty_lines(shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> Array:
    """A new array of `size` bytes that starts on a cache line: vectors across two lines cost up to a third more."""
    memory = np.empty(size + _LINE, np.uint8)
    start = -_address(memory) % _LINE
    return memory[start : start + size].view(dtype).reshape(shape)


def _require_apart(changed: Sequence[Array], arrays: Sequence[Any]) -> None:
    """Raises: InputError if an array that is changed shares memory with another one."""
    spans = sorted((start := _address(each), start + each.nbytes) for each in changed)
    own = {id(each) for each in changed}
    others = [cast(Array, each) for each in arrays if isinstance(each, np.ndarray) and id(cast(Any, each)) not in own]
    apart = all(end <= start for (_, end), (start, _) in pairwise(spans))
    if not apart or any(_meets(spans, changed, each) for each in others):
        raise InputError("an input that is changed shares memory with another one; required: an array of its own")


def _meets(spans: Sequence[tuple[int, int]], changed: Sequence[Array], other: Array) -> bool:
    """Whether an array may share memory with those that are changed, whose `spans` are sorted and apart."""
    if not other.flags.c_contiguous:
        return any(np.may_share_memory(one, other) for one in changed)
    start = _address(other)
    at = bisect_left(spans, (start + other.nbytes,))
    return at > 0 and spans[at - 1][1] > start


def _address(array: Array) -> int:
    """Where the elements of an array begin."""
    try:
        # A fifth of the time of array.ctypes.data; refused for arrays that are read-only or empty.
        return _address_of(_bytes_of(cast(Any, array)))
    except (TypeError, ValueError):
        return array.ctypes.data


def arrays_by_name(inputs: Mapping[str, Any], required: list[str]) -> tuple[Any, ...]:
    """The arrays for the inputs `required`, in their order.

    Raises:
        InputError: one is missing, or there is another.
    """
    missing = [name for name in required if name not in inputs]
    unknown = [name for name in inputs if name not in required]
    if missing or unknown:
        problem = f"misses {_names(missing)}" if missing else f"has no input {_names(unknown)}"
        raise InputError(f"the call {problem}; the inputs are {_names(required)}")
    return tuple(inputs[name] for name in required)


def _names(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"
