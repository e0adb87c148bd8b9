"""`mlc completion`: the scripts, asked as the shells ask them."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mlc.pass_manager.registry import pass_names
from mlc.targets.machine import available_targets
from mlc.tools.mlc import COMMANDS

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_TARGETS = [machine.name for machine in available_targets()]
CASES = [
    ("mlc ", list(COMMANDS)),
    ("mlc comp", ["compile", "completion"]),
    ("mlc compile --em", ["--emit"]),
    ("mlc compile m.mlir --target neo", [t for t in _TARGETS if t.startswith("neo")]),
    ("mlc run --check-l", ["--check-labels"]),
    ("mlc new pa", ["pass"]),
    ("mlc cache tr", ["trim"]),
    ("mlc-opt --fuse-", [f"--{name}" for name in pass_names() if name.startswith("fuse-")]),
    ("mlc-opt --emit llv", ["llvm-ir"]),
]


def _script(shell: str, folder: Path, mlc: CommandLine) -> str:
    """The file of the script, as a word of the shell."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    result = mlc("completion", shell)
    assert (result.status, result.err) == (0, "")
    (folder / "script").write_text(result.out)
    return shlex.quote(str(folder / "script"))


def _ask(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(
    ("line", "expected"),
    [*CASES, ("mlc compile --emit =ob", ["obj"]), ("mlc compile -o mo", []), ("mlc compile --emit =", None)],
)
def test_bash(line: str, expected: list[str] | None, tmp_path: Path, mlc: CommandLine) -> None:
    """bash's words: `--emit=ob` are three."""
    script = _script("bash", tmp_path, mlc)
    words = line.replace("=", "= ").split(" ") if not line.endswith("=") else line.split(" ")
    ask = f"source {script}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; "
    call = f'_{words[0].replace("-", "_")}_complete; echo "${{COMPREPLY[@]}}"'
    found = _ask("bash", "--norc", "-c", ask + call).split()
    assert found == expected if expected is not None else "obj" in found


def test_bash_as_zsh_calls_it(tmp_path: Path, mlc: CommandLine) -> None:
    script = _script("bash", tmp_path, mlc)
    ask = f"source {script}; COMP_WORDS=(mlc compile --emit=ob); COMP_CWORD=2; _mlc_complete; echo ${{COMPREPLY[@]}}"
    assert _ask("bash", "--norc", "-c", ask) == "--emit=obj\n"


def test_zsh(tmp_path: Path, mlc: CommandLine) -> None:
    script = _script("zsh", tmp_path, mlc)
    ask = f"autoload -U compinit && compinit -u -D; source {script}; print $_comps[mlc] $_comps[mlc-opt]"
    assert _ask("zsh", "-f", "-c", ask) == "_bash_complete -o default -F _mlc_complete " + (
        "_bash_complete -o default -F _mlc_opt_complete\n"
    )


@pytest.mark.parametrize(("line", "expected"), [*CASES, ("mlc compile --emit=ob", ["--emit=obj"])])
def test_fish(line: str, expected: list[str], tmp_path: Path, mlc: CommandLine) -> None:
    script = _script("fish", tmp_path, mlc)
    ask = f"source {script}; complete -C {shlex.quote(line)}"
    found = [row.split("\t")[0] for row in _ask("fish", "--no-config", "-c", ask).splitlines()]
    assert sorted(found) == sorted(expected)


def test_every_command_is_known(mlc: CommandLine) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert all(name in mlc("completion", shell).out for name in (*COMMANDS, "print-op-generic"))
    assert "found 'tcsh' as shell; it is one of bash, fish, zsh" in mlc("completion", "tcsh").err
