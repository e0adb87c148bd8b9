"""Running a compiled model: in this process, or in an emulator of another architecture."""

from __future__ import annotations

import re
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from mlc.compiler.backend import Backend
from mlc.compiler.model_inputs import Array, Calls, TensorLike
from mlc.runtime import ArtifactError, Model
from mlc.runtime.extents import InputError, actual_outputs, holders, whole_inputs
from mlc.runtime.tracing import Recording, trace
from mlc.support.dtypes import dtype_named
from mlc.support.errors import CompilerBug, UserError
from mlc.targets.program import Signature
from mlc.targets.toolchain import find_emulator
from mlc.tuning.measure import time_function, time_python_call


class RunnableModel(Protocol):
    """A compiled model, wherever it runs."""

    path: Path

    @property
    def inputs(self) -> Sequence[TensorLike]: ...
    @property
    def outputs(self) -> Sequence[TensorLike]: ...

    def run(self, calls: Calls) -> list[Array]:
        """Per output, an array whose first dimension counts the calls."""
        ...

    def latency(self, calls: Calls, repeat: int | None) -> str:
        """How long a call takes, for users."""
        ...

    def trace(self, calls: Calls) -> Recording:
        """When kernels run in these calls.

        Raises:
            UserError: that is not recorded.
        """
        ...


class LocalModel:
    """A shared library, called in this process."""

    def __init__(self, path: Path, model: Model) -> None:
        self._model = model
        self.path = path
        self.inputs: Sequence[TensorLike] = model.inputs
        self.outputs: Sequence[TensorLike] = model.outputs

    @staticmethod
    def open(path: Path, backend: Backend) -> Sequence[RunnableModel]:
        """The models in the file `path` of a backend: one for each of the shapes that the model was compiled for.

        Raises:
            UserError: there is no such library.
        """
        try:
            libraries = backend.open(path)
        except FileNotFoundError:
            raise UserError(f"model '{path}' not found") from None
        except ArtifactError as e:
            raise UserError(str(e)) from None
        return [LocalModel(path, Model(each)) for each in libraries]

    def run(self, calls: Calls) -> list[Array]:
        """Per output, an array whose first dimension counts the calls."""
        results: list[list[Array]] = [[] for _ in self.outputs]
        for call in range(calls.count):
            try:
                answer = self._model(*calls.inputs(call))
            except InputError as e:  # an extent is outside of its range
                raise UserError(str(e)) from None
            for result, array in zip(results, answer if len(results) != 1 else (answer,), strict=True):
                result.append(array)
        return [_stack(r, info) for r, info in zip(results, self.outputs, strict=True)]

    def latency(self, calls: Calls, repeat: int | None) -> str:
        """Median times of the first call."""
        if calls.count == 0:
            return "latency: not measured, there are no inputs"
        inputs = calls.inputs(0)
        function = time_function(self._model, inputs, repeat) * 1e6
        python = time_python_call(self._model, inputs, repeat) * 1e6
        return f"latency: {function:.2f} µs per call (median), {python:.2f} µs when called from Python"

    def trace(self, calls: Calls) -> Recording:
        """When kernels run in these calls, after a first one that is not recorded.

        Raises:
            UserError: the model was not compiled for that.
        """
        if calls.count:
            self._model(*calls.inputs(0))
        try:
            with trace(self._model) as recorded:
                for call in range(calls.count):
                    self._model(*calls.inputs(call))
        except ValueError as e:
            raise UserError(str(e)) from None
        return recorded


class EmulatedModel:
    """A program for another architecture, fed through its standard input."""

    def __init__(self, path: Path, arch: str, signature: Signature) -> None:
        emulator = find_emulator(arch)
        if emulator is None:
            raise UserError(
                f"'{path}' is a program for {arch}, and there is no qemu-{arch} to run it here: "
                "apt install qemu-user-static, or copy the program to such a machine"
            )
        self.path = path
        self._taken = signature.inputs
        held = holders([t.extents for t in self._taken])
        self.inputs: Sequence[TensorLike] = [t for i, t in enumerate(self._taken) if i not in held]
        self._given = signature.outputs
        hidden = holders([t.extents for t in self._given])
        self.outputs: Sequence[TensorLike] = [t for i, t in enumerate(self._given) if i not in hidden]
        self._emulator = emulator

    def run(self, calls: Calls) -> list[Array]:
        """Per output, an array whose first dimension counts the calls."""
        data = b"".join(self._bytes(calls, call) for call in range(calls.count))
        raw, _ = self._execute(data)
        row = np.dtype([(f"f{i}", dtype_named(o.dtype), o.shape) for i, o in enumerate(self._given)])
        if len(raw) != row.itemsize * calls.count:
            found = f"{len(raw)} bytes of output for {calls.count} calls"
            raise CompilerBug(f"the program gives {found}, expected {row.itemsize} bytes a call", "executable")
        rows = np.frombuffer(raw, row)
        given = [np.ascontiguousarray(rows[f"f{i}"]) for i in range(len(self._given))]
        if len(self.outputs) == len(given):
            return given
        extents = [t.extents for t in self._given]
        calls_of = [actual_outputs([a[call] for a in given], extents) for call in range(calls.count)]
        return [_stack([c[i] for c in calls_of], info) for i, info in enumerate(self.outputs)]

    def latency(self, calls: Calls, repeat: int | None) -> str:
        """The emulator's time, if repetitions were asked for; it says little about real machines."""
        if not repeat or calls.count == 0:
            return f"latency: not measured under {Path(self._emulator).name} (--repeat N measures the emulator)"
        data = self._bytes(calls, 0)
        _, messages = self._execute(data, "--repeat", str(repeat))
        times = [int(n) for n in re.findall(r"(\d+) ns per call", messages)]
        return f"latency: {statistics.median(times) / 1e3:.2f} µs per call under {Path(self._emulator).name}"

    def trace(self, calls: Calls) -> Recording:
        """Raises: UserError in any case: times of an emulator say nothing."""
        raise UserError("found --trace for a model that an emulator runs; required: a target of this machine")

    def _bytes(self, calls: Calls, call: int) -> bytes:
        """The inputs of one call as the program reads them.

        Raises:
            UserError: an extent is outside of its range.
        """
        try:
            return b"".join(a.tobytes() for a in whole_inputs(calls.inputs(call), self._taken, {}))
        except InputError as e:
            raise UserError(str(e)) from None

    def _execute(self, data: bytes, *options: str) -> tuple[bytes, str]:
        command = [self._emulator, str(self.path.absolute()), *options]
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        messages = done.stderr.decode("utf-8", "replace").strip()
        if done.returncode != 0:
            raise CompilerBug(f"the program ended with status {done.returncode}", "executable", messages)
        return done.stdout, messages


def _stack(results: list[Array], info: TensorLike) -> Array:
    """Raises: UserError if the calls give arrays of different shapes."""
    shapes = sorted({array.shape for array in results})
    if len(shapes) > 1:
        raise UserError(
            f"output '{info.name}' has other shapes in other calls, {', '.join(str(list(s)) for s in shapes[:3])}, and "
            "cannot be one tensor; run the calls one by one"
        )
    return np.stack(results) if results else np.empty((0, *info.shape), info.dtype)
