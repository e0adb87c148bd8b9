"""Dot products of short numbers that lie side by side in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, UnitAttr, VectorType, f32, i8, i16, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.support.dtypes import HALVES, unsigned
from mlc.support.types import element_type, vector_type

Array = NDArray[Any]
ui8, ui16 = unsigned(i8), unsigned(i16)
WORD_BITS = 32
"""The width of a word, which is that of a sum: lanes of words and lanes of sums are the same lanes."""
LONG_WORD_BITS = 64
"""The width of a long word: a vector of them takes two registers for one of sums."""
WORDS: dict[int, IntegerType] = {WORD_BITS: i32, LONG_WORD_BITS: i64}
"""The types of words, by their width."""
SHORT_INTEGERS: tuple[Attribute, ...] = (i8, ui8, i16, ui16)
SHORT_TYPES = (*SHORT_INTEGERS, *HALVES)
"""The types of numbers of which words are made."""


def per_word(element: Attribute, bits: int = WORD_BITS) -> int:
    """How many numbers of a type a word of `bits` holds."""
    return bits // element.bitwidth  # pyright: ignore


def sums_fit_in_i16(weights: Array, axis: int) -> bool:
    """Whether any bytes times neighbours along an axis, in pairs, have sums that fit in i16. The bytes are ui8 for
    weights of i8, and i8 for those of ui8.

    Proof: a sum is greatest where the greatest byte stands beside each positive weight and the least one beside others,
    and least the other way round.
    """
    if weights.dtype.name not in ("int8", "uint8") or weights.shape[axis] % 2:
        return False
    first, second = (np.take(weights, range(at, weights.shape[axis], 2), axis).astype(np.int32) for at in (0, 1))
    of_positive = (np.maximum(first, 0) + np.maximum(second, 0)).max(initial=0)
    of_negative = (np.minimum(first, 0) + np.minimum(second, 0)).min(initial=0)
    most, least = (255, 0) if weights.dtype == np.int8 else (127, -128)
    fits = most * of_positive + least * of_negative < 1 << 15
    return bool(fits and most * of_negative + least * of_positive >= -(1 << 15))


def problem_of_types(lhs: Attribute, rhs: Attribute) -> str | None:
    """Why numbers of two types are not multiplied in words; None if they are."""
    is_group = any(lhs in group and rhs in group for group in (SHORT_INTEGERS, HALVES))
    if is_group and per_word(lhs) == per_word(rhs):
        return None
    return f"required numbers of one width, of i8, ui8, i16, ui16, bf16 or f16, got {lhs} and {rhs}"


class WordProductOp(IRDLOperation):
    """What ops have in common that add products of numbers in words to sums."""

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, accumulator: SSAValue, lhs_type: Attribute, rhs_type: Attribute
    ) -> None:
        """
        Args:
            lhs: words of numbers of the type `lhs_type`.
            rhs: words of numbers of the type `rhs_type`.
            accumulator: the sums so far.
        """
        super().__init__(
            operands=[lhs, rhs, accumulator],
            result_types=[accumulator.type],
            properties={"lhs_type": lhs_type, "rhs_type": rhs_type},
        )


@irdl_op_definition
class DotOp(WordProductOp):
    """Adds the dot product of the numbers in two words to a sum; of vectors lane by lane.

    A word has 32 bits: four integers of 8 bits or two numbers of 16, the first in the lowest bits. A long one has 64,
    and twice as many numbers. Integers are added up in i32 and wrap; floats in f32, one after the other.

    ```mlir
    %s = loop.dot %a, %b, %acc of ui8, i8 : i32, i32
    %t = loop.dot %u, %v, %sums of bf16, bf16 : vector<16xi32>, vector<16xf32>
    %r = loop.dot %c, %d, %t of bf16, bf16 : vector<16xi64>, vector<16xf32>
    %q = loop.dot %a, %b, %acc of ui8, i8 in_i16 : i32, i32
    ```

    With `in_i16` the sums of the first two products of each word, and of the last two, are known to fit in i16, so that
    instructions may saturate there.

    Constraints:
      dot_c1: both words hold as many numbers, of i8, ui8, i16, ui16, bf16 or f16
      dot_c2: words are i32 or i64; sums are i32 for integers and f32 for floats
      dot_c3: words and sums are scalars, or vectors of as many lanes
      dot_c4: sums in i16 are those of four bytes, one with a sign and one without
    """

    name = "loop.dot"
    _WORDS: ClassVar = VarConstraint("words", AnyAttr())
    _SUMS: ClassVar = VarConstraint("sums", AnyAttr())

    lhs = operand_def(_WORDS)
    rhs = operand_def(_WORDS)
    accumulator = operand_def(_SUMS)
    lhs_type = prop_def()
    rhs_type = prop_def()
    in_i16 = opt_prop_def(UnitAttr)
    result = result_def(_SUMS)

    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `,` $accumulator `of` $lhs_type `,` $rhs_type (`in_i16` $in_i16^)? attr-dict "
        "`:` type($lhs) `,` type($accumulator)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        accumulator: SSAValue,
        lhs_type: Attribute,
        rhs_type: Attribute,
        *,
        in_i16: bool = False,
    ) -> None:
        """
        Args:
            lhs: words of numbers of the type `lhs_type`.
            rhs: words of numbers of the type `rhs_type`.
            accumulator: the sums so far.
            in_i16: whether sums of two neighbouring products fit in i16.
        """
        super().__init__(lhs, rhs, accumulator, lhs_type, rhs_type)
        if in_i16:
            self.in_i16 = UnitAttr()

    def verify_(self) -> None:
        if (problem := problem_of_types(self.lhs_type, self.rhs_type)) is not None:
            raise VerifyException(f"loop.dot: {problem} (dot_c1)")
        words, sums = self.lhs.type, self.accumulator.type
        required = i32 if self.lhs_type in SHORT_INTEGERS else f32
        if element_type(words) not in (i32, i64) or element_type(sums) != required:
            raise VerifyException(
                f"loop.dot: required words of i32 or i64 and sums of {required}, got {words} and {sums} (dot_c2)"
            )
        if _lanes(words) != _lanes(sums):
            raise VerifyException(f"loop.dot: {words} and {sums} have other lanes (dot_c3)")
        if self.in_i16 is not None and {self.lhs_type, self.rhs_type} != {i8, ui8}:
            raise VerifyException(
                f"loop.dot: required ui8 and i8 for sums in i16, got {self.lhs_type} and {self.rhs_type} (dot_c4)"
            )


@irdl_op_definition
class WordOp(IRDLOperation):
    """Puts short numbers side by side in a word of 32 bits, the first in the lowest bits; of vectors lane by lane.

    Four numbers of 8 bits, or two of 16.

    ```mlir
    %w = loop.word %a, %b, %c, %d : i8, i8, i8, i8 -> i32
    %v = loop.word %x, %y : vector<16xbf16>, vector<16xbf16> -> vector<16xi32>
    ```

    Constraints:
      word_c1: numbers have one type, and fill a word: four of i8, or two of i16, bf16 or f16
      word_c2: words are i32, as many as there are numbers beside each other
    """

    name = "loop.word"
    numbers = var_operand_def()
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "$numbers attr-dict `:` type($numbers) `->` type($result)"

    def __init__(self, numbers: Sequence[SSAValue]) -> None:
        """
        Args:
            numbers: as many as a word holds, all of one type.
        """
        kind = vector_type(numbers[0].type)
        words: Attribute = i32 if kind is None else VectorType(i32, kind.get_shape())
        super().__init__(operands=[numbers], result_types=[words])

    def verify_(self) -> None:
        kinds = [v.type for v in self.numbers]
        is_one = len(set(kinds)) == 1 and element_type(kinds[0]) in SHORT_TYPES
        if not is_one or len(kinds) != per_word(element_type(kinds[0])):
            raise VerifyException(
                f"loop.word: required four numbers of i8, or two of i16, bf16 or f16, "
                f"got {', '.join(map(str, kinds)) or 'none'} (word_c1)"
            )
        if element_type(self.result.type) != i32 or _lanes(self.result.type) != _lanes(kinds[0]):
            raise VerifyException(
                f"loop.word: required a word of i32 for each of {kinds[0]}, got {self.result.type} (word_c2)"
            )


def _lanes(kind: Attribute) -> tuple[int, ...]:
    return () if (found := vector_type(kind)) is None else tuple(found.get_shape())
