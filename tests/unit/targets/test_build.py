from __future__ import annotations

import ctypes
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from mlc import runtime
from mlc.architectures.aarch64 import AUXILIARY_BITS
from mlc.architectures.cpuid import CPUID_BITS, CpuidBit
from mlc.support.errors import CompilerBug, UserError
from mlc.targets import host, toolchain
from mlc.targets.build import BuildReport, OutputKind, build
from mlc.targets.cache import Cache
from mlc.targets.machine import Machine, resolve_target
from mlc.targets.program import Kernel, Program, TensorSpec
from mlc.targets.toolchain import find_clang, find_emulator, find_linker

MakeProgram = Callable[..., Program]

N = 16
X = np.linspace(-1, 1, N, dtype=np.float32)
Y = 2 * X + np.arange(N, dtype=np.float32)


@pytest.fixture(params=["system", "zig"])
def either_clang(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test with a clang on PATH, and with PATH empty."""
    if request.param == "zig":
        pytest.importorskip("ziglang")
        monkeypatch.setenv("PATH", "/nonexistent")
    elif find_clang(None, Cache.default()).origin != "on PATH":
        pytest.skip("no clang on PATH")
    return request.param


def readelf(*arguments: str) -> str:
    command = ["/usr/bin/readelf", "-W", *arguments]
    if not Path(command[0]).exists():
        pytest.skip("readelf is not installed")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.usefixtures("either_clang")
@pytest.mark.parametrize("target", ["native", "neoverse-n1"])
def test_shared(make_program: MakeProgram, tmp_path: Path, target: str):
    machine = resolve_target(target)
    output = tmp_path / "model.so"
    build(make_program(machine), machine, "shared", output)
    assert "NEEDED" not in readelf("-d", str(output))
    exported = re.findall(r"(?:GLOBAL|WEAK)\s+DEFAULT\s+(\w+) (\w+)", readelf("--dyn-syms", str(output)))
    assert {name for _, name in exported} == {"mlc_main", "mlc_main_signature", "mlc_main_workspace_bytes"}
    assert all(section != "UND" for section, _ in exported)
    if target == "native":
        np.testing.assert_array_equal(runtime.load(output)(X), Y)
    else:
        with pytest.raises(runtime.ArtifactError, match="is for aarch64 and this machine is x86_64"):
            runtime.load(output)


@pytest.mark.usefixtures("either_clang")
@pytest.mark.parametrize("target", ["x86-64-v2", "neoverse-n1"])
def test_exe(make_program: MakeProgram, tmp_path: Path, target: str):
    machine = resolve_target(target)
    emulator = [] if machine.arch == resolve_target("native").arch else [_emulator()]
    model = tmp_path / "model"
    build(make_program(machine), machine, "exe", model)

    def run(data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*emulator, str(model), *arguments], input=data, capture_output=True, check=False)

    twice = run(X.tobytes() * 2, "--repeat", "3")
    assert twice.returncode == 0
    np.testing.assert_array_equal(np.frombuffer(twice.stdout, np.float32), np.concatenate([Y, Y]))
    assert re.fullmatch(rb"(\d+ ns per call\n){2}", twice.stderr)
    assert run(b"").stdout == b""
    assert b'"name": "main"' in run(b"", "--signature").stdout
    cut = run(X.tobytes() * 2 + b"abc")
    assert (cut.returncode, cut.stdout) == (1, Y.tobytes() * 2)
    needed = b"found 3 bytes; required: %d for each call" % X.nbytes
    assert cut.stderr == b"error: the input ended in the middle of a call: " + needed + b"\n"
    assert run(b"", "--repeat", "0").stderr == b"error: --repeat takes a number from 1 to 9999999999\n"
    assert run(b"", "--what").returncode == 2


_ABSENT = {"x86_64": (CPUID_BITS, CpuidBit(7, 0, 3, 0)), "aarch64": (AUXILIARY_BITS, (16, 63))}
"""For each architecture the table of features, and a bit that is reserved: 0 on all CPUs."""


@pytest.mark.parametrize("target", ["native", "neoverse-n1"])
def test_an_executable_says_what_the_cpu_lacks(
    make_program: MakeProgram, tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
):
    machine = resolve_target(target)
    is_here = machine.arch == resolve_target("native").arch
    assert not is_here or host.can_run(machine.arch, machine.required_cpu_flags)
    emulator = [] if is_here else [_emulator()]
    table, absent = _ABSENT[machine.arch]
    for name in ("absent", "imagined"):
        monkeypatch.setitem(cast(Any, table), name, absent)
    lacking = replace(machine, features=(*machine.features, "absent", "imagined"))
    build(make_program(machine), lacking, "exe", tmp_path / "model")
    result = subprocess.run([*emulator, str(tmp_path / "model")], input=X.tobytes(), capture_output=True, check=False)
    needs = f"compiled for {machine.cpu} and needs absent, imagined, which this CPU does not have"
    assert (result.returncode, result.stdout) == (1, b"")
    assert result.stderr.decode() == f"error: the model was {needs}\n"


def _emulator() -> str:
    for path in ("/usr/bin/qemu-aarch64-static", "/usr/bin/qemu-aarch64", find_emulator("aarch64")):
        if path and Path(path).exists():
            return path
    pytest.skip("no emulator for aarch64")


@pytest.mark.parametrize(("kind", "suffix"), [("obj", ".o"), ("archive", ".a")])
@pytest.mark.usefixtures("either_clang")
def test_two_objects_with_equal_names_link_into_one_program(
    kind: OutputKind, suffix: str, make_program: MakeProgram, tmp_path: Path
):
    """Both models have a kernel `double_plus` and a weight `w`; their weights differ."""
    machine = resolve_target("native")
    assert host.can_run(machine.arch, machine.required_cpu_flags)
    for name, weight in (("one", 1.0), ("two", 10.0)):
        build(make_program(machine, name, weight), machine, kind, tmp_path / f"{name}{suffix}")
        build(make_program(machine, name, weight), machine, "header", tmp_path / f"{name}.h")
        undefined = re.findall(r" UND (\w+)", readelf("-s", str(tmp_path / f"{name}{suffix}")))
        assert undefined == []
    (tmp_path / "host.c").write_text(
        """#include "one.h"
#include "two.h"
_Static_assert(MLC_ONE_INPUTS == 1 && MLC_TWO_WORKSPACE_BYTES == 256, "");
float both(const float *x) {
    float y[2][16];
    const void *inputs[] = {x};
    void *outputs[2][1] = {{y[0]}, {y[1]}};
    mlc_one(inputs, outputs[0], 0);
    mlc_two(inputs, outputs[1], 0);
    return y[0][3] * 1000 + y[1][3] + mlc_one_outputs[0].shape[0] + mlc_two_inputs[0].rank;
}
"""
    )
    clang = find_clang(None, Cache.default())
    flags = [*machine.clang_flags, "-fPIC", "-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c11"]
    subprocess.run([*clang.command, *flags, "-c", "host.c", "-o", "host.o"], cwd=tmp_path, check=True)
    linker = find_linker(machine.arch, clang, Cache.default())
    objects = ["host.o", f"one{suffix}", f"two{suffix}"]
    subprocess.run([*linker.command, "-shared", "-z", "defs", *objects, "-o", "host.so"], cwd=tmp_path, check=True)
    both = ctypes.CDLL(str(tmp_path / "host.so")).both
    both.restype = ctypes.c_float
    x = np.zeros(N, np.float32)
    assert both(x.ctypes.data_as(ctypes.c_void_p)) == 3 * 1000 + 30 + 16 + 1


def test_a_static_library_is_what_ar_makes(make_program: MakeProgram, tmp_path: Path):
    """Names of any length; the table of symbols says where they are defined."""
    ar = next((path for name in ("ar", "llvm-ar-19", "llvm-ar") if (path := shutil.which(name))), None)
    nm = next((path for name in ("nm", "llvm-nm-19", "llvm-nm") if (path := shutil.which(name))), None)
    if ar is None or nm is None:
        pytest.skip("neither ar nor llvm-ar is installed")
    machine = resolve_target("native")
    for name in ("short", "a_name_that_has_to_stand_in_the_table_of_long_ones"):
        build(make_program(machine, name), machine, "archive", tmp_path / "model.a")
        members = subprocess.run([ar, "t", "model.a"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        assert members == f"mlc_{name}.o\n"
        table = subprocess.run([nm, "-s", "model.a"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        symbols = ("", "_signature", "_workspace_bytes")
        index = [line for line in table.splitlines() if " in " in line]
        assert index == [f"mlc_{name}{suffix} in mlc_{name}.o" for suffix in symbols]


def test_headers_of_two_models_of_one_name_do_not_hide_each_other(make_program: MakeProgram, tmp_path: Path):
    machine = resolve_target("native")
    one = make_program(machine)
    other = replace(one, signature=replace(one.signature, outputs=(TensorSpec("z.1", "float32", (2 * N,)),)))
    for file, program in (("one", one), ("same", one), ("other", other)):
        build(program, machine, "header", tmp_path / f"{file}.h")
    assert "enum { MLC_MAIN_OUTPUT_z_1 = 0 };" in (tmp_path / "other.h").read_text()
    clang = find_clang(None, Cache.default())
    command = [*clang.command, *machine.clang_flags, "-fsyntax-only", "host.c"]
    for second, message in (("same", ""), ("other", "redefinition of enumerator 'MLC_MAIN_INPUT_x'")):
        (tmp_path / "host.c").write_text(f'#include "one.h"\n#include "{second}.h"\n')
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == (1 if message else 0) and message in done.stderr


@pytest.mark.usefixtures("either_clang")
def test_asm(make_program: MakeProgram, tmp_path: Path):
    machine = resolve_target("skylake-avx512")
    build(make_program(machine), machine, "asm", tmp_path / "model.s")
    text = (tmp_path / "model.s").read_text()
    assert "double_plus:" in text and "mlc_main:" in text and "zmm" in text
    clang = find_clang(None, Cache.default())
    command = [*clang.command, *machine.clang_flags, "-c", "model.s", "-o", "model.o"]
    subprocess.run(command, cwd=tmp_path, check=True)


class Counting:
    """A clang that counts how often it compiles."""

    def __init__(self, folder: Path) -> None:
        clang = find_clang(None, Cache.default())
        self.runs, self.path = folder / "runs", folder / "counting-clang"
        self.runs.write_text("")
        # Scripts are asked for their version each time.
        count = f'[ "$1" = --version ] || echo run >> "{self.runs}"'
        self.path.write_text(f'#!/bin/sh\n{count}\nexec {" ".join(clang.command)} "$@"\n')
        self.path.chmod(0o755)

    def count(self) -> int:
        count = len(self.runs.read_text().splitlines())
        self.runs.write_text("")
        return count


def test_a_second_build_starts_nothing(make_program: MakeProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    machine, clang = resolve_target("native"), Counting(tmp_path)
    program = make_program(machine)

    def rebuild(program: Program, kind: OutputKind = "shared") -> BuildReport:
        return build(program, machine, kind, tmp_path / "model", cc=str(clang.path))

    first = rebuild(program)
    assert (first.units, first.cache_hits, first.linked) == (2, 0, True)
    assert clang.count() == 2
    content = (tmp_path / "model").read_bytes()
    mode = (tmp_path / "model").stat().st_mode
    again = rebuild(program)
    assert (again.cache_hits, again.linked, clang.count()) == (2, False, 0)
    assert (tmp_path / "model").read_bytes() == content and (tmp_path / "model").stat().st_mode == mode
    # Other weights: linked again, no unit compiled.
    assert rebuild(make_program(machine, weight=2.0)).cache_hits == 2
    assert clang.count() == 0
    # Another kind of artifact shares the units, and adds the runner.
    assert rebuild(program, "exe").cache_hits == 2
    assert clang.count() == 1
    # With a clang that is not a script, not even its version is asked for.
    build(program, machine, "shared", tmp_path / "model")
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", None)
        again = build(program, machine, "shared", tmp_path / "model")
    assert (again.cache_hits, again.linked) == (2, False)


def test_a_damaged_cache_is_rebuilt(make_program: MakeProgram, tmp_path: Path, own_cache: Path):
    machine = resolve_target("native")
    build(make_program(machine), machine, "shared", tmp_path / "model.so")
    for entry in own_cache.glob("??/*"):
        entry.write_bytes(entry.read_bytes()[:-1])
    report = build(make_program(machine), machine, "shared", tmp_path / "model.so")
    assert (report.cache_hits, report.linked) == (0, True)
    np.testing.assert_array_equal(runtime.load(tmp_path / "model.so")(X), Y)


def test_a_cache_that_cannot_be_written(make_program: MakeProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "file" / "cache"))
    machine = resolve_target("native")
    for _ in range(2):
        assert build(make_program(machine), machine, "shared", tmp_path / "model.so").cache_hits == 0


def test_equal_units_are_compiled_once(make_program: MakeProgram, tmp_path: Path):
    machine = resolve_target("native")
    program = make_program(machine)
    seen: list[tuple[int, int]] = []
    report = build(
        replace(program, kernels=[*program.kernels] * 5),
        machine,
        "shared",
        tmp_path / "model.so",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert report.units == 2
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_a_kernel_has_a_level_of_its_own(make_program: MakeProgram, tmp_path: Path):
    """Code of -O0 keeps values in memory, and neither is taken for the other, in the cache and in the artifact."""
    machine, texts = resolve_target("native"), list[str]()
    program = make_program(machine)
    for level, compiled in ((None, 2), (0, 1), (3, 1), (None, 0)):
        kernels = [replace(kernel, opt_level=level) for kernel in program.kernels]
        report = build(replace(program, kernels=kernels), machine, "asm", tmp_path / "model.s")
        assert report.units - report.cache_hits == compiled
        texts.append((tmp_path / "model.s").read_text())
    assert texts[0] == texts[2] == texts[3] and len(texts[1].splitlines()) > len(texts[0].splitlines())


def test_builds_are_reproducible(make_program: MakeProgram, tmp_path: Path):
    machine = resolve_target("native")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        build(
            make_program(machine),
            machine,
            "obj",
            tmp_path / name / "m.o",
            cache=Cache(tmp_path / name / "cache"),
        )
    assert (tmp_path / "a/m.o").read_bytes() == (tmp_path / "b/m.o").read_bytes()


def test_large_copies_need_no_library(make_program: MakeProgram, tmp_path: Path):
    """LLVM turns this intrinsic into a call of memcpy."""
    machine = resolve_target("native")
    entry = f"""define i32 @mlc_main(ptr %inputs, ptr %outputs, ptr %workspace) {{
  %x = load ptr, ptr %inputs
  %y = load ptr, ptr %outputs
  %size = load i64, ptr @size
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 %size, i1 false)
  ret i32 0
}}
@size = global i64 {4 * N}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
    program = replace(make_program(machine), entry=Kernel("main", entry), kernels=[], weights=[])
    build(program, machine, "shared", tmp_path / "model.so")
    np.testing.assert_array_equal(runtime.load(tmp_path / "model.so")(X), X)
    build(program, machine, "obj", tmp_path / "model.o")
    assert "UND memcpy" not in readelf("-s", str(tmp_path / "model.o"))


