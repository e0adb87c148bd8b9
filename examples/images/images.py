"""What is in a picture: a classifier of ImageNet's thousand classes, such as torchvision exports it.

    python examples/images/images.py MODEL.onnx PICTURE...

It prints the most likely classes of each picture; `--names FILE`, with a name on each line, says what they are called.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import mlc

SHORT_SIDE, SIDE = 256, 224
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of red, green and blue in ImageNet, which torchvision's models were trained with."""
SHOWN = 5


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("pictures", type=Path, nargs="+")
    parser.add_argument("--names", type=Path)
    arguments = parser.parse_args(words)
    names = arguments.names.read_text().splitlines() if arguments.names else []
    try:
        model = mlc.compile(
            arguments.model
        )  # an export for any number of pictures is compiled for one, when it is called
    except mlc.UserError as e:
        sys.exit(str(e))
    for file in arguments.pictures:
        try:
            picture = read(file)
        except OSError as e:
            sys.exit(f"cannot read {file}: {e}")
        print(f"{file}:")
        for number, chance in best(np.asarray(model(picture))[0]):
            print(f"  {chance:6.1%}  {names[number] if number < len(names) else f'class {number}'}")


def read(file: Path) -> NDArray[np.float32]:
    """The middle of a picture, as the model was trained: [1, 3, 224, 224].

    Raises:
        OSError: it cannot be read.
    """
    try:
        from PIL import Image
    except ImportError:
        sys.exit("pictures are read with Pillow: pip install pillow")
    with Image.open(file) as opened:
        width, height = opened.size
        scale = SHORT_SIDE / min(width, height)
        picture = opened.convert("RGB").resize((round(width * scale), round(height * scale)), Image.Resampling.BILINEAR)
    left, top = (picture.width - SIDE) // 2, (picture.height - SIDE) // 2
    colours = np.asarray(picture.crop((left, top, left + SIDE, top + SIDE)), np.float32) / 255
    normal = (colours - np.array(MEAN, np.float32)) / np.array(DEVIATION, np.float32)
    return np.ascontiguousarray(normal.transpose(2, 0, 1))[None]


def best(scores: NDArray[np.float32]) -> list[tuple[int, float]]:
    """The classes with the greatest scores, and how likely they are."""
    chances = np.exp(scores - scores.max())
    order = np.argsort(-scores)[:SHOWN]
    return [(int(i), float(chances[i] / chances.sum())) for i in order]


if __name__ == "__main__":
    main(sys.argv[1:])
