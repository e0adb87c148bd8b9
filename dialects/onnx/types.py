"""The types of values in a model of ONNX, as far as MLIR's own do not say them."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float4E2M1FNType,
    Float6E2M3FNType,
    Float6E3M2FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    IntegerType,
    Signedness,
    StringAttr,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def


@irdl_attr_definition
class ValueType(ParametrizedAttribute, TypeAttribute):
    """A value that is not a tensor of numbers, by what ONNX calls its type, or one whose type the model does not say.

    ```mlir
    %s = onnx.SequenceConstruct %x : (tensor<4xf32>) -> !onnx.value<"seq(tensor(float))">
    %l = onnx.SequenceLength %s : (!onnx.value<"seq(tensor(float))">) -> !onnx.value<"">
    ```
    """

    name = "onnx.value"

    described: StringAttr = param_def()


UNKNOWN = ValueType(StringAttr(""))
"""The type of a value of which a model does not say it."""


def _unsigned(width: int) -> IntegerType:
    return IntegerType(width, Signedness.UNSIGNED)


TYPES_BY_NUMBER: dict[int, Attribute] = {
    1: f32,
    2: _unsigned(8),
    3: i8,
    4: _unsigned(16),
    5: i16,
    6: i32,
    7: i64,
    9: i1,
    10: f16,
    11: f64,
    12: _unsigned(32),
    13: _unsigned(64),
    14: ComplexType(f32),
    15: ComplexType(f64),
    16: BFloat16Type(),
    17: Float8E4M3FNType(),
    18: Float8E4M3FNUZType(),
    19: Float8E5M2Type(),
    20: Float8E5M2FNUZType(),
    21: _unsigned(4),
    22: IntegerType(4),
    23: Float4E2M1FNType(),
    24: Float8E8M0FNUType(),
    25: _unsigned(2),
    26: IntegerType(2),
    27: Float6E2M3FNType(),
    28: Float6E3M2FNType(),
}
"""Element types by the numbers of TensorProto.DataType; 8, strings, has none."""
NUMBERS_BY_TYPE: dict[Attribute, int] = {kind: number for number, kind in TYPES_BY_NUMBER.items()}
"""The numbers of TensorProto.DataType by element type."""
