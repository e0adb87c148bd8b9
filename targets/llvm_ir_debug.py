"""Debug information in LLVM IR: which line of a text each instruction is of, and what values are called, for debuggers
and profilers.

The text is the model's, or one of its loops (`compiler/debug_text.py`): ops have the locations, and values the names.
"""

from __future__ import annotations

from math import prod
from pathlib import Path

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.support.errors import SourceLocation
from mlc.support.locations import location_of

VALUE_OF_VARIABLE = "@llvm.dbg.value"
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

    def variable(self, value: SSAValue, operand: str, subprogram: str, location: str) -> str | None:
        """The line that says of a value, as it stands among operands, that a variable has it from here on; None if it
        has no name, or is of a type that debuggers have no notion of."""
        if (name := value.name_hint) is None or (kind := self._type(value.type)) is None:
            return None
        node = self._add(f'!DILocalVariable(name: "{_escaped(name)}", scope: {subprogram}, type: {kind[0]})')
        arguments = f"metadata {operand}, metadata {node}, metadata !DIExpression()"
        return f"  call void {VALUE_OF_VARIABLE}({arguments}), !dbg {location}"

    def _type(self, kind: Attribute) -> tuple[str, int] | None:
        """The node of a type, and its bits."""
        match kind:
            case IntegerType():
                bits, encoding = max(kind.width.data, 8), "DW_ATE_signed"
            case Float64Type() | Float32Type() | Float16Type() | BFloat16Type():
                bits, encoding = kind.bitwidth, "DW_ATE_float"
            case VectorType():
                if (element := self._type(kind.get_element_type())) is None:
                    return None
                bits = (count := prod(kind.get_shape())) * element[1]
                lanes = self._add(f"!{{{self._add(f'!DISubrange(count: {count})')}}}")
                node = f"tag: DW_TAG_array_type, baseType: {element[0]}, size: {bits}, flags: DIFlagVector"
                return self._add(f"!DICompositeType({node}, elements: {lanes})"), bits
            case llvm.LLVMPointerType():
                return self._add("!DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)"), 64
            case _:
                return None
        return self._add(f'!DIBasicType(name: "{kind}", size: {bits}, encoding: {encoding})'), bits

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
