"""Which operators of torch mlc converts."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import torch

from mlc.dialects.aten import op
from mlc.dialects.aten.schemas import DIALECT, op_name
from mlc.passes.aten_to_graph.convert_aten_to_graph import ConvertAtenToGraphPass, load_patterns
from mlc.passes.lowering import lowering_of


@cache
def _load() -> None:
    load_patterns()


def is_converted(overload: Any) -> bool:
    """Whether there is a pattern for an `OpOverload`."""
    if not isinstance(overload, cast(Any, torch)._ops.OpOverload) or overload.namespace != DIALECT:
        return False
    _load()
    name = op_name(overload).removeprefix(f"{DIALECT}.")
    return lowering_of(ConvertAtenToGraphPass.name, op(name)) is not None
