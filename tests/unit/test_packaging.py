"""The repository root is the package `mlc`: the package list has to equal the folders on disk."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_NOT_PACKAGES = {"tests", "docs", "examples", "benchmarks", "build", "dist"}
_MAX_LINES = 400


def _sources() -> list[Path]:
    """Every Python file of the package, without tests."""
    tops = [p for p in _ROOT.iterdir() if p.is_dir() and not p.name.startswith(".") and p.name not in _NOT_PACKAGES]
    return [*_ROOT.glob("*.py"), *(f for top in tops for f in top.rglob("*.py"))]


def test_package_list_equals_folders() -> None:
    text = (_ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^packages = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)
    assert block is not None
    listed = set(re.findall(r'"([\w.]+)"', block[1]))
    on_disk = {".".join(("mlc", *f.parent.relative_to(_ROOT).parts)) for f in _sources()}
    assert listed == on_disk


def test_packages_are_imported_by_full_name() -> None:
    tops = {f.parent.relative_to(_ROOT).parts[0] for f in _sources() if f.parent != _ROOT}
    tops |= {f.stem for f in _ROOT.glob("*.py")} - {"__init__"}
    for path in _sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}:{node.lineno}: relative import"
            for name in [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]:
                assert name.partition(".")[0] not in tops, f"{path}:{node.lineno}: import mlc.{name}, not {name}"


_EVERYTHING = {"tools", "testing", "benchmarks"}
"""What may import everything: nothing that is compiled depends on it."""


def test_folders_import_what_the_architecture_says() -> None:
    """The last column of the table of folders names all that a folder, or a file of the root, imports.

    Rows stand in the order of layers: each imports from rows above it alone. Imports inside functions count.
    """
    text = (_ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    said = dict(re.findall(r"^\| `(\w+)(?:/|\.py)` \|.*\| ([\w, ]+) \|$", text, re.MULTILINE))
    found: dict[str, set[str]] = {}
    for path in _sources():
        name, *rest = path.relative_to(_ROOT).with_suffix("").parts
        imported = re.findall(
            r"^ *(?:from|import) mlc(?:\.| import )(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        if rest or not name.startswith("__"):
            found.setdefault(name, set()).update(each for each in imported if each != name)
    assert found.keys() | {"benchmarks"} == said.keys()
    layers = list(said)
    for name, names in found.items():
        if name in _EVERYTHING:
            assert said[name] == "everything"
            continue
        assert said[name] == (", ".join(sorted(names)) or "nothing"), name
        assert all(layers.index(each) < layers.index(name) for each in names), f"{name} imports from rows below it"


def test_the_root_holds_the_api_alone() -> None:
    assert {f.name for f in _ROOT.glob("*.py")} == {"__init__.py", "__main__.py", "api.py"}


def _imported(text: str) -> set[str]:
    """The modules, and the names in modules, of the package that a text imports, without `mlc.`."""
    names = re.findall(r"^ *from mlc\.([\w.]+) import \(?([^)\n]+|[^)]+)", text, re.MULTILINE)
    return {f"{module}.{name}" for module, list_ in names for name in re.findall(r"\w+(?: as \w+)?", list_)}


def test_private_modules_stay_in_their_folder() -> None:
    """A module `_name.py` is for the files beside it and for folders below; what others need has no underscore."""
    modules = {".".join(f.relative_to(_ROOT).with_suffix("").parts) for f in _sources()}
    private = {m for m in modules if m.rpartition(".")[2].startswith("_") and not m.endswith("__")}
    assert len(private) > 50
    for path in _sources():
        here = ".".join(path.relative_to(_ROOT).parent.parts)
        for name in _imported(path.read_text(encoding="utf-8")):
            for module in {name, name.rpartition(".")[0]} & private:
                folder = module.rpartition(".")[0]
                assert f"{here}.".startswith(f"{folder}."), f"{path} imports {module}, which is private to {folder}"


def test_passes_and_sources_are_apart() -> None:
    """A folder of passes imports no other one, nor a source of models another one: what they share lies elsewhere."""
    for top, shared in (("passes", set[str]()), ("frontends", {"operators"})):
        folders = {
            f.parent.relative_to(_ROOT / top).parts[0]
            for f in _sources()
            if f.is_relative_to(_ROOT / top / "")
            if f.parent != _ROOT / top
        }
        assert len(folders) > 3
        for path in (f for f in _sources() if f.is_relative_to(_ROOT / top) and f.parent != _ROOT / top):
            own = path.relative_to(_ROOT / top).parts[0]
            for name in _imported(path.read_text(encoding="utf-8")):
                first, _, below = name.partition(".")
                other = below.partition(".")[0]
                is_apart = first != top or other not in folders or other == own
                assert is_apart or (other in shared and own not in shared), f"{path} imports {name}"


def test_folders_import_in_one_direction() -> None:
    """No folder imports one that imports it, directly or by way of others, but for a folder and the one it lies in."""
    arrows: dict[str, set[str]] = {}
    modules = {".".join(f.relative_to(_ROOT).with_suffix("").parts): f.parent for f in _sources()}
    for path in (f for f in _sources() if f.parent != _ROOT):
        for name in _imported(path.read_text(encoding="utf-8")):
            home = modules.get(name) or modules.get(name.rpartition(".")[0])
            if home is not None and home not in (path.parent, _ROOT):
                arrows.setdefault(str(path.parent), set()).add(str(home))
    assert len(arrows) > 30
    graph = {folder: {x for x in names if Path(folder) not in Path(x).parents} for folder, names in arrows.items()}
    graphlib.TopologicalSorter(graph).prepare()


def test_files_import_in_one_direction() -> None:
    """No file imports one that imports it, directly or by way of others; imports inside functions count."""
    files = {".".join(("mlc", *f.relative_to(_ROOT).with_suffix("").parts)): f for f in _sources()}
    modules = {name.removesuffix(".__init__"): path for name, path in files.items()}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        said = _imported_when_run(ast.parse(path.read_text(encoding="utf-8")))
        found = {each if each in modules else each.rpartition(".")[0] for each in said}
        graph[name] = found & modules.keys() - {name}
    assert sum(map(len, graph.values())) > 2000
    graphlib.TopologicalSorter(graph).prepare()


def _imported_when_run(tree: ast.AST) -> set[str]:
    """The modules, and the names in modules, of the package that a file imports; what types alone need is left out."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mlc"):
            found |= {f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        found |= _imported_when_run(node)
    return found


def test_imports_are_found() -> None:
    text = "from mlc.analysis.nests import (\n    a,\n    b,\n)\nfrom mlc.passes.loop import _nests\nimport re\n"
    assert _imported(text) == {"analysis.nests.a", "analysis.nests.b", "passes.loop._nests"}


def test_files_stay_small() -> None:
    too_long = {str(f.relative_to(_ROOT)): n for f in _sources() if (n := _line_count(f)) > _MAX_LINES}
    assert not too_long


def test_import_is_fast_and_lazy() -> None:
    """`import mlc` loads neither xDSL nor NumPy."""
    code = "import sys; before = set(sys.modules); import mlc; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {m.partition(".")[0] for m in loaded} & {"xdsl", "numpy", "lark", "rich"} == set()


def test_pass_names_import_nothing() -> None:
    code = (
        "import sys; from mlc.pass_manager.registry import pass_names; pass_names();"
        "assert 'xdsl' not in sys.modules; assert 'numpy' not in sys.modules"
    )
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    assert time.perf_counter() - start < 5


def _line_count(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def test_text_is_read_without_numpy(tmp_path: Path) -> None:
    """Ops are defined, read, verified and printed without it: it takes as long to import as all of them."""
    model = tmp_path / "model.mlir"
    model.write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n")
    model.write_text(model.read_text().replace("  return %x", "  %0 = graph.relu %x : tensor<4xf32>\n  return %0"))
    heavy = ("numpy", "ml_dtypes", "lark", "onnx", "torch", "jax")
    heavy += ("mlc.dialects.loop", "importlib.metadata", "concurrent.futures")
    command = [str(model), "-o", str(tmp_path / "out.mlir")]
    code = (
        f"import sys; from mlc.tools.mlc_opt import main; main({command}); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )

    def run() -> str:
        command = [sys.executable, "-c", code]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout

    run()  # what takes time the first time is kept
    assert (found := run()) == "[]\n", found
    assert "graph.relu" in (tmp_path / "out.mlir").read_text()
