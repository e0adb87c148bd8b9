"""Which operators of torch mlc converts, and how others are taken apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import torch

from mlc.frameworks.torch._factored import FACTORED
from mlc.frontends.torch.to_graph import has_pattern
from mlc.support.torch_namespaces import ATEN

_ALSO_TAKEN_APART = (
    "alpha_dropout", "dist", "grid_sampler_2d", "ldexp", "native_dropout", "nll_loss_backward", "nll_loss_forward",
    "unbind_copy", "upsample_bicubic2d",
)  # fmt: skip
"""Operators that core ATen's table leaves whole."""


@cache
def is_converted(overload: Any) -> bool:
    """Whether there is a pattern for an `OpOverload`."""
    is_overload = isinstance(overload, cast(Any, torch)._ops.OpOverload)
    return is_overload and overload.namespace == ATEN and has_pattern(overload)


@cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """How operators are taken apart that mlc has no pattern for: as core ATen says, and no further."""
    table = dict(cast("dict[Any, Callable[..., Any]]", cast(Any, torch)._decomp.core_aten_decompositions()))
    more = [getattr(cast(Any, torch).ops.aten, name) for name in _ALSO_TAKEN_APART]
    table |= cast(Any, torch)._decomp.get_decompositions(more)
    # What has a pattern stays whole, unless its results depend on strides, which patterns do not see.
    return {op: how for op, how in table.items() if not is_converted(op)} | FACTORED
