"""Images as inputs of a model: size, layout and type are what the model takes.

Values are 0 to 255 for an input of unsigned bytes, and 0 to 1 for one of floats. A model that is to get something else,
such as values without their mean, takes a file of numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.compiler.model_inputs import TensorLike
from mlc.support.dtypes import dtype_named
from mlc.support.errors import UserError

_KINDS = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
"""How files of PNG, JPEG, GIF, BMP and TIFF begin; WebP says so after its first words."""
_COLOURS = (1, 3)
_TAKES = "required: [1, 3, height, width] or [1, height, width, 3], or 1 colour instead of 3, or no batch"


def is_image(file: str) -> bool:
    """Whether a file holds an image; one that cannot be read is told by its reader."""
    try:
        with Path(file).open("rb") as opened:
            start = opened.read(12)
    except OSError:
        return False
    return start.startswith(_KINDS) or (start.startswith(b"RIFF") and start.endswith(b"WEBP"))


@dataclass(frozen=True)
class Image:
    """A picture in a file, for the only input of a model."""

    file: str
    pixels: Any
    """What Pillow made of it."""

    @staticmethod
    def open(file: str) -> Image:
        """Raises: UserError if the file cannot be read, or the package Pillow is not there."""
        try:
            from PIL import Image as pillow
            from PIL import ImageOps
        except ImportError:
            raise UserError(f"'{file}' is an image, which needs the package Pillow: pip install pillow") from None
        try:
            with pillow.open(file) as found:
                return Image(file, ImageOps.exif_transpose(found).convert("RGB"))
        except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError) as e:
            raise UserError(f"'{file}' cannot be read as an image: {e}") from None

    def shape_for(self, name: str, shape: Sequence[int | None]) -> tuple[int, ...]:
        """The shape of an input, of which some dims may be open: these are 1 for the batch, and the size of the image.

        Raises:
            UserError: no image has such a shape.
        """
        own = {"h": self.pixels.height, "w": self.pixels.width}
        layout = self._layout(name, shape)
        return tuple(own.get(axis, 1) if e is None else e for axis, e in zip(layout, shape, strict=True))

    def tensors(self, variants: Sequence[Sequence[TensorLike]]) -> dict[str, NDArray[Any]]:
        """The image for the only input of a model; of several variants, for the one that has its size, or the first.

        Raises:
            UserError: the model has other inputs.
        """
        for inputs in variants:
            if len(inputs) != 1:
                names = ", ".join(f"'{each.name}'" for each in inputs) or "none"
                raise UserError(f"'{self.file}' is an image, for a model of one input; this one has {names}")
        fitting = [i for (i,) in variants if self.shape_for(i.name, self._open(i)) == i.shape]
        info = next(iter(fitting), variants[0][0])
        return {info.name: self.array(info)}

    def _open(self, info: TensorLike) -> list[int | None]:
        """The shape of an input without height and width."""
        layout = self._layout(info.name, info.shape)
        return [None if axis in "hw" else e for axis, e in zip(layout, info.shape, strict=True)]

    def array(self, info: TensorLike) -> NDArray[Any]:
        """The image as an input takes it, and a note on standard error that says what was done.

        Raises:
            UserError: no image has the shape or type of that input.
        """
        layout, dtype = self._layout(info.name, info.shape), dtype_named(info.dtype)
        is_float = np.issubdtype(dtype, np.floating) or info.dtype == "bfloat16"
        if not is_float and dtype != np.uint8:
            raise UserError(f"input '{info.name}' is {info.dtype}; an image is for one of floats or of uint8")
        extents = dict(zip(layout, info.shape, strict=True))
        size = extents["w"], extents["h"]
        grey = extents.get("c", 1) == 1
        found = self.pixels.convert("L") if grey else self.pixels
        values = np.asarray(found if found.size == size else found.resize(size, resample=2))  # bilinear
        if not grey and layout.index("c") < layout.index("h"):
            values = values.transpose(2, 0, 1)
        values = values.reshape(info.shape)
        is_first = layout.find("c") < layout.index("h")
        notes = [
            "grey" if grey else f"red, green and blue in the {'first' if is_first else 'last'} dim",
            f"from 0 to {1 if is_float else 255}",
            *([] if found.size == size else [f"resized from {found.width}x{found.height}"]),
        ]
        words = f"'{self.file}' is input '{info.name}' {list(info.shape)}: {', '.join(notes)}"
        print(f"note: {words}", file=sys.stderr)
        return (values.astype(np.float32) / np.float32(255)).astype(dtype) if is_float else values

    def _layout(self, name: str, shape: Sequence[int | None]) -> str:
        """A letter for each dim: n for a batch of one, c for colours, h and w."""
        rank = len(shape)
        inner = shape[1:] if rank == 4 else shape
        if rank in (3, 4) and (rank == 3 or shape[0] in (1, None)):
            batch = "n" if rank == 4 else ""
            if inner[0] in _COLOURS:
                return f"{batch}chw"
            if inner[2] in _COLOURS:
                return f"{batch}hwc"
        listed = ", ".join("?" if e is None else str(e) for e in shape)
        raise UserError(f"'{self.file}' does not fit input '{name}' [{listed}]: {_TAKES}; a file of numbers fits any")
