"""Changing a tensor at places that are data."""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.tensor.places import PlacedOp, expect_shape
from mlc.dialects.tensor.structured import REDUCTIONS, check_elements, combine
from mlc.support.types import element_type, tensor_type

COMBINING = ("set", *REDUCTIONS)


@irdl_op_definition
class PutOp(PlacedOp):
    """Scatter: a copy of `data` with an update combined in at each point: `y[indices[m], n] += updates[m, n]`.

    The kind is `set`, or how a reduction combines: add, mul, max, min, maxnum, maxui or minui. Points follow each
    other in row-major order, so that of several at one place the last one is `set`. A negative coordinate counts from
    the end; a point that has a coordinate out of range changes nothing.

    ```mlir
    %y = tensor.put add %updates into %data[i, n] at (i = %indices[m]) over (m: 16, n: 64)
       : tensor<16x64xf32>, tensor<1000x64xf32>, tensor<16xi64> -> tensor<1000x64xf32>
    ```

    Constraints, beyond those of places:
      put_c1: the kind is set, add, mul, max, min, maxnum, maxui or minui
      put_c2: the updates have the sizes of the dims and the element type of `data`
      put_c3: the result has the type of `data`
      put_c4: maxui and minui are of integers, maxnum is of floats
    """

    name = "tensor.put"

    kind = prop_def(StringAttr)
    updates = operand_def(TensorType)

    def __init__(
        self,
        kind: str,
        updates: SSAValue,
        data: SSAValue,
        place: Sequence[AffineExpr],
        coordinates: Sequence[tuple[str, SSAValue, Sequence[AffineExpr]]],
        dims: Sequence[tuple[str, int]],
    ) -> None:
        """
        Args:
            kind: one of `COMBINING`.
            updates: one for each point.
            data: what is changed.
            place: its subscripts, over the dims and then the coordinates.
            coordinates: names, index tensors, and where these are read, over the dims.
            dims: names and sizes; they index the updates in order.
        """
        places = self.properties_of(place, [(name, row) for name, _, row in coordinates], dims)
        super().__init__(
            operands=[updates, data, [indices for _, indices, _ in coordinates]],
            result_types=[data.type],
            properties={"kind": StringAttr(kind), **places},
        )

    def emit_update(self, stored: SSAValue, update: SSAValue) -> tuple[list[Operation], SSAValue]:
        """The scalar ops that combine an update into the element that is there, and the new element."""
        if self.kind.data == "set":
            return [], update
        op = combine(self.kind.data, stored, update)
        return [op], op.results[0]

    def verify_(self) -> None:
        super().verify_()
        if self.kind.data not in COMBINING:
            raise VerifyException(
                f"tensor.put: unknown kind '{self.kind.data}', required one of {', '.join(COMBINING)} (put_c1)"
            )
        expect_shape(self, "the updates are", tensor_type(self.updates), "put_c2")
        if self.result.type != self.data.type:
            raise VerifyException(
                f"tensor.put: the result type is {self.result.type}, required {self.data.type} (put_c3)"
            )
        check_elements(self, self.kind.data, element_type(self.data.type), "put_c4")

    @classmethod
    def parse(cls, parser: Parser) -> "PutOp":
        kind = parser.parse_identifier("what becomes of an element")
        updates = parser.parse_unresolved_operand()
        parser.parse_keyword("into")
        data, indices, properties, attributes = cls.parse_places(parser)
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation("->")
        return cls.create(
            operands=parser.resolve_operands([updates, data, *indices], types, position),
            result_types=[parser.parse_type()],
            properties={"kind": StringAttr(kind), **properties},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} ")
        printer.print_ssa_value(self.updates)
        printer.print_string(" into ")
        self.print_places(printer)
        printer.print_string(" : ")
        printer.print_list(self.operands, lambda v: printer.print_attribute(v.type))
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)
