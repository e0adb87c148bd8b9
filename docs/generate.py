"""Write the reference pages of the dialects, docs/dialects/*.md, from the definitions of their ops.

    python docs/generate.py

What a page says about an op stands in its class: the docstring, the declared operands, properties and results, and the
numbered constraints in the docstrings of its verifier. What an op means is the source of its function in the reference
interpreter. A test keeps the committed pages equal to what this makes.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    ArrayOfConstraint,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ShapedType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Dialect, TypeAttribute
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

from mlc.dialects.kept_text import KeptAsText
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.registry import dialect_names, load_dialect
from mlc.reference import interpreter as interpreter  # which registers the semantics of ops
from mlc.reference.execution import semantics_of

FOLDER = Path(__file__).parent / "dialects"

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
_ACCESS: tuple[tuple[type[Attribute], str], ...] = (
    (IntegerAttr, ".value.data"),
    (FloatAttr, ".value.data"),
    (StringAttr, ".data"),
    (EnumAttribute, ".data"),
    (AffineMapAttr, ".data"),
    (ArrayAttr, ".data"),
    (DenseArrayBase, ".get_values()"),
    (DenseIntOrFPElementsAttr, ".get_values()"),
    (SymbolRefAttr, ".string_value()"),
    (UnitAttr, " is not None"),
)
"""How Python reads what an attribute holds; of others a pattern takes the attribute itself."""
_CONTAINERS = (TensorType, VectorType, MemRefType)


def pages() -> dict[str, str]:
    """The text of every page, by file name."""
    return {f"{name}.md": _page(load_dialect(name)) for name in dialect_names()}


def own_ops(dialect: Dialect) -> list[type[IRDLOperation]]:
    """The ops of a dialect that mlc defines, without those that come from xDSL's dialect of the same name."""
    ops = [cast(type[IRDLOperation], op) for op in dialect.operations if op.__module__.startswith("mlc.")]
    # The operators of another source are made from its own lists, which its documentation describes.
    ops = [op for op in ops if hasattr(sys.modules[op.__module__], op.__name__)]
    return ops if dialect.name in ("graph", "tensor", "loop") else sorted(ops, key=lambda op: op.name)


def _page(dialect: Dialect) -> str:
    package = sys.modules[f"mlc.dialects.{dialect.name}"]
    ops = own_ops(dialect)
    attributes = [a for a in dialect.attributes if a.__module__.startswith("mlc.")]
    index = ["\n".join(["| op | |", "|---|---|", *map(_index_row, ops)])] if ops else []
    parts = [
        "<!-- Made by docs/generate.py from the op definitions. Edit those. -->",
        f"# The {dialect.name} dialect",
        inspect.cleandoc(package.__doc__ or ""),
        *index,
    ]
    for op in ops:
        parts += _op_section(op)
    kept = [a for a in attributes if issubclass(a, KeptAsText)]
    for attribute in attributes:
        parts += [] if attribute in kept else _attribute_section(attribute)
    if kept:
        names = ", ".join(f"`{'!' if issubclass(a, TypeAttribute) else '#'}{a.name}`" for a in kept)
        parts += ["## Kept as written", f"mlc carries these of upstream along, and looks into none of them: {names}."]
    return "\n\n".join(parts) + "\n"


def _index_row(op: type[IRDLOperation]) -> str:
    """A link to the op's section, by the fragment that Markdown renderers derive from its heading, and its summary."""
    summary = " ".join(inspect.cleandoc(op.__doc__ or "").partition("\n\n")[0].split()).replace("|", "\\|")
    return f"| [`{op.name}`](#{op.name.replace('.', '').lower()}) | {summary} |"


