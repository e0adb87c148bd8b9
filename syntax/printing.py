"""From IR to text, with the metadata section that names its weight files and holds its other resources."""

from __future__ import annotations

import re
from io import StringIO
from typing import TextIO, cast

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, BlockArgument, Operation
from xdsl.printer import Printer

from mlc.support.context import CompilerContext
from mlc.support.dense_data import Elements, print_data
from mlc.support.locations import error_at
from mlc.support.recursion import TOO_DEEP, deep_recursion
from mlc.support.wide_floats import WIDE_FLOATS, written

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*").fullmatch


def print_module(
    module: ModuleOp, ctx: CompilerContext, stream: TextIO, generic: bool = False, debuginfo: bool = False
) -> None:
    """Write a module so that `parse_module` reads it again.

    Args:
        generic: every operation in MLIR's generic form.
        debuginfo: with the locations of operations.

    Raises:
        UserError: what an operation holds is nested too deeply.
    """
    printer = _Printer(stream, print_generic_format=generic, print_debuginfo=debuginfo)
    with deep_recursion():
        printer.print_op(module)
    stream.write("\n")
    metadata = _metadata(printer.used_resources, ctx)
    if metadata:
        stream.write(metadata)


def module_text(module: ModuleOp, ctx: CompilerContext, generic: bool = False, debuginfo: bool = False) -> str:
    """What `print_module` writes.

    Raises:
        UserError: what an operation holds is nested too deeply.
    """
    stream = StringIO()
    print_module(module, ctx, stream, generic, debuginfo)
    return stream.getvalue()


class _Printer(Printer):
    """xDSL's printer, which notes the resources that it prints; names that need quotes get them here."""

    def print_op(self, op: Operation) -> None:
        try:
            super().print_op(op)
        except RecursionError:
            raise error_at(op, TOO_DEEP) from None

    def print_resource_handle(self, dialect: str, handle: str) -> None:
        self._dialect_resources.setdefault(dialect, set()).add(handle)
        self.print_identifier_or_string_literal(handle)

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            elements = cast(Elements, attribute)
            print_data(self, elements)
            self.print_string(" : ")
            self.print_attribute(elements.get_type())
        else:
            super().print_attribute(attribute)

    def print_float(self, value: float, type: AnyFloat) -> None:
        """The number of a float attribute or of an element, without its type."""
        if isinstance(type, WIDE_FLOATS):
            self.print_string(written(value, type))
        else:
            super().print_float(value, type)

    def print_operation_type(self, op: Operation) -> None:
        """The types of an op, in the generic form with its location; other forms have a place of their own for that."""
        self.print_function_type(op.operand_types, op.result_types)
        is_generic = self.print_generic_format or isinstance(op, UnregisteredOp) or type(op).print is Operation.print
        if self.print_debuginfo and is_generic:
            self.print_string(" ")
            self.print_attribute(op.location)

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        super().print_block_argument(arg, print_type)
        if self.print_debuginfo and not print_type and _has_place_for_location(arg):
            self.print_string(" ")
            self.print_attribute(arg.location)

    @property
    def used_resources(self) -> list[str]:
        """The names behind the `dense_resource` attributes that were printed."""
        return sorted(self._dialect_resources.get("builtin", ()))


def _has_place_for_location(arg: BlockArgument) -> bool:
    """Whether upstream prints the location of an argument that the syntax shows without a type."""
    op = arg.owner.parent_op()
    return op is not None and op.name == "affine.for" and arg.index == 0


def _metadata(used: list[str], ctx: CompilerContext) -> str:
    """The section `{-# ... #-}`, or nothing."""
    store = ctx.resources
    in_memory = store.in_memory()
    sections: list[str] = []
    if embedded := [name for name in used if name in in_memory]:
        from mlc.syntax.resources import encode

        blobs = [f'      {_key(name)}: "{encode(in_memory[name])}"' for name in embedded]
        sections.append(_section("dialect_resources", "builtin", blobs))
    files = [f"      {_key(key)}: {_string(path)}" for key, path in store.spellings.items()]
    if files and any(name not in in_memory for name in used):
        sections.append(_section("external_resources", "mlc", files))
    return "\n{-#\n" + ",\n".join(sections) + "\n#-}\n" if sections else ""


def _section(name: str, group: str, entries: list[str]) -> str:
    return f"  {name}: {{\n    {group}: {{\n" + ",\n".join(entries) + "\n    }\n  }"


def _key(name: str) -> str:
    return name if _BARE(name) else _string(name)


def _string(text: str) -> str:
    escaped = "".join(
        c if " " <= c <= "~" and c not in '"\\' else "".join(f"\\{b:02X}" for b in c.encode()) for c in text
    )
    return f'"{escaped}"'
