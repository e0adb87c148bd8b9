"""What a kind of kernel is to `schedule`: it offers schedules for its kernels, the one that it favours first."""

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

ORDER = ("tile_map", "column_product", "contraction", "window", "attention", "transpose", "column", "row", "gather")
"""The kinds of mlc in the order in which they are asked; the file `schedules/templates/row.py` holds `row`."""


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


@dataclass(frozen=True)
class Offer:
    """A candidate: a schedule that a kind of kernel proposes. A first one without steps declines the kernel."""

    steps: tuple[Step, ...]
    difference: str = ""
    """What it does otherwise than the favourite, in words such as `4 rows at a time`; empty for the favourite."""
    is_only_shown: bool = False
    """Whether `schedule` leaves it to `mlc explain`, since estimates of it take long, or do not tell it from others."""

    def __post_init__(self) -> None:
        steps = cast(object, self.steps)
        if not isinstance(steps, tuple) or not all(isinstance(s, Step) for s in cast(tuple[object, ...], steps)):
            raise TypeError(f"an Offer takes a tuple of steps of a schedule, found {steps!r}")


def distinct(offers: Iterable[Offer]) -> Iterator[Offer]:
    """The offers that have other steps than those before; none if the first one has no steps, which declines."""
    seen: set[tuple[Step, ...]] = set()
    for offer in offers:
        if offer.steps and offer.steps not in seen:
            seen.add(offer.steps)
            yield offer
        elif not seen:
            return


class KernelKind(ABC):
    """A kind of kernel. The docstring of a subclass says in one line which kernels it is for, and what it favours."""

    name: ClassVar[str]
    """What it is called: small letters, digits and `_`."""

    @classmethod
    def problem(cls) -> str | None:
        """What is wrong with the class, in words that follow its name; None if it is a kind of kernel."""
        name = getattr(cls, "name", None)
        if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            found = "has no `name`" if name is None else f"has the name {name!r}"
            return f"{found}; required: small letters, digits and _, which messages call it by"
        if inspect.isabstract(cls):
            return "has no `offers(self, kernel)`, which gives its schedules, the favourite first"
        return None

    @abstractmethod
    def offers(self, kernel: TensorKernel) -> Iterator[Offer]:
        """Schedules for a kernel, the favourite first; none at all for one of another kind.

        What follows the favourite may be better where facts of a machine or sizes are other than usual: about three,
        for each is estimated. Those that are only shown come last: what is behind one of them is computed for `mlc
        explain` alone. Steps keep every result, whoever offers them: one that loops do not allow leaves them as they
        were.
        """


plugin_kinds = Additions("kernel kind", "mlc.kinds", lambda n: "mlc" if n in ORDER else None)
"""The kinds that plugins bring (entry point `stencil = "my_package.stencil:Stencils"` in the group `mlc.kinds`)."""


def kinds() -> Iterator[KernelKind]:
    """All kinds, in the order in which they are asked: those of plugins first, as they know their kernels best.

    Raises:
        UserError: a plugin does not hold what it promises.
    """
    for name, addition in plugin_kinds:
        loaded = addition.load()
        is_other = getattr(loaded, "name", name) != name
        if not isinstance(loaded, type) or not issubclass(loaded, KernelKind) or is_other:
            raise UserError(f"{addition.origin} promises a kind of kernel '{name}', found {loaded!r}")
        if (problem := loaded.problem()) is not None:
            raise UserError(f"the kind of kernel '{loaded.__name__}' of {addition.origin} {problem}")
        yield loaded()
    yield from map(_own_kind, ORDER)


@cache
def _own_kind(name: str) -> KernelKind:
    place = f"mlc.schedules.templates.{name}"
    kind: type[KernelKind] = own_class(place, KernelKind, name, "kind of kernel", "kinds of kernels")
    return kind()


def _checked(kind: KernelKind, kernel: TensorKernel) -> Iterator[Offer]:
    """What a kind offers.

    Raises:
        UserError: that is something else.
    """
    offers, has_favourite, place = cast(object, kind.offers(kernel)), False, place_of(type(kind))
    required = f"the kind of kernel '{kind.name}' offers {{}}; required: each an Offer((step, step), 'its difference')"
    if not isinstance(offers, Iterable):
        raise UserError(required.format(repr(offers)), place)
    for offer in cast(Iterable[object], offers):
        if not isinstance(offer, Offer):
            raise UserError(required.format(repr(offer)), place)
        if offer.is_only_shown and not has_favourite:
            found = "offers a schedule first that is only shown"
            raise UserError(f"the kind of kernel '{kind.name}' {found}; required: the favourite", place)
        has_favourite = True
        yield offer


def offers_of(kernel: TensorKernel) -> Iterator[Offer]:
    """What the first kind that offers something for a kernel offers, the favourite first; computed as it is asked."""
    return kind_and_offers(kernel)[1]


def kind_and_offers(kernel: TensorKernel) -> tuple[str, Iterator[Offer]]:
    """The name of the first kind that offers something for a kernel, and `offers_of`; empty if there is none."""
    for kind in kinds():
        offers = _checked(kind, kernel)
        if (favourite := next(offers, None)) is not None:
            return kind.name, chain([favourite], offers)
    return "", iter(())
