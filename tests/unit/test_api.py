"""`mlc.parse`, `mlc.compile`, `mlc.load`: the Python API."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

import mlc
from mlc.targets import host
from mlc.targets.machine import resolve_target

_MODEL = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = graph.add %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
"""
_WITH_WEIGHTS = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = graph.constant dense_resource<w> : tensor<3xf32>
  %y = graph.mul %x, %w : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
"""
_X = np.array([1, 2, 3], np.float32)


@pytest.fixture
def weighted(tmp_path: Path) -> Path:
    save_file({"w": np.array([5, 6, 7], np.float32)}, tmp_path / "w.safetensors")
    path = tmp_path / "model.mlir"
    path.write_text(_WITH_WEIGHTS)
    return path


def test_text() -> None:
    np.testing.assert_array_equal(mlc.compile(_MODEL)(_X), _X + _X)


@pytest.mark.parametrize("kind", [str, Path])
def test_path(kind: type, weighted: Path) -> None:
    np.testing.assert_array_equal(mlc.compile(kind(weighted))(_X), [5, 12, 21])


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text("\ufeff" + _MODEL, encoding="utf-8")
    assert str(mlc.parse("\ufeff" + _MODEL)) == str(mlc.parse(path)) == str(mlc.parse(_MODEL))


def test_parsed_module_keeps_its_weights_and_stays_as_it_is(weighted: Path) -> None:
    module = mlc.parse(weighted)
    before = str(module)
    for _ in range(2):
        np.testing.assert_array_equal(mlc.compile(module, opt_level=1)(_X), [5, 12, 21])
    assert str(module) == before


def test_save_and_load(tmp_path: Path) -> None:
    mlc.compile(_MODEL).save(tmp_path / "m.so")
    np.testing.assert_array_equal(mlc.load(tmp_path / "m.so")(_X), _X + _X)


def test_a_function_of_any_name(tmp_path: Path) -> None:
    model = mlc.compile(_MODEL.replace("@main", "@encoder"))
    np.testing.assert_array_equal(model(_X), _X + _X)
    model.save(tmp_path / "m.so")
    assert mlc.load(tmp_path / "m.so").signature.name == "encoder"


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_levels(level: int) -> None:
    np.testing.assert_array_equal(mlc.compile(_MODEL, opt_level=level)(_X), _X + _X)


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(mlc.UserError, match="not found"):
        mlc.compile(tmp_path / "none.mlir")
    with pytest.raises(mlc.UserError, match="cannot read model"):
        mlc.parse(tmp_path)
    with pytest.raises(mlc.UserError, match="found an empty string as model; required: its text, or the path"):
        mlc.compile("")
    with pytest.raises(
        TypeError, match="found a model of type NoneType; required: its text, the path of a file of text"
    ):
        mlc.compile(None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"of type function; .*; what runs Python is for mlc.torch.compile or mlc.jax"):
        mlc.compile(lambda x: x)  # pyright: ignore[reportArgumentType, reportUnknownLambdaType]
    with pytest.raises(mlc.UserError, match="unknown target 'pdp11'"):
        mlc.compile(_MODEL, target="pdp11")
    with pytest.raises(mlc.UserError, match="found opt_level 9; required: 0, 1, 2 or 3"):
        mlc.compile(_MODEL, opt_level=9)
    with pytest.raises(mlc.UserError, match="at least 1"):
        mlc.compile(_MODEL, threads=0)
    (tmp_path / "bad.mlir").write_bytes(b"\xff")
    with pytest.raises(mlc.UserError, match="is not UTF-8 text"):
        mlc.parse(tmp_path / "bad.mlir")
    with pytest.raises(AttributeError, match="module 'mlc' has no attribute 'nothing'"):
        _ = mlc.nothing  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": None}, "found target=None; required: a name, such as 'native'"),
        ({"threads": "2"}, "found threads='2'; required: a whole number"),
        ({"threads": 2.0}, "found threads=2.0; required: a whole number"),
        ({"opt_level": "O3"}, "found opt_level='O3'; required: 0, 1, 2 or 3"),
        ({"cc": 3}, "found cc=3; required: the name or the path of a clang, or None"),
    ],
)
def test_options_have_types(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        mlc.compile(_MODEL, **options)


def test_options_of_numpy_and_pathlib() -> None:
    np.testing.assert_array_equal(mlc.compile(_MODEL, threads=cast(int, np.int64(1)))(_X), _X + _X)
    with pytest.raises(mlc.UserError, match=r"^cc names '/no/clang', which is not a program; install a clang: "):
        mlc.compile(_MODEL, cc=Path("/no/clang"))


def test_errors_name_arguments_not_flags() -> None:
    with pytest.raises(mlc.UserError, match=r"^cc names '/bin/true', which is not clang") as error:
        mlc.compile(_MODEL, cc="/bin/true")
    assert "--cc" not in str(error.value)


def _is_x86(arch: str) -> bool:
    return arch == "x86_64"


def test_a_target_that_does_not_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    other = "aarch64" if host.architecture() == "x86_64" else "x86-64-v2"
    with pytest.raises(mlc.ArtifactError) as error:
        mlc.compile(_MODEL, target=other)
    arch = resolve_target(other).arch
    assert str(error.value) == (
        f"this machine cannot run what target='{other}' gives: it is for {arch}; leave target out, or make a file for "
        f"another machine by the command: mlc compile MODEL --target {other} -o model.so"
    )
    there = resolve_target("x86-64-v2").required_cpu_flags

    def missing_flags(required: Iterable[str]) -> list[str]:
        return [flag for flag in required if flag not in there]

    monkeypatch.setattr(host, "executes", _is_x86)
    monkeypatch.setattr(host, "missing_flags", missing_flags)
    with pytest.raises(mlc.ArtifactError, match=r"gives: it needs .*avx2.*, which its CPU does not have; leave target"):
        mlc.compile(_MODEL, target="x86-64-v3")


def test_what_can_be_no_path() -> None:
    with pytest.raises(mlc.UserError, match=f"^cannot read model '{'x' * 100}…': File name too long$"):
        mlc.compile("x" * 5000)
    with pytest.raises(mlc.UserError, match=r"^cannot read model 'a\0b': embedded null byte$"):
        mlc.compile("a\0b")


def test_public_names_exist() -> None:
    for name in mlc.__all__:
        assert name in dir(mlc)
        assert getattr(mlc, name) is getattr(mlc, name)


def test_the_context_of_a_module_has_its_weights(weighted: Path) -> None:
    module = mlc.parse(weighted)
    np.testing.assert_array_equal(mlc.context_of(module).resources.array("w"), [5, 6, 7])
    with pytest.raises(
        mlc.UserError, match=r"mlc.parse has not read; required: one that it has, or mlc.new_context\(\)"
    ):
        mlc.context_of(module.clone())


def test_libraries_stay_where_somebody_wants_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_LIBRARY_DIR", str(tmp_path / "libraries"))
    with pytest.raises(mlc.UserError, match="which MLC_LIBRARY_DIR names: No such file or directory; make it, or name"):
        mlc.compile(_MODEL)
    (tmp_path / "libraries").mkdir()
    model = mlc.compile(_MODEL)
    (library,) = (tmp_path / "libraries").iterdir()
    assert (library.suffix, model.path) == (".so", library)
    del model
    assert list(mlc.load(library)(_X)) == [2, 4, 6]
    monkeypatch.setenv("MLC_LIBRARY_DIR", "")
    temporary = mlc.compile(_MODEL).path
    assert not temporary.exists()
    assert list((tmp_path / "libraries").iterdir()) == [library]
