"""Products of short numbers in long words: each word of a vector with each word of another one."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import f32, i32, i64
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
from mlc.support.types import element_type, vector_type


@irdl_op_definition
class OuterDotOp(WordProductOp):
    """Adds the dot products of each word of a vector with each word of another one to sums.

    Words are those of `loop.dot`, long ones. The sums of the first word of the first vector, a row, come first:
    `sums[i * columns + j] += lhs[i] . rhs[j]`, as an outer product has it.

    ```mlir
    %p = loop.outer_dot %a, %b, %acc of ui8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
    ```

    Constraints:
      outer_dot_c1: both words hold as many numbers, of i8, ui8, i16, ui16, bf16 or f16
      outer_dot_c2: words are i64; sums are i32 for integers and f32 for floats
      outer_dot_c3: there is a sum for each word of the first vector and each word of the second one
    """

    name = "loop.outer_dot"
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

    def verify_(self) -> None:
        if (problem := problem_of_types(self.lhs_type, self.rhs_type)) is not None:
            raise VerifyException(f"loop.outer_dot: {problem} (outer_dot_c1)")
        kinds = [v.type for v in self.operands]
        sums = i32 if self.lhs_type in SHORT_INTEGERS else f32
        found = ", ".join(map(str, kinds))
        if [element_type(kind) for kind in kinds] != [i64, i64, sums]:
            raise VerifyException(
                f"loop.outer_dot: required words of i64 and sums of {sums}, got {found} (outer_dot_c2)"
            )
        shapes = [kind.get_shape() for v in self.operands if (kind := vector_type(v.type)) is not None]
        if [len(shape) for shape in shapes] != [1, 1, 1] or shapes[0][0] * shapes[1][0] != shapes[2][0]:
            raise VerifyException(
                f"loop.outer_dot: required vectors of words, and a sum for each two of them, got {found} (outer_dot_c3)"
            )
