"""The program of a chat: C, and what it needs of a model, its tokenizer and its template."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

import numpy as np

from mlc.frontends.gguf.file import GgufFile
from mlc.generation.executable.tables import TokenTables
from mlc.generation.executable.turns import Turns, turns_of
from mlc.generation.generator import calls_for
from mlc.generation.tokenizer import STAND_INS, Tokenizer
from mlc.targets.glue import byte_size
from mlc.targets.program import Program, RunnerSource, Signature, Weight
from mlc.targets.variants import ProgramVariants

TEMPERATURE, MOST_WRITTEN = 0.7, 512
"""How answers are drawn, and how long they are, where that is not said."""
_PREFIX = "mlc_chat_"
_CONTROL = 1 << 31
_FILES = ("text", "words", "tokens", "sampling", "stops", "options", "model", "talk")
_DIGITS = {"llama-bpe": 3, "qwen2": 1}
"""The most digits of a word, by the pattern that splits texts."""


@dataclass(frozen=True)
class ChatProgram:
    """What a chat needs beside the model.

    Attributes:
        file: that of the model.
        context: how many tokens its caches hold.
    """

    file: GgufFile
    tokenizer: Tokenizer
    turns: Turns
    context: int

    @classmethod
    def of(cls, file: GgufFile, context: int) -> ChatProgram:
        """That of a file.

        Raises:
            UserError: the file has no tokenizer or no template that a program of its own can have, or a package is
                missing.
        """
        tokenizer = Tokenizer.of(file)
        return cls(file, tokenizer, turns_of(file, tokenizer), context)

    def around(self, model: Program | ProgramVariants) -> RunnerSource:
        """The program around a compiled model, for one token, and perhaps for more of them."""
        tables = TokenTables.of(self.file, self.tokenizer)
        arrays = {field.name: getattr(tables, field.name) for field in fields(tables)}
        pieces, template = self._pieces()
        arrays["template"] = np.array(template or [0], np.uint32)
        defines = {**self._of_tokens(tables), **pieces, "TEMPLATE": len(arrays["template"]), **_of_model(model)}
        defines |= {"CONTEXT": self.context, "TEMPERATURE": TEMPERATURE, "MOST_WRITTEN": MOST_WRITTEN}
        head = "".join(f"#define {name} {value}\n" for name, value in defines.items())
        folder = resources.files("mlc.runtime").joinpath("chat")
        source = "\n".join(folder.joinpath(f"{name}.c").read_text(encoding="utf-8") for name in _FILES)
        weights = [Weight(f"{_PREFIX}{name}", array) for name, array in arrays.items()]
        return RunnerSource(head + source, weights)

    def _of_tokens(self, tables: TokenTables) -> dict[str, Any]:
        tokenizer, found = self.tokenizer, self.file.metadata
        pre, unknown = found.get("tokenizer.ggml.pre"), found.get("tokenizer.ggml.unknown_token_id")
        is_of_bytes = tokenizer.spelling.is_of_bytes
        return {
            "KINDS": len(tables.kinds),
            "CHARACTERS": len(tables.characters),
            "PAIRS": len(tables.pairs),
            "OWN": len(tables.own),
            "OWN_TEXT": len(tables.own_text),
            "TOKEN_BYTES": len(tables.token_bytes),
            "TEXTS": len(tokenizer.tokens),
            "OF_BYTES": int(is_of_bytes),
            "PUTS_SPACE": int(tokenizer.puts_space),
            "UNKNOWN": -1 if unknown is None or is_of_bytes else unknown,
            "DIGITS_APART": int(pre == "smollm"),
            "MOST_DIGITS": _DIGITS.get(str(pre), 0),
            "MOST_CHARACTERS": f"{self.context * tokenizer.spelling.longest}u",
            "FIRST_TOKEN": -1 if tokenizer.first is None else tokenizer.first,
            "ENDS": len(tokenizer.ends),
            "ENDS_LIST": f"{{{', '.join(map(str, sorted(tokenizer.ends))) or '0'}}}",
            "HIDDEN_FROM": STAND_INS,
            "HIDDEN_TO": STAND_INS + len(tokenizer.shown),
        }

    def _pieces(self) -> tuple[dict[str, Any], list[int]]:
        """Where each piece stands, and all of them: characters, and control tokens."""
        found, template = dict[str, Any](), list[int]()
        for name, roles in (
            ("START", (None, "user")),
            ("START_INSTRUCTED", (None, "system")),
            ("AFTER_INSTRUCTION", ("system", "user")),
            ("AFTER_USER", ("user", "assistant")),
            ("AFTER_ANSWER", ("assistant", "user")),
            ("END", ("user", None)),
        ):
            start, text, at = len(template), self.turns.between.get(roles, ""), 0
            for place, control in [*self.tokenizer.names_in(text), (len(text), "")]:
                if place >= at:
                    template += map(ord, text[at:place])
                    template += [self.tokenizer.controls[control] | _CONTROL] if control else []
                    at = place + len(control)
            found[name] = f"{start}, {len(template) - start}"
        for name, role in (("INSTRUCTION", "system"), ("USER", "user"), ("ANSWER", "assistant")):
            found[f"TRIMMED_{name}"] = int(role in self.turns.trimmed)
        return {**found, "CAN_INSTRUCT": int(self.turns.can_instruct)}, template


def _of_model(model: Program | ProgramVariants) -> dict[str, Any]:
    """How the model is called."""
    programs = model.programs if isinstance(model, ProgramVariants) else (model,)
    by_length = {_length(each.signature): each.signature for each in programs}
    one, calls = by_length[1], calls_for(by_length)
    caches = [byte_size(each) for each in one.inputs[3:]]
    return {
        "VOCABULARY": one.outputs[0].shape[-1],
        "WIDTH": one.outputs[1].shape[-1],
        "CACHES": len(caches),
        "CACHE_BYTES": f"{{{', '.join(f'{size}u' for size in caches)}}}",
        "WORKSPACE_BYTES": f"{max(each.signature.workspace_bytes for each in programs)}u",
        "CALLS": f"{{{', '.join(f'{{{size}, {least}, {by_length[size].symbol}}}' for size, least in calls)}}}",
        "FUNCTIONS": ", ".join(by_length[size].symbol for size, _ in calls),
        "MOST_GIVEN": calls[0][0],
    }


def _length(signature: Signature) -> int:
    """How many tokens a call takes."""
    return signature.inputs[0].shape[-1]
