"""Attributes and types of upstream that mlc carries along: it knows their names, not what stands in them."""

from __future__ import annotations

import re
from io import StringIO
from re import Pattern
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

_STRING_OR_ALIAS = re.compile(r'"(?:[^"\\]|\\.)*"|[#!][A-Za-z_][\w$-]*(?![\w$.<-])')


def parse_body(parser: AttrParser) -> str:
    """What stands between the angle brackets here, aliases spelled out; nothing if there are none."""
    start = parser.pos
    if parser.parse_optional_punctuation("<") is None:
        return ""
    parser._resume_from(start)  # pyright: ignore[reportPrivateUsage]
    body = parser._parse_dialect_symbol_body()  # pyright: ignore[reportPrivateUsage]

    def spelled_out(found: re.Match[str]) -> str:
        if found[0][0] == '"':
            return found[0]
        if (meaning := parser.attribute_aliases.get(found[0])) is None:
            parser.raise_error(f"alias '{found[0]}' is not defined", start, start)
        stream = StringIO()
        Printer(stream).print_attribute(meaning)
        return stream.getvalue()

    return _STRING_OR_ALIAS.sub(spelled_out, body)


class KeptAsText(ParametrizedAttribute):
    """An attribute or a type with its parameters as they are written, in which aliases are spelled out."""

    text: StringAttr
    """What stands between the angle brackets; nothing if there are none."""

    FORM: ClassVar[Pattern[str] | None] = None
    """What the text has to look like."""
    FORM_IN_WORDS: ClassVar[str] = ""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        return [StringAttr(parse_body(parser))]

    def print_parameters(self, printer: Printer) -> None:
        if self.text.data:
            with printer.in_angle_brackets():
                printer.print_string(self.text.data)

    def verify(self) -> None:
        if self.FORM is not None and self.FORM.fullmatch(self.text.data) is None:
            raise VerifyException(f"'{self.name}' is written as {self.FORM_IN_WORDS}, got <{self.text.data}>")


def attribute_kept_as_text(name: str) -> type[KeptAsText]:
    """The class of an attribute `#name<...>`."""
    return _definition(name, (KeptAsText,))


def type_kept_as_text(name: str, form: str = r"(?s:.*)", in_words: str = "") -> type[KeptAsText]:
    """The class of a type `!name<...>`, where `...` matches the regular expression `form`."""
    made = _definition(name, (KeptAsText, TypeAttribute))
    made.FORM, made.FORM_IN_WORDS = re.compile(form), in_words
    return made


def _definition(name: str, bases: tuple[type, ...]) -> type[KeptAsText]:
    suffix = "Type" if TypeAttribute in bases else "Attr"
    words = "".join(part.capitalize() for part in re.split(r"[._]", name))
    doc = f"`{name}` of upstream, which is kept as it is written."
    made = type(words + suffix, bases, {"name": name, "__doc__": doc, "__module__": __name__})
    return cast("type[KeptAsText]", irdl_attr_definition(cast(Any, made), init=False))
