"""An option is declared once: command lines, Python, frameworks, keys and the documentation have each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import mlc
from mlc.compiler.options import (
    FRAMEWORK_OPTIONS,
    OPTIONS,
    CompileOptions,
    PythonOptions,
    default_of,
    options_of_python,
)
from mlc.docs.generate_options import FILE, page
from mlc.tools.compile_arguments import CompileArguments, add_compile_arguments, flag_of
from mlc.tools.driver import ArgumentParser

OTHERS: dict[str, Any] = {
    "target": "x86-64-v3",
    "threads": 2,
    "opt_level": 1,
    "accuracy": "fast",
    "precision": "bf16",
    "caches": "f16",
    "cc": "clang-99",
    "records": "records.jsonl",
    "instrument": "kernels",
    "debug_info": "loops",
}
"""A value for each option that is not its default."""


def test_types_are_said_of_all() -> None:
    assert list(PythonOptions.__annotations__) == list(OPTIONS) == list(OTHERS)


@pytest.mark.parametrize("name", OPTIONS)
def test_command_lines_take_it(name: str) -> None:
    parser = ArgumentParser("mlc", "")
    add_compile_arguments(parser)
    given = parser.parse_args([flag_of(name), str(OTHERS[name])], CompileArguments())
    assert getattr(given.options, name) == OTHERS[name]
    assert replace(given.options, **{name: default_of(name)}) == CompileOptions()
    assert given.given() == [flag_of(name)]
    assert given.spelled() == [f"{flag_of(name)} {OTHERS[name]}"]


def test_spelled_options_have_no_path() -> None:
    arguments = CompileArguments(chosen={"cc": "/home/me/clang-99"}, shape=["model/x:0=1,2"], timing=True)
    arguments.load_pass = ["/home/me/a.py", "b.py"]
    expected = ["--cc clang-99", "--load-pass a.py", "--load-pass b.py", "--timing", "--shape model/x:0=1,2"]
    assert sorted(arguments.spelled()) == sorted(expected)


@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in ("cc", "records")])
def test_python_takes_it(name: str) -> None:
    assert getattr(options_of_python({name: OTHERS[name]}), name) == OTHERS[name]
    with pytest.raises(TypeError, match=f"found {name}=.*; required: {OPTIONS[name].required}"):
        options_of_python({name: 1.5})


def test_python_takes_nothing_else() -> None:
    with pytest.raises(
        TypeError, match=r"compile\(\) got an unexpected keyword argument 'opt'; its options are target,"
    ):
        mlc.compile("model.mlir", opt=3)  # pyright: ignore[reportCallIssue]


def test_none_stands_for_the_default_where_that_is_none() -> None:
    assert options_of_python({"cc": None, "records": None}) == CompileOptions()
    with pytest.raises(TypeError, match="found threads=None"):
        options_of_python({"threads": None})


def test_frameworks_take_what_says_how() -> None:
    assert FRAMEWORK_OPTIONS == ("target", "threads", "opt_level", "accuracy", "precision", "cc")


@pytest.mark.parametrize("name", OPTIONS)
def test_keys_know_it(name: str) -> None:
    """By its value, or by the contents of what it names: the machine, clang, records."""
    differs = CompileOptions(**{name: OTHERS[name]}).identity != CompileOptions().identity
    assert differs != OPTIONS[name].known_by_contents


def test_the_page_lists_all() -> None:
    assert FILE.read_text(encoding="utf-8") == page(), "python docs/generate_options.py writes it again"
