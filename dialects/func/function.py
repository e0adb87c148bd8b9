"""Functions."""

from xdsl.dialects import func
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.dialects.function_syntax import FunctionParts, parse_function, print_function

_RESERVED = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


class FuncOp(func.FuncOp):
    """A function, or the declaration of one.

    ```mlir
    func.func private @declared(f32 {my.attribute}) -> (f32 {my.other})
    func.func @main(%x: f32 {my.attribute}) -> f32 {
      %0 = func.call @declared(%x) : (f32) -> f32
      return %0 : f32
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "FuncOp":
        visibility = parser.parse_optional_visibility_keyword()
        text = parse_function(parser, _RESERVED)
        function = cls(
            text.name,
            (text.inputs, text.outputs),
            text.body,
            visibility,
            arg_attrs=text.arg_attrs,
            res_attrs=text.res_attrs,
        )
        function.attributes |= text.attributes
        return function

    def print(self, printer: Printer) -> None:
        if self.sym_visibility:
            printer.print_string(f" {self.sym_visibility.data}")
        kind = self.function_type
        text = FunctionParts(
            self.sym_name.data,
            kind.inputs.data,
            kind.outputs.data,
            self.body,
            self.attributes,
            self.arg_attrs,
            self.res_attrs,
            is_variadic=False,
        )
        print_function(printer, text, _RESERVED)
