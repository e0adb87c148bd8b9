"""The types that a format leaves out, from the types that it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.ir import Attribute
from xdsl.irdl import EqAttrConstraint, IRDLOperation, VarConstraint
from xdsl.irdl.constraints import SingleOf

from mlc.syntax.directives import Parts

if TYPE_CHECKING:
    from mlc.syntax.builder import Builder

Types = Sequence[Sequence[Attribute]]


@dataclass
class TypePlan:
    """How the types of an op's operands and results are found.

    The usual case is that operands and results share a constraint variable: then the type is copied. Anything else is
    left to xDSL's own constraint solver, which also verifies what it sees; a copy is verified with the whole op later.
    """

    program: daf.FormatProgram
    operand_sources: list[tuple[str, Any]]
    result_sources: list[tuple[str, Any]]

    @staticmethod
    def of(op: type[IRDLOperation], program: daf.FormatProgram) -> TypePlan:
        """Find, for each operand and result, who knows its type if the format does not say it."""
        definition = op.get_irdl_definition()
        givers: dict[str, tuple[bool, int]] = {}
        for is_operand, parts in ((True, definition.operands), (False, definition.results)):
            for i, (_, part) in enumerate(parts):
                if (name := _variable(part.constr)) is not None and _given(program.stmts, is_operand, i):
                    givers.setdefault(name, (is_operand, i))

        def source(constraint: object) -> tuple[str, Any]:
            if (name := _variable(constraint)) is not None and name in givers:
                return "copy", givers[name]
            if isinstance(constraint, SingleOf) and isinstance(inner := cast(Any, constraint).constr, EqAttrConstraint):
                return "constant", (cast(Any, inner).attr,)
            return "solve", None

        return TypePlan(
            program,
            [source(part.constr) for _, part in definition.operands],
            [source(part.constr) for _, part in definition.results],
        )

    def resolve(self, builder: Builder, parts: Parts) -> tuple[Types, Types]:
        """The types of all operands and results. Raises VerifyException where they contradict each other."""
        operand_types, result_types = parts.operand_types, parts.result_types
        solved: daf.ParsingState | None = None
        definition = parts.op_type.get_irdl_definition()
        for types, sources, is_operand in (
            (operand_types, self.operand_sources, True),
            (result_types, self.result_sources, False),
        ):
            for i, known in enumerate(types):
                if known is not None:
                    continue
                kind, argument = sources[i]
                if kind == "copy":
                    types[i] = (operand_types if argument[0] else result_types)[argument[1]]
                elif kind == "constant":
                    types[i] = argument
                if types[i] is None:
                    if solved is None:
                        solved = self._solve(parts)
                    constraint = (definition.operands if is_operand else definition.results)[i][1].constr
                    count = len(parts.operands[i] or ()) if is_operand else None
                    types[i] = constraint.infer(solved.context, length=count)
        return cast(Types, operand_types), cast(Types, result_types)

    def _solve(self, parts: Parts) -> daf.ParsingState:
        """Let xDSL bind the constraint variables to what is known."""
        state = daf.ParsingState(parts.op_type)
        state.operands = cast(Any, parts.operands)
        state.operand_types = list(parts.operand_types)
        state.result_types = list(parts.result_types)
        state.properties, state.attributes = parts.properties, parts.attributes
        self.program.resolve_constraint_variables(state, parts.op_type.get_irdl_definition())
        return state


def _variable(constraint: object) -> str | None:
    """The name of the variable that is the whole constraint of a single operand or result."""
    if isinstance(constraint, SingleOf) and isinstance(inner := cast(Any, constraint).constr, VarConstraint):
        return cast(Any, inner).name
    return None


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
