"""Functions."""

from typing import Any

from xdsl.dialects import llvm
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.dialects.function_syntax import FunctionParts, parse_function, print_function

_RESERVED = (
    *("sym_name", "function_type", "arg_attrs", "res_attrs"),
    *("linkage", "CConv", "visibility_", "unnamed_addr"),
)


class FuncOp(llvm.FuncOp):
    """A function, or the declaration of one.

    ```mlir
    llvm.func @declared(i32 {llvm.noundef}, ...) -> (i32 {llvm.zeroext})
    llvm.func internal @kernel(%x: !llvm.ptr {llvm.noalias}) attributes {passthrough = ["nounwind"]} {
      llvm.return
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "FuncOp":
        linkage = cls._parse_linkage(parser)
        convention = cls._parse_cconv(parser)
        visibility = cls._parse_llvm_visibility(parser)
        unnamed_addr = cls._parse_llvm_unnamed_addr(parser)
        text = parse_function(parser, _RESERVED, may_be_variadic=True)
        result = cls._get_return_type(parser, text.outputs)
        others: dict[str, Attribute | None] = {"unnamed_addr": unnamed_addr}
        others |= {"arg_attrs": text.arg_attrs, "res_attrs": text.res_attrs}
        return cls(
            text.name,
            llvm.LLVMFunctionType(text.inputs, result, text.is_variadic),
            linkage,
            cconv=convention,
            visibility=visibility,
            body=text.body,
            other_props=others,
            extra_attrs=dict(text.attributes),
        )

    def print(self, printer: Printer) -> None:
        if self.linkage.linkage.data != "external":
            printer.print_string(f" {self.linkage.linkage.data}")
        if self.CConv.convention.data != "ccc":
            printer.print_string(f" {self.CConv.convention.data}")
        self._print_llvm_visibility(printer, self.visibility_.value.data)
        self._print_llvm_unnamed_addr(printer, self.unnamed_addr.value.data if self.unnamed_addr else None)
        kind = self.function_type
        text = FunctionParts(
            self.sym_name.data,
            kind.inputs.data,
            self._outputs(),
            self.body,
            {**self.attributes, **self.properties},
            self.arg_attrs,
            self.res_attrs,
            kind.is_variadic,
        )
        print_function(printer, text, _RESERVED)

    def _outputs(self) -> list[Any]:
        output = self.function_type.output
        return [] if isinstance(output, llvm.LLVMVoidType) else [output]
