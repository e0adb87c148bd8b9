"""The place of each line of LLVM IR."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr

from mlc.targets.llvm_ir import emit_kernels
from mlc.targets.machine import Machine
from mlc.tools.explorer.document import NO_PLACE
from mlc.tools.explorer.texts import Texts

_NODE = re.compile(r"^(!\d+) = !DILocation\(line: (\d+),", re.MULTILINE)
_LINE = re.compile(r", !dbg (!\d+)$")


def llvm_ir_places(module: ModuleOp, machine: Machine, texts: Texts) -> dict[str, list[int]]:
    """The places of the lines of the LLVM IR that `emit_kernels` makes of a module at the llvm level, up to the end of
    the function, by its name.

    The LLVM IR is written again, with debug information in which the number of a place is a line. Values have no names
    then, as these would have lines of their own.
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
    return {kernel.function: _places_in(kernel.text) for kernel in emit_kernels(written, machine, debug=True)}


def _places_in(text: str) -> list[int]:
    place = {node: int(line) + NO_PLACE for node, line in _NODE.findall(text)}
    lines = text.partition("\n}\n")[0].split("\n")
    return [NO_PLACE if (found := _LINE.search(line)) is None else place[found[1]] for line in lines]
