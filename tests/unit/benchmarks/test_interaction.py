"""What measures how long people wait asks the language server as an editor does."""

from __future__ import annotations

import pytest

from mlc.benchmarks.editor_client import EditorClient
from mlc.benchmarks.interaction import main

pytest.importorskip("pygls", reason="needs pygls (pip install 'mlc[lsp]')")
TEXT = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"


def test_an_editor_is_played() -> None:
    with EditorClient(TEXT) as editor:
        editor.wait_for_errors()
        editor.insert(1, 0, "  %0 = graph.relu %x : tensor<4xf32>\n")
        editor.ask_as_after_a_keystroke(1, 10)
        editor.ask_as_after_a_keystroke(2, 3)
        assert "NaN stays NaN" in editor.hover(1, 12)["contents"]["value"]
        assert editor.hover(3, 0) is None
        assert 0 < editor.seconds_of_answering() < 60
        assert editor.peak_bytes() > 1e7


def test_a_server_that_ends_is_told() -> None:
    with pytest.raises(RuntimeError, match="the language server has ended"), EditorClient(TEXT) as editor:
        editor.wait_for_errors()
        editor.kill()
        editor.hover(0, 0)


@pytest.mark.slow
def test_a_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "reduce"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| planted miscompile")]
    assert "reduced from 1003 to 4 ops" in rows[0]
    assert "first wrong value: after pass 'drop-relu'" in rows[1]
