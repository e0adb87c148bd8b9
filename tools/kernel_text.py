"""A kernel as people read it."""

from __future__ import annotations

import io
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.printer import Printer

from mlc.support.ir import clone
from mlc.support.types import repeated_number

_SHOWN = 16
"""The most elements of a constant that are printed."""


def text_of(kernel: FuncOp) -> str:
    """The kernel in pretty form, without its schedule."""
    stream = io.StringIO()
    PrinterWithoutData(stream).print_op(without_schedule(kernel))
    return stream.getvalue()


def without_schedule(kernel: FuncOp) -> FuncOp:
    """A copy of the kernel that has none."""
    copy = clone(kernel)
    assert isinstance(copy, FuncOp)
    copy.attributes.pop("schedule", None)
    return copy


class PrinterWithoutData(Printer):
    """Prints `dense<…>` for constants of many numbers: weights that stand in the text of a model."""

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            dense = cast("DenseIntOrFPElementsAttr[Any]", attribute)
            if len(dense) > _SHOWN and repeated_number(dense) is None:
                self.print_string("dense<…> : ")
                attribute = dense.get_type()
        super().print_attribute(cast(Attribute, attribute))
