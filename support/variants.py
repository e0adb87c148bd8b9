"""The variants of a model that is compiled for several shapes: one for each combination of what is given to its dims.

batch=1,8  seq=16,128  ->  _batch1_seq16  _batch1_seq128  _batch8_seq16  _batch8_seq128
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from mlc.support.bindings import AnyExtent, Bindings, BoundShape, ExtentRange, ShapeChoices, shape_text
from mlc.support.errors import UserError

MOST_VARIANTS = 64
"""Each is compiled on its own, and takes as long as a model."""


@dataclass(frozen=True)
class Variant:
    """A model for one of several shapes."""

    bindings: Bindings
    """One shape for each name."""
    label: str = ""
    """What tells it apart, for people: `batch=8, seq=16`; empty if there is only one."""
    suffix: str = ""
    """What stands after the name of the model, for C: `_batch8_seq16`."""
    size: int = 0
    """The product of all extents that are given, which grows with what there is to compute."""


def variants_of(bindings: Bindings) -> list[Variant]:
    """All combinations, in the order in which they are given, the last name varying fastest.

    Raises:
        UserError: there are too many, or the shapes of a name are equal or of different ranks.
    """
    choices = bindings.choices
    _check(choices)
    if not choices:
        return [Variant(bindings)]
    bindings.require_fixed("a model for several shapes")
    made: list[Variant] = []
    for shapes in product(*choices.values()):
        chosen = dict(zip(choices, shapes, strict=True))
        label = ", ".join(f"{name}={shape_text(shape)}" for name, shape in chosen.items())
        suffix = "".join(f"_{_for_c(name)}{shape_text(shape)}" for name, shape in chosen.items())
        while suffix in [each.suffix for each in made]:  # names that differ in what C does not know
            suffix += "_"
        size = prod(extent for shape in shapes for extent in _extents(shape) if isinstance(extent, int))
        bound = replace(bindings, shapes={**bindings.shapes, **chosen}, choices={})
        made.append(Variant(bound, label, suffix, size))
    return made


def _check(choices: ShapeChoices) -> None:
    for name, shapes in choices.items():
        for shape in shapes:
            if ranges := [extent for extent in _extents(shape) if isinstance(extent, ExtentRange)]:
                required = "numbers, or one range"
                raise UserError(f"'{name}' is given {ranges[0]} among several shapes; required: {required}")
            if shapes.count(shape) > 1:
                raise UserError(f"'{name}' is given {shape_text(shape)} twice; required: different shapes")
            if _rank(shape) != _rank(shapes[0]):
                found = f"{shape_text(shapes[0])} and {shape_text(shape)}"
                raise UserError(f"'{name}' is given shapes of different ranks, {found}; required: one rank")
    count = prod(len(shapes) for shapes in choices.values())
    if count > MOST_VARIANTS:
        factors = " x ".join(f"{len(shapes)} of '{name}'" for name, shapes in choices.items())
        raise UserError(
            f"{factors} make {count} variants, each of which is compiled on its own; at most {MOST_VARIANTS} go into "
            "an artifact: leave some out, or give an input whole shapes, x=1x16,8x128, where its dims go together"
        )


def _extents(shape: BoundShape) -> tuple[AnyExtent, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


def _rank(shape: BoundShape) -> int:
    return len(_extents(shape))


def _for_c(name: str) -> str:
    return re.sub(r"\W", "_", name, flags=re.ASCII)
