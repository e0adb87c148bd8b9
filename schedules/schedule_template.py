"""Schedule templates: each knows a class of kernels and proposes candidates for them, the default first."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import ClassVar, cast

from xdsl.dialects.func import FuncOp

from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.support.additions import Additions, own_class
from mlc.support.blame import place_of
from mlc.support.errors import UserError
from mlc.targets.machine import Machine

ORDER = (
    "tile_map",
    "scaled_product",
    "column_product",
    "contraction",
    "window",
    "attention",
    "transpose",
    "column",
    "row",
    "gather",
)
"""The templates of mlc in the order in which they are asked; the file `schedules/templates/row.py` holds `row`."""


@dataclass(frozen=True)
class TensorKernel:
    """A kernel that is to have a schedule, and what may be known of it."""

    function: FuncOp
    """The function at the tensor level."""
    ops: Sequence[StructuredOp]
    """Its structured ops, in order; none if it is a map of tiles alone."""
    lanes: int
    """How many of its widest elements a vector of the machine holds."""
    machine: Machine
    constants: Container[tuple[str, int]] = ()
    """The arguments (name of the function, position) that are known when the program is compiled."""
    widths: Mapping[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """How many columns the panels have into which some of these are packed already."""
    weights: int = 0
    """The size of all constants of the model, in bytes: what passes by between two calls of a kernel."""
    short_bits: Mapping[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """How many bits the numbers of a constant argument of i8 have, if they have at most four, of which one is the sign
    where products are f32; none is where these are i32."""


@dataclass(frozen=True)
class Candidate:
    """A schedule that a template proposes. A first one without steps declines the kernel."""

    steps: tuple[Step, ...]
    difference: str = ""
    """What it does otherwise than the default, in words such as `4 rows at a time`; empty for the default."""
    is_only_shown: bool = False
    """Whether `schedule` leaves it to `mlc explain`, since estimates of it take long, or do not tell it from others."""

    def __post_init__(self) -> None:
        steps = cast(object, self.steps)
        if not isinstance(steps, tuple) or not all(isinstance(s, Step) for s in cast(tuple[object, ...], steps)):
            raise TypeError(f"a Candidate takes a tuple of steps of a schedule, found {steps!r}")


def distinct(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """The candidates that have other steps than those before; none if the first one has no steps, which declines."""
    seen: set[tuple[Step, ...]] = set()
    for candidate in candidates:
        if candidate.steps and candidate.steps not in seen:
            seen.add(candidate.steps)
            yield candidate
        elif not seen:
            return


class ScheduleTemplate(ABC):
    """Rules for a class of kernels. The docstring of a subclass says in one line which, and what the default does."""

    name: ClassVar[str]
    """What it is called: small letters, digits and `_`."""

    @classmethod
    def problem(cls) -> str | None:
        """What is wrong with the class, in words that follow its name; None if it is a schedule template."""
        name = getattr(cls, "name", None)
        if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            found = "has no `name`" if name is None else f"has the name {name!r}"
            return f"{found}; required: small letters, digits and _, which messages call it by"
        if inspect.isabstract(cls):
            return "has no `candidates(self, kernel)`, which gives its schedules, the default first"
        return None

    @abstractmethod
    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        """Schedules for a kernel, the default first; none for one of another class.

        What follows the default may be better where facts of a machine or sizes are other than usual: about three,
        for each is estimated. Those that are only shown come last: `mlc explain` alone computes them and what
        follows. Steps keep every result: one that loops do not allow leaves them as they were.
        """


plugin_templates = Additions("schedule template", "mlc.templates", lambda n: "mlc" if n in ORDER else None)
"""Those of plugins (entry point `stencil = "my_package.stencil:Stencils"` in the group `mlc.templates`)."""


def templates() -> Iterator[ScheduleTemplate]:
    """All templates, in the order in which they are asked: those of plugins first, as they know their kernels best.

    Raises:
        UserError: a plugin does not hold what it promises.
    """
    for name, addition in plugin_templates:
        loaded = addition.load()
        is_other = getattr(loaded, "name", name) != name
        if not isinstance(loaded, type) or not issubclass(loaded, ScheduleTemplate) or is_other:
            raise UserError(f"{addition.origin} promises a schedule template '{name}', found {loaded!r}")
        if (problem := loaded.problem()) is not None:
            raise UserError(f"the schedule template '{loaded.__name__}' of {addition.origin} {problem}")
        yield loaded()
    yield from map(_own_template, ORDER)


@cache
def _own_template(name: str) -> ScheduleTemplate:
    place = f"mlc.schedules.templates.{name}"
    template: type[ScheduleTemplate] = own_class(
        place, ScheduleTemplate, name, "schedule template", "schedule templates"
    )
    return template()


def _checked(template: ScheduleTemplate, kernel: TensorKernel) -> Iterator[Candidate]:
    """What a template proposes.

    Raises:
        UserError: that is something else.
    """
    candidates, has_default, place = cast(object, template.candidates(kernel)), False, place_of(type(template))
    required = f"the schedule template '{template.name}' proposes {{}}; required: each a "
    required += "Candidate((step, step), 'its difference')"
    if not isinstance(candidates, Iterable):
        raise UserError(required.format(repr(candidates)), place)
    for candidate in cast(Iterable[object], candidates):
        if not isinstance(candidate, Candidate):
            raise UserError(required.format(repr(candidate)), place)
        if candidate.is_only_shown and not has_default:
            found = "proposes a schedule first that is only shown"
            raise UserError(f"the schedule template '{template.name}' {found}; required: the default", place)
        has_default = True
        yield candidate


def candidates_of(kernel: TensorKernel) -> Iterator[Candidate]:
    """The candidates of the first template that has any for a kernel, the default first; computed as it is asked."""
    return template_and_candidates(kernel)[1]


def template_and_candidates(kernel: TensorKernel) -> tuple[str, Iterator[Candidate]]:
    """The name of the first template that has candidates for a kernel, and these; empty if there is none."""
    for template in templates():
        candidates = _checked(template, kernel)
        if (default := next(candidates, None)) is not None:
            return template.name, chain([default], candidates)
    return "", iter(())
