"""The products of a model that may be computed in integers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from mlc.dialects.graph import ConstantOp, Conv2dOp, DequantizeOp, MatmulOp, QuantizeOp, constant_of
from mlc.dialects.graph.types import element_of, is_static, shape_of
from mlc.support.errors import UserError
from mlc.support.functions import models_of
from mlc.support.locations import error_at

PRECISION, ERROR = "mlc.precision", "mlc.error"
"""The attributes of a product that say how it is computed, and how far its results then are off."""
INTEGER, FLOAT = "i8", "f32"
"""What `mlc.precision` may say."""


@dataclass(frozen=True)
class Product:
    """A matrix product or a convolution of f32, at the outermost level of a model.

    Attributes:
        stays: whether the model says that it stays in floats.
    """

    op: MatmulOp | Conv2dOp
    stays: bool

    def weights(self, place: int) -> ConstantOp | None:
        """The constant that an operand is, if it is one."""
        return constant_of(self.op.operands[place])

    def inputs(self) -> list[SSAValue]:
        """The operands that are not constants."""
        return [v for place, v in enumerate(self.op.operands) if self.weights(place) is None]

    def has_matrix_of_weights(self) -> bool:
        """Whether the second factor of a matrix product is a constant matrix."""
        weights = self.weights(1)
        return isinstance(self.op, MatmulOp) and weights is not None and len(shape_of(weights.result)) == 2

    def channel_axis(self, place: int) -> int:
        """The axis of an operand along which scales may differ: each of its elements is for one row of the result."""
        is_rows = isinstance(self.op, MatmulOp) and place == 0
        return len(shape_of(self.op.operands[0])) - 2 if is_rows else self.op.output_axis


def function_of(module: ModuleOp) -> FuncOp:
    """The one function that a model is.

    Raises:
        UserError: there are several, or none, or dims are open.
    """
    functions = models_of(module)
    if len(functions) != 1:
        names = ", ".join(f"'{f.sym_name.data}'" for f in functions) or "none"
        raise UserError(f"the model has the functions {names}; required: one; write each into a file of its own")
    for argument in functions[0].args:
        if not is_static(argument.type):
            raise error_at(functions[0], f"an input is {argument.type}; required: known extents (--shape)")
    return functions[0]


def products_of(function: FuncOp) -> list[Product]:
    """The products of a function, in its order.

    Raises:
        UserError: the model is quantised already, or `mlc.precision` says what it cannot say.
    """
    found: list[Product] = []
    for op in function.body.block.ops:
        if isinstance(op, QuantizeOp | DequantizeOp):
            raise error_at(op, f"the model has {op.name} already; required: the model of floats that it was made from")
        if not isinstance(op, MatmulOp | Conv2dOp):
            continue
        said = op.attributes.get(PRECISION)
        if said is not None and said not in (StringAttr(INTEGER), StringAttr(FLOAT)):
            raise error_at(op, f'{PRECISION} is {said}; required: "{INTEGER}" or "{FLOAT}"')
        product = Product(op, said == StringAttr(FLOAT))
        if element_of(op.result) == f32 and product.inputs():
            found.append(product)
    return found
