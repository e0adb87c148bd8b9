"""`lower-to-llvm`: loop nests over memrefs become functions of blocks, branches and pointers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, math, memref
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation

from mlc.dialects.llvm import LLVM
from mlc.passes.base import Pass
from mlc.passes.loop_to_llvm import _accesses, _arith, _buffers, _control, _division, _functions, _vector
from mlc.passes.loop_to_llvm._aliases import check_calls
from mlc.passes.loop_to_llvm._threads import outline_threads
from mlc.passes.loop_to_llvm._types import ACCESSES, VALUES
from mlc.passes.lowering import LoweringDriver
from mlc.passes.registry import load_pass
from mlc.support.context import CompilerContext
from mlc.support.locations import error_at
from mlc.support.rounding import Rounding

PATTERNS = (_accesses, _arith, _buffers, _control, _division, _functions, _vector)
"""The modules whose patterns make up this lowering; importing them registers the patterns."""

_LEGAL = frozenset({ModuleOp, *LLVM.operations})
_MATH = frozenset(math.Math.operations)


@dataclass(frozen=True)
class LowerToLlvmPass(Pass):
    """Lower loops, arithmetic, vectors and memrefs to the llvm dialect; higher levels are lowered to loops first.

        func.func private @k(%x: memref<64x784xf32>, %y: memref<64xf32> {mlc.output})
    ->  llvm.func weak_odr hidden @k(%x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %y: !llvm.ptr {…})

        func.func @main(%image: memref<…>, %y: memref<…> {mlc.output}, %w: memref<Nxi8> {mlc.workspace})
    ->  llvm.func @mlc_main(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %workspace: !llvm.ptr) -> i32

    In each function first the loads and stores are lowered, which need the shapes of memrefs, then all other
    straight-line ops, in program order, then loops and the function itself.
    """

    name = "lower-to-llvm"
    rounding = Rounding(8, "functions become polynomials")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        prepare(module, ctx)
        check_calls(module)
        outline_threads(module, ctx)
        accesses, values = LoweringDriver(ACCESSES, ctx), LoweringDriver(VALUES, ctx)
        values.lower(op for op in module.ops if not isinstance(op, func.FuncOp))
        for function in [op for op in module.ops if isinstance(op, func.FuncOp)]:
            accesses.lower(function.body.walk())
            values.lower(function.body.walk())
            _functions.lower_function(function)
        _check(module)


def prepare(module: ModuleOp, ctx: CompilerContext) -> bool:
    """Run the passes that a module of a higher level still needs; returns whether there were any."""
    has_tensors = _has_tensors(module)
    if has_tensors:
        load_pass("lower-to-loops")().run(module, ctx)
    found = {type(op) for op in module.walk()}
    has_math = bool((found & _MATH) - _arith.CHEAP_MATH)
    if has_math:
        load_pass("expand-math")().run(module, ctx)
    has_buffers = memref.AllocOp in found
    if has_buffers:
        load_pass("plan-memory")().run(module, ctx)
    return has_tensors or has_math or has_buffers


def _has_tensors(module: ModuleOp) -> bool:
    return any(
        isinstance(t, TensorType)
        for op in module.walk()
        for t in (
            (*op.function_type.inputs, *op.function_type.outputs)
            if isinstance(op, func.FuncOp)
            else (r.type for r in op.results)
        )
    )


def _check(module: ModuleOp) -> None:
    """Only ops of the llvm dialect may be left."""
    for op in module.walk():
        if type(op) not in _LEGAL:
            raise error_at(op, _complaint(op))


def _complaint(op: Operation) -> str:
    if type(op) in _MATH:
        return f"'{op.name}' has no LLVM instruction; run --expand-math before --lower-to-llvm"
    if isinstance(op, memref.AllocOp):
        return "'memref.alloc' is left: an artifact allocates nothing; run --plan-memory before --lower-to-llvm"
    return f"'{op.name}' cannot be lowered to llvm: no pattern of lower-to-llvm takes it"
