"""Compiling one kernel by itself: from its text at the loop level to LLVM IR, whatever model it is of.

A job holds all that the result depends on, apart from mlc and the machine. So another process can compute the result,
and it is found again by the contents of the job.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, UnitAttr
from xdsl.ir import Attribute

from mlc.analysis.written_arguments import WrittenArguments
from mlc.compiler.options import CompileOptions
from mlc.dialects.llvm import FuncOp as LLVMFuncOp
from mlc.dialects.loop import MmaOp, ScheduleAttr
from mlc.dialects.registry import register_dialects
from mlc.support.absent_callers import AbsentCallers
from mlc.support.context import CompilerContext, RuleSchedule
from mlc.support.functions import passed_arguments
from mlc.support.types import memref_type
from mlc.syntax import parse_module
from mlc.targets.llvm_ir import emit_kernels, renamed_kernels
from mlc.targets.program import Kernel

if TYPE_CHECKING:
    from mlc.schedules.buffer_layouts import BufferLayout

KERNEL_NAME = "mlc_compiled_apart"
"""What a kernel is called while it is compiled by itself, so that kernels of other names give the same."""

OTHERS = "mlc.other_schedules"
"""The attribute of the function of a job that has the schedules which may take the place of its own."""

_DIALECTS = ("arith", "func", "loop", "math", "memref")
"""What most kernels use, so that the tables of one grammar, which `prepare` makes, read the texts of all of them."""


@dataclass(frozen=True)
class KernelJob:
    """A kernel that is to be compiled."""

    text: str
    """A module at the loop level with one function, which is called `KERNEL_NAME`. Its values have no names."""
    constants: tuple[int, ...]
    """The positions of arguments for which all callers pass constants."""
    options: CompileOptions
    machine: str
    """What tells the machine apart from others (`Machine`)."""

    def run(self) -> CompiledKernel | None:
        """Compile the kernel; None if that is to be done in its module: because what becomes of it depends on more than
        the job says, or because somebody has to be told of a mistake, or a warning, at the place that it is about."""
        try:
            return _compile(self)
        except MemoryError:
            raise
        except Exception:
            return None


@dataclass(frozen=True)
class CompiledKernel:
    """What a job gives."""

    kernels: tuple[Kernel, ...]
    """LLVM IR of what the kernel calls, and then of itself."""
    relaid: tuple[tuple[int, BufferLayout], ...]
    """What callers have to do, in order: pass the constant at a position in another layout."""
    facts: tuple[dict[str, int | None], ...]
    """The attributes in LLVM of each argument, with their numbers."""
    written: frozenset[int]
    """The positions of the arguments that it writes, by itself or through what it calls."""
    arena: int
    """The bytes of the arena that is its last argument; 0 if it has none."""

    def named(self, name: str) -> CompiledKernel:
        """The same with the name that the function has in a module."""
        return replace(self, kernels=renamed_kernels(self.kernels, KERNEL_NAME, name))


def prepare() -> None:
    """Load what jobs of this machine need, the tables of the parser included."""
    from mlc.compiler.backends import backend_of
    from mlc.targets.machine import resolve_target

    options = CompileOptions()
    ctx = CompilerContext(target=options.target)
    register_dialects(ctx)
    _parsed("builtin.module {}", ctx)
    backend_of(resolve_target(options.target)).passes_by_kernel(options)


def _parsed(text: str, ctx: CompilerContext) -> ModuleOp:
    return parse_module(text, "", ctx, dialects=_DIALECTS)


def _compile(job: KernelJob) -> CompiledKernel | None:
    from mlc.compiler.backends import backend_of
    from mlc.pass_manager.manager import PassManager
    from mlc.targets.machine import resolve_target

    options = job.options
    machine = resolve_target(options.target)
    if repr(machine) != job.machine:
        return None
    ctx = CompilerContext(target=options.target)
    register_dialects(ctx)
    absent = ctx.absent_callers = AbsentCallers(frozenset(job.constants))
    module = _parsed(job.text, ctx)
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    if isinstance(schedule := function.attributes.get("schedule"), ScheduleAttr):
        others = cast("ArrayAttr[Attribute]", function.attributes.pop(OTHERS))
        ctx.rule_schedules[KERNEL_NAME, schedule] = RuleSchedule(tuple(others))
    types = list(function.function_type.inputs)
    to_loops, to_blocks = backend_of(machine).passes_by_kernel(options)
    manager = PassManager(ctx)
    manager.run(module, to_loops)
    if any(isinstance(op, MmaOp) for op in module.walk()):
        return None  # the model has to ask for registers of matrices
    kernel = next(op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == KERNEL_NAME)
    last = passed_arguments(kernel)[-1:]
    arena = memref_type(last[0].value).get_shape()[0] if last and last[0].role == "workspace" else 0
    taken = list(kernel.function_type.inputs)[: -1 if arena else None]
    relaid = {position for position, _ in absent.relaid}
    written = WrittenArguments({f.sym_name.data: f for f in module.ops if isinstance(f, func.FuncOp)}).of(kernel)
    manager.run(module, to_blocks, more_follows=True)
    if ctx.warnings or absent.are_missed:
        return None
    if len(taken) != len(types) or any(
        a != b for i, (a, b) in enumerate(zip(taken, types, strict=True)) if i not in relaid
    ):
        return None  # what callers pass was changed otherwise
    lowered = next(op for op in module.ops if isinstance(op, LLVMFuncOp) and op.sym_name.data == KERNEL_NAME)
    kernels = tuple(emit_kernels(module, machine))
    facts = tuple(map(_facts, lowered.arg_attrs or ()))
    return CompiledKernel(kernels, tuple(absent.relaid), facts, written, arena)


def _facts(attributes: DictionaryAttr) -> dict[str, int | None]:
    return {
        name: None if isinstance(value, UnitAttr) else cast("IntegerAttr[Any]", value).value.data
        for name, value in attributes.data.items()
    }
