"""Opening the shared library of a model: is it one, and does it run on this machine?"""

from __future__ import annotations

import builtins
import ctypes
import json
import platform
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mlc.architectures import architecture_of_elf, missing_features, real_architecture
from mlc.runtime.elf import Damaged, NotALibrary, read_library

_T = TypeVar("_T")

_SIGNATURE = re.compile(r"mlc_(.+)_signature")
"""The symbol that describes a model function."""

_AT = "mlc_{}_at"
"""The symbol of the function that picks the variant of a model for several shapes."""

_loaded: dict[str, list[tuple[int, int, int]]] = {}
"""The identities (device, inode, time of change) under which each path was loaded."""
_loaded_lock = threading.Lock()


class ArtifactError(Exception):
    """A file is not a model of mlc, or one that this machine cannot run."""


@dataclass(frozen=True)
class TensorInfo:
    """One input or output; `dtype` is NumPy's name of it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    """The extents; of an output that is as long as data says, and of an input that is as long as callers say, the
    largest that they can be."""
    extents: tuple[int, ...] = ()
    """Of such an output, for each dim the place in `ModelInfo.outputs` of its actual extent, or -1; of an input that in
    `ModelInfo.inputs`."""
    range: builtins.range | None = None
    """Of an input that holds an extent of others: what it can be."""
    donor: int | None = None
    """Of an output that may lie in the memory of an input, the number of that."""

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """The dtype as NumPy's object; `ml_dtypes` has what NumPy lacks."""
        try:
            return np.dtype(self.dtype)
        except TypeError:
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, self.dtype))

    def __str__(self) -> str:
        places = self.extents or (-1,) * len(self.shape)
        labels = [f"{'≤' if p >= 0 else ''}{e}" for e, p in zip(self.shape, places, strict=True)]
        return f"{self.dtype}[{', '.join(labels)}]"


@dataclass(frozen=True)
class ModelInfo:
    """What a model says about itself."""

    name: str
    version: str
    """The mlc version that compiled it."""
    arch: str
    cpu: str
    inputs: tuple[TensorInfo, ...]
    """All that a call in C gives, the actual extents of others included."""
    outputs: tuple[TensorInfo, ...]
    """All that a call in C writes, the actual extents of others included."""
    workspace_bytes: int
    kernels: tuple[str, ...] = ()
    """What it records when it is traced, by number; nothing if it was not compiled for that."""


@dataclass(frozen=True)
class Library:
    """An open model library."""

    path: Path
    signature: ModelInfo
    function: Any
    """The C function, as ctypes calls it with three addresses."""
    symbols: Any = None
    """What has the other functions of the library as attributes, if it is one of ctypes."""


def open_library(path: Path, name: str | None = None) -> Library:
    """Open a shared library that mlc built, for a function `name` of known shapes: by default `main`, or the only one.

    Raises:
        FileNotFoundError, ArtifactError: as `open_variants`; also if the model was compiled for several shapes.
    """
    found = open_variants(path, name)
    if len(found) > 1:
        names = ", ".join(f"'{each.signature.name}'" for each in found)
        raise ArtifactError(f"'{path}' holds a model for several shapes; required: one of its functions, {names}")
    return found[0]


def open_variants(path: Path, name: str | None = None) -> list[Library]:
    """Open a shared library that mlc built, for its model `name`: by default `main`, or the only one.

    The result has a function for each of the shapes that the model was compiled for.

    Raises:
        FileNotFoundError: there is no such file.
        ArtifactError: it is not a model, not one for this machine, or has several and none is `main`.
    """
    path = path.absolute()
    symbols = _check_file(path)
    name = name or _default_model(path, symbols)
    if f"mlc_{name}_signature" not in symbols or symbols.isdisjoint((f"mlc_{name}", _AT.format(name))):
        listed = ", ".join(f"'{each}'" for each in _models(path, symbols))
        raise ArtifactError(f"'{path}' holds no mlc model '{name}' (no mlc_{name}_signature); it holds {listed}")
    try:
        library = ctypes.CDLL(_fresh_name(path))
    except OSError as e:
        raise ArtifactError(f"'{path}' cannot be loaded: {e}") from None
    if _AT.format(name) not in symbols:
        return [_function(library, path, name)]
    variants = _described(library, path, name, lambda text: [str(each["name"]) for each in text["variants"]])
    return [_function(library, path, variant) for variant in variants]


def _function(library: ctypes.CDLL, path: Path, name: str) -> Library:
    """A function of a library for arrays of known shapes."""
    signature, required = _described(library, path, name, lambda text: (model_info(text), text["requires"]))
    _check_features(path, signature.cpu, required)
    function = getattr(library, f"mlc_{name}")
    function.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    function.restype = ctypes.c_int32
    return Library(path, signature, function, library)