def test_code_that_clang_refuses(make_program: MakeProgram, tmp_path: Path):
    machine = resolve_target("native")
    program = replace(make_program(machine), kernels=[Kernel("broken", "define void @broken() { ret i32 0 }")])
    with pytest.raises(CompilerBug, match="refuses the code of 'broken'") as error:
        build(program, machine, "shared", tmp_path / "model.so")
    assert error.value.stage == "clang" and "error: value doesn't match function result type" in error.value.details
    assert not (tmp_path / "model.so").exists()


def test_undefined_symbols_are_a_bug_even_in_objects(make_program: MakeProgram, tmp_path: Path):
    machine = resolve_target("native")
    with pytest.raises(CompilerBug, match="refers to symbols that nothing defines: w"):
        build(replace(make_program(machine), weights=[]), machine, "obj", tmp_path / "model.o")


@pytest.mark.parametrize(
    "failure",
    ['echo "error: IO failure on output stream: No space left on device" >&2; exit 1', "kill -s BUS $$"],
    ids=["message", "signal"],
)
def test_a_clang_that_reports_a_full_disk(failure: str, make_program: MakeProgram, tmp_path: Path):
    clang = tmp_path / "clang"
    clang.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "clang version 19.0.0" && exit 0\n{failure}\n')
    clang.chmod(0o755)
    machine = resolve_target("native")
    with pytest.raises(UserError, match="the disk is full"):
        build(make_program(machine), machine, "shared", tmp_path / "model.so", cc=str(clang))


