"""What a model leaves open that has to be known before it is lowered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType

from mlc.support.bindings import BindOption, BoundShape
from mlc.support.errors import UserError
from mlc.support.functions import dim_names, input_names, marks_of
from mlc.support.locations import location_of


def unbound(function: func.FuncOp, fitting: Mapping[tuple[int, int], int] | None = None) -> Iterator[UserError]:
    """The dims that the inputs of a function leave open, in one error with a command that binds them.

    `fitting` has extents to propose for dims, by the number of the argument and of the dim; for others that is 1.
    """
    fitting = fitting or {}
    advice: dict[str, BoundShape] = {}
    shown: list[str] = []
    marks = marks_of(function.args, function.arg_attrs)
    for argument, name, mark in zip(function.args, input_names(function), marks, strict=True):
        kind = argument.type
        if isinstance(kind, UnrankedTensorType):
            shown.append(f"'{name}' (any shape)")
            advice[name] = (1, 1)
            continue
        if not isinstance(kind, TensorType):
            continue
        labels = _labelled(kind.get_shape(), dim_names(mark))
        given = enumerate(kind.get_shape())
        proposed = [fitting.get((argument.index, i), 1) if e == DYNAMIC_INDEX else e for i, e in given]
        if DYNAMIC_INDEX in kind.get_shape():
            shown.append(f"'{name}' ({'x'.join(labels)})")
            each = zip(labels, kind.get_shape(), proposed, strict=True)
            missing = {label: number for label, e, number in each if e == DYNAMIC_INDEX}
            if "?" in missing:
                advice[name] = tuple(proposed)
            else:
                advice |= missing
    if shown:
        yield UserError(
            (
                f"the model leaves dims of its inputs open: {', '.join(shown)}; code is generated for known shapes, or "
                "ranges such as 1..8: bind them, as in ",
                BindOption("shape", given=tuple(advice.items())),
            ),
            location_of(function),
        )


def _labelled(shape: Sequence[int], names: Sequence[str]) -> list[str]:
    """Extents in words: numbers, names, or `?`."""
    named = [*names, *[""] * (len(shape) - len(names))]
    return [(name or "?") if e == DYNAMIC_INDEX else str(e) for e, name in zip(shape, named, strict=False)]
