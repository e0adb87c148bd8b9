"""Files of GGUF that somebody broke: each is refused in words or read, without a crash, a hang or much memory.

    python -m mlc.tests.numeric.gguf.mutations --count 20000 --seed 0

The files are small models of each architecture with a tokenizer. One to three places of each are changed: it is cut
off, bits are flipped, counts, lengths, types, offsets, extents and numbers are replaced, entries are dropped, repeated
and swapped, values become lists in lists, and templates try to leave their sandbox. What is read has to give tokens,
the text of a chat, and the graph of its model, or to refuse that in words.
"""

from __future__ import annotations

import struct
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast

from mlc.compiler.compilation import new_context
from mlc.frontends.gguf.file import GgufFile, open_gguf
from mlc.frontends.gguf.language_model import language_model
from mlc.frontends.gguf.source import GgufModel
from mlc.frontends.gguf.to_graph.convert_gguf_to_graph import ConvertGgufToGraphPass
from mlc.generation.chat import chat_tokens
from mlc.generation.tokenizer import Tokenizer
from mlc.support.errors import UserError
from mlc.testing.broken_inputs import command, tried
from mlc.testing.time_limit import at_most
from mlc.tests.numeric.gguf.tiny_models import MODELS, write_model
from mlc.tests.unit.frontends.gguf.files import ARRAY, STRING, text
from mlc.tests.unit.generation.files import by_scores

SECONDS_A_FILE = 20
"""The most time that a file may take."""
_MEMORY = 1 << 30
"""The most bytes of address space beyond those that are in use at the start."""
_TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}"
_TEMPLATES = (
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ messages.__class__.__base__.__subclasses__() }}",
    "{{ raise_exception.__globals__['os'].system('false') }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ self.__init__.__globals__ }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ (messages|attr('__class__'))|attr('__mro__') }}",
    "{{ '{0.__class__.__mro__}'.format(messages) }}",
    "{{ ('%c' * 10000000000) }}",
    "{{ 'a' * 10000000000 }}",
    "{{ 9 ** 9 ** 9 ** 9 }}",
    "{{ '%10000000000d' % 1 }}",
    "{{ '{:>10000000000}'.format('a') }}",
    "{{ 'a'.ljust(10000000000) }}",
    "{{ 'a'|center(10000000000) }}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(l=[]) %}{% for a in range(999) %}{% set ns.l = ns.l + ['a' * 9999999] %}{% endfor %}",
    "{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x.replace('a', 'aaaa') %}{% endfor %}",
    "{% set x = 'a' * 9999 %}{{ x|replace('a', x)|replace('a', x)|length }}",
    "{{ ([1] * 9999999)|join('a' * 9999999) }}",
    "{{ messages|tojson(indent=9999999999) }}",
    "{{ messages|batch(9999999999, 'a') }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}{{ os }}",
    "{% extends 'x' %}",
    "{{ messages.append(1) }}{{ messages.pop() }}",
    "{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    "{{ messages[0].update({'role': 1}) }}",
    "{{ undefined.a.b }}",
    "{{ messages[7].content }}",
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "{% if true %}" * 3000 + "{% endif %}" * 3000,
    "\ud7ff{{ '\\ud800' }}",
    "",
)
_NUMBERS = (0, 1, 2, 3, 7, 31, 255, 256, 65535, 1 << 20, (1 << 24) + 1, (1 << 31) - 1, 1 << 32, 1 << 61, (1 << 64) - 1)


@dataclass(frozen=True)
class Mutant:
    """What became of a broken file: `read`, `refused`, or else what went wrong."""

    number: int
    changes: tuple[str, ...]
    outcome: str


