"""A model that was compiled before is not compiled again, and one that differs in anything is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

import mlc
from mlc.compiler import recall
from mlc.compiler.compilation import Compilation, ModelText, new_context
from mlc.compiler.options import CompileOptions
from mlc.compiler.recall import Recipe
from mlc.support.bindings import Bindings
from mlc.support.errors import UserError
from mlc.targets import toolchain
from mlc.targets.cache import Cache
from mlc.targets.toolchain import find_clang

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_MODEL = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = graph.constant dense_resource<w> : tensor<3xf32>
  %y = graph.mul %x, %w : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
"""
_X = np.array([1, 2, 3], np.float32)


@pytest.fixture
def compilations(lowered_levels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The levels that models were lowered to, from here on, in a folder and with a cache of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    # Plugins that other tests loaded stay loaded.
    monkeypatch.setattr(recall, "plugin_files", set[str]())
    Path("model.mlir").write_text(_MODEL)
    _save_weights(2)
    return lowered_levels


def _save_weights(factor: float) -> None:
    save_file({"w": np.full(3, factor, np.float32)}, "w.safetensors")
    # Only files that are older than a compilation are trusted to be what it read.
    while Path("w.safetensors").stat().st_ctime_ns >= time.time_ns():
        time.sleep(0.001)


def test_the_same_model_is_compiled_once(compilations: list[str]) -> None:
    first, second = mlc.compile("model.mlir"), mlc.compile("model.mlir")
    assert compilations == ["loop", "llvm"]
    assert first.path != second.path
    np.testing.assert_array_equal(second(_X), 2 * _X)


def test_other_weights_are_another_model(compilations: list[str]) -> None:
    mlc.compile("model.mlir")
    before = Path("w.safetensors").stat()
    _save_weights(5)
    os.utime("w.safetensors", ns=(before.st_atime_ns, before.st_mtime_ns))
    np.testing.assert_array_equal(mlc.compile("model.mlir")(_X), 5 * _X)
    _save_weights(2)
    np.testing.assert_array_equal(mlc.compile("model.mlir")(_X), 2 * _X)
    assert compilations == ["loop", "llvm"] * 2


def test_weights_that_change_during_a_compilation_are_not_remembered(compilations: list[str]) -> None:
    build = Compilation.build_program

    def changing(self: Compilation, *arguments: object, **options: object) -> object:
        report = build(self, *arguments, **options)  # pyright: ignore[reportArgumentType]
        _save_weights(7)
        return report

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compilation, "build_program", changing)
        mlc.compile("model.mlir")
    np.testing.assert_array_equal(mlc.compile("model.mlir")(_X), 7 * _X)


def test_files_that_are_younger_than_a_compilation_are_not_trusted(compilations: list[str]) -> None:
    """Within a tick of the clock of files a second change does not show."""
    ctx = new_context()
    report: Any = SimpleNamespace(key="ab" * 32)
    ctx.resources.open_file("weights", "w.safetensors", Path(), None)
    recipe = Recipe(ModelText("model.mlir", Path(), _MODEL), CompileOptions(), "shared", created=0)
    recipe.remember(ctx, report)
    assert recipe.weight_files() is None
    replace(recipe, created=time.time_ns()).remember(ctx, report)
    assert recipe.weight_files() == [Path("w.safetensors")]


def test_missing_weights_are_an_error(compilations: list[str]) -> None:
    mlc.compile("model.mlir")
    Path("w.safetensors").unlink()
    with pytest.raises(UserError, match=r"weight file 'w\.safetensors' not found"):
        mlc.compile("model.mlir")


def test_each_option_matters(compilations: list[str]) -> None:
    text = ModelText("model.mlir", Path(), _MODEL)
    options = [
        CompileOptions(),
        CompileOptions(target="x86-64-v2"),
        CompileOptions(threads=2),
        CompileOptions(opt_level=1),
        CompileOptions(accuracy="fast"),
        CompileOptions(precision="bf16"),
    ]
    recipes = [Recipe(text, each, "shared") for each in options]
    recipes += [Recipe(text, options[0], "obj"), Recipe(ModelText("m", Path(), _MODEL + "\n"), options[0], "shared")]
    assert len({recipe._key for recipe in recipes}) == len(recipes)  # pyright: ignore[reportPrivateUsage]
    mlc.compile("model.mlir")
    assert [recipe.recall(Path("again.so")) for recipe in recipes] == [True, *[False] * 7]
    assert os.access("again.so", os.X_OK)


