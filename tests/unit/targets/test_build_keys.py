"""What an artifact is found by in the cache: all that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mlc.targets import archive, build, elf, weights
from mlc.targets.machine import resolve_target
from mlc.targets.output import OutputKind
from mlc.targets.program import Program

MakeProgram = Callable[..., Program]
BuildKey = Callable[..., str]


@pytest.fixture
def key(make_program: MakeProgram, tmp_path: Path) -> BuildKey:
    """Builds `make_program(…)`, or another program, and tells the key."""

    def key(kind: OutputKind = "obj", program: Program | None = None, **options: float) -> str:
        machine = resolve_target("native")
        program = program or make_program(machine, **options)
        return build.build(program, machine, kind, tmp_path / "model").key

    return key


def test_kinds_have_keys_of_their_own(key: BuildKey) -> None:
    """An archive and an object are linked with the same flags."""
    kinds: tuple[OutputKind, ...] = ("obj", "archive", "shared", "exe", "asm")
    assert len({key(kind) for kind in kinds}) == len(kinds)


def test_weights_are_part_of_the_key(key: BuildKey) -> None:
    assert key() == key(weight=1.0) != key(weight=2.0)


def test_names_of_weights_are_part_of_the_key(key: BuildKey, make_program: MakeProgram) -> None:
    """Two weights that change places leave the bytes the same, not what they mean."""
    program = make_program(resolve_target("native"))
    (weight,) = program.weights
    other = replace(weight, symbol="v", array=np.asarray(weight.array) + 1)
    swapped = [replace(weight, array=other.array), replace(other, array=weight.array)]
    assert key(program=replace(program, weights=[weight, other])) != key(program=replace(program, weights=swapped))


@pytest.mark.parametrize("module", [archive, build, elf, weights], ids=lambda module: module.__name__)
def test_code_that_writes_artifacts_is_part_of_the_key(
    module: ModuleType, key: BuildKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version of mlc that edits objects in another way does not take what an older one has left."""
    before, source = key(), Path(str(module.__file__))
    (changed := tmp_path / source.name).write_bytes(source.read_bytes() + b"# changed\n")
    monkeypatch.setattr(module, "__file__", str(changed))
    assert key() != before


def test_link_flags_are_part_of_the_key(key: BuildKey, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key("shared")
    flags = dict(build._LINK_FLAGS)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(build, "_LINK_FLAGS", {**flags, "shared": (*flags["shared"], "-z", "now")})
    assert key("shared") != before
