"""Where somebody speaks: Silero's voice activity detector over a WAV, frame by frame, with its state carried.

    python examples/voice/voice.py SOUND.wav

It prints the seconds from and to which there is speech. The sound has 8,000 or 16,000 samples of 16 bits a second.
"""

from __future__ import annotations

import importlib.util
import sys
import wave
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlc

Samples = NDArray[np.float32]
FRAMES = {8000: (256, 32), 16000: (512, 64)}
"""By the rate: how many samples a frame has, and how many of those before it the model sees as well."""
SPEECH, SILENCE = 0.5, 0.35
"""Speech starts above the first probability, and ends below the second."""


def main(words: list[str]) -> None:
    if len(words) != 1:
        sys.exit(__doc__)
    try:
        sound, rate = read(Path(words[0]))
    except (OSError, EOFError, ValueError, wave.Error) as e:
        sys.exit(f"cannot read {words[0]}: {e}")
    model = load_model(rate)
    for start, end in segments(probabilities(model, sound, rate)):
        print(f"{start * FRAMES[rate][0] / rate:6.2f} s to {end * FRAMES[rate][0] / rate:6.2f} s")


def read(path: Path) -> tuple[Samples, int]:
    """The samples of a WAV, from -1 to 1, and how many there are in a second.

    Raises:
        OSError, EOFError, wave.Error: it cannot be read.
        ValueError: it has a rate or a width that the model was not trained for.
    """
    with wave.open(str(path)) as file:
        rate, channels = file.getframerate(), file.getnchannels()
        if rate not in FRAMES or file.getsampwidth() != 2:
            found = f"{rate} samples of {8 * file.getsampwidth()} bits a second"
            raise ValueError(f"{found}; required: 8000 or 16000 of 16 bits")
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, channels)
    return (samples.mean(axis=1) / 32768).astype(np.float32), rate


def load_model(rate: int) -> mlc.Model:
    """The detector, for frames of one sound: the rate is known when it is compiled, so one half of the model goes."""
    package = importlib.util.find_spec("silero_vad")
    if package is None or package.origin is None:
        sys.exit("the model comes with the package silero-vad: pip install --no-deps silero-vad")
    file = Path(package.origin).parent / "data" / "silero_vad.onnx"
    length = sum(FRAMES[rate])
    return mlc.compile(file, shapes={"input": (1, length), "state": (2, 1, 128)}, values={"sr": rate})


def probabilities(model: Any, sound: Samples, rate: int) -> Iterator[float]:
    """How likely each frame is speech."""
    size, seen = FRAMES[rate]
    state, before = np.zeros((2, 1, 128), np.float32), np.zeros(seen, np.float32)
    for start in range(0, len(sound) - size + 1, size):
        frame = np.concatenate([before, sound[start : start + size]])
        outputs = model.run({"input": frame[None], "state": state})
        state, before = outputs["stateN"], frame[-seen:]
        yield float(outputs["output"][0, 0])


def segments(frames: Iterable[float]) -> Iterator[tuple[int, int]]:
    """The frames from and to which there is speech."""
    start, number = None, -1
    for number, speech in enumerate(frames):
        if start is None and speech > SPEECH:
            start = number
        elif start is not None and speech < SILENCE:
            yield start, number
            start = None
    if start is not None:
        yield start, number + 1


if __name__ == "__main__":
    main(sys.argv[1:])
