"""Reading files of GGUF: what is in them, and what is wrong with some."""

from __future__ import annotations

import random
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.frontends.gguf.file import GgufFile, open_gguf
from mlc.support.errors import UserError
from mlc.tests.unit.frontends.gguf.files import ARRAY, F32, STRING, U32, U64, gguf, metadatum, opened, tensor, text

_SMALL = gguf(
    [
        metadatum("general.architecture", STRING, text("llama")),
        metadatum("tokens", ARRAY, struct.pack("<IQ", STRING, 2) + text("a") + text("bc")),
        metadatum("types", ARRAY, struct.pack("<IQ2i", 5, 2, 1, -3)),
        metadatum("nested", ARRAY, struct.pack("<IQ", ARRAY, 1) + struct.pack("<IQ", STRING, 1) + text("x")),
        metadatum("eps", F32, struct.pack("<f", 0.5)),
    ],
    [tensor("w", [32, 2], 8), tensor("b", [3], 0, 96)],
    bytes(68) + bytes(28) + struct.pack("<3f", 1, 2, 3),
)


def _shown(file: GgufFile) -> list[Any]:
    return [*file.metadata.items(), *(file.floats(each).tolist() for each in file.tensors.values())]


def test_a_file(tmp_path: Path) -> None:
    file = opened(tmp_path, _SMALL)
    assert file.version == 3
    assert file.metadata["tokens"] == ["a", "bc"] and file.metadata["nested"] == [["x"]]
    assert np.array_equal(np.asarray(file.metadata["types"]), [1, -3]) and file.metadata["eps"] == 0.5
    assert file.tensor("w").shape == (2, 32) and file.floats(file.tensor("w")).shape == (2, 32)
    assert file.floats(file.tensor("b")).tolist() == [1, 2, 3]


def test_the_version_before(tmp_path: Path) -> None:
    assert opened(tmp_path, gguf(version=2)).version == 2


