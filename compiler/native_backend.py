"""The backend of CPUs: LLVM IR, which clang compiles, and ELF files, which need nothing to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from mlc.compiler.backend import LLVM_IR, Backend, LoweredModel
from mlc.pass_manager.ir_levels import LEVELS
from mlc.pass_manager.pipeline import BY_KERNEL, default_steps

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.compiler.options import CompileOptions
    from mlc.pass_manager.base import Pass
    from mlc.runtime.library import Library
    from mlc.targets.build import BuildReport
    from mlc.targets.cache import Cache
    from mlc.targets.machine import Machine
    from mlc.targets.output import OutputKind
    from mlc.targets.program import Program
    from mlc.targets.variants import ProgramVariants


class NativeBackend(Backend):
    """Objects, libraries and programs for Linux."""

    name = "native"
    forms = {
        ".o": "obj",
        ".a": "archive",
        ".so": "shared",
        ".h": "header",
        ".s": "asm",
        "": "exe",
    }
    texts = frozenset({"asm", "header"})
    runnable = "shared"

    def form_of(self, suffix: str) -> str | None:
        return LLVM_IR if suffix == ".ll" else super().form_of(suffix)

    def passes_by_kernel(self, options: CompileOptions) -> tuple[list[Pass], list[Pass]]:
        from mlc.pass_manager.default_passes import passes_of

        stages = default_steps(options, LEVELS[-1], "tensor", self.stages)
        found = [(stage.level, each) for stage in stages for each in passes_of([stage], options)]
        first = next((i for i, (_, each) in enumerate(found) if each.name == BY_KERNEL[0]), len(found))
        kept = [(level, each) for level, each in found[first:] if each.name in BY_KERNEL]
        return [p for level, p in kept if level == "loop"], [p for level, p in kept if level != "loop"]

    def program(self, model: LoweredModel, machine: Machine, threads: int) -> Program:
        from mlc.compiler.codegen import program_of

        return program_of(model, machine, threads)

    def joined(self, module: ModuleOp, prefix: str, programs: Sequence[Program]) -> ProgramVariants:
        from mlc.compiler.codegen import variants_of_model

        return variants_of_model(module, prefix, programs)

    def build(
        self,
        program: Program | ProgramVariants,
        machine: Machine,
        form: str,
        output: Path,
        options: CompileOptions,
        *,
        progress: Callable[[int, int], None] | None = None,
        cache: Cache | None = None,
        confirm: Callable[[], None] = lambda: None,
    ) -> BuildReport:
        from mlc.targets.build import build

        return build(
            program,
            machine,
            cast("OutputKind", form),
            output,
            opt_level=options.opt_level,
            cc=options.cc,
            progress=progress,
            cache=cache,
            confirm=confirm,
        )

    def tools(self, machine: Machine, form: str, options: CompileOptions, cache: Cache) -> Sequence[str]:
        from mlc.targets.toolchain import find_clang, find_linker

        clang = find_clang(options.cc, cache)
        return clang.identity, find_linker(machine.arch, clang, cache).identity if form != "asm" else ""

    def runs_here(self, machine: Machine) -> bool:
        from mlc.targets import host

        return machine.arch == host.architecture()

    def obstacle(self, machine: Machine) -> str | None:
        from mlc.targets import host

        if host.can_run(machine.arch, machine.required_cpu_flags):
            return None
        missing = host.missing_flags(machine.required_cpu_flags)
        lacks = f"needs {', '.join(missing)}, which its CPU does not have"
        reason = lacks if host.executes(machine.arch) else f"is for {machine.arch}"
        return (
            f"this machine cannot run what target='{machine.name}' gives: it {reason}; leave target out, or make a "
            f"file for another machine by the command: mlc compile MODEL --target {machine.name} -o model.so"
        )

    def open(self, path: Path) -> Sequence[Library]:
        from mlc.runtime.library import open_variants

        return open_variants(path)
