"""What is in a file: Google's Magika tells some 200 types from the first and the last bytes.

python examples/filetype/filetype.py FILE...
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlc


def main(words: list[str]) -> None:
    if not words:
        sys.exit(__doc__)
    folder = model_folder()
    config = json.loads((folder / "config.min.json").read_text())
    model = mlc.compile(folder / "model.onnx", shapes={"bytes": (1, config["beg_size"] + config["end_size"])})
    for word in words:
        try:
            data = Path(word).read_bytes()
        except OSError as e:
            sys.exit(f"cannot read {word}: {e.strerror}")
        print(f"{word}: {describe(data, config, model)}")


def model_folder() -> Path:
    """Where the package keeps its newest model."""
    package = importlib.util.find_spec("magika")
    if package is None or package.origin is None:
        sys.exit("the model comes with the package magika: pip install --no-deps magika")
    return max((Path(package.origin).parent / "models").glob("standard_v*"))


def describe(data: bytes, config: dict[str, Any], model: mlc.Model) -> str:
    """The type that is most likely, and how likely it is, if that is enough.

    The model was not trained for a handful of bytes.
    """
    if len(data.strip()) < config["min_file_size_for_dl"]:
        return "empty" if not data else "a few bytes"
    (scores,) = np.asarray(model(features(data, config)))
    best = int(scores.argmax())
    label = config["target_labels_space"][best]
    if scores[best] < config["thresholds"].get(label, config["medium_confidence_threshold"]):
        return f"unknown ({label} at most, {scores[best]:.1%})"
    return f"{config['overwrite_map'].get(label, label)} ({scores[best]:.1%})"


def features(data: bytes, config: dict[str, Any]) -> NDArray[np.int32]:
    """The first and the last bytes without white space, filled up with a number that is not a byte: [1, 2048]."""
    block, first, last = config["block_size"], config["beg_size"], config["end_size"]
    front = list(data[:block].lstrip()[:first])
    back = list(data[-block:].rstrip()[-last:])
    fill = config["padding_token"]
    numbers = front + [fill] * (first - len(front)) + [fill] * (last - len(back)) + back
    return np.array([numbers], np.int32)


if __name__ == "__main__":
    main(sys.argv[1:])
