from __future__ import annotations

import errno
import hashlib
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mlc.support.file_digest import file_digest
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


def test_no_home_means_no_cache(monkeypatch: pytest.MonkeyPatch):
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("MLC_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    cache = Cache.default()
    cache.write(digest("k"), b"x")
    assert cache.read(digest("k")) is None
    assert cache.problem() == "Not a directory"


def test_files_come_back(tmp_path: Path):
    cache, key = Cache(tmp_path / "cache"), digest("k")
    (tmp_path / "a").write_bytes(b"object" * 1000)
    assert not cache.fetch(key, tmp_path / "b")
    assert not (tmp_path / "b").exists()
    cache.store(key, tmp_path / "a")
    assert cache.fetch(key, tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    assert cache.size() == (1, 6000)


def test_what_is_stored_and_what_is_private_is_not_copied(tmp_path: Path):
    cache, key, stored = Cache(tmp_path / "cache"), digest("k"), tmp_path / "a"
    stored.write_bytes(b"library")
    cache.store(key, stored)
    (entry,) = (tmp_path / "cache").glob("??/*")
    assert entry.samefile(stored)
    assert cache.fetch(key, tmp_path / "copy") and not entry.samefile(tmp_path / "copy")
    assert replace(cache, links=True).fetch(key, tmp_path / "name") and entry.samefile(tmp_path / "name")


def test_who_changes_an_artifact_does_not_change_what_others_get(tmp_path: Path):
    cache, key = Cache(tmp_path / "cache", links=True), digest("k")
    (tmp_path / "a").write_bytes(b"library")
    cache.store(key, tmp_path / "a")
    with (tmp_path / "a").open("r+b") as file:
        file.write(b"L")
    assert not cache.fetch(key, tmp_path / "b")
    assert not (tmp_path / "b").exists() and not list((tmp_path / "cache").glob("??/*"))


def test_another_disk_gets_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refused)
    cache, key = Cache(tmp_path / "cache", links=True), digest("k")
    (tmp_path / "a").write_bytes(b"library")
    cache.store(key, tmp_path / "a")
    assert cache.fetch(key, tmp_path / "b") and (tmp_path / "b").read_bytes() == b"library"
    assert [file.stat().st_nlink for file in tmp_path.rglob("*") if file.is_file()] == [1, 1, 1]


@pytest.mark.parametrize("size", [0, 1, 16 << 20, (16 << 20) + 1, (40 << 20) + 7])
def test_digests_of_files_are_those_of_their_chunks(tmp_path: Path, size: int):
    data = np.random.default_rng(0).bytes(size)
    (tmp_path / "a").write_bytes(data)
    chunks = [data[i : i + (16 << 20)] for i in range(0, size, 16 << 20)]
    expected = hashlib.sha256(b"".join(hashlib.sha256(chunk).digest() for chunk in chunks)).hexdigest()
    with (tmp_path / "a").open("rb") as source, (tmp_path / "b").open("wb") as target:
        source.read(1)
        assert file_digest(source.fileno(), target.fileno()) == expected
    assert (tmp_path / "b").read_bytes() == data


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
    assert cache.problem() == "Not a directory"
    assert Cache(tmp_path / "new").problem() is None


def _fill(folder: Path) -> dict[str, Path]:
    """One file of each kind, of 100 bytes each, and others that are not the cache's; last used one after the other."""
    files = {
        "entry": folder / digest("k")[:2] / digest("k"),
        "library": folder / "run" / "model-native-O3-threads1-0123abcd.so",
        "program": folder / "run" / "model-aarch64-O0-threads1-0123abcd",
        "grammar": folder / "grammar" / digest("g"),
        "letter": folder / "ab" / "letter.txt",
        "note": folder / "run" / "notes.so",
    }
    for second, path in enumerate(files.values()):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(100))
        os.utime(path, (second, second))
    return files


