"""Private functions, which JAX makes of what it calls, as parts of the functions that call them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.stablehlo import CompositeOp, HloOp
from mlc.support.functions import is_private
from mlc.support.ir import inlined
from mlc.support.locations import error_at


def entries(module: ModuleOp) -> list[FuncOp]:
    """The functions with a body that callers may call: those that are public, or all if none is."""
    functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
    return [f for f in functions if not is_private(f)] or functions


def inline_calls(module: ModuleOp, functions: list[FuncOp]) -> dict[str, Block]:
    """Replace the calls in functions by the bodies of what they call, and drop functions that nobody calls then; the
    bodies of those that foreign functions are given, by name.

    Raises:
        UserError: a function that is called has no body, or calls itself.
    """
    named = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    flat = set[FuncOp]()
    for function in functions:
        _flatten(function, named, flat, [])
    given = {name: named[name] for function in functions for name in _given(function) if name in named}
    for function in given.values():
        if not function.is_declaration:
            _flatten(function, named, flat, [])
    kept = set(functions)
    for function in named.values():
        if function in given.values():
            function.detach()
        elif function not in kept and is_private(function):
            Rewriter.erase_op(function)
    return {name: function.body.block for name, function in given.items() if not function.is_declaration}


def _given(function: FuncOp) -> Iterator[str]:
    """The names of the functions that foreign functions are given."""
    for op in function.walk():
        if isinstance(op, HloOp):
            yield from computations_of(op)


def computations_of(op: HloOp) -> list[str]:
    """The names of the functions that a foreign function is given."""
    given = op.properties.get("called_computations")
    listed: Sequence[Attribute] = cast("ArrayAttr[Attribute]", given).data if isinstance(given, ArrayAttr) else ()
    return [name.string_value() for name in listed if isinstance(name, SymbolRefAttr)]


def _flatten(function: FuncOp, named: dict[str, FuncOp], flat: set[FuncOp], callers: list[FuncOp]) -> None:
    """Replace the calls in a function, after those in what it calls, so that each body is copied once it is done."""
    if function in flat:
        return
    if function in callers:
        raise error_at(function, f"'{function.sym_name.data}' calls itself; required: loops, whose bodies end")
    callers.append(function)
    for call in [op for op in function.walk() if isinstance(op, CallOp | CompositeOp)]:
        name = (call.callee if isinstance(call, CallOp) else call.decomposition).string_value()
        callee = named.get(name)
        if callee is None or callee.is_declaration:
            raise error_at(call, f"'{name}' is called, but it is not a function with a body")
        _flatten(callee, named, flat, callers)
        ops, returned = inlined(callee.body.block, list(call.operands))
        for op in ops:
            Rewriter.insert_op(op, InsertPoint.before(call))
        for old, new in zip(call.results, returned, strict=True):
            old.replace_all_uses_with(new)
        Rewriter.erase_op(call)
    callers.pop()
    flat.add(function)