def test_the_key_covers_all_that_has_an_influence(compilations: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each option, what comes out, the model, the compiler, clang, and the linker that it needs."""
    Path("records.jsonl").write_text("{}\n")
    Path("clang-of-mine").write_text(f'#!/bin/sh\nexec {" ".join(find_clang(None, Cache.default()).command)} "$@"\n')
    Path("clang-of-mine").chmod(0o755)
    others: dict[str, Any] = {
        "target": "x86-64-v2",
        "threads": 2,
        "opt_level": 1,
        "cc": "./clang-of-mine",
        "prefix": "my_",
        "bindings": Bindings(shapes={"x": (3,)}),
        "accuracy": "fast",
        "precision": "bf16",
        "caches": "f16",
        "records": "records.jsonl",
        "instrument": "kernels",
        "debug_info": "model",
    }
    assert {*others, "suffix"} == {each.name for each in fields(CompileOptions)}, "suffixes are made of bindings"

    def key(options: CompileOptions, text: str = _MODEL, form: str = "shared") -> str:
        return Recipe(ModelText("model.mlir", Path(), text), options, form)._key  # pyright: ignore[reportPrivateUsage]

    plain = CompileOptions()
    keys = [key(plain), key(plain, _MODEL + "\n"), key(plain, form="obj"), key(plain, form="exe")]
    keys += [key(replace(plain, **{name: value})) for name, value in others.items()]
    Path("records.jsonl").write_text("{} \n")
    keys.append(key(replace(plain, records="records.jsonl")))
    for name in ("compiler_identity", "find_clang", "find_linker"):
        with monkeypatch.context() as patch:
            owner = recall if name == "compiler_identity" else toolchain
            found = getattr(owner, name)
            other = (lambda: "other") if name == "compiler_identity" else _relabelled(found)
            patch.setattr(owner, name, other)
            keys.append(key(plain))
    assert len(set(keys)) == len(keys)
    assert keys[0] == key(plain)


def _relabelled(find: Callable[..., Any]) -> Callable[..., Any]:
    """A search for a tool that finds one of other contents."""
    return lambda *arguments: SimpleNamespace(identity="other", command=find(*arguments).command)


@pytest.mark.parametrize("what", ["load_options", "_joins_all_compilations"])
def test_what_a_process_may_add_ends_recalling(
    what: str, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mlc.compile("model.mlir", opt_level=0)
    recipe = Recipe(ModelText("model.mlir", Path(), _MODEL), CompileOptions(opt_level=0), "shared")
    assert recipe.recall(Path("again.so"))
    monkeypatch.setattr(recall, what, lambda: ["--load-dialect=d.py"])
    assert not recipe.recall(Path("again.so"))
    mlc.compile("model.mlir", opt_level=0)
    assert compilations == ["loop", "llvm"] * 2


def test_headers_are_not_recalled(compilations: list[str]) -> None:
    recipe = Recipe(ModelText("model.mlir", Path(), _MODEL), CompileOptions(), "header")
    assert recipe.weight_files() is None and not recipe._is_complete()  # pyright: ignore[reportPrivateUsage]


def test_versions_of_packages_are_part_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    versions: dict[str, str] = {"onnx": "1", "torch": "1", "numpy": "1"}

    def version(package: str) -> str:
        return versions.get(package, "")

    def identity() -> str:
        recall.compiler_identity.cache_clear()
        return recall.compiler_identity()

    with monkeypatch.context() as patch:
        patch.setattr(recall, "_version", version)
        found = [identity()]
        for package in versions:
            versions[package] = "2"
            found.append(identity())
    assert len(set(found)) == len(found)
    recall.compiler_identity.cache_clear()


def test_plugins_are_not_recalled(compilations: list[str]) -> None:
    mlc.compile("model.mlir")
    recall.plugin_files.add("plugin.py")
    mlc.compile("model.mlir")
    assert compilations == ["loop", "llvm"] * 2


def test_the_compiler_itself_is_part_of_the_recipe() -> None:
    recall.compiler_identity.cache_clear()
    before = recall.compiler_identity()
    source = Path(recall.__file__).parents[1] / "passes" / "loop" / "tile.py"
    assert len(before) == 64
    read: list[Path] = []
    contents = recall._contents  # pyright: ignore[reportPrivateUsage]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recall, "_contents", lambda file: read.append(file) or contents(file))  # pyright: ignore
        recall.compiler_identity.cache_clear()
        assert recall.compiler_identity() == before
    folders = {file.relative_to(Path(recall.__file__).parents[1]).parts[0] for file in read}
    assert source in read
    assert {
        "api.py",
        "compiler",
        "dialects",
        "frontends",
        "passes",
        "reference",
        "runtime",
        "schedules",
        "support",
        "syntax",
    } <= folders
    assert not folders & {"tests", "tools", "benchmarks"}


def test_the_command_line_recalls_unless_it_watches(compilations: list[str], mlc: CommandLine) -> None:
    assert mlc("compile", "model.mlir", "-o", "a.so").status == 0
    assert mlc("compile", "model.mlir", "-o", "b.so").status == 0
    assert compilations == ["loop", "llvm"]
    assert Path("a.so").read_bytes() == Path("b.so").read_bytes()
    assert mlc("compile", "model.mlir", "-o", "c.so", "--timing").err != ""
    assert mlc("compile", "model.mlir", "-o", "c.so", "--check-each").status == 0
    assert compilations == ["loop", "llvm"] * 3
    result = mlc("compile", "model.mlir", "-o", "w.safetensors", "--emit=shared")
    assert "'w.safetensors' is an input; choose another output" in result.err


def test_warnings_are_told_again(compilations: list[str], request: pytest.FixtureRequest) -> None:
    command: CommandLine = request.getfixturevalue("mlc")
    Path("named.mlir").write_text(
        """func.func @main(%x: tensor<1x2xf32>) -> tensor<*xf32> {
  %y = onnx.ai.onnx.ml.ZipMap %x {classlabels_strings = ["cat", "dog"]} : (tensor<1x2xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
"""
    )
    told: list[str] = []
    for _ in range(2):
        with pytest.warns(UserWarning, match="ZipMap: its maps become a tensor") as caught:
            mlc.compile("named.mlir")
        told += [str(each.message) for each in caught]
    assert told[0] == told[1] and len(told) == 2
    first, second = (command("compile", "named.mlir", "-o", "named.o").err for _ in range(2))
    assert first.splitlines()[0] == second.splitlines()[0]
    assert "named.mlir:2:8: warning: ZipMap: its maps become a tensor" in second
    Path("named.mlir").rename("other.mlir")
    assert (
        "other.mlir:2:8: warning: ZipMap: its maps become a tensor" in command("compile", "other.mlir", "-o", "o.o").err
    )
    assert compilations == ["loop", "llvm"] * 2
