"""Whether types, attributes and ops fit their definitions in IRDL.

A constraint is a value of the irdl dialect. All that it stands for in one definition is one attribute: two operands
that share a constraint have the same type (Fehr et al., IRDL: an IR definition language for SSA compilers, 2022).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import builtin, irdl
from xdsl.dialects.irdl import VariadicityEnum
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.irdl import OperandsOp, ParametersOp, RegionsOp, ResultsOp, entries
from mlc.syntax.words import counted, listed

Assignment = dict[SSAValue, Attribute]
"""What constraints stand for."""

SEGMENTS = {"operand": "operand_segment_sizes", "result": "result_segment_sizes"}
"""The attributes that say how many values each group has, where that is not clear, as in LLVM."""

_BUILTIN: dict[str, type[Attribute]] = {
    "!builtin.bf16": builtin.BFloat16Type,
    "!builtin.complex": builtin.ComplexType,
    "!builtin.f16": builtin.Float16Type,
    "!builtin.f32": builtin.Float32Type,
    "!builtin.f64": builtin.Float64Type,
    "!builtin.function": builtin.FunctionType,
    "!builtin.index": builtin.IndexType,
    "!builtin.integer": builtin.IntegerType,
    "!builtin.memref": builtin.MemRefType,
    "!builtin.none": builtin.NoneType,
    "!builtin.tensor": builtin.TensorType,
    "!builtin.tuple": builtin.TupleType,
    "!builtin.unranked_memref": builtin.UnrankedMemRefType,
    "!builtin.unranked_tensor": builtin.UnrankedTensorType,
    "!builtin.vector": builtin.VectorType,
    "#builtin.affine_map": builtin.AffineMapAttr,
    "#builtin.array": builtin.ArrayAttr,
    "#builtin.dense_array": builtin.DenseArrayBase,
    "#builtin.dense_intorfp_elements": builtin.DenseIntOrFPElementsAttr,
    "#builtin.dictionary": builtin.DictionaryAttr,
    "#builtin.float": builtin.FloatAttr,
    "#builtin.integer": builtin.IntegerAttr,
    "#builtin.string": builtin.StringAttr,
    "#builtin.symbol_ref": builtin.SymbolRefAttr,
    "#builtin.type": TypeAttribute,  # pyright: ignore[reportAssignmentType], which types are, as attributes
    "#builtin.unit": builtin.UnitAttr,
}
"""The classes of what upstream calls by these names; other dialects have upstream's names."""


def faults(dialect: irdl.DialectOp) -> Iterator[tuple[Operation, str]]:
    """What in a dialect nobody could check: predicates in C++, and names of nothing."""
    for op in dialect.walk():
        match op:
            case irdl.CPredOp():
                yield op, "'irdl.c_pred' is a predicate in C++, which mlc cannot run; required: other constraints"
            case irdl.ParametricOp() if definition_of(op, op.base_type) is None:
                yield op, _undefined(op.base_type)
            case irdl.BaseOp() if op.base_ref is not None and definition_of(op, op.base_ref) is None:
                yield op, _undefined(op.base_ref)
            case irdl.BaseOp() if op.base_name is not None and not _is_name(op.base_name.data):
                known = ", ".join(_BUILTIN)
                yield op, f"unknown name '{op.base_name.data}'; required: !dialect.type, #dialect.attribute, or {known}"
            case _:
                pass


def _undefined(symbol: builtin.SymbolRefAttr) -> str:
    return f"{symbol} is not defined; required: an irdl.type or irdl.attribute of this file, as @dialect::@name"


def _is_name(name: str) -> bool:
    if name.startswith(("!builtin.", "#builtin.")):
        return name in _BUILTIN
    return name[:1] in ("!", "#") and "." in name


def definition_of(op: Operation, symbol: builtin.SymbolRefAttr) -> irdl.TypeOp | irdl.AttributeOp | None:
    """What `@dialect::@name` means, or `@name` in its own dialect."""
    dialect = op.parent_op()
    while dialect is not None and not isinstance(dialect, irdl.DialectOp):
        dialect = dialect.parent_op()
    name = symbol.root_reference.data
    if symbol.nested_references.data:
        around = dialect.parent_block() if dialect else None
        others = [each for each in around.ops if isinstance(each, irdl.DialectOp)] if around else []
        dialect = next((each for each in others if each.sym_name.data == name), None)
        name = symbol.nested_references.data[0].data
    kinds = (irdl.TypeOp, irdl.AttributeOp)
    found = [each for each in dialect.body.block.ops if isinstance(each, kinds)] if dialect else []
    return next((each for each in found if each.sym_name.data == name), None)


