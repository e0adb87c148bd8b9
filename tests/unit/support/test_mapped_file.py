"""Files are read as they were when they were opened, or not at all."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mlc.support.errors import UserError
from mlc.support.file_digest import data_digest, file_digest
from mlc.support.mapped_file import MappedFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    np.arange(8, dtype=np.int32).tofile(path := tmp_path / "weights.bin")
    return path


def test_arrays_lie_in_the_file(path: Path) -> None:
    file = MappedFile(path)
    array = file.array(np.dtype(np.int32), (2, 3), 8)
    np.testing.assert_array_equal(array, [[2, 3, 4], [5, 6, 7]])
    assert not array.flags.writeable and np.shares_memory(array, np.frombuffer(file.data, np.uint8))
    assert file.array(np.dtype(np.int32), (0, 3), 8).shape == (0, 3)
    assert file.array(np.dtype(np.int32), (), 4) == 1


def test_digests_are_those_of_files(path: Path, tmp_path: Path) -> None:
    with path.open("rb") as stream:
        assert MappedFile(path).digest() == file_digest(stream.fileno())
    (empty := tmp_path / "empty").write_bytes(b"")
    with empty.open("rb") as stream:
        assert MappedFile(empty).digest() == file_digest(stream.fileno())


def test_a_file_that_takes_the_name_has_no_influence(path: Path, tmp_path: Path) -> None:
    file = MappedFile(path)
    before = file.digest()
    np.full(8, 7, np.int32).tofile(other := tmp_path / "other")
    other.replace(path)
    assert file.array(np.dtype(np.int32), (8,), 0).tolist() == list(range(8))
    assert file.digest() == before != MappedFile(path).digest()
    with file.stream() as stream:
        assert stream.read() == bytes(np.arange(8, dtype=np.int32).data)
    file.require_unchanged()


def test_a_change_in_place_is_an_error(path: Path) -> None:
    file = MappedFile(path)
    file.require_unchanged()
    time.sleep(0.02)  # the clock of files ticks
    with path.open("r+b") as stream:
        stream.write(b"\1")
    with pytest.raises(UserError, match=r"weights\.bin' was changed while it was read; run the command again"):
        file.require_unchanged()


def test_a_file_that_grows_is_an_error_whatever_its_time(path: Path) -> None:
    file, status = MappedFile(path), path.stat()
    with path.open("ab") as stream:
        stream.write(b"1")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(UserError, match="was changed while it was read"):
        file.require_unchanged()


def test_a_time_that_somebody_sets_makes_no_file_older(path: Path) -> None:
    before = path.stat().st_ctime_ns
    os.utime(path, ns=(10**18, 10**18))
    assert not MappedFile(path).is_older_than(before)
    assert MappedFile(path).is_older_than(path.stat().st_ctime_ns + 1)


def test_each_stream_starts_at_the_start(path: Path) -> None:
    file = MappedFile(path)
    for _ in range(2):
        with file.stream() as stream:
            assert stream.read() == path.read_bytes()


def test_nothing_may_lie_behind_the_last_byte(path: Path) -> None:
    assert MappedFile(path).array(np.dtype(np.int32), (0, 3), 32).shape == (0, 3)


def test_digests_of_several_chunks(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy is written at its places, by a system that writes a few bytes at a time."""
    whole = os.pwrite

    def in_parts(file: int, data: memoryview, at: int) -> int:
        return whole(file, data[:3], at)

    monkeypatch.setattr("mlc.support.file_digest._CHUNK", 7)
    monkeypatch.setattr(os, "pwrite", in_parts)
    with path.open("rb") as stream, (tmp_path / "copy").open("wb") as copy:
        assert file_digest(stream.fileno(), copy.fileno()) == data_digest(memoryview(path.read_bytes()))
    assert (tmp_path / "copy").read_bytes() == path.read_bytes()


def test_what_cannot_be_mapped_is_read(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(pipe.write_bytes, b"12345678")
        file = MappedFile(pipe)
        writing.result()
    assert bytes(file.data) == b"12345678"
    os.utime(pipe, (0, 0))
    file.require_unchanged()
    with file.stream() as stream:
        assert stream.read() == b"12345678"
