"""The state of emitting one function, and of the module text that it ends up in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc.dialects.llvm import LoopAnnotationAttr
from mlc.support.errors import CompilerBug
from mlc.targets.llvm_ir_debug import VALUE_OF_VARIABLE, DebugInfo
from mlc.targets.llvm_ir_literals import STAGE, intrinsic_suffix, natural_alignment, spell_type
from mlc.targets.llvm_ir_loops import loop_properties

_PLAIN_SYMBOL = re.compile(r"[A-Za-z$._-][A-Za-z0-9$._-]*")


def quote_symbol(name: str) -> str:
    """`name` as LLVM IR writes a global name, in quotes where it has unusual characters."""
    if _PLAIN_SYMBOL.fullmatch(name):
        return f"@{name}"
    escaped = "".join(
        c if " " <= c <= "~" and c not in '"\\' else "".join(f"\\{b:02X}" for b in c.encode()) for c in name
    )
    return f'@"{escaped}"'


@dataclass
class ModuleText:
    """What stands around the functions: declarations of what they use, and metadata."""

    symbol: Callable[[str], str]
    """The final spelling (`@name`) of a symbol of the module; also makes sure that it is declared or defined."""
    declarations: dict[str, str] = field(default_factory=dict[str, str])
    """Lines by the symbol that they declare."""
    metadata: list[str] = field(default_factory=list[str])
    function_attributes: list[dict[str, str | None]] = field(default_factory=list[dict[str, str | None]])
    """What functions have beside the attributes of the target: a group each."""
    debug: DebugInfo | None = None
    """What says where instructions are from, if that is asked for; its nodes are part of `metadata`."""

    def group(self, attributes: dict[str, str | None]) -> int:
        """The number of the group of functions that have these attributes beside those of the target."""
        if attributes not in self.function_attributes:
            self.function_attributes.append(attributes)
        return self.function_attributes.index(attributes)

    def loop_metadata(self, annotation: LoopAnnotationAttr) -> str:
        """A new node that describes one loop, as the branch refers to it."""
        node = f"!{len(self.metadata)}"
        self.metadata.append(f"distinct !{{{', '.join([node, *loop_properties(annotation)])}}}")
        return node


EmitOp = Callable[["FunctionText", Operation], None]

EMITTERS: dict[type[Operation], EmitOp] = {}
"""What writes an op, by its type; `llvm_ir_ops.py` and `llvm_ir_memory.py` fill it."""


def emits(*op_types: type[Operation]) -> Callable[[EmitOp], EmitOp]:
    """Decorator: this function writes ops of these types."""

    def register(emit: EmitOp) -> EmitOp:
        for op_type in op_types:
            EMITTERS[op_type] = emit
        return emit

    return register


class FunctionText:
    """The lines of one function body.

    Values are numbered in the order of the text, as LLVM requires of unnamed ones; constants are written where they are
    used. Types and attributes are looked up by identity first: hashing one costs more than emitting an op.
    """

    def __init__(self, module: ModuleText) -> None:
        self.module = module
        self.lines: list[str] = []
        self.names: dict[SSAValue, str] = {}
        self.labels: dict[Block, str] = {}
        self._count = 0
        self._place: tuple[str, str] | None = None
        self._types: dict[int, tuple[Attribute, str]] = {}
        self._loads: dict[int, tuple[Attribute, str]] = {}
        self._intrinsics: dict[tuple[str, int], tuple[Attribute, str]] = {}
        self.literals: dict[int, tuple[Attribute, str]] = {}

    def type(self, attribute: Attribute) -> str:
        """The spelling of a type."""
        found = self._types.get(id(attribute))
        if found is None:
            found = self._types[id(attribute)] = (attribute, spell_type(attribute))
        return found[1]

    def alignment(self, attribute: Attribute) -> str:
        """`align N` for a value of this type at an address about which nothing else is known."""
        found = self._loads.get(id(attribute))
        if found is None:
            found = self._loads[id(attribute)] = (attribute, f"align {natural_alignment(attribute)}")
        return found[1]

    def operand(self, value: SSAValue) -> str:
        """A value with its type, as it stands among operands."""
        return f"{self.type(value.type)} {self.names[value]}"

    def define(self, result: SSAValue, text: str) -> None:
        """An instruction that makes `result`."""
        name = self.number(result)
        self.lines.append(f"  {name} = {text}")

    def temporary(self, text: str) -> str:
        """An instruction that makes a value of no op, and its name."""
        name = self._next_name()
        self.lines.append(f"  {name} = {text}")
        return name

    def number(self, value: SSAValue) -> str:
        """Give `value` the next name."""
        name = self.names[value] = self._next_name()
        return name

    def _next_name(self) -> str:
        name = f"%{self._count}"
        self._count += 1
        return name

    def intrinsic(self, name: str, overload: Attribute, signature: Callable[[], str]) -> str:
        """The symbol of the intrinsic `name` for one type; `signature` is its declaration with `{}` for the symbol."""
        key = (name, id(overload))
        found = self._intrinsics.get(key)
        if found is None:
            symbol = f"@llvm.{name}.{intrinsic_suffix(overload)}"
            self.module.declarations[symbol] = "declare " + signature().format(symbol)
            found = self._intrinsics[key] = (overload, symbol)
        return found[1]

    def placed_in(self, subprogram: str, file: str) -> None:
        """Say of all that follows where it is from: lines of `file`, as a rule, in the function of that node."""
        self._place = subprogram, file

    def body(self, blocks: Sequence[Block], emitters: Mapping[type[Operation], EmitOp]) -> None:
        """Emit all blocks; block arguments of the first are the function's and are named already."""
        for n, block in enumerate(blocks):
            self.labels[block] = f"b{n}"
        incoming = _incoming(blocks)
        phis: list[tuple[int, Block]] = []
        for n, block in enumerate(blocks):
            self.lines.append(f"b{n}:")
            if n:
                phis.append((len(self.lines), block))
                for argument in block.args:
                    self.number(argument)
                    self.lines.append("")
            if self.module.debug is not None and self._place is not None and block.first_op is not None:
                node = self.module.debug.location(block.first_op, *self._place)
                self._name_variables(self.module.debug, block.args, node)
            for op in block.ops:
                emit = emitters.get(type(op))
                if emit is None:
                    raise CompilerBug(f"'{op.name}' cannot be written as LLVM IR", STAGE)
                start = len(self.lines)
                emit(self, op)
                if self.module.debug is not None and self._place is not None:
                    node = self.module.debug.location(op, *self._place)
                    self.lines[start:] = [f"{each}, !dbg {node}" for each in self.lines[start:]]
                    self._name_variables(self.module.debug, op.results, node)
        for line, block in phis:  # a phi names values of later blocks, so it is written last
            self._write_phis(line, block, incoming.get(block, []))

    def _name_variables(self, debug: DebugInfo, values: Sequence[SSAValue], location: str) -> None:
        """Say which variables of the text have these values, which stand above."""
        assert self._place is not None
        for value in values:
            if value in self.names:
                line = debug.variable(value, self.operand(value), self._place[0], location)
                if line is not None:
                    self.lines.append(line)
                    declared = f"declare void {VALUE_OF_VARIABLE}(metadata, metadata, metadata)"
                    self.module.declarations[VALUE_OF_VARIABLE] = declared

    def _write_phis(self, line: int, block: Block, edges: Sequence[tuple[Block, Sequence[SSAValue]]]) -> None:
        for i, argument in enumerate(block.args):
            sources = ", ".join(f"[ {self.names[values[i]]}, %{self.labels[source]} ]" for source, values in edges)
            self.lines[line + i] = f"  {self.names[argument]} = phi {self.type(argument.type)} {sources}"


def operands_of(op: Operation) -> Sequence[SSAValue]:
    """The operands as a plain tuple: an order of magnitude faster to read than `op.operands`."""
    return op._operands  # pyright: ignore[reportPrivateUsage]


def branch_targets(op: Operation) -> Sequence[tuple[Block, Sequence[SSAValue]]]:
    """The successors of a terminator, each with the values that it hands over."""
    if len(op.successors) == 1:
        return [(op.successors[0], operands_of(op))]
    if len(op.successors) == 2:
        values = operands_of(op)[1:]
        split = len(op.successors[0].args)
        return [(op.successors[0], values[:split]), (op.successors[1], values[split:])]
    return []


def _incoming(blocks: Sequence[Block]) -> dict[Block, list[tuple[Block, Sequence[SSAValue]]]]:
    edges: dict[Block, list[tuple[Block, Sequence[SSAValue]]]] = {}
    for block in blocks:
        if block.last_op is not None:
            for target, values in branch_targets(block.last_op):
                edges.setdefault(target, []).append((block, values))
    return edges
