"""From LLVM IR texts to an artifact: object, static or shared library, executable, assembly text or C header.

    units ─ clang, in parallel ─> objects ┐
    weights ─ as they are ─> object       ├─ linker ─> artifact
    signature, threads, runner ─> objects ┘

Each unit and the artifact itself are cached under what they depend on, so a second build of the same program starts no
process at all.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mlc.support.errors import CompilerBug
from mlc.support.workers import workers
from mlc.targets import archive, elf, weights
from mlc.targets.batches import batched, unit_of
from mlc.targets.cache import Cache, digest
from mlc.targets.glue import (
    PARALLEL_FOR,
    PREPARE_MATRICES,
    TRACE_START,
    entry_unit,
    header_text,
    matrices_unit,
    memory_unit,
    runner_unit,
    threads_unit,
    trace_unit,
    variants_unit,
)
from mlc.targets.machine import Machine
from mlc.targets.output import EXECUTABLE, OutputKind, make_executable, staged_output
from mlc.targets.program import Program
from mlc.targets.toolchain import Tool, find_clang, find_linker
from mlc.targets.units import Compiler, Processes, clang_flags
from mlc.targets.variants import ProgramVariants, dispatch_unit

_LINK_FLAGS: dict[str, tuple[str, ...]] = {
    "obj": ("-r",),
    "archive": ("-r",),
    "shared": (
        "-shared",
        "-z",
        "defs",
        "-z",
        "noexecstack",
        "--hash-style=gnu",
        "--build-id=none",
    ),
    "exe": ("-static", "-e", "_start", "-z", "noexecstack", "--build-id=none"),
}
_NO_UNLOADING = ("-z", "nodelete")
"""For shared libraries with a thread pool: dlclose must not take the code away from under the workers."""
_WRITERS = (sys.modules[__name__], archive, elf, weights)
"""The modules that write artifacts themselves, and edit what the linker has written."""
_LARGEST_CACHED = 1 << 30
"""Artifacts above this many bytes are linked again each time rather than kept twice on disk."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did."""

    output: Path
    units: int
    """How many different units the program has."""
    cache_hits: int
    """How many of them were not compiled, because the cache had them or the whole artifact."""
    linked: bool
    """Whether the linker ran; False if the cache had the artifact, or the kind needs no linker."""
    seconds: float
    key: str = ""
    """What the cache has the artifact under; empty for kinds that are not cached."""


def build(
    program: Program | ProgramVariants,
    machine: Machine,
    kind: OutputKind,
    output: Path,
    *,
    opt_level: int = 3,
    cc: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    cache: Cache | None = None,
    confirm: Callable[[], None] = lambda: None,
) -> BuildReport:
    """Compile and link `program` for `machine` into the file `output`, which appears whole or not at all.

    `opt_level` is clang's, 0 to 3; `cc` names the clang to use; `progress` is told how many units are done, of how
    many; `confirm` is called when all weights have been read, and raises an exception if they are not to be trusted.

    Raises:
        UserError: no usable clang or linker, or `output` cannot be written.
        CompilerBug: clang or the linker refuses the program.
    """
    start = time.perf_counter()
    if kind == "header":
        with staged_output(output) as staged:
            staged.write_text(header_text(program), encoding="utf-8")
        return BuildReport(output, 0, 0, False, time.perf_counter() - start)
    job = _Build(program, machine, kind, opt_level, cc, cache or Cache.default())
    with staged_output(output) as staged:
        units, hits, linked = job.run(staged, progress, confirm)
    return BuildReport(output, units, hits, linked, time.perf_counter() - start, job.key)


