"""What LLVM's loop passes are told about a loop, on the branch back to its start."""

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, NoneAttr, i32
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer


@irdl_attr_definition
class LoopAnnotationAttr(ParametrizedAttribute):
    """A subset of MLIR's attribute: whether LLVM may vectorise a loop, and how often it must unroll it.

    ```mlir
    llvm.func @wait(%again: i1) {
      llvm.br ^body
    ^body:
      llvm.cond_br %again, ^body, ^exit
          {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 4 : i32>>}
    ^exit:
      llvm.return
    }
    ```

    An unroll count of 1 forbids unrolling.
    """

    name = "llvm.loop_annotation"
    vectorize_disable: BoolAttr | NoneAttr
    unroll_count: IntegerAttr | NoneAttr

    def __init__(self, *, vectorize_disable: bool = False, unroll_count: int | None = None):
        super().__init__(
            BoolAttr.from_bool(True) if vectorize_disable else NoneAttr(),
            NoneAttr() if unroll_count is None else IntegerAttr(unroll_count, i32),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        vectorize: Attribute = NoneAttr()
        unroll: Attribute = NoneAttr()

        def entry() -> None:
            nonlocal vectorize, unroll
            if parser.parse_optional_keyword("vectorize"):
                parser.parse_punctuation("=")
                with parser.in_angle_brackets():
                    parser.parse_keyword("disable")
                    parser.parse_punctuation("=")
                    vectorize = BoolAttr.from_bool(True) if parser.parse_boolean() else NoneAttr()
            else:
                parser.parse_keyword("unroll")
                parser.parse_punctuation("=")
                with parser.in_angle_brackets():
                    parser.parse_keyword("count")
                    parser.parse_punctuation("=")
                    unroll = parser.parse_attribute()

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, entry)
        return [vectorize, unroll]

    def print_parameters(self, printer: Printer) -> None:
        parts: list[str] = []
        if not isinstance(self.vectorize_disable, NoneAttr):
            parts.append("vectorize = <disable = true>")
        if not isinstance(self.unroll_count, NoneAttr):
            parts.append(f"unroll = <count = {self.unroll_count}>")
        printer.print_string("<" + ", ".join(parts) + ">")
