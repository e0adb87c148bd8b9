"""Writing the data of constants, of which upstream compares the elements as numbers."""

from __future__ import annotations

from io import StringIO
from typing import Any, TypeAlias

from xdsl.dialects.builtin import AnyFloat, BytesAttr, ComplexType, DenseIntOrFPElementsAttr, TensorType
from xdsl.printer import Printer

from mlc.support.types import repeated_number

Elements: TypeAlias = "DenseIntOrFPElementsAttr[Any]"


def print_data(printer: Printer, elements: Elements) -> None:
    """`dense<...>`, without the type."""
    if has_zeros_of_two_signs(elements):
        # As numbers they are equal, and one of them would stand for all.
        printer.print_string(f'dense<"0x{elements.data.data.hex().upper()}">')
    elif (scalar := _repeated(elements)) is not None:
        scalar.print_without_type(printer)  # xDSL would unpack all elements, three times
    else:
        elements.print_without_type(printer)


def _repeated(elements: Elements) -> Elements | None:
    """The scalar that all elements are, if they are one number; NaN is none, as it does not equal itself."""
    if isinstance(elements.get_element_type(), ComplexType):
        return None
    number = repeated_number(elements)
    if number is None or number != number:
        return None
    kind = elements.get_element_type()
    return DenseIntOrFPElementsAttr(TensorType(kind, ()), BytesAttr(elements.data.data[: kind.compile_time_size]))


def written_data(elements: Elements) -> str:
    """`dense<...> : type`, for messages."""
    stream = StringIO()
    print_data(Printer(stream), elements)
    return f"{stream.getvalue()} : {elements.get_type()}"


def has_zeros_of_two_signs(elements: Elements) -> bool:
    """Whether all elements are zeros, and not the same."""
    return (
        isinstance(elements.get_element_type(), AnyFloat)
        and not elements.data.data.strip(b"\x00\x80")
        and b"\x00" in elements.data.data
        and b"\x80" in elements.data.data
        and not any(elements.get_values())
        and repeated_number(elements) is None
    )