@pytest.mark.parametrize(("limit", "left"), [(1000, 4), (399, 3), (200, 2), (199, 1), (0, 0)])
def test_trim_drops_what_was_not_used_for_longest(tmp_path: Path, limit: int, left: int):
    files = _fill(tmp_path)
    assert Cache(tmp_path).trim(limit) == (4 - left, 100 * (4 - left))
    ours = ["entry", "library", "program", "grammar"]
    assert [name for name in files if files[name].exists()] == [*ours[4 - left :], "letter", "note"]
    assert Cache(tmp_path).size() == (left, 100 * left)


def test_sizes_by_kind(tmp_path: Path):
    _fill(tmp_path)
    expected = {"compiled": (1, 100), "artifacts of mlc run": (2, 200), "grammars": (1, 100)}
    assert Cache(tmp_path).sizes() == expected


def test_trim_drops_the_folders_of_builds_that_were_killed(tmp_path: Path):
    for name, age in ((".mlc-old", 100_000), (".mlc-new", 0)):
        (tmp_path / "run" / name).mkdir(parents=True)
        (tmp_path / "run" / name / "model.so").write_bytes(b"")
        os.utime(tmp_path / "run" / name, (time.time() - age, time.time() - age))
    Cache(tmp_path).trim()
    assert [p.name for p in (tmp_path / "run").iterdir()] == [".mlc-new"]


def test_a_cache_has_a_limit_of_its_own(tmp_path: Path):
    cache = Cache(tmp_path, limit=300)
    for age in range(4):
        cache.write(digest(str(age)), bytes(100))
        (entry,) = (tmp_path / digest(str(age))[:2]).iterdir()
        os.utime(entry, (1000 - age, 1000 - age))
    (tmp_path / "ab").mkdir(exist_ok=True)
    (tmp_path / "ab" / "letter.txt").write_bytes(bytes(1000))  # not an entry: neither counted nor dropped
    cache.trim()
    assert [cache.read(digest(str(age))) is not None for age in range(4)] == [True, True, True, False]
    assert (tmp_path / "ab" / "letter.txt").exists()


def test_a_process_that_builds_much_trims_once_in_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    cache, other = Cache(tmp_path / "one", limit=0), Cache(tmp_path / "other", limit=0)

    def is_kept(cache: Cache) -> bool:
        cache.write(key := digest("x"), b"data")
        cache.trim_if_due()
        return cache.read(key) is not None

    assert (is_kept(cache), is_kept(cache), is_kept(other)) == (False, True, False)
    now = 159.0
    assert is_kept(cache)
    now = 160.0
    assert not is_kept(cache)


def test_what_is_written_again_takes_the_place_of_what_was_there(tmp_path: Path):
    cache = Cache(tmp_path / "cache")
    for payload in (b"one", b"two"):
        cache.write("ab" * 32, payload)
        assert cache.read("ab" * 32) == payload
    assert len(list((tmp_path / "cache").glob("??/*"))) == 1


def test_what_stands_where_an_entry_goes_is_overwritten(tmp_path: Path):
    (source := tmp_path / "source").write_bytes(b"library")
    (destination := tmp_path / "destination").write_bytes(b"something else")
    cache = Cache(tmp_path / "cache", links=True)
    cache.store("ab" * 32, source)
    assert cache.fetch("ab" * 32, destination) and destination.read_bytes() == b"library"


def test_what_is_fetched_counts_as_used(tmp_path: Path):
    cache = Cache(tmp_path / "cache")
    for number, key in enumerate(("ab" * 32, "cd" * 32)):
        (source := tmp_path / key[:2]).write_bytes(bytes(100))
        cache.store(key, source)
        (entry,) = (tmp_path / "cache" / key[:2]).iterdir()
        os.utime(entry, (10**9 + number, 10**9 + number))
    assert cache.fetch("ab" * 32, tmp_path / "fetched")
    cache.trim(100)
    assert cache.fetch("ab" * 32, tmp_path / "fetched") and not cache.fetch("cd" * 32, tmp_path / "fetched")
