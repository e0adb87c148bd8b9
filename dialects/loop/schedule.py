"""Schedules as IR: the attribute that says how a kernel's loops are to be shaped.

    #loop.schedule<[tile(n, 64), tile(ni, 16), interchange(n, m), vectorize(nii), unroll(ni), threads(m)]>

Steps apply in order, each to the loops that its first argument names. `tile(n, 64)` makes the loop `n` run in steps of
64 and puts a loop `ni` of 64 iterations right inside it, so tiling again names `ni`, then `nii`.
"""

from collections.abc import Iterable
from functools import partial
from itertools import pairwise

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from mlc.dialects.loop.steps import Step, load_step, make_step, step_names
from mlc.support.errors import UserError
from mlc.support.former_names import name_today
from mlc.support.text_warnings import warn_in_text


@irdl_attr_definition
class ScheduleAttr(Data[tuple[Step, ...]]):
    """The steps that turn a kernel's plain loop nests into its final ones, in the order in which they are carried out.

    ```mlir
    func.func private @kernel() attributes {schedule = #loop.schedule<[tile(n, 64), tile(ni, 16), vectorize(nii)]>} {
      return
    }
    ```
    """

    name = "loop.schedule"

    @staticmethod
    def of(steps: Iterable[Step]) -> "ScheduleAttr":
        """`ScheduleAttr.of([Tile(n, 16), Vectorize(ni)])`."""
        return ScheduleAttr(tuple(steps))

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, first to last."""
        return self.data

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Step, ...]:
        with parser.in_angle_brackets():
            return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_step(parser)))

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<[{', '.join(s.spelling for s in self.steps)}]>")

    @staticmethod
    def listing() -> str:
        """A table of all steps, for documentation."""
        kinds = [load_step(name) for name in step_names()]
        rows = [f"| `{kind.example}` | {kind.summary()} |" for kind in kinds]
        return "\n".join(["| step | what it does to the loops that it names |", "|---|---|", *rows])


def parse_step(parser: AttrParser) -> Step:
    """Parse `tile(n, 16)`."""
    position = parser.pos
    action = parser.parse_identifier(", the name of a schedule step")

    def argument() -> str | int:
        number = parser.parse_optional_integer(allow_boolean=False)
        return number if number is not None else parser.parse_identifier(", a name, or a whole number")

    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
    if any(isinstance(a, int) and isinstance(b, str) for a, b in pairwise(arguments)):
        parser.raise_error(f"schedule step '{action}': numbers stand after names", at_position=position)
    name = name_today("schedule step", action, partial(warn_in_text, parser, position))
    try:
        return make_step(name, arguments)
    except UserError as e:
        parser.raise_error(str(e), at_position=position)
