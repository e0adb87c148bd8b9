"""The text of functions, shared by `func.func` and `llvm.func`: like xDSL's, with the attributes of arguments and
results of declarations, which xDSL reads over and does not print.

    @name(%a: type {attributes}, …) -> (type {attributes}, …) attributes {…} { … }
    @name(type {attributes}, …) -> …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.dialects.utils.format import print_func_argument, print_func_output
from xdsl.ir import Attribute, Region
from xdsl.parser import Parser
from xdsl.printer import Printer

AttributeLists = ArrayAttr[DictionaryAttr]
_Input = tuple["Parser.Argument | None", Attribute, Mapping[str, Attribute]]


@dataclass
class FunctionParts:
    """What the text of a function says after its keywords."""

    name: str
    inputs: Sequence[Attribute]
    outputs: Sequence[Attribute]
    body: Region
    """Empty for a declaration."""
    attributes: Mapping[str, Attribute]
    arg_attrs: AttributeLists | None
    res_attrs: AttributeLists | None
    is_variadic: bool


def parse_function(parser: Parser, reserved: Sequence[str], may_be_variadic: bool = False) -> FunctionParts:
    """Parse from the name on.

    Args:
        reserved: attributes that have a place of their own in the text.
        may_be_variadic: whether `...` may stand after the arguments.
    """
    name = parser.parse_symbol_name().data
    is_variadic = False

    def parse_input() -> _Input | None:
        nonlocal is_variadic
        if is_variadic:
            parser.raise_error("'...' stands after the last argument")
        if may_be_variadic and parser.parse_optional_characters("..."):
            is_variadic = True
            return None
        if (argument := parser.parse_optional_argument()) is None:
            if (kind := parser.parse_optional_type()) is None:
                parser.raise_error("Expected argument or type")
            attributes = parser.parse_optional_dictionary_attr_dict()
            parser.parse_optional_location()
            return None, kind, attributes
        attributes = parser.parse_optional_dictionary_attr_dict()
        if (location := parser.parse_optional_location()) is not None:
            argument.location = location
        if parser.parse_optional_dictionary_attr_dict():
            parser.raise_error("the attributes of an argument stand before its location")
        return argument, argument.type, attributes

    position = parser.pos
    listed = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_input)
    inputs = [each for each in listed if each is not None]
    arguments = [argument for argument, _, _ in inputs if argument is not None]
    if arguments and len(arguments) != len(inputs):
        parser.raise_error("Expected all arguments to be named or all arguments to be unnamed.", position)
    outputs = _parse_outputs(parser)
    extra = parser.parse_optional_attr_dict_with_keyword(reserved)
    body = parser.parse_optional_region(arguments or None)
    return FunctionParts(
        name,
        [kind for _, kind, _ in inputs],
        [kind for kind, _ in outputs],
        Region() if body is None else body,
        {} if extra is None else extra.data,
        _lists([attributes for _, _, attributes in inputs]),
        _lists([attributes for _, attributes in outputs]),
        is_variadic,
    )


def _parse_outputs(parser: Parser) -> Sequence[tuple[Attribute, Mapping[str, Attribute]]]:
    if parser.parse_optional_punctuation("->") is None:
        return []
    listed = parser.parse_optional_comma_separated_list(
        parser.Delimiter.PAREN, lambda: (parser.parse_type(), parser.parse_optional_dictionary_attr_dict())
    )
    return [(parser.parse_type(), {})] if listed is None else listed


def _lists(attributes: Sequence[Mapping[str, Attribute]]) -> AttributeLists | None:
    """One dictionary each, or nothing if all of them are empty."""
    return ArrayAttr(DictionaryAttr(dict(each)) for each in attributes) if any(attributes) else None


def print_function(printer: Printer, text: FunctionParts, reserved: Sequence[str]) -> None:
    """Print from the name on, so that `parse_function` reads the same."""
    printer.print_string(" ")
    printer.print_symbol_name(text.name)
    with printer.in_parens():
        _print_inputs(printer, text)
    if text.outputs:
        printer.print_string(" -> ")
        if len(text.outputs) == 1 and text.res_attrs is None and not _is_function(text.outputs[0]):
            printer.print_attribute(text.outputs[0])
        else:
            with printer.in_parens():
                results = zip(text.outputs, _each(text.res_attrs, len(text.outputs)), strict=True)
                printer.print_list(results, lambda each: print_func_output(printer, each[0], each[1]))
    printer.print_op_attributes(dict(text.attributes), reserved_attr_names=reserved, print_keyword=True)
    if text.body.blocks:
        printer.print_string(" ", indent=0)
        printer.print_region(text.body, print_entry_block_args=False, print_empty_block=False)


def _print_inputs(printer: Printer, text: FunctionParts) -> None:
    attributes = _each(text.arg_attrs, len(text.inputs))
    if (entry := text.body.first_block) is None:
        inputs = zip(text.inputs, attributes, strict=True)
        printer.print_list(inputs, lambda each: print_func_output(printer, each[0], each[1]))
    else:
        arguments = zip(entry.args, attributes, strict=True)
        printer.print_list(arguments, lambda each: print_func_argument(printer, each[0], each[1]))
    if text.is_variadic:
        printer.print_string(", ..." if text.inputs else "...")


def _each(attributes: AttributeLists | None, count: int) -> Sequence[DictionaryAttr | None]:
    return [None] * count if attributes is None else attributes.data


def _is_function(kind: Attribute) -> bool:
    return kind.name == "fun"
