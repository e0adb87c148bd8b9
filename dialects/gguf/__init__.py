"""The gguf dialect: a language model in a file, as one op that its architecture takes apart.

```mlir
%logits, %hidden, %keys, %values = gguf.decode "model.gguf"(%tokens, %position, %count, %k, %v)
    : (tensor<1x16xi64>, tensor<i64>, tensor<i64>, tensor<3x64x512xf32>, tensor<3x512x64xf32>)
    -> (tensor<1x49152xf32>, tensor<1x576xf32>, tensor<3x64x512xf32>, tensor<3x512x64xf32>)
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class DecodeOp(IRDLOperation):
    """The logits after some tokens, given keys and values of those before.

    `tokens` are `[1, n]`, of which `count` are data; the first stands at `position`. A layer has two
    caches, of keys `[heads, size, places]` and of values `[heads, places, size]`; they come back with those of the new
    tokens in them. `hidden` is the state after the last token, of which logits are products.

    ```mlir
    %logits, %hidden, %keys, %values = gguf.decode "model.gguf"(%tokens, %position, %count, %k, %v)
        : (tensor<1x16xi64>, tensor<i64>, tensor<i64>, tensor<3x64x512xf32>, tensor<3x512x64xf32>)
        -> (tensor<1x49152xf32>, tensor<1x576xf32>, tensor<3x64x512xf32>, tensor<3x512x64xf32>)
    ```
    """

    name = "gguf.decode"

    file = prop_def(StringAttr)
    tokens = operand_def(TensorType)
    position = operand_def(TensorType)
    count = operand_def(TensorType)
    caches = var_operand_def(TensorType)
    logits = result_def(TensorType)
    hidden = result_def(TensorType)
    new_caches = var_result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$file `(` operands `)` attr-dict `:` functional-type(operands, results)"
    FIXED: ClassVar[int] = 3
    """How many operands stand before the caches."""

    def __init__(self, file: str, operands: Sequence[SSAValue], logits: Attribute, hidden: Attribute) -> None:
        super().__init__(
            operands=[*operands[: self.FIXED], operands[self.FIXED :]],
            properties={"file": StringAttr(file)},
            result_types=[logits, hidden, [each.type for each in operands[self.FIXED :]]],
        )


Gguf = Dialect("gguf", [DecodeOp])

__all__ = ["DecodeOp", "Gguf"]
