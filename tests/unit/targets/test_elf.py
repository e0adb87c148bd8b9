from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mlc.support.errors import CompilerBug
from mlc.targets.cache import Cache
from mlc.targets.elf import defined_symbols, localize_hidden, undefined_symbols
from mlc.targets.toolchain import find_clang, find_linker

_ASSEMBLY = """
.text
.globl entry
entry:
  .quad hidden_late - .
.globl hidden_early
.hidden hidden_early
hidden_early:
  .quad external - .
  .quad entry - .
.weak hidden_late
.hidden hidden_late
hidden_late:
  .quad hidden_early - .
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """An object whose symbol table has to be reordered when its hidden symbols become local."""
    clang = find_clang(None, Cache.default())
    command = [*clang.command, "--target=x86_64-linux-gnu", "-x", "assembler", "-c", "-", "-o", "example.o"]
    subprocess.run(command, input=_ASSEMBLY, text=True, check=True, cwd=tmp_path)
    return tmp_path / "example.o"


def test_symbols(example: Path):
    assert undefined_symbols(example) == {"external"}
    assert defined_symbols(example) == {"entry", "hidden_early", "hidden_late"}


@pytest.mark.parametrize("size", [0, 30, 64, 200, -1])
def test_an_object_that_was_cut_off(example: Path, size: int):
    example.write_bytes(example.read_bytes()[:size])
    with pytest.raises(CompilerBug, match="the object that clang wrote is damaged"):
        defined_symbols(example)


def test_hidden_symbols_become_local(example: Path, tmp_path: Path):
    """Relocations still mean the same: linking before and after gives the same code."""
    linker = find_linker("x86_64", None, Cache.default())

    def link() -> bytes:
        output = tmp_path / "linked"
        script = [
            *linker.command,
            "-e",
            "entry",
            "--defsym=external=0x1234",
            "--oformat=binary",
            "-Ttext=0x400000",
        ]
        subprocess.run([*script, str(example), "-o", str(output)], check=True)
        return output.read_bytes()

    before = link()
    localize_hidden(example)
    assert defined_symbols(example) == {"entry"}
    assert undefined_symbols(example) == {"external"}
    assert link() == before
