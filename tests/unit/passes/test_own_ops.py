"""Passes make ops of mlc's classes where mlc has its own: those of xDSL print and verify something else."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.ir import Operation

from mlc.dialects.registry import registered_class

_ROOT = Path(__file__).parents[3]
_FOLDERS = ("analysis", "frontends", "pass_manager", "passes", "polynomials", "schedules", "support")
_FILES = sorted(p for folder in _FOLDERS for p in (_ROOT / folder).rglob("*.py"))


def _others(text: str) -> Iterator[tuple[int, str]]:
    """Lines of calls that make an op of a class of xDSL which mlc has a class of its own for."""
    tree = ast.parse(text)
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("xdsl.dialects"):
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    for node in ast.walk(tree):
        # Classes are also handed on to be called: `p(arith.SelectOp, …)`.
        if not isinstance(node, ast.Call) or _only_asks(node):
            continue
        for each in (node.func, *node.args):
            spelled = ast.unparse(each).removesuffix(".create").removesuffix(".build")
            head, _, rest = spelled.partition(".")
            if head in names and (kind := _class_of(f"{names[head]}.{rest}".rstrip("."))) is not None:
                ours = registered_class(kind)
                if ours is not kind:
                    yield node.lineno, f"{kind.__module__}.{kind.__name__}, required: {ours.__module__}.{ours.__name__}"


def _only_asks(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ("isinstance", "issubclass", "lowers", "evaluates")


def _class_of(path: str) -> type[Operation] | None:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    return found if isinstance(found, type) and issubclass(found, Operation) else None


@pytest.mark.parametrize("folder", _FOLDERS)
def test_ops_are_made_of_classes_of_mlc(folder: str) -> None:
    files = [p for p in _FILES if p.relative_to(_ROOT).parts[0] == folder]
    found = [f"{path.relative_to(_ROOT)}:{line}: {what}" for path in files for line, what in _others(path.read_text())]
    assert not found, "\n".join(found)


def test_such_calls_are_found() -> None:
    text = """
from xdsl.dialects import arith, scf
from xdsl.dialects.arith import SelectOp as Select
scf.ForOp(a, b, c, [], body)
arith.AddiOp(a, b)
Select.create(operands=[a])
isinstance(op, scf.ForOp)
p(arith.CmpfOp, x, y)
"""
    assert [line for line, _ in _others(text)] == [4, 6, 8]
