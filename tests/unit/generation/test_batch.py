"""Several sequences that are decoded at once, beside each of them alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")

from mlc.generation.batch import Batch
from mlc.generation.generator import Generator
from mlc.generation.sampling import Sampling
from mlc.passes.graph._group_cost import integer_weights
from mlc.runtime.extents import InputError
from mlc.runtime.shaped_model import ShapedModel
from mlc.support.errors import UserError
from mlc.targets.machine import resolve_target
from mlc.tests.numeric.gguf.tiny_models import VOCABULARY, write_model

pytestmark = pytest.mark.slow

_CONTEXT = 32
_CHANCE = np.random.default_rng(3)
_PROMPTS = [_CHANCE.integers(2, VOCABULARY, size).tolist() for size in (1, 19, 4, 7, 12, 2, 16, 9, 3)]


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Generator:
    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    write_model(path, "llama", "Q4_0", with_texts="", context=_CONTEXT)
    return Generator.load(path, sequences=8)


def _batch(generator: Generator, count: int) -> Batch:
    return Batch([generator.another() for _ in range(count)])


def _alone(generator: Generator, prompt: Sequence[int], most: int) -> list[int]:
    """The tokens that follow a prompt, the most likely ones, of one sequence at a time."""
    found = [token for token in generator.another().steps(prompt, most, Sampling()) if token is not None]
    assert found
    return found


def _written(batch: Batch, jobs: Sequence[tuple[int, int, Sequence[int], int]]) -> list[list[int]]:
    """What follows prompts, each of which a generator begins to read at a step: (step, generator, prompt, most)."""
    running, found = dict[int, tuple[int, int]](), {at: list[int]() for at in range(len(jobs))}
    writing = {at: batch.generators[job[1]].writing(job[3], Sampling()) for at, job in enumerate(jobs)}
    for step in range(100):
        for at, (start, number, prompt, _) in enumerate(jobs):
            if start == step:
                generator = batch.generators[number]
                generator.forget()
                logits = generator.read(prompt)
                if (token := writing[at].token(logits)) is not None:
                    running[at] = number, token
        running = {at: each for at, each in running.items() if writing[at].ending is None}
        following = [(batch.generators[number], token) for number, token in running.values()]
        for at, logits in zip(list(running), batch.read(following), strict=True):
            token = writing[at].token(logits)
            if token is not None:
                running[at] = running[at][0], token
    for at, each in writing.items():
        assert each.ending is not None
        found[at] = each.written
    return list(found.values())


@pytest.mark.parametrize("count", [2, 4, 5, 8, 9])
def test_sequences_of_different_lengths(generator: Generator, count: int) -> None:
    """Each writes what it writes alone, whether the places of a call are full or not, and in one call or in two."""
    batch, most = _batch(generator, count), 10
    found = _written(batch, [(0, number, _PROMPTS[number], most) for number in range(count)])
    assert found == [_alone(generator, prompt, most) for prompt in _PROMPTS[:count]]


def test_joining_and_leaving(generator: Generator) -> None:
    """Sequences begin and end between steps, one in the caches of another one that ended; others do not notice."""
    jobs = [(0, 0, _PROMPTS[0], 12), (0, 1, _PROMPTS[1], 3), (2, 2, _PROMPTS[2], 5), (6, 1, _PROMPTS[3], 9)]
    jobs += [(7, 3, _PROMPTS[4], 8), (9, 2, _PROMPTS[5], 4)]
    expected = [_alone(generator, prompt, most) for _, _, prompt, most in jobs]
    assert _written(_batch(generator, 4), jobs) == expected


def test_caches_of_absent_sequences(generator: Generator) -> None:
    """A sequence that pauses, beside others or with full caches, goes on as if it had not."""
    batch = _batch(generator, 4)
    paused, *others = batch.generators
    paused.read(_PROMPTS[1][:5])
    for each in others:
        each.read([3])
    for token in (4, 5, 6):
        batch.read([(each, token) for each in others])
    alone = generator.another()
    alone.read(_PROMPTS[1][:5])
    np.testing.assert_allclose(paused.read(_PROMPTS[1][5:9]), alone.read(_PROMPTS[1][5:9]), rtol=1e-5, atol=1e-5)
    paused.read([7] * (_CONTEXT - paused.held))
    batch.read([(each, 9) for each in others])
    assert paused.held == _CONTEXT - 1, "its last place was taken, and is known to be"


def test_logits_do_not_depend_on_others(generator: Generator) -> None:
    """To the bit, in one place of a call that other sequences share, whatever these are."""
    found = list[bytes]()
    for others in ([8, 9, 10], [50, 60, 70]):
        batch = _batch(generator, 4)
        for each in batch.generators:
            each.read([5, 6, 7] if each is batch.generators[0] else others)
        found.append(batch.read([(each, 11) for each in batch.generators])[0].tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["llama", "gemma3", "gpt2"])
def test_logits_are_those_of_a_sequence_alone(name: str, tmp_path: Path) -> None:
    """To the bit, for each number of sequences, where products are those of integers."""
    if integer_weights(resolve_target("native"), in_fields=True) is None:
        pytest.skip("this machine multiplies floats as fast as integers of 8 bits")
    write_model(path := tmp_path / "tiny.gguf", name, "Q4_1", with_texts="", context=_CONTEXT)
    generator, expected = Generator.load(path, sequences=8, accuracy="fast"), dict[int, bytes]()
    for size in range(1, 9):
        batch = _batch(generator, size)
        for number, each in enumerate(batch.generators):
            each.read(_PROMPTS[number])
        for number, logits in enumerate(batch.read([(each, 11) for each in batch.generators])):
            alone = generator.another()
            alone.read(_PROMPTS[number])
            expected.setdefault(number, alone.read([11]).tobytes())
            assert logits.tobytes() == expected[number], (size, number)
    assert len(set(expected.values())) == 8


def test_a_full_context_and_wrong_generators(generator: Generator) -> None:
    batch = _batch(generator, 2)
    first, second = batch.generators
    first.read([3] * _CONTEXT)
    with pytest.raises(UserError, match=f"found a context of {_CONTEXT} tokens that is full; required: room for one"):
        batch.read([(first, 3), (second, 3)])
    assert second.held == 0, "nothing was read"
    required = "found a generator twice, or one of another batch; required: each of this batch once at most"
    for wrong in ([(second, 3), (second, 4)], [(generator, 3)]):
        with pytest.raises(UserError, match=required):
            batch.read(wrong)
    assert batch.read([]) == []


def test_prompts(generator: Generator) -> None:
    """Each has a sampling of its own; generators that have read something forget it."""
    batch = _batch(generator, 5)
    batch.generators[1].read([9, 8, 7])
    prompts, samplings = _PROMPTS[:5], [Sampling(temperature=0.9, seed=seed) for seed in range(5)]
    expected = list[list[int]]()
    for prompt, sampling in zip(prompts, samplings, strict=True):
        steps = generator.another().steps(prompt, 8, Sampling(temperature=0.9, seed=sampling.seed))
        expected.append([token for token in steps if token is not None])
    assert batch.continued(prompts, 8, samplings) == expected
    assert batch.continued(prompts[:2], 3) == [_alone(generator, prompt, 3) for prompt in prompts[:2]]
    assert batch.continued(prompts[:1], 0) == [[]] and batch.continued([]) == []
    with pytest.raises(UserError, match="found 6 prompts and 6 samplings; required: at most 5 prompts, and one sampl"):
        batch.continued(_PROMPTS[:6])
    with pytest.raises(UserError, match="found 1 prompts and 0 samplings; required"):
        batch.continued(_PROMPTS[:1], 3, [])


def test_memory_of_caches(generator: Generator) -> None:
    """Calls of up to eight sequences: there are caches for eight, and no more."""
    assert generator.batches == (4, 5, 6, 7, 8)
    assert [_batch(generator, count).cache_bytes // generator.cache_bytes for count in (1, 8, 9)] == [8, 8, 16]


def test_the_number_of_arrays(generator: Generator) -> None:
    """Code for four sequences takes more of them than that for one; by name, too."""
    assert isinstance(generator.model, ShapedModel)
    variants = generator.model.variants
    one = next(each for each in variants if each.inputs[0].shape == (1, 1))
    four = next(each for each in variants if each.inputs[0].shape == (4, 1))
    assert len(four.inputs) == 2 + 4 * (len(one.inputs) - 2)
    for each in (one, four):
        given = {info.name: np.zeros(info.shape, info.dtype) for info in each.inputs}
        assert generator.model.run(given)["logits"].shape == (each.inputs[0].shape[0], VOCABULARY)
    arrays = [np.zeros(info.shape, info.dtype) for info in four.inputs]
    with pytest.raises(InputError, match=r"there is no code for tokens \[3, 1\], position \[4\], count \[\], keys0"):
        generator.model(np.zeros((3, 1), np.int64), *arrays[1:])
    with pytest.raises(InputError, match=f"the model takes {len(one.inputs)} inputs .*, and the call gives 2"):
        generator.model(*arrays[:2])


def test_code_for_one_sequence(tmp_path: Path) -> None:
    """A model that was loaded for one sequence reads one after the other."""
    write_model(path := tmp_path / "tiny.gguf", "gpt2", "F32", with_texts="", context=_CONTEXT)
    generator = Generator.load(path)
    batch = _batch(generator, 2)
    assert generator.batches == () and batch.cache_bytes == 2 * generator.cache_bytes
    jobs = [(0, number, _PROMPTS[number], 4) for number in range(2)]
    assert _written(batch, jobs) == [_alone(generator, prompt, 4) for prompt in _PROMPTS[:2]]
