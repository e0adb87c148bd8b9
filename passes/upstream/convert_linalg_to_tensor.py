"""`convert-linalg-to-tensor`: take over what upstream MLIR writes as linalg on tensors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from mlc.dialects.scf import ForallOp
from mlc.pass_manager.base import Pass
from mlc.pass_manager.lowering import LoweringDriver
from mlc.support.context import CompilerContext
from mlc.support.rounding import Rounding
from mlc.support.types import tensor_type

_STRUCTURED = ("tensor.map", "tensor.reduce", "tensor.contract", "arith.constant")
"""Most ops of the tensor level that make tensors."""


@dataclass(frozen=True)
class ConvertLinalgToTensorPass(Pass):
    """Convert upstream's linalg on tensors to the tensor level; `arith` and `math` on tensors, too.

        %e = tensor.empty() : tensor<64x200xf32>
        %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x200xf32>) -> tensor<64x200xf32>
        %0 = linalg.matmul ins(%x, %w : …) outs(%init : …) -> tensor<64x200xf32>
    ->
        %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 200) reduce (k: 784) : …

    Of `scf.forall` with shared outputs, the ops of the body are computed for all iterations together. Other loops and
    branches of scf on tensors become `tensor.scan`, `tensor.while` and `tensor.if`, with tensors for scalars. Loops
    over tiles of several sizes become one for each size.

    Shapes are known. What is reduced is a sum, a product, a maximum or a minimum of points, or the position of one of
    these; it starts from `outs`. Positions (`index`) are elements of i64.
    """

    name = "convert-linalg-to-tensor"
    ir_level = None
    rounding = Rounding(4, "sums get an order of their own, and start from what changes nothing")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        functions = [op for op in module.ops if isinstance(op, FuncOp) and any(map(_may_be_converted, op.walk()))]
        if not functions:
            return
        # All named ops of linalg are classes, which takes a tenth of a second: most modules have none.
        from mlc.passes.upstream import (
            _control,
            _elementwise,
            _empty,
            _forall,
            _generated,
            _moves,
            _positions,
            _structured,
            _uneven_tiles,
        )

        assert all((_elementwise, _generated, _moves, _structured))  # their patterns are registered
        _positions.store_positions(module)
        driver = LoweringDriver(self.name, ctx)
        for function in functions:
            unused = set(_unused(function))
            _uneven_tiles.split_uneven_tiles(function)
            _empty.drop_empty_tensors(function)
            driver.lower(function.walk())
            for op in reversed([op for op in function.walk() if isinstance(op, ForallOp) and op.outputs]):
                if _forall.can_be_widened(op):
                    driver.lower(_forall.widen(op))
            _control.convert_control(function, ctx)
            for op in _unused(function):
                if op not in unused:
                    Rewriter.erase_op(op)
            for op in [op for op in function.walk() if isinstance(op, tensor.EmptyOp)]:
                _fill(op)


def _may_be_converted(op: Operation) -> bool:
    """Whether an op is one of upstream's on tensors; also true of some that stay."""
    dialect = op.dialect_name()
    if dialect in ("arith", "math", "scf", "tensor"):
        return op.name not in _STRUCTURED and any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results))
    return dialect == "linalg"


def _unused(function: FuncOp) -> list[Operation]:
    """Ops that are only there for others, and of which nobody reads the result; those that are read last come first."""
    kinds = (arith.ConstantOp, tensor.EmptyOp)
    return [op for op in reversed([*function.walk()]) if isinstance(op, kinds) and not op.results[0].uses]


def _fill(op: tensor.EmptyOp) -> None:
    """What nobody has written may be anything, such as zeros."""
    kind = tensor_type(op.tensor)
    if kind.has_static_shape():
        Rewriter.replace_op(op, arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, [0])))
