"""A tensor of elements that are computed from their positions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, result_def, traits_def, var_operand_def
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import tensor_type


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """The element at a position is what the body makes of it: spelled as upstream spells it.

    ```mlir
    %y = tensor.generate {
    ^bb0(%i: index, %j: index):
      %0 = arith.addi %i, %j : index
      tensor.yield %0 : index
    } : tensor<4x8xindex>
    ```

    Constraints:
      generate_c1: there is an operand for each extent that the type leaves open
      generate_c2: the body takes a position for each dim
      generate_c3: the body yields an element
    """

    name = "tensor.generate"

    extents = var_operand_def(IndexType)
    result = result_def(TensorType)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())
    assembly_format = "$extents $body attr-dict `:` type($result)"

    def __init__(self, extents: Sequence[SSAValue], body: Region, result: Attribute) -> None:
        super().__init__(operands=[extents], result_types=[result], regions=[body])

    def verify_(self) -> None:
        kind, block = tensor_type(self.result), self.body.block
        missing = list(kind.get_shape()).count(DYNAMIC_INDEX)
        if len(self.extents) != missing:
            raise VerifyException(
                f"{self.name}: found {len(self.extents)} extents; {kind} leaves {missing} open (generate_c1)"
            )
        if list(block.arg_types) != [IndexType()] * kind.get_num_dims():
            found = ", ".join(map(str, block.arg_types))
            raise VerifyException(
                f"{self.name}: the body takes ({found}); required: an index for each dim of {kind} (generate_c2)"
            )
        last = block.last_op
        yielded = [v.type for v in last.operands] if last is not None else []
        if last is None or last.name != "tensor.yield" or yielded != [kind.element_type]:
            found = ", ".join(map(str, yielded))
            raise VerifyException(
                f"{self.name}: the body yields ({found}); required: tensor.yield of {kind.element_type} (generate_c3)"
            )
