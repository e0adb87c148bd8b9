"""The directives of assembly formats: the grammar symbol of each, and where its value goes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import IRDLOperation, VarIRConstruct
from xdsl.parser import UnresolvedOperand

if TYPE_CHECKING:
    from mlc.syntax.build_operations import OperationActions

Operand = tuple[str, int, int]
"""A use of a value: its name, the number behind `#`, and the position in the text."""


class NotInGrammar(Exception):
    """A directive that no grammar rule can stand for where it stands: xDSL's parser reads the op."""


class Parts:
    """What a format has found so far; shaped like xDSL's `ParsingState`, so that its directives can fill it."""

    __slots__ = (
        "attributes",
        "op_type",
        "operand_types",
        "operands",
        "properties",
        "regions",
        "result_types",
        "successors",
    )

    def __init__(self, op: type[IRDLOperation]) -> None:
        definition = op.get_irdl_definition()
        self.op_type = op
        self.operands: list[Sequence[Operand] | None] = [None] * len(definition.operands)
        self.operand_types: list[Sequence[Attribute] | None] = [None] * len(definition.operands)
        self.result_types: list[Sequence[Attribute] | None] = [None] * len(definition.results)
        self.regions: list[Sequence[Region] | None] = [None] * len(definition.regions)
        self.successors: list[Sequence[Block] | None] = [None] * len(definition.successors)
        self.attributes: dict[str, Attribute] = {}
        self.properties: dict[str, Attribute] = {}

    def merge(self, state: daf.ParsingState) -> None:
        """Take over what a hand-written directive put into xDSL's state."""
        for i, operands in enumerate(state.operands):
            if operands is not None:
                self.operands[i] = [as_operand(o) for o in operands]
        for mine, theirs in (
            (self.operand_types, state.operand_types),
            (self.result_types, state.result_types),
            (self.regions, state.regions),
            (self.successors, state.successors),
        ):
            for i, found in enumerate(theirs):
                if found is not None:
                    cast(list[Any], mine)[i] = found
        self.attributes |= state.attributes
        self.properties |= state.properties


def as_operand(operand: UnresolvedOperand) -> Operand:
    """The parser's own form of an operand that an xDSL method parsed."""
    return operand.operand_name, operand.index, operand.span.start


class Setter(Protocol):
    """Puts the value of a grammar symbol in its place."""

    def __call__(self, builder: OperationActions, parts: Parts, value: Any, /) -> None: ...


Piece = tuple[str, "Setter | None"]


def piece_of(directive: daf.FormatDirective, opens_group: bool) -> Piece | None:
    """The symbol and setter of a directive, or None if only its own `parse` can read it.

    Args:
        opens_group: it is the first of an optional group, so its symbol must not be empty.
    """
    handler = _PIECES.get(type(directive))
    return None if handler is None else handler(directive, opens_group)


def _whitespace(_directive: Any, _opens_group: bool) -> Piece:
    return "", None


def _punctuation(directive: daf.PunctuationDirective, _opens_group: bool) -> Piece:
    return f'"{directive.punctuation}"', None


def _keyword(directive: daf.KeywordDirective, _opens_group: bool) -> Piece:
    return f'"{directive.keyword}"', None


def _setting(symbol: str, optional: str | None = None) -> Callable[[Any, bool], Piece]:
    """A directive whose `set` takes the value as it is; `optional` is the symbol outside of group starts."""

    def piece(directive: Any, opens_group: bool) -> Piece:
        put = directive.set
        return symbol if opens_group or optional is None else optional, lambda _builder, parts, value: put(parts, value)

    return piece


def _operand(directive: daf.OperandVariable, _opens_group: bool) -> Piece:
    index = directive.index

    def put(_builder: OperationActions, parts: Parts, value: Operand) -> None:
        parts.operands[index] = (value,)

    return "operand", put


def _all_operands(directive: daf.OperandsDirective, opens_group: bool) -> Piece:
    def put(_builder: OperationActions, parts: Parts, value: Sequence[Operand]) -> None:
        # xDSL takes any sequence for a group of operands, so it distributes numbers, not the operands themselves.
        groups: list[Sequence[int] | None] = [None] * len(parts.operands)
        directive._set_using_variadic_index(  # pyright: ignore[reportPrivateUsage]
            parts.op_type, groups, VarIRConstruct.OPERAND, "operand", range(len(value))
        )
        parts.operands[:] = [[value[i] for i in group or ()] for group in groups]

    return "operands" if opens_group else "operands_opt", put


_ONE = (daf.OperandVariable, daf.ResultVariable)
_AT_MOST_ONE = (daf.OptionalOperandVariable, daf.OptionalResultVariable)


