"""What an editor may offer to do at a place of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from mlc.pass_manager.registry import known_words, pipeline_names
from mlc.support.errors import UserError
from mlc.support.functions import is_private
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.outline import OutlineEntry, outline
from mlc.tools.language_server.run_lines import run_lines

SHOW = "mlc.show"
"""Run mlc-opt with some arguments on a text, and show what it prints."""
UPDATE_CHECKS = "mlc.updateChecks"
"""Let the CHECK lines of a lit test say what mlc-opt prints now."""
EXPLAIN = "mlc.explain"
"""Show what `mlc explain` says, of one kernel or of all."""
RUN_REFERENCE = "mlc.runReference"
"""Run a function by the meaning of its ops on random inputs, and show inputs and outputs."""


@dataclass(frozen=True)
class OfferedCommand:
    """Something that can be done with a text."""

    title: str
    command: str
    arguments: Sequence[object]
    """Those after the URI of the document."""


@dataclass(frozen=True)
class Correction:
    """What was probably meant at the place of an error."""

    title: str
    error: UserError
    start: int
    end: int
    new: str


def corrections(text: AnalysedText, start: int, end: int) -> Iterator[Correction]:
    """Those of the errors in a part of a text."""
    for error in text.errors:
        found, place = error.replacement, error.location
        if found is None or place is None or place.file != text.file or not place.column:
            continue
        at = text.source.position(place)
        if at <= end and start <= at + len(found.old) and text.text.startswith(found.old, at):
            yield Correction(f"Change to '{found.new}'", error, at, at + len(found.old), found.new)


def offers(text: AnalysedText, position: int) -> Iterator[OfferedCommand]:
    """What can be done at a position: on a RUN line with its passes, in a function with it."""
    token = text.token_at(position)
    if token is not None and token.kind == "comment":
        yield from _of_run_line(text, token.start, position)
        return
    function = _function_at(text, outline(text), position)
    if function is None:
        return
    name, op = function
    yield OfferedCommand(f"Run the reference on @{name}", RUN_REFERENCE, [name])
    explained = name if is_private(op) else None
    yield OfferedCommand(f"Explain the kernel @{name}" if explained else "Explain the kernels", EXPLAIN, [explained])
    for pipeline in pipeline_names():
        yield OfferedCommand(f"Show the text after --{pipeline}", SHOW, [["%s", f"--{pipeline}"]])


def _of_run_line(text: AnalysedText, start: int, position: int) -> Iterator[OfferedCommand]:
    line = next((line for line in run_lines(text.text) if line.start == start), None)
    if line is None:
        return
    until: Sequence[str] = line.until(position) if position >= line.command_start else ()
    last = until[-1].lstrip("-").partition("=")[0] if until else ""
    if last in known_words() and len(until) < len(line.arguments):
        yield OfferedCommand(f"Show the text after --{last}", SHOW, [[*until]])
    yield OfferedCommand("Show what this line prints", SHOW, [[*line.arguments]])
    if line.check is not None:
        yield OfferedCommand("Update the CHECK lines of this test", UPDATE_CHECKS, [])
    yield OfferedCommand("Reduce the text to what makes this line fail", SHOW, [[*line.arguments, "--reduce"]])


def _function_at(text: AnalysedText, entries: Sequence[OutlineEntry], position: int) -> tuple[str, FuncOp] | None:
    """The function of the outermost module around a position, which is what tools run."""
    for entry in entries:
        if entry.start <= position <= entry.end and entry.kind == "function":
            return (entry.name[1:], entry.op) if isinstance(entry.op, FuncOp) else None
    return None
