"""What upstream requires of types that are views or slices of others, for tensors and buffers alike."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import MemRef, Tensor

Shaped = MemRef | Tensor


def is_reduced(full: Sequence[tuple[int, int | None]], reduced: Sequence[tuple[int, int | None]]) -> bool:
    """Whether the second are the first without some of size 1. Dims are few: time does not matter."""
    if not full:
        return not reduced
    if reduced and full[0] == reduced[0] and is_reduced(full[1:], reduced[1:]):
        return True
    return full[0][0] == 1 and is_reduced(full[1:], reduced)


def check_groups(name: str, collapsed: Shaped, expanded: Shaped, groups: ArrayAttr[ArrayAttr[IntegerAttr]]) -> None:
    """Require that each dim of the one type is a group of dims of the other with as many elements.

    Raises:
        VerifyException: it is not, in the op of this name.
    """
    numbers = [[i.value.data for i in group] for group in groups]
    if not numbers and any(n != 1 for n in (*expanded.get_shape(), *collapsed.get_shape())):
        raise VerifyException(f"{name}: one element is not a {expanded}")
    if numbers and len(numbers) != collapsed.get_num_dims():
        raise VerifyException(f"{name}: {len(numbers)} groups of dims for {collapsed}")
    if numbers and sum(map(len, numbers)) != expanded.get_num_dims():
        raise VerifyException(f"{name}: the groups have {sum(map(len, numbers))} dims, {expanded} has another number")
    for size, group in zip(collapsed.get_shape(), numbers, strict=False):
        parts = [expanded.get_shape()[i] for i in group]
        whole = DYNAMIC_INDEX if DYNAMIC_INDEX in parts else prod(parts)
        if size != whole:
            raise VerifyException(f"{name}: a dim of {collapsed} is a group of {expanded}, their sizes differ")
