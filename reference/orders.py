"""Whether the parallel loops of a function are: running their iterations in another order must change nothing.

Iterations run forwards, then backwards. Every value has to be the same to the bit, since each iteration computes the
same in both; where one is not, some iteration read or overwrote what another one wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from mlc.dialects.loop import ForOp
from mlc.reference.execution import Array, Order
from mlc.reference.interpreter import run_function
from mlc.support.locations import location_of
from mlc.support.resources import Resources


@dataclass(frozen=True)
class FalseParallel:
    """A parallel loop whose iterations depend on each other, and a value that shows it."""

    loop: ForOp
    result: int
    """The number of the output that depends on the order."""
    index: tuple[int, ...]
    """The first element of it that does."""
    forwards: object
    backwards: object

    def __str__(self) -> str:
        location = location_of(self.loop)
        place = f" at {location}" if location else ""
        return (
            f'the {self.loop.kind.data} loop "{self.loop.dim.data}"{place} is not parallel: result {self.result} at '
            f"{list(self.index)} is {self.forwards} if its iterations run forwards, {self.backwards} if backwards"
        )


def find_false_parallel(
    module: ModuleOp, name: str, args: Sequence[Array], resources: Resources
) -> tuple[list[Array], FalseParallel | None]:
    """The outputs of function `name` with all parallel loops run forwards, and the loop that makes them depend on that.

    Raises:
        UserError, UndefinedBehavior: as `run_function`.
    """
    forwards = run_function(module, name, args, resources, "forwards")
    backwards = run_function(module, name, args, resources, "backwards")
    if (difference := _first_difference(forwards, backwards)) is None:
        return forwards, None
    loops = list(parallel_loops(module, name))
    # With the first `agreeing` loops backwards nothing changes; with the first `differing` something does.
    agreeing, differing = 0, len(loops)
    while differing - agreeing > 1:
        middle = (agreeing + differing) // 2
        orders: dict[Operation, Order] = dict.fromkeys(loops[:middle], "backwards")
        found = run_function(module, name, args, resources, "forwards", orders)
        if (place := _first_difference(forwards, found)) is None:
            agreeing = middle
        else:
            differing, difference, backwards = middle, place, found
    result, index = difference
    return forwards, FalseParallel(loops[agreeing], result, index, forwards[result][index], backwards[result][index])


def parallel_loops(module: ModuleOp, name: str) -> Iterator[ForOp]:
    """Those of a function and of all that it calls, outer ones first."""
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    reached, work = {name}, [name]
    while work:
        for op in functions[work.pop()].walk():
            if isinstance(op, ForOp) and op.is_parallel:
                yield op
            elif isinstance(op, CallOp) and (callee := op.callee.string_value()) not in reached:
                reached.add(callee)
                work.append(callee)


def _first_difference(first: Sequence[Array], second: Sequence[Array]) -> tuple[int, tuple[int, ...]] | None:
    """The first output and element that are not the same; one NaN is like another."""
    for number, (a, b) in enumerate(zip(first, second, strict=True)):
        different = (a != b) & ~((a != a) & (b != b))
        if np.any(different):
            return number, tuple(int(i) for i in np.argwhere(different)[0])
    return None