def fits(constraint: SSAValue, value: Attribute, known: Assignment) -> bool:
    """Whether a value fits; `known` learns what the constraint, and those that it is made of, stand for."""
    if constraint in known:
        return known[constraint] == value
    match constraint.owner:
        case irdl.IsOp(expected=expected):
            does = value == expected
        case irdl.AnyOfOp(args=args):
            does = any(_fits_alone(each, value, known) for each in args)
        case irdl.AllOfOp(args=args):
            does = all(fits(each, value, known) for each in args)
        case irdl.BaseOp() as op:
            does = _has_base(op, value)
        case irdl.ParametricOp() as op:
            parameters = value.parameters if isinstance(value, ParametrizedAttribute) else ()
            does = _is_of(definition_of(op, op.base_type), value) and len(parameters) == len(op.args)
            does = does and all(fits(arg, each, known) for arg, each in zip(op.args, parameters, strict=True))
        case _:
            does = True
    if does:
        known[constraint] = value
    return does


def _fits_alone(constraint: SSAValue, value: Attribute, known: Assignment) -> bool:
    """The same for one of several alternatives: nothing is learned from one that does not fit."""
    trial = dict(known)
    if does := fits(constraint, value, trial):
        known.update(trial)
    return does


def _has_base(op: irdl.BaseOp, value: Attribute) -> bool:
    if op.base_ref is not None:
        return _is_of(definition_of(op, op.base_ref), value)
    assert op.base_name is not None
    name = op.base_name.data
    if name in _BUILTIN:
        return isinstance(value, _BUILTIN[name])
    return value.name == name[1:] and isinstance(value, TypeAttribute) == (name[0] == "!")


def _is_of(definition: irdl.TypeOp | irdl.AttributeOp | None, value: Attribute) -> bool:
    is_type = isinstance(definition, irdl.TypeOp)
    return (
        definition is not None
        and value.name == definition.qualified_name
        and isinstance(value, TypeAttribute) == is_type
    )


def required(constraint: SSAValue, known: Assignment) -> str:
    """A constraint in words, with what is known of its parts: `!cmath.complex<f32>`."""
    if constraint in known:
        return str(known[constraint])
    match constraint.owner:
        case irdl.IsOp(expected=expected):
            return str(expected)
        case irdl.AnyOfOp(args=args):
            return listed(dict.fromkeys(required(each, known) for each in args))
        case irdl.AllOfOp(args=args):
            return " that is also ".join(dict.fromkeys(required(each, known) for each in args))
        case irdl.BaseOp(base_name=builtin.StringAttr(data=name)):
            return name
        case irdl.BaseOp(base_ref=builtin.SymbolRefAttr() as symbol) as op:
            return f"{_spelled(definition_of(op, symbol))}<...>"
        case irdl.ParametricOp() as op:
            parameters = ", ".join(required(each, known) for each in op.args)
            return f"{_spelled(definition_of(op, op.base_type))}{f'<{parameters}>' if parameters else ''}"
        case _:
            return "anything"


def _spelled(definition: irdl.TypeOp | irdl.AttributeOp | None) -> str:
    assert definition is not None
    return f"{'!' if isinstance(definition, irdl.TypeOp) else '#'}{definition.qualified_name}"


def check_parameters(definition: irdl.TypeOp | irdl.AttributeOp, parameters: Sequence[Attribute]) -> None:
    """Raises: VerifyException if a parameter of a type or an attribute does not fit."""
    known: Assignment = {}
    for op in definition.body.block.ops:
        if isinstance(op, ParametersOp):
            for i, (value, (name, _, constraint)) in enumerate(zip(parameters, entries(op), strict=True)):
                _require(constraint, value, known, f"parameter {_shown(name, i)} is")