@dataclass
class _Parts:
    """A file, taken apart: keys, types and bytes of metadata; names, extents, type and offset of tensors; data."""

    metadata: list[tuple[bytes, int, bytes]]
    tensors: list[tuple[bytes, list[int], int, int]]
    data: bytes
    version: int = 3
    counts: list[int] = field(default_factory=lambda: [0, 0])
    """What is added to the counts of tensors and of metadata."""
    alignment: int = 32

    @classmethod
    def of(cls, content: bytes) -> _Parts:
        """The parts of a file that is right."""
        from mlc.frontends.gguf.cursor import Cursor

        cursor = Cursor(memoryview(content))
        cursor.take(8, "the start")
        tensors, metadata = cursor.u64("tensors"), cursor.u64("metadata")
        found: list[tuple[bytes, int, bytes]] = []
        for _ in range(metadata):
            key, kind, start = cursor.name("key").encode(), cursor.u32("kind"), cursor.at
            cursor.value(kind, "value")
            found.append((key, kind, content[start : cursor.at]))
        listed: list[tuple[bytes, list[int], int, int]] = []
        for _ in range(tensors):
            name, rank = cursor.name("name").encode(), cursor.u32("rank")
            extents = [cursor.u64("extent") for _ in range(rank)]
            listed.append((name, extents, cursor.u32("kind"), cursor.u64("offset")))
        return cls(found, listed, content[-(-cursor.at // 32) * 32 :])

    def content(self) -> bytes:
        """The file."""
        out = [b"GGUF", struct.pack("<I", self.version)]
        sizes = len(self.tensors) + self.counts[0], len(self.metadata) + self.counts[1]
        out += [struct.pack("<Q", each & ((1 << 64) - 1)) for each in sizes]
        for key, kind, value in self.metadata:
            out += [struct.pack("<Q", len(key)), key, struct.pack("<I", kind), value]
        for name, extents, kind, offset in self.tensors:
            out += [struct.pack("<Q", len(name)), name, struct.pack(f"<I{len(extents)}Q", len(extents), *extents)]
            out.append(struct.pack("<IQ", kind, offset))
        head = b"".join(out)
        return head + bytes(-len(head) % self.alignment) + self.data


def _drop_a_metadatum(parts: _Parts, rng: Random) -> None:
    del parts.metadata[rng.randrange(len(parts.metadata))]


def _repeat_a_metadatum(parts: _Parts, rng: Random) -> None:
    parts.metadata.append(rng.choice(parts.metadata))


def _swap_values(parts: _Parts, rng: Random) -> None:
    i, j = rng.randrange(len(parts.metadata)), rng.randrange(len(parts.metadata))
    (a, *one), (b, *other) = parts.metadata[i], parts.metadata[j]
    parts.metadata[i], parts.metadata[j] = (a, other[0], other[1]), (b, one[0], one[1])  # type: ignore[assignment]


def _retype_a_value(parts: _Parts, rng: Random) -> None:
    i = rng.randrange(len(parts.metadata))
    key, _, value = parts.metadata[i]
    parts.metadata[i] = key, rng.choice((*range(13), 77)), value


def _replace_a_value(parts: _Parts, rng: Random) -> None:
    """A number or a text of some type, which may be right, too large, or not finite."""
    i = rng.randrange(len(parts.metadata))
    number = rng.choice(_NUMBERS)
    value = rng.choice(
        [
            (4, struct.pack("<I", number & 0xFFFFFFFF)),
            (5, struct.pack("<i", -1 - (number & 0x7FFFFFFF))),
            (6, struct.pack("<f", rng.choice((0.0, -1.0, 1e30, 1e-40, float("nan"), float("inf"))))),
            (7, bytes((rng.randrange(256),))),
            (10, struct.pack("<Q", number)),
            (STRING, text(rng.choice(("", "llama", "gpt2", "\0", "ü" * 300, "none", "linear", "yarn")))),
        ]
    )
    parts.metadata[i] = parts.metadata[i][0], *value


def _lengthen(parts: _Parts, rng: Random) -> None:
    """The length of a text, or of a list, says something else."""
    i = rng.randrange(len(parts.metadata))
    key, kind, value = parts.metadata[i]
    at = 4 if kind == ARRAY else 0
    length = struct.pack("<Q", rng.choice((*_NUMBERS, len(value), len(value) - 8)) & ((1 << 64) - 1))
    parts.metadata[i] = key, kind, value[:at] + length + value[at + 8 :]


def _nest(parts: _Parts, rng: Random) -> None:
    """A value becomes a list of lists, or of many empty ones."""
    i = rng.randrange(len(parts.metadata))
    key, kind, value = parts.metadata[i]
    if rng.random() < 0.5:
        for _ in range(rng.choice((1, 3, 5, 1000))):
            value, kind = struct.pack("<IQ", kind, 1) + value, ARRAY
    else:
        empty = struct.pack("<IQ", ARRAY, 0)
        value, kind = struct.pack("<IQ", ARRAY, 5000) + empty * 5000, ARRAY
    parts.metadata[i] = key, kind, value


def _change_an_element(parts: _Parts, rng: Random) -> None:
    """Bytes in a list: scores, types, texts of tokens, pairs."""
    lists = [i for i, each in enumerate(parts.metadata) if each[1] == ARRAY and len(each[2]) > 16]
    if lists:
        i = rng.choice(lists)
        key, kind, value = parts.metadata[i]
        changed = bytearray(value)
        for _ in range(rng.choice((1, 4, 40))):
            changed[rng.randrange(12, len(changed))] = rng.randrange(256)
        parts.metadata[i] = key, kind, bytes(changed)


def _change_the_template(parts: _Parts, rng: Random) -> None:
    template = text(rng.choice(_TEMPLATES))
    parts.metadata = [(k, t, template if k == b"tokenizer.chat_template" else v) for k, t, v in parts.metadata]


def _change_a_tensor(parts: _Parts, rng: Random) -> None:
    i = rng.randrange(len(parts.tensors))
    name, extents, kind, offset = parts.tensors[i]
    number = rng.choice(_NUMBERS)
    match rng.randrange(7):
        case 0:
            del parts.tensors[i]
        case 1:
            parts.tensors.append(parts.tensors[i])
        case 2:
            parts.tensors[i] = name, [number, *extents[1:]], kind, offset
        case 3:
            parts.tensors[i] = name, [*extents, number][-rng.randint(0, 6) :], kind, offset
        case 4:
            parts.tensors[i] = name, extents, rng.choice((*range(42), number & 0xFFFFFFFF)), offset
        case 5:
            parts.tensors[i] = name, extents, kind, rng.choice((number, number & ~31, offset + 32))
        case _:
            parts.tensors[i] = (
                rng.choice((b"", b"\xff", b"x" * 70_000, rng.choice(parts.tensors)[0])),
                extents,
                kind,
                offset,
            )


def _change_counts(parts: _Parts, rng: Random) -> None:
    parts.counts[rng.randrange(2)] = rng.choice((-1, 1, *_NUMBERS))


def _change_the_head(parts: _Parts, rng: Random) -> None:
    if rng.random() < 0.5:
        parts.version = rng.choice((0, 1, 2, 4, 3 << 24, (1 << 32) - 1))
    else:
        alignment = rng.choice((0, 1, 8, 16, 24, 64, 1 << 20, 1 << 30, (1 << 32) - 1))
        parts.metadata.append((b"general.alignment", 4, struct.pack("<I", alignment)))


def _change_weights(parts: _Parts, rng: Random) -> None:
    """Scales become not finite, and so on."""
    data = bytearray(parts.data)
    at, size = rng.randrange(len(data)), rng.choice((2, 64, 4096))
    data[at : at + size] = rng.choice((b"\xff", b"\x00", b"\x7c"))[:1] * len(data[at : at + size])
    parts.data = bytes(data)


_CHANGES: Sequence[Callable[[_Parts, Random], None]] = (
    _drop_a_metadatum,
    _repeat_a_metadatum,
    _swap_values,
    _retype_a_value,
    _replace_a_value,
    _replace_a_value,
    _lengthen,
    _nest,
    _change_an_element,
    _change_an_element,
    _change_the_template,
    _change_a_tensor,
    _change_a_tensor,
    _change_counts,
    _change_the_head,
    _change_weights,
)


def _damaged(content: bytes, rng: Random) -> bytes:
    """Cut off, or with bits flipped, most of them in what stands before the data."""
    if rng.random() < 0.3:
        return content[: rng.randrange(len(content) + 1)]
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(min(len(changed), 6000))] ^= 1 << rng.randrange(8)
    return bytes(changed)


@cache
def _models() -> list[bytes]:
    """A file of each architecture, and one whose tokenizer has scores."""
    found: list[bytes] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        for name in MODELS:
            write_model(path, name, "Q4_0", with_texts=_TEMPLATE)
            found.append(path.read_bytes())
    parts = _Parts.of(found[0])
    own = [each for each in parts.metadata if not each[0].startswith(b"tokenizer.ggml")]
    parts.metadata = [*own, *(_metadatum(key, value) for key, value in by_scores().items())]
    return [*found, parts.content()]


def _metadatum(key: str, value: Any) -> tuple[bytes, int, bytes]:
    if isinstance(value, str):
        return key.encode(), STRING, text(value)
    if isinstance(value, int):
        return key.encode(), 4, struct.pack("<I", value)
    if isinstance(value, list):
        value = cast("list[str]", value)
        return key.encode(), ARRAY, struct.pack("<IQ", STRING, len(value)) + b"".join(map(text, value))
    kind = {"i": 5, "f": 6}[value.dtype.kind]
    return key.encode(), ARRAY, struct.pack("<IQ", kind, len(value)) + value.tobytes()


def mutated(number: int, seed: int = 0) -> tuple[bytes, tuple[str, ...]]:
    """The file of a number, and what was changed."""
    rng = Random(seed * 1_000_003 + number)
    parts, names = _Parts.of(rng.choice(_models())), list[str]()
    if rng.random() < 0.25:
        return _damaged(parts.content(), rng), ("damaged",)
    for _ in range(rng.choice((1, 1, 2, 3))):
        change = rng.choice(_CHANGES)
        if parts.metadata and parts.tensors:
            change(parts, rng)
            names.append(change.__name__)
    return parts.content(), tuple(names)


def try_one(number: int, seed: int = 0) -> Mutant:
    """Make the file of a number, and take it as far as it goes."""
    content, changes = mutated(number, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        path.write_bytes(content)
        refused = 0
        try:
            with at_most(SECONDS_A_FILE):
                file = open_gguf(path)
                for step in (_use_texts, _use_model):
                    try:
                        step(file)
                    except UserError as e:
                        _require_words(e)
                        refused += 1
        except UserError as e:
            return Mutant(number, changes, _require_words(e) or "refused")
        except BaseException as e:  # such as the panics of packages in Rust
            return Mutant(number, changes, f"{type(e).__name__}: {str(e)[:300]}")
        return Mutant(number, changes, "refused" if refused else "read")


def _require_words(error: UserError) -> str:
    """What is wrong with the words of an error, if something is."""
    words = str(error)
    return "" if 20 < len(words) < 3000 else f"an error of {len(words)} characters: {words[:100]}"


def _use_texts(file: GgufFile) -> None:
    tokenizer = Tokenizer.of(file)
    tokens = tokenizer.encoded("hello wörld<|im_end|> 12")
    tokenizer.decoded(tokens)
    tokenizer.decoded(range(len(tokenizer.tokens)))
    chat_tokens(file, [{"role": "user", "content": "hello<|im_end|>"}], tokenizer, most=1000)


def _use_model(file: GgufFile) -> None:
    language_model(file)
    ctx = new_context()
    module = GgufModel(file.name, file.file.path.parent, file.file.path).module(ctx)
    ConvertGgufToGraphPass().run(module, ctx)
    module.verify()


def run(count: int, seed: int = 0, jobs: int = 1) -> Iterator[Mutant]:
    """The outcomes of `count` files, in order."""
    return tried(try_one, count, seed, jobs, _MEMORY)


if __name__ == "__main__":
    sys.exit(command("files of GGUF", try_one, ("read", "refused"), _MEMORY))
