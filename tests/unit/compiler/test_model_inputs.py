"""Which tensors of a file are which inputs of a model, and how many calls they make."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

from mlc.compiler.model_inputs import Array, arrange_calls, read_tensors
from mlc.support.errors import UserError
from mlc.targets.program import TensorSpec

_IMAGE = TensorSpec("image", "float32", (1, 8, 8))


def _zeros(*shape: int) -> Array:
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("shape", "count", "stacked"),
    [((1, 8, 8), 1, False), ((5, 8, 8), 5, False), ((5, 1, 8, 8), 5, True), ((0, 8, 8), 0, False)],
)
def test_counts(shape: tuple[int, ...], count: int, stacked: bool) -> None:
    calls = arrange_calls({"image": _zeros(*shape)}, [_IMAGE], "f")
    assert (calls.count, calls.stacked) == (count, stacked)
    for call in range(count):
        assert calls.inputs(call)[0].shape == (1, 8, 8)


def test_batches_are_cut() -> None:
    data = np.arange(12, dtype=np.float32).reshape(6, 2)
    calls = arrange_calls({"x": data}, [TensorSpec("x", "float32", (3, 2))], "f")
    assert calls.count == 2
    np.testing.assert_array_equal(calls.inputs(1)[0], data[3:])


def test_an_input_of_the_models_own_shape_is_shared() -> None:
    inputs = [_IMAGE, TensorSpec("scale", "float32", ())]
    calls = arrange_calls({"image": _zeros(4, 8, 8), "scale": _zeros()}, inputs, "f")
    assert calls.count == 4
    assert calls.inputs(3)[1].shape == ()


def test_scalars_are_stacked() -> None:
    assert arrange_calls({"s": _zeros(3)}, [TensorSpec("s", "float32", ())], "f").count == 3


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"image": _zeros(1, 8, 9)}, "tensor 'image' of 'f' has shape [1, 8, 9]; the model takes [1, 8, 8]"),
        ({"image": np.zeros((1, 8, 8))}, "tensor 'image' of 'f' is float64; the model takes float32"),
        ({"a": _zeros(1), "b": _zeros(1)}, "'f' has no tensor 'image' for that input of the model (it has 'a', 'b')"),
        ({"pixels": _zeros(1, 8, 8)}, "'f' has no tensor 'image' for that input of the model (it has 'pixels')"),
        ({}, "'f' has no tensor 'image' for that input of the model (it has none)"),
    ],
)
def test_wrong_tensors(tensors: dict[str, Array], message: str) -> None:
    with pytest.raises(UserError) as e:
        arrange_calls(tensors, [_IMAGE], "f")
    assert message in e.value.message


def test_inputs_that_disagree() -> None:
    inputs = [TensorSpec("a", "float32", (2,)), TensorSpec("b", "float32", (2,))]
    with pytest.raises(UserError, match="different numbers of calls: 'a' 2, 'b' 3"):
        arrange_calls({"a": _zeros(4), "b": _zeros(6)}, inputs, "f")


def test_files(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    save_file({"x": _zeros(2)}, good)
    bad.write_bytes(b"nonsense")
    assert list(read_tensors(str(good))) == ["x"]
    with pytest.raises(UserError, match="is not a safetensors file"):
        read_tensors(str(bad))
    with pytest.raises(UserError, match="not found"):
        read_tensors(str(tmp_path / "none"))
    with pytest.raises(UserError, match=r"cannot read|not a safetensors"):
        read_tensors(str(tmp_path))


def test_files_of_numpy(tmp_path: Path) -> None:
    """Told by how they begin; Python objects in them, which are code, are not read."""
    x, path = np.arange(4, dtype=np.float32), tmp_path / "x"
    for save in (np.savez, np.savez_compressed):
        with path.open("wb") as file:
            save(file, x=x, y=x + 1)
        found = read_tensors(str(path))
        assert found["x"].tolist() == x.tolist() and found["y"].tolist() == (x + 1).tolist()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="cannot be read as arrays of NumPy"):
        read_tensors(str(path))
    with path.open("wb") as file:
        np.save(file, x)
    spec = TensorSpec("x", "float32", (4,))
    calls = arrange_calls(read_tensors(str(path)), [spec], "f")
    assert calls.inputs(0)[0].tolist() == x.tolist()
    with pytest.raises(
        UserError, match=r"one array without a name; the model has the inputs 'x', 'y': required: an \.npz"
    ):
        arrange_calls(read_tensors(str(path)), [spec, TensorSpec("y", "float32", (4,))], "f")
    with path.open("wb") as file:
        np.save(file, np.array([{}], object), allow_pickle=True)
    with pytest.raises(UserError, match="cannot be read as arrays of NumPy"):
        read_tensors(str(path))


def test_codes_of_types_that_are_only_stored() -> None:
    spec = TensorSpec("x", "int4", (4,))
    calls = arrange_calls({"x": np.array([15, 1, 8, 7], np.uint8)}, [spec], "f")
    assert calls.inputs(0)[0].astype(np.int8).tolist() == [-1, 1, -8, 7]
    with pytest.raises(UserError) as caught:
        arrange_calls({"x": np.zeros(4, np.int8)}, [spec], "f")
    assert caught.value.message == (
        "tensor 'x' of 'f' is int8; the model takes int4, or U8 with a code in each byte: the array as ml_dtypes.int4, "
        ".view('uint8')"
    )
