"""Dialects that are defined by an IRDL file, without any Python: ops and types with their constraints."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.irdl import DialectOp
from xdsl.ir import Dialect

from mlc.dialects.registry import check_dialect, plugin_dialects, register_dialects
from mlc.support.additions import note_load_option
from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError
from mlc.support.locations import error_at


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
    definitions = [op for op in module.walk() if isinstance(op, DialectOp)]
    if not definitions:
        raise UserError("the file defines no dialect: no 'irdl.dialect' in it", SourceLocation(str(path), 1))
    made: list[Dialect] = []
    for definition in definitions:
        try:
            made.append(make_dialect(definition))
        except Exception as e:
            name = definition.sym_name.data
            raise error_at(definition, f"cannot make dialect '{name}': {type(e).__name__}: {e}") from e
    return made


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"IRDL file '{path}' not found") from None
    except UnicodeDecodeError:
        raise UserError(f"IRDL file '{path}' is not UTF-8 text") from None
    except OSError as e:
        raise UserError(f"cannot read IRDL file '{path}': {e.strerror}") from None
