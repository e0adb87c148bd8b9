from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mlc import architectures
from mlc.runtime import ArtifactError, library, load
from mlc.targets.cache import Cache
from mlc.targets.toolchain import find_clang


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


@pytest.mark.parametrize("content", [b"", b"MZ" + bytes(100), b"func.func @main() { return }\n"])
def test_not_a_library(tmp_path: Path, content: bytes):
    (tmp_path / "model.so").write_bytes(content)
    message = "is not a shared library of mlc, it is not an ELF file; build one: mlc compile model -o model.so"
    with pytest.raises(ArtifactError, match=message):
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
        match=r"is not a shared library of mlc, it is an object file or a program; build one: mlc compile model",
    ):
        load(_patched(copy_library, tmp_path / "model.o", 16, 1))


def test_a_32_bit_file(copy_library: Path, tmp_path: Path):
    with pytest.raises(ArtifactError, match="it is for a machine that is not 64-bit and little-endian; build one"):
        load(_patched(copy_library, tmp_path / "model.so", 4, 0x0101))


_LOAD_ALL = """
import sys
from pathlib import Path
from mlc.runtime import ArtifactError, load

source, scratch = Path(sys.argv[1]), Path(sys.argv[2])
content = source.read_bytes()
steps = {*range(0, len(content), max(1, len(content) // 200)), *range(80), len(content) - 1}
for size in sorted(steps):
    for rest in (b"", bytes(len(content) - size)):
        if size + len(rest) < len(content) or rest.strip(bytes(1)) != content[size:].strip(bytes(1)):
            scratch.unlink(missing_ok=True)  # one that was loaded stays mapped
            scratch.write_bytes(content[:size] + rest)
            try:
                load(scratch)
            except ArtifactError as e:
                print(str(e).removeprefix(f"'{scratch}' "))
"""


def test_a_library_that_was_cut_off_is_never_mapped(copy_library: Path, tmp_path: Path):
    """At any length, and where the rest of the file is zeros: in a process of its own, for a signal would end it."""
    command = [sys.executable, "-c", _LOAD_ALL, str(copy_library), str(tmp_path / "cut.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    messages = done.stdout.splitlines()
    assert len(messages) > 400
    assert messages[0].startswith("is not a shared library of mlc, it is not an ELF file")
    size = copy_library.stat().st_size
    assert re.fullmatch(
        rf"is damaged: it has {size - 1} bytes, and a \w[\w ]+ ends at byte {size}; copy it again, or compile it again",
        messages[-1],
    )


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (0x20, 0xFFF0, "a table of segments ends at byte"),
        (0x28, 0xFFF0, "a table of sections ends at byte"),
        (0x28, 0, "its table of sections is missing"),
        (0x36, 32, "the sizes in its ELF header are wrong"),
        (0x38, 0, "it has nothing for the dynamic linker"),
        (0x38, 0xFFFF, "a table of segments ends at byte"),
    ],
)
def test_a_damaged_header(copy_library: Path, tmp_path: Path, field: int, value: int, message: str):
    with pytest.raises(ArtifactError, match=f"is damaged: .*{message}"):
        load(_patched(copy_library, tmp_path / "damaged.so", field, value))


def test_a_library_of_something_else():
    # numpy's own extension modules are shared libraries that every test machine has.
    other = next(Path(np.__file__).parent.rglob("_multiarray_umath*.so"))
    with pytest.raises(ArtifactError, match=r"holds no mlc model \(no mlc_<name>_signature\)"):
        load(other)


def test_another_function_name(copy_library: Path):
    with pytest.raises(ArtifactError, match=r"no mlc model 'encoder' \(no mlc_encoder_signature\); it holds 'main'"):
        load(copy_library, "encoder")


def test_the_only_model_is_the_default(encoder_library: Path):
    for model in (load(encoder_library), load(encoder_library, "encoder")):
        assert model.signature.name == "encoder"
        assert model(np.ones(1, np.float32)).tolist() == [1.0]


def test_several_models_and_no_main(pair_library: Path):
    with pytest.raises(ArtifactError, match="holds the models 'decoder', 'encoder' and no 'main': load"):
        load(pair_library)
    assert load(pair_library, "decoder").signature.name == "decoder"


def test_a_signature_of_another_kind(tmp_path: Path):
    text = 'const char *mlc_main_signature(void) { return "{}"; } int mlc_main(void) { return 0; }'
    clang = find_clang(None, Cache.default())
    command = [*clang.command, "-shared", "-nostdlib", "-fPIC", "-x", "c", "-", "-o", "model.so"]
    subprocess.run(command, input=text, text=True, check=True, cwd=tmp_path)
    with pytest.raises(ArtifactError, match="in a way that this version of mlc does not know; compile it again"):
        load(tmp_path / "model.so")


def test_a_folder(tmp_path: Path):
    with pytest.raises(ArtifactError, match="cannot be read: Is a directory; required: a shared library of mlc"):
        load(tmp_path)


def test_features_that_the_cpu_lacks(copy_library: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(architectures, "_present_features", lambda: frozenset({"ssse3", "sse4_1"}))
    if library.platform.machine() != "x86_64":
        pytest.skip("features of x86")
    with pytest.raises(
        ArtifactError, match="compiled for x86-64-v2 and needs sse4_2, popcnt, which this CPU does not have"
    ):
        load(copy_library)
