"""Calls of LLVM's intrinsics by their names."""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_result_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class CallIntrinsicOp(IRDLOperation):
    """A call of an intrinsic of LLVM: xDSL's op, without bundles of operands, as upstream has it in LLVM 19.

    ```mlir
    llvm.func @round(%x: f32) -> f32 {
      %0 = llvm.call_intrinsic "llvm.round.f32"(%x) : (f32) -> f32 {fastmathFlags = #llvm.fastmath<reassoc>}
      llvm.return %0 : f32
    }
    ```

    Constraints:
      call_intrinsic_c1: the name starts with "llvm."
    """

    name = "llvm.call_intrinsic"

    intrin = prop_def(StringAttr)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    args = var_operand_def()
    ress = opt_result_def()

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$intrin `(` $args `)` `:` functional-type($args, results) attr-dict"

    def __init__(self, intrin: str, args: Sequence[SSAValue], result_types: Sequence[Attribute]) -> None:
        super().__init__(operands=[args], result_types=[result_types], properties={"intrin": StringAttr(intrin)})

    def verify_(self) -> None:
        if not self.intrin.data.startswith("llvm."):
            raise VerifyException(
                f'llvm.call_intrinsic: the name starts with "llvm.", got "{self.intrin.data}" (call_intrinsic_c1)'
            )


_ONLY_READ = frozenset({"llvm.x86.tileloadd64"})


def only_reads(op: Operation) -> bool:
    """Whether an op is a call of an intrinsic that reads memory and is known to write none."""
    return isinstance(op, CallIntrinsicOp) and op.intrin.data in _ONLY_READ
