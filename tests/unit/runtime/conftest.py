"""A model written by hand in LLVM IR, with inputs and outputs of several types."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mlc.targets.build import build
from mlc.targets.cache import Cache
from mlc.targets.host import architecture
from mlc.targets.machine import resolve_target
from mlc.targets.output import OutputKind
from mlc.targets.program import Kernel, Program, Signature, TensorSpec
from mlc.targets.toolchain import find_linker

_ENTRY = """
; sum = a[1, 2] + scale, where = workspace, and flag = not flag; fails where scale is negative
define i32 @mlc_main(ptr %inputs, ptr %outputs, ptr %workspace) {
  %a.ptr = load ptr, ptr %inputs
  %scale.slot = getelementptr ptr, ptr %inputs, i64 1
  %scale.ptr = load ptr, ptr %scale.slot
  %flag.slot = getelementptr ptr, ptr %inputs, i64 2
  %flag.ptr = load ptr, ptr %flag.slot
  %element = getelementptr float, ptr %a.ptr, i64 5
  %a = load float, ptr %element
  %a.wide = fpext float %a to double
  %scale = load double, ptr %scale.ptr
  %sum = fadd double %a.wide, %scale
  %sum.ptr = load ptr, ptr %outputs
  store double %sum, ptr %sum.ptr
  %where.slot = getelementptr ptr, ptr %outputs, i64 1
  %where.ptr = load ptr, ptr %where.slot
  store volatile i64 1, ptr %workspace
  %last = getelementptr i8, ptr %workspace, i64 992
  store volatile i64 1, ptr %last
  %where = ptrtoint ptr %workspace to i64
  store i64 %where, ptr %where.ptr
  %flag.out.slot = getelementptr ptr, ptr %outputs, i64 2
  %flag.out.ptr = load ptr, ptr %flag.out.slot
  %flag = load i8, ptr %flag.ptr
  %not = xor i8 %flag, 1
  store i8 %not, ptr %flag.out.ptr
  %negative = fcmp olt double %scale, 0.0
  %two = fcmp olt double %scale, -1.5
  %one = zext i1 %negative to i32
  %status = select i1 %two, i32 -2, i32 %one
  ret i32 %status
}
"""
_SIGNATURE = Signature(
    "main",
    (
        TensorSpec("a", "float32", (2, 3)),
        TensorSpec("scale", "float64", ()),
        TensorSpec("flag", "bool", (1,)),
    ),
    (TensorSpec("sum", "float64", ()), TensorSpec("where", "int64", (1,)), TensorSpec("not", "bool", (1,))),
    1000,
    "0.1.0",
)
_COPY = """
define i32 @mlc_main(ptr %inputs, ptr %outputs, ptr %workspace) {
  %x.ptr = load ptr, ptr %inputs
  %y.ptr = load ptr, ptr %outputs
  %x = load float, ptr %x.ptr
  store float %x, ptr %y.ptr
  ret i32 0
}
"""


def _build(entry: str, signature: Signature, folder: Path, kind: OutputKind = "shared") -> Path:
    machine = resolve_target("x86-64-v2" if architecture() == "x86_64" else "aarch64")
    output = folder / (f"{signature.name}.o" if kind == "obj" else "model.so")
    build(Program([], Kernel(signature.name, entry), signature), machine, kind, output)
    return output


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """sum = a[1, 2] + scale; where = the address of the workspace; not = not flag. Fails if scale is negative."""
    return _build(_ENTRY, _SIGNATURE, tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="session")
def copy_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """y = x, one f32."""
    return _build(_COPY, _copy_signature("main", "y"), tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="session")
def other_copy_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with an output named z."""
    return _build(_COPY, _copy_signature("main", "z"), tmp_path_factory.mktemp("other"))


@pytest.fixture(scope="session")
def encoder_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """y = x in a function that is not called main."""
    entry = _COPY.replace("@mlc_main", "@mlc_encoder")
    return _build(entry, _copy_signature("encoder", "y"), tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def pair_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two such functions, `encoder` and `decoder`, linked into one library."""
    folder, arch = tmp_path_factory.mktemp("pair"), architecture()
    assert arch is not None
    objects = [
        _build(_COPY.replace("@mlc_main", f"@mlc_{name}"), _copy_signature(name, "y"), folder, "obj")
        for name in ("encoder", "decoder")
    ]
    linker = find_linker(arch, None, Cache.default())
    subprocess.run([*linker.command, "-shared", "-o", "pair.so", *map(str, objects)], check=True, cwd=folder)
    return folder / "pair.so"


def _copy_signature(name: str, output: str) -> Signature:
    return Signature(name, (TensorSpec("x", "float32", (1,)),), (TensorSpec(output, "float32", (1,)),), 0, "0.1.0")
