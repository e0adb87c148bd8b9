"""Products of matrices of short numbers that lie side by side in words."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.loop.dot import SHORT_INTEGERS, WordProductOp, problem_of_types
from mlc.support.types import vector_type


@irdl_op_definition
class MmaOp(WordProductOp):
    """Multiplies two matrices of short numbers and adds the product to a third (matrix multiply-accumulate).

    Each element of the result is what `loop.dot` adds up of a row of words and a column of words: a word has 32 bits,
    and the numbers in it follow each other along the dim that is reduced. Integers are added up in i32 and wrap;
    floats in f32.

    ```mlir
    %c = loop.mma %a, %b, %acc of ui8, i8 : vector<16x16xi32>, vector<16x16xi32>, vector<16x16xi32>
    %d = loop.mma %u, %v, %sums of bf16, bf16 : vector<14x4xi32>, vector<4x16xi32>, vector<14x16xf32>
    ```

    Constraints:
      mma_c1: both matrices hold numbers of one width, of i8, ui8, i16, ui16, bf16 or f16
      mma_c2: words are i32; sums are i32 for integers and f32 for floats
      mma_c3: a matrix of rows x words times one of words x columns is added to one of rows x columns
    """

    name = "loop.mma"

    _SUMS: ClassVar = VarConstraint("sums", AnyAttr())

    lhs = operand_def()
    rhs = operand_def()
    accumulator = operand_def(_SUMS)
    lhs_type = prop_def()
    rhs_type = prop_def()
    result = result_def(_SUMS)

    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `,` $accumulator `of` $lhs_type `,` $rhs_type attr-dict "
        "`:` type($lhs) `,` type($rhs) `,` type($accumulator)"
    )

    @property
    def dims(self) -> tuple[int, int, int]:
        """How many rows, columns and words along the reduction."""
        rows, words = _shape(self.lhs)
        return rows, _shape(self.rhs)[1], words

    def verify_(self) -> None:
        if (problem := problem_of_types(self.lhs_type, self.rhs_type)) is not None:
            raise VerifyException(f"loop.mma: {problem} (mma_c1)")
        sums = i32 if self.lhs_type in SHORT_INTEGERS else f32
        operands = (self.lhs, self.rhs, self.accumulator)
        shaped = [vector_type(v.type) for v in operands]
        found = ", ".join(str(v.type) for v in operands)
        if [kind and kind.element_type for kind in shaped] != [i32, i32, sums]:
            raise VerifyException(f"loop.mma: required matrices of i32, i32 and {sums}, got {found} (mma_c2)")
        shapes = [kind.get_shape() for kind in shaped if kind is not None]
        fits = all(len(shape) == 2 for shape in shapes)
        if fits:
            (rows, words), (depth, columns), sums_shape = shapes
            fits = words == depth and tuple(sums_shape) == (rows, columns)
        if not fits:
            raise VerifyException(
                f"loop.mma: required rows x words, words x columns and rows x columns, got {found} (mma_c3)"
            )


def _shape(value: SSAValue) -> tuple[int, int]:
    kind = vector_type(value.type)
    assert kind is not None
    first, second = kind.get_shape()
    return first, second
