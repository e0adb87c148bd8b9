"""Renaming in the language server: dims of kernels, and new names that something else has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.renaming import why_taken
from tests.unit.tools.language_client import session

lsp = pytest.importorskip("lsprotocol.types", reason="needs pygls (pip install 'mlc[lsp]')")
rpc: Any = pytest.importorskip("pygls.exceptions", reason="needs pygls (pip install 'mlc[lsp]')")

_DIMS = """\
func.func private @a(%m: tensor<6x20xf32>, %w: tensor<20x4xf32>) -> tensor<6x4xf32>
    attributes {schedule = #loop.schedule<[tile(m, 4), unroll(mi), tile(mi, 2), unroll(mii), tile(n, 4), pack(m, k)]>} {
  // over (m: 6)
  %0 = tensor.contract %m[m, k], %w[k, n] over (m: 6, n: 4) reduce (k: 20)
      : tensor<6x20xf32>, tensor<20x4xf32> -> tensor<6x4xf32>
  %1 = tensor.map %0[m, n] over (m: 6, n: 4) {name = "over (m: 6)"} : tensor<6x4xf32> -> tensor<6x4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %1 : tensor<6x4xf32>
}
func.func private @b(%x: tensor<6xf32>) -> tensor<6xf32> {
  %1 = tensor.map %x[m] over (m: 6) : tensor<6xf32> -> tensor<6xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %1 : tensor<6xf32>
}
"""


def test_a_dim_is_what_has_its_name_in_a_function() -> None:
    text = AnalysedText(_DIMS, "text.mlir", Path())

    def places(at: str, skip: int) -> list[str]:
        token = text.token_at(_DIMS.index(at) + skip)
        assert token is not None
        return [_DIMS[place - 1 : place + 3] for place in text.places_of(token)]

    of_m = ["(m, ", "(mi)", "(mi,", "(mii", "[m, ", "(m: ", "[m, ", "(m: "]
    assert places("m, k]", 0) == places("(mii)", 1) == of_m
    assert places("%x[m]", 3) == ["[m] ", "(m: "]
    assert places("tile(m", 0) == []
    assert places("// over (m", 9) == []
    assert places("tensor.yield", 3) == []
    use, declared = text.token_at(_DIMS.index("[m, k]") + 1), _DIMS.index("over (m: 6, n: 4) reduce") + 6
    assert use is not None
    assert text.definition_of(use) == declared


def test_an_editor_renames_a_dim(tmp_path: Path) -> None:
    path = tmp_path / "text.mlir"
    path.write_text(_DIMS, encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        await client.next_told()
        document, line = lsp.TextDocumentIdentifier(uri), _DIMS.splitlines()[1]
        at = lsp.Position(1, line.index("mii"))

        async def rename(name: str) -> Any:
            return await client.text_document_rename_async(lsp.RenameParams(document, at, name))

        lines = _DIMS.splitlines(keepends=True)
        for edit in reversed((await rename("row")).changes[uri]):
            number, (start, end) = edit.range.start.line, (edit.range.start.character, edit.range.end.character)
            lines[number] = lines[number][:start] + edit.new_text + lines[number][end:]
        renamed = "".join(lines)
        assert "[tile(row, 4), unroll(rowi), tile(rowi, 2), unroll(rowii), tile(n, 4), pack(m, k)]" in renamed
        assert "%m[row, k], %w[k, n] over (row: 6, n: 4) reduce (k: 20)" in renamed
        assert renamed.endswith(_DIMS[_DIMS.index("func.func private @b") :])
        assert await rename("a-b") is None
        assert await rename("3") is None
        for name, why in (
            ("k", "'k' is another dim of this function"),
            ("ni", "'ni' would be a loop of the dim 'n'"),
        ):
            with pytest.raises(rpc.JsonRpcException, match=f"{why}; choose another name"):
                await rename(name)

    session(use, path)


_RENAMED = """\
#map = affine_map<(d0) -> (d0)>
#other = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  %y = scf.if %c -> (tensor<4xf32>) {
    %z = graph.relu %x : tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
^b:
  return %x : tensor<4xf32>
}
func.func @g(%w: tensor<4xf32>) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
"""


@pytest.mark.parametrize(
    ("at", "name", "why"),
    [
        ("%x", "c", "'%c' is another value of line 3"),
        ("%x", "z", "'%z' is another value of line 7"),
        ("%z", "x", "'%x' is another value of line 3"),
        ("%x", "w", None),
        ("%x", "x", None),
        ("^a", "b", "'^b' is another block of line 13"),
        ("^a", "a2", None),
        ("@f", "g", "'@g' is another symbol of this text"),
        ("@f", "f", None),
        ("#map", "other", "'#other' is another alias of this text"),
        ("#map", "map2", None),
    ],
)
def test_names_that_are_taken(at: str, name: str, why: str | None) -> None:
    text = AnalysedText(_RENAMED, "text.mlir", Path())
    assert text.errors == []
    token = text.token_at(_RENAMED.index(at))
    assert token is not None
    assert why_taken(text, token, name) == why
