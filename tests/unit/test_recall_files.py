"""What a compilation reads is part of what its artifact is found by: the contents of all files, and no more of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

import mlc
from mlc.compiler import recall
from mlc.compiler.compilation import Compilation
from mlc.support.errors import UserError

onnx: Any = pytest.importorskip("onnx")
helper, numpy_helper = onnx.helper, onnx.numpy_helper

_N = 512
"""So many f32 are mapped; four are not."""
_TEXT = """func.func @main(%x: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %w = graph.constant dense_resource<w> : tensor<{n}xf32>
  %y = graph.add %x, %w : tensor<{n}xf32>, tensor<{n}xf32> -> tensor<{n}xf32>
  return %y : tensor<{n}xf32>
}}
{{-# external_resources: {{ mlc: {{ weights: "{file}" }} }} #-}}
"""


@pytest.fixture
def lowered(lowered_levels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The levels that models were lowered to, in an empty folder with an empty cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(recall, "plugin_files", set[str]())  # those that other tests loaded stay loaded
    return lowered_levels


def _tensor(values: Any, location: str | None, offset: int = 0) -> Any:
    """A TensorProto named `w`, whose bytes lie in a file if `location` names one."""
    tensor = numpy_helper.from_array(np.asarray(values, np.float32), "w")
    if location is not None:
        data, path = tensor.raw_data, Path(location)
        before = path.read_bytes() if path.exists() else b""
        path.write_bytes(before[:offset].ljust(offset, b"\0") + data)
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", location), ("offset", str(offset)), ("length", str(len(data)))):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, value
    return tensor


def _initializer(tensor: Any) -> tuple[list[Any], list[Any]]:
    return [helper.make_node("Add", ["x", "w"], ["y"])], [tensor]


def _attribute(tensor: Any) -> tuple[list[Any], list[Any]]:
    constant = helper.make_node("Constant", [], ["c"])
    constant.attribute.append(helper.make_attribute("value", tensor))
    return [constant, helper.make_node("Add", ["x", "c"], ["y"])], []


def _subgraph(tensor: Any) -> tuple[list[Any], list[Any]]:
    value = helper.make_tensor_value_info("z", 1, None)
    body = helper.make_graph([helper.make_node("Add", ["x", "w"], ["z"])], "body", [], [value], [tensor])
    given = numpy_helper.from_array(np.asarray(True), "yes")
    return [helper.make_node("If", ["yes"], ["y"], then_branch=body, else_branch=body)], [given]


_PLACES: dict[str, Callable[[Any], tuple[list[Any], list[Any]]]] = {
    "initializer": _initializer,
    "attribute": _attribute,
    "subgraph": _subgraph,
}


def _save(path: str, value: float, place: str, count: int, location: str | None = None, offset: int = 0) -> None:
    """A model that adds `value` to `count` numbers, in a file that is older than what is done next."""
    nodes, weights = _PLACES[place](_tensor(np.full(count, value), location, offset))
    info = [helper.make_tensor_value_info(name, 1, [count]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", info[:1], info[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    Path(path).write_bytes(model.SerializeToString())
    time.sleep(0.02)


def _added(path: str, count: int) -> float:
    (value,) = set(mlc.compile(path)(np.zeros(count, np.float32)).tolist())
    return value


@pytest.mark.parametrize("count", [4, _N])
@pytest.mark.parametrize("place", _PLACES)
def test_files_that_differ_in_a_weight_only(place: str, count: int, lowered: list[str]) -> None:
    _save("epoch1.onnx", 1, place, count)
    _save("epoch2.onnx", 2, place, count)
    for _ in range(2):
        assert (_added("epoch1.onnx", count), _added("epoch2.onnx", count)) == (1, 2)
    assert len(lowered) == 4, "each is compiled once"


def test_names_of_files_are_not_part_of_a_model(lowered: list[str]) -> None:
    _save("one.onnx", 3, "initializer", _N)
    assert _added("one.onnx", _N) == 3
    shutil.copy("one.onnx", "other.onnx")
    Path("one.onnx").unlink()
    assert _added("other.onnx", _N) == 3
    assert len(lowered) == 2, "the copy is recalled, although the first file is gone"


@pytest.mark.parametrize("count", [4, _N])
@pytest.mark.parametrize("place", _PLACES)
def test_contents_of_external_data(place: str, count: int, lowered: list[str], tmp_path: Path) -> None:
    _save("m.onnx", 1, place, count, "w.bin")
    assert _added("m.onnx", count) == 1
    before = Path("w.bin").stat()
    np.full(count, 2, np.float32).tofile("w.bin")
    os.utime("w.bin", ns=(before.st_atime_ns, before.st_mtime_ns))
    time.sleep(0.02)
    assert _added("m.onnx", count) == 2
    # The file beside the model counts, wherever the process is.
    (tmp_path / "elsewhere").mkdir()
    os.chdir("elsewhere")
    np.full(count, 9, np.float32).tofile("w.bin")
    assert _added(str(tmp_path / "m.onnx"), count) == 2
    assert len(lowered) == 4


@pytest.mark.parametrize("place", _PLACES)
def test_places_of_external_data(place: str, lowered: list[str]) -> None:
    _save("m.onnx", 1, place, _N, "first.bin")
    assert _added("m.onnx", _N) == 1
    _save("m.onnx", 2, place, _N, "second.bin")
    assert _added("m.onnx", _N) == 2
    _save("m.onnx", 3, place, _N, "second.bin", 4 * _N)
    assert _added("m.onnx", _N) == 3
    _save("m.onnx", 1, place, _N, "first.bin")
    assert _added("m.onnx", _N) == 1


@pytest.mark.parametrize("place", _PLACES)
@pytest.mark.parametrize("location", ["missing.bin", "../outside.bin"])
def test_external_data_that_is_not_there(place: str, location: str, lowered: list[str], tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    os.chdir("models")
    _save("m.onnx", 1, place, 4, location)
    (tmp_path / "models" / location).unlink()
    np.full(4, 9, np.float32).tofile(tmp_path / "outside.bin")
    with pytest.raises(UserError, match=r"cannot be read as ONNX: .*(which is not there|has to lie in the folder)"):
        mlc.compile("m.onnx")


def test_text_whose_weights_are_those_of_a_model(lowered: list[str]) -> None:
    """Its text names a file of ONNX, which names one more."""
    _save("m.onnx", 1, "initializer", _N, "w.bin")
    Path("m.mlir").write_text(_TEXT.format(n=_N, file="m.onnx"))
    for value in (1, 2):
        np.full(_N, value, np.float32).tofile("w.bin")
        time.sleep(0.02)
        assert _added("m.mlir", _N) == value
    _save("m.onnx", 5, "initializer", _N, "other.bin")
    assert _added("m.mlir", _N) == 5
    np.full(_N, 6, np.float32).tofile("other.bin")
    time.sleep(0.02)
    assert _added("m.mlir", _N) == 6


def test_a_text_that_moves_to_other_weights(lowered: list[str]) -> None:
    for value, folder in ((1, "a"), (2, "b")):
        Path(folder).mkdir()
        save_file({"w": np.full(_N, value, np.float32)}, f"{folder}/w.safetensors")
        Path(folder, "m.mlir").write_text(_TEXT.format(n=_N, file="w.safetensors"))
    time.sleep(0.02)
    for _ in range(2):
        assert (_added("a/m.mlir", _N), _added("b/m.mlir", _N)) == (1, 2)
    absolute = _TEXT.format(n=_N, file=Path("a/w.safetensors").absolute())
    for folder in "ab":
        Path(folder, "absolute.mlir").write_text(absolute)
        assert _added(f"{folder}/absolute.mlir", _N) == 1


def _while_compiling(change: Callable[[], object]) -> Any:
    """Lets `change` happen when a model has been lowered, in front of clang."""
    build = Compilation.build_program

    def changing(self: Compilation, *arguments: Any, **options: Any) -> object:
        change()
        return build(self, *arguments, **options)

    patch = pytest.MonkeyPatch()
    patch.setattr(Compilation, "build_program", changing)
    return patch


@pytest.mark.parametrize("location", [None, "w.bin"])
def test_a_model_that_is_replaced_while_it_is_compiled(location: str | None, lowered: list[str]) -> None:
    _save("m.onnx", 1, "initializer", _N, location)
    Path("next").mkdir()
    os.chdir("next")
    _save("m.onnx", 2, "initializer", _N, location)
    os.chdir("..")

    def replace() -> None:
        for file in Path("next").iterdir():
            file.replace(file.name)

    patch = _while_compiling(replace)
    try:
        assert _added("m.onnx", _N) == 1, "all of the old model"
    finally:
        patch.undo()
    time.sleep(0.02)
    assert _added("m.onnx", _N) == 2, "and the new one is not taken for it"


def test_weights_that_change_while_they_are_read(lowered: list[str]) -> None:
    _save("m.onnx", 1, "initializer", _N, "w.bin")

    def change() -> None:
        with Path("w.bin").open("r+b") as stream:
            stream.write(np.full(3, 2, np.float32).tobytes())

    patch = _while_compiling(change)
    try:
        with pytest.raises(UserError, match=r"w\.bin' was changed while it was read; run the command again"):
            mlc.compile("m.onnx")
    finally:
        patch.undo()
    np.testing.assert_array_equal(mlc.compile("m.onnx")(np.zeros(_N, np.float32))[:5], [2, 2, 2, 1, 1])


def test_kinds_of_kernels_of_packages_are_not_recalled_around(
    lowered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _save("m.onnx", 1, "initializer", _N)
    monkeypatch.setattr(recall, "_joins_all_compilations", lambda: True)
    for _ in range(2):
        _added("m.onnx", _N)
    assert len(lowered) == 4


def _version_with(changed: str) -> Callable[[str], str]:
    return lambda name: "2.0" if name == changed else "1.0"


def test_versions_of_what_conversions_ask_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    found: set[str] = set()
    identity: Any = recall.compiler_identity
    try:
        for changed in ("", "onnx", "torch", "jax", "jaxlib", "ml_dtypes", "lark", "xdsl", "numpy", "safetensors"):
            monkeypatch.setattr(recall, "version", _version_with(changed))
            identity.cache_clear()
            found.add(recall.compiler_identity())
    finally:
        identity.cache_clear()
    assert len(found) == 10


_WATCHED = """
import os, sys
opened, asked = [], set()

class Watching(type(os.environ)):
    def __getitem__(self, name):
        note(name)
        return super().__getitem__(name)
    def __contains__(self, name):
        note(name)
        return super().__contains__(name)

def note(name):
    frame = sys._getframe(2)
    while frame.f_globals.get("__name__") in ("os", "_collections_abc", "collections.abc"):
        frame = frame.f_back
    if frame.f_globals.get("__name__", "").startswith("mlc"):
        asked.add(name)

import mlc, mlc.support.resources as resources
os.environ.__class__ = Watching
sys.addaudithook(lambda event, given: event in ("open", "mmap.__new__") and opened.append(given))
known = []
noted = resources.Resources.note
resources.Resources.note = lambda self, file, name=None: (known.append(file.path), noted(self, file, name))[1]
mlc.compile(sys.argv[1])

def is_read(path, mode, flags):
    return isinstance(path, str) and not (flags & os.O_ACCMODE)

# The compiler and Python themselves are in the key by sources and versions; temporary files are its own.
skipped = [sys.prefix, sys.base_prefix, os.path.dirname(mlc.__file__)]
skipped += [os.environ["MLC_CACHE_DIR"], os.environ["TMPDIR"], os.environ["BASE"]]
skipped += ["/proc", "/sys", "/dev", "/usr", "/etc", "/lib"]
for path, mode, flags in (each for each in opened if len(each) == 3):
    full = os.path.abspath(path) if isinstance(path, str) else ""
    if is_read(path, mode, flags) and os.path.exists(path) and not full.startswith(tuple(skipped)):
        print("file", full)
for path in known:
    print("known", os.path.abspath(path))
for name in sorted(asked):
    print("variable", name)
"""
_VARIABLES = {
    *("MLC_CACHE_DIR", "XDG_CACHE_HOME", "HOME"),  # where the cache is
    *("MLC_CC", "PATH"),  # the tools, which are in the key by their contents
    *("MLC_TOOL_SECONDS", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"),
    *("MLC_MACHINE_FILE", "MLC_RECORDS_FILE", "XDG_CONFIG_HOME"),  # files whose contents are in the key
    "MLC_HOST",  # facts of the machine, which are in the key
    "MLC_STRICT_SCHEDULES",  # makes mistakes of mlc errors, and no other artifacts
    "MLC_LIBRARY_DIR",  # where the artifact is written
    "MLC_PROCESSES",  # who compiles kernels; artifacts are the same byte for byte
}


@pytest.mark.slow
@pytest.mark.parametrize("model", ["m.onnx", "external.onnx", "m.mlir", "m.pt2"])
def test_all_that_is_read_is_known(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compilation, watched by Python itself: what it opens is noted, and it asks no other variables than these."""
    monkeypatch.chdir(tmp_path)
    if model == "m.pt2":
        torch: Any = pytest.importorskip("torch")
        torch.export.save(torch.export.export(torch.nn.Linear(4, 3), (torch.rand(2, 4),)), model)
    elif model == "m.mlir":
        save_file({"w": np.ones(_N, np.float32)}, "w.safetensors")
        Path(model).write_text(_TEXT.format(n=_N, file="w.safetensors"))
    else:
        place, location = ("initializer", None) if model == "m.onnx" else ("subgraph", "w.bin")
        _save(model, 1, place, 4, location)
    for name in ("cache", "tmp"):
        (tmp_path / name).mkdir()
    base = Path(np.__file__).parents[1]
    env = {**os.environ, "MLC_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(tmp_path / "tmp"), "BASE": str(base)}
    command = [sys.executable, "-c", textwrap.dedent(_WATCHED), model]
    found = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert found.returncode == 0, found.stderr
    lines = [line.partition(" ")[::2] for line in found.stdout.splitlines()]
    said = {word: {rest for first, rest in lines if first == word} for word in ("file", "known", "variable")}
    beside = {"external.onnx": "w.bin", "m.mlir": "w.safetensors"}
    files = {str(tmp_path / name) for name in {model, beside.get(model, model)}}
    assert said["file"] == files
    assert said["known"] == files - ({str(tmp_path / model)} if model == "m.mlir" else set()), "text is read whole"
    assert said["variable"] <= _VARIABLES and "MLC_CC" in said["variable"]
