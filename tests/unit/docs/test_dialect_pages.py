"""The reference pages say what the op definitions say, and their examples are IR that parses, verifies and prints."""

from __future__ import annotations

import io
import re
import runpy
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap
from xdsl.parser import Parser

from mlc.compiler.compilation import new_context
from mlc.dialects.registry import dialect_names, load_dialect
from mlc.support.context import CompilerContext
from mlc.syntax import parse_module, print_module, verify_module

_DOCS = Path(__file__).resolve().parents[3] / "docs"
_HELD = (bool, int, float, str, tuple, Enum, AffineMap)
_SECTION = re.compile(r"^## `#?([\w.]+)`\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^```mlir\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ACCESS = re.compile(r"^\| (\w+) \| `\w+` \| .* \| `(op\.(\w+).*)` \|$", re.MULTILINE)
_RESOURCE = re.compile(r"dense_resource<([\w.]+)> : tensor<((?:\d+x)*)f32>")


def _generated() -> dict[str, str]:
    """The pages as docs/generate.py makes them now."""
    return cast("dict[str, str]", runpy.run_path(str(_DOCS / "generate.py"))["pages"]())


def _examples() -> Iterator[tuple[str, str]]:
    """The op or attribute, and the text, of each example on a page."""
    for page in sorted((_DOCS / "dialects").glob("*.md")):
        for name, section in _SECTION.findall(page.read_text(encoding="utf-8")):
            for example in _EXAMPLE.findall(section):
                yield name, example


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return _generated()


@pytest.mark.parametrize("name", dialect_names())
def test_page_is_up_to_date(name: str, generated: dict[str, str]) -> None:
    page = _DOCS / "dialects" / f"{name}.md"
    assert page.exists(), "run: python docs/generate.py"
    assert page.read_text(encoding="utf-8") == generated[page.name], "run: python docs/generate.py"


def test_there_are_no_other_pages(generated: dict[str, str]) -> None:
    assert {p.name for p in (_DOCS / "dialects").iterdir()} == set(generated)


@pytest.mark.parametrize("name", dialect_names())
def test_every_op_has_an_example_of_itself(name: str) -> None:
    examples = list(_examples())
    for op in load_dialect(name).operations:
        # The classes that nobody wrote, those of ONNX's operators, are made from lists.
        if op.__module__.startswith("mlc.") and hasattr(sys.modules[op.__module__], op.__name__):
            assert op.__doc__, f"{op.name} has no docstring"
            shown = [text for subject, text in examples if subject == op.name]
            assert any(op.name in text for text in shown), f"{op.name} has no example of itself"


@pytest.mark.parametrize(("name", "text"), [pytest.param(*example, id=example[0]) for example in _examples()])
def test_example_parses_verifies_and_prints(name: str, text: str) -> None:
    if name.startswith("aten."):
        pytest.importorskip("torch")  # which has the schemas of its operators
    ctx = new_context()
    program = complete(text, ctx)
    module = parse_module(program, "example.mlir", ctx)
    verify_module(module)
    for generic in (False, True):
        again = parse_module(_print(module, ctx, generic), "printed.mlir", ctx)
        verify_module(again)
        assert _print(again, ctx) == _print(module, ctx)


@pytest.mark.parametrize("name", dialect_names())
def test_what_stands_in_an_op_is_read_as_the_page_says(name: str) -> None:
    """Of each op in the examples: values are values, and what a property holds is what Python computes with."""
    if name == "aten":
        pytest.importorskip("torch")
    page = (_DOCS / "dialects" / f"{name}.md").read_text(encoding="utf-8")
    for subject, section in _SECTION.findall(page):
        for text in _EXAMPLE.findall(section):
            ctx = new_context()
            module = parse_module(complete(text, ctx), "example.mlir", ctx)
            for op in (each for each in module.walk() if each.name == subject):
                for role, words, field in _ACCESS.findall(section):
                    if getattr(op, field) is not None:
                        found = eval(words, {"op": op})
                        plain = words == f"op.{field}"
                        assert plain or isinstance(found, _HELD), f"{words} is {found!r}"
                        assert plain or role == "property"


def complete(text: str, ctx: CompilerContext) -> str:
    """Make a program of an example: what it uses and does not define becomes arguments of a function around it.

    The types of these values are those with which the text uses them, so an example needs no declarations; data
    that it names is zeros. Examples that define functions or globals are programs already.
    """
    parser = Parser(ctx, text)
    ops: list[Operation] = []
    while (op := parser.parse_optional_operation()) is not None:
        ops.append(op)
    for name, shape in _RESOURCE.findall(text):
        ctx.resources.define(name, np.zeros([int(n) for n in shape.split("x")[:-1]], np.float32))
    if any("sym_name" in op.properties for op in ops):
        return text
    free = {name: uses[0].type for name, uses in parser.forward_ssa_references.items()}
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in free.items())
    return f"func.func @example({arguments}) {{\n{text}  return\n}}\n"


def _print(module: ModuleOp, ctx: CompilerContext, generic: bool = False) -> str:
    stream = io.StringIO()
    print_module(module, ctx, stream, generic=generic)
    return stream.getvalue()
