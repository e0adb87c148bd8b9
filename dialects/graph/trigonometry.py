"""Sine, cosine and tangent, the hyperbolic functions, and their inverses.

```mlir
%y = graph.atan %x : tensor<64x200xf32>
```

`graph.tanh`, which is an activation before it is anything else, is in `unary.py`.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from mlc.dialects.graph.unary import FloatUnaryOp

__all__ = [
    "AcosOp", "AcoshOp", "AsinOp", "AsinhOp", "AtanOp", "AtanhOp", "CosOp", "CoshOp", "SinOp", "SinhOp", "TanOp"
]  # fmt: skip


@irdl_op_definition
class SinOp(FloatUnaryOp):
    """The sine of an angle in radians.

    ```mlir
    %y = graph.sin %x : tensor<64x200xf32>
    ```
    """

    name = "graph.sin"
    POINT: ClassVar[tuple[str, ...]] = ("math.sin",)


@irdl_op_definition
class CosOp(FloatUnaryOp):
    """The cosine of an angle in radians.

    ```mlir
    %y = graph.cos %x : tensor<64x200xf32>
    ```
    """

    name = "graph.cos"
    POINT: ClassVar[tuple[str, ...]] = ("math.cos",)


@irdl_op_definition
class TanOp(FloatUnaryOp):
    """The tangent of an angle in radians.

    ```mlir
    %y = graph.tan %x : tensor<64x200xf32>
    ```
    """

    name = "graph.tan"
    POINT: ClassVar[tuple[str, ...]] = ("math.tan",)


@irdl_op_definition
class AsinOp(FloatUnaryOp):
    """The angle from -pi/2 to pi/2 whose sine is `x`; NaN beyond -1 and 1.

    ```mlir
    %y = graph.asin %x : tensor<64x200xf32>
    ```
    """

    name = "graph.asin"
    POINT: ClassVar[tuple[str, ...]] = ("math.asin",)


@irdl_op_definition
class AcosOp(FloatUnaryOp):
    """The angle from 0 to pi whose cosine is `x`; NaN beyond -1 and 1.

    ```mlir
    %y = graph.acos %x : tensor<64x200xf32>
    ```
    """

    name = "graph.acos"
    POINT: ClassVar[tuple[str, ...]] = ("math.acos",)


@irdl_op_definition
class AtanOp(FloatUnaryOp):
    """The angle from -pi/2 to pi/2 whose tangent is `x`.

    ```mlir
    %y = graph.atan %x : tensor<64x200xf32>
    ```
    """

    name = "graph.atan"
    POINT: ClassVar[tuple[str, ...]] = ("math.atan",)


@irdl_op_definition
class SinhOp(FloatUnaryOp):
    """The hyperbolic sine `(e^x - e^-x) / 2`.

    ```mlir
    %y = graph.sinh %x : tensor<64x200xf32>
    ```
    """

    name = "graph.sinh"
    POINT: ClassVar[tuple[str, ...]] = ("math.sinh",)


@irdl_op_definition
class CoshOp(FloatUnaryOp):
    """The hyperbolic cosine `(e^x + e^-x) / 2`.

    ```mlir
    %y = graph.cosh %x : tensor<64x200xf32>
    ```
    """

    name = "graph.cosh"
    POINT: ClassVar[tuple[str, ...]] = ("math.cosh",)


@irdl_op_definition
class AsinhOp(FloatUnaryOp):
    """The number whose hyperbolic sine is `x`.

    ```mlir
    %y = graph.asinh %x : tensor<64x200xf32>
    ```
    """

    name = "graph.asinh"
    POINT: ClassVar[tuple[str, ...]] = ("math.asinh",)


@irdl_op_definition
class AcoshOp(FloatUnaryOp):
    """The number from 0 on whose hyperbolic cosine is `x`; NaN below 1.

    ```mlir
    %y = graph.acosh %x : tensor<64x200xf32>
    ```
    """

    name = "graph.acosh"
    POINT: ClassVar[tuple[str, ...]] = ("math.acosh",)


@irdl_op_definition
class AtanhOp(FloatUnaryOp):
    """The number whose hyperbolic tangent is `x`; infinite at -1 and 1, NaN beyond.

    ```mlir
    %y = graph.atanh %x : tensor<64x200xf32>
    ```
    """

    name = "graph.atanh"
    POINT: ClassVar[tuple[str, ...]] = ("math.atanh",)