class _Build:
    def __init__(
        self,
        program: Program | ProgramVariants,
        machine: Machine,
        kind: OutputKind,
        opt_level: int,
        cc: str | None,
        cache: Cache,
    ) -> None:
        self.kind, self.cache, self.processes = kind, cache, Processes()
        whole = program if isinstance(program, ProgramVariants) else program.signature
        programs = program.programs if isinstance(program, ProgramVariants) else (program,)
        self.symbol, self.machine = whole.symbol, machine
        clang = find_clang(cc, cache)
        flags = clang_flags(machine, opt_level)
        self.compiler = Compiler(clang, flags, cache, self.processes, "-S" if kind == "asm" else "-c")
        self.linker: Tool | None = None if kind == "asm" else find_linker(machine.arch, clang, cache)
        kernels = [kernel for each in programs for kernel in each.kernels]
        # Assembly text is for people, who look for a kernel by itself.
        self.units = [entry_unit(each, machine) for each in programs]
        self.units += batched(kernels) if kind != "asm" else map(unit_of, kernels)
        if isinstance(program, ProgramVariants):
            self.units += [variants_unit(program, machine), dispatch_unit(program)]
        is_traced = any(TRACE_START in unit.text for unit in self.units)
        self.threaded = any(PARALLEL_FOR in unit.text for unit in self.units)
        if self.threaded:
            self.units.append(threads_unit(programs[0].threads, machine, is_traced))
        if is_traced:
            self.units.append(trace_unit(machine))
        if any(PREPARE_MATRICES in unit.text for unit in self.units):
            self.units.append(matrices_unit(machine))
        stored = [*program.weights]
        if kind == "exe":
            self.units.append(runner_unit(program, machine))
            stored += program.runner.weights if program.runner is not None else ()
        self.blobs = [] if kind == "asm" else weights.collect(stored)

    def run(
        self, staged: Path, progress: Callable[[int, int], None] | None, confirm: Callable[[], None]
    ) -> tuple[int, int, bool]:
        """Make the file `staged`; returns the number of units, of cache hits, and whether the linker ran."""
        count = len({(unit.text, unit.opt_level) for unit in self.units})
        confirm()  # digests of weights are part of the key
        if self.cache.fetch(self.key, staged):
            if progress:
                progress(count, count)
            if self.kind in EXECUTABLE:
                make_executable(staged)
            return count, count, False
        with workers(1) as pool:
            data = pool.submit(self._write_weights, staged.with_name("weights.o"))
            files, hits = self.compiler.compile_all(self.units, staged.parent, progress)
            files += data.result()
        if self.linker is None:
            staged.write_text(_join_assembly(files), encoding="utf-8")
        else:
            confirm()  # weights were read again
            self._link(self.linker, self._complete(files), staged)
        if staged.stat().st_size <= _LARGEST_CACHED:
            self.cache.store(self.key, staged)
        self.cache.trim_if_due()
        return count, hits, self.linker is not None

    @cached_property
    def key(self) -> str:
        """What the artifact depends on."""
        blobs = [part for blob in self.blobs for part in (blob.sha256, *blob.symbols)]
        units = [self.compiler.key(unit) for unit in self.units]
        linker = self.linker.identity if self.linker else ""
        writers = [Path(str(module.__file__)).read_bytes() for module in _WRITERS]
        return digest(self.kind, *self._link_flags(), linker, memory_unit().text, *writers, *units, "+", *blobs)

    def _write_weights(self, path: Path) -> list[Path]:
        """The object of the weights, if there are any."""
        if not self.blobs:
            return []
        weights.write_object(self.blobs, self.machine.instruction_set, path)
        return [path]

    def _complete(self, objects: Sequence[Path]) -> list[Path]:
        """The objects with, where LLVM calls them, that of memcpy and its like."""
        folder = objects[0].parent
        complete = list(objects)
        undefined = {name for file in complete for name in elf.undefined_symbols(file)}
        undefined -= {name for file in complete for name in elf.defined_symbols(file)}
        if undefined:
            files, _ = self.compiler.compile_all([memory_unit()], folder, None)
            undefined -= elf.defined_symbols(files[0])
            complete += files
        if undefined:
            names = ", ".join(sorted(undefined))
            raise CompilerBug(f"the generated code refers to symbols that nothing defines: {names}", "link")
        return complete

    def _link_flags(self) -> tuple[str, ...]:
        return _LINK_FLAGS.get(self.kind, ()) + (_NO_UNLOADING if self.kind == "shared" and self.threaded else ())

    def _link(self, linker: Tool, objects: Sequence[Path], staged: Path) -> None:
        names = [file.name for file in objects]
        command = [*linker.command, *self._link_flags(), "-o", staged.name, *names]
        status, messages = self.processes.run(command, staged.parent)
        if status != 0:
            raise CompilerBug(f"the linker {linker} refuses the generated objects", "link", messages)
        if self.kind in ("obj", "archive"):
            elf.localize_hidden(staged)
        if self.kind == "archive":
            member = staged.replace(staged.with_name("member.o"))
            archive.write_archive(staged, f"{self.symbol}.o", member)


def _join_assembly(files: Sequence[Path]) -> str:
    """One assembly text from several, whose local labels would clash."""
    texts: list[str] = []
    for number, file in enumerate(files):
        text = file.read_text(encoding="utf-8", errors="backslashreplace")  # clang's comments have bytes of constants
        text = re.sub(r"^\s*\.(file|ident|addrsig\w*)\b.*\n", "", text, flags=re.MULTILINE)
        texts.append(re.sub(r"\.L(?=\w)", f".L{number}_", text))
    return "\n".join(texts)
