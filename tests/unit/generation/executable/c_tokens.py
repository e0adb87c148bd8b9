"""The C of a chat as a library, around a model that gives what a test wants."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.frontends.gguf.file import GgufFile
from mlc.generation.executable.program import ChatProgram
from mlc.generation.executable.turns import Turns
from mlc.generation.sampling import Sampling
from mlc.generation.tokenizer import Tokenizer
from mlc.targets import weights
from mlc.targets.cache import Cache
from mlc.targets.glue import memory_unit, runner_unit
from mlc.targets.host import architecture
from mlc.targets.machine import resolve_target
from mlc.targets.program import Kernel, Program, Signature, TensorSpec
from mlc.targets.toolchain import find_clang, find_linker
from mlc.targets.units import Compiler, Processes, Unit, clang_flags

_EXPORTED = """
#define EXPORTED __attribute__((visibility("default")))
int32_t mlc_decode(const void *const *inputs, void *const *outputs, void *workspace) { return 1; }
EXPORTED uint64_t tokens_of(const unsigned char *bytes, uint64_t size, int32_t *found) {
    static character *text;
    uint64_t length = 0;
    Decoder decoder = {0};
    if (!tokens) prepare_tokens(), text = allocate(sizeof *text * MOST_CHARACTERS);
    for (uint64_t i = 0; i < size; i++) length += (uint64_t)decode(&decoder, bytes[i], text + length);
    length += (uint64_t)decode_end(&decoder, text + length);
    token_count = 0;
    take_text(text, length);
    for (uint64_t i = 0; i < token_count; i++) found[i] = tokens[i];
    return token_count;
}
EXPORTED void seed(uint64_t value) { prepare_sampling(value); }
EXPORTED int32_t sampled(float *logits, const double *numbers, uint64_t top_k, const int32_t *before, uint64_t seen,
                         const int32_t *written, uint64_t count) {
    Sampling how = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], top_k, 0};
    return next_token(logits, &how, before, seen, written, count);
}
EXPORTED uint32_t kinds(uint32_t c) { return kinds_of(c); }
static uint32_t *shown;
static void note(character c) { *shown++ = c; }
EXPORTED uint64_t passed(const char *const *texts, uint64_t count, const uint32_t *answer, uint64_t size,
                         uint32_t *found) {
    if (!waiting) prepare_stops(99, 99);
    stop_count = 0, shown = found;
    for (uint64_t i = 0; i < count; i++) stops[stop_count].length = 0, add_stop(texts[i], length_of(texts[i]));
    begin_answer();
    for (uint64_t i = 0; i < size; i++) pass_on(answer[i], note);
    pass_rest(note);
    return (uint64_t)(shown - found);
}
"""


@dataclass
class ChatLibrary:
    """What the C computes."""

    library: Any

    @classmethod
    def of(cls, file: GgufFile, folder: Path, context: int = 512) -> ChatLibrary:
        """The C for the tokenizer of a file, in a library in a folder."""
        tokenizer = Tokenizer.of(file)
        turns = Turns({(None, "user"): "", ("user", None): ""}, frozenset())
        size = len(tokenizer.tokens)
        spec = TensorSpec("tokens", "int64", (1, 1)), TensorSpec("x", "int64", ()), TensorSpec("count", "int64", ())
        cache = TensorSpec("cache", "float32", (1,))
        outputs = TensorSpec("logits", "float32", (1, size)), TensorSpec("hidden", "float32", (1, 4)), cache
        model = Program([], Kernel("decode", ""), Signature("decode", (*spec, cache), outputs, 64, ""))
        runner = ChatProgram(file, tokenizer, turns, context).around(model)
        model = Program([], model.entry, model.signature, runner=runner)
        machine = resolve_target("x86-64-v2" if architecture() == "x86_64" else "aarch64")
        store = Cache.default()
        compiler = Compiler(find_clang(None, store), clang_flags(machine, 2), store, Processes())
        unit = runner_unit(model, machine)
        units = [Unit("chat", unit.text + _EXPORTED, "c", flags=unit.flags), memory_unit()]
        files, _ = compiler.compile_all(units, folder, None)
        weights.write_object(weights.collect(runner.weights), machine.instruction_set, folder / "tables.o")
        command = [*find_linker(machine.arch, compiler.clang, store).command, "-shared", "-o", "chat.so"]
        status, words = Processes().run([*command, *(each.name for each in files), "tables.o"], folder)
        assert status == 0, words
        library = ctypes.CDLL(str(folder / "chat.so"))
        library.tokens_of.restype = library.passed.restype = ctypes.c_uint64
        return cls(library)

    def encoded(self, text: bytes) -> list[int]:
        """The tokens of a text."""
        found = np.zeros(len(text) * 4 + 8, np.int32)
        count = self.library.tokens_of(text, ctypes.c_uint64(len(text)), found.ctypes.data_as(ctypes.c_void_p))
        return found[:count].tolist()

    def kinds(self, character: int) -> int:
        """The kinds of a character, as in `runtime/chat/text.c`."""
        return self.library.kinds(ctypes.c_uint32(character))

    def before(self, stops: Sequence[str], answer: str) -> str:
        """What of an answer is shown that ends before texts."""
        given, found = (np.array([*map(ord, answer), 0], np.uint32) for _ in range(2))
        texts = (ctypes.c_char_p * len(stops))(*(each.encode() for each in stops))
        text, room = (each.ctypes.data_as(ctypes.c_void_p) for each in (given, found))
        count = self.library.passed(texts, ctypes.c_uint64(len(stops)), text, ctypes.c_uint64(len(answer)), room)
        return "".join(map(chr, found[:count]))

    def drawing(self, how: Sampling) -> CSampling:
        """Draws with a seed."""
        self.library.seed(ctypes.c_uint64(how.seed))
        return CSampling(self.library, how)


@dataclass
class CSampling:
    """Draws of tokens, as `Sampling` makes them."""

    library: Any
    how: Sampling

    def token(self, logits: NDArray[Any], before: Sequence[int], written: Sequence[int]) -> int:
        """The next token."""
        how, logits = self.how, logits.copy()
        numbers = how.temperature, how.top_p, how.min_p
        numbers = np.array([*numbers, how.repetition_penalty, how.frequency_penalty, how.presence_penalty], np.float64)
        lists = [np.array(each or [0], np.int32) for each in (before, written)]
        pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in (logits, numbers, *lists)]
        counts = ctypes.c_uint64(how.top_k), ctypes.c_uint64(len(before)), ctypes.c_uint64(len(written))
        return self.library.sampled(*pointers[:2], counts[0], pointers[2], counts[1], pointers[3], counts[2])
