"""What can be asked of the values that nodes of `torch.fx` have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute

from mlc.dialects.aten.schemas import torch_package
from mlc.support.functions import DIMS, NAME

_NO_WORD = re.compile(r"[^A-Za-z0-9_$.-]")


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor."""
    return isinstance(value, cast(Any, torch_package()).Tensor)


def is_part(value: Any) -> bool:
    """Whether what an operator gives is a result in IR: a tensor, or one that was not asked for."""
    return value is None or is_tensor(value)


def memory_order(value: Any) -> list[int] | None:
    """The order of dims in which the elements of a tensor are its memory, from the start; None if there is none."""
    order = sorted(range(value.dim()), key=lambda axis: (-value.stride(axis), axis))
    moved = value.permute(order)
    return order if moved.is_contiguous() and moved.storage_offset() == 0 else None


def first_of(value: Any) -> Any:
    """The first of several values; a single one itself."""
    if isinstance(value, list | tuple):
        return next(iter(cast("Sequence[Any]", value)), None)
    return value


def is_symbolic(value: Any) -> bool:
    """Whether it is a number that stands for an extent, or is computed from some."""
    torch = cast(Any, torch_package())
    return isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)


def symbolic_of(value: Any) -> Any:
    """The number that an argument is, if that is what a node gives; else the argument."""
    return value.meta.get("val") if hasattr(value, "meta") and hasattr(value, "target") else value


def is_number(value: Any) -> bool:
    """Whether it is a number, known or symbolic."""
    return isinstance(value, int | float | complex) or is_symbolic(value)


def word(name: str) -> str | None:
    """A name of torch as one of a value in IR."""
    clean = _NO_WORD.sub("_", name)
    return f"v{clean}" if clean[:1].isdigit() else clean or None


def named(name: str, dims: Sequence[str] = ()) -> DictionaryAttr:
    """What callers call an argument or a result, and the dims of it."""
    said: dict[str, Attribute] = {NAME: StringAttr(name)}
    if any(dims):
        said[DIMS] = ArrayAttr([StringAttr(dim) for dim in dims])
    return DictionaryAttr(said)
