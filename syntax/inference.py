"""The types that a format leaves out, from the types that it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import (
    EqAttrConstraint,
    IRDLOperation,
    OperandDef,
    ParamAttrConstraint,
    ParamAttrDef,
    ResultDef,
    VarConstraint,
    VariadicDef,
)
from xdsl.irdl.constraints import RangeLengthConstraint, RangeOf

from mlc.syntax.directives import Parts

GroupedTypes = Sequence[Sequence[Attribute]]
TypeSource = Callable[[Parts], "Sequence[Attribute] | None"]
"""Finds the types of an operand or result; None if it cannot."""


@dataclass
class TypePlan:
    """How the types of an op's operands and results are found.

    The usual case is a constraint variable that stands for the type of an operand or result, or for a parameter of that
    type: then the type is copied from there. Anything else is left to xDSL's constraint solver, which verifies what it
    sees, and takes ten times as long; what was copied is verified with the whole op later.
    """

    program: daf.FormatProgram
    operands: list[TypeSource]
    results: list[TypeSource]

    @staticmethod
    def of(op: type[IRDLOperation], program: daf.FormatProgram) -> TypePlan:
        """Find, for each operand and result, who knows its type if the format does not say it."""
        definition = op.get_irdl_definition()
        variables: dict[str, TypeSource] = {}
        for is_operand, parts in ((True, definition.operands), (False, definition.results)):
            for i, (_, part) in enumerate(parts):
                if (constraint := _single(part)) is not None and _given(program.stmts, is_operand, i):
                    for name, bound in _bound_variables(constraint, is_operand, i):
                        variables.setdefault(name, bound)

        def source(part: OperandDef | ResultDef, i: int) -> TypeSource:
            constraint = _single(part)
            if isinstance(constraint, VarConstraint) and (name := cast(Any, constraint).name) in variables:
                return variables[name]
            if isinstance(constraint, EqAttrConstraint):
                return _constant(cast(Any, constraint).attr)
            inner = part.constr
            if isinstance(part, OperandDef) and isinstance(inner, RangeOf):
                element = cast(Any, inner).constr
                if isinstance(element, EqAttrConstraint):
                    return _constant_for_each(cast(Any, element).attr, i)
            return _unknown

        return TypePlan(
            program,
            [source(part, i) for i, (_, part) in enumerate(definition.operands)],
            [source(part, i) for i, (_, part) in enumerate(definition.results)],
        )

    def resolve(self, parts: Parts) -> tuple[GroupedTypes, GroupedTypes]:
        """The types of all operands and results. Raises VerifyException where they contradict each other."""
        operand_types, result_types = parts.operand_types, parts.result_types
        for types, sources in ((operand_types, self.operands), (result_types, self.results)):
            for i, known in enumerate(types):
                if known is None:
                    types[i] = sources[i](parts)
        if None in operand_types or None in result_types:
            self._solve(parts)
        return cast(GroupedTypes, parts.operand_types), cast(GroupedTypes, parts.result_types)

    def _solve(self, parts: Parts) -> None:
        """Let xDSL bind the constraint variables to what is known, and infer the rest."""
        definition = parts.op_type.get_irdl_definition()
        state = daf.ParsingState(parts.op_type)
        state.operands = cast(Any, parts.operands)
        state.operand_types = parts.operand_types
        state.result_types = parts.result_types
        state.properties, state.attributes = parts.properties, parts.attributes
        self.program.resolve_constraint_variables(state, definition)
        parts.operand_types = [*self.program.resolve_operand_types(state, definition)]
        parts.result_types = [*self.program.resolve_result_types(state, definition)]


def _unknown(_parts: Parts) -> None:
    return None


def _constant(kind: Attribute) -> TypeSource:
    return lambda _parts: (kind,)


def _constant_for_each(kind: Attribute, operand: int) -> TypeSource:
    return lambda parts: (kind,) * len(parts.operands[operand] or ())


def _copy(is_operand: bool, index: int) -> TypeSource:
    if is_operand:
        return lambda parts: parts.operand_types[index]
    return lambda parts: parts.result_types[index]


def _parameter(whole: TypeSource, base: type[Attribute], name: str) -> TypeSource:
    """The parameter `name` of the type that `whole` finds."""

    def source(parts: Parts) -> Sequence[Attribute] | None:
        types = whole(parts)
        return None if types is None or not isinstance(types[0], base) else (getattr(types[0], name),)

    return source


def _single(part: OperandDef | ResultDef) -> object | None:
    """The constraint of the type of a single operand or result."""
    if isinstance(part, VariadicDef):
        return None
    constraint = part.constr
    if isinstance(constraint, RangeLengthConstraint):
        constraint = cast(Any, constraint).constraint
    return cast(Any, constraint).constr if isinstance(constraint, RangeOf) else None


def _bound_variables(constraint: object, is_operand: bool, index: int) -> Iterator[tuple[str, TypeSource]]:
    """The variables that a given type binds."""
    whole = _copy(is_operand, index)
    if isinstance(constraint, VarConstraint):
        yield cast(Any, constraint).name, whole
    elif isinstance(constraint, ParamAttrConstraint):
        base: type[ParametrizedAttribute] = cast(Any, constraint).base_attr
        inner: Sequence[object] = cast(Any, constraint).param_constrs
        definition = cast("ParamAttrDef | None", base.get_irdl_definition())
        parameters = definition.parameters if definition else ()  # none for a class that several attributes extend
        for (name, _), parameter in zip(parameters, inner, strict=False):
            if isinstance(parameter, VarConstraint):
                yield cast(Any, parameter).name, _parameter(whole, base, name)


def _given(directives: Sequence[daf.FormatDirective], is_operand: bool, index: int) -> bool:
    """Whether a format always says the type of a single operand or result."""
    variable = daf.OperandVariable if is_operand else daf.ResultVariable
    whole = daf.OperandsDirective if is_operand else daf.ResultsDirective

    def says(inner: object) -> bool:
        return isinstance(inner, whole) or (isinstance(inner, variable) and inner.index == index)

    for d in directives:
        if isinstance(d, daf.TypeDirective) and says(d.inner):
            return True
        if isinstance(d, daf.FunctionalTypeDirective) and says(
            d.operand_typeable_directive if is_operand else d.result_typeable_directive
        ):
            return True
    return False
