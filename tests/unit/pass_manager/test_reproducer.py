"""The names of reproducers: each says a content, and no file of another content is written over."""

from __future__ import annotations

from pathlib import Path

from mlc.pass_manager.reproducer import place_for


def test_a_file_for_each_content(tmp_path: Path) -> None:
    first = place_for("a", tmp_path)
    first.write_text("a")
    assert place_for("a", tmp_path) == first != place_for("b", tmp_path)


def test_what_a_person_changed_stays(tmp_path: Path) -> None:
    changed = place_for("a", tmp_path)
    for number in (2, 3):
        place_for("a", tmp_path).write_text(f"changed, {number}")
        assert place_for("a", tmp_path).name == f"{changed.stem}-{number}.mlir"
    assert changed.read_text() == "changed, 2"
