"""Public functions and classes of conversions say what they compute."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_CONVERSIONS = ("frontends/onnx/to_graph", "frontends/stablehlo/to_graph", "frontends/torch/to_graph")
_LOWERINGS = ("passes/graph_to_tensor", "passes/tensor_to_loop", "passes/loop_to_llvm")


@pytest.mark.parametrize("folder", [*_CONVERSIONS, "frontends/operators", *_LOWERINGS])
def test_public_definitions_have_docstrings(folder: str) -> None:
    """Those of modules; a method that overrides one is described where that is declared."""
    public: dict[str, bool] = {}
    for file in (_ROOT / folder).glob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                public[f"{file.name}: {node.name}"] = ast.get_docstring(node) is not None
    assert len(public) > 10
    assert not [name for name, has in public.items() if not has]
