"""An op of the graph level with its meaning, its lowering, and operators of three sources that become it."""

from __future__ import annotations

from math import pi

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import irdl_op_definition

from mlc.dialects.arith import CmpfOp, SelectOp
from mlc.dialects.graph.unary import FloatUnaryOp
from mlc.frontends.onnx import to_graph as onnx
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.stablehlo import to_graph as stablehlo
from mlc.frontends.torch import to_graph as torch
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor import Builder, Elementwise, Points
from mlc.reference.execution import Array, evaluates


@irdl_op_definition
class SincOp(FloatUnaryOp):
    """`sin(pi x) / (pi x)`, which is 1 at 0: `%y = signal.sinc %x : tensor<8xf32>`."""

    name = "signal.sinc"


Signal = Dialect("signal", [SincOp])


@evaluates(SincOp)
def sinc(op: SincOp, x: Array) -> Array:
    return np.sinc(x)


@lowers("convert-graph-to-tensor", SincOp)
class LowerSinc(Elementwise):
    """The division is by 1 at 0, so that no NaN is made."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        def body(p: Points, x: SSAValue) -> SSAValue:
            angle, one = p.mul(x, p.number(pi, x.type)), p.number(1, x.type)
            is_zero = p(CmpfOp, angle, p.number(0, x.type), "oeq")
            ratio = p(arith.DivfOp, p(math.SinOp, angle), p(SelectOp, is_zero, one, angle))
            return p(SelectOp, is_zero, one, ratio)

        return self.map(op, b, body)


@onnx.converts("Sinc", domain="com.example")
def of_onnx(b: onnx.Node) -> SSAValue:
    return b(SincOp, b[0])


@torch.converts("sinc")
def of_torch(b: torch.Call, self: SSAValue) -> SSAValue:
    return b(SincOp, b.to_float(self))


@stablehlo.converts("custom_call", benefit=2)
def of_stablehlo(b: stablehlo.HloCall) -> SSAValue:
    if b.op.word("call_target_name") != "sinc":
        raise Unconvertible("only 'sinc' is known")
    return b(SincOp, b[0])