def _op_section(op: type[IRDLOperation]) -> Iterator[str]:
    yield f"## `{op.name}`"
    yield _LISTED.sub("", inspect.cleandoc(op.__doc__ or "")).rstrip()
    definition = op.get_irdl_definition()
    if definition.assembly_format is not None:
        yield f"Syntax:\n\n```text\n{op.name} {_plain(definition.assembly_format)}\n```"
    rows, variables = _rows(op)
    if rows:
        yield "\n".join(["| | name | what it is | in Python |", "|---|---|---|---|", *rows])
    if variables:
        yield "\n".join(f"`{name}`: {meaning}, the same each time." for name, meaning in variables.items())
    if facts := _facts(op):
        yield "\n".join(facts)
    if errors := list(_constraints(op)):
        yield "\n".join(errors)
    yield from _semantics(op)


def _semantics(op: type[IRDLOperation]) -> Iterator[str]:
    """The source of the function with which the reference interpreter computes the op, if it has one."""
    if (function := semantics_of(op)) is not None:
        file = Path(inspect.getsourcefile(function) or "").relative_to(FOLDER.parents[1]).as_posix()
        source = inspect.cleandoc("\n" + inspect.getsource(function))
        yield f"Reference semantics ([{file}](../../{file})):\n\n```python\n{source}\n```"


def _plain(assembly_format: str) -> str:
    """An assembly format as a reader sees it: keywords without backquotes."""
    text = re.sub(r"`([^`]*)`", r"\1", assembly_format)
    return re.sub(r" ([,\])])", r"\1", re.sub(r"([\[(]) ", r"\1", text))


def _rows(op: type[IRDLOperation]) -> tuple[list[str], dict[str, str]]:
    """Table rows for what an op takes and gives, and the type variables that occur in them."""
    definition = op.get_irdl_definition()
    variables: dict[str, str] = {}
    rows: list[str] = []
    for role, declared in (("operand", definition.operands), ("result", definition.results)):
        for name, d in declared:
            words = f"{_count(d)}{_describe(_single(d.constr), variables)}"
            rows.append(f"| {role} | `{name.rstrip('_')}` | {words} | `op.{name}` |")
    fields = {name: f"op.{field}" for field, (name, _) in definition.accessor_names.items()}
    for name, p in {**definition.properties, **definition.attributes}.items():
        field = fields.get(name, f'op.properties["{name}"]')
        rows.append(f"| property | `{name}` | {_property(p, variables)} | {_access(field, p)} |")
    rows += [f"| region | `{name}` | {_count(r)}one block | `op.{name}` |" for name, r in definition.regions]
    return rows, variables


def _access(field: str, declared: Any) -> str:
    """How Python reads the property that `field` is: `op.starts.get_values()`."""
    bases = declared.constr.get_bases() or ()
    endings = {next((e for kind, e in _ACCESS if issubclass(base, kind)), "") for base in bases}
    (ending,) = endings if len(endings) == 1 else ("",)
    return f"`{field}{ending}`"


def _count(declared: object) -> str:
    if isinstance(declared, VarOperandDef | VarResultDef | VarRegionDef):
        return "zero or more: "
    return "optional " if isinstance(declared, OptOperandDef | OptResultDef | OptRegionDef) else ""


def _single(constraint: RangeConstraint) -> AttrConstraint:
    """The constraint on each value of an operand or result."""
    if isinstance(constraint, RangeLengthConstraint):
        return _single(constraint.constraint)
    assert isinstance(constraint, RangeOf), f"no words for {constraint}"
    return constraint.constr


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
            return _class_name(cls)
        case ParamAttrConstraint(base_attr=cls, param_constrs=parameters):
            return _parametrized(cls, parameters, variables)
        case ArrayOfConstraint(elem_range_constraint=elements):
            return f"list of {_describe(_single(elements), variables)}s"
        case _:
            words = re.findall("[A-Z][a-z]*", type(constraint).__name__.removesuffix("Constraint"))
            return " ".join(words).lower()


def _alternatives(constraint: AttrConstraint) -> Iterator[AttrConstraint]:
    """The constraints of which one must hold."""
    match constraint:
        case AnyOf(attr_constrs=parts):
            for part in parts:
                yield from _alternatives(part)
        case AttrSetConstraint(values=values):
            yield from (EqAttrConstraint(v) for v in sorted(values, key=str))
        case _:
            yield constraint


