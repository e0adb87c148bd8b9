"""Numbers of four bits that lie side by side in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerAttr, f32, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AnyAttr, IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.arith.lanes import mask_of
from mlc.support.semantics import evaluates
from mlc.support.types import element_type

if TYPE_CHECKING:
    from mlc.support.semantics import Array

PER_WORD = 8
"""How many numbers of four bits a word of 32 bits holds."""
LEAST, MOST = -8, 7
"""The signed integers of four bits."""


@irdl_op_definition
class UnpackOp(IRDLOperation):
    """One of the eight signed integers of four bits in a word, as a float; of vectors lane by lane.

    Number 0 is in the lowest bits.

    ```mlir
    %f = loop.unpack %word[3] : i32 to f32
    %g = loop.unpack %words[0] : vector<16xi32> to vector<16xf32>
    ```

    Constraints:
      unpack_c1: the number is one of 0 to 7
      unpack_c2: words are i32 and become f32, scalars or vectors of as many lanes
    """

    name = "loop.unpack"

    words = operand_def(AnyAttr())
    number = prop_def(IntegerAttr.constr(i64))
    result = result_def(AnyAttr())

    traits = traits_def(Pure())
    assembly_format = "$words `[` $number `]` attr-dict `:` type($words) `to` type($result)"

    def __init__(self, words: SSAValue, number: int, result_type: Attribute) -> None:
        super().__init__(operands=[words], result_types=[result_type], properties={"number": IntegerAttr(number, i64)})

    def verify_(self) -> None:
        if not 0 <= self.number.value.data < PER_WORD:
            raise VerifyException(
                f"loop.unpack: required a number from 0 to 7, got {self.number.value.data} (unpack_c1)"
            )
        kinds = self.words.type, self.result.type
        if tuple(map(element_type, kinds)) != (i32, f32) or mask_of(kinds[0]) != mask_of(kinds[1]):
            raise VerifyException(
                f"loop.unpack: required words of i32 and as many f32, got {kinds[0]} and {kinds[1]} (unpack_c2)"
            )


@evaluates(UnpackOp)
def unpack(op: UnpackOp, words: Array) -> Array:
    """The number is shifted to the top, and down again with its sign."""
    import numpy as np

    up = 28 - 4 * op.number.value.data
    return np.asarray((words << np.int32(up)) >> np.int32(28)).astype(np.float32)
