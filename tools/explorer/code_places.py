"""The places of lines of LLVM IR and of assembly: the lines that debug information says they are from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr

from mlc.targets.llvm_ir import emit_kernels
from mlc.targets.machine import Machine
from mlc.targets.program import Kernel
from mlc.tools.explorer.document import NO_PLACE
from mlc.tools.explorer.texts import Texts

_NODE = re.compile(r"^(!\d+) = !DILocation\(line: (\d+),", re.MULTILINE)
_LINE = re.compile(r", !dbg (!\d+)$")
_LOC = re.compile(r"\s*\.loc\s+\d+\s+(\d+)\s")
_COMMENT = re.compile(r"\s+(#|//)\s.*")
"""`#16` is a number on AArch64."""


def with_places(module: ModuleOp, machine: Machine, texts: Texts) -> dict[str, Kernel]:
    """What `emit_kernels` makes of a module at the llvm level, by the names of functions, with debug information in
    which the number of a place is a line.

    Values have no names, as these would have lines of their own.
    """
    written = module.clone()
    for op, copy in zip(module.walk(), written.walk(), strict=True):
        number = IntAttr(texts.place_of(op) - NO_PLACE)  # line 0 is that of no place
        copy.location = FileLineColLoc(StringAttr("places"), number, IntAttr(1))
        for value in (
            *copy.results,
            *(arg for region in copy.regions for block in region.blocks for arg in block.args),
        ):
            value.name_hint = None
    return {kernel.function: kernel for kernel in emit_kernels(written, machine, debug=True)}


def places_in_llvm_ir(text: str, placed: str) -> list[int]:
    """The place of each line of LLVM IR, where `placed` is the same with debug information (`with_places`)."""
    place = {node: int(line) + NO_PLACE for node, line in _NODE.findall(placed)}
    lines = placed.partition("\n}\n")[0].split("\n")
    known = [NO_PLACE if (found := _LINE.search(line)) is None else place[found[1]] for line in lines]
    return [*known, *[NO_PLACE] * (text.count("\n") + 1 - len(known))]


class _Instruction(NamedTuple):
    line: int
    words: Sequence[str]
    place: int


def places_in_assembly(text: str, placed: str) -> list[int]:
    """The place of each line of assembly, where `placed` is what clang made of the same with debug information.

    No line has one if the instructions are not the same: then debug information has changed what LLVM does.
    """
    places = [NO_PLACE] * (text.count("\n") + 1)
    own, others = list(_instructions(text)), list(_instructions(placed))
    if [each.words for each in own] == [each.words for each in others]:
        for each, other in zip(own, others, strict=True):
            places[each.line] = other.place
    return places


def _instructions(text: str) -> Iterator[_Instruction]:
    """What is neither a label, nor a directive, nor a comment. A place holds until the next `.loc`."""
    place = NO_PLACE
    for number, line in enumerate(text.split("\n")):
        if loc := _LOC.match(line):
            place = int(loc[1]) + NO_PLACE
        elif line[:1].isspace() and (words := _COMMENT.sub("", line).split()) and words[0][0] not in ".#/":
            yield _Instruction(number, words, place)
