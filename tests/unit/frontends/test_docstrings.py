"""Functions and classes of conversions say what they compute: the share that does may only grow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_LEAST = {
    "frontends/onnx/to_graph": 1.0,
    "frontends/stablehlo/to_graph": 1.0,
    "frontends/torch/to_graph": 1.0,
    "passes/graph_to_tensor": 1.0,
    "passes/tensor_to_loop": 1.0,
    "passes/loop_to_llvm": 1.0,
}


@pytest.mark.parametrize(("folder", "least"), _LEAST.items())
def test_public_definitions_have_docstrings(folder: str, least: float) -> None:
    """Those of modules; a method that overrides one is described where that is declared."""
    public: dict[str, bool] = {}
    for file in (_ROOT / folder).glob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                public[f"{file.name}: {node.name}"] = ast.get_docstring(node) is not None
    share = sum(public.values()) / len(public)
    missing = [name for name, has in public.items() if not has]
    assert share >= least, f"{share:.3f} have one; missing in {', '.join(missing)}"
