"""Archives of torch.export that somebody made to run code in whoever reads them: refused, or read without it."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine
from tests.unit.frameworks.eager import torch

nn = torch.nn


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., Path]:
    """Makes an archive of a model for an input."""

    def save(model: Any, x: Any, **options: Any) -> Path:
        path = tmp_path / "model.pt2"
        torch.export.save(torch.export.export(model, (x,), **options), path)
        return path

    return save


class _Attack:
    """What a pickle would run when it is read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("attacked",)


def _pickled(value: object) -> bytes:
    torch.save(value, buffer := io.BytesIO())
    return buffer.getvalue()


def _rewritten(path: Path, change: Callable[[str, bytes], bytes], more: dict[str, bytes]) -> Path:
    """A copy of an archive with other contents."""
    copy = path.with_name("hostile.pt2")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
        for name, data in more.items():
            new.writestr(f"{old.namelist()[0].partition('/')[0]}/{name}", data)
    return copy


def _open_dims(archive: Callable[..., Path]) -> Path:
    return archive(nn.Linear(4, 3), torch.randn(2, 4), dynamic_shapes=({0: torch.export.Dim("rows", max=9)},))


def test_sample_inputs_that_are_programs_are_left_out(
    archive: Callable[..., Path], mlc: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hostile = _pickled(_Attack())
    path = _rewritten(_open_dims(archive), lambda name, data: hostile if "sample_inputs" in name else data, {})
    assert mlc("check", str(path), "--shape", "input=3x4").status == 0
    assert mlc("compile", str(path), "--shape", "input=3x4", "-o", "model.so").status == 0
    assert not Path("attacked").exists()


@pytest.mark.parametrize(
    "expression",
    [
        b"Symbol(__import__('os').mkdir('attacked') or 's0')",
        b"open('attacked', 'w')",
        b"().__class__",
        b"Symbol('s0').func",
        b"[x for x in 'ab']",
        b"(lambda: 0)()",
    ],
)
def test_extents_are_arithmetic(
    expression: bytes, archive: Callable[..., Path], mlc: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found: list[bytes] = []

    def change(name: str, data: bytes) -> bytes:
        spelled = re.compile(rb'("expr_str": ?")[^"]*"')
        found.extend(spelled.findall(data) if "models/" in name else [])
        return spelled.sub(lambda m: m[1] + expression + b'"', data) if "models/" in name else data

    path = _rewritten(_open_dims(archive), change, {})
    assert found, "the archive spells an extent"
    for command in (("check", str(path)), ("compile", str(path), "-o", "model.so")):
        said = mlc(*command)
        assert said.status != 0 and "required: arithmetic of names and numbers" in said.err
    assert not Path("attacked").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("data/aotinductor/model/model.so", "holds compiled code"),
        ("data/constants/opaque_obj_0", "holds a pickled object of Python"),
    ],
)
def test_archives_with_code(name: str, message: str, archive: Callable[..., Path], mlc: CommandLine) -> None:
    path = _rewritten(archive(nn.Linear(4, 3), torch.randn(2, 4)), lambda _, data: data, {name: b"code"})
    said = mlc("check", str(path))
    assert said.status != 0 and message in said.err


def test_weights_that_are_programs(
    archive: Callable[..., Path], mlc: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def change(name: str, data: bytes) -> bytes:
        if name.endswith("_weights_config.json"):
            return data.replace(b'"use_pickle": false', b'"use_pickle": true').replace(
                b'"use_pickle":false', b'"use_pickle":true'
            )
        return _pickled(_Attack()) if "data/weights/weight" in name else data

    path = _rewritten(archive(nn.Linear(4, 3), torch.randn(2, 4)), change, {})
    said = mlc("check", str(path))
    assert said.status != 0 and "Traceback" not in said.err
    assert not Path("attacked").exists()
