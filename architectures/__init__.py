"""Instruction sets that mlc generates code for, each in one file, and their CPUs.

An `Architecture` says all that differs: how files and the kernel name it, what its instructions can do, what LLVM and
clang are told, and a row for each CPU whose numbers carry their sources. Its C beside it (`x86_64.h`) has the system
calls, the entry point and the test of features that executables and threads need. Nothing else in mlc asks for an
architecture by name. A package adds one by an entry point of the group `mlc.architectures`, and a device that is not
a CPU likewise, beside its backend.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

from mlc.architectures.architecture import Architecture, Cpu, InstructionSet
from mlc.support.additions import Addition, Additions, own_class
from mlc.support.errors import UserError

_A = TypeVar("_A", bound=Architecture)
_OWN = frozenset(f.stem for f in Path(__file__).parent.glob("*.h") if f.with_suffix(".py").exists())
"""An architecture is a module with C beside it."""
_ADDED = Additions("architecture", "mlc.architectures", lambda name: "mlc" if name in _OWN else None)


def architectures() -> Iterator[Architecture]:
    """All of them, mlc's own first.

    Raises:
        UserError: a plugin adds something else than an architecture.
    """
    yield from _own()
    for name, addition in _ADDED:
        yield _added(name, addition)


def architecture_named(name: str) -> Architecture | None:
    """The one of this name, if mlc has it."""
    name = name.lower()
    return next((each for each in architectures() if name in (each.name, *each.aliases)), None)


def instruction_sets() -> Iterator[InstructionSet]:
    """Those that LLVM compiles for."""
    return (each for each in architectures() if isinstance(each, InstructionSet))


def instruction_set_named(name: str) -> InstructionSet | None:
    """The one that the kernel reports as `name`, if mlc has it."""
    found = architecture_named(name)
    return found if isinstance(found, InstructionSet) else None


def known_architecture(name: str) -> Architecture:
    """The one of this name.

    Raises:
        UserError: mlc has none of this name.
    """
    if (found := architecture_named(name)) is None:
        names = " and ".join(each.name for each in architectures())
        raise UserError(f"found architecture '{name}'; mlc generates code for {names}")
    return found


def architecture_of_elf(machine: int) -> InstructionSet | None:
    """The one of files whose `e_machine` is this."""
    return next((each for each in instruction_sets() if each.elf_machine == machine), None)


def real_architecture() -> InstructionSet | None:
    """That of the CPU on which this process runs."""
    return instruction_set_named(platform.machine())


def add_architecture(architecture: type[Architecture], origin: str) -> None:
    """Add one for as long as the innermost `plugin_scope` lasts."""
    _ADDED.add(architecture.name, lambda: architecture, origin)


def cpus() -> Iterator[tuple[Architecture, Cpu]]:
    """Every CPU that a target can name, with its architecture."""
    for each in architectures():
        for cpu in each.cpus:
            yield each, cpu


def missing_features(required: Iterable[str]) -> list[str]:
    """Those of some features, in the kernel's spelling, that the CPU does not have on which this process runs.

    None if nothing tells what is there.
    """
    there = _present_features()
    return [] if there is None else [name for name in required if name not in there]


@cache
def _present_features() -> frozenset[str] | None:
    architecture = real_architecture()
    if architecture is None:
        return None
    try:
        return architecture.present_features()
    except (OSError, AttributeError, ValueError):
        listed = kernel_entries().get(architecture.features_field)
        return None if listed is None else frozenset(listed.split())


@cache
def kernel_entries() -> dict[str, str]:
    """The first CPU's entries of /proc/cpuinfo; none where there is no such file."""
    try:
        first = Path("/proc/cpuinfo").read_text().split("\n\n", 1)[0]
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in first.splitlines() if ":" in line)
    return {key.strip(): value.strip() for key, value in pairs}


@cache
def _own() -> tuple[InstructionSet, ...]:
    found = [own_class(f"{__name__}.{name}", InstructionSet, name, "architecture", __name__) for name in _OWN]
    return tuple(sorted(map(_instance, found), key=lambda each: each.elf_machine))


def _added(name: str, addition: Addition) -> Architecture:
    loaded = addition.load()
    if not (isinstance(loaded, type) and issubclass(loaded, Architecture) and loaded.name == name):
        raise UserError(f"architecture '{name}' of {addition.origin} is not a class of `Architecture` of that name")
    return _instance(loaded)


@cache
def _instance(cls: Callable[[], _A]) -> _A:
    return cls()
