"""xDSL's complaints about types, properties and attributes that do not fit, in words for users.

xDSL says what it met and which constraint that broke (`"one" should be of base attribute integer`), not always where.
An error of mlc says which part of the operation is meant, what it is and what it has to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.irdl import AttrConstraint, IRDLOperation, OpDef
from xdsl.irdl.constraints import (
    AllOf,
    AnyOf,
    MessageConstraint,
    ParamAttrConstraint,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException

from mlc.syntax.words import listed, one_line

_WORDS: dict[type[Attribute], str] = {
    ArrayAttr: "a list, such as [1, 2]",
    DenseArrayBase: "an array, such as array<i64: 1, 2>",
    DenseIntOrFPElementsAttr: "a dense literal, such as dense<1.0> : tensor<4xf32>",
    DictionaryAttr: "a dictionary, such as {key = 1}",
    FloatAttr: "a float, such as 1.0 : f32",
    IntegerAttr: "an integer, such as 1 : i64",
    IntegerType: "an integer type",
    StringAttr: 'a string, such as "x"',
    SymbolRefAttr: "a symbol, such as @main",
    UnitAttr: "the name alone, without a value",
}
_MANY = 6
"""More alternatives than that are not listed."""
_SEVERAL = 3
"""From as many kinds of floats on they are called floats."""
_LONGEST_TOKEN = 40
_SHOWN = 80
"""The most characters of a value that are shown."""

_WRONG_TYPE = re.compile(r"(operand|result) '(\w+)' at position (\d+) does not verify:\s*(.*)", re.DOTALL)
_VARIABLE = re.compile(r"attribute (.*) expected from variable '\w+', but got (.*)")
_OTHER = re.compile(r"Expected (?:attribute )?(.*?),? but got (.*)")
_BASE = re.compile(r"(.*) should be of base attribute (\S+)")
_OF_CLASS = re.compile(r"(.*) should be of attribute subclassing `(\w+)`")
_NO_LIST = re.compile(r"expected (\w+) attribute, but got '<class '[\w.]*?(\w+)'>'")
_PARAMETER = re.compile(r"(parameter '\w+') does not verify: (.*)")
_UNEXPECTED = re.compile(r"Unexpected attribute (.*)")
_UNDERLYING = re.compile(r"(.*?) Underlying verification failure: (.*)")
_MISSING = re.compile(r"(property|attribute) '(\S+)' expected in operation '.*'")
_UNKNOWN = re.compile(r"(property) '(\S+)' is not defined by the operation '.*'.*")
_EXPECTED = re.compile(r"(?i)(?!.*\bgot\b).*\bexpected\b.*")
_NOT_INFERRED = re.compile(r"type of (operand|result) '(\w+)' cannot be inferred.*", re.DOTALL)
_LEFT_OUT = re.compile(r"(\w+) '(\w+)' not found, consider adding a '(.*?)' directive .*", re.DOTALL)
_NO_SEGMENTS = re.compile(r"Expected (\w+)SegmentSizes (property|attribute) in .* operation\.")


def explain(op: Operation, message: str) -> str:
    """What a verifier of xDSL says about `op`, with the part of it that is meant; other messages stay as they are."""
    if not isinstance(op, IRDLOperation):
        return one_line(message)
    definition = op.get_irdl_definition()
    if m := _NO_SEGMENTS.fullmatch(message):
        groups = len(definition.operands if m[1] == "operand" else definition.results)
        example = ", ".join(["1"] * groups)
        return f"{m[2]} '{m[1]}SegmentSizes' is missing: how many {m[1]}s each group has, as in array<i32: {example}>"
    if (m := _MISSING.fullmatch(message)) or (m := _UNKNOWN.fullmatch(message)):
        return _wrong_name(op, definition, m[1], m[2])
    if (m := _WRONG_TYPE.fullmatch(message)) and (problem := _wrong_type(op, definition, m)):
        return problem
    return _wrong_value(op, definition, message) or one_line(message)


def explain_parsing(message: str) -> str:
    """What xDSL says of a type or an attribute while there is no operation yet."""
    subject, reason = "found", one_line(message)
    if m := _PARAMETER.fullmatch(reason):
        subject, reason = f"{m[1]} is", m[2]
    if m := _BASE.fullmatch(reason):
        return f"{subject} {_short(m[1])}; required: {_name_in_words(m[2], True)}"
    if m := _OF_CLASS.fullmatch(reason):
        return f"{subject} {_short(m[1])}; required: {_class_in_words(m[2])}"
    return f"{_short(m[1])} cannot stand here" if (m := _UNEXPECTED.fullmatch(reason)) else reason


def explain_token(message: str, token: str) -> str:
    """What xDSL's parser says, with the `token` that stands in the text where it only says what should."""
    message = one_line(message)
    if _EXPECTED.match(message) and token.strip() and len(token) <= _LONGEST_TOKEN:
        return f"{message.removesuffix('.')}, got '{token}'"
    return explain_parsing(message)


