"""Which functions of a module the reference can run, and why not the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IndexType, IntegerType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute
from xdsl.traits import IsTerminator

from mlc.reference.execution import has_meaning
from mlc.reference.interpreter import interface_of
from mlc.support.dtypes import is_supported
from mlc.support.functions import held_extents, marks_of
from mlc.support.types import element_type


def why_not_run(module: ModuleOp) -> dict[str, str]:
    """For each function with a body that cannot be run, the reason."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}
    found = {name: reason for name, f in functions.items() if (reason := _why_not(f)) is not None}
    calls = calls_of(module) if found else {}
    for name in functions if found else ():
        for callee in reachable([name], calls):
            if callee in found and name not in found:
                found[name] = f"it calls '{callee}': {found[callee]}"
    return found


def calls_of(module: ModuleOp) -> dict[str, set[str]]:
    """The functions that each function calls."""
    return {
        f.sym_name.data: {op.callee.string_value() for op in f.body.walk() if isinstance(op, CallOp)}
        for f in module.ops
        if isinstance(f, FuncOp)
    }


def reachable(names: Iterable[str], calls: dict[str, set[str]]) -> set[str]:
    """These functions, and all that they call, directly or not."""
    found: set[str] = set()
    work = list(names)
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work += calls.get(name, ())
    return found


def _why_not(function: FuncOp) -> str | None:
    if len(function.body.blocks) > 1:
        return "it has several blocks"
    signature = interface_of(function)
    if signature is None:
        return "its arguments are not all tensors or buffers"
    if any(DYNAMIC_INDEX in t.get_shape() for t in (*signature.inputs, *signature.outputs)):
        return "its shapes are not all static"
    held = held_extents(marks_of(function.args, function.arg_attrs))
    if any(function.args[place].first_use is None for place in held if place < len(function.args)):
        return "an input ends at an extent that no op reads: its ops are those of a source, which see all of it"
    if not all(is_supported(t.element_type) for t in (*signature.inputs, *signature.outputs)):
        return "it has elements of a type that mlc does not compute with"
    for op in function.body.walk():
        if not has_meaning(type(op)) and not op.has_trait(IsTerminator):
            return f"'{op.name}' has no reference semantics"
        for kind in (element_type(v.type) for v in (*op.operands, *op.results)):
            if isinstance(kind, IntegerType | IndexType | AnyFloat) and not is_supported(cast(Attribute, kind)):
                return f"'{op.name}' is about {kind}, a type that mlc does not compute with"
    return None
