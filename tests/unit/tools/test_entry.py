"""Ctrl-C while a command line starts, works and ends: no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import os, signal, sys
sys.argv[1:] = ["--version"]

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

{before}
from mlc.tools.entry import {tool}
sys.meta_path.insert(0, Interrupt())
{patch}
status = {tool}()
{after}
sys.exit(status)
"""


def _run(**parts: str) -> subprocess.CompletedProcess[str]:
    filled = {"module": "", "before": "", "patch": "", "after": "", "tool": "mlc"} | parts
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(**filled)], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("tool", ["mlc", "mlc_opt"])
@pytest.mark.parametrize("module", ["mlc.tools.driver", "mlc.support.errors", "argparse"])
def test_while_modules_are_imported_it_ends_the_process(tool: str, module: str) -> None:
    result = _run(tool=tool, module=module)
    assert (result.returncode, result.stdout, result.stderr) == (-signal.SIGINT, "", "")


def test_while_a_command_works_it_is_told() -> None:
    result = _run(patch="import mlc.tools.mlc as m; m._run = lambda argv: os.kill(os.getpid(), signal.SIGINT)")
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "\nmlc: interrupted\n")


@pytest.mark.parametrize("module", ["numpy", "numpy._core.multiarray", "datetime"])
def test_while_a_command_imports_it_ends_the_process(module: str, tmp_path: Path) -> None:
    """Of an exception in the middle of them, modules in C print a traceback or make another one."""
    model = tmp_path / "model.mlir"
    model.write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
    result = _run(tool="mlc_opt", module=module, patch=f"sys.argv[1:] = [{str(model)!r}, '-O1', '-o', os.devnull]")
    assert (result.returncode, result.stdout, result.stderr) == (-signal.SIGINT, "", "")


def test_behind_a_command_it_ends_the_process() -> None:
    result = _run(after="os.kill(os.getpid(), signal.SIGINT)")
    assert (result.returncode, result.stderr) == (-signal.SIGINT, "")


def test_where_it_is_ignored_it_stays_ignored() -> None:
    result = _run(before="signal.signal(signal.SIGINT, signal.SIG_IGN)", module="mlc.tools.driver")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("mlc ")


def test_importing_the_package_changes_nothing() -> None:
    program = "import signal, mlc, mlc.tools.mlc; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "True\n"


def test_the_entry_imports_next_to_nothing() -> None:
    program = """import sys
before = set(sys.modules)
import mlc.tools.entry
print(sorted(set(sys.modules) - before))"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "['gc', 'mlc', 'mlc.tools', 'mlc.tools.entry']\n"


@pytest.mark.parametrize("command", ["mlc-opt", "mlc"])
def test_a_version_costs_no_compiler(command: str) -> None:
    """`--version`, `--help` and completion are answered without xDSL and NumPy, which take most of a start."""
    program = f"""import sys
from mlc.tools.entry import {command.replace("-", "_")} as start
sys.argv = [{command!r}, "--version"]
try:
    start()
except SystemExit:
    pass
print(sorted({{m.partition(".")[0] for m in sys.modules}} & {{"xdsl", "numpy", "lark"}}))"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


_ENDING = """import atexit, sys, threading
atexit.register(lambda: print("temporary files go"))
{before}
from mlc.tools.entry import start_mlc_opt
sys.argv = ["mlc-opt", {argument!r}]
status = start_mlc_opt()
print("Python ends the process")
sys.exit(status)
"""


@pytest.mark.parametrize(
    ("argument", "before", "status", "output"),
    [
        ("--version", "", 0, ["temporary files go"]),
        ("nothing.mlir", "", 1, ["temporary files go"]),
        (
            "--version",
            "threading.Thread(target=threading.Event().wait, args=(0.5,)).start()",
            0,
            ["Python ends the process", "temporary files go"],
        ),
    ],
)
def test_the_script_ends_the_process(argument: str, before: str, status: int, output: list[str]) -> None:
    program = _ENDING.format(argument=argument, before=before)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == status
    assert [line for line in result.stdout.splitlines() if not line.startswith("mlc-opt ")] == output


def test_what_cannot_be_written_at_the_end_is_told() -> None:
    program = "import sys; from mlc.tools.entry import start_mlc_opt; sys.argv[1:] = ['--version']; start_mlc_opt()"
    with Path("/dev/full").open("w") as full:
        result = subprocess.run([sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode != 0 and b"No space left" in result.stderr
