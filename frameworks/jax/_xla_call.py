"""Calls of a function by XLA, for functions with many small results.

JAX takes a microsecond to make an array, and as long to say where it lies. A function of a hundred results is called
by XLA itself, as one that is foreign to it: the results are made as those of JAX's own functions are, and the call
returns before it is done.
"""

from __future__ import annotations

import ctypes
import functools
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from mlc.support.errors import UserError
from mlc.targets.cache import Cache, digest
from mlc.targets.toolchain import find_clang
from mlc.targets.units import Processes

_jax: Any = jax
_Kind = tuple[tuple[int, ...], Any]
_TARGET = "mlc_xla_call"
LEAST_RESULTS = 16
"""With fewer results the memory of `Results` is there sooner than XLA has called the function."""


def call_by_xla(
    function: Any, workspace: int, arguments: Sequence[_Kind], results: Sequence[_Kind], tree: Any
) -> Callable[..., Any] | None:
    """What calls a function of a library with arrays of JAX and gives its results; None where there is no such way.

    Args:
        function: that of ctypes, whose library stays loaded.
        workspace: how many bytes it takes.
        arguments: shapes and dtypes.
        results: shapes and dtypes, of which all are small.
        tree: the structure of the results.
    """
    if len(_jax.devices("cpu")) != 1 or not _is_registered():
        return None
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    made = [_jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in results]

    def called(*values: Any) -> Any:
        call = _jax.ffi.ffi_call(_TARGET, made)
        found = call(*values, function=np.int64(address), workspace=np.int64(workspace))
        return _jax.tree.unflatten(tree, found)

    given = [_jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in arguments]
    with _jax.default_device(_jax.devices("cpu")[0]):
        return _jax.jit(called, keep_unused=True).lower(*given).compile()


@functools.cache
def _is_registered() -> bool:
    """Whether XLA knows the function that calls others, which is compiled once for each version of its interface."""
    ffi = getattr(_jax, "ffi", None)
    if ffi is None:
        return False
    try:
        library = _library(Path(ffi.include_dir()))
        ffi.register_ffi_target(_TARGET, ffi.pycapsule(library.mlc_xla_call), platform="cpu")
    except (OSError, AttributeError, UserError):
        return False
    return True


def _library(headers: Path) -> ctypes.CDLL:
    """The library with the function, from the cache or made now.

    Raises:
        OSError: it cannot be made.
        UserError: there is no usable clang.
    """
    source = Path(__file__).with_name("xla_call.c").read_text()
    cache = Cache.default()
    clang = find_clang(None, cache)
    key = digest("xla_call", source, (headers / "xla/ffi/api/c_api.h").read_bytes(), clang.identity)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "xla_call.so"
        if not cache.fetch(key, made):
            command = [*clang.command, "-O2", "-shared", "-fPIC", "-w", f"-I{headers}", "-x", "c", "-", "-o", str(made)]
            status, messages = Processes().run(command, Path(folder), source)
            if status != 0:
                raise OSError(messages)
            cache.store(key, made)
        return ctypes.CDLL(str(made))
