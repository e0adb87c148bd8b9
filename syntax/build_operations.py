"""Actions of the grammar: operations, regions, blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser

from mlc.support.recursion import MAX_NESTING
from mlc.syntax.build_types import TypeLists
from mlc.syntax.directives import Operand, Parts
from mlc.syntax.errors import FatalFault, Fault
from mlc.syntax.lexer import Name, OpenBrace, OpName, is_isolated
from mlc.syntax.regions import OpenRegion, Result
from mlc.syntax.state import State
from mlc.syntax.words import counted


class OperationActions(State):
    """Makes operations, as they are read; values that come later are placeholders until then."""

    _region_arguments: list[Parser.Argument] | None = None

    # ---- results

    def single_result(self, token: Operand) -> Result:
        """`%a`."""
        return Result(token[0], 1, token[2])

    def result_pack(self, token: Operand, _colon: str, count: str) -> Result:
        """`%a:2`."""
        return Result(token[0], int(count), token[2])

    def binding_operation(self, results: list[Result], _equal: str, op: Operation) -> Operation:
        """`%a, %b = op`."""
        values = op.results
        wanted = sum(count for _, count, _ in results)
        if wanted != len(values):
            for name, _, _ in results:
                self.scopes.give_up(name)
            self.fault(f"'{op.name}' has {counted(len(values), 'result')}, but {wanted} are named", results[0][2])
        first = 0
        for name, count, position in results:
            self.scopes.define(name, values[first : first + count], position)
            first += count
        return op

    def located_operation(self, op: Operation, location: LocationAttr) -> Operation:
        """`op loc(...)`."""
        op.location = location
        return op

    def located_binding_operation(
        self, results: list[Result], equal: str, op: Operation, location: LocationAttr
    ) -> Operation:
        """`%a = op loc(...)`."""
        op.location = location
        return self.binding_operation(results, equal, op)

    # ---- operations

    def generic_operation(
        self, name: Name, _open: str, operands: list[Operand], _close: str, successors: list[Block],
        properties: dict[str, Attribute], regions: list[Region], attributes: dict[str, Attribute], _colon: str,
        signature: TypeLists,
    ) -> Operation:  # fmt: skip
        """`"name"(operands)[successors] <properties> (regions) {attributes} : signature`."""
        full_name = self.string(name)
        if not full_name:
            self.fault("the name of an operation is empty", name.position)
        op = self.operation_class(full_name, name.position)
        if op is None:
            raise self.unknown_operation(full_name, name.position)
        inputs, outputs = signature
        if len(operands) != len(inputs):
            where = operands[0][2] if operands else name.position
            self.fault(f"{counted(len(operands), 'operand')} but {counted(len(inputs), 'operand type')}", where)
        resolve = self.scopes.resolve
        values = [resolve(n, index, position, t) for (n, index, position), t in zip(operands, inputs, strict=True)]
        if attributes and issubclass(op, IRDLOperation):
            for key in op.get_irdl_definition().properties:
                if key in attributes and key not in properties:
                    properties[key] = attributes.pop(key)
        return op.create(
            operands=values,
            result_types=outputs,
            properties=properties,
            attributes=attributes,
            successors=successors,
            regions=regions,
            location=self.location_at(name.position),
        )

    def custom_operation(self, name: OpName, op: Operation) -> Operation:
        """An operation in its own format."""
        op.location = self.location_at(name.position)
        if self.checked and op.attributes and isinstance(op, IRDLOperation):
            self._move_properties(op)
        return op

    def _move_properties(self, op: IRDLOperation) -> None:
        """Make properties of the attributes that are some, as the generic form does; hand-written parsers forget it."""
        for key in op.get_irdl_definition().properties:
            if key in op.attributes and key not in op.properties:
                op.properties[key] = op.attributes.pop(key)

    def create_formatted(
        self,
        op: type[IRDLOperation],
        parts: Parts,
        operand_types: Sequence[Sequence[Attribute]],
        result_types: Sequence[Sequence[Attribute]],
    ) -> Operation:
        """An operation from what its assembly format found."""
        resolve = self.scopes.resolve
        operands: list[list[SSAValue]] = []
        for found, types in zip(parts.operands, operand_types, strict=True):
            found = found or ()
            if len(found) != len(types):
                where = found[0][2] if found else None
                self.fault(f"{counted(len(found), 'operand')} but {counted(len(types), 'operand type')}", where)
            operands.append([resolve(n, i, p, t) for (n, i, p), t in zip(found, types, strict=True)])
        if op.get_irdl_definition().options:
            return op.build(
                operands=operands,
                result_types=result_types,
                properties=parts.properties,
                attributes=parts.attributes,
                regions=[r or () for r in parts.regions],
                successors=[s or () for s in parts.successors],
            )
        return op.create(
            operands=[*chain.from_iterable(operands)],
            result_types=[*chain.from_iterable(result_types)],
            properties=parts.properties,
            attributes=parts.attributes,
            regions=[*chain.from_iterable(r or () for r in parts.regions)],
            successors=[*chain.from_iterable(s or () for s in parts.successors)],
        )

    def group_taken(self, *children: Any) -> tuple[bool, Sequence[Any]]:
        """An optional group of an assembly format that is there."""
        return True, children

    def group_absent(self, *children: Any) -> tuple[bool, Sequence[Any]]:
        """An optional group that is not there."""
        return False, children

    # ---- regions and blocks

    def enter_region(self, arguments: Iterable[Parser.Argument] | None) -> None:
        """Tell the next region which arguments the operation's syntax gave its first block."""
        self._region_arguments = None if arguments is None else list(arguments)

    def open_region(self, opening: OpenBrace) -> OpenRegion:
        """`{`."""
        if self.scopes.depth > MAX_NESTING:
            raise FatalFault(f"regions are nested more than {MAX_NESTING} deep", opening.position)
        arguments, self._region_arguments = self._region_arguments, None
        scope = self.scopes.enter(is_isolated(opening.op), opening.position, opening.dialect)
        if arguments is None:
            return OpenRegion(scope, None, opening)
        entry = Block(arg_types=[a.type for a in arguments])
        for value, argument in zip(entry.args, arguments, strict=True):
            self.scopes.define(argument.name.text[1:], (value,), argument.name.start)
            if argument.location is not None:
                value.location = argument.location
        return OpenRegion(scope, entry, opening)

    def region(self, opened: OpenRegion, entry_ops: list[Operation], blocks: list[Block], _close: str) -> Region:
        """`{ ... }`."""
        entry = opened.entry
        if entry is None and entry_ops:
            entry = Block()
        if entry is not None:
            entry.add_ops(entry_ops)
            blocks = [entry, *blocks]
        faults = self.scopes.leave()
        for fault in faults:
            self.report(fault, opened.scope.opened_at)
        return Region(blocks)

    def block(self, block: Block, ops: list[Operation]) -> Block:
        """A label and its operations."""
        block.add_ops(ops)
        return block

    def block_label(self, token: Name, _colon: str) -> Block:
        """`^bb0:`."""
        return self.scopes.define_block(token.text, token.position)

    def block_label_without_arguments(self, token: Name, _open: str, _close: str, _colon: str) -> Block:
        """`^bb0():`."""
        return self.scopes.define_block(token.text, token.position)

    def block_label_with_arguments(
        self,
        token: Name,
        _open: str,
        arguments: list[tuple[Operand, Attribute, LocationAttr | None]],
        _close: str,
        _colon: str,
    ) -> Block:
        """`^bb0(%a: i32):`."""
        block = self.scopes.define_block(token.text, token.position)
        # `Block.insert_arg` copies the arguments that are there already.
        block._args = tuple(  # pyright: ignore[reportPrivateUsage]
            BlockArgument(kind, block, i, location or UnknownLoc()) for i, (_, kind, location) in enumerate(arguments)
        )
        for value, ((name, _, position), _, _) in zip(block.args, arguments, strict=True):
            self.scopes.define(name, (value,), position)
        return block

    def block_argument(self, name: Operand, _colon: str, kind: Attribute) -> tuple[Operand, Attribute, None]:
        """`%a: i32`."""
        return name, kind, None

    def located_block_argument(
        self, name: Operand, _colon: str, kind: Attribute, location: LocationAttr
    ) -> tuple[Operand, Attribute, LocationAttr]:
        """`%a: i32 loc(...)`."""
        return name, kind, location

    def successor(self, token: Name) -> Block:
        """`^bb1`."""
        return self.scopes.block(token.text, token.position)

    def finish_values(self) -> list[Fault]:
        """At the end of the file: values that are used and never defined."""
        return self.scopes.finish()
