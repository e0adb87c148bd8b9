"""Reading a tensor at places that are data, which no affine index map can say."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.dialects.tensor.places import PlacedOp, expect_shape
from mlc.support.types import tensor_type


@irdl_op_definition
class TakeOp(PlacedOp):
    """Gather: reads elements at places that index tensors hold: `y[b, m, n] = data[b, indices[m], n]`.

    A negative coordinate counts from the end, and one that is out of range counts as the nearest that is not, so that
    nothing outside of `data` is ever read. A coordinate that inner dims do not change is read once for all of them.

    ```mlir
    %y = tensor.take %data[b, i, n] at (i = %indices[m]) over (b: 1, m: 16, n: 64)
       : tensor<1x1000x64xf32>, tensor<16xi64> -> tensor<1x16x64xf32>
    ```

    Constraints, beyond those of places:
      take_c1: the result has the sizes of the dims and the element type of `data`
    """

    name = "tensor.take"

    def __init__(
        self,
        data: SSAValue,
        place: Sequence[AffineExpr],
        coordinates: Sequence[tuple[str, SSAValue, Sequence[AffineExpr]]],
        dims: Sequence[tuple[str, int]],
    ) -> None:
        """
        Args:
            data: what is read.
            place: its subscripts, over the dims and then the coordinates.
            coordinates: names, index tensors, and where these are read, over the dims.
            dims: names and sizes; they index the result in order.
        """
        result = TensorType(tensor_type(data).element_type, [size for _, size in dims])
        super().__init__(
            operands=[data, [indices for _, indices, _ in coordinates]],
            result_types=[result],
            properties=self.properties_of(place, [(name, row) for name, _, row in coordinates], dims),
        )

    def verify_(self) -> None:
        super().verify_()
        expect_shape(self, "the result type is", tensor_type(self.result), "take_c1")

    @classmethod
    def parse(cls, parser: Parser) -> "TakeOp":
        data, indices, properties, attributes = cls.parse_places(parser)
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation("->")
        operands = parser.resolve_operands([data, *indices], types, position)
        return cls.create(
            operands=operands, result_types=[parser.parse_type()], properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_places(printer)
        printer.print_string(" : ")
        printer.print_list(self.operands, lambda v: printer.print_attribute(v.type))
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)