def explain_format(message: str, token: str) -> str:
    """What xDSL says of an assembly format, at `token` of it, when the class of its op is made."""
    if m := _NOT_INFERRED.fullmatch(message):
        return (
            f"the format does not say the type of {m[1]} '{m[2]}', and no type that it says determines it; write "
            f"type(${m[2]}) in it, or let one VarConstraint stand for both types"
        )
    if m := _LEFT_OUT.fullmatch(message):
        return f"the format does not say {m[1]} '{m[2]}'; write {m[3]} in it"
    return explain_token(message, token)


def _wrong_name(op: Operation, definition: OpDef, kind: str, name: str) -> str:
    """A property or attribute is missing, or has a name that the operation does not know."""
    known: Mapping[str, object] = definition.properties if kind == "property" else definition.attributes
    values = op.properties if kind == "property" else op.attributes
    if name not in known:
        near = get_close_matches(name, known, 1)
        guess = f"; did you mean '{near[0]}'?" if near else ""
        return f"unknown {kind} '{name}'{guess} (it has {', '.join(known) or 'none'})"
    strange = [f"'{each}'" for each in values if each not in known and "." not in each and kind == "property"]
    return f"{kind} '{name}' is missing" + (f"; found {', '.join(strange)}, which it does not have" if strange else "")


def _wrong_type(op: Operation, definition: OpDef, complaint: re.Match[str]) -> str | None:
    kind, name, position, reason = complaint.groups()
    values = op.operands if kind == "operand" else op.results
    if int(position) >= len(values):
        return None
    parts = dict(definition.operands if kind == "operand" else definition.results)
    constraint = _of_one(getattr(parts.get(name), "constr", None))
    required = _required(str(values[int(position)].type), reason, constraint, True)
    return (
        f"{kind} '{name}' is of type {_short(values[int(position)].type)}; required: {required}" if required else None
    )


def _of_one(constraint: object) -> object:
    """The constraint on each value of a range."""
    if isinstance(constraint, RangeLengthConstraint):
        return _of_one(cast(Any, constraint).constraint)
    return cast(Any, constraint).constr if isinstance(constraint, RangeOf) else constraint


def _wrong_value(op: Operation, definition: OpDef, message: str) -> str | None:
    """The property or attribute that breaks its constraint with the same message, if there is one."""
    for kind, name, constraint, value in _values(op, definition):
        try:
            constraint.verify(value, VerificationContext())
        except VerifyException as e:
            if str(e) == message:
                reason = one_line(message)
                required = _required(str(value), reason, constraint)
                found = f"{kind} '{name}' is {_short(value)}"
                return f"{found}; required: {required}" if required else f"{found}: {reason}"
    return None