def _class_name(cls: type[Attribute]) -> str:
    if issubclass(cls, EnumAttribute):
        enum = cast(type[EnumAttribute[Any]], cls).enum_type
        return "one of " + ", ".join(f"`{member.value}`" for member in enum)
    if issubclass(cls, AnyFloat):
        return "float"
    if cls is ShapedType:
        return "tensor, memref or vector"
    return _WORDS.get(cls.name, cls.name)


def _parametrized(cls: type[Attribute], parameters: Sequence[AttrConstraint], variables: dict[str, str]) -> str:
    """`tensor of float`, `vector of T`, `integer (i64)`: the class, and the parameter that says something."""
    name = _class_name(cls)
    for parameter in parameters:
        match parameter:
            case VarConstraint() | AnyOf() | AttrSetConstraint() | ParamAttrConstraint():
                words = _describe(parameter, variables)
                return f"{name} of ({words})" if " or " in words else f"{name} of {words}"
            case EqAttrConstraint(attr=IntegerType() as element):
                return f"{name} of `{element}`" if cls in _CONTAINERS else f"{name} (`{element}`)"
            case BaseAttr(attr=element) if cls in _CONTAINERS and issubclass(element, TypeAttribute):
                return f"{name} of {_class_name(element)}"
            case _:
                pass
    return name


def _facts(op: type[IRDLOperation]) -> list[str]:
    """Traits and canonicalization patterns."""
    facts: list[str] = []
    if names := sorted(t for t in (type(t).__name__ for t in op.traits.traits) if not t.startswith("_")):
        facts.append("Traits: " + ", ".join(f"`{n}`" for n in names) + ".")
    if issubclass(op, HasCanonicalizationPatternsInterface):
        patterns = op.get_canonicalization_patterns()
        if patterns:
            facts.append("Simplified by: " + ", ".join(f"`{type(p).__name__}`" for p in patterns) + ".")
    return facts


_LISTED = re.compile(r"^Constraints\b.*:\n(?:  .*\n?)+", re.MULTILINE)
"""The list of constraints in a docstring, which has a section of its own on the page."""
_REQUIRED = re.compile(r"^\s*(\w+_c\d+): (.+)$", re.MULTILINE)
_RAISED = re.compile(r"VerifyException: (c\d.*?)(?=\n\s*\n|\Z)", re.DOTALL)
_NUMBERED = re.compile(r"c(\d+) (.+?)(?=, c\d|\.?$)")


def _constraints(op: type[IRDLOperation]) -> Iterator[str]:
    """The numbered constraints: required ones in the docstrings of classes, refused cases in those of verifiers."""
    required = [
        m for cls in op.__mro__ if cls.__module__.startswith("mlc.") for m in _REQUIRED.findall(cls.__doc__ or "")
    ]
    if required:
        yield "Required:\n"
        yield from (f"- `{code}`: {text}" for code, text in required)
    refused: dict[int, str] = {}
    for method in ("infer", "inferred_type", "verify_"):
        doc = inspect.cleandoc(getattr(getattr(op, method, None), "__doc__", None) or "")
        for clause in _RAISED.findall(doc):
            for number, text in _NUMBERED.findall(" ".join(clause.split())):
                refused.setdefault(int(number), text)
    if refused:
        yield "Refused:\n"
        yield from (f"- `{op.name.partition('.')[2]}_c{n}`: {refused[n]}" for n in sorted(refused))


def _attribute_section(attribute: type[Attribute]) -> Iterator[str]:
    yield f"## `#{attribute.name}`"
    yield inspect.cleandoc(attribute.__doc__ or "")
    if issubclass(attribute, ScheduleAttr):
        yield attribute.listing()
    words = _class_name(attribute)
    if words.startswith("one of"):
        yield f"It is {words}."


def main() -> None:
    """Write the pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
