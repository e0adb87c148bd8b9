"""`convert-loop-to-scf`: hand the loop level over to upstream MLIR."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, math
from xdsl.dialects.builtin import ModuleOp

from mlc.dialects.affine import Affine
from mlc.dialects.arith import Arith
from mlc.dialects.memref import MemRef
from mlc.dialects.scf import Scf
from mlc.dialects.vector import Vector
from mlc.pass_manager.base import Pass
from mlc.pass_manager.levels import require_level
from mlc.pass_manager.lowering import LoweringDriver
from mlc.passes.upstream import _scf
from mlc.passes.upstream import _upstream as upstream
from mlc.support.context import CompilerContext

_LEGAL = frozenset(
    op.name
    for op in (
        ModuleOp,
        *func.Func.operations,
        *Arith.operations,
        *math.Math.operations,
        *MemRef.operations,
        *Vector.operations,
        *Affine.operations,
        *Scf.operations,
    )
)


@dataclass(frozen=True)
class ConvertLoopToScfPass(Pass):
    """Convert the loop level to upstream's scf, memref and vector, for `mlir-opt` to go on with.

        loop.for parallel "m" %m = 0 to 64 {
          %s = loop.for serial "k" %k = 0 to 784 iter_args(%acc = %zero) -> (f32) {
            %a = loop.load %x[%m, %k + 1] : memref<64x785xf32>
            …
    ->
        scf.parallel (%m) = (%c0) to (%c64) step (%c1) {
          %s = scf.for %k = %c0 to %c784 step %c1 iter_args(%acc = %zero) -> (f32) {
            %i = affine.apply affine_map<(d0) -> (d0 + 1)>(%k)
            %a = memref.load %x[%m, %i] : memref<64x785xf32>
            …

    Functions, calls, allocations, views and arithmetic are upstream's already and stay. Schedules that are not applied
    are dropped, with a remark. Vectors of i1 cannot be loaded or stored: upstream packs their elements into bits.
    """

    name = "convert-loop-to-scf"
    ir_level = "loop"

    embed_weights: bool = True
    """Print the data of weight files with the module; if not, upstream sees their names only."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_level(module, "loop", self.name)
        LoweringDriver(_scf.TO_SCF, ctx).lower(module.walk())
        upstream.check_legal(module, _LEGAL, self.name, "scf")
        upstream.drop_schedules(module, ctx)
        if self.embed_weights:
            upstream.embed_weights(module, ctx)
