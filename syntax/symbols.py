"""Symbols by name, for verifiers that look them up."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolOpInterface, SymbolTable

from mlc.support.errors import Note, UserError
from mlc.support.locations import location_of

SymbolIndex = dict[str, Operation]


@contextmanager
def indexed_symbols() -> Generator[None]:
    """While the IR stays as it is, let xDSL's `SymbolTable.lookup_symbol` find a symbol in a dictionary.

    Verifiers of calls use it, and it walks over all operations of the table: n² steps for n calls of n functions.
    """
    indices: dict[Operation, SymbolIndex] = {}

    def lookup(op: Operation, name: str | StringAttr | SymbolRefAttr) -> Operation | None:
        table: Operation | None = op
        while table is not None and not table.has_trait(SymbolTable):
            table = table.parent_op()
        if table is None:
            raise ValueError(f"Operation {op} has no SymbolTable ancestor")
        reference = name if isinstance(name, SymbolRefAttr) else SymbolRefAttr(name)
        if table not in indices:
            indices[table] = _index(table)
        found = indices[table].get(reference.root_reference.data)
        if found is None or not reference.nested_references:
            return found
        first, *rest = reference.nested_references.data
        return lookup(found, SymbolRefAttr(first, rest))

    walking = SymbolTable.lookup_symbol
    SymbolTable.lookup_symbol = staticmethod(lookup)
    try:
        yield
    finally:
        SymbolTable.lookup_symbol = staticmethod(walking)


def redefinitions(table: Operation) -> list[UserError]:
    """The errors for symbols that an operation of a table defines once more, each with the first definition."""
    if not table.has_trait(SymbolTable, value_if_unregistered=False) or len(table.regions) != 1:
        return []
    first: dict[str, Operation] = {}
    errors: list[UserError] = []
    for block in table.regions[0].blocks:
        for op in block.ops:
            name = op.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr) and (before := first.setdefault(name.data, op)) is not op:
                note = Note("defined here before", location_of(before))
                errors.append(UserError(f"symbol '@{name.data}' is defined twice", location_of(op), [note]))
    return errors


def _index(table: Operation) -> SymbolIndex:
    """The symbols of a table; the first of several with one name, as a walk finds it."""
    result: SymbolIndex = {}
    for op in table.regions[0].block.ops:
        interface = op.get_trait(SymbolOpInterface)
        name = None if interface is None else interface.get_sym_attr_name(op)
        if name is not None:
            result.setdefault(name.data, op)
    return result
