"""What the class of an op declares, in words: operands, results, properties, regions, and numbered constraints."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayOfConstraint,
    Float32Type,
    IntegerType,
    MemRefType,
    ShapedType,
    TensorType,
    VectorType,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    AttrConstraint,
    AttrSetConstraint,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    OptOperandDef,
    OptPropertyDef,
    OptRegionDef,
    OptResultDef,
    ParamAttrConstraint,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
    VarOperandDef,
    VarRegionDef,
    VarResultDef,
)

from mlc.support.dtypes import COMPUTED_FLOATS, INTEGERS

_WORDS = {
    "affine_map": "affine map",
    "array": "list of integers",
    "dense": "`dense<…>`",
    "dense_resource": "`dense_resource<…>`",
    "float": "number",
    "integer": "integer",
    "integer_type": "integer",
    "arith.fastmath": "fast-math flags",
    "llvm.fastmath": "fast-math flags",
    "llvm.overflow": "overflow flags",
    "llvm.ptr": "`!llvm.ptr`",
    "none_type": "`none`",
    "unit": "present or absent",
}
"""What readers call an attribute or a type; others go by the name that xDSL gives them."""
_CONTAINERS = (TensorType, VectorType, MemRefType)
_KINDS = (COMPUTED_FLOATS, BaseAttr(Float32Type)), (INTEGERS, BaseAttr(IntegerType))
"""What a list that has all of these element types says in a word."""


@dataclass(frozen=True)
class OpPart:
    """An operand, a result, a property or a region, as it is declared."""

    role: str
    name: str
    """In texts."""
    words: str
    """What it may be."""
    field: str
    """How Python reads it."""
    bases: Sequence[type[Attribute]] = ()
    """Of a property: the classes that it may be of."""


def parts_of(op: type[IRDLOperation]) -> tuple[list[OpPart], dict[str, str]]:
    """What an op takes and gives, and what the variables mean that occur in the words."""
    definition = op.get_irdl_definition()
    variables: dict[str, str] = {}
    parts: list[OpPart] = []
    for role, declared in (("operand", definition.operands), ("result", definition.results)):
        for name, d in declared:
            words = f"{_count(d)}{_describe(_single(d.constr), variables)}"
            parts.append(OpPart(role, name.rstrip("_"), words, f"op.{name}"))
    fields = {name: f"op.{field}" for field, (name, _) in definition.accessor_names.items()}
    for name, p in {**definition.properties, **definition.attributes}.items():
        field = fields.get(name, f'op.properties["{name}"]')
        parts.append(OpPart("property", name, _property(p, variables), field, tuple(p.constr.get_bases() or ())))
    parts += [OpPart("region", name, f"{_count(r)}one block", f"op.{name}") for name, r in definition.regions]
    return parts, variables


_REQUIRED = re.compile(r"^\s*(\w+_c\d+): (.+)$", re.MULTILINE)
_RAISED = re.compile(r"VerifyException: (c\d.*?)(?=\n\s*\n|\Z)", re.DOTALL)
_NUMBERED = re.compile(r"c(\d+) (.+?)(?=, c\d|\.?$)")


def required_by(op: type[IRDLOperation]) -> list[tuple[str, str]]:
    """The numbered constraints in the docstrings of a class and its bases: the name, and what has to hold."""
    classes = [cls for cls in op.__mro__ if cls.__module__.startswith("mlc.")]
    return [m for cls in classes for m in _REQUIRED.findall(cls.__doc__ or "")]


def refused_by(op: type[IRDLOperation]) -> list[tuple[str, str]]:
    """The numbered constraints in the docstrings of verifiers: the name, and what is refused."""
    refused: dict[int, str] = {}
    for method in ("infer", "inferred_type", "verify_"):
        doc = inspect.cleandoc(getattr(getattr(op, method, None), "__doc__", None) or "")
        for clause in _RAISED.findall(doc):
            for number, text in _NUMBERED.findall(" ".join(clause.split())):
                refused.setdefault(int(number), text)
    return [(f"{op.name.partition('.')[2]}_c{n}", refused[n]) for n in sorted(refused)]


def _count(declared: object) -> str:
    if isinstance(declared, VarOperandDef | VarResultDef | VarRegionDef):
        return "zero or more: "
    return "optional " if isinstance(declared, OptOperandDef | OptResultDef | OptRegionDef) else ""


def _single(constraint: RangeConstraint) -> AttrConstraint:
    """The constraint on each value of an operand or result."""
    if isinstance(constraint, RangeLengthConstraint):
        return _single(constraint.constraint)
    return constraint.constr if isinstance(constraint, RangeOf) else AnyAttr()


def _property(declared: Any, variables: dict[str, str]) -> str:
    text = _describe(declared.constr, variables)
    if declared.default_value is not None:
        return f"{text}; `{declared.default_value}` if not given"
    return f"{text}; optional" if isinstance(declared, OptPropertyDef) and text != _WORDS["unit"] else text


def _describe(constraint: AttrConstraint, variables: dict[str, str]) -> str:
    """A constraint in words; variables in it are collected."""
    match constraint:
        case AnyAttr():
            return "any type"
        case VarConstraint(name=name, constraint=inner):
            variables[name] = _describe(inner, variables)
            return f"`{name}`"
        case AnyOf() | AttrSetConstraint():
            *others, last = dict.fromkeys(_describe(c, variables) for c in _alternatives(constraint))
            return f"{', '.join(others)} or {last}" if others else last
        case EqAttrConstraint(attr=attribute):
            return f"`{attribute}`"
        case BaseAttr(attr=cls):
            return class_words(cls)
        case ParamAttrConstraint(base_attr=cls, param_constrs=parameters):
            return _parametrized(cls, parameters, variables)
        case ArrayOfConstraint(elem_range_constraint=elements):
            return f"list of {_describe(_single(elements), variables)}s"
        case _:
            return _spaced(type(constraint))


def _spaced(cls: type) -> str:
    """The name of a class as words: `type attribute` of `TypeAttribute`."""
    return " ".join(re.findall("[A-Z][a-z]*", cls.__name__.removesuffix("Constraint"))).lower()


def _alternatives(constraint: AttrConstraint) -> Iterator[AttrConstraint]:
    """The constraints of which one must hold."""
    match constraint:
        case AnyOf(attr_constrs=parts):
            for part in parts:
                yield from _alternatives(part)
        case AttrSetConstraint(values=values):
            for kinds, words in _KINDS:
                if values.issuperset(kinds):
                    yield words
                    values = values.difference(kinds)
            yield from (EqAttrConstraint(v) for v in sorted(values, key=str))
        case _:
            yield constraint


def class_words(cls: type[Attribute]) -> str:
    """What readers call attributes or types of a class."""
    if issubclass(cls, EnumAttribute):
        enum = cast(type[EnumAttribute[Any]], cls).enum_type
        return "one of " + ", ".join(f"`{member.value}`" for member in enum)
    if issubclass(cls, AnyFloat):
        return "float"
    if cls is ShapedType:
        return "tensor, memref or vector"
    name = cls.name if hasattr(cls, "name") else _spaced(cls)  # bases of several have none
    return _WORDS.get(name, name)


def _parametrized(cls: type[Attribute], parameters: Sequence[AttrConstraint], variables: dict[str, str]) -> str:
    """`tensor of float`, `vector of T`, `integer (i64)`: the class, and the parameter that says something."""
    name = class_words(cls)
    for parameter in parameters:
        match parameter:
            case VarConstraint() | AnyOf() | AttrSetConstraint() | ParamAttrConstraint():
                words = _describe(parameter, variables)
                return f"{name} of ({words})" if " or " in words else f"{name} of {words}"
            case EqAttrConstraint(attr=IntegerType() as element):
                return f"{name} of `{element}`" if cls in _CONTAINERS else f"{name} (`{element}`)"
            case BaseAttr(attr=element) if cls in _CONTAINERS and issubclass(element, TypeAttribute):
                return f"{name} of {class_words(element)}"
            case _:
                pass
    return name
