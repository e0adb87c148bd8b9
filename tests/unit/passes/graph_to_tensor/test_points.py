"""An elementwise op that says which scalar op computes a point has its lowering by that, a plugin's op, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mlc

_PLUGIN = """
from typing import ClassVar
import numpy as np
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition
from mlc.dialects.graph.binary import NumberBinaryOp
from mlc.dialects.graph.unary import FloatUnaryOp
from mlc.reference.execution import evaluates


@irdl_op_definition
class Exp2Op(FloatUnaryOp):
    name = "more.exp2"
    POINT: ClassVar[tuple[str, ...]] = ("math.exp2",)


@irdl_op_definition
class LargerOp(NumberBinaryOp):
    name = "more.larger"
    POINT: ClassVar[tuple[str, ...]] = ("arith.maximumf", "arith.maxsi", "arith.maxui")


@evaluates(Exp2Op)
def exp2(op, x):
    return np.exp2(x)


@evaluates(LargerOp)
def larger(op, a, b):
    return np.maximum(a, b)


More = Dialect("more", [Exp2Op, LargerOp])
"""
_MODEL = """func.func @main(%x: tensor<9xf32>, %i: tensor<9xi8>, %u: tensor<9xui8>)
    -> (tensor<9xf32>, tensor<9xi8>, tensor<9xui8>) {
  %0 = more.exp2 %x : tensor<9xf32>
  %1 = more.larger %0, %x : tensor<9xf32>, tensor<9xf32> -> tensor<9xf32>
  %c = graph.constant dense<-3> : tensor<i8>
  %d = graph.constant dense<200> : tensor<ui8>
  %2 = more.larger %i, %c : tensor<9xi8>, tensor<i8> -> tensor<9xi8>
  %3 = more.larger %u, %d : tensor<9xui8>, tensor<ui8> -> tensor<9xui8>
  return %1, %2, %3 : tensor<9xf32>, tensor<9xi8>, tensor<9xui8>
}
"""


def test_ops_of_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "more.py").write_text(_PLUGIN)
    (tmp_path / "model.mlir").write_text(_MODEL)
    x = np.linspace(-4, 4, 9, dtype=np.float32)
    i = np.arange(-8, 1, dtype=np.int8)
    u = np.arange(190, 208, 2, dtype=np.uint8)
    model = mlc.compile(str(tmp_path / "model.mlir"), plugins=[str(tmp_path / "more.py")])
    a, b, c = model(x, i, u)
    np.testing.assert_allclose(a, np.maximum(np.exp2(x), x), rtol=1e-6)
    np.testing.assert_array_equal(b, np.maximum(i, -3))
    np.testing.assert_array_equal(c, np.maximum(u, 200))
