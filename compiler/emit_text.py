"""The text forms of a module: IR at some level, LLVM IR, assembly."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.backend import LLVM_IR
from mlc.pass_manager.ir_levels import LEVELS
from mlc.pass_manager.pipeline_options import HIGHEST
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.locations import error_at

TEXT_FORMS = ("mlir", *(f"mlir:{level}" for level in LEVELS), LLVM_IR, "asm")


def is_ir(form: str) -> bool:
    """Whether a form is a text of the IR at a level, or of LLVM IR, which `emit_text` prints for all backends."""
    return form == LLVM_IR or form.startswith("mlir:")


def last_level(form: str) -> str:
    """The level at which a default pipeline stops in order to give `form`.

    Raises:
        UserError: there is no such form.
    """
    if form not in TEXT_FORMS:
        raise UserError(f"unknown form '{form}' for --emit; it is one of {', '.join(TEXT_FORMS)}")
    return form.partition(":")[2] or "llvm"


def emit_text(
    module: ModuleOp,
    ctx: CompilerContext,
    form: str,
    *,
    generic: bool = False,
    debuginfo: bool = False,
    opt_level: int = HIGHEST,
    cc: str | None = None,
) -> str:
    """`module` in one of `TEXT_FORMS`.

    `generic` and `debuginfo` (locations) are for IR; `opt_level` is clang's for assembly, and `cc` names the clang.

    Raises:
        UserError: LLVM IR or assembly is asked for, and the module is not at the llvm level.
    """
    if form == LLVM_IR:
        return _llvm_ir(module, ctx)
    if form == "asm":
        return _assembly(_llvm_ir(module, ctx), ctx, opt_level, cc)
    from mlc.syntax import module_text

    return module_text(module, ctx, generic, debuginfo)


def _llvm_ir(module: ModuleOp, ctx: CompilerContext) -> str:
    from mlc.targets.llvm_ir import emit_module
    from mlc.targets.machine import resolve_target

    for op in module.ops:
        if not op.name.startswith("llvm."):
            raise error_at(op, f"LLVM IR is made of llvm ops, found '{op.name}': run --lower-to-llvm or -O first")
    return emit_module(module, resolve_target(ctx.target))


def _assembly(llvm_ir: str, ctx: CompilerContext, opt_level: int, cc: str | None) -> str:
    import tempfile  # which takes time

    from mlc.targets.cache import Cache
    from mlc.targets.machine import resolve_target
    from mlc.targets.toolchain import find_clang
    from mlc.targets.units import Compiler, Processes, Unit, clang_flags

    cache = Cache.default()
    flags = clang_flags(resolve_target(ctx.target), opt_level)
    compiler = Compiler(find_clang(cc, cache), flags, cache, Processes(), "-S")
    with tempfile.TemporaryDirectory() as folder:
        files, _ = compiler.compile_all([Unit("module", llvm_ir)], Path(folder), None)
        return files[0].read_text(encoding="utf-8")
