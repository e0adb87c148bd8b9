"""Dialects that are defined by an IRDL file, without any Python: ops and types with their constraints."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from xdsl.dialects import irdl
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute
from xdsl.traits import SymbolTable

from mlc.dialects.registry import check_dialect, plugin_dialects, register_dialects
from mlc.support.additions import note_load_option
from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError, raise_found
from mlc.support.locations import error_at

_READ = (
    *(irdl.TypeOp, irdl.ParametersOp, irdl.OperationOp, irdl.OperandsOp, irdl.ResultsOp),
    *(irdl.IsOp, irdl.AnyOp, irdl.AnyOfOp, irdl.ParametricOp),
)
"""What xDSL makes a dialect of."""


def load_irdl(path: str | os.PathLike[str]) -> None:
    """Make the dialects known that the `irdl.dialect` ops of a file define. Their ops are written in generic form.

    Raises:
        UserError: the file is not there, is no valid IR, defines no dialect, or the name of one is taken.
    """
    for dialect in _dialects(Path(path)):
        check_dialect(dialect, f"'{path}'")
        plugin_dialects.add(dialect.name, lambda dialect=dialect: dialect, f"'{path}'")
    note_load_option(f"--irdl-file={Path(path).resolve()}")


def _dialects(path: Path) -> Sequence[Dialect]:
    from xdsl.interpreters.irdl import make_dialect

    from mlc.syntax import parse_module, verify_module

    ctx = CompilerContext()
    register_dialects(ctx)
    module = parse_module(_read(path), str(path), ctx)
    verify_module(module)
    definitions = [op for op in module.walk() if isinstance(op, irdl.DialectOp)]
    if not definitions:
        raise UserError("the file defines no dialect: no 'irdl.dialect' in it", SourceLocation(str(path), 1))
    raise_found(error for definition in definitions for error in _not_read(definition))
    made: list[Dialect] = []
    for definition in definitions:
        try:
            made.append(make_dialect(definition))
        except Exception as e:
            name = definition.sym_name.data
            raise error_at(definition, f"cannot make dialect '{name}': {type(e).__name__}: {e}") from e
        for attribute in made[-1].attributes:
            _compare_by_parameters(attribute)
    return made


def _not_read(dialect: irdl.DialectOp) -> Iterator[UserError]:
    """What in a dialect has a meaning in IRDL, and none here."""
    name, known = dialect.sym_name.data, ", ".join(each.name.removeprefix("irdl.") for each in _READ)
    for op in dialect.body.walk():
        if not isinstance(op, _READ):
            yield error_at(op, f"'{op.name}' is not supported; dialects of IRDL are made of {known}")
        if isinstance(op, irdl.ParametricOp) and not _is_type(SymbolTable.lookup_symbol(op, op.base_type)):
            yield error_at(op, f"{op.base_type} is no type of '{name}'; required: one that an irdl.type there defines")
        for each in op.variadicity.value if isinstance(op, irdl.OperandsOp | irdl.ResultsOp) else ():
            if each.data != irdl.VariadicityEnum.SINGLE:
                yield error_at(op, f"'{op.name}' has {each.data} values, which is not supported; required: single")


def _is_type(op: Operation | None) -> bool:
    return isinstance(op, irdl.TypeOp)


def _compare_by_parameters(definition: type[Attribute]) -> None:
    """Let attributes of a class that xDSL makes be equal if their parameters are; they would be if the class is."""
    made = cast(Any, definition)
    made.__eq__ = _have_equal_parameters
    made.__hash__ = _hash_of_parameters


def _hash_of_parameters(attribute: ParametrizedAttribute) -> int:
    return hash((type(attribute), attribute.parameters))


def _have_equal_parameters(one: ParametrizedAttribute, other: object) -> bool:
    return type(one) is type(other) and one.parameters == cast(ParametrizedAttribute, other).parameters


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"IRDL file '{path}' not found") from None
    except UnicodeDecodeError:
        raise UserError(f"IRDL file '{path}' is not UTF-8 text") from None
    except OSError as e:
        raise UserError(f"cannot read IRDL file '{path}': {e.strerror}") from None
