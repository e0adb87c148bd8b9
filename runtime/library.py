"""Opening the shared library of a model: is it one, and does it run on this machine?"""

from __future__ import annotations

import ctypes
import json
import mmap
import platform
import re
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_MACHINES = {62: "x86_64", 183: "aarch64"}
"""ELF's e_machine → the architecture as /proc and signatures name it."""
_ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}

_SIGNATURE = re.compile(rb"\0mlc_([^\0]{1,255})_signature(?=\0)")
"""The name of a model function in a table of symbol names."""

_loaded: dict[str, list[tuple[int, int, int]]] = {}
"""The identities (device, inode, time of change) under which each path was loaded."""
_loaded_lock = threading.Lock()


class ArtifactError(Exception):
    """A file is no model of mlc, or one that this machine cannot run."""


@dataclass(frozen=True)
class TensorInfo:
    """One input or output; `dtype` is NumPy's name of it."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Signature:
    """What a model says about itself."""

    name: str
    version: str
    """The mlc version that compiled it."""
    arch: str
    cpu: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    workspace_bytes: int


@dataclass(frozen=True)
class Library:
    """An open model library."""

    path: Path
    signature: Signature
    function: Any
    """The C function, as ctypes calls it with three addresses."""


def open_library(path: Path, name: str | None = None) -> Library:
    """Open a shared library that mlc built, for its model function `name`: by default `main`, or the only one.

    Raises:
        FileNotFoundError: there is no such file.
        ArtifactError: it is not a model, not one for this machine, or has several and none is `main`.
    """
    path = path.absolute()
    _check_architecture(path)
    try:
        library = ctypes.CDLL(_fresh_name(path))
    except OSError as e:
        raise ArtifactError(f"'{path}' cannot be loaded: {e}") from None
    name = name or _default_model(path, library)
    if not hasattr(library, f"mlc_{name}_signature"):
        raise ArtifactError(f"'{path}' is a shared library, but holds no mlc model '{name}' (no mlc_{name}_signature)")
    describe = getattr(library, f"mlc_{name}_signature")
    describe.restype = ctypes.c_char_p
    text: dict[str, Any] = json.loads(describe())
    _check_features(path, text["cpu"], text["requires"])
    function = getattr(library, f"mlc_{name}")
    function.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    function.restype = ctypes.c_int32
    signature = Signature(
        name=text["name"],
        version=text["mlc"],
        arch=text["arch"],
        cpu=text["cpu"],
        inputs=_tensors(text["inputs"]),
        outputs=_tensors(text["outputs"]),
        workspace_bytes=text["workspace_bytes"],
    )
    return Library(path, signature, function)


def _default_model(path: Path, library: ctypes.CDLL) -> str:
    """`main`, or the name of the only model in the library.

    Raises:
        ArtifactError: there is no model, or which one is meant is open.
    """
    if hasattr(library, "mlc_main_signature"):
        return "main"
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = sorted({match[1].decode("utf-8", "replace") for match in _SIGNATURE.finditer(content)})
    names = [name for name in found if hasattr(library, f"mlc_{name}_signature")]
    if not names:
        raise ArtifactError(f"'{path}' is a shared library, but holds no mlc model (no mlc_<name>_signature)")
    if len(names) > 1:
        listed = ", ".join(f"'{name}'" for name in names)
        raise ArtifactError(f"'{path}' holds the models {listed} and no 'main': load(path, name) takes one of them")
    return names[0]


def _tensors(entries: list[dict[str, Any]]) -> tuple[TensorInfo, ...]:
    return tuple(TensorInfo(e["name"], e["dtype"], tuple(e["shape"])) for e in entries)


def _check_architecture(path: Path) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(20)
    except FileNotFoundError:
        raise
    except OSError as e:
        raise ArtifactError(f"'{path}' cannot be read: {e.strerror}; required: a shared library of mlc") from None
    if len(header) < 20 or header[:4] != b"\x7fELF":
        raise ArtifactError(f"'{path}' is not a shared library of mlc; build one: mlc compile model -o model.so")
    if int.from_bytes(header[16:18], "little") != 3:
        raise ArtifactError(
            f"'{path}' is an object file or a program, not a shared library; build one: mlc compile model -o model.so"
        )
    number = int.from_bytes(header[18:20], "little")
    found, host = _MACHINES.get(number, f"ELF machine {number}"), _host_architecture()
    if found != host:
        raise ArtifactError(f"'{path}' is for {found} and this machine is {host}; compile it for target 'native'")


def _host_architecture() -> str:
    machine = platform.machine().lower()
    return _ALIASES.get(machine, machine)


def _check_features(path: Path, cpu: str, required: list[str]) -> None:
    available = _host_features()
    missing = [f for f in required if f not in available] if available else []
    if missing:
        raise ArtifactError(
            f"'{path}' was compiled for {cpu} and needs {', '.join(missing)}, which this CPU does not have; "
            "compile it for target 'native'"
        )


@cache
def _host_features() -> frozenset[str]:
    """The CPU's feature flags; empty where the system has no /proc."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            for line in file:
                key, _, value = line.partition(":")
                if key.strip() in ("flags", "Features"):
                    return frozenset(value.split())
    except OSError:
        pass
    return frozenset()


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