def _described(library: ctypes.CDLL, path: Path, name: str, read: Callable[[dict[str, Any]], _T]) -> _T:
    """What `read` makes of what a model says about itself.

    Raises:
        ArtifactError: it says something else.
    """
    try:
        describe = getattr(library, f"mlc_{name}_signature")
        describe.restype = ctypes.c_char_p
        return read(json.loads(describe()))
    except (AttributeError, ValueError, KeyError, TypeError):
        raise ArtifactError(
            f"'{path}' describes its model '{name}' in a way that this version of mlc does not know; compile it again"
        ) from None


def model_info(text: Mapping[str, Any]) -> ModelInfo:
    """What the JSON of `mlc_<name>_signature` says of a model.

    Raises:
        KeyError, TypeError: it says something else.
    """
    return ModelInfo(
        name=text["name"],
        version=text["mlc"],
        arch=text["arch"],
        cpu=text["cpu"],
        inputs=_tensors(text["inputs"]),
        outputs=_tensors(text["outputs"]),
        workspace_bytes=text["workspace_bytes"],
        kernels=tuple(text.get("kernels", ())),
    )


def _default_model(path: Path, symbols: frozenset[str]) -> str:
    """`main`, or the name of the only model in the library.

    Raises:
        ArtifactError: there is no model, or which one is meant is open.
    """
    names = _models(path, symbols)
    several = tuple(f"{name}_" for name in names if _AT.format(name) in symbols)
    names = [name for name in names if not name.startswith(several)]  # without variants of a model
    if "main" in names:
        return "main"
    if len(names) > 1:
        listed = ", ".join(f"'{name}'" for name in names)
        raise ArtifactError(f"'{path}' holds the models {listed} and no 'main': load(path, name) takes one of them")
    return names[0]


def _models(path: Path, symbols: frozenset[str]) -> list[str]:
    """The names of the models in the library.

    Raises:
        ArtifactError: there is none.
    """
    names = sorted(match[1] for match in map(_SIGNATURE.fullmatch, symbols) if match)
    if not names:
        raise ArtifactError(f"'{path}' is a shared library, but holds no mlc model (no mlc_<name>_signature)")
    return names


def _tensors(entries: list[dict[str, Any]]) -> tuple[TensorInfo, ...]:
    return tuple(
        TensorInfo(
            e["name"],
            e["dtype"],
            tuple(e["shape"]),
            tuple(e.get("extents", ())),
            _range(e.get("range")),
            e.get("donor"),
        )
        for e in entries
    )


def _range(numbers: list[int] | None) -> range | None:
    return None if numbers is None else range(numbers[0], numbers[1] + 1, *numbers[2:])


def _check_file(path: Path) -> frozenset[str]:
    """The names that the library `path` defines, if it is one that can be mapped here.

    Raises:
        FileNotFoundError: there is no such file.
        ArtifactError: it is something else, or damaged, or for another architecture.
    """
    build = "build one: mlc compile model -o model.so"
    try:
        library = read_library(path)
    except FileNotFoundError:
        raise
    except OSError as e:
        raise ArtifactError(f"'{path}' cannot be read: {e.strerror}; required: a shared library of mlc") from None
    except NotALibrary as e:
        raise ArtifactError(f"'{path}' is not a shared library of mlc, it is {e}; {build}") from None
    except Damaged as e:
        raise ArtifactError(f"'{path}' is damaged: {e}; copy it again, or compile it again") from None
    found, host = architecture_of_elf(library.machine), real_architecture()
    if found is None or found != host:
        needed = found.name if found else f"ELF machine {library.machine}"
        here = host.name if host else platform.machine()
        raise ArtifactError(f"'{path}' is for {needed} and this machine is {here}; compile it for target 'native'")
    return library.symbols


def _check_features(path: Path, cpu: str, required: list[str]) -> None:
    if missing := missing_features(required):
        raise ArtifactError(
            f"'{path}' was compiled for {cpu} and needs {', '.join(missing)}, which this CPU does not have; "
            "compile it for target 'native'"
        )


def _fresh_name(path: Path) -> str:
    """A spelling of `path` that the dynamic linker has not seen with other contents.

    It knows libraries by name: given a name again, it returns what it loaded before, even if the file was replaced.
    """
    status = path.stat()
    identity = (status.st_dev, status.st_ino, status.st_mtime_ns)
    with _loaded_lock:
        seen = _loaded.setdefault(str(path), [])
        if identity not in seen:
            seen.append(identity)
        return f"{path.parent}/{'./' * seen.index(identity)}{path.name}"
