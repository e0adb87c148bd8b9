"""The text of every level comes back the same, pretty and generic, for both examples."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.ir_levels import LEVELS
from mlc.pass_manager.manager import PassManager
from mlc.syntax import print_module

DIGITS = Path(__file__).parents[2] / "examples" / "digits"


def _print(text: str, base: Path, generic: bool, level: str | None = None) -> str:
    ctx = new_context("x86-64-v3")
    module = parse_verified(text, "model.mlir", ctx, base)
    if level is not None:
        Compilation(module, ctx, CompileOptions(target="x86-64-v3"), PassManager(ctx)).lower(level)
    stream = io.StringIO()
    print_module(module, ctx, stream, generic=generic)
    return stream.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("model", ["mlp", "cnn"])
def test_a_printed_level_reads_back_the_same(model: str, level: str) -> None:
    source = (DIGITS / f"{model}.mlir").read_text()
    pretty = _print(source, DIGITS, False, level)
    generic = _print(pretty, DIGITS, True)
    assert _print(pretty, DIGITS, False) == pretty
    assert _print(generic, DIGITS, True) == generic
    assert _print(generic, DIGITS, False) == pretty
