"""`mlc cache`, and what commands do where the cache cannot be written."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

from mlc.targets.cache import Cache

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_MODEL = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.neg %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
"""
_RUN = ("run", "model.mlir", "--inputs", "in.safetensors", "--repeat=1")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a model with its inputs in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    Path("model.mlir").write_text(_MODEL)
    save_file({"x": np.ones(2, np.float32)}, "in.safetensors")
    return tmp_path / "cache"


def _refuse(patch: pytest.MonkeyPatch, folder: Path, code: int, *functions: str) -> None:
    """Let these functions of `os` fail with an error for paths in `folder`, as the kernel does."""

    def refusing(real: Any) -> Any:
        def call(path: Any, *arguments: Any, **options: Any) -> Any:
            paths = [p for p in (path, *arguments) if isinstance(p, str | Path)]
            if any(Path(p).is_relative_to(folder) for p in paths):
                raise OSError(code, os.strerror(code), str(path))
            return real(path, *arguments, **options)

        return call

    for name in functions:
        patch.setattr(os, name, refusing(getattr(os, name)))


def test_size_trim_and_clear(cache: Path, mlc: CommandLine) -> None:
    assert mlc(*_RUN).status == 0
    (library,) = (cache / "run").iterdir()
    shown = mlc("cache").out.splitlines()
    assert shown[0] == f"{cache}, at most 8 GB"
    assert shown[2].split()[:5] == ["artifacts", "of", "mlc", "run", "1"]
    os.utime(library, (1, 1))
    oldest = [p for p in cache.rglob("*") if p.is_file() and p.samefile(library)]
    assert len(oldest) == 2  # an entry is another name of it
    size = sum(p.stat().st_size for p in cache.rglob("*") if p.is_file())
    assert mlc("cache", "trim", str(size)).out.startswith("dropped 0 files of 0 B; ")
    assert mlc("cache", "trim", f"{size - 1}B").out.startswith("dropped 1 files of ")
    assert sum(p.exists() for p in oldest) == 1
    assert mlc("cache", "clear").out.endswith(f"; 0 B are left in {cache}\n")
    assert not [p for p in cache.rglob("*") if p.is_file()]
    assert mlc(*_RUN).status == 0


def test_runs_keep_the_cache_below_its_limit(cache: Path, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Artifacts of other models go when a new one comes."""
    assert mlc(*_RUN).status == 0
    (library,) = (cache / "run").iterdir()
    os.utime(library, (1, 1))
    oldest = [p for p in cache.rglob("*") if p.is_file() and p.samefile(library)]
    assert len(oldest) == 2  # an entry is another name of it
    size = sum(p.stat().st_size for p in cache.rglob("*") if p.is_file())
    monkeypatch.setattr(Cache, "default", lambda: Cache(cache, size))
    assert mlc(*_RUN, "-O0").status == 0
    assert not library.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shrink"], "found 'shrink' as action; it is one of size, trim, clear"),
        (["trim", "small"], "found the size 'small'; required: a number of bytes, such as 500M or 2G"),
        (["trim", "-1"], "'-1'"),
        (["clear", "2G"], "'2G' is for 'mlc cache trim'; 'mlc cache clear' takes no size"),
    ],
)
def test_refused(arguments: list[str], message: str, mlc: CommandLine) -> None:
    result = mlc("cache", *arguments)
    assert (result.status, result.out) == (1, "")
    assert message in result.err


def test_a_cache_that_cannot_be_there(mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a file no folder can be made, whoever asks."""
    monkeypatch.setenv("MLC_CACHE_DIR", "model.mlir/cache")
    result = mlc(*_RUN, "--outputs", "out.safetensors")
    assert result.status == 0
    assert result.err == "note: nothing is kept in the cache 'model.mlir/cache/run': Not a directory\n"
    assert result.out.startswith("latency: ") and "artifact" not in result.out
    assert mlc("compile", "model.mlir", "-o", "model.so").status == 0
    shown = mlc("doctor")
    assert shown.status == 0
    assert "cannot be written: Not a directory. All works, but everything is compiled anew each time" in shown.out


def test_a_cache_on_a_read_only_disk(cache: Path, mlc: CommandLine) -> None:
    """What it has is used, what it lacks is made elsewhere."""
    assert mlc(*_RUN).status == 0
    before = {p: p.stat().st_mtime_ns for p in cache.rglob("*")}
    for options in ([], ["-O0"]):
        with pytest.MonkeyPatch.context() as patch:
            _refuse(patch, cache, errno.EROFS, "open", "mkdir", "replace", "unlink", "utime", "link")
            result = mlc(*_RUN, *options)
        note = f"note: nothing is kept in the cache '{cache / 'run'}': Read-only file system\n"
        assert (result.status, result.err) == (0, note)
        assert result.out.startswith("latency: ") and "artifact" not in result.out
        with pytest.MonkeyPatch.context() as patch:
            _refuse(patch, cache, errno.EROFS, "open", "unlink")
            assert mlc("cache", "clear").err.endswith(f"'{cache}' cannot be made smaller: Read-only file system\n")
    assert {p: p.stat().st_mtime_ns for p in cache.rglob("*")} == before


def test_a_full_disk(cache: Path, mlc: CommandLine) -> None:
    """What was staged does not become the artifact."""
    with pytest.MonkeyPatch.context() as patch:
        _refuse(patch, cache, errno.ENOSPC, "replace", "link")
        result = mlc(*_RUN)
    assert result.status == 0
    assert result.err.startswith(f"note: nothing is kept in the cache '{cache / 'run'}': cannot write ")
    assert result.err.endswith("No space left on device\n")
    assert not [p for p in cache.rglob("*") if p.is_file()]
