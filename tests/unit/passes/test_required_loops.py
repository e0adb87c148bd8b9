"""Options that name loops name loops that exist."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context
from mlc.passes.loop._required import require_loops
from mlc.support.errors import UserError
from mlc.syntax import parse_module

_NEST = """
func.func private @f() { loop.for parallel "m" %m = 0 to 4 { loop.for parallel "n" %n = 0 to 4 { } } return }
func.func private @g() { loop.for parallel "k" %k = 0 to 4 { } return }
"""


def test_loops_of_any_function_count() -> None:
    require_loops(parse_module(_NEST, "test.mlir", new_context()), "unroll", ["k", "n"])
    require_loops(ModuleOp([]), "unroll", [])


def test_a_name_of_no_loop() -> None:
    module = parse_module(_NEST, "test.mlir", new_context())
    with pytest.raises(UserError, match="unroll: no loop is named 'zz'; the module has the loops m, n, k"):
        require_loops(module, "unroll", ["m", "zz"])
    with pytest.raises(UserError, match="unroll: no loop is named 'm'; the module has no loops: run --lower-to-loops"):
        require_loops(ModuleOp([]), "unroll", ["m"])
