"""`convert-loop-to-llvm`: loop nests over memrefs become functions of blocks, branches and pointers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, math, memref
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import Operation

from mlc.dialects.llvm import LLVM
from mlc.dialects.loop import ScheduleAttr
from mlc.pass_manager.base import Pass
from mlc.pass_manager.levels import not_lowered, passes_missing, require_level
from mlc.pass_manager.lowering import LoweringDriver, lowering_of
from mlc.pass_manager.registry import load_pass
from mlc.passes.loop_to_llvm._aliases import check_calls
from mlc.passes.loop_to_llvm._arith import CHEAP_MATH
from mlc.passes.loop_to_llvm._functions import lower_function
from mlc.passes.loop_to_llvm._halves import halves_as_bits
from mlc.passes.loop_to_llvm._lost_results import warn_of_lost_results
from mlc.passes.loop_to_llvm._matrices import declare_preparation, lower_matrices, makes_matrices
from mlc.passes.loop_to_llvm._saturating_packs import use_saturating_packs
from mlc.passes.loop_to_llvm._threads import outline_threads
from mlc.passes.loop_to_llvm._types import ACCESSES, VALUES, index_width
from mlc.support.context import CompilerContext
from mlc.support.locations import error_at
from mlc.support.modules import modules_of
from mlc.support.types import element_type
from mlc.targets.machine import Machine, resolve_target

modules_of("mlc.passes.loop_to_llvm", "_[a-z]*.py")  # which register their patterns


_LEGAL = frozenset(op.name for op in (ModuleOp, *LLVM.operations))
_MATH = frozenset(math.Math.operations)


@dataclass(frozen=True)
class ConvertLoopToLlvmPass(Pass):
    """Lower loops, arithmetic, vectors and memrefs to the llvm dialect.

        func.func private @k(%x: memref<64x784xf32>, %y: memref<64xf32> {mlc.output})
    ->  llvm.func weak_odr hidden @k(%x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %y: !llvm.ptr {…})

        func.func @main(%image: memref<…>, %y: memref<…> {mlc.output}, %w: memref<Nxi8> {mlc.workspace})
    ->  llvm.func @mlc_main(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %workspace: !llvm.ptr) -> i32

    There is no math left but what is one instruction (`expand-math`), and no buffer that is not part of the workspace
    (`plan-memory`). In each function first the loads and stores are lowered, which need the shapes of memrefs, then all
    other straight-line ops, in program order, then loops and the function itself.
    """

    name = "convert-loop-to-llvm"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        _require_passes(module, self.name)
        check_calls(module)
        machine = resolve_target(ctx.target)
        with index_width(machine.index_bits):
            self._lower(module, ctx, machine)
        _check(module)

    def _lower(self, module: ModuleOp, ctx: CompilerContext, machine: Machine) -> None:
        has_matrices = makes_matrices(module)
        warn_of_lost_results(module, ctx)
        halves_as_bits(module)
        use_saturating_packs(module, machine)
        outline_threads(module, ctx)
        accesses, values = LoweringDriver(ACCESSES, ctx), LoweringDriver(VALUES, ctx)
        values.lower(op for op in module.ops if not isinstance(op, func.FuncOp))
        if has_matrices:
            declare_preparation(module)
        for function in [op for op in module.ops if isinstance(op, func.FuncOp)]:
            _warn_of_schedule(function, ctx)
            if has_matrices:
                lower_matrices(function, machine)
            accesses.lower(function.body.walk())
            values.lower(function.body.walk())
            lower_function(function, prepares=has_matrices)


def _require_passes(module: ModuleOp, pass_name: str) -> None:
    """What the passes before this one have to leave: loops, cheap math and no allocations.

    Raises:
        UserError: at the first op that one of them takes, with the passes that are missing.
    """
    require_level(module, "loop", pass_name, then=("expand-math", "plan-memory"))
    functions = [op for op in module.walk() if type(op) in _MATH and type(op) not in CHEAP_MATH]
    buffers = [op for op in module.walk() if isinstance(op, memref.AllocOp)]
    for op in functions:
        if not _has_formula(op):
            raise error_at(
                op,
                f"{pass_name}: found {op.name} on {op.results[0].type}, which is more than an instruction, and "
                "expand-math has no formula for it; required: a function of f32 or f64 that it has one for",
            )
    if functions:
        raise passes_missing(
            functions[0],
            pass_name,
            f"{functions[0].name}, which is more than an instruction",
            ("expand-math", "plan-memory") if buffers else ("expand-math",),
        )
    if buffers:
        raise passes_missing(buffers[0], pass_name, "memref.alloc, but artifacts allocate nothing", ("plan-memory",))


def _warn_of_schedule(function: func.FuncOp, ctx: CompilerContext) -> None:
    """Say it if loops are as they were in spite of a schedule: `apply-schedule` takes those off that it carries out."""
    if isinstance(function.attributes.get("schedule"), ScheduleAttr):
        name = function.sym_name.data
        ctx.warn(function, f"schedule of '{name}' not carried out: apply-schedule did not run; -O2 and -O3 run it")


def _has_formula(op: Operation) -> bool:
    load_pass("expand-math")
    return lowering_of("expand-math", type(op)) is not None and element_type(op.results[0].type) in (f32, f64)


def _check(module: ModuleOp) -> None:
    """Only ops of the llvm dialect may be left."""
    for op in module.walk():
        if op.name not in _LEGAL:
            raise not_lowered(op, " to llvm", "convert-loop-to-llvm")
