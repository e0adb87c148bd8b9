"""Libraries of the cache are loaded, so it is for its owner alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mlc.support.cache_folder import cache_folder, make_folder
from mlc.support.errors import UserError
from mlc.targets.cache import Cache
from tests.conftest import CommandLine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "above" / "cache"))
    return tmp_path / "above" / "cache"


def test_it_is_made_for_its_owner(folder: Path) -> None:
    before = os.umask(0o002)
    try:
        Cache.default().write("ab" * 32, b"entry")
        make_folder(folder, "run")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert Cache.default().read("ab" * 32) == b"entry"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_one_that_others_write_to_is_refused(folder: Path, mode: int, mlc: CommandLine) -> None:
    folder.mkdir(parents=True)
    folder.chmod(mode)
    with pytest.raises(UserError, match=rf"can be written by others \(mode {mode:o}\).*run chmod go-w '.*cache'"):
        cache_folder()
    (model := folder.parent / "model.mlir").write_text(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
    )
    found = mlc("compile", str(model), "-o", str(folder.parent / "m.so"))
    assert found.status == 1 and "can be written by others" in found.err and "Traceback" not in found.err


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o500])
def test_others_may_read_it(folder: Path, mode: int) -> None:
    folder.mkdir(parents=True)
    folder.chmod(mode)
    assert cache_folder() == folder


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_one_of_another_user_is_refused(folder: Path) -> None:
    folder.mkdir(parents=True)
    os.chown(folder, 12345, -1)
    with pytest.raises(UserError, match="belongs to another user"):
        cache_folder()


def test_a_folder_in_the_place_of_an_entry_is_made_again(folder: Path, tmp_path: Path) -> None:
    cache, key = Cache.default(), "cd" * 32
    cache.write(key, b"entry")
    (source := tmp_path / "source").write_bytes(b"library")
    cache.store("ef" * 32, source)
    for entry in [*folder.glob("??/*")]:
        entry.unlink()
        (entry / "inside").mkdir(parents=True)
    assert cache.read(key) is None and not cache.fetch("ef" * 32, tmp_path / "fetched")
    cache.write(key, b"again")
    cache.store("ef" * 32, source)
    assert cache.read(key) == b"again" and cache.fetch("ef" * 32, tmp_path / "fetched")
