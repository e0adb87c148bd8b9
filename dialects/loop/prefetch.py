"""Asking for memory ahead of time."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, AffineMapAttr, IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.loop.memory import SubscriptedOp, parse_memref_type

SECOND_CACHE = 2
"""The level that is meant if none is named: the first cache has no room for what is needed later."""
CACHE_LEVELS = range(1, 4)
"""The caches that may be asked for."""


@irdl_op_definition
class PrefetchOp(SubscriptedOp):
    """Asks for the cache line of an element that is to be read soon, into the second cache, or that of another level.

    ```mlir
    loop.prefetch %w[%n + 1, %k, 16] : memref<25x784x80xf32>
    loop.prefetch %x[%m + 2, %n] to 1 : memref<512x1024xf32>
    ```

    It changes nothing but the time that the load takes. The element need not exist: where subscripts lie beyond their
    dims, the address is what they say, row-major, and memory that is not there is not asked for.

    Constraints, beyond those of subscripts:
      prefetch_c1: the level is 1, 2 or 3
    """

    name = "loop.prefetch"
    level = prop_def(IntegerAttr[I64])

    def __init__(
        self, memref: SSAValue, indices: Sequence[SSAValue], map: AffineMap | None = None, level: int = SECOND_CACHE
    ) -> None:
        """
        Args:
            memref: where the element is.
            indices: values for the subscripts.
            map: the subscripts; by default the values.
            level: the cache, from 1.
        """
        affine = map or AffineMap.identity(len(indices))
        properties = {"map": AffineMapAttr(affine), "level": IntegerAttr(level, i64)}
        super().__init__(operands=[memref, indices], properties=properties)

    def verify_(self) -> None:
        super().verify_()
        if self.level.value.data not in CACHE_LEVELS:
            raise VerifyException(
                f"loop.prefetch: found a cache of level {self.level.value.data}, required 1, 2 or 3 (prefetch_c1)"
            )

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        memref, indices, affine = cls.parse_access(parser)
        level = parser.parse_integer() if parser.parse_optional_keyword("to") else SECOND_CACHE
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(memref, parse_memref_type(parser)), indices, affine.data, level)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_access(printer)
        if self.level.value.data != SECOND_CACHE:
            printer.print_string(f" to {self.level.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)