def _values(op: Operation, definition: OpDef) -> Iterator[tuple[str, str, AttrConstraint[Any], Attribute]]:
    for name, part in definition.properties.items():
        if name in op.properties:
            yield "property", name, part.constr, op.properties[name]
    for name, part in definition.attributes.items():
        if name in op.attributes:
            yield "attribute", name, part.constr, op.attributes[name]


def _required(whole: str, reason: str, constraint: object, is_type: bool = False) -> str | None:
    """What the reason for refusing `whole`, perhaps because of a part of it, says that it has to be."""
    if m := _UNDERLYING.fullmatch(reason):
        return _required(whole, m[2], constraint, is_type) if _BASE.fullmatch(m[2]) else m[1]
    bases = constraint.get_bases() if isinstance(constraint, AttrConstraint) else None
    if (m := _VARIABLE.fullmatch(reason)) or (m := _OTHER.fullmatch(reason)):
        wanted, found = m.groups()
        return wanted if found == whole else f"{wanted} instead of {found}"
    if m := _BASE.fullmatch(reason):
        found, base = m.groups()
        if found == whole and bases and len(bases) <= _MANY:
            return listed(sorted(map(_words, bases)))
        words = _name_in_words(base, is_type)
        return words if found == whole else f"{words} instead of {found}"
    if m := _OF_CLASS.fullmatch(reason):
        words = _class_in_words(m[2])
        return words if m[1] == whole else f"{words} instead of {m[1]}"
    if m := _NO_LIST.fullmatch(reason):
        return f"{_class_in_words(m[1])}, instead of {_class_in_words(m[2])}"
    if m := _UNEXPECTED.fullmatch(reason):
        if m[1] == whole:
            return _alternatives(cast(object, constraint))
        inner = next((words for part in _parts(cast(object, constraint)) if (words := _alternatives(part))), None)
        return f"{inner} instead of {m[1]}" if inner else None
    return None


def _alternatives(constraint: object) -> str | None:
    """What a constraint allows, as in `a float type or a tensor type`; None where that is a long list."""
    bases = constraint.get_bases() if isinstance(constraint, AttrConstraint) else None
    floats = {base for base in bases or () if issubclass(base, AnyFloat)}
    words = {_words(base) for base in bases or ()} if len(floats) < _SEVERAL else {"a float type"}
    if len(floats) >= _SEVERAL:
        words |= {_words(base) for base in (bases or set()) - floats}
    return listed(sorted(words)) if 0 < len(words) <= _MANY else None


def _parts(constraint: object) -> Iterator[object]:
    """The constraints on the parameters of types that a constraint allows, such as those on elements of vectors."""
    match constraint:
        case ParamAttrConstraint():
            yield from cast(Any, constraint).param_constrs
        case AnyOf() | AllOf():
            for each in cast(Any, constraint).attr_constrs:
                yield from _parts(each)
        case VarConstraint():
            yield from _parts(cast(Any, constraint).constraint)
        case MessageConstraint():
            yield from _parts(cast(Any, constraint).constr)
        case _:
            pass


def _words(base: type[Attribute]) -> str:
    known = next((words for each, words in _WORDS.items() if issubclass(base, each)), None)
    return known or _name_in_words(base.name, issubclass(base, TypeAttribute))


def _name_in_words(name: str, is_type: bool) -> str:
    """A type or attribute by the name that xDSL has for it."""
    if (known := next((words for each, words in _WORDS.items() if each.name == name), None)) is not None:
        return known
    if "." in name:
        return f"!{name}" if is_type else f"#{name}<...>"
    return f"{_article(name.removesuffix('_type'))} type" if is_type else _article(name)


def _class_in_words(name: str) -> str:
    """A class of attributes by its name in Python: `a shaped type` for `ShapedType`."""
    known = next((words for each, words in _WORDS.items() if each.__name__ == name), None)
    parts = re.findall(r"[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z0-9]+", name.removesuffix("Attribute").removesuffix("Attr"))
    return known or _article(" ".join(part if part.isupper() else part.lower() for part in parts))


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
