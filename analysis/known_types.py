"""What lowerings require of types: known shapes, of elements that mlc computes with."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, ShapedType
from xdsl.ir import Attribute, Operation

from mlc.support.dtypes import NAMES, is_computed, is_supported
from mlc.support.locations import error_at
from mlc.support.types import MOST_ELEMENTS, element_type


def require_known_types(
    root: Operation, may_be_stored: bool = False, but: Callable[[Attribute], bool] = lambda kind: False
) -> None:
    """Check that all tensors and buffers under `root` have known extents and elements that mlc computes with, or, where
    ops take them, types of codes; `but` says of which types something else is made first.

    Extents are positive but for arguments and constants, which need no computing.

    Raises:
        UserError: at the first op with another type of a result or a block argument.
    """
    for op in root.walk():
        arguments = [a for region in op.regions for block in region.blocks for a in block.args]
        for value in (*op.results, *arguments):
            if not isinstance(value.type, ShapedType) or but(value.type):
                continue
            if 0 in value.type.get_shape() and op.operands:
                raise error_at(
                    op,
                    f"'{op.name}' has a value of type {value.type}, which has no elements: there is nothing to "
                    "compute; run fold-empty at the graph level",
                )
            if prod(value.type.get_shape()) > MOST_ELEMENTS:
                raise error_at(op, f"'{op.name}' has a value of type {value.type}: that is more than any memory holds")
            if not (is_supported if may_be_stored else is_computed)(element_type(value.type)):
                raise error_at(
                    op,
                    f"'{op.name}' has a value of type {value.type}: mlc computes with elements of type "
                    f"{NAMES}; insert graph.cast",
                )
            if DYNAMIC_INDEX in value.type.get_shape():
                raise error_at(
                    op,
                    f"'{op.name}' has a value of type {value.type}: code is generated for known shapes; "
                    "write numbers for every '?'",
                )
