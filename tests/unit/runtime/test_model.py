from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.runtime import InputError, Model, load

A: Any = np.array([[0, 1, 2], [3, 4, 5]], np.float32)
SCALE = np.array(0.5)
FLAG = np.array([True])


@pytest.fixture
def model(library: Path) -> Model:
    return load(library)


def test_it_describes_itself(model: Model):
    assert [(t.name, t.dtype, t.shape) for t in model.inputs] == [
        ("a", "float32", (2, 3)),
        ("scale", "float64", ()),
        ("flag", "bool", (1,)),
    ]
    assert "(a: float32[2, 3], scale: float64[], flag: bool[1]) -> (sum: float64[]," in repr(model)
    assert model.signature.workspace_bytes == 1000


def test_call(model: Model):
    total, where, negation = model(A, SCALE, FLAG)
    assert (total, total.shape, total.dtype) == (5.5, (), np.float64)
    assert where[0] % 64 == 0
    assert not negation[0] and negation.dtype == np.bool_


def test_one_output_is_returned_as_it_is(copy_library: Path):
    result = load(copy_library)(np.array([3.0], np.float32))
    assert isinstance(result, np.ndarray) and result.tolist() == [3.0]


def test_run_by_name(model: Model):
    outputs = model.run({"flag": FLAG, "scale": SCALE, "a": A})
    assert list(outputs) == ["sum", "where", "not"] and outputs["sum"] == 5.5


