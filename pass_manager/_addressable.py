"""What a module that comes in has to fulfil before passes compute sizes: memory can hold its values."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.ir import Attribute

from mlc.support.locations import error_at
from mlc.support.types import MOST_ELEMENTS


def require_addressable(module: ModuleOp) -> None:
    """Check that no value has more elements than any memory holds, whose number a pass could not even write down.

    Raises:
        UserError: at the first op with a result or a block argument that has.
    """
    seen: set[Attribute] = set()
    for op in module.walk():
        arguments = [a for region in op.regions for block in region.blocks for a in block.args]
        for value in (*op.results, *arguments):
            kind = value.type
            if isinstance(kind, ShapedType) and kind not in seen:
                if prod(n for n in kind.get_shape() if n >= 0) > MOST_ELEMENTS:
                    raise error_at(op, f"'{op.name}' has a value of type {kind}: that is more than any memory holds")
                seen.add(kind)
