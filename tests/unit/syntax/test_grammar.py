"""The grammar of the loaded dialects: formats, hand-over, and the cache of its tables."""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path

import pytest
from xdsl.dialects.arith import AddfOp, Arith, CmpiOp
from xdsl.dialects.func import Func
from xdsl.dialects.memref import LoadOp, SubviewOp

from mlc.syntax import cache, grammar
from mlc.syntax.formats import grammar_of
from mlc.syntax.tables import Tables

from .conftest import Syntax

TEXT = "func.func @f(%a: f32) -> f32 {\n  %b = arith.addf %a, %a : f32\n  return %b : f32\n}"


def test_a_format_is_an_alternative() -> None:
    part = grammar_of(LoadOp)
    assert part is not None
    assert part.alternative.split() == (
        [
            "|",
            "OP__MEMREF__LOAD",
            "operand",
            '"["',
            "operands_opt",
            '"]"',
            "attr_dict_opt",
            '":"',
            "type",
            "->",
            "op__memref__load",
        ]
    )


def test_an_optional_group_is_a_rule() -> None:
    part = grammar_of(AddfOp)
    assert part is not None
    assert part.rules[0].startswith('group__arith__addf__0: "fastmath" DIRECTIVE__ARITH__ADDF__0 -> group_taken')
    assert part.terminals == ["OP__ARITH__ADDF", "DIRECTIVE__ARITH__ADDF__0"]


def test_what_is_handed_over() -> None:
    assert CmpiOp not in grammar.formatted_operations(Arith)  # has a hand-written parser
    assert grammar_of(SubviewOp) is None  # has a custom directive


def test_only_named_dialects_are_loaded(syntax: Syntax) -> None:
    syntax.parse(TEXT)
    assert {d.name for d in syntax.ctx.loaded_dialects} == {"builtin", "func", "arith"}


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, on disk and in the process."""
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(grammar, "_in_process", {})
    return tmp_path / "cache"


def test_tables_are_kept_on_disk(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = grammar.tables_for([Arith, Func])
    assert len([*(cache_folder / "grammar").iterdir()]) == 1
    monkeypatch.setattr(grammar, "_in_process", {})
    monkeypatch.setattr(grammar, "_build_and_store", None)
    assert grammar.tables_for([Func, Arith]).rows == tables.rows


@pytest.mark.parametrize("damage", [b"", b"rubbish", None])
def test_a_damaged_entry_is_rebuilt(damage: bytes | None, cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grammar.tables_for([])
    (entry,) = (cache_folder / "grammar").iterdir()
    good = entry.read_bytes()
    entry.write_bytes(good[:-10] if damage is None else damage)
    monkeypatch.setattr(grammar, "_in_process", {})
    grammar.tables_for([])
    assert Tables.from_data(cache.load(entry.name)) == grammar.tables_for([])


def test_a_folder_in_the_place_of_an_entry_is_replaced(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grammar.tables_for([])
    (entry,) = (cache_folder / "grammar").iterdir()
    entry.unlink()
    (entry / "inside").mkdir(parents=True)
    monkeypatch.setattr(grammar, "_in_process", {})
    grammar.tables_for([])
    assert entry.is_file()


class _Attack:
    """What a pickle would run when it is read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("pickle-was-run",)


@pytest.mark.parametrize("body", [pickle.dumps(_Attack()), b"[1, 2]", b"[" * 100_000, b'{"rows": 1}', b"null"])
def test_entries_are_data(body: bytes, cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry with the right digest, of whatever contents, runs nothing and does no harm."""
    monkeypatch.chdir(tmp_path)
    grammar.tables_for([])
    (entry,) = (cache_folder / "grammar").iterdir()
    entry.write_bytes(hashlib.sha256(body).digest() + body)
    monkeypatch.setattr(grammar, "_in_process", {})
    tables = grammar.tables_for([])
    assert Tables.from_data(cache.load(entry.name)) == tables
    assert not Path("pickle-was-run").exists()


def test_an_entry_of_other_contents_is_none(cache_folder: Path) -> None:
    cache.store("ab" * 16, [1, 2])
    entry = cache_folder / "grammar" / ("ab" * 16)
    assert cache.load("ab" * 16) == [1, 2]
    entry.write_bytes(entry.read_bytes().replace(b"[1,2]", b"[1,3]"))
    assert cache.load("ab" * 16) is None


def test_an_unwritable_cache_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(grammar, "_in_process", {})
    assert Syntax().parse(TEXT)


def test_hand_written_syntax_shares_names_and_aliases(syntax: Syntax) -> None:
    text = """\
!vec = vector<4xf32>
func.func @f(%n: index, %init: !vec) -> !vec {
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %init) -> (!vec) {
    %c = arith.constant dense<0x7F800000> : !vec
    %s = arith.addf %acc, %c : !vec
    scf.yield %s : !vec
  }
  %g = llvm.mlir.constant(dense<0xFF800000> : vector<8xf32>) : vector<8xf32>
  return %r : !vec
}
"""
    printed = syntax.print(syntax.parse(text))
    assert "dense<0x7f800000> : vector<4xf32>" in printed
    assert "dense<0xff800000> : vector<8xf32>" in printed
