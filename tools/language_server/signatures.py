"""Signatures: what an op, a step of schedules, a call or a pass is written with, and which part of it stands where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import get_args

from xdsl.dialects.func import FuncOp
from xdsl.irdl import IRDLOperation

from mlc.dialects.loop.steps import load_step, step_names, type_hints
from mlc.pass_manager.options import options_of
from mlc.pass_manager.registry import known_words, load_pass
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.completion import begin_of_op, op_before
from mlc.tools.language_server.hover import documentation
from mlc.tools.language_server.schedules import WrittenStep, schedule_before
from mlc.tools.language_server.tokens import tokens_of

_FORMAT = re.compile(r"`(?P<literal>[^`]*)`|(?P<directive>\$?[\w-]+(?:<[^<>]*>)?(?:\([^()]*\))?)|(?P<rest>\S)")
_WRITTEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|->|[%@^#!]?[\w$.-]*\w|\S')
_BARRIERS = (":", "->")
"""What separates operands from types: no operand is looked for beyond it."""
_PASS = re.compile(r"(?:--|[\"',])(?P<name>[\w-]+)(?:=|\{)(?P<options>[^|}]*)$")
_OPTION = re.compile(r"([\w-]+)=\S*$")


@dataclass(frozen=True)
class ShownSignature:
    """How something is written."""

    label: str
    parts: Sequence[tuple[int, int]]
    """Where its parameters stand in the label."""
    active: int | None
    """The number of the part that the position is in; None if that is none of them."""
    documentation: str


def signature(text: AnalysedText, position: int) -> ShownSignature | None:
    """The signature of what is written at a position; None if nothing with one is."""
    line = text.text[text.text.rfind("\n", 0, position) + 1 : position]
    if (comment := line.find("//")) >= 0:
        return _of_pass(line[comment:])
    schedule = schedule_before(text.text, position)
    if schedule is not None:
        return None if schedule.open_step is None else _of_step(schedule.open_step)
    found = op_before(text, begin_of_op(text.text, position), position) if line.strip() else None
    if found is None:
        return None
    op, end = found
    written = text.text[end:position]
    return _of_call(text, written) or _of_op(op, written) if issubclass(op, IRDLOperation) else None


def _joined(words: Sequence[tuple[str, bool]], active: int | None, said: str, between: str = " ") -> ShownSignature:
    """A signature of words, of which some are parameters; `active` is the number of a word."""
    label, parts, number = "", list[tuple[int, int]](), None
    for place, (word, is_parameter) in enumerate(words):
        if label and word not in (",", ")", "]", ">", "?") and not label.endswith(("(", "[", "<")):
            label += between
        if is_parameter:
            number = len(parts) if place == active else number
            parts.append((len(label), len(label) + len(word)))
        label += word
    return ShownSignature(label, parts, number, said)


# -- ops


def _of_op(op: type[IRDLOperation], written: str) -> ShownSignature:
    """From the format of its text, `(…)?` being a group that may be left out; of an op parsed by hand, its example."""
    said = documentation(op)
    form = op.get_irdl_definition().assembly_format
    if form is None:
        example = next((line.strip() for line in said.splitlines() if op.name in line), op.name)
        return ShownSignature(example, (), None, said)
    elements = [
        (m["literal"], False) if m["literal"] is not None else (m[0], m["directive"] is not None)
        for m in _FORMAT.finditer(form)
        if m[0] != "^" and (m["literal"] is None or m["literal"].strip())
    ]
    active = _active(elements, written)
    return _joined([(op.name, False), *elements], None if active is None else active + 1, said)


def _active(elements: Sequence[tuple[str, bool]], written: str) -> int | None:
    """The element that the end of a written part belongs to: its keywords and punctuation are found in order."""
    at = depth = 0
    for token in _WRITTEN.findall(written):
        depth -= token in (">", "}")
        if depth <= 0 and (found := _next_literal(elements, at, token)) is not None:
            at, depth = found + 1, 0
        depth += token in ("<", "{")
    return next((i for i in range(at, len(elements)) if elements[i][1]), None)


def _next_literal(elements: Sequence[tuple[str, bool]], at: int, token: str) -> int | None:
    for number in range(at, len(elements)):
        word, is_parameter = elements[number]
        if not is_parameter and word == token:
            return number
        if not is_parameter and word in _BARRIERS:
            return None
    return None


def _of_call(text: AnalysedText, written: str) -> ShownSignature | None:
    """The function that a call names, once its operands begin."""
    symbols = [token for token in tokens_of(written) if token.kind == "symbol"]
    if not symbols or symbols[-1].text not in text.symbols:
        return None
    function, rest = text.symbols[symbols[-1].text][0][0], written[symbols[-1].end :]
    if not isinstance(function, FuncOp) or not rest.startswith("(") or ")" in rest:
        return None
    kind = function.function_type
    inputs = [str(each) for each in kind.inputs]
    if function.body.blocks:
        arguments = function.body.block.args
        inputs = [f"%{value.name_hint or f'arg{value.index}'}: {value.type}" for value in arguments]
    words: list[tuple[str, bool]] = [(f"{symbols[-1].text}(", False)]
    for number, each in enumerate(inputs):
        words += [(",", False)] * (number > 0) + [(each, True)]
    words += [(")", False), (f"-> ({', '.join(map(str, kind.outputs))})", False)]
    return _joined(words, 1 + 2 * rest.count(","), "")


# -- steps and passes


def _of_step(step: WrittenStep) -> ShownSignature | None:
    """A step and its fields; names stand before numbers, and one field may be a tuple of names."""
    if step.name not in step_names():
        return None
    kind = load_step(step.name)
    hints = type_hints(kind)
    words: list[tuple[str, bool]] = [(f"{step.name}(", False)]
    for number, field in enumerate(fields(kind)):
        words += [(",", False)] * (number > 0) + [(f"{field.name}: {_in_words(hints[field.name])}", True)]
    place = next(_fields_of([hints[field.name] for field in fields(kind)], step.arguments), None)
    return _joined([*words, (")", False)], None if place is None else 1 + 2 * place, documentation(kind))


def _fields_of(hints: Sequence[object], arguments: Sequence[str]) -> Iterator[int]:
    """The field that the last argument is for, if there is one."""
    *before, last = arguments
    place = 0
    for argument in before:
        is_more = place < len(hints) and _is_tuple(hints[place])
        place += not is_more or argument.isdecimal()
    if place < len(hints) and _is_tuple(hints[place]) and last.isdecimal():
        place += 1
    if place < len(hints):
        yield place


def _is_tuple(hint: object) -> bool:
    return getattr(hint, "__origin__", None) is tuple


def _in_words(hint: object) -> str:
    """The type of a field: `loop`, `loop …` of a tuple, `number`, `[number]` of one that may be left out."""
    if _is_tuple(hint):
        return "loop …"
    if hint is int:
        return "number"
    kinds = get_args(hint)
    return "number, or nothing" if int in kinds else str(kinds[1])


def _of_pass(comment: str) -> ShownSignature | None:
    """The options of a pass on a RUN line."""
    found = _PASS.search(comment)
    if found is None or found["name"] not in known_words():
        return None
    kind = load_pass(found["name"])
    options = options_of(kind)
    last = _OPTION.search(found["options"])
    words: list[tuple[str, bool]] = [(f"--{found['name']}", False)]
    active = None
    for option in options:
        active = len(words) if last is not None and last[1].replace("_", "-") == option.name else active
        default = "" if option.default is None else f" ({option.default or 'empty'})"
        words.append((f"{option.name}=<{option.type}>{default}", True))
    return _joined(words, active, documentation(kind)) if options else None
