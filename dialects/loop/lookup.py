"""Functions of numbers of eight bits, by a table of their 256 results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i8
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

from mlc.support.dtypes import ENTRIES
from mlc.support.semantics import evaluates
from mlc.support.types import element_type

if TYPE_CHECKING:
    from mlc.support.semantics import Array


@irdl_op_definition
class LookupOp(IRDLOperation):
    """The entry of a table that an integer of eight bits names; of vectors lane by lane.

    The bits of the integer, read as an unsigned one, count entries from 0.

    ```mlir
    %y = loop.lookup %x in dense<7> : tensor<256xi8> : i8
    %z = loop.lookup %v in dense<7> : tensor<256xi8> : vector<64xi8>
    ```

    Constraints:
      lookup_c1: the table has 256 entries of i8
      lookup_c2: codes are i8
    """

    name = "loop.lookup"

    T: ClassVar = VarConstraint("T", AnyAttr())

    codes = operand_def(T)
    table = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$codes `in` $table attr-dict `:` type($result)"

    def __init__(self, codes: SSAValue, table: DenseIntOrFPElementsAttr[Any], result_type: Attribute) -> None:
        super().__init__(operands=[codes], result_types=[result_type], properties={"table": table})

    def verify_(self) -> None:
        if self.table.type != TensorType(i8, [ENTRIES]):
            raise VerifyException(
                f"loop.lookup: required a table of tensor<{ENTRIES}xi8>, got {self.table.type} (lookup_c1)"
            )
        if element_type(self.codes.type) != i8:
            raise VerifyException(f"loop.lookup: required codes of i8, got {self.codes.type} (lookup_c2)")


@evaluates(LookupOp)
def lookup(op: LookupOp, codes: Array) -> Array:
    """An index for each code."""
    import numpy as np

    table = np.array(list(cast(Any, op.table).get_values()), np.int64).astype(codes.dtype)
    return table[codes.view(np.uint8)]
