"""Block formats: the numbers of blocks are those of the package `gguf`, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from mlc.frontends.gguf.formats.block_format import BlockFormat
from mlc.frontends.gguf.formats.registry import format_of, known_formats, plugin_formats
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError

gguf = pytest.importorskip("gguf")
quants = pytest.importorskip("gguf.quants")
_ALL = [pytest.param(each, id=each.name) for each in known_formats()]


def _blocks(found: BlockFormat, rows: int = 5, columns: int = 7) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """All bytes are equally likely, so that scales are NaN and infinite, too."""
    return np.random.default_rng(found.number).integers(0, 256, (rows, columns, found.bytes), dtype=np.uint8)


@pytest.mark.parametrize("found", _ALL)
def test_sizes_and_names(found: BlockFormat) -> None:
    kind = gguf.GGMLQuantizationType(found.number)
    assert kind.name == found.name and gguf.GGML_QUANT_SIZES[kind] == (found.elements, found.bytes)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("found", _ALL)
def test_decoded_bit_by_bit(found: BlockFormat) -> None:
    blocks = _blocks(found)
    decoded = found.decode(blocks)
    assert decoded.shape == (5, 7, found.elements) and decoded.dtype == np.float32
    expected = quants.dequantize(blocks.reshape(5, -1), gguf.GGMLQuantizationType(found.number)).reshape(decoded.shape)
    numbers = ~np.isnan(expected)
    assert np.array_equal(np.isnan(decoded), ~numbers)
    assert np.array_equal(decoded[numbers].view(np.uint32), expected[numbers].view(np.uint32))


@pytest.mark.parametrize("found", _ALL)
def test_no_blocks(found: BlockFormat) -> None:
    assert found.decode(_blocks(found, rows=0)).shape == (0, 7, found.elements)


@pytest.mark.parametrize("found", [each for each in _ALL if each.values[0].encodes])  # pyright: ignore
def test_encoded_bit_by_bit(found: BlockFormat) -> None:
    numbers = np.random.default_rng(1).standard_normal((5, 7 * found.elements)).astype(np.float32)
    numbers[2] = 0
    apart = numbers.reshape(5, 7, found.elements)
    expected = quants.quantize(numbers, gguf.GGMLQuantizationType(found.number))
    assert np.array_equal(found.encode(apart).reshape(5, -1), expected.view(np.uint8).reshape(5, -1))


@pytest.mark.parametrize("found", _ALL)
def test_groups_are_the_numbers(found: BlockFormat) -> None:
    if (groups := found.groups(_blocks(found))) is None:
        assert found.elements == 1
        return
    assert groups.group in (16, 32) and groups.integers.dtype == np.int8
    assert int(groups.integers.max()) - int(groups.integers.min()) < 1 << groups.bits


def test_a_format_of_a_plugin() -> None:
    class Bytes(BlockFormat):
        name = "BYTES"
        number = 999
        elements = 1
        bytes = 1

        def decode(self, blocks: np.ndarray) -> np.ndarray:
            return blocks.astype(np.float32)

    assert format_of(999) is None
    with plugin_scope():
        plugin_formats.add("BYTES", lambda: Bytes, "a test")
        assert isinstance(format_of(999), Bytes)
    assert format_of(999) is None


def test_a_number_that_is_taken() -> None:
    class Other(BlockFormat):
        name = "OTHER"
        number = 8
        elements = 1
        bytes = 1

        def decode(self, blocks: np.ndarray) -> np.ndarray:
            return blocks.astype(np.float32)

    with plugin_scope():
        plugin_formats.add("OTHER", lambda: Other, "a test")
        with pytest.raises(UserError, match="has the number 8, which is that of Q8_0; required: a number of its own"):
            known_formats()
    with plugin_scope():
        plugin_formats.add("TEXT", lambda: "text", "a test")
        with pytest.raises(UserError, match="is not a class that derives from BlockFormat"):
            known_formats()