def _type(directive: daf.TypeDirective, opens_group: bool) -> Piece:
    inner = directive.inner
    if isinstance(inner, _ONE):
        index = inner.index
        if isinstance(inner, daf.OperandVariable):

            def put_operand(_builder: OperationActions, parts: Parts, value: Attribute) -> None:
                parts.operand_types[index] = (value,)

            return "type", put_operand

        def put_result(_builder: OperationActions, parts: Parts, value: Attribute) -> None:
            parts.result_types[index] = (value,)

        return "type", put_result
    put = inner.set_types
    if isinstance(inner, _AT_MOST_ONE):
        symbol = "type" if opens_group else "type_opt"
        return symbol, lambda _builder, parts, value: put(cast(Any, parts), () if value is None else (value,))
    return "types" if opens_group else "types_opt", lambda _builder, parts, value: put(cast(Any, parts), value)


def _functional_type(directive: daf.FunctionalTypeDirective, _opens_group: bool) -> Piece:
    put_operands = directive.operand_typeable_directive.set_types
    put_results = directive.result_typeable_directive.set_types

    def put(_builder: OperationActions, parts: Parts, value: tuple[Sequence[Attribute], Sequence[Attribute]]) -> None:
        put_operands(cast(Any, parts), value[0])
        put_results(cast(Any, parts), value[1])

    return "signature", put


def _attr_dict(directive: daf.AttrDictDirective, opens_group: bool) -> Piece | None:
    if opens_group:
        return None
    reserved, expected = directive.reserved_attr_names, directive.expected_properties

    def put(builder: OperationActions, parts: Parts, value: dict[str, Attribute]) -> None:
        if not value:
            return
        for name, attr in value.items():
            if name in reserved:
                builder.fault(f"attribute '{name}' has a place of its own in the format of '{parts.op_type.name}'")
            (parts.properties if name in expected else parts.attributes)[name] = attr

    return "attr_dict_keyword_opt" if directive.with_keyword else "attr_dict_opt", put


def _optional_unit(directive: daf.OptionalUnitAttrVariable, _opens_group: bool) -> Piece:
    unit = UnitAttr()
    return "", lambda _builder, parts, _value: directive.set(cast(Any, parts), unit)


def _attribute(directive: daf.AttributeVariable, opens_group: bool) -> Piece:
    def put(_builder: OperationActions, parts: Parts, value: Attribute | None) -> None:
        if value is not None:
            directive.set(cast(Any, parts), value)

    return "attribute_opt" if directive.is_optional and not opens_group else "attribute", put


def _symbol_name(directive: daf.SymbolNameAttributeVariable, opens_group: bool) -> Piece:
    def put(_builder: OperationActions, parts: Parts, value: str | None) -> None:
        if value is not None:
            directive.set(cast(Any, parts), StringAttr(value))

    return "symbol_name_opt" if directive.is_optional and not opens_group else "symbol_name", put


def _typed_attribute(directive: daf.TypedAttributeVariable, opens_group: bool) -> Piece | None:
    kind = directive.unique_type
    if directive.unique_base is not IntegerAttr or not isinstance(kind, IntegerType | IndexType):
        return None

    def put(builder: OperationActions, parts: Parts, value: object) -> None:
        directive.set(cast(Any, parts), IntegerAttr(builder.integer_of(value), cast(Any, kind)))

    return "integer_or_boolean", put


def _dense_array(directive: daf.DenseArrayAttributeVariable, opens_group: bool) -> Piece | None:
    if directive.is_optional and not opens_group:
        return None
    kind = directive.elt_type

    def put(builder: OperationActions, parts: Parts, value: Sequence[object]) -> None:
        numbers = [builder.real_of(v, kind) if isinstance(kind, AnyFloat) else builder.integer_of(v) for v in value]
        try:
            packed = BytesAttr(cast(Any, kind).pack(numbers))
        except (struct.error, OverflowError):
            builder.fault(f"a number of [{', '.join(map(str, numbers))}] does not fit {kind}")
        directive.set(cast(Any, parts), DenseArrayBase(kind, packed))

    return "number_list", put


_PIECES: dict[type, Callable[[Any, bool], Piece | None]] = {
    daf.WhitespaceDirective: _whitespace,
    daf.PunctuationDirective: _punctuation,
    daf.KeywordDirective: _keyword,
    daf.OperandVariable: _operand,
    daf.OptionalOperandVariable: _setting("operand", optional="operand_opt"),
    daf.VariadicOperandVariable: _setting("operands", optional="operands_opt"),
    daf.OperandsDirective: _all_operands,
    daf.TypeDirective: _type,
    daf.FunctionalTypeDirective: _functional_type,
    daf.AttrDictDirective: _attr_dict,
    daf.RegionVariable: _setting("region"),
    daf.OptionalRegionVariable: _setting("region", optional="region_opt"),
    daf.VariadicRegionVariable: _setting("adjacent_regions"),
    daf.SuccessorVariable: _setting("successor"),
    daf.VariadicSuccessorVariable: _setting("successors", optional="bare_successors_opt"),
    daf.OptionalUnitAttrVariable: _optional_unit,
    daf.AttributeVariable: _attribute,
    daf.SymbolNameAttributeVariable: _symbol_name,
    daf.TypedAttributeVariable: _typed_attribute,
    daf.DenseArrayAttributeVariable: _dense_array,
}
