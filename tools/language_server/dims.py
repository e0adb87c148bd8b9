"""The dims of kernels in index notation: where each is named.

The ops of a function share the names of dims, and its schedule names loops by them: `mi` is the loop inside of the
blocks of `m`. So a dim is what has its name in one function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

from mlc.dialects.loop.steps import ArgumentName, FunctionName, load_step, step_names, type_hints
from mlc.tools.language_server.tokens import TextToken, tokens_of

_DECLARED = re.compile(r"\b(?:over|reduce)\s*\(([^()]*)\)")
_DIM = re.compile(r"\b([A-Za-z_]\w*)\s*:")
_SUBSCRIPTS = re.compile(r"%[\w$.-]+(?:#\d+)?\s*\[([^\[\]]*)\]")
_SCHEDULE = re.compile(r"#loop\.schedule<([^<>]*)>")
_STEP = re.compile(r"([a-z]\w*)\(([^()]*)\)")
_WORD = re.compile(r"(?<![%@#\w.])[A-Za-z_]\w*\b")


@dataclass(frozen=True)
class NamedDim:
    """A dim of a function."""

    name: str
    declared: list[int]
    """Where ops say how long it is."""
    others: frozenset[str]
    """The names of the other dims of the function."""
    places: list[int]
    """Where its name stands, these places among them; of loops inside of its blocks, where their names begin."""


def dim_at(function: str, start: int, token: TextToken) -> NamedDim | None:
    """The dim that a token names; None if it names none.

    Args:
        function: the text of the function around it.
        start: where that begins.
    """
    if token.kind != "word":
        return None
    text = _without_words(function)
    declared: list[tuple[str, int]] = []
    for match in _DECLARED.finditer(text):
        declared += [(found[1], match.start(1) + found.start()) for found in _DIM.finditer(match[1])]
    dims = {name for name, _ in declared}
    name = _dim_of(token.text, dims)
    if name is None:
        return None
    own = [at for each, at in declared if each == name]
    places = [*own]
    for match in _SUBSCRIPTS.finditer(text):
        places += [match.start(1) + word.start() for word in _WORD.finditer(match[1]) if word[0] == name]
    for match in _SCHEDULE.finditer(text):
        places += [match.start(1) + at for loop, at in _loops_in(match[1]) if _dim_of(loop, dims) == name]
    found = sorted(start + at for at in places)
    return NamedDim(name, [start + at for at in own], frozenset(dims - {name}), found) if token.start in found else None


def _loops_in(schedule: str) -> Iterator[tuple[str, int]]:
    """The names of loops in a schedule, and where they stand; an argument may be called as a loop is."""
    for step in _STEP.finditer(schedule):
        kind = load_step(step[1]) if step[1] in step_names() else None
        hints = [] if kind is None else [type_hints(kind)[each.name] for each in fields(kind)]
        for number, word in enumerate(_WORD.finditer(step[2])):
            if number >= len(hints) or hints[number] not in (ArgumentName, FunctionName):
                yield word[0], step.start(2) + word.start()


def _dim_of(loop: str, dims: set[str]) -> str | None:
    """The dim whose loop, or that of blocks of it, has a name."""
    while loop not in dims and loop.endswith("i"):
        loop = loop[:-1]
    return loop if loop in dims else None


def _without_words(text: str) -> str:
    """The text with blanks in the place of comments and strings."""
    parts: list[str] = []
    at = 0
    for token in tokens_of(text):
        if token.kind in ("comment", "string"):
            parts += [text[at : token.start], " " * len(token.text)]
            at = token.end
    return "".join([*parts, text[at:]])
