"""The bytes of the artifact, by section, and in each by kernel and weight."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from mlc.compiler.compilation import Compilation
from mlc.runtime.elf import NotALibrary, SectionSize, section_sizes
from mlc.support.errors import UserError
from mlc.targets.program import Program
from mlc.tools.explorer.document_code import Artifact, ArtifactSection, ArtifactSymbol


def artifact_of(
    compilation: Compilation,
    program: Program,
    progress: Callable[[int, int], None] | None = None,
    use: Callable[[Path], None] | None = None,
) -> Artifact | None:
    """The library that `mlc compile -o model.so` makes; None if the backend makes none of ELF.

    `progress` is told how many parts are compiled, of how many. `use` is called with the library while it is there.

    Raises:
        CompilerBug: clang or the linker refuses the program.
    """
    with tempfile.TemporaryDirectory(prefix="mlc-") as folder:
        path = Path(folder) / "model.so"
        try:
            compilation.build_program(program, compilation.backend.runnable, path, progress)
            if use is not None:
                use(path)
            return Artifact(path.stat().st_size, _sections(section_sizes(path), program), "")
        except NotALibrary:
            return None
        except UserError as e:  # no linker for another machine
            return Artifact(0, (), e.message)


def _sections(found: list[SectionSize], program: Program) -> list[ArtifactSection]:
    kernels = {kernel.name: kernel.function for kernel in program.kernels}
    weights = {weight.symbol for weight in program.weights}

    def symbol(name: str, size: int) -> ArtifactSymbol:
        kind = "kernel" if name in kernels else "weight" if name in weights else "other"
        return ArtifactSymbol(name, kind, kernels.get(name, ""), size)

    return [
        ArtifactSection(
            each.name,
            each.bytes,
            each.is_stored,
            each.is_loaded,
            sorted((symbol(one.name, one.bytes) for one in each.symbols), key=lambda one: -one.bytes),
        )
        for each in found
    ]
