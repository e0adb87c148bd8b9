"""The kinds of loops."""

from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class LoopKind(StrEnum):
    """What may be assumed about a loop's iterations, and who runs them."""

    SERIAL = "serial"
    """One after the other; an iteration may use what earlier ones made."""
    PARALLEL = "parallel"
    """Independent of each other: any order, interleaved, or as vector lanes. One thread runs them."""
    THREADS = "threads"
    """Independent, and spread over the threads of the host; with those of loops around it, if nothing is in between."""


@irdl_attr_definition
class LoopKindAttr(EnumAttribute[LoopKind]):
    """The kind of a loop, as an attribute."""

    name = "loop.kind"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LoopKind:
        with parser.in_angle_brackets():
            return super().parse_parameter(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            super().print_parameter(printer)
