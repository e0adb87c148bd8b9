"""Images as inputs: size, layout and type of the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]

from mlc.support.errors import UserError
from mlc.targets.program import TensorSpec
from mlc.tools.images import Image, is_image

if TYPE_CHECKING:
    from tests.conftest import CommandLine

pillow: Any = pytest.importorskip("PIL.Image")

_PIXELS = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)


def _image(folder: Path, suffix: str = "png", pixels: Any = _PIXELS) -> Image:
    path = folder / f"picture.{suffix}"
    pillow.fromarray(pixels).save(path)
    assert is_image(str(path))
    return Image.open(str(path))


@pytest.mark.parametrize("suffix", ["png", "jpg", "gif", "bmp", "tiff", "webp"])
def test_kinds_of_files(tmp_path: Path, suffix: str) -> None:
    assert _image(tmp_path, suffix).pixels.size == (6, 4)


def test_other_files_are_none(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00aaaa")
    assert not is_image(str(tmp_path / "x.npy")) and not is_image(str(tmp_path / "absent"))
    (tmp_path / "x.png").write_bytes(b"\x89PNG and nothing more")
    with pytest.raises(UserError, match=r"x.png' cannot be read as an image"):
        Image.open(str(tmp_path / "x.png"))


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((1, 3, 4, 6), _PIXELS.transpose(2, 0, 1)[None]),
        ((3, 4, 6), _PIXELS.transpose(2, 0, 1)),
        ((1, 4, 6, 3), _PIXELS[None]),
        ((4, 6, 3), _PIXELS),
    ],
)
def test_layouts(tmp_path: Path, shape: tuple[int, ...], expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    image = _image(tmp_path)
    np.testing.assert_array_equal(image.array(TensorSpec("x", "uint8", shape)), expected)
    as_float = image.array(TensorSpec("x", "float32", shape))
    assert as_float.dtype == np.float32
    np.testing.assert_allclose(as_float, expected / 255, rtol=1e-6)
    place = "first" if shape[-3] == 3 else "last"
    words = f"is input 'x' {list(shape)}: red, green and blue in the {place} dim, from 0 to 1\n"
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("shape", [(1, 1, 4, 6), (1, 4, 6, 1), (1, 4, 6)])
def test_grey(tmp_path: Path, shape: tuple[int, ...]) -> None:
    grey = np.arange(24, dtype=np.uint8).reshape(4, 6)
    found = _image(tmp_path, pixels=grey).array(TensorSpec("x", "uint8", shape))
    np.testing.assert_array_equal(found, grey.reshape(shape))


def test_size_is_that_of_the_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    constant = np.full((4, 6, 3), 51, np.uint8)
    found = _image(tmp_path, pixels=constant).array(TensorSpec("x", "float16", (1, 3, 8, 9)))
    np.testing.assert_array_equal(found, np.full((1, 3, 8, 9), np.float16(0.2)))
    assert "from 0 to 1, resized from 6x4\n" in capsys.readouterr().err


def test_open_dims_are_those_of_the_image(tmp_path: Path) -> None:
    image = _image(tmp_path)
    assert image.shape_for("x", (None, 3, None, None)) == (1, 3, 4, 6)
    assert image.shape_for("x", (1, None, 8, 1)) == (1, 4, 8, 1)


def test_of_several_shapes_that_of_the_image_is_taken(tmp_path: Path) -> None:
    variants = [[TensorSpec("x", "uint8", (1, 3, h, w))] for h, w in ((8, 8), (4, 6))]
    assert _image(tmp_path).tensors(variants)["x"].shape == (1, 3, 4, 6)
    assert _image(tmp_path).tensors(variants[:1])["x"].shape == (1, 3, 8, 8)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([("x", "float32", (1, 784))], r"does not fit input 'x' \[1, 784\]"),
        ([("x", "float32", (1, 7, 4, 6))], r"does not fit input 'x' \[1, 7, 4, 6\]: required: \[1, 3, height, width\]"),
        ([("x", "float32", (2, 3, 4, 6))], r"does not fit input 'x' \[2, 3, 4, 6\]"),
        ([("x", "int64", (1, 3, 4, 6))], "input 'x' is int64; an image is for one of floats or of uint8"),
        ([("x", "uint8", (4, 6)), ("y", "uint8", (4, 6))], "for a model of one input; this one has 'x', 'y'"),
        ([], "for a model of one input; this one has none"),
    ],
)
def test_what_an_image_is_not_for(tmp_path: Path, inputs: list[Any], message: str) -> None:
    variants = [[TensorSpec(*each) for each in inputs]]
    with pytest.raises(UserError, match=message):
        _image(tmp_path).tensors(variants)


def test_a_model_runs_on_an_image(mlc: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _image(tmp_path)
    Path("m.mlir").write_text(
        """func.func @main(%x: tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> {
  %0 = graph.neg %x : tensor<1x3x4x6xf32>
  return %0 : tensor<1x3x4x6xf32>
}
"""
    )
    result = mlc("run", "m.mlir", "--inputs", "picture.png", "--outputs", "o.safetensors", "--repeat", "1")
    assert result.status == 0, result.err
    assert "note: 'picture.png' is input 'x' [1, 3, 4, 6]: red, green and blue in the first dim" in result.err
    (output,) = load_file("o.safetensors").values()
    np.testing.assert_allclose(output, _PIXELS.transpose(2, 0, 1)[None] / -255, rtol=1e-6)
