"""`mlc explain model.gguf --per-token`: what a token costs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("gguf")

from mlc.tests.numeric.gguf.tiny_models import write_model
from mlc.tools import token_ledger

from .programs import ELSEWHERE

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_CONTEXT = 96


@pytest.fixture
def model(tmp_path: Path) -> str:
    write_model(path := tmp_path / "model.gguf", "llama", "Q4_0", context=_CONTEXT)
    return str(path)


def _row(shown: str, name: str) -> list[str]:
    return re.search(rf"^{name} +(.*)$", shown, re.MULTILINE)[1].split()  # type: ignore[index]


@pytest.mark.slow
def test_bytes_and_multiply_adds(model: str, mlc: CommandLine) -> None:
    """Of a machine that is not here: cycles, and no measurement."""
    shown = mlc("explain", model, "--per-token", ELSEWHERE).out
    assert mlc("explain", model, ELSEWHERE).out == shown != mlc("explain", model, ELSEWHERE, "--estimates").out
    assert shown.startswith("one token, with 48 in caches for 96\n")
    square, layers, heads, size = 128 * 128, 2, 2, 32
    weights = layers * (square // 2 + square // 32 * 4)
    assert _row(shown, "scaled_matmul")[:3] == ["2", f"{weights / 1000:.3g}k", "0"]
    assert _row(shown, "attention")[:3] == ["2", "0", f"{layers * 2 * heads * size * 4 * 49 / 1000:.3g}k"]
    assert _row(shown, "scatter_nd")[:3] == ["2", "0", f"{layers * (heads * size * 4 + 8)}"]
    assert _row(shown, "gather")[:2] == ["1", "128"], "a row of the table"
    lengths = re.findall(r"^ +(\d+) +([\d.]+)k +[\d,]+ cycles$", shown, re.MULTILINE)
    assert [int(held) for held, _ in lengths] == [0, 24, 48, 95]
    each = layers * 2 * heads * size * 4 / 1000
    assert abs(float(lengths[-1][1]) - float(lengths[0][1]) - 95 * each) < 2
    assert "tokens/s" not in shown
    assert f"Caches take {layers * 2 * heads * size * 4 / 1000:.3g} kB for a token, 98.3 kB for 96." in shown


@pytest.mark.slow
def test_windows(mlc: CommandLine, tmp_path: Path) -> None:
    """Two of three layers see the last 6 places, as far as that many are filled; one head of 64 elements."""
    write_model(path := tmp_path / "gemma3.gguf", "gemma3", "Q4_0", context=_CONTEXT)
    place, shown = 2 * 64 * 4, mlc("explain", str(path), "--per-token", ELSEWHERE).out
    found = sorted(re.findall(r"^attention\S* +(\d) +0 +([\d.]+)k ", shown, re.MULTILINE))
    assert found == [("1", f"{49 * place / 1000:.3g}"), ("2", f"{2 * 6 * place / 1000:.3g}")]
    bytes_of = dict(re.findall(r"^ +(\d+) +([\d.]+)k +[\d,]+ cycles$", shown, re.MULTILINE))
    grown = [float(bytes_of["95"]) - float(bytes_of["48"]), float(bytes_of["24"]) - float(bytes_of["0"])]
    assert abs(grown[0] - 47 * place / 1000) < 2 and abs(grown[1] - (24 + 2 * 5) * place / 1000) < 2


@pytest.mark.slow
def test_times(model: str, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_ledger, "_SECONDS", 0.02)
    shown = mlc("explain", model, "--per-token", "--shape", "context=40").out
    assert shown.startswith("one token, with 20 in caches for 40\n")
    assert re.search(r"^between them .* +\d+%$", shown, re.MULTILINE)
    assert re.search(r"^model .* 100%$", shown, re.MULTILINE)
    assert len(re.findall(r"^ +\d+ .* tokens/s of [\d.]+$", shown, re.MULTILINE)) == 4
    assert re.search(r"which have to come from L\d, at [\d.]+ [GT]B/s", shown)


def test_user_errors(model: str, mlc: CommandLine, tmp_path: Path) -> None:
    text = tmp_path / "model.mlir"
    text.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    for arguments, words in (
        ((str(text),), f"found --per-token with '{text}'; required: a language model in a file of GGUF"),
        (
            (model, "attention"),
            "found --per-token with a kernel, --estimates or --compare; required: --per-token alone",
        ),
        ((model, "--shape", "n=4"), "found --shape of something else than 'context'; required: --shape context=N"),
    ):
        result = mlc("explain", *arguments, "--per-token")
        assert result.status == 1 and words in result.err
