"""Output for people who look for a mistake."""

from xdsl.dialects.builtin import ShapedType, StringAttr, VectorType
from xdsl.ir import Data, SSAValue
from xdsl.irdl import IRDLOperation, irdl_attr_definition, irdl_op_definition, opt_operand_def, opt_prop_def, traits_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class Punctuation(StrEnum):
    """What stands after a value."""

    NO_PUNCTUATION = "no_punctuation"
    NEWLINE = "newline"
    COMMA = "comma"
    OPEN = "open"
    CLOSE = "close"


@irdl_attr_definition
class PunctuationAttr(Data[Punctuation]):
    """What `vector.print` prints after a value, or alone: `#vector.punctuation<comma>`."""

    name = "vector.punctuation"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Punctuation:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(Punctuation)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Prints a value, a text or punctuation; a new line follows if nothing else is said.

    ```mlir
    vector.print %v : vector<4xf32>
    vector.print %v : vector<4xf32> punctuation <comma>
    vector.print str "text"
    ```

    Constraints:
      print_c1: there is a value or a text, not both
      print_c2: a value is a number or a vector
      print_c3: a text stands without punctuation
    """

    name = "vector.print"

    source = opt_operand_def()
    punctuation = opt_prop_def(PunctuationAttr)
    text = opt_prop_def(StringAttr, prop_name="stringLiteral")

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        source: SSAValue | None = None,
        punctuation: PunctuationAttr | None = None,
        text: StringAttr | None = None,
    ) -> None:
        super().__init__(operands=[source], properties={"punctuation": punctuation, "stringLiteral": text})

    def verify_(self) -> None:
        if self.source is not None and self.text is not None:
            raise VerifyException("vector.print: it prints a value or a text, not both (print_c1)")
        kind = self.source.type if self.source is not None else None
        if isinstance(kind, ShapedType) and not isinstance(kind, VectorType):
            raise VerifyException(f"vector.print: it prints a number or a vector, got {kind} (print_c2)")
        if self.text is not None and self.punctuation is not None:
            raise VerifyException("vector.print: a text is printed without punctuation (print_c3)")

    @classmethod
    def parse(cls, parser: Parser) -> "PrintOp":
        name = parser.parse_optional_unresolved_operand()
        source, punctuation, text = None, None, None
        if name is not None:
            parser.parse_punctuation(":")
            source = parser.resolve_operand(name, parser.parse_type())
        while word := parser.parse_optional_keyword_in(["punctuation", "str"]):
            if word == "str":
                text = StringAttr(parser.parse_str_literal())
            else:
                punctuation = PunctuationAttr(PunctuationAttr.parse_parameter(parser))
        op = cls(source, punctuation, text)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        if self.source is not None:
            printer.print_string(" ")
            printer.print_operand(self.source)
            printer.print_string(" : ")
            printer.print_attribute(self.source.type)
        if self.text is not None:
            printer.print_string(" str ")
            printer.print_attribute(self.text)
        if self.punctuation is not None:
            printer.print_string(" punctuation ")
            self.punctuation.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
