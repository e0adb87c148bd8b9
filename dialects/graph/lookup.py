"""Functions of quantised numbers, by a table of their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i8
from xdsl.ir import Attribute
from xdsl.irdl import AttrSetConstraint, irdl_op_definition, operand_def, prop_def

from mlc.dialects.graph.elementwise import ElementwiseOp
from mlc.dialects.graph.types import Tensor, Value, tensor, type_of, violation
from mlc.support.dtypes import ENTRIES, unsigned
from mlc.support.semantics import evaluates

if TYPE_CHECKING:
    from mlc.support.semantics import Array

__all__ = ["CODE_TYPES", "LookupOp"]

CODE_TYPES: frozenset[Attribute] = frozenset({i8, unsigned(i8)})
"""The types of 8 bits, of which a table has as many entries as there are numbers."""


@irdl_op_definition
class LookupOp(ElementwiseOp):
    """For each integer of 8 bits the entry of a table that it names.

    The bits of the integer, read as an unsigned one, count entries from 0: after the entry of 127 follows that of 128,
    or of -128.

    ```mlir
    %y = graph.lookup %x in dense<7> : tensor<256xi8> : tensor<4x8xui8> -> tensor<4x8xi8>
    ```
    """

    name = "graph.lookup"

    input = operand_def(TensorType.constr(AttrSetConstraint(CODE_TYPES)))
    table = prop_def(DenseIntOrFPElementsAttr)

    assembly_format = "$input `in` $table attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, table: DenseIntOrFPElementsAttr[Any]) -> None:
        super().__init__(
            operands=[input], properties={"table": table}, result_types=[self.infer(type_of(input), table)]
        )

    @classmethod
    def infer(cls, input: Tensor, table: DenseIntOrFPElementsAttr[Any]) -> Tensor:
        """The shape of the input, with elements of the table.

        Raises:
            VerifyException: c1 the table is not a vector of 256 integers of 8 bits.
        """
        kind = table.type
        if list(kind.get_shape()) != [ENTRIES] or kind.get_element_type() not in CODE_TYPES:
            raise violation(cls.name, 1, f"the table is {kind}; required: {ENTRIES} integers of 8 bits")
        return tensor(input.get_shape(), kind.get_element_type())

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.table)


@evaluates(LookupOp)
def lookup(op: LookupOp, x: Array) -> Array:
    """An index for each number."""
    import numpy as np

    table = np.array(list(cast(Any, op.table).get_values()), np.int64)
    return table.astype("int8" if op.table.type.get_element_type() == i8 else "uint8")[x.view(np.uint8)]
