"""Dialects that are defined by an IRDL file, without any Python: ops, types and attributes with their constraints."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from xdsl.dialects import irdl
from xdsl.dialects.irdl.irdl_to_pyrdl import python_name
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    param_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.irdl import OperandsOp, ParametersOp, ResultsOp, entries
from mlc.dialects.registry import check_dialect, plugin_dialects, register_dialects
from mlc.plugins.irdl_constraints import check_operation, check_parameters, faults, segments
from mlc.support.additions import note_load_option, text_loaded
from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError, raise_found
from mlc.support.locations import error_at
from mlc.syntax import parse_module, verify_module

_made_of: dict[tuple[Path, str], Sequence[Dialect]] = {}
"""The dialects of files, by their paths and texts: a file that is loaded twice has them once."""


def load_irdl(path: str | os.PathLike[str]) -> None:
    """Make the dialects known that the `irdl.dialect` ops of a file define. Their ops are written in generic form. If
    the file was loaded with another text, the dialects of that are forgotten.

    Args:
        path: the file.

    Raises:
        UserError: the file is not there, is not valid IR, defines no dialect, or the name of one is taken; all is as it
            was before.
    """
    load_irdl_text(path, _read(Path(path)))


def load_irdl_text(path: str | os.PathLike[str], text: bytes) -> None:
    """What `load_irdl` does, with `text` in place of what the file has."""
    try:
        key = file, source = Path(path).resolve(), text.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"IRDL file '{path}' is not UTF-8 text") from None
    with text_loaded(file, f"{file} {source}"):
        if key not in _made_of:
            _made_of[key] = _dialects(Path(path), source)
        for dialect in _made_of[key]:
            check_dialect(dialect, f"'{path}'")
            plugin_dialects.add(dialect.name, lambda dialect=dialect: dialect, f"'{path}'")
        note_load_option(f"--irdl-file={file}")


def _dialects(path: Path, text: str) -> Sequence[Dialect]:
    ctx = CompilerContext()
    register_dialects(ctx)
    module = parse_module(text, str(path), ctx)
    verify_module(module)
    definitions = [op for op in module.walk() if isinstance(op, irdl.DialectOp)]
    if not definitions:
        raise UserError("the file defines no dialect: no 'irdl.dialect' in it", SourceLocation(str(path), 1))
    raise_found(error_at(op, fault) for definition in definitions for op, fault in faults(definition))
    return [_made(definition) for definition in definitions]


def _made(definition: irdl.DialectOp) -> Dialect:
    ops = definition.body.block.ops
    operations = [_operation(each) for each in ops if isinstance(each, irdl.OperationOp)]
    attributes = [_attribute(each) for each in ops if isinstance(each, irdl.TypeOp | irdl.AttributeOp)]
    return Dialect(definition.sym_name.data, operations, attributes)


def _operation(definition: irdl.OperationOp) -> type[Operation]:
    """The class of an op. `op.lhs` is what the definition calls so: one value, or several of a variadic group."""

    class Made(IRDLOperation):
        name = definition.qualified_name
        irdl_operands = var_operand_def(AnyAttr())
        irdl_results = var_result_def(AnyAttr())
        irdl_regions = var_region_def()

        def verify_(self) -> None:
            try:
                check_operation(definition, self)
            except VerifyException as e:
                raise VerifyException(f"'{self.name}': {e}") from e

    made = irdl_op_definition(Made)
    for each in definition.body.block.ops:
        if isinstance(each, OperandsOp | ResultsOp):
            kind = "operand" if isinstance(each, OperandsOp) else "result"
            for index, (name, _, _) in enumerate(entries(each)):
                if name is not None and not hasattr(made, name.data):
                    setattr(made, python_name(name.data), _accessor(each, kind, index))
    made.__name__ = definition.get_py_class_name()
    return made


def _accessor(listing: IRDLOperation, kind: str, index: int) -> property:
    groups = list(entries(listing))
    is_single = groups[index][1] == irdl.VariadicityEnum.SINGLE

    def values(op: IRDLOperation) -> Any:
        found = segments(op, kind, groups, op.operands if kind == "operand" else op.results)[index]
        return found[0] if is_single else found

    return property(values)


def _attribute(definition: irdl.TypeOp | irdl.AttributeOp) -> type[Attribute]:
    """The class of a type or an attribute, whose parameters are named as in the definition, or by numbers."""
    bases = (ParametrizedAttribute, *((TypeAttribute,) if isinstance(definition, irdl.TypeOp) else ()))
    listed = [entry for op in definition.body.block.ops if isinstance(op, ParametersOp) for entry in entries(op)]
    names = [python_name(name.data) if name else f"parameter{i}" for i, (name, _, _) in enumerate(listed)]

    def verify(self: ParametrizedAttribute) -> None:
        check_parameters(definition, self.parameters)

    members: dict[str, object] = {
        "name": definition.qualified_name,
        "__annotations__": dict.fromkeys(names, Attribute),
        **{name: param_def(AnyAttr()) for name in names},
        "verify": verify,
    }
    return cast(Any, irdl_attr_definition)(type(definition.sym_name.data, bases, members))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"IRDL file '{path}' not found") from None
    except OSError as e:
        raise UserError(f"cannot read IRDL file '{path}': {e.strerror}") from None
