"""What devices exchange: a program for one device exchanges nothing, and each group of one has its own data only."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr

from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts


@converts("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_broadcast")
def exchange(b: HloCall) -> Converted:
    """The operands: a group of one device exchanges nothing."""
    groups = b.op.properties.get("replica_groups")
    shape = cast(Any, groups).get_shape() if isinstance(groups, DenseIntOrFPElementsAttr) else ()
    if shape[-1:] != (1,):
        _require_one(b)
    return [b.run.number(v) for v in b.op.operands]


@converts("collective_permute")
def permute(b: HloCall) -> Converted:
    """A device to which nobody sends has zeros."""
    _require_one(b)
    pairs = cast("DenseIntOrFPElementsAttr[Any]", b.op.properties["source_target_pairs"])
    return b.run.number(b.op.operands[0]) if list(pairs.get_values()) else b.splat(0, b.shape(), b.element())


@converts("replica_id", "partition_id")
def number(b: HloCall) -> Converted:
    """0, the number of the only device."""
    _require_one(b)
    return b.splat(0, b.shape(), b.element())


def _require_one(b: HloCall) -> None:
    """Raises: Unconvertible if the module is for several devices."""
    if b.run.devices != 1:
        raise Unconvertible(f"it takes part in an exchange between {b.run.devices} devices; mlc compiles for one")
