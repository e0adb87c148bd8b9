"""What lowerings require of shapes."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, ShapedType
from xdsl.ir import Attribute, Operation

from mlc.support.locations import error_at


def require_static_shapes(root: Operation) -> None:
    """Check that no value under `root` has an unknown extent.

    Raises:
        UserError: at the first op with a `?` in the type of a result or a block argument.
    """
    for op in root.walk():
        arguments = [a for region in op.regions for block in region.blocks for a in block.args]
        for value in (*op.results, *arguments):
            if _is_dynamic(value.type):
                raise error_at(
                    op,
                    f"'{op.name}' has a value of type {value.type}: code is generated for known shapes; "
                    "write numbers for every '?'",
                )


def _is_dynamic(attribute: Attribute) -> bool:
    return isinstance(attribute, ShapedType) and DYNAMIC_INDEX in attribute.get_shape()
