"""Where loops over dims begin and end of which only a part is data: how a kernel says so before it has loops."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

LIMITS = "limits"
"""The attribute of a kernel that holds them, a `#loop.limits`."""


@dataclass(frozen=True)
class Limit:
    """Loops over `dim` end at `(argument + plus) / over`, rounded up to a multiple, times `factor`; it is positive.

    Or they begin there, rounded down; at the first element if that is negative.
    """

    dim: str
    argument: int
    """The number of the kernel's argument that holds the integer, a tensor of one element."""
    plus: int = 0
    """What is added to that."""
    multiple: int = 1
    """What the sum, or 1 if that is more, is rounded up to; what a start is rounded down to."""
    factor: int = 1
    """How many iterations there are for each: those of a dim that was joined with others."""
    over: int = 1
    """How many of what the integer counts there are for each: an image of half the size has 2."""
    is_start: bool = False
    """Whether loops begin there."""


@irdl_attr_definition
class LimitsAttr(Data[tuple[Limit, ...]]):
    """Where the loops of a kernel end, or begin, that run over dims of which only a part is data.

    ```mlir
    func.func private @kernel(%n: tensor<i64>) attributes {limits = #loop.limits<k: argument 0 plus 1 by 16 times 64>} {
      return
    }
    ```

    `n = 20` lets loops `k` end at 2048: at `20 + 1`, rounded up to a multiple of 16, times 64. What is computed for
    iterations after the limit has no influence on what callers look at; `convert-tensor-to-loop` gives it to the loops.
    `k: from argument 0 plus -511 by 16` lets them begin that far before the integer.
    """

    name = "loop.limits"

    @staticmethod
    def of(limits: Sequence[Limit]) -> "LimitsAttr":
        """The limits, in order of dims."""
        return LimitsAttr(tuple(sorted(limits, key=lambda limit: (limit.dim, limit.is_start))))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Limit, ...]:
        with parser.in_angle_brackets():
            return tuple(parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _parse_limit(parser)))

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{', '.join(map(_spelling, self.data))}>")


def names_dims(function: Operation) -> bool:
    """Whether a kernel says something of dims by their names, so that these have to stay: a schedule, or limits."""
    return "schedule" in function.attributes or LIMITS in function.attributes


def _parse_limit(parser: AttrParser) -> Limit:
    dim = parser.parse_identifier(", the name of a dim")
    parser.parse_punctuation(":")
    is_start = parser.parse_optional_keyword("from") is not None
    parser.parse_keyword("argument")
    argument = parser.parse_integer(allow_boolean=False, allow_negative=False)

    def number(keyword: str, default: int) -> int:
        found = parser.parse_optional_keyword(keyword)
        return default if found is None else parser.parse_integer(allow_boolean=False)

    plus = number("plus", 0)
    position = parser.pos
    over, multiple, factor = number("over", 1), number("by", 1), number("times", 1)
    if min(over, multiple, factor) < 1:
        parser.raise_error("the numbers after 'over', 'by' and 'times' are positive", at_position=position)
    return Limit(dim, argument, plus, multiple, factor, over, is_start)


def _spelling(limit: Limit) -> str:
    words = [f"{limit.dim}: {'from ' * limit.is_start}argument {limit.argument}"]
    numbers = (
        ("plus", limit.plus, 0),
        ("over", limit.over, 1),
        ("by", limit.multiple, 1),
        ("times", limit.factor, 1),
    )
    for keyword, number, default in numbers:
        if number != default:
            words.append(f"{keyword} {number}")
    return " ".join(words)
