"""What the passes that hand a module over to upstream MLIR share.

The attributes `mlc.output` and `mlc.workspace` of arguments stay: they are discardable attributes, and upstream accepts
and keeps those of a dialect that it does not load.
"""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp

from mlc.support.context import CompilerContext
from mlc.support.locations import error_at

SCHEDULE = "schedule"


def drop_schedules(module: ModuleOp, ctx: CompilerContext) -> None:
    """Take the schedules off all functions: no upstream pass reads them, and upstream rejects their dialect."""
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.attributes.pop(SCHEDULE, None) is not None:
            ctx.remark(
                function, f"dropped the schedule of '{function.sym_name.data}': upstream MLIR has no such attribute"
            )


def embed_weights(module: ModuleOp, ctx: CompilerContext) -> None:
    """Have all weights that `module` uses printed with it: upstream reads blobs, but no weight files."""
    for op in module.walk():
        for attribute in op.properties.values():
            if isinstance(attribute, DenseResourceAttr):
                name = attribute.resource_handle.data
                ctx.resources.define(name, ctx.resources.array(name))


def check_legal(module: ModuleOp, legal: Collection[str], pass_name: str, target: str) -> None:
    """Require that only ops that upstream knows are left, whose names are `legal`.

    Raises:
        UserError: another one is.
    """
    for op in module.walk():
        if op.name not in legal:
            raise error_at(op, f"'{op.name}' cannot be converted to {target}: no pattern of {pass_name} takes it")
