"""Show what mlc found on this machine: versions, the CPU, clang, linkers, emulators, the cache. Fails if a part that
compiling needs is missing or broken.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from importlib.metadata import version

from mlc.architectures import architectures
from mlc.support.errors import UserError
from mlc.support.version import __version__
from mlc.targets.cache import Cache
from mlc.targets.machine import Machine, resolve_target, words_of_sources
from mlc.targets.machine_file import VARIABLE, machine_file_path, read_machine_file, why_no_place
from mlc.targets.toolchain import find_clang, find_emulator, find_linker
from mlc.tools.driver import ArgumentParser, Namespace
from mlc.tools.mlc_cache import in_words
from mlc.tools.mlc_machine import without_machine_file


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("--cc", metavar="CLANG", help="the clang to look at instead of the newest one found")


def run(arguments: Namespace) -> int:
    """Print one line per thing; the status is 1 if something that is needed is missing."""
    cache = Cache.default()
    problems: list[str] = []
    names = [each.name for each in architectures()]

    def show(name: str, look: Callable[[], object], otherwise: str = "MISSING") -> bool:
        try:
            print(f"{name:<18} {look()}")
        except UserError as e:
            problems.append(e.message)
            print(f"{name:<18} {otherwise}: {e.message}")
            return False
        return True

    show("mlc", lambda: f"{__version__}, Python {platform.python_version()}, xDSL {version('xdsl')}")
    with without_machine_file():  # a broken one is told with the facts, and hides nothing else
        known = show("this machine", lambda: _describe(resolve_target("native")))
    if known:
        show("facts", _describe_facts, otherwise="BROKEN")
    if show("clang", lambda: find_clang(arguments.cc, cache)):
        clang = find_clang(arguments.cc, cache)
        for arch in names:
            show(f"linker {arch}", lambda arch=arch: find_linker(arch, clang, cache))
    for arch in names:
        show(
            f"emulator {arch}", lambda arch=arch: find_emulator(arch) or "none (optional; apt install qemu-user-static)"
        )
    show("cache", lambda: _describe_cache(cache))
    return 1 if problems else 0


def _describe_facts() -> str:
    """Where the numbers that schedules are chosen by come from."""
    machine, file, path = resolve_target("native"), read_machine_file(), machine_file_path()
    text = f"of {machine.cpu} in the table and of this system: {words_of_sources(machine)}"
    if path is None:
        return f"{text}; no file of this machine is used: {why_no_place(VARIABLE)}"
    if file is None and VARIABLE in os.environ:
        return f"{text}\n{'':<18} {VARIABLE} names {path}, which is not there; `mlc machine measure` writes it"
    if file is None:
        return f"{text}; `mlc machine measure` finds out more (less than a minute)"
    if not file.is_of_this_machine:
        return (
            f"{text}\n{'':<18} {path} is ignored: it was measured on another CPU ({file.cpu}: "
            f"{file.identity.get('model', 'unknown')}); `mlc machine measure` writes it anew, or "
            "MLC_MACHINE_FILE names another file"
        )
    unsteady = sum(fact.planned is None for fact in file.facts.values())
    left_out = f", {unsteady} too unsteady to be used" if unsteady else ""
    return f"{words_of_sources(machine)}; measured {file.date} with mlc {file.version}{left_out} ({path})"


def _describe_cache(cache: Cache) -> str:
    count, size = cache.size()
    text = f"{cache.folder}, {count} files, {in_words(size)} of at most {in_words(cache.limit)}"
    if (problem := cache.problem()) is not None:
        text += (
            f"\n{'':<18} cannot be written: {problem}. All works, but everything is compiled anew each time; "
            "MLC_CACHE_DIR names another folder"
        )
    return text


def _describe(m: Machine) -> str:
    return f"{m.arch} {m.cpu} ({m.base}), {m.cores} cores, {m.vector_registers} vector registers of {m.vector_bits} bit"
