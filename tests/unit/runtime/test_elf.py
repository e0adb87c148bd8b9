"""The sections of a shared library, and what is said of damaged ones."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import mlc
from mlc.runtime.elf import Damaged, NotALibrary, section_sizes

MODEL = """\
func.func @main(%x: tensor<4x32xf32>) -> tensor<4x64xf32> {
  %w = graph.constant dense<0.25> : tensor<32x64xf32>
  %0 = graph.matmul %x, %w : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
"""
_SECTION_TABLE, _COUNT, _NAMES = 40, 60, 62
"""Where a header says where the table of sections is, how many there are, and which has their names."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("elf") / "model.so"
    mlc.compile(MODEL).save(path)
    return path


def test_sections_and_symbols(library: Path) -> None:
    sections = {each.name: each for each in section_sizes(library)}
    assert sections[".text"].is_loaded and sections[".text"].is_stored
    assert not sections[".symtab"].is_loaded
    named = {symbol.name: symbol.bytes for symbol in sections[".text"].symbols}
    assert "mlc_main" in named and any("matmul" in name for name in named)
    assert sum(named.values()) <= sections[".text"].bytes
    assert sum(each.bytes for each in sections.values() if each.is_stored) < library.stat().st_size


@pytest.mark.parametrize(
    ("place", "form", "value", "message"),
    [
        (_SECTION_TABLE, "<Q", 0, "its table of sections is missing"),
        (_SECTION_TABLE, "<Q", 1 << 40, "a table of sections ends at byte"),
        (_NAMES, "<H", 999, "its sections have no names"),
        (_COUNT, "<H", 9999, "a table of sections ends at byte"),
    ],
)
def test_damaged_headers(library: Path, tmp_path: Path, place: int, form: str, value: int, message: str) -> None:
    data = bytearray(library.read_bytes())
    struct.pack_into(form, data, place, value)
    (tmp_path / "model.so").write_bytes(data)
    with pytest.raises(Damaged, match=message):
        section_sizes(tmp_path / "model.so")


def test_what_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "model.so").write_bytes(b"text" * 100)
    with pytest.raises(NotALibrary, match="not an ELF file"):
        section_sizes(tmp_path / "model.so")
