"""An option of a pass is a field, and the stage of the pass that takes it: nothing else has to be said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_FIELD = """\
    tries: int = option(
        4, Choice("number", "how often products are looked at (4)", "a whole number, at least 2", metavar="N", least=2)
    )

    def check(self) -> None:
"""
_STAGE = '"merge-products{threads=$threads}"'
_STAGE_WITH_IT = '"merge-products{threads=$tries}"'
_QUESTIONS = """\
import contextlib, io, json, sys
from importlib.util import find_spec

from mlc.compiler.options import FRAMEWORK_OPTIONS, CompileOptions, options_of_python
from mlc.docs.generate_options import page
from mlc.support.errors import UserError
from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments
from mlc.tools.driver import ArgumentParser

def why_not(act):
    try:
        act()
    except UserError as error:
        return str(error)

def printed(main, *words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        with contextlib.suppress(SystemExit):
            main(words)
    return out.getvalue()

def framework(name):
    if name == "torch":
        from mlc.frameworks.torch._build import compile_options
        return compile_options({"tries": 5}).tries
    import mlc.jax
    return mlc.jax.jit(lambda x: x, tries=5) is not None

parser = ArgumentParser("mlc", "")
add_compile_arguments(parser)
from mlc.tools import mlc_opt
answers = {
    "flag": parser.parse_args(["--tries", "5"], CompileArguments()).options.tries,
    "python": options_of_python({"tries": 5}).tries,
    "key": CompileOptions(tries=5).identity != CompileOptions().identity,
    "page": "| `--tries` | `tries` | a whole number, at least 2; default `4` | yes | how often" in page(),
    "wrong": why_not(lambda: options_of_python({"tries": 1})),
    "pipeline": "merge-products{threads=5}" in printed(mlc_opt.main, "-O2", "--tries=5", "--print-pipeline"),
    "without -O": printed(mlc_opt.main, "--tries=5", "--print-pipeline"),
    "frameworks": "tries" in FRAMEWORK_OPTIONS,
    **{name: framework(name) for name in ("torch", "jax") if find_spec(name)},
}
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a compiler says that has one more option."""
    root = tmp_path_factory.mktemp("sources") / "mlc"
    root.mkdir()
    for entry in _ROOT.iterdir():
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if entry.name == "pass_manager":
            shutil.copytree(entry, root / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (root / entry.name).symlink_to(entry)
    for name, old, new in (
        ("pipeline_options.py", "    def check(self) -> None:\n", _FIELD),
        ("pipeline.py", _STAGE, _STAGE_WITH_IT),
    ):
        file = root / "pass_manager" / name
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _QUESTIONS],
        env={**os.environ, "PYTHONPATH": str(root.parent), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=root.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_arrives_in_the_pipeline(answers: dict[str, Any]) -> None:
    assert answers["pipeline"]


def test_commands_and_python_take_it(answers: dict[str, Any]) -> None:
    assert (answers["flag"], answers["python"]) == (5, 5)
    assert answers["wrong"].endswith("found tries 1; required: a whole number, at least 2")
    assert answers["without -O"] == (
        "mlc-opt: error: --tries 5 is for the default pipeline: add one of -O0 to -O3, or give it to a pass: "
        "--merge-products=threads=5\n"
    )


def test_frameworks_take_it(answers: dict[str, Any]) -> None:
    assert answers["frameworks"]
    assert {name: answers[name] for name in ("torch", "jax") if find_spec(name)} == {
        name: value for name, value in (("torch", 5), ("jax", True)) if find_spec(name)
    }


def test_keys_and_the_page_have_it(answers: dict[str, Any]) -> None:
    assert answers["key"] and answers["page"]
