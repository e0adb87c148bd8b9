"""What a row costs that is multiplied with short weights in groups, by facts of the machine: as floats, or as integers.

Weights are read either way, and as fast: only arithmetic counts, for which it does not matter how many rows there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.targets.machine import Machine

_SCALING = 3
"""Operations on each vector of sums of a group: a conversion, two scales."""
_LESS = 1
"""One more where something is subtracted."""
_ROUNDING = 12
"""Operations on each vector of a row: its size, the largest one, a division, limits, a conversion, a sum."""
_WIDENING = 2
"""Operations on each vector of weights that become floats: its numbers are cut out of words, and converted."""
_UNPACKING = 3 / 8
"""The same of weights of four bits that become bytes: a shift and two masks for two words of four."""


def integer_weights(machine: Machine, in_fields: bool = False) -> type[np.integer[Any]] | None:
    """The type of weights that a target multiplies with numbers of i8; None if it does so no faster than with floats.

    ui8, unless it has dot products of i8 alone: words of the other factor are read where they lie, and weights do not
    take more instructions for having a sign. With `in_fields` they have four bits: sums of two products fit in i16.
    """
    mixed, same = (machine.dot_instruction(lhs, "i8", machine.vector_bits) for lhs in ("ui8", "i8"))
    is_signed = mixed is None and same is not None
    products = machine.products("i8" if is_signed else "ui8", "i8", in_i16=in_fields)
    if products <= machine.issue.fma_units:
        return None
    return np.int8 if is_signed else np.uint8


@dataclass(frozen=True)
class GroupedProduct:
    """A row of `depth` numbers times as many rows of weights, of which each `group` share a scale for each column."""

    depth: int
    columns: int
    group: int
    has_less: bool
    """Whether something is subtracted of the sums of groups."""
    in_fields: bool = False
    """Whether weights have four bits."""

    def float_cycles(self, machine: Machine) -> float:
        """The cycles of multiplying floats, which weights become."""
        scaling = (1 + self.has_less) / self.group
        each = (1 + scaling) / machine.issue.fma_units + _WIDENING / _ports(machine)
        return self._vectors(machine) * self.depth * each

    def integer_cycles(self, machine: Machine, element: type[np.integer[Any]]) -> float:
        """The cycles of rounding the row, and of multiplying integers with weights of a type."""
        products = machine.products("ui8" if element is np.uint8 else "i8", "i8", in_i16=self.in_fields)
        others = (_SCALING + _LESS * self.has_less) / self.group + _UNPACKING * self.in_fields
        rounding = _ROUNDING * self.depth / machine.lanes(32) / _ports(machine)
        return self._vectors(machine) * self.depth * (1 / products + others / _ports(machine)) + rounding

    def _vectors(self, machine: Machine) -> float:
        return -(-self.columns // machine.lanes(32))


def _ports(machine: Machine) -> float:
    """How many operations on vectors start per cycle."""
    return max(machine.issue.fma_units, machine.issue.adds)
