"""How far a pass may move what floats are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rounding:
    """How far a transformation of floats may move them."""

    ulps: float
    """Units in the last place by which the result of one op may move; those of a sum's terms are the measure for a sum,
    which may take its terms in any order."""
    why: str
    skips_zeros: bool = False
    """Whether products with zeros that are padding may be left out, or put in. They are NaN if the other factor is
    infinite or NaN, so that what was NaN may become a number and the other way round."""

    finite_only: bool = False
    """Whether what holds for finite numbers is all that is kept: any value may take the place of an infinity or NaN,
    and an overflow may come or go."""

    def __add__(self, other: Rounding | None) -> Rounding:
        """How far two transformations may move floats, one after the other."""
        if other is None:
            return self
        skips_zeros, finite_only = self.skips_zeros or other.skips_zeros, self.finite_only or other.finite_only
        return Rounding(self.ulps + other.ulps, other.why, skips_zeros, finite_only)
