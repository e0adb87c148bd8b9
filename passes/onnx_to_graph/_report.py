"""What stands in the way of a conversion, told at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, NameLoc, TensorType, UnrankedTensorType
from xdsl.ir import Operation

from mlc.dialects.onnx.ops import OnnxOp
from mlc.passes.onnx_to_graph._conversion import NO_PATTERN, Conversion
from mlc.support.errors import UserError, UserErrors
from mlc.support.functions import dim_names, input_names, marks_of
from mlc.support.locations import location_of

_NAMED = 3
"""How many nodes a message names."""


def unbound(function: func.FuncOp) -> Iterator[UserError]:
    """What the inputs of a function leave open: dims, in one error with a command that binds them, or types."""
    advice: dict[str, str] = {}
    shown: list[str] = []
    marks = marks_of(function.args, function.arg_attrs)
    for argument, name, mark in zip(function.args, input_names(function), marks, strict=True):
        kind = argument.type
        if isinstance(kind, UnrankedTensorType):
            shown.append(f"'{name}' (any shape)")
            advice[name] = f"--shape {quote(f'{name}=1x1')}"
            continue
        if not isinstance(kind, TensorType):
            yield UserError(f"input '{name}' is {kind}: mlc takes tensors of numbers", location_of(function))
            continue
        labels = _labelled(kind.get_shape(), dim_names(mark))
        if DYNAMIC_INDEX in kind.get_shape():
            shown.append(f"'{name}' ({'x'.join(labels)})")
            missing = [label for label, e in zip(labels, kind.get_shape(), strict=True) if e == DYNAMIC_INDEX]
            if "?" in missing:
                numbers = "x".join("1" if e == DYNAMIC_INDEX else str(e) for e in kind.get_shape())
                advice[name] = f"--shape {quote(f'{name}={numbers}')}"
            else:
                advice |= {label: f"--shape {quote(f'{label}=1')}" for label in missing}
    if shown:
        yield UserError(
            f"the model leaves dims of its inputs open: {', '.join(shown)}; code is generated for known shapes: "
            f"bind them, as in {' '.join(advice.values())}",
            location_of(function),
        )


def _labelled(shape: Sequence[int], names: Sequence[str]) -> list[str]:
    """Extents in words: numbers, names, or `?`."""
    named = [*names, *[""] * (len(shape) - len(names))]
    return [(name or "?") if e == DYNAMIC_INDEX else str(e) for e, name in zip(shape, named, strict=False)]


def without_patterns(ops: Iterable[Operation], conversion: Conversion) -> Iterator[tuple[OnnxOp, str]]:
    """The ops that neither a pattern nor a specification converts, whatever their operands are."""
    for op in ops:
        if isinstance(op, OnnxOp) and not conversion.driver.handles(op):
            schema = op.schema
            if schema is None or not (schema.has_function or schema.has_context_dependent_function):
                yield op, NO_PATTERN


def raise_all(errors: Iterable[UserError]) -> None:
    """Raises: UserError, or UserErrors for several, if there are any."""
    found = list(errors)
    if len(found) == 1:
        raise found[0]
    if found:
        raise UserErrors(found)


def refusals(refused: Iterable[tuple[OnnxOp, str]]) -> Iterator[UserError]:
    """One error for each operator and reason, with the number of nodes and the names of some."""
    groups: dict[tuple[str, str], list[OnnxOp]] = {}
    for op, reason in refused:
        groups.setdefault((operator(op), reason), []).append(op)
    for (name, reason), ops in groups.items():
        labels = ", ".join(_labels(ops))
        count = f" ({len(ops)} nodes{f': {labels}' if labels else ''})" if len(ops) > 1 else ""
        yield UserError(f"{name}: {reason}{count}", location_of(ops[0]))


def operator(op: OnnxOp) -> str:
    """An operator with its domain and version, for messages."""
    return f"{f'{op.DOMAIN}.' if op.DOMAIN else ''}{op.OP_TYPE} (version {op.since})"


def _labels(ops: list[OnnxOp]) -> list[str]:
    names = [f"'{op.location.desc.data}'" for op in ops if isinstance(op.location, NameLoc)]
    return [*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])]
