from __future__ import annotations

import errno
from pathlib import Path

import pytest

from mlc.support.errors import UserError
from mlc.targets.output import staged_output


def test_the_file_appears_at_the_end(tmp_path: Path):
    output = tmp_path / "model.so"
    output.write_text("old")
    with staged_output(output) as staged:
        staged.write_text("new")
        assert output.read_text() == "old"
    assert output.read_text() == "new"
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError()])
def test_nothing_is_left_of_a_failure(tmp_path: Path, error: BaseException):
    with pytest.raises(type(error)), staged_output(tmp_path / "model.so") as staged:
        staged.write_text("half")
        raise error
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk(tmp_path: Path):
    with (
        pytest.raises(UserError, match=r"cannot write '.*model.so': No space left on device"),
        staged_output(tmp_path / "model.so"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_written_not_replaced():
    with (
        pytest.raises(UserError, match="cannot write '/dev/full': No space left on device"),
        staged_output(Path("/dev/full")) as staged,
    ):
        staged.write_text("text")
    assert Path("/dev/full").is_char_device()


def test_a_link_is_followed(tmp_path: Path):
    (tmp_path / "link").symlink_to("target")
    with staged_output(tmp_path / "link") as staged:
        staged.write_text("text")
    assert (tmp_path / "target").read_text() == "text" and (tmp_path / "link").is_symlink()


def test_places_that_cannot_be_written(tmp_path: Path):
    with pytest.raises(UserError, match="it is a folder; name a file in it"), staged_output(tmp_path):
        pass
    with (
        pytest.raises(UserError, match=r"the folder '.*/nowhere' does not exist"),
        staged_output(tmp_path / "nowhere/f"),
    ):
        pass
