"""Buffers that are there before the program starts."""

from typing import cast

from xdsl.dialects.builtin import (
    I64,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.traits import MemoryAllocEffect, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import MemRef, Tensor


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """A buffer with a name, which `memref.get_global` refers to; `uninitialized` is a unit attribute in place of data.

    ```mlir
    "memref.global"() <{sym_name = "w", sym_visibility = "private", type = memref<200xf32>, constant,
                        initial_value = dense_resource<fc1.bias> : tensor<200xf32>, alignment = 64 : i64}> : () -> ()
    ```
    """

    name = "memref.global"
    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def(MemRefType)
    initial_value = opt_prop_def(UnitAttr | DenseIntOrFPElementsAttr | DenseResourceAttr)
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    traits = traits_def(SymbolOpInterface(), MemoryAllocEffect())

    def __init__(
        self,
        name: str,
        kind: MemRef,
        value: DenseIntOrFPElementsAttr | DenseResourceAttr,
        alignment: int,
    ) -> None:
        """A private constant; `alignment` is in bytes."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "sym_visibility": StringAttr("private"),
                "type": kind,
                "initial_value": value,
                "constant": UnitAttr(),
                "alignment": IntegerAttr(alignment, i64),
            }
        )

    def verify_(self) -> None:
        if self.alignment is not None and self.alignment.value.data.bit_count() != 1:
            raise VerifyException(f"memref.global: the alignment must be a power of 2, got {self.alignment.value.data}")
        value: Attribute | None = self.initial_value
        if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            return
        found, buffer = cast(Tensor, value.get_type()), cast(MemRef, self.type)
        if found.get_shape() != buffer.get_shape() or found.element_type != buffer.element_type:
            raise VerifyException(
                f"memref.global: the data has type {found}, the buffer {buffer}; shapes and elements must be equal"
            )