class OnlyDlpack:
    """What a tensor of another framework is to mlc."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def _fortran(array: Any) -> Any:
    return np.asfortranarray(array)


def _reversed(array: Any) -> Any:
    return np.flip(np.flip(array).copy())


def _read_only(array: Any) -> Any:
    array = np.array(array)
    array.flags.writeable = False
    return array


def _misaligned(array: Any) -> Any:
    raw: Any = np.zeros(array.nbytes + 1, np.uint8)[1:]
    raw[:] = np.frombuffer(array.tobytes(), np.uint8)
    return np.ndarray(array.shape, array.dtype, raw)


@pytest.mark.parametrize(
    "present",
    [_fortran, _reversed, OnlyDlpack, _read_only, _misaligned],
    ids=["fortran", "negative strides", "dlpack", "read-only", "misaligned"],
)  # fmt: skip
def test_any_layout(model: Model, present: Callable[[Any], Any]):
    assert model(present(A), SCALE, FLAG)[0] == 5.5


def test_bf16_of_other_libraries_is_read_where_it_lies():
    torch = pytest.importorskip("torch")
    text = """
    func.func @main(%x: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
      %y = graph.add %x, %x : tensor<2x3xbf16>, tensor<2x3xbf16> -> tensor<2x3xbf16>
      return %y : tensor<2x3xbf16>
    }"""
    double = mlc.compile(text, opt_level=1)
    x = torch.tensor([[1.0, 2.5], [-3.0, 0.0], [4.0, 0.1]], dtype=torch.bfloat16)
    found = double(x.t())  # strided, too
    assert found.dtype.name == "bfloat16"
    assert np.array_equal(found.astype(np.float32), 2 * x.t().float().numpy())
    with pytest.raises(InputError, match="input 'x' has dtype float16; required: bfloat16"):
        double(x.t().to(torch.float16))
    with pytest.raises(InputError, match=r"input 'x' cannot be read through DLPack: .*requires? grad"):
        double(x.t().requires_grad_())


def test_memory_mapped_input(model: Model, tmp_path: Path):
    A.tofile(tmp_path / "a")
    assert model(np.memmap(tmp_path / "a", np.float32, "r", 0, (2, 3)), SCALE, FLAG)[0] == 5.5


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((A,), r"takes 3 inputs \('a', 'scale', 'flag'\), and the call gives 1"),
        ((A.T, SCALE, FLAG), r"input 'a' has shape \(3, 2\); required: \(2, 3\)"),
        ((A, SCALE, np.ones(1)), r"input 'flag' has dtype float64; required: bool: array.astype\('bool'\)"),
        ((A.astype(">f4"), SCALE, FLAG), "input 'a' has dtype >f4; required: float32"),
        (
            ([1, 2], SCALE, FLAG),
            r"input 'a' is a list; required: a NumPy array .* of float32\[2, 3\]: np.asarray",
        ),
        ((A, 0.5, FLAG), r"input 'scale' is a float; required: .* of float64\[\]"),
    ],
)
def test_wrong_inputs(model: Model, arguments: tuple[Any, ...], message: str):
    with pytest.raises(InputError, match=message):
        model(*arguments)


def test_wrong_names(model: Model):
    with pytest.raises(InputError, match="the call misses 'flag'; the inputs are 'a', 'scale', 'flag'"):
        model.run({"a": A, "scale": SCALE})
    with pytest.raises(InputError, match="the call has no input 'b'; the inputs are 'a', 'scale', 'flag'"):
        model.run({"a": A, "scale": SCALE, "flag": FLAG, "b": A})


def test_inputs_without_names(model: Model):
    inputs: Any = A
    with pytest.raises(InputError, match=r"found a ndarray; required: a dict .* {'a': float32\[2, 3\], 'scale'"):
        model.run(inputs)


def test_a_failure_of_the_model(model: Model):
    with pytest.raises(RuntimeError, match="failed with status 1"):
        model(A, np.array(-1.0), FLAG)
    with pytest.raises(RuntimeError, match=r"does not grant .* \(AMX\) .*; compile it for a CPU without them"):
        model(A, np.array(-2.0), FLAG)


def test_calls_at_the_same_time_have_workspaces_of_their_own(model: Model):
    barrier = threading.Barrier(4)
    results: list[float] = []

    def work(index: int) -> None:
        barrier.wait()
        for _ in range(500):
            total = model(A, np.array(float(index)), FLAG)[0]
            if total != 5.0 + index:
                return
        results.append(index)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 1, 2, 3]


def test_one_thread_reuses_its_workspace(model: Model):
    assert len({int(model(A, SCALE, FLAG)[1][0]) for _ in range(10)}) == 1


def test_save(model: Model, library: Path, tmp_path: Path):
    content = library.read_bytes()
    model.save(tmp_path / "copy.so")
    assert load(tmp_path / "copy.so")(A, SCALE, FLAG)[0] == 5.5
    model.save(library)
    assert library.read_bytes() == content
    (tmp_path / "link.so").symlink_to(library)
    model.save(tmp_path / "link.so")
    assert library.read_bytes() == content and (tmp_path / "link.so").is_symlink()
    assert {p.name for p in tmp_path.iterdir()} == {"copy.so", "link.so"}


@pytest.mark.parametrize(
    "name, message",
    [(".", "it is a folder; name a file in it: '"), ("none/m.so", "No such file or directory: '.*none/m.so'$")],
)
def test_save_to_a_place_that_cannot_be_written(model: Model, tmp_path: Path, name: str, message: str):
    with pytest.raises(OSError, match=f"cannot save the model: {message}") as error:
        model.save(tmp_path / name)
    assert error.value.filename == str(tmp_path / name) and not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["m.o", "m", "m.h", "m.so.mlir", "mso", "so"])
def test_save_writes_nothing_but_libraries(model: Model, tmp_path: Path, name: str):
    with pytest.raises(
        ValueError, match=rf"cannot save the model as '.*/{name}': it is a shared library; required: a "
    ):
        model.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    model.save(tmp_path / "m.so.1.2")
    assert load(tmp_path / "m.so.1.2")(A, SCALE, FLAG)[0] == 5.5


def test_a_temporary_file_goes_with_its_model(model: Model, tmp_path: Path):
    model.save(tmp_path / "model.so")
    temporary = load(tmp_path / "model.so", temporary=True)
    assert temporary(A, SCALE, FLAG)[0] == 5.5
    del temporary
    assert not (tmp_path / "model.so").exists()


def test_the_compiler_is_not_imported(library: Path):
    script = f"""
import sys, mlc.runtime
mlc.runtime.load({str(library)!r})
loaded = [m for m in sys.modules if m.startswith(("xdsl", "lark", "mlc."))]
allowed = ("mlc.runtime", "mlc.architectures", "mlc.support")
assert all(m.startswith(allowed) for m in loaded), loaded
"""
    subprocess.run([sys.executable, "-c", script], check=True)
