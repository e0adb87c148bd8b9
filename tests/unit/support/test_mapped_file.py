"""Files are read as they were when they were opened, or not at all."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mlc.support.errors import UserError
from mlc.support.file_digest import file_digest
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


def test_what_cannot_be_mapped_is_read(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(pipe.write_bytes, b"12345678")
        file = MappedFile(pipe)
        writing.result()
    assert bytes(file.data) == b"12345678"
    file.require_unchanged()
    with file.stream() as stream:
        assert stream.read() == b"12345678"
