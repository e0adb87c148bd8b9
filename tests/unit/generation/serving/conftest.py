"""A server of a tiny model, which the tests of a file share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mlc.generation.generator import Generator
    from mlc.tests.unit.generation.serving.running import Running


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Generator:
    from mlc.generation.generator import Generator
    from mlc.tests.numeric.gguf.tiny_models import write_model
    from mlc.tests.unit.generation.serving.running import TEMPLATE

    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    write_model(path, "llama", "Q4_0", with_texts=TEMPLATE, context=256)
    return Generator.load(path, sequences=3)


@pytest.fixture(scope="module")
def served(generator: Generator) -> Iterator[Running]:
    from mlc.tests.unit.generation.serving.running import LIMITS, running

    with running(generator, LIMITS) as found:
        yield found
