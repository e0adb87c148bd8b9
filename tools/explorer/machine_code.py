"""What becomes of functions below the IR: LLVM IR, and what clang makes of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.options import CompileOptions
from mlc.targets.batches import unit_of
from mlc.targets.cache import Cache
from mlc.targets.program import Kernel, Program
from mlc.targets.toolchain import find_clang
from mlc.targets.units import Compiler, Processes, clang_flags
from mlc.tools.explorer.document import NO_PLACE
from mlc.tools.explorer.document_code import MachineCode
from mlc.tools.explorer.llvm_ir_places import llvm_ir_places
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
    units = [unit_of(kernel) for kernel in kernels]
    with tempfile.TemporaryDirectory() as folder:
        files, _ = compiler.compile_all(units, Path(folder), progress)
        assembly = {file.stem: file.read_text(encoding="utf-8") for file in files}
    codes = [assembly[compiler.key(unit)] for unit in units]
    names = loop_names(module)
    around = [names.get(kernel.function, ()) for kernel in program.kernels]
    loops = [*reader.loops(codes[:-1], texts, around), ()]  # the entry has none
    places = llvm_ir_places(module, reader.machine, texts)

    def llvm_ir(kernel: Kernel) -> int:
        known = places.get(kernel.function, [])
        return texts.add(kernel.text, [*known, *[NO_PLACE] * (kernel.text.count("\n") + 1 - len(known))])

    return [
        MachineCode(kernel.function, kernel.name, llvm_ir(kernel), texts.add(text), found)
        for kernel, text, found in zip(kernels, codes, loops, strict=True)
    ]
