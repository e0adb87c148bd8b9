"""What `graph.if` and `tensor.if`, and `graph.while` and `tensor.while`, have in common.

Bodies are isolated, for the reasons that `mlc.dialects.scan` gives: values from outside are operands, which each body
takes as arguments.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import AnyTensorTypeConstr, TensorType, i1
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    EqAttrConstraint,
    IRDLOperation,
    VarOperand,
    VarOpResult,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsolatedFromAbove, Pure
from xdsl.utils.exceptions import VerifyException

FLAG: Attribute = TensorType(i1, [])
"""The type of a condition."""


class IfLike(IRDLOperation, ABC):
    """Computes what one of two bodies yields: the first one if a condition holds, else the second."""

    condition = operand_def(EqAttrConstraint(FLAG))
    captured: VarOperand = var_operand_def(AnyTensorTypeConstr)
    outputs: VarOpResult = var_result_def(AnyTensorTypeConstr)
    then: Region = region_def("single_block")
    otherwise: Region = region_def("single_block")

    traits = traits_def(Pure(), IsolatedFromAbove())
    assembly_format = (
        "$condition `using` ` ` `(` $captured `)` `:` `(` type($captured) `)` `->` `(` type($outputs) `)` "
        "$then `else` $otherwise attr-dict"
    )

    def __init__(
        self,
        condition: SSAValue,
        captured: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        then: Region,
        otherwise: Region,
    ) -> None:
        super().__init__(operands=[condition, captured], result_types=[result_types], regions=[then, otherwise])

    def verify_(self) -> None:
        """Check the constraints that the classes list."""
        for word, region in (("first", self.then), ("second", self.otherwise)):
            found, needed = list(region.block.arg_types), list(self.captured.types)
            if found != needed:
                raise VerifyException(
                    f"{self.name}: the {word} body takes {_list(found)}; the operands are {_list(needed)} (if_c1)"
                )
            yielded, results = _yielded(self, region.block, "if_c2"), list(self.outputs.types)
            if yielded != results:
                raise VerifyException(
                    f"{self.name}: the {word} body yields {_list(yielded)}; the results are {_list(results)} (if_c3)"
                )


class WhileLike(IRDLOperation, ABC):
    """Runs a body again and again while what another one computes holds; both know what is carried."""

    initial: VarOperand = var_operand_def(AnyTensorTypeConstr)
    captured: VarOperand = var_operand_def(AnyTensorTypeConstr)
    outputs: VarOpResult = var_result_def(AnyTensorTypeConstr)
    condition: Region = region_def("single_block")
    body: Region = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), IsolatedFromAbove())
    assembly_format = (
        "`carry` ` ` `(` $initial `)` `using` ` ` `(` $captured `)` "
        "`:` `(` type($initial) `)` `,` `(` type($captured) `)` `->` `(` type($outputs) `)` "
        "$condition `do` $body attr-dict"
    )

    def __init__(
        self, initial: Sequence[SSAValue], captured: Sequence[SSAValue], condition: Region, body: Region
    ) -> None:
        types = [v.type for v in initial]
        super().__init__(operands=[initial, captured], result_types=[types], regions=[condition, body])

    def verify_(self) -> None:
        """Check the constraints that the classes list."""
        carried, needed = list(self.initial.types), [*self.initial.types, *self.captured.types]
        for word, region in (("condition", self.condition), ("body", self.body)):
            found = list(region.block.arg_types)
            if found != needed:
                raise VerifyException(
                    f"{self.name}: the {word} takes {_list(found)}; the operands are {_list(needed)} (while_c1)"
                )
        yielded = _yielded(self, self.condition.block, "while_c2")
        if yielded != [FLAG]:
            raise VerifyException(
                f"{self.name}: the condition yields {_list(yielded)}; required: {_list([FLAG])} (while_c3)"
            )
        yielded, results = _yielded(self, self.body.block, "while_c2"), list(self.outputs.types)
        if yielded != carried or results != carried:
            wrong = f"the body yields {_list(yielded)}" if yielded != carried else f"the results are {_list(results)}"
            raise VerifyException(f"{self.name}: {wrong}; what it carries is {_list(carried)} (while_c4)")


def _yielded(op: IRDLOperation, block: Block, constraint: str) -> list[Attribute]:
    last = block.last_op
    if last is None or not last.name.endswith(".yield"):
        raise VerifyException(f"{op.name}: a body does not end in {op.dialect_name()}.yield ({constraint})")
    return [v.type for v in last.operands]


def _list(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"
