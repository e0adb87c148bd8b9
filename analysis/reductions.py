"""Recognising loops that reduce: what they carry is a sum, a product, a maximum or a minimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Operation, SSAValue

from mlc.analysis.never_nan import is_never_nan
from mlc.dialects.loop import DotOp, ForOp
from mlc.support.types import element_type


@dataclass(frozen=True)
class Combination:
    """How an op combines the carried value with one more."""

    accumulators: tuple[int, ...]
    """Where the carried value may stand among its operands."""
    reduction: str
    """What it computes, which tells the value that changes nothing."""
    kind: CombiningKindFlag
    pair: Callable[[SSAValue, SSAValue], Operation]
    """The op that combines two results."""


def _sum(a: SSAValue, b: SSAValue) -> Operation:
    """Of integers or of floats."""
    return arith.AddiOp(a, b) if isinstance(element_type(a.type), IntegerType) else arith.AddfOp(a, b)


_EITHER = (0, 1)
COMBINATIONS: dict[type[Operation], Combination] = {
    arith.AddfOp: Combination(_EITHER, "add", CombiningKindFlag.ADD, arith.AddfOp),
    arith.AddiOp: Combination(_EITHER, "add", CombiningKindFlag.ADD, arith.AddiOp),
    arith.MulfOp: Combination(_EITHER, "mul", CombiningKindFlag.MUL, arith.MulfOp),
    arith.MuliOp: Combination(_EITHER, "mul", CombiningKindFlag.MUL, arith.MuliOp),
    arith.MaximumfOp: Combination(_EITHER, "max", CombiningKindFlag.MAXIMUMF, arith.MaximumfOp),
    arith.MaxnumfOp: Combination(_EITHER, "maxnum", CombiningKindFlag.MAXNUMF, arith.MaxnumfOp),
    arith.MaxSIOp: Combination(_EITHER, "max", CombiningKindFlag.MAXSI, arith.MaxSIOp),
    arith.MinimumfOp: Combination(_EITHER, "min", CombiningKindFlag.MINIMUMF, arith.MinimumfOp),
    arith.MinSIOp: Combination(_EITHER, "min", CombiningKindFlag.MINSI, arith.MinSIOp),
    arith.MaxUIOp: Combination(_EITHER, "maxui", CombiningKindFlag.MAXUI, arith.MaxUIOp),
    arith.MinUIOp: Combination(_EITHER, "minui", CombiningKindFlag.MINUI, arith.MinUIOp),
    math.FmaOp: Combination((2,), "add", CombiningKindFlag.ADD, arith.AddfOp),
    DotOp: Combination((2,), "add", CombiningKindFlag.ADD, _sum),
}


@dataclass(frozen=True)
class Reduction:
    """A loop that reduces: the op that combines one more value, and how it does that."""

    combine: Operation
    combination: Combination


def reduction_of(loop: ForOp) -> Reduction | str:
    """The reduction that a serial loop carries in one value; the reason if it does not.

    Partial results that anything else sees, such as a store of the running sum, are no longer free to be other ones.
    """
    return "it does not carry exactly one value" if len(loop.carried) != 1 else reduction_in(loop, 0)


def reduction_in(loop: ForOp, number: int) -> Reduction | str:
    """The reduction that is one of the values that a loop carries; the reason if it is none.

    What is combined may still depend on the other ones.
    """
    combine = loop.yielded[number].owner
    combination = COMBINATIONS.get(type(combine)) if isinstance(combine, Operation) else None
    accumulator = loop.carried[number]
    if (
        combination is None
        or not isinstance(combine, Operation)
        or not any(combine.operands[i] is accumulator for i in combination.accumulators)
    ):
        return "the carried value is not a sum, product, maximum or minimum"
    if accumulator.get_user_of_unique_use() is not combine or combine.results[0].get_user_of_unique_use() is None:
        return "partial results of it are used"
    if combination.reduction == "maxnum" and not is_never_nan(loop.iter_args[number]):
        return "it may start from NaN, which -inf in other partial results would replace"
    return Reduction(combine, combination)
