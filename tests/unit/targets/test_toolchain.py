from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from mlc.support.errors import UserError
from mlc.targets import toolchain
from mlc.targets.cache import Cache
from mlc.targets.toolchain import Tool, find_clang, find_emulator, find_linker


def fake(folder: Path, name: str, version: str) -> Path:
    """A program that prints `version`, and notes each run in a file beside it."""
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "{version}"\necho run >> "{path}.runs"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with one folder, which holds the shell that the fake programs need and nothing else."""
    (folder := tmp_path / "bin").mkdir()
    shell = shutil.which("sh")
    assert shell is not None
    (folder / "sh").symlink_to(shell)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def no_zig(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_zig", lambda: None)


def test_the_newest_clang_wins(empty_path: Path, cache: Cache):
    fake(empty_path, "clang", "clang version 17.0.1")
    fake(empty_path, "clang-9", "clang version 9.0.0")
    fake(empty_path, "clang-18", "Debian clang version 18.1.0")
    fake(empty_path, "clang-format-21", "clang-format version 21.0.0")
    assert find_clang(None, cache).command == (str(empty_path / "clang-18"),)


def test_an_old_clang_is_passed_over_for_zig(empty_path: Path, cache: Cache):
    pytest.importorskip("ziglang")
    fake(empty_path, "clang-14", "clang version 14.0.6")
    assert find_clang(None, cache).command[1:] == ("clang",)


@pytest.mark.usefixtures("no_zig")
def test_no_clang(empty_path: Path, cache: Cache):
    with pytest.raises(UserError, match=r"needs clang 16 or newer \(found none on PATH\).*pip install ziglang, or"):
        find_clang(None, cache)
    fake(empty_path, "clang-14", "clang version 14.0.6")
    with pytest.raises(UserError, match=r"found only .*clang-14, which is version 14.*apt install clang-19"):
        find_clang(None, cache)


def test_named_clang(empty_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch):
    fake(empty_path, "clang-18", "clang version 18.1.0")
    mine = fake(empty_path, "my compiler", "clang version 19.1.0")
    assert find_clang(str(mine), cache).command == (str(mine),)
    monkeypatch.setenv("MLC_CC", f"'{mine}'")
    assert find_clang(None, cache).command == (str(mine),)
    assert find_clang("clang-18", cache).command == (str(empty_path / "clang-18"),)


@pytest.mark.parametrize("words", ["", " cc", " clang"])
def test_zig_is_told_to_be_clang(words: str, empty_path: Path, cache: Cache):
    fake(empty_path, "ld.lld-18", "LLD 18.1.0")
    zig = fake(empty_path, "zig", "clang version 20.1.0")
    for spelled in ("zig", shlex.quote(str(zig))):
        clang = find_clang(f"{spelled}{words}", cache)
        assert clang.command == (str(zig), "clang")
        assert find_linker("x86_64", clang, cache).command[:2] == (str(zig), "ld.lld")


@pytest.mark.parametrize("spelled", ["zig", "ziglang", "zig cc"])
def test_the_zig_of_the_package(spelled: str, empty_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch):
    (package := empty_path.parent / "package").mkdir()
    zig = fake(package, "zig", "clang version 20.1.0")
    monkeypatch.setattr(toolchain, "_zig", lambda: str(zig))
    clang = find_clang(spelled, cache)
    assert clang.command == (str(zig), "clang")
    assert find_linker("x86_64", clang, cache).origin == "package ziglang"


@pytest.mark.usefixtures("no_zig", "empty_path")
@pytest.mark.parametrize("spelled", ["zig", "ziglang"])
def test_a_zig_that_is_missing(spelled: str, cache: Cache):
    with pytest.raises(UserError, match=rf"cc names '{spelled}', which is not a program; install a clang: pip install"):
        find_clang(spelled, cache)


@pytest.mark.parametrize(
    "version, message",
    [
        ("gcc (GCC) 14.2.0", "cc names '.*/cc', which is not clang; name a clang 16 or newer"),
        ("clang version 15.0.7", "cc names '.*/cc', which is clang 15; required: 16 or newer"),
    ],
)
def test_named_clang_that_does_not_do(empty_path: Path, cache: Cache, version: str, message: str):
    with pytest.raises(UserError, match=message):
        find_clang(str(fake(empty_path, "cc", version)), cache)


def test_named_clang_that_is_missing(cache: Cache):
    with pytest.raises(UserError, match="cc names 'no-such-clang', which is not a program"):
        find_clang("no-such-clang", cache)


def test_versions_of_binaries_are_asked_once(tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch):
    shutil.copy(Path(sys.executable).resolve(), program := tmp_path / "python")
    found = [_version(program, cache)]
    with monkeypatch.context() as patch:
        patch.setattr("subprocess.run", None)
        found.append(_version(program, cache))
    assert found[0] == found[1]
    # A file of the same size and the same time, but of other contents.
    status, contents = program.stat(), bytearray(program.read_bytes())
    contents[-1] ^= 1
    program.write_bytes(contents)
    os.utime(program, ns=(status.st_atime_ns, status.st_mtime_ns))
    found.append(_version(program, cache))
    assert found[2].version == found[0].version and found[2].identity != found[0].identity


def _version(program: Path, cache: Cache) -> Tool:
    return toolchain._probe((str(program),), "a test", cache)  # pyright: ignore[reportPrivateUsage]


def test_scripts_are_asked_each_time(empty_path: Path, cache: Cache):
    """What they call may be another program next time."""
    version = empty_path / "version"
    path = empty_path / "clang-18"
    path.write_text(f'#!/bin/sh\nread line < "{version}"\necho "$line"\n')
    path.chmod(0o755)
    for number in ("18.1.0", "18.1.99"):
        version.write_text(f"clang version {number}\n")
        assert find_clang(None, cache).version == f"clang version {number}"


def test_the_contents_of_a_script_are_part_of_its_identity(empty_path: Path, cache: Cache):
    identities = {
        find_clang(None, cache).identity for _ in range(2) if fake(empty_path, "clang-18", "clang version 18")
    }
    (path := empty_path / "clang-18").write_text(path.read_text() + "# another flag\n")
    assert len({*identities, find_clang(None, cache).identity}) == 2


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exec sleep 60", r"has not answered --version after 0\.5 s"),
        ("kill -SEGV $$", "answers --version with signal SIGSEGV"),
        ("exit 3", "answers --version with exit status 3"),
        ("true", "prints nothing on --version"),
    ],
)
def test_programs_that_do_not_answer(
    script: str, message: str, empty_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
):
    (path := empty_path / "clang-18").write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{empty_path}:/bin:/usr/bin")
    monkeypatch.setenv(toolchain.TOOL_SECONDS, "0.5")
    with pytest.raises(UserError, match=rf"cc names '.*clang-18', which {message}; name a clang 16 or newer"):
        find_clang(str(path), cache)


@pytest.mark.parametrize("spelled", ["soon", "-1", "0", "inf"])
def test_a_limit_that_is_no_number_of_seconds(spelled: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(toolchain.TOOL_SECONDS, spelled)
    with pytest.raises(UserError, match=f"MLC_TOOL_SECONDS is '{spelled}'; required: a number of seconds"):
        toolchain.tool_seconds()


def test_a_relative_path_is_made_absolute(empty_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch):
    fake(empty_path, "mine", "clang version 19.1.0")
    monkeypatch.chdir(empty_path)
    assert find_clang("./mine", cache).command == (str(empty_path / "mine"),)


def test_options_of_the_environment_do_not_reach_clang(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CCC_OVERRIDE_OPTIONS", "+-O0")
    monkeypatch.setenv("CPATH", "/tmp")
    found = toolchain.tool_environment()
    assert "PATH" in found and not {"CCC_OVERRIDE_OPTIONS", "CPATH"} & found.keys()


def test_the_linker_of_the_same_release_comes_first(empty_path: Path, cache: Cache):
    fake(empty_path, "ld.lld-21", "LLD 21.0.0")
    fake(empty_path, "ld.lld-18", "LLD 18.1.0")
    fake(empty_path, "clang-18", "clang version 18.1.0")
    linker = find_linker("aarch64", find_clang(None, cache), cache)
    assert linker.command == (str(empty_path / "ld.lld-18"), "-m", "aarch64linux")


@pytest.mark.usefixtures("no_zig")
def test_no_linker(empty_path: Path, cache: Cache):
    with pytest.raises(UserError, match=r"found no linker for aarch64.*apt install clang-19 lld-19"):
        find_linker("aarch64", None, cache)


def test_emulator(empty_path: Path):
    assert find_emulator("aarch64") is None
    path = fake(empty_path, "qemu-aarch64", "")
    assert find_emulator("aarch64") == str(path)