def check_operation(definition: irdl.OperationOp, op: IRDLOperation) -> None:
    """Raises: VerifyException if operands, results, attributes or regions do not fit."""
    known: Assignment = {}
    lists = {type(each): each for each in definition.body.block.ops}
    for kind, cls, values in (("operand", OperandsOp, op.operands), ("result", ResultsOp, op.results)):
        groups = list(entries(each)) if isinstance(each := lists.get(cls), IRDLOperation) else []
        for i, group in enumerate(segments(op, kind, groups, values)):
            name, _, constraint = groups[i]
            for value in group:
                _require(constraint, value.type, known, f"{kind} {_shown(name, i)} is of type")
    if isinstance(attributes := lists.get(irdl.AttributesOp), irdl.AttributesOp):
        for name, constraint in zip(attributes.attribute_value_names, attributes.attribute_values, strict=True):
            if (value := op.attributes.get(name.data)) is None:
                raise VerifyException(f"attribute '{name.data}' is missing; required: {required(constraint, known)}")
            _require(constraint, value, known, f"attribute '{name.data}' is")
    regions = list(entries(each)) if isinstance(each := lists.get(RegionsOp), IRDLOperation) else []
    _require_count("region", len(op.regions), len(regions), len(regions))
    for i, (region, (name, _, constraint)) in enumerate(zip(op.regions, regions, strict=True)):
        assert isinstance(constraint.owner, irdl.RegionOp)
        _check_region(constraint.owner, region, known, f"region {_shown(name, i)}")


def _check_region(constraint: irdl.RegionOp, region: Region, known: Assignment, which: str) -> None:
    if (number := constraint.number_of_blocks) is not None and len(region.blocks) != number.value.data:
        found = counted(len(region.blocks), "block")
        raise VerifyException(f"{which} has {found}; required: {counted(number.value.data, 'block')}")
    if constraint.constrained_arguments is None:
        return
    arguments = region.blocks[0].args if region.blocks else ()
    if len(arguments) != len(constraint.entry_block_args):
        wanted = counted(len(constraint.entry_block_args), "argument")
        raise VerifyException(f"{which} has {counted(len(arguments), 'argument')}; required: {wanted}")
    for i, (argument, wanted) in enumerate(zip(arguments, constraint.entry_block_args, strict=True)):
        _require(wanted, argument.type, known, f"argument {i} of {which} is of type")


def segments(
    op: IRDLOperation, kind: str, groups: Sequence[tuple[object, VariadicityEnum, object]], values: Sequence[SSAValue]
) -> list[Sequence[SSAValue]]:
    """The operands or results of each group of its definition.

    Raises:
        VerifyException: there are more or fewer than there can be, or nothing says how many each group has.
    """
    numbers = [number for _, number, _ in groups]
    single = numbers.count(VariadicityEnum.SINGLE)
    most = None if VariadicityEnum.VARIADIC in numbers else len(numbers)
    _require_count(kind, len(values), single, most)
    sizes = [1 if number == VariadicityEnum.SINGLE else len(values) - single for number in numbers]
    if len(numbers) - single > 1:
        said = op.attributes.get(SEGMENTS[kind])
        sizes = list(said.get_values()) if isinstance(said, builtin.DenseArrayBase) else []
        fit = len(sizes) == len(numbers) and all(map(_may_have, numbers, sizes))
        if not fit or sum(sizes) != len(values):
            example = ", ".join(["1"] * len(numbers))
            found = f"is {said}" if said else "is missing"
            needed = f"how many {kind}s each group has, as in array<i32: {example}>"
            raise VerifyException(f"attribute '{SEGMENTS[kind]}' {found}; required: {needed}")
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return [values[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def _may_have(number: VariadicityEnum, size: int) -> bool:
    """Whether a group may have so many values."""
    return size >= (number == VariadicityEnum.SINGLE) and (number == VariadicityEnum.VARIADIC or size <= 1)


def _shown(name: builtin.StringAttr | None, index: int) -> str:
    return f"'{name.data}'" if name else str(index)


def _require_count(kind: str, found: int, least: int, most: int | None) -> None:
    if found < least or (most is not None and found > most):
        wanted = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        raise VerifyException(f"found {counted(found, kind)}; required: {wanted}")


def _require(constraint: SSAValue, value: Attribute, known: Assignment, what: str) -> None:
    before = dict(known)
    if not fits(constraint, value, known):
        raise VerifyException(f"{what} {value}; required: {required(constraint, before)}")
