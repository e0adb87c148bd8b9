"""Weights in the object that is written for them, as a linker and a C program see it."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.architectures import instruction_set_named
from mlc.support.errors import UserError
from mlc.targets import elf, weights
from mlc.targets.cache import Cache
from mlc.targets.host import architecture
from mlc.targets.program import Weight
from mlc.targets.toolchain import find_clang, find_linker

_HERE = architecture() or "x86_64"


def _object(folder: Path, arrays: Sequence[tuple[str, Any]], arch: str = _HERE) -> Path:
    path = folder / "weights.o"
    instruction_set = instruction_set_named(arch)
    assert instruction_set is not None
    weights.write_object(weights.collect([Weight(*each) for each in arrays]), instruction_set, path)
    return path


def _read(folder: Path, arrays: Sequence[tuple[str, Any]]) -> dict[str, tuple[int, bytes]]:
    """The address and the bytes of each weight, as functions in C see them that are linked with the object."""
    _object(folder, arrays)
    lines = [f'extern const char {n}[] __attribute__((visibility("hidden"), weak));' for n, _ in arrays]
    lines += [f"const void *get_{n}(void) {{ return {n}; }}" for n, _ in arrays]
    clang = find_clang(None, Cache.default())
    linker = find_linker(_HERE, clang, Cache.default())
    command = [*clang.command, "-c", "-fPIC", "-xc", "-", "-o", "get.o"]
    subprocess.run(command, input="\n".join(lines), text=True, cwd=folder, check=True)
    command = [*linker.command, "-shared", "--fatal-warnings", "-o", "lib.so", "get.o", "weights.o"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "lib.so"))
    found: dict[str, tuple[int, bytes]] = {}
    for name, array in arrays:
        function = library[f"get_{name}"]
        function.restype = ctypes.c_void_p
        found[name] = function(), ctypes.string_at(function(), array.nbytes)
    return found


def test_equal_weights_are_stored_once(tmp_path: Path) -> None:
    ones, same, zeros = np.ones(4, np.float32), np.ones(4, np.float32), np.zeros(4, np.float32)
    blobs = weights.collect([Weight("a", ones), Weight("b", zeros), Weight("c", same)])
    assert [blob.symbols for blob in blobs] == [("a", "c"), ("b",)]
    found = _read(tmp_path, [("a", ones), ("b", zeros), ("c", same)])
    assert found["a"] == found["c"]
    assert found["b"][0] == found["a"][0] + 64


def test_layout_in_memory(tmp_path: Path) -> None:
    mapped = tmp_path / "file"
    np.arange(100, dtype=np.int32).tofile(mapped)
    arrays: list[tuple[Any, Any]] = [
        (np.transpose([[0.0, 1, 2], [3, 4, 5]]).astype(np.float32, order="K"), np.array([0, 3, 1, 4, 2, 5], "<f4")),
        (np.array([1, 2], ">i4"), np.array([1, 2], "<i4")),
        (np.array([True, False]), np.array([1, 0], np.uint8)),
        (np.array(7.0), np.array(7.0)),
        (np.zeros((0, 3), np.float32), np.zeros(0)),
        (np.memmap(mapped, np.int32, "r", 40, (3, 5)), np.arange(10, 25, dtype=np.int32)),
        (np.memmap(mapped, np.int32, "r")[30:33], np.arange(30, 33, dtype=np.int32)),  # whose offset is not its own
        (np.arange(1024, dtype=np.float32), np.arange(1024, dtype=np.float32)),  # a whole page
    ]
    found = _read(tmp_path, [(f"w{i}", given) for i, (given, _) in enumerate(arrays)])
    assert [data for _, data in found.values()] == [expected.tobytes() for _, expected in arrays]
    assert {address % 64 for address, _ in found.values()} == {0}


def test_names_and_machines(tmp_path: Path) -> None:
    for arch in ("x86_64", "aarch64"):
        path = _object(tmp_path, [("first", np.ones(3)), ("secónd.0", np.ones(4))], arch)
        assert elf.defined_symbols(path) == {"first", "secónd.0"}
        assert elf.undefined_symbols(path) == set()
    assert _object(tmp_path, [("w", np.ones(3))], "aarch64").read_bytes()[18:20] == b"\xb7\x00"


def test_too_many_bytes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(weights, "MAXIMUM_BYTES", 100)
    with pytest.raises(UserError, match="has 128 bytes of weights; one artifact holds at most 100: split the model"):
        weights.collect([Weight("w", np.zeros(16))])
