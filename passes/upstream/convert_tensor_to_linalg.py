"""`convert-tensor-to-linalg`: hand the tensor level over to upstream MLIR."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, math, tensor
from xdsl.dialects.builtin import ModuleOp

from mlc.dialects.arith import Arith
from mlc.dialects.linalg import Linalg
from mlc.pass_manager.base import Pass
from mlc.pass_manager.levels import require_level
from mlc.pass_manager.lowering import LoweringDriver
from mlc.passes.upstream import _generic
from mlc.passes.upstream import _upstream as upstream
from mlc.support.context import CompilerContext

_LEGAL = frozenset(
    op.name
    for op in (
        ModuleOp,
        *func.Func.operations,
        *Arith.operations,
        *math.Math.operations,
        *tensor.Tensor.operations,
        *Linalg.operations,
    )
)


@dataclass(frozen=True)
class ConvertTensorToLinalgPass(Pass):
    """Convert the tensor level to upstream's linalg on tensors, for `mlir-opt` to go on with.

        %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 200) reduce (k: 784) : …
    ->
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<64x200xf32>
        %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x200xf32>) -> tensor<64x200xf32>
        %0 = linalg.generic {indexing_maps = […], iterator_types = ["parallel", "parallel", "reduction"]}
               ins(%x, %w : …) outs(%init : …) { mulf, addf } -> tensor<64x200xf32>

    Functions, calls, constants, `tensor.pad`, `tensor.concat` and reshapes are upstream's already and stay. Schedules
    are dropped, with a remark. `mlir-opt` reads what `--print-op-generic` prints.
    """

    name = "convert-tensor-to-linalg"
    ir_level = "tensor"

    embed_weights: bool = True
    """Print the data of weight files with the module; if not, upstream sees their names only."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_level(module, "tensor", self.name)
        LoweringDriver(_generic.TO_LINALG, ctx).lower(module.walk())
        upstream.check_legal(module, _LEGAL, self.name, "linalg")
        upstream.drop_schedules(module, ctx)
        if self.embed_weights:
            upstream.embed_weights(module, ctx)
