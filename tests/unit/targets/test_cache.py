from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlc.targets.cache import Cache, digest


def test_keys_depend_on_the_parts_not_their_concatenation():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab") == digest(b"ab")


def test_folder_order(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/home/someone")
    for name, value, folder in [
        ("NOTHING", "", "/home/someone/.cache/mlc"),
        ("XDG_CACHE_HOME", "/xdg", "/xdg/mlc"),
        ("MLC_CACHE_DIR", "/named", "/named"),
    ]:
        monkeypatch.delenv("MLC_CACHE_DIR", raising=False)
        if name == "NOTHING":
            monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setenv(name, value)
        assert Cache.default().folder == Path(folder)


def test_files_come_back(tmp_path: Path):
    cache, key = Cache(tmp_path / "cache"), digest("k")
    (tmp_path / "a").write_bytes(b"object" * 1000)
    assert not cache.fetch(key, tmp_path / "b")
    assert not (tmp_path / "b").exists()
    cache.store(key, tmp_path / "a")
    assert cache.fetch(key, tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    assert cache.size() == (1, 6032)


@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_a_damaged_entry_is_dropped(tmp_path: Path, damage: str):
    cache, key = Cache(tmp_path / "cache"), digest("k")
    cache.write(key, b"version")
    assert cache.read(key) == b"version"
    entry = next((tmp_path / "cache").glob("??/*"))
    data = bytearray(entry.read_bytes())
    data[-1] ^= 1
    entry.write_bytes({"flip": bytes(data), "cut": data[:-3], "empty": b""}[damage])
    assert cache.read(key) is None
    assert not cache.fetch(key, tmp_path / "b")
    assert not (tmp_path / "b").exists() and not entry.exists()


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache")
    cache.write(digest("k"), b"x")
    cache.store(digest("k"), tmp_path / "file")
    cache.trim()
    assert cache.read(digest("k")) is None and cache.size() == (0, 0)


def test_trim_drops_the_least_recently_used(tmp_path: Path):
    cache = Cache(tmp_path, limit=300)
    for age in range(4):
        cache.write(digest(str(age)), bytes(100 - 32))
        os.utime(tmp_path / digest(str(age))[:2] / digest(str(age)), (1000 - age, 1000 - age))
    (tmp_path / "ab").mkdir(exist_ok=True)
    (tmp_path / "ab" / "letter.txt").write_bytes(bytes(1000))  # not an entry: neither counted nor dropped
    cache.trim()
    assert [cache.read(digest(str(age))) is not None for age in range(4)] == [True, True, True, False]
    assert (tmp_path / "ab" / "letter.txt").exists()
