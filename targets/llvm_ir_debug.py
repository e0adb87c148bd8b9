"""Debug information in LLVM IR: which line of a text each instruction is of, for debuggers and profilers.

The text is the model's, or one of its loops (`compiler/debug_text.py`): ops have the locations.
"""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects import llvm
from xdsl.ir import Operation

from mlc.support.errors import SourceLocation
from mlc.support.locations import location_of

_EMPTY = SourceLocation("model", 0)


class DebugInfo:
    """The metadata nodes of one module; `metadata` is the list that they are added to, by number."""

    def __init__(self, metadata: list[str]) -> None:
        self._metadata = metadata
        self._known: dict[str, str] = {}
        self._unit = ""

    def subprogram(self, function: llvm.FuncOp) -> str:
        """A new node for a function, by its name in the module: that in the artifact has a hash in it."""
        place = location_of(function) or _EMPTY
        file = self._file(place.file)
        if not self._unit:
            self._unit = self._add(
                f'distinct !DICompileUnit(language: DW_LANG_C, file: {file}, producer: "mlc", isOptimized: true, '
                "runtimeVersion: 0, emissionKind: FullDebug)"
            )
        kind = self._add("!DISubroutineType(types: !{})")
        return self._add(
            f'distinct !DISubprogram(name: "{_escaped(function.sym_name.data)}", scope: {file}, file: {file}, '
            f" line: {place.line}, type: {kind}, scopeLine: {place.line}, unit: {self._unit}, "
            "spFlags: DISPFlagDefinition | DISPFlagOptimized)"
        )

    def location(self, op: Operation, subprogram: str, file: str) -> str:
        """The node for the place of an op in a function whose text is `file`."""
        place = location_of(op) or _EMPTY
        scope = subprogram
        if place.file != file and place.line:
            scope = self._add(
                f"!DILexicalBlockFile(scope: {subprogram}, file: {self._file(place.file)}, discriminator: 0)"
            )
        return self._add(f"!DILocation(line: {place.line}, column: {place.column}, scope: {scope})")

    def named(self) -> list[str]:
        """The lines that tell LLVM of the nodes; nothing if there are no functions."""
        if not self._unit:
            return []
        flags = [self._add('!{i32 7, !"Dwarf Version", i32 4}'), self._add('!{i32 2, !"Debug Info Version", i32 3}')]
        return [f"!llvm.dbg.cu = !{{{self._unit}}}", f"!llvm.module.flags = !{{{', '.join(flags)}}}"]

    def _file(self, name: str) -> str:
        path = Path(name)
        folder = path.parent if path.is_absolute() else Path.cwd() / path.parent
        return self._add(f'!DIFile(filename: "{_escaped(path.name)}", directory: "{_escaped(str(folder))}")')

    def _add(self, node: str) -> str:
        """The number of a node, as others refer to it; equal ones are one, unless they are distinct."""
        if node not in self._known or node.startswith("distinct"):
            self._known[node] = f"!{len(self._metadata)}"
            self._metadata.append(node)
        return self._known[node]


def _escaped(text: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else _bytes(c) for c in text)


def _bytes(character: str) -> str:
    return "".join(f"\\{byte:02X}" for byte in character.encode())
