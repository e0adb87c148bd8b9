from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.support.errors import UserError
from mlc.targets import weights
from mlc.targets.program import Weight


def test_equal_weights_are_stored_once(tmp_path: Path):
    ones, same = np.ones(4, np.float32), np.ones(4, np.float32)
    blobs = weights.collect([Weight("a", ones), Weight("b", np.zeros(4, np.float32)), Weight("c", same)])
    assert [blob.symbols for blob in blobs] == [("a", "c"), ("b",)]
    text = weights.assembly(blobs, tmp_path / "raw")
    assert text.count(".incbin") == 2
    assert (tmp_path / "raw").read_bytes() == ones.tobytes() + bytes(16)


def test_mapped_weights_are_read_from_their_file(tmp_path: Path):
    path = tmp_path / 'a "file"'
    np.arange(100, dtype=np.int32).tofile(path)
    mapped = np.memmap(path, np.int32, "r", 40, (3, 5))
    text = weights.assembly(weights.collect([Weight("w", mapped)]), tmp_path / "raw")
    assert f'.incbin "{tmp_path}/a \\"file\\"", 40, 60' in text
    assert (tmp_path / "raw").stat().st_size == 0


def test_views_of_a_mapping_are_copied(tmp_path: Path):
    """A view keeps the mapping's offset, which is not its own."""
    np.arange(100, dtype=np.int32).tofile(tmp_path / "file")
    view = np.memmap(tmp_path / "file", np.int32, "r")[10:13]
    weights.assembly(weights.collect([Weight("w", view)]), tmp_path / "raw")
    assert (tmp_path / "raw").read_bytes() == np.array([10, 11, 12], np.int32).tobytes()


def test_layout_in_memory(tmp_path: Path):
    arrays: list[Any] = [
        np.transpose([[0.0, 1, 2], [3, 4, 5]]).astype(np.float32, order="K"),
        np.array([1, 2], ">i4"),
        np.array([True, False]),
        np.array(7.0),
        np.zeros((0, 3), np.float32),
    ]
    text = weights.assembly(weights.collect([Weight(f"w{i}", a) for i, a in enumerate(arrays)]), tmp_path / "raw")
    expected = np.array([0, 3, 1, 4, 2, 5], "<f4").tobytes() + bytes([1, 0, 0, 0, 2, 0, 0, 0, 1, 0])
    assert (tmp_path / "raw").read_bytes() == expected + np.array(7.0).tobytes()
    assert '"w4":' in text


def test_too_many_bytes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(weights, "MAXIMUM_BYTES", 100)
    with pytest.raises(UserError, match="has 128 bytes of weights; one artifact holds at most 100: split the model"):
        weights.collect([Weight("w", np.zeros(16))])


def test_a_file_of_whole_pages_is_a_byte_longer(tmp_path: Path) -> None:
    for elements, size in ((1024, 4097), (1023, 4092)):
        array = np.arange(elements, dtype=np.float32)
        weights.assembly(weights.collect([Weight("w", array)]), tmp_path / "raw")
        assert (tmp_path / "raw").stat().st_size == size
