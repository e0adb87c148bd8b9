"""Whether what a plugin defines can be called as mlc calls it: methods, patterns, meanings of ops.

Python notices only at the call, which is in mlc, that a function takes something else. So it is asked when the file has
been run, and the answer is told at the function's line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, OptOperandDef, VarOperandDef

from mlc.pass_manager.lowering import patterns_of
from mlc.support.blame import place_of, place_of_code
from mlc.support.errors import SourceLocation, UserError
from mlc.support.semantics import meanings_of

_OURS = ("mlc.", "xdsl.")
"""Whose classes have methods that mlc calls."""


def check_signatures(module: ModuleType) -> None:
    """Check what a file of a plugin defines.

    Raises:
        UserError: at the line of a method, a pattern or a meaning that does not take what it is called with.
    """
    for defined in vars(module).values():
        if isinstance(defined, type) and defined.__module__ == module.__name__:
            for name, base in _overridden(defined):
                _check_method(defined, name, base)
    for pattern in patterns_of(module.__name__):
        if inspect.isabstract(pattern):
            raise UserError(f"the pattern '{_name(pattern)}' has no `match_and_rewrite`", _place(pattern))
        _require(pattern, 1, f"the pattern '{_name(pattern)}'", "the context, as by __init__(self, ctx)")
    for op_type, each in meanings_of(module.__name__):
        operands = _operand_count(op_type) if each.takes_operands else 1
        if operands is not None:
            behind = "the frame" if not each.takes_operands else f"{operands} operand{'' if operands == 1 else 's'}"
            _require(each.function, 1 + operands, f"'{_name(each.function)}'", f"an op '{op_type.name}' and {behind}")


def _overridden(defined: type) -> Iterator[tuple[str, FunctionType]]:
    """The methods of mlc's and xDSL's classes of which a class has its own form, with the form there."""
    for name in vars(defined):
        base = next((b for b in defined.__mro__[1:] if name in vars(b)), None)
        is_ours = base is not None and base.__module__.startswith(_OURS) and not name.startswith("__")
        if is_ours and isinstance(function := _function(vars(base)[name]), FunctionType):
            yield name, function


def _check_method(defined: type, name: str, base: FunctionType) -> None:
    found = vars(defined)[name]
    parameters = inspect.signature(base).parameters
    required = f"{name}({', '.join(parameters)})"
    if not callable(function := _function(found)):
        message = f"'{defined.__name__}.{name}' is of type {type(found).__name__}; required: a method {required}"
        raise UserError(message, place_of(defined))
    given = [p for p in parameters.values() if p.kind <= p.POSITIONAL_OR_KEYWORD and p.default is p.empty]
    _require(function, len(given) - isinstance(found, staticmethod), f"'{defined.__name__}.{name}'", required, defined)


def _function(member: Any) -> Any:
    return member.__func__ if isinstance(member, classmethod | staticmethod) else member  # pyright: ignore


def _require(function: Callable[..., Any], count: int, what: str, required: str, defined: type | None = None) -> None:
    """Raises: UserError if a function cannot be called with so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # what is not written in Python has none
        return
    try:
        signature.bind(*[None] * count)
    except TypeError:
        taken = ", ".join(signature.parameters)
        place = _place(function) or (None if defined is None else place_of(defined))
        raise UserError(f"{what} takes ({taken}); required: {required}", place) from None


def _operand_count(op_type: type[Operation]) -> int | None:
    """How many operands an op has; None if that differs."""
    if not issubclass(op_type, IRDLOperation) or inspect.isabstract(op_type):
        return None
    operands = [definition for _, definition in op_type.get_irdl_definition().operands]
    return None if any(isinstance(o, OptOperandDef | VarOperandDef) for o in operands) else len(operands)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", str(function))


def _place(function: Callable[..., Any]) -> SourceLocation | None:
    """The line of a plugin where a function begins; None if a decorator of somebody else stands for it."""
    if isinstance(function, type):
        return place_of(function)
    return place_of_code(getattr(inspect.unwrap(function), "__code__", None))