def test_an_interrupt_leaves_nothing(tmp_path: Path):
    """Ctrl-C while clang works: both end, and no file stays."""
    clang = tmp_path / "clang"
    started = tmp_path / "started"
    clang.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo "clang version 19.0.0" && exit 0\n'
        f'echo >> "{started}"\nexec sleep 1000\n'
    )
    clang.chmod(0o755)
    (out := tmp_path / "out").mkdir()
    script = f"""
from pathlib import Path
from mlc.targets.build import build
from mlc.targets.machine import resolve_target
from mlc.targets.program import *
kernels = [Kernel(str(i), f"; {{i}}") for i in range(8)]
build(Program(kernels, Kernel("m", ""), Signature("main", (), (), 0, "0")), resolve_target("native"), "shared",
      Path({str(out / "m.so")!r}), cc={str(clang)!r})
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stderr=subprocess.PIPE,
        # A shell that runs tests in the background lets them ignore this signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 120
    while not started.exists():
        assert process.poll() is None and time.monotonic() < deadline, "clang was not started"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=120)
    assert b"KeyboardInterrupt" in messages
    assert list(out.iterdir()) == []


def test_gnu_ld_links_for_the_host(make_program: MakeProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    machine: Machine = resolve_target("native")
    ld = Path("/usr/bin/ld")
    if not ld.exists():
        pytest.skip("no system linker")
    monkeypatch.setattr(toolchain, "_linkers", lambda _arch, _clang: iter([((str(ld),), "on PATH")]))  # pyright: ignore
    build(make_program(machine), machine, "shared", tmp_path / "model.so")
    np.testing.assert_array_equal(runtime.load(tmp_path / "model.so")(X), Y)
    build(make_program(machine), machine, "obj", tmp_path / "model.o")
    assert "LOCAL  DEFAULT" in readelf("-s", str(tmp_path / "model.o"))
