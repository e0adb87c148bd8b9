"""Schedules as IR: the attribute that says how a kernel's loops are to be shaped.

    #loop.schedule<[tile(n, 64), tile(ni, 16), interchange(n, m), vectorize(nii), unroll(ni), parallel(m)]>

Steps apply in order, each to the loops that its first argument names. `tile(n, 64)` makes the loop `n` run in steps of
64 and puts a loop `ni` of 64 iterations right inside it, so tiling again names `ni`, then `nii`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@dataclass(frozen=True)
class _Form:
    """How a step is written: how many names and sizes it takes."""

    names: int = 1
    more: bool = False
    """Whether it takes more names than these."""
    sizes: tuple[int, int] = (0, 0)
    """The least and the greatest number of sizes."""


STEPS: dict[str, _Form] = {
    "tile": _Form(sizes=(1, 1)),
    "interchange": _Form(2, more=True),
    "unpad": _Form(more=True),
    "pack": _Form(2),
    "fuse": _Form(),
    "vectorize": _Form(sizes=(0, 1)),
    "vectorize_reduction": _Form(sizes=(1, 1)),
    "split_reduction": _Form(sizes=(1, 1)),
    "block_sums": _Form(sizes=(1, 1)),
    "hoist_reduction": _Form(2),
    "unroll": _Form(),
    "prefetch": _Form(),
    "parallel": _Form(),
}


@irdl_attr_definition
class StepAttr(ParametrizedAttribute):
    """One step of a schedule: what to do, to which loops, with which size."""

    name = "loop.step"

    action: StringAttr
    loops: ArrayAttr[StringAttr]
    sizes: ArrayAttr[IntAttr]

    @staticmethod
    def of(action: str, *arguments: str | int) -> "StepAttr":
        """The step `action(arguments…)`."""
        return StepAttr(
            StringAttr(action),
            ArrayAttr(StringAttr(a) for a in arguments if isinstance(a, str)),
            ArrayAttr(IntAttr(a) for a in arguments if isinstance(a, int)),
        )

    @property
    def loop_names(self) -> tuple[str, ...]:
        """The loops that the step names."""
        return tuple(s.data for s in self.loops)

    def verify(self) -> None:
        action = self.action.data
        if action not in STEPS:
            near = get_close_matches(action, STEPS, n=1)
            guess = f"did you mean '{near[0]}'? " if near else ""
            raise VerifyException(f"unknown schedule step '{action}'; {guess}the steps are {', '.join(STEPS)}")
        form, names, sizes = STEPS[action], len(self.loops), len(self.sizes)
        if form.sizes[0] and not sizes and names == form.names + 1:
            found = self.loop_names[-1]
            raise VerifyException(f"schedule step '{action}' takes a number as its last argument, got '{found}'")
        if len(set(self.loop_names)) < names:
            raise VerifyException(f"schedule step '{self.spelling}' names a loop twice")
        if names < form.names or (names > form.names and not form.more):
            plural = "s" if form.names > 1 or form.more else ""
            required = f"{form.names} or more" if form.more else form.names
            raise VerifyException(f"schedule step '{action}' takes {required} loop name{plural}, got {names}")
        least, most = form.sizes
        if not least <= sizes <= most:
            required = "no size" if not most else "one size" if least else "at most one size"
            raise VerifyException(f"schedule step '{action}' takes {required}, got {sizes}")
        if any(s.data < 1 for s in self.sizes):
            raise VerifyException(f"schedule step '{action}' takes a positive size")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return parse_step(parser).parameters

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.spelling}>")

    @property
    def spelling(self) -> str:
        """The step as a schedule writes it."""
        arguments = [*self.loop_names, *(str(s.data) for s in self.sizes)]
        return f"{self.action.data}({', '.join(arguments)})"


@irdl_attr_definition
class ScheduleAttr(ParametrizedAttribute):
    """The steps that turn a kernel's plain loop nests into its final ones, in the order in which they are carried out.

    ```mlir
    func.func private @kernel() attributes {schedule = #loop.schedule<[tile(n, 64), tile(ni, 16), vectorize(nii)]>} {
      return
    }
    ```

    | step | what it does to the loops that it names |
    |---|---|
    | `tile(n, 64)` | `n` runs in steps of 64, around a new loop `ni`; what fills no block becomes a nest of its own |
    | `interchange(n, m)` | perfectly nested parallel loops change places: `n` around `m` |
    | `unpad(y, x)` | windows at the border of an image run over what is inside it: no padded copy is made |
    | `pack(w, n)` | the argument `w` is stored as panels, one for each block of the tiled loop `n` |
    | `fuse(m)` | loops `m` that stand side by side become one where the results stay the same |
    | `vectorize(nii)` | the iterations of a parallel loop become the lanes of vectors |
    | `vectorize(nii, 16)` | the same with 16 lanes; of a shorter loop some lanes stay inactive |
    | `vectorize_reduction(k, 64)` | a loop that reduces keeps 64 partial results, combined at the end |
    | `split_reduction(k, 4)` | a loop that reduces keeps 4 results, which take turns, combined at the end |
    | `block_sums(k, 256)` | `k` runs in steps of 256, around a new loop `ki` whose sums start from 0 in each block |
    | `hoist_reduction(k, n)` | a loop that reduces runs around `n` and what is in it; its results wait in a buffer |
    | `unroll(ni)` | each iteration becomes a copy; loops inside a parallel loop carry one value more per copy instead |
    | `prefetch(k)` | what is read and written behind a loop is asked for in front of it |
    | `parallel(m)` | the iterations are spread over threads |
    """

    name = "loop.schedule"

    steps: ArrayAttr[StepAttr]

    @staticmethod
    def of(*steps: tuple[str | int, ...]) -> "ScheduleAttr":
        """`ScheduleAttr.of(("tile", "n", 16), ("vectorize", "ni"))`."""
        return ScheduleAttr(ArrayAttr(StepAttr.of(str(s[0]), *s[1:]) for s in steps))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            steps = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_step(parser))
        return [ArrayAttr(steps)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<[{', '.join(s.spelling for s in self.steps)}]>")


def parse_step(parser: AttrParser) -> StepAttr:
    """Parse `tile(n, 16)`."""
    position = parser.pos
    action = parser.parse_identifier(", the name of a schedule step")

    def argument() -> str | int:
        number = parser.parse_optional_integer(allow_boolean=False)
        return number if number is not None else parser.parse_identifier(", the name of a loop, or a whole number")

    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
    if any(isinstance(a, int) and isinstance(b, str) for a, b in pairwise(arguments)):
        parser.raise_error(f"schedule step '{action}': sizes stand behind the names of loops", at_position=position)
    try:
        return StepAttr.of(action, *arguments)
    except VerifyException as e:
        parser.raise_error(str(e), at_position=position)
