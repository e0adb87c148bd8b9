"""A name means one thing: classes, and public constants and aliases, are defined in one module of the package each."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_LEVELS = ("dialects", "pass_manager", "analysis", "polynomials", "schedules", "passes", "frontends", "compiler", "api")
_FOLDERS = (*_LEVELS, "nn", "plugins", "reference", "runtime", "support", "syntax", "targets", "testing", "tools")

_ALLOWED = {
    "Arguments": "each command of `mlc` has arguments of its own",
    "Attention": "the layer, and the schedule template of its kernels",
    "converts": "each source has the decorator of conversions, for its own operators",
    "MemRef": "the dialect, and the type of its values, as in xDSL",
    "SUFFIX": "each frontend says how the names of its files end",
    "STAGE": "each stage has a name in reports of bugs",
    "Tensor": "the dialect, and the type of its values, as in xDSL",
    "Vector": "the dialect, and the type of its values, as in xDSL",
}


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    """The names of top-level classes, and of public constants and aliases, and for an alias of types what it is."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            yield node.name, ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "TypeVar":
                continue
            alias = ast.unparse(node.value) if isinstance(node.value, ast.Subscript) else ""
            for target in targets:
                if isinstance(target, ast.Name) and not target.id.startswith("_"):
                    yield target.id, alias


def _is_op_of_dialect(path: Path, name: str) -> bool:
    """Whether this is a class that is always spelled with its dialect, such as `loop.ForOp` and `scf.ForOp`."""
    return path.parts[0] == "dialects" and name.endswith("Op")


def _several_meanings(files: dict[Path, str]) -> dict[str, list[str]]:
    """The modules that define a name, for names that several modules define differently."""
    modules: dict[str, list[tuple[Path, str]]] = defaultdict(list)
    for path, text in files.items():
        for name, alias in _definitions(text):
            if not _is_op_of_dialect(path, name):
                modules[name].append((path, alias))
    return {
        name: sorted({str(path) for path, _ in where})
        for name, where in modules.items()
        if len({path for path, _ in where}) > 1 and (len({alias for _, alias in where}) > 1 or not where[0][1])
    }


def _sources() -> dict[Path, str]:
    roots = [_ROOT / name for name in _FOLDERS]
    files = [file for root in roots for file in ([*root.rglob("*.py")] if root.is_dir() else [root.with_suffix(".py")])]
    return {file.relative_to(_ROOT): file.read_text(encoding="utf-8") for file in files}


def test_a_name_means_one_thing() -> None:
    files = _sources()
    assert len(files) > 300, "the package is somewhere else"
    found = _several_meanings(files)
    unknown = {name: where for name, where in found.items() if name not in _ALLOWED}
    assert not unknown, f"rename all but the most central one of each: {unknown}"
    assert not _ALLOWED.keys() - found.keys(), "these have one meaning now"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("class Window: ...", "class Window: ...", ["Window"]),
        ("ROWS = 2", "ROWS = 4", ["ROWS"]),
        ("ALIGNMENT = 64", "ALIGNMENT = 64", ["ALIGNMENT"]),
        ("Values = dict[int, str]", "Values = dict[int, str]", []),
        ("Shape = tuple[int, ...]", "Shape = list[int]", ["Shape"]),
        ("class Unit: ...", "Unit = tuple[int, int]", ["Unit"]),
        ("T = TypeVar('T')", "T = TypeVar('T', bound=int)", []),
        ("_LIMIT = 2", "_LIMIT = 3", []),
        ("class _Plan: ...", "class _Plan: ...", ["_Plan"]),
    ],
)
def test_what_is_found(first: str, second: str, expected: list[str]) -> None:
    assert sorted(_several_meanings({Path("passes/a.py"): first, Path("tools/b.py"): second})) == expected


def test_ops_are_spelled_with_their_dialect() -> None:
    files = {Path("dialects/loop/control.py"): "class ForOp: ...", Path("dialects/scf/for_.py"): "class ForOp: ..."}
    assert not _several_meanings(files)
