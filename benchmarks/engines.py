"""What computes a case: mlc, NumPy, and the reference interpreter that all results are compared with."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

from mlc.api import compile as compile_model
from mlc.benchmarks.case import Array, Case
from mlc.compiler.compilation import new_context, parse_verified
from mlc.reference.interpreter import run_function
from mlc.runtime import Model
from mlc.runtime.library import open_library
from mlc.tuning.measure import aligned

Call = Callable[[], object]

TOLERANCE = 1e-4
"""The largest error of an engine, relative to the largest element of the reference."""


@dataclass(frozen=True)
class Runner:
    """A case, ready to be run again and again by one engine, on buffers that stay where they are."""

    call: Call
    output: Callable[[], Array]
    """The output of the last call, laid out as mlc's."""


def reference_output(case: Case) -> Array:
    """What the case's text means, by the reference interpreter."""
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
        ctx = new_context()
        module = parse_verified(saved_source(case, Path(folder)), case.name, ctx, Path(folder))
        return run_function(module, "main", [case.tensors[name] for name in case.inputs], ctx.resources)[0]


def relative_error(found: Array, expected: Array) -> float:
    """The largest difference by the largest expected magnitude; infinite where shapes differ or NaN appears."""
    if found.shape != expected.shape:
        return float("inf")
    error = np.max(np.abs(found - expected)) / max(float(np.max(np.abs(expected))), 1e-30)
    return float(error) if np.isfinite(error) else float("inf")


def compile_case(case: Case, target: str = "native", threads: int = 1) -> Model:
    """The case, compiled by mlc.

    Raises:
        UserError, CompilerBug: mlc cannot compile it.
    """
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
        return compile_model(saved_source(case, Path(folder)), target=target, threads=threads)


def mlc_function(case: Case, model: Model) -> Runner:
    """The compiled function, called as a C program does: with pointers to buffers that it has."""
    function = open_library(model.path, model.signature.name).function
    output = aligned(np.zeros(case.output, np.float32))
    workspace = aligned(np.zeros(model.signature.workspace_bytes, np.uint8))
    ins = np.array([case.tensors[name].ctypes.data for name in case.inputs] + [0], np.uintp)
    outs = np.array([output.ctypes.data, 0], np.uintp)
    addresses = ins.ctypes.data, outs.ctypes.data, workspace.ctypes.data
    # The arrays have to live as long as their addresses are used; the model deletes its library when it goes.
    alive = case.tensors, output, ins, outs, workspace, model

    def call(_: object = alive) -> None:
        function(*addresses)

    return Runner(call, lambda: output)


def mlc_python_call(case: Case, model: Model) -> Runner:
    """The model, called as a Python program does."""
    inputs = [case.tensors[name] for name in case.inputs]
    return Runner(lambda: model(*inputs), lambda: np.asarray(model(*inputs)))


def numpy_function(case: Case) -> Runner | None:
    """NumPy, where the case has a function for it."""
    compute = case.numpy
    if compute is None:
        return None
    arguments = list(case.tensors.values())
    output = aligned(np.zeros(case.output, np.float32))
    return Runner(lambda: compute(*arguments, out=output), lambda: output)


def saved_source(case: Case, folder: Path) -> str:
    """The text of a case whose weights are now in a file in `folder`."""
    path = folder / "weights.safetensors"
    if case.weights:
        save_file({name: case.tensors[name] for name in case.weights}, path)
    return case.source(path)
