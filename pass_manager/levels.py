"""What a pass says when a pass that has to run before it did not."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.dialects.registry import plugin_dialects
from mlc.pass_manager.ir_levels import LEVEL_OF, LEVELS, LOWER_TO, SOURCE_LEVELS
from mlc.pass_manager.lowering import lowering_of, patterns_of_others
from mlc.pass_manager.pipeline import LEVEL_CONVERSIONS
from mlc.support.errors import UserError
from mlc.support.locations import error_at


def require_level(module: ModuleOp, level: str, pass_name: str, then: Sequence[str] = ()) -> None:
    """Check that nothing in `module` is of a level above `level`, where the pass `pass_name` starts.

    `then` are the passes of that level which the ops of the level above make necessary in any case.

    Raises:
        UserError: at the first op of the highest level, with the passes that lower it.
    """
    above = (*SOURCE_LEVELS, *LEVELS[: LEVELS.index(level)])
    found = [(above.index(own), isinstance(op, FuncOp), op) for op in module.walk() if (own := _level(op)) in above]
    if not found:
        return
    # A function over tensors is named only if nothing in it is: the place of the op says more.
    first, _, op = min(found, key=lambda each: each[:2])
    missing = (LOWER_TO[level], *then)
    raise passes_missing(op, pass_name, f"{op.name}, of the {above[first]} level", missing)


def passes_missing(op: Operation, pass_name: str, found: str, missing: Sequence[str]) -> UserError:
    """The error that `pass_name` raises at `op` because the passes `missing` have not run; `found` describes the op."""
    return error_at(op, f"{pass_name}: found {found}; run {' '.join(f'--{each}' for each in missing)} first")


def not_lowered(op: Operation, to: str, pass_name: str) -> UserError:
    """The error for an op that no pattern of `pass_name` lowers, `to` what follows it in the message. Who wrote the op
    is told where a pattern is missing: an op of tensors has one above the tensor level."""
    if patterns := patterns_of_others(pass_name, type(op)):
        return error_at(
            op, f"'{op.name}' cannot be lowered{to}: {' and '.join(patterns)} of {pass_name} left it as it is"
        )
    message = f"'{op.name}' cannot be lowered{to}: no pattern of {pass_name} handles it"
    if plugin_dialects.get(op.dialect_name()) is not None:
        has_tensors = any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results))
        place = LEVEL_CONVERSIONS["tensor"] if has_tensors else pass_name
        message += f'; write one, under @lowers("{place}", {type(op).__name__}) (docs/writing-a-dialect.md)'
    return error_at(op, message)


def _level(op: Operation) -> str | None:
    """The level that an op belongs to, by its dialect, its lowering or its types; None if it may be of several."""
    if lowering_of(LEVEL_CONVERSIONS["tensor"], type(op)) is not None:
        return "graph"
    if (level := LEVEL_OF.get(op.dialect_name())) is not None:
        return level
    types = [result.type for result in op.results]
    if isinstance(op, FuncOp):
        types = [*op.function_type.inputs, *op.function_type.outputs]
    return "tensor" if any(isinstance(each, TensorType) for each in types) else None
