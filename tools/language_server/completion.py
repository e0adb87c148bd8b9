"""What may be written at a place of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Literal, cast

from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation

from mlc.dialects.loop.steps import load_step, step_names
from mlc.dialects.registry import dialect_names, plugin_dialects
from mlc.pass_manager.options import options_of
from mlc.pass_manager.registry import known_words, load_pass, pass_names, pipeline_names
from mlc.syntax.errors import Source
from mlc.syntax.parse import Surroundings, read_operations, read_text
from mlc.syntax.recovery import starts_operation
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.hover import documentation
from mlc.tools.language_server.schedules import WrittenSchedule, loops_at, schedule_before
from mlc.tools.language_server.tokens import tokens_of
from mlc.tools.list_passes import summary
from mlc.tools.opt_arguments import make_parser

CompletionKind = Literal[
    "value", "block", "symbol", "alias", "op", "dialect", "keyword", "case", "step", "loop", "pass", "option"
]

_PREFIX = re.compile(r"[%@^#!]?[\w$.-]*$")
_FLAG = re.compile(r"--([\w-]*)$")
_PASS_OPTION = re.compile(r"(?:--|[\"',])(?P<pass>[\w-]+)(?:=[\"']?|\{)(?:[\w-]+=\S+ +)*(?P<written>[\w-]*)$")
_IN_PIPELINE = re.compile(r"--pass-pipeline=[\"']?(?:[^\"'{}]|\{[^{}]*\})*?(?P<written>[\w-]*)$")
_AROUND = "module {\n"
"""What stands before an op that is read by itself: the end is not that of a file."""
_LONGEST_OP = 4_000
"""How many characters before a line an op is searched for that it may belong to."""
_WORD = re.compile(r"[A-Za-z_]").match


@dataclass(frozen=True)
class Completion:
    """One thing that may be written."""

    text: str
    kind: CompletionKind
    start: int
    """Where what it replaces starts: it ends at the place that was asked about."""
    detail: str = ""


def candidates(text: AnalysedText, position: int) -> list[Completion]:
    """What may be written at a position, in the place of what stands there before it; of values the nearest first."""
    line = text.text[text.text.rfind("\n", 0, position) + 1 : position]
    if "//" in line:
        return list(_of_run_line(line, position))
    prefix = _PREFIX.search(line)
    assert prefix is not None
    written = prefix[0]
    found = list(_of_sigil(text, written, position))
    if not found and not written.startswith(tuple("%@^#!")):
        schedule = schedule_before(text.text, position)
        found = list(
            _words(text, written, position) if schedule is None else _of_schedule(text, schedule, written, position)
        )
    return [each for each in found if each.text.startswith(written) and each.text != written]


def _of_sigil(text: AnalysedText, written: str, position: int) -> Iterator[Completion]:
    start = position - len(written)
    match written[:1]:
        case "%":
            shown = cache(str)
            for thing in text.visible(start, written):
                yield Completion(thing.name, "value", start, ", ".join(shown(v.type) for v in thing.values))
        case "^":
            for thing in text.visible(start, written):
                yield Completion(thing.name, "block", start)
        case "@":
            for name, ((op, _), *_) in text.symbols.items():
                yield Completion(name, "symbol", start, op.name)
        case "#" | "!" as sigil:
            for name, named in text.reading.aliases.items():
                if name.startswith(sigil):
                    yield Completion(name, "alias", start, str(named))
        case _:
            return


def _words(text: AnalysedText, written: str, position: int) -> Iterator[Completion]:
    """Ops where one may start; else what the grammar takes, and the cases of enumerations of the op."""
    start = position - len(written)
    begin = begin_of_op(text.text, start)
    # Syntax depends on the op alone: names that the rest of the text defines are taken for granted.
    source = Source(f"{_AROUND}{text.text[begin:start]}", text.file)
    known = Surroundings({}, text.reading.aliases, text.reading.dialects)
    reading = read_operations(source, (0, len(source.text)), text.ctx, text.base, known)
    reading = reading or read_text(source.text, text.file, text.ctx, text.base)
    for word in reading.may_follow:
        if _WORD(word):
            yield Completion(word, "keyword", start)
    if (before := op_before(text, begin, start)) is not None:
        for case, name in _cases(before[0]):
            yield Completion(case, "case", start, name)
        return
    dialect, dot, _ = written.partition(".")
    if not dot:
        for name in (*dialect_names(), *plugin_dialects.names()):
            yield Completion(f"{name}.", "dialect", start)
        for each in text.dialects_at(begin):
            yield from _ops(text, each, start, f"{each}.")
    else:
        yield from _ops(text, dialect, start)


def _ops(text: AnalysedText, dialect: str, start: int, prefix: str = "") -> Iterator[Completion]:
    """The ops of a dialect, without a prefix of their names that is not to be written."""
    if (found := text.ctx.get_optional_dialect(dialect)) is not None:
        for each in found.operations:
            name = each.name.removeprefix(prefix)
            yield Completion(name, "op", start, documentation(each).partition("\n")[0])


def begin_of_op(text: str, position: int) -> int:
    """The start of the line where the op starts that a position is in; of its own line, if none does."""
    own = begin = text.rfind("\n", 0, position) + 1
    while not starts_operation(text, begin) and begin > 0 and own - begin < _LONGEST_OP:
        begin = text.rfind("\n", 0, begin - 1) + 1
    return begin if starts_operation(text, begin) else own


def op_before(text: AnalysedText, begin: int, position: int) -> tuple[type[Operation], int] | None:
    """The op that is being written at a position, on lines from `begin` on, and where its name ends; None where an op
    may start."""
    if not text.text[begin:position].strip():
        return None
    for token in reversed([*tokens_of(text.text[begin:position], begin)]):
        if token.kind in ("open", "close", "comment"):
            return None
        if token.kind == "word" and "." in token.text:
            op = text.ctx.get_optional_op(token.text)
            return (op, token.end) if op is not None and op.name == token.text else None
    return None


def _cases(op: type[Operation]) -> Iterator[tuple[str, str]]:
    """The cases of all enumerations among the properties and attributes of an op, with the names of these."""
    if not issubclass(op, IRDLOperation):
        return
    definition = op.get_irdl_definition()
    for name, each in (*definition.properties.items(), *definition.attributes.items()):
        for base in each.constr.get_bases() or ():
            if issubclass(base, EnumAttribute):
                enumeration: Iterable[StrEnum] = cast(Any, base).enum_type
                yield from ((case.value, name) for case in enumeration)


def _of_schedule(text: AnalysedText, schedule: WrittenSchedule, written: str, position: int) -> Iterator[Completion]:
    """Steps, or the loops that one may name."""
    start = position - len(written)
    if schedule.open_step is not None:
        for name, length in loops_at(text.text, position, schedule.steps).items():
            yield Completion(name, "loop", start, length)
        return
    for name in step_names():
        step = load_step(name)
        yield Completion(f"{name}(", "step", start, step.summary())


def _of_run_line(line: str, position: int) -> Iterator[Completion]:
    """Passes, options of a pass, options of mlc-opt."""
    if (flag := _FLAG.search(line)) is not None:
        yield from _passes(flag[1], position)
        for name, meaning in _options_of_mlc_opt().items():
            if name.startswith(f"--{flag[1]}"):
                yield Completion(name[2:], "option", position - len(flag[1]), meaning)
    elif (found := _IN_PIPELINE.search(line)) is not None:
        yield from _passes(found["written"], position)
    elif (found := _PASS_OPTION.search(line)) is not None and found["pass"] in known_words():
        for option in options_of(load_pass(found["pass"])):
            if option.name.startswith(found["written"]):
                yield Completion(f"{option.name}=", "option", position - len(found["written"]), option.type)


@cache
def _options_of_mlc_opt() -> dict[str, str]:
    return make_parser().meanings()


def _passes(written: str, position: int) -> Iterator[Completion]:
    for name in (*pipeline_names(), *pass_names()):
        if name.startswith(written):
            yield Completion(name, "pass", position - len(written), summary(name))