def test_what_the_package_writes(tmp_path: Path) -> None:
    package = pytest.importorskip("gguf")
    path = tmp_path / "model.gguf"
    writer = package.GGUFWriter(path, "llama")
    writer.add_custom_alignment(64)
    writer.add_uint32("n", 7)
    writer.add_array("words", ["ä", "b"])
    writer.add_array("floats", [0.5, 1.5])
    writer.add_bool("flag", True)
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    writer.add_tensor("m", matrix)
    writer.add_tensor("h", matrix.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    file = opened(tmp_path, path.read_bytes())
    assert file.metadata["n"] == 7 and file.metadata["words"] == ["ä", "b"] and file.metadata["flag"] is True
    assert np.array_equal(np.asarray(file.metadata["floats"]), [0.5, 1.5])
    for name in ("m", "h"):
        assert np.array_equal(file.floats(file.tensor(name)), matrix)


_DEEP = b"".join(struct.pack("<IQ", ARRAY, 1) for _ in range(10_000))
_WRONG = [
    (b"", r"it starts with b''; required: b'GGUF'"),
    (b"ONNX" + bytes(40), r"it starts with b'ONNX'; required: b'GGUF'"),
    (gguf(version=1), "its version is 1; required: 2 or 3"),
    (gguf(version=3 << 24), "its numbers are big-endian; required: a little-endian file"),
    (gguf(counts=(1 << 60, 0)), r"found 1152921504606846976 tensors; at most 0 fit into the 16 bytes that follow"),
    (gguf(counts=(0, 1 << 40)), r"found 1099511627776 metadata; at most 0 fit into the 8 bytes that follow"),
    (gguf([metadatum("a", 13, b"")]), "'a' has a value of type 13; required: one of 0, 1, 2, "),
    (gguf([metadatum("a", U32, bytes(4))] * 2), "two metadata have the key 'a'; required: different keys"),
    (gguf([metadatum("", U32, bytes(4))]), "a key of metadata has 0 bytes; required: 1 to 65536"),
    (gguf([metadatum("a\n", U32, bytes(4))]), "a key of metadata is not text; required: UTF-8 that can be shown"),
    (gguf([metadatum("a", STRING, struct.pack("<Q", 1 << 63))]), "found 9223372036854775808 bytes of 'a'"),
    (gguf([metadatum("a", ARRAY, struct.pack("<IQ", 10, 1 << 61))]), "found 2305843009213693952 elements of 'a'"),
    (gguf([metadatum("a", ARRAY, struct.pack("<IQ", 77, 1))]), "'a' has a value of type 77"),
    (gguf([metadatum("a", ARRAY, _DEEP)]), "'a' has lists in lists, more than 4 deep; required: at most 4"),
    (
        gguf([metadatum("general.alignment", U32, struct.pack("<I", 24))]),
        "'general.alignment' is 24; required: a power",
    ),
    (gguf([metadatum("general.alignment", U64, struct.pack("<Q", 0))]), "'general.alignment' is 0; required: a power"),
    (gguf([metadatum("general.alignment", STRING, text("8"))]), "'general.alignment' is str; required: a power"),
    (gguf(tensors=[tensor("w", [1] * 5)]), "tensor 'w' has 5 dims; required: at most 4"),
    (gguf(tensors=[tensor("w", [1])] * 2, data=bytes(4)), "two tensors are named 'w'; required: different names"),
    (gguf(tensors=[tensor("w", [33], 8)], data=bytes(99)), "tensor 'w' has rows of 33 elements; required: a multiple"),
    (gguf(tensors=[tensor("w", [1], 0, 8)], data=bytes(64)), "tensor 'w' has the offset 8; required: a multiple of 32"),
    (
        gguf(tensors=[tensor("w", [2])], data=bytes(4)),
        "tensor 'w' takes 8 bytes at byte 64, and the file has 68: it is",
    ),
    (
        gguf(tensors=[tensor("w", [1 << 62, 1 << 62])], data=bytes(4)),
        "takes 85070591730234615865843651857942052864 bytes",
    ),
    (gguf(tensors=[tensor("w", [1], 0, 1 << 63)], data=bytes(4)), "and the file has 68: it is cut off"),
]


@pytest.mark.parametrize("content, words", _WRONG, ids=range(len(_WRONG)))
def test_what_is_wrong(content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=words) as caught:
        opened(tmp_path, content)
    assert str(caught.value).startswith("'model.gguf' is not a file of GGUF that can be read: ")


def test_a_format_that_nobody_knows(tmp_path: Path) -> None:
    file = opened(tmp_path, gguf(tensors=[tensor("w", [32], 16)], data=bytes(64)))
    with pytest.raises(UserError, match=r"tensor 'w' is stored in blocks of type 16; required: F32 \(0\), F16 \(1\)"):
        file.floats(file.tensor("w"))
    with pytest.raises(UserError, match="the file has no tensor 'x', which its architecture needs"):
        file.tensor("x")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"model 'm\.gguf' not found"):
        open_gguf(tmp_path / "m.gguf", "m.gguf")
    with pytest.raises(UserError, match="cannot read model 'folder'"):
        open_gguf(tmp_path, "folder")


def _mutated(content: bytes, chance: random.Random) -> bytes:
    """The file cut off, with bits flipped, or with numbers of 32 or 64 bits in it that are large or none."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                del data[max(at, 4) :]
            case 1:
                data[at] ^= 1 << chance.randrange(8)
            case 2:
                number = chance.choice((0, 1, 3, 8, 9, 255, (1 << 31) - 1, (1 << 32) - 1))
                data[at : at + 4] = struct.pack("<I", number)
            case _:
                number = chance.choice((0, 1, 1 << 20, 1 << 32, 1 << 61, (1 << 63) - 1, (1 << 64) - 1))
                data[at : at + 8] = struct.pack("<Q", number)
    return bytes(data)


def test_mutated_files(tmp_path: Path) -> None:
    """What is wrong with them is told, or they are read; memory is that of the file, times a number."""
    chance, outcomes = random.Random(0), {True: 0, False: 0}
    tracemalloc.start()
    try:
        for number in range(1000):
            try:
                _shown(opened(tmp_path, _mutated(_SMALL, chance)))
                is_read = True
            except UserError:
                is_read = False
            outcomes[is_read] += 1
            assert tracemalloc.get_traced_memory()[1] < 1 << 24, f"mutation {number} takes much memory"
            tracemalloc.reset_peak()
    finally:
        tracemalloc.stop()
    assert min(outcomes.values()) > 30
