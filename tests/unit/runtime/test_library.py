from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mlc.runtime import ArtifactError, library, load


def test_a_replaced_file_is_loaded_anew(copy_library: Path, other_copy_library: Path, tmp_path: Path):
    path = tmp_path / "model.so"
    x = np.ones(1, np.float32)
    shutil.copy(copy_library, path)
    first = load(path)
    shutil.copy(other_copy_library, tmp_path / "new.so")
    (tmp_path / "new.so").replace(path)
    second = load(path)
    assert list(first.run({"x": x})) == ["y"]
    assert list(second.run({"x": x})) == ["z"]
    assert list(load(path).run({"x": x})) == ["z"]


def test_missing_file(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "model.so")


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"func.func @main() { return }\n"])
def test_not_a_library(tmp_path: Path, content: bytes):
    (tmp_path / "model.so").write_bytes(content)
    with pytest.raises(ArtifactError, match="is not a shared library of mlc; build one: mlc compile"):
        load(tmp_path / "model.so")


def _patched(source: Path, target: Path, offset: int, value: int) -> Path:
    """A copy of a library with another 16-bit field in its ELF header."""
    data = bytearray(source.read_bytes())
    data[offset : offset + 2] = value.to_bytes(2, "little")
    target.write_bytes(data)
    return target


def test_another_architecture(copy_library: Path, tmp_path: Path):
    with pytest.raises(
        ArtifactError, match=r"is for ELF machine 243 and this machine is \w+; compile it for target 'native'"
    ):
        load(_patched(copy_library, tmp_path / "riscv.so", 18, 243))


def test_an_object_file(copy_library: Path, tmp_path: Path):
    with pytest.raises(
        ArtifactError,
        match=r"is an object file or a program, not a shared library; build one: mlc compile model -o model.so",
    ):
        load(_patched(copy_library, tmp_path / "model.o", 16, 1))


def test_a_damaged_library(copy_library: Path, tmp_path: Path):
    (tmp_path / "cut.so").write_bytes(copy_library.read_bytes()[:100])
    with pytest.raises(ArtifactError, match="cannot be loaded: "):
        load(tmp_path / "cut.so")


def test_a_library_of_something_else():
    # numpy's own extension modules are shared libraries that every test machine has.
    other = next(Path(np.__file__).parent.rglob("_multiarray_umath*.so"))
    with pytest.raises(ArtifactError, match=r"holds no mlc model \(no mlc_<name>_signature\)"):
        load(other)


def test_another_function_name(copy_library: Path):
    with pytest.raises(ArtifactError, match=r"holds no mlc model 'encoder' \(no mlc_encoder_signature\)"):
        load(copy_library, "encoder")


def test_the_only_model_is_the_default(encoder_library: Path):
    for model in (load(encoder_library), load(encoder_library, "encoder")):
        assert model.signature.name == "encoder"
        assert model(np.ones(1, np.float32)).tolist() == [1.0]


def test_several_models_and_no_main(encoder_library: Path, monkeypatch: pytest.MonkeyPatch):
    # One build makes one model; a second name for it stands in for what a linker can put together.
    path = encoder_library.with_name("two.so")
    path.write_bytes(encoder_library.read_bytes() + b"\0mlc_decoder_signature\0")
    opened = SimpleNamespace(mlc_encoder_signature=None, mlc_decoder_signature=None)

    def open_both(_path: str) -> SimpleNamespace:
        return opened

    monkeypatch.setattr(library.ctypes, "CDLL", open_both)
    with pytest.raises(ArtifactError, match="holds the models 'decoder', 'encoder' and no 'main': load"):
        load(path)


def test_a_folder(tmp_path: Path):
    with pytest.raises(ArtifactError, match="cannot be read: Is a directory; required: a shared library of mlc"):
        load(tmp_path)


def test_features_that_the_cpu_lacks(copy_library: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(library, "_host_features", lambda: frozenset({"ssse3", "sse4_1"}))
    if library.platform.machine() != "x86_64":
        pytest.skip("features of x86")
    with pytest.raises(
        ArtifactError, match="compiled for x86-64-v2 and needs sse4_2, popcnt, which this CPU does not have"
    ):
        load(copy_library)
