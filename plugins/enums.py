"""Enum attributes that cannot be read back are refused when their dialect is loaded."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect

from mlc.dialects.registry import register_dialects
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.syntax import parse_module


def check_enums(dialect: Dialect, origin: str) -> None:
    """Print each value of each enum attribute as the generic form of an op has it, and parse that.

    Raises:
        UserError: a value cannot be read, or is read as something else; the message says what to do.
    """
    for definition in dialect.attributes:
        if issubclass(definition, cast(type, EnumAttribute)):
            for value in cast(Any, definition).enum_type:
                attribute = cast(Any, definition)(value)
                if _read_back(attribute, dialect) != attribute:
                    raise UserError(
                        f"dialect '{dialect.name}' of {origin}: attribute '{definition.name}' ({definition.__name__}) "
                        f"is printed as {attribute}, which cannot be read; derive it from "
                        "SpacedOpaqueSyntaxAttribute of xdsl.ir, too"
                    )


def _read_back(attribute: Attribute, dialect: Dialect) -> Attribute | None:
    ctx = CompilerContext(allow_unregistered=True)
    register_dialects(ctx)
    if ctx.get_optional_dialect(dialect.name) is None:
        ctx.load_dialect(dialect)
    try:
        (op,) = parse_module(f'"test.op"() {{value = {attribute}}} : () -> ()', "<enum>", ctx).ops
    except UserError:
        return None
    return op.attributes.get("value")
