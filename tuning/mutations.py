"""New schedules from good ones: other sizes, other steps, another order; and steps that are drawn for a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from random import Random
from typing import cast

from mlc.dialects.loop.steps import LoopName, Step, type_hints
from mlc.schedules.records.schedule_texts import Schedule
from mlc.support.errors import UserError

_MOST_STEPS = 16
"""A schedule that has more steps than this, as that by the rules may, has no descendants of more than it has itself."""
_FEW = 16
"""A step that takes so many numbers at most gets any of them, not one near to the one that it has."""
_DRAWS = 8
"""How often a mutation is tried that gives nothing new."""


@dataclass
class Mutator:
    """Makes new schedules for one kernel.

    Attributes:
        draw: gives a step for a loop that is there once some steps are carried out; None if it finds none.
        lanes: how many elements a vector has.
    """

    rng: Random
    lanes: int
    draw: Callable[[Schedule], Step | None]

    def propose(self, elites: Sequence[Schedule]) -> Schedule | None:
        """A schedule that comes from one of `elites`, the best first, or from nothing; None if that fails."""
        if self.rng.random() < 0.08:
            return self._random()
        parent = elites[min(int(self.rng.expovariate(1.0)), len(elites) - 1)]
        kinds = [self._resized, self._resized_twice, self._inserted, self._removed, self._swapped, self._replaced]
        for _ in range(_DRAWS):
            (mutate,) = self.rng.choices(kinds, weights=(6, 6, 4, 2, 2, 3))
            child = mutate(parent)
            if child is not None and child != parent and len(child) <= max(_MOST_STEPS, len(parent)):
                return self._resized(child) or child if self.rng.random() < 0.15 else child
        return None

    def _random(self) -> Schedule:
        steps: Schedule = ()
        for _ in range(self.rng.randint(2, 6)):
            if (step := self.draw(steps)) is None:
                break
            steps = (*steps, step)
        return steps

    def _resized(self, steps: Schedule) -> Schedule | None:
        """One number of one step is another."""
        places = [(i, f.name) for i, s in enumerate(steps) for f in fields(s) if isinstance(getattr(s, f.name), int)]
        if not places:
            return None
        # Lanes follow from the machine: what is worth another number is the tile around them.
        weights = [1 if steps[place].name == "vectorize" else 12 for place, _ in places]
        ((place, name),) = self.rng.choices(places, weights)
        step = steps[place]
        return coupled(steps, place, name, self._number(step, getattr(step, name)))

    def _resized_twice(self, steps: Schedule) -> Schedule | None:
        """Two numbers are others, as in a register tile of more rows and fewer vectors."""
        once = self._resized(steps)
        return None if once is None else self._resized(once)

    def _number(self, step: Step, number: int) -> int:
        """Another number for a step, of those that it may be written with."""
        if step.name == "vectorize":
            return max(1, self.rng.choice([self.lanes, self.lanes // 2]))
        if len(step.numbers) <= _FEW:
            return self.rng.choice(step.numbers)
        return min(max(self._size(number), step.numbers[0]), step.numbers[-1])

    def _size(self, size: int) -> int:
        """A size near to another one; of whole vectors, mostly, if that one is."""
        rng = self.rng
        if size % self.lanes == 0 and rng.random() < 0.9:
            sizes = [size * 2, size // 2, size + self.lanes, size - self.lanes, size + 2 * self.lanes, size * 4]
            return max(self.lanes // 2, rng.choice(sizes))
        return max(1, rng.choice([size * 2, size // 2, size + 1, size - 1, size + 2, size - 2, size * 3]))

    def _removed(self, steps: Schedule) -> Schedule | None:
        """One step is left out; what named the loop inside a tile names the one around it."""
        if not steps:
            return None
        place = self.rng.randrange(len(steps))
        gone, rest = steps[place], steps[place + 1 :]
        if gone.name == "tile":
            outer = gone.loops[0]
            rest = tuple(_with_outer_loops(step, outer) for step in rest)
            if None in rest:
                return None
        return (*steps[:place], *(step for step in rest if step is not None))

    def _swapped(self, steps: Schedule) -> Schedule | None:
        """Two neighbours change places."""
        if len(steps) < 2:
            return None
        i = self.rng.randrange(len(steps) - 1)
        return (*steps[:i], steps[i + 1], steps[i], *steps[i + 2 :])

    def _inserted(self, steps: Schedule) -> Schedule | None:
        """A drawn step comes in."""
        place = self.rng.randint(0, len(steps))
        step = self.draw(steps[:place])
        if step is None:
            return None
        if self.rng.random() < 0.5 and any(isinstance(getattr(step, f.name), int) for f in fields(step)):
            (step,) = self._resized((step,)) or (step,)
        return (*steps[:place], step, *steps[place:])

    def _replaced(self, steps: Schedule) -> Schedule | None:
        """A drawn step comes in for another one."""
        if not steps:
            return None
        place = self.rng.randrange(len(steps))
        step = self.draw(steps[:place])
        return None if step is None else _at(steps, place, step)


def _at(steps: Schedule, place: int, step: Step) -> Schedule:
    return (*steps[:place], step, *steps[place + 1 :])


def coupled(steps: Schedule, place: int, name: str, size: int) -> Schedule:
    """The steps with another number in one of them, and in those that have to say the same.

    A block and the vector that it becomes are of one size: where `tile(ni, 16)` is before `vectorize(nii, 16)`,
    another number of either is one of both.
    """
    step = steps[place]
    old = getattr(step, name)
    assert isinstance(old, int)
    changed = list(_at(steps, place, replace(step, **{name: size})))
    for i, each in enumerate(steps):
        is_vector = (
            i > place and step.name == "tile" and each.name == "vectorize" and each.loops[0] == f"{step.loops[0]}i"
        )
        is_block = (
            i < place and step.name == "vectorize" and each.name == "tile" and f"{each.loops[0]}i" == step.loops[0]
        )
        if is_vector or is_block:
            same = {f.name: size for f in fields(each) if getattr(each, f.name) == old}
            changed[i] = replace(each, **same)
    return tuple(changed)


def _with_outer_loops(step: Step, outer: str) -> Step | None:
    """A step after `tile(outer, …)` as if that were not there; None if it names one loop twice then."""
    hints = type_hints(type(step))

    def name(loop: str) -> str:
        is_inside = loop.startswith(f"{outer}i") and set(loop[len(outer) :]) == {"i"}
        return loop[:-1] if is_inside else loop

    changes: dict[str, object] = {}
    for f in fields(step):
        value = getattr(step, f.name)
        if hints[f.name] == LoopName:
            changes[f.name] = name(value)
        elif isinstance(value, tuple):
            changes[f.name] = tuple(name(each) for each in cast(tuple[str, ...], value))
    try:
        return replace(step, **changes)  # pyright: ignore[reportArgumentType]
    except UserError:
        return None
