"""Which operators of torch mlc converts."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import torch

from mlc.dialects.aten.schemas import DIALECT


@cache
def is_converted(overload: Any) -> bool:
    """Whether there is a pattern for an `OpOverload`."""
    from mlc.passes.aten_to_graph.convert_aten_to_graph import load_patterns

    load_patterns()
    from mlc.passes.aten_to_graph._calls import has_pattern

    is_overload = isinstance(overload, cast(Any, torch)._ops.OpOverload)
    return is_overload and overload.namespace == DIALECT and has_pattern(overload)
