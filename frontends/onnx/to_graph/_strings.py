"""Nodes that would have to compute with strings: their attributes say so, whatever the shapes are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute

from mlc.dialects.onnx.nodes import plain_value
from mlc.dialects.onnx.ops import OnnxOp

ADVICE = "with which mlc does not compute; let the model have integers in their place, and look the strings up outside"
_STRING = 8
"""The number of strings in TensorProto.DataType."""


def strings_in(op: OnnxOp) -> str | None:
    """Where a node makes strings or compares with them, and what to do about it; None if it does neither."""
    to = op.attributes.get("to")
    if op.OP_TYPE in ("Cast", "BitCast") and to is not None and plain_value(to) == _STRING:
        return f"it converts to strings, {ADVICE}"
    for name, value in op.attributes.items():
        # Only the first result of a classifier has its labels; those of ZipMap are names of columns.
        is_unused = name.startswith("classlabels_") and (op.OP_TYPE == "ZipMap" or op.results[0].first_use is None)
        if _are_strings(name, value) and not is_unused:
            return f"the elements of '{name}' are strings, {ADVICE}"
    return None


def _are_strings(name: str, value: Attribute) -> bool:
    """Whether an attribute holds strings that are data; there are lists of other words, names of functions, say."""
    if isinstance(value, StringAttr):
        return name == "value_string"
    is_data = name == "value" or name.endswith(("_strings", "_tensor"))
    return isinstance(value, ArrayAttr) and is_data and len(cast(Sequence[Attribute], value)) > 0
