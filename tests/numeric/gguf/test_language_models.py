"""Language models of GGUF beside an evaluation in f64 that shares no code with mlc: logits after each token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("gguf")

import mlc
from mlc.compiler.compilation import Compilation, new_context, read_module
from mlc.compiler.options import CompileOptions
from mlc.frontends.registry import open_model
from mlc.pass_manager.manager import PassManager
from mlc.runtime.model import Model
from mlc.support.bindings import parse_bindings
from mlc.targets import host
from mlc.tests.numeric.gguf.real_models import gemma3, smollm2
from mlc.tests.numeric.gguf.reference_models import ReferenceModel
from mlc.tests.numeric.gguf.tiny_models import CONTEXT, MODELS, VOCABULARY, write_model

Array = NDArray[Any]
_MULTIPLIES_BYTES = "neoverse-n1" if host.architecture() == "aarch64" else "znver3"
"""A machine that multiplies integers of eight bits faster than floats."""
_TOKENS = np.random.default_rng(7).integers(0, VOCABULARY, CONTEXT).tolist()


def caches_of(model: Model) -> list[Array]:
    """Caches with finite numbers where nothing was written."""
    caches = getattr(model, "variants", (model,))[0].inputs[3:]
    return [np.full(each.shape, 3e4 if np.dtype(each.dtype) == np.float16 else 1e30, each.dtype) for each in caches]


def fed(model: Model, tokens: list[int], chunks: list[int], n: int) -> list[tuple[int, Array]]:
    """The logits after each chunk of tokens, with the number of tokens until then."""
    caches, position, found = caches_of(model), 0, list[tuple[int, Array]]()
    for size in chunks:
        given = np.zeros((1, n if size > 1 else 1), np.int64)
        given[0, :size] = tokens[position : position + size]
        logits, _ = model.in_place(given, np.array(position), np.array(size), *caches)
        position += size
        found.append((position, logits[0].copy()))
    return found


def error_of(found: list[tuple[int, Array]], expected: Array) -> float:
    """The largest norm of a difference of logits, of that of the logits."""
    return max(float(np.linalg.norm(y - expected[p - 1]) / np.linalg.norm(expected[p - 1])) for p, y in found)


@pytest.mark.parametrize("name", MODELS)
def test_one_token_after_the_other(name: str, tmp_path: Path) -> None:
    write_model(path := tmp_path / "model.gguf", name, "F32", "F32")
    found = fed(mlc.compile(path), _TOKENS, [1] * CONTEXT, 1)
    assert len(found) == CONTEXT and error_of(found, ReferenceModel(path).logits(_TOKENS)) < 3e-6


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("target", ["znver4", "x86-64-v3", "neoverse-v1"])
def test_weights_of_several_lengths_and_sequences_exist_once(target: str, tmp_path: Path) -> None:
    write_model(path := tmp_path / "model.gguf", "llama", "Q4_0")
    options = CompileOptions(target, bindings=parse_bindings(["tokens=1x1,1x16,8x1"], []))
    source, ctx = open_model(str(path)), new_context(target)
    assert source is not None
    compilation = Compilation(read_module(source, ctx, options.bindings), ctx, options, PassManager(ctx))
    packed: list[set[bytes]] = []
    for each in compilation.variants():
        words = [w.array for w in each.program(each.lower_fully()).weights if w.array.dtype.kind in "iu"]
        packed.append({array.tobytes() for array in words if array.nbytes > 1000})
    assert len(packed) == 3 and packed[0] and packed[0] == packed[1] == packed[2]


def check_sequences(
    path: Path,
    tokens: list[int],
    starts: Sequence[int],
    steps: int,
    before: Callable[[list[Array], int], None] = lambda caches, position: None,
) -> None:
    """A token of each of three sequences at a time, after so many of each, of which the second is absent at times;
    `before` is called with the caches of each and the place of its next token."""
    model, held = mlc.compile(path, shapes={"tokens": [(1, 1), (3, 1)]}), list(starts)
    texts = [tokens[i:] + tokens[:i] for i in range(3)]
    expected = [ReferenceModel(path).logits(text) for text in texts]
    caches = [caches_of(model) for _ in texts]
    for each, text, start in zip(caches, texts, starts, strict=True):
        for position in range(start):
            model.in_place(np.array([[text[position]]]), np.array(position), np.array(1), *each)
    for step in range(steps):
        is_there = [True, step % 3 != 1, True]
        given = np.array([[text[position]] for text, position in zip(texts, held, strict=True)])
        counts = [np.array(position + 1 if there else 1) for position, there in zip(held, is_there, strict=True)]
        for position, each in zip(held, caches, strict=True):
            before(each, position)
        of_sequences = [x for count, each in zip(counts, caches, strict=True) for x in (count, *each)]
        logits, hidden = model.in_place(given, np.array(held), *of_sequences)
        assert hidden.shape[0] == len(texts)
        for i in np.flatnonzero(is_there):
            assert error_of([(held[i] + 1, logits[i])], expected[i]) < 3e-6, (step, i)
            held[i] += 1


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_token_of_each_of_several_sequences(name: str, tmp_path: Path) -> None:
    """Of different lengths, some longer than windows, of which one pauses: what it stores meanwhile is overwritten."""
    write_model(path := tmp_path / "model.gguf", name, "F32", "F32")
    check_sequences(path, _TOKENS, [0, 4, 11], 12)


@pytest.mark.slow
def test_hidden_states(tmp_path: Path) -> None:
    """The states of which logits are products, of a model with a table for each."""
    write_model(path := tmp_path / "model.gguf", "phi3", "Q4_0")
    model, found = mlc.compile(path), list[Array]()
    caches = caches_of(model)
    for position, token in enumerate(_TOKENS[:4]):
        found.append(model.in_place(np.array([[token]]), np.array(position), np.array(1), *caches)[1][0])
    np.testing.assert_allclose(found, ReferenceModel(path).hidden(_TOKENS[:4]), rtol=1e-4, atol=1e-4)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_chunks(name: str, tmp_path: Path) -> None:
    """A prompt in chunks of up to eight tokens, the last of them with two, and then tokens alone."""
    write_model(path := tmp_path / "model.gguf", name, "Q4_1", "Q8_0")
    model = mlc.compile(path, shapes={"n": [1, 8]})
    found = fed(model, _TOKENS, [8, 2, *[1] * 7, 7], 8)
    assert error_of(found, ReferenceModel(path).logits(_TOKENS)) < 1e-5


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama", "gemma3", "phi3"])
def test_caches_of_f16(name: str, tmp_path: Path) -> None:
    """Keys and values are rounded when they are stored, some of them to the other side, and nothing else is."""
    write_model(path := tmp_path / "model.gguf", name, "F32", "F32")
    model = mlc.compile(path, shapes={"n": [1, 8]}, caches="f16")
    assert {each.dtype for each in caches_of(model)} == {np.dtype(np.float16)}
    found = fed(model, _TOKENS, [8, 2, *[1] * 7, 7], 8)
    error, exact = (error_of(found, ReferenceModel(path, each).logits(_TOKENS)) for each in (np.float16, np.float64))
    assert error < 2e-4 and 2 * error < exact < 2e-3


@pytest.mark.slow
@pytest.mark.parametrize("matrices", ["F16", "BF16", "Q4_0", "Q5_0", "Q5_1", "Q8_0"])
def test_formats(matrices: str, tmp_path: Path) -> None:
    write_model(path := tmp_path / "model.gguf", "llama", matrices, matrices)
    found = fed(mlc.compile(path), _TOKENS, [1] * 8, 1)
    assert error_of(found, ReferenceModel(path).logits(_TOKENS[:8])) < 1e-5


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("matrices", ["Q4_0", "Q4_1", "Q5_1", "Q8_0"])
def test_rounded_rows(matrices: str, tmp_path: Path) -> None:
    """One token after the other, and in chunks: errors are about those of llama.cpp's way, and there are some."""
    write_model(path := tmp_path / "model.gguf", "llama", matrices, matrices)
    exact = ReferenceModel(path).logits(_TOKENS)
    usual = ReferenceModel(path, rounds_rows=True).logits(_TOKENS)
    usual_error = np.linalg.norm(usual - exact, axis=1) / np.linalg.norm(exact, axis=1)
    model = mlc.compile(path, shapes={"n": [1, 8]}, accuracy="fast", target=_MULTIPLIES_BYTES)
    for chunks in ([1] * CONTEXT, [8, 2, *[1] * 7, 7]):
        found = fed(model, _TOKENS, chunks, 8)
        errors = [np.linalg.norm(y - exact[p - 1]) / np.linalg.norm(exact[p - 1]) for p, y in found]
        assert 1e-4 < np.mean(errors) < 1.25 * usual_error.mean() and max(errors) < 2 * usual_error.max() < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["smollm2", "gemma3"])
def test_a_real_model(name: str, tmp_path: Path) -> None:
    """Two dozen tokens, in a chunk of 16 with 13 of them and then alone; the likeliest token is the same."""
    path = smollm2() if name == "smollm2" else gemma3(tmp_path)
    tokens = np.random.default_rng(3).integers(1000, 40000, 24).tolist()
    model = mlc.compile(path, shapes={"n": [1, 16], "context": 64})
    found = fed(model, tokens, [13, *[1] * 11], 16)
    expected = ReferenceModel(path).logits(tokens)
    assert error_of(found, expected) < 2e-5
    assert all(int(y.argmax()) == int(expected[p - 1].argmax()) for p, y in found)
