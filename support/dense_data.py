"""Writing the data of constants, of which upstream compares the elements as numbers."""

from __future__ import annotations

from io import StringIO
from typing import Any, TypeAlias

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr
from xdsl.printer import Printer

from mlc.support.types import repeated_number

Elements: TypeAlias = "DenseIntOrFPElementsAttr[Any]"


def print_data(printer: Printer, elements: Elements) -> None:
    """`dense<...>`, without the type."""
    if has_zeros_of_two_signs(elements):
        # As numbers they are equal, and one of them would stand for all.
        printer.print_string(f'dense<"0x{elements.data.data.hex().upper()}">')
    else:
        elements.print_without_type(printer)


def written_data(elements: Elements) -> str:
    """`dense<...> : type`, for messages."""
    stream = StringIO()
    print_data(Printer(stream), elements)
    return f"{stream.getvalue()} : {elements.get_type()}"


def has_zeros_of_two_signs(elements: Elements) -> bool:
    """Whether all elements are zeros, and not the same."""
    return (
        isinstance(elements.get_element_type(), AnyFloat)
        and set(elements.data.data) == {0x00, 0x80}
        and not any(elements.get_values())
        and repeated_number(elements) is None
    )
