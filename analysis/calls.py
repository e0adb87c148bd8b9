"""Who refers to the functions of a module: a pass that changes what a kernel takes has to know all of its callers."""

from __future__ import annotations

from collections import defaultdict

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from mlc.support.ir import symbols_in


def calls_of_functions(module: ModuleOp) -> dict[str, list[func.CallOp]]:
    """The calls of each function of `module` that nothing but these calls refers to, in program order.

    Functions that other ops name (a table of functions, an attribute, code in a nested module) are left out.
    """
    calls: dict[str, list[func.CallOp]] = {op.sym_name.data: [] for op in module.ops if isinstance(op, func.FuncOp)}
    references: dict[str, int] = defaultdict(int)
    for op in module.walk():
        for name in symbols_in(op):
            references[name] += 1
        if isinstance(op, func.CallOp) and _module_around(op) is module:
            calls.setdefault(op.callee.root_reference.data, []).append(op)
    return {name: known for name, known in calls.items() if references[name] == len(known)}


def _module_around(op: func.CallOp) -> ModuleOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ModuleOp):
        parent = parent.parent_op()
    return parent
