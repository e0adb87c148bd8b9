"""Folding, the references and native code at every level give the same zero: IEEE 754-2019, and relu keeps -0."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import new_context
from mlc.reference.interpreter import run_function
from mlc.syntax import parse_module

ZEROS = list(product([0.0, -0.0], repeat=2))
TIMES = 5
"""Longer than a vector, with a rest."""
X, Y = (np.array([pair[i] for pair in ZEROS] * TIMES) for i in (0, 1))
WANTED = {
    "relu %x": [x for x, _ in ZEROS],
    "max %x, %y": [-0.0 if np.signbit(x) and np.signbit(y) else 0.0 for x, y in ZEROS],
    "min %x, %y": [-0.0 if np.signbit(x) or np.signbit(y) else 0.0 for x, y in ZEROS],
}


def _text(op: str, element: str, constants: bool = False) -> str:
    kind = f"tensor<{len(X)}x{element}>"
    both = op.endswith("%y")
    types = f"{kind}, {kind} -> {kind}" if both else kind
    numbers = {n: ", ".join(map(str, a)) for n, a in (("x", X), ("y", Y))}
    made = "".join(f"%{n} = graph.constant dense<[{a}]> : {kind}\n" for n, a in numbers.items())
    arguments = "" if constants else f"%x: {kind}, %y: {kind}"
    head = f"func.func @main({arguments}) -> {kind} {{\n{made if constants else ''}"
    return f"{head}  %z = graph.{op} : {types}\n  return %z : {kind}\n}}\n"


def _signs(found: object, op: str) -> None:
    wanted = np.array(WANTED[op] * TIMES)
    assert np.signbit(np.asarray(found, np.float64)).tolist() == np.signbit(wanted).tolist()


@pytest.mark.parametrize("element, dtype", [("f32", np.float32), ("f64", np.float64), ("f16", np.float16)])
@pytest.mark.parametrize("op", WANTED)
def test_the_reference(op: str, element: str, dtype: Any) -> None:
    ctx = new_context()
    module = parse_module(_text(op, element), "zeros.mlir", ctx)
    _signs(run_function(module, "main", [X.astype(dtype), Y.astype(dtype)], ctx.resources)[0], op)


@pytest.mark.slow
@pytest.mark.parametrize("constants", [False, True])
@pytest.mark.parametrize("element, dtype", [("f32", np.float32), ("f64", np.float64), ("f16", np.float16)])
@pytest.mark.parametrize("op", WANTED)
def test_native_code_and_folding(op: str, element: str, dtype: Any, constants: bool, tmp_path: Path) -> None:
    (tmp_path / "model.mlir").write_text(_text(op, element, constants))
    for level in range(4):
        inputs = [] if constants else [X.astype(dtype), Y.astype(dtype)]
        _signs(mlc.compile(tmp_path / "model.mlir", opt_level=level)(*inputs), op)
