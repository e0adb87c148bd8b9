"""Numbers of four bits and less that lie side by side in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import IntegerAttr, f32, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
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


@irdl_op_definition
class UnpackBytesOp(IRDLOperation):
    """Four unsigned integers of 2 or 4 bits, which are the fields at one place in each byte of a word, as four bytes.

    Field 0 is in the lowest bits of a byte. Of vectors, lane by lane.

    ```mlir
    %b = loop.unpack_bytes %word[1] of 4 : i32
    %v = loop.unpack_bytes %words[3] of 2 : vector<16xi32>
    ```

    Constraints:
      unpack_bytes_c1: fields have 2 or 4 bits
      unpack_bytes_c2: the number is that of a field of a byte
      unpack_bytes_c3: words are i32, scalars or vectors
    """

    name = "loop.unpack_bytes"
    _WORDS: ClassVar = VarConstraint("words", AnyAttr())

    words = operand_def(_WORDS)
    number = prop_def(IntegerAttr.constr(i64))
    bits = prop_def(IntegerAttr.constr(i64))
    result = result_def(_WORDS)

    traits = traits_def(Pure())
    assembly_format = "$words `[` $number `]` `of` $bits attr-dict `:` type($words)"

    def __init__(self, words: SSAValue, number: int, bits: int) -> None:
        properties = {"number": IntegerAttr(number, i64), "bits": IntegerAttr(bits, i64)}
        super().__init__(operands=[words], result_types=[words.type], properties=properties)

    def verify_(self) -> None:
        number, bits = self.number.value.data, self.bits.value.data
        if bits not in (2, 4):
            raise VerifyException(f"loop.unpack_bytes: required fields of 2 or 4 bits, got {bits} (unpack_bytes_c1)")
        if not 0 <= number < 8 // bits:
            required = f"a field from 0 to {8 // bits - 1}"
            raise VerifyException(f"loop.unpack_bytes: required {required}, got {number} (unpack_bytes_c2)")
        if element_type(self.words.type) != i32:
            raise VerifyException(f"loop.unpack_bytes: required words of i32, got {self.words.type} (unpack_bytes_c3)")

    @property
    def mask(self) -> int:
        """The bits of a word that are the lowest fields of its bytes."""
        return ((1 << self.bits.value.data) - 1) * 0x01010101


@evaluates(UnpackBytesOp)
def unpack_bytes(op: UnpackBytesOp, words: Array) -> Array:
    """The fields are shifted to the lowest bits of their bytes, and the others masked."""
    import numpy as np

    return np.asarray((words >> np.int32(op.number.value.data * op.bits.value.data)) & np.int32(op.mask))


@evaluates(UnpackOp)
def unpack(op: UnpackOp, words: Array) -> Array:
    """The number is shifted to the top, and down again with its sign."""
    import numpy as np

    up = 28 - 4 * op.number.value.data
    return np.asarray((words << np.int32(up)) >> np.int32(28)).astype(np.float32)
