"""What becomes of functions below the IR: LLVM IR, and what clang makes of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.options import CompileOptions
from mlc.targets.batches import unit_of
from mlc.targets.cache import Cache
from mlc.targets.program import Program
from mlc.targets.toolchain import find_clang
from mlc.targets.units import Compiler, Processes, clang_flags
from mlc.tools.explorer.code_places import places_in_assembly, places_in_llvm_ir, with_places
from mlc.tools.explorer.document_code import MachineCode
from mlc.tools.explorer.loop_names import loop_names
from mlc.tools.explorer.loop_view import LoopReader
from mlc.tools.explorer.texts import Texts


def machine_code(
    program: Program,
    module: ModuleOp,
    reader: LoopReader,
    options: CompileOptions,
    texts: Texts,
    progress: Callable[[int, int], None] | None = None,
) -> list[MachineCode]:
    """LLVM IR and assembly of each function of a program, with the inner loops of kernels; `module` is what the program
    was made of, at the llvm level, and `progress` is told how many clang has done, of how many.

    Raises:
        UserError: there is no usable clang.
        CompilerBug: clang refuses the program.
    """
    cache = Cache.default()
    flags = clang_flags(reader.machine, options.opt_level)
    compiler = Compiler(find_clang(options.cc, cache), flags, cache, Processes(), "-S")
    kernels = [*program.kernels, program.entry]
    places = with_places(module, reader.machine, texts)
    placed = [places[kernel.function] for kernel in program.kernels]
    units = [unit_of(kernel) for kernel in (*kernels, *placed)]
    with tempfile.TemporaryDirectory() as folder:
        files, _ = compiler.compile_all(units, Path(folder), progress)
        assembly = {file.stem: file.read_text(encoding="utf-8") for file in files}
    codes = [assembly[compiler.key(unit)] for unit in units]
    names = loop_names(module)
    around = [names.get(kernel.function, ()) for kernel in program.kernels]
    *of_kernels, of_entry = codes[: len(kernels)]
    code = [
        MachineCode(
            kernel.function,
            kernel.name,
            texts.add(kernel.text, places_in_llvm_ir(kernel.text, other.text)),
            texts.add(text, places_in_assembly(text, other_text)),
            loops,
        )
        for kernel, other, text, other_text, loops in zip(
            program.kernels,
            placed,
            of_kernels,
            codes[len(kernels) :],
            reader.loops(of_kernels, texts, around),
            strict=True,
        )
    ]
    entry = program.entry
    return [*code, MachineCode(entry.function, entry.name, texts.add(entry.text), texts.add(of_entry), ())]
