"""How a lowering makes one type into another one, or into several.

    @converts_type("convert-graph-to-tensor", FixedType)
    def bits_of(fixed: FixedType) -> Attribute:
        return IntegerType(fixed.width.data)

A tensor of such elements becomes one of the others. Functions, calls, returns and loops follow by themselves: where an
op that is still to be lowered takes or gives a value of the old type, a `builtin.unrealized_conversion_cast` stands
between, which is called a materialization. Patterns see the old types in their op, ask `parts_of` for the operands in
their new form, and give results of the new types by `in_old_form`. At the end casts that undo each other go. A value of
the old type that is left then is an error at the op that has it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, TensorType, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from mlc.pass_manager.pipeline import LEVEL_CONVERSIONS
from mlc.support import dtypes
from mlc.support.additions import counts
from mlc.support.errors import UserError
from mlc.support.locations import error_at
from mlc.support.types import Tensor

Converter = Callable[[Any], Attribute | Sequence[Attribute]]
_C = TypeVar("_C", bound=Converter)
_converters: dict[str, dict[type[Attribute], list[Converter]]] = defaultdict(lambda: defaultdict(list))
"""By pass and class of types."""


def converts_type(pass_name: str, *types: type[Attribute]) -> Callable[[_C], _C]:
    """Decorator: the function gives the type, or the types, that a type of these classes becomes in a lowering.

    Raises:
        ValueError: the types of one class are converted twice.
    """

    def register(converter: _C) -> _C:
        for each in types:
            if (other := _converter(pass_name, each)) is not None:
                raise ValueError(
                    f"two functions convert the type '{each.name}' in '{pass_name}': {other.__name__} and "
                    f"{converter.__name__}; drop one"
                )
            _converters[pass_name][each].append(converter)
        return converter

    return register


def _converter(pass_name: str, kind: type[Attribute]) -> Converter | None:
    return next((each for each in _converters[pass_name].get(kind, ()) if counts(each.__module__)), None)


def converted(pass_name: str, kind: Attribute) -> tuple[Attribute, ...]:
    """What a type becomes in a lowering: itself, if nobody converts it.

    Raises:
        UserError: a converter gives something else than types.
    """
    if (converter := _converter(pass_name, type(kind))) is not None:
        given: object = converter(kind)
        parts = [given] if isinstance(given, Attribute) else list(cast("Iterable[object]", given or ()))
        if not parts or not all(isinstance(each, Attribute) for each in parts):
            name = getattr(converter, "__name__", "a converter")
            raise UserError(f"'{name}' makes {given!r} of the type {kind}; required: a type, or a list of types")
        return tuple(part for each in parts for part in converted(pass_name, cast(Attribute, each)))
    if isinstance(kind, TensorType):
        tensor = cast(Tensor, kind)
        elements = converted(pass_name, tensor.element_type)
        if elements != (tensor.element_type,):
            return tuple(_tensor_of(each, tensor) for each in elements)
    return (cast(Attribute, kind),)


def _tensor_of(element: Attribute, like: Tensor) -> Attribute:
    return Tensor(element, like.get_shape(), like.encoding)


def parts_of(pass_name: str, value: SSAValue) -> tuple[SSAValue, ...]:
    """An operand of an op in the types that a lowering makes of its own; the op itself is being lowered.

    Raises:
        UserError: the op that gives the value has not been lowered.
    """
    if converted(pass_name, value.type) == (value.type,):
        return (value,)
    if isinstance(cast_op := value.owner, UnrealizedConversionCastOp):
        return tuple(cast_op.inputs)
    raise _left(pass_name, value.owner if isinstance(value.owner, Operation) else None, value)


def in_old_form(pass_name: str, op: Operation, parts: Sequence[SSAValue], old: Attribute) -> Operation | None:
    """The materialization that makes a value of the `old` type of what a pattern has lowered `op` to; None if the value
    has that type.

    Raises:
        UserError: the parts are of other types than the old one becomes.
    """
    types = tuple(part.type for part in parts)
    if types == (old,):
        return None
    if types == converted(pass_name, old):
        return _materialization(parts, [old])
    required = " and ".join(map(str, converted(pass_name, old)))
    found = " and ".join(map(str, types))
    raise error_at(op, f"'{op.name}' was lowered to a value of type {found}; required: {required}")


def _materialization(values: Sequence[SSAValue], types: Sequence[Attribute]) -> UnrealizedConversionCastOp:
    made = UnrealizedConversionCastOp.create(operands=values, result_types=types)
    if values and isinstance(source := values[0].owner, Operation):
        made.location = source.location
    return made


@dataclass
class TypeConversion:
    """The conversion of types in one run of a lowering."""

    pass_name: str
    stays: tuple[type[Operation], ...] = ()
    """Ops with regions that no pattern lowers now: they hold values of whatever types their operands have."""

    def _is_needed(self) -> bool:
        return any(counts(c.__module__) for each in _converters[self.pass_name].values() for c in each)

    def changes(self, kind: Attribute) -> bool:
        """Whether the lowering makes another type of this one."""
        return converted(self.pass_name, kind) != (kind,)

    def convert_functions(self, functions: Sequence[func.FuncOp]) -> None:
        """Convert signatures, and what hands values on in the bodies: calls, returns, and the ops that stay.

        Raises:
            UserError: an op that stays has a value that would become several.
        """
        for function in functions if self._is_needed() else ():
            self._convert_signature(function)
            for op in list(function.walk()):
                if isinstance(op, (func.CallOp, *self.stays)) or (op.has_trait(IsTerminator) and self._is_kept(op)):
                    self._convert_op(op)

    def _is_kept(self, terminator: Operation) -> bool:
        return isinstance(terminator.parent_op(), (func.FuncOp, *self.stays))

    def _convert_signature(self, function: func.FuncOp) -> None:
        sides: list[list[Attribute]] = []
        for field, types in zip(("arg_attrs", "res_attrs"), _sides(function), strict=True):
            parts = [converted(self.pass_name, each) for each in types]
            sides.append([part for each in parts for part in each])
            marks = function.properties.get(field)
            if isinstance(marks, ArrayAttr):
                marked = zip(cast("ArrayAttr[DictionaryAttr]", marks), parts, strict=True)
                function.properties[field] = ArrayAttr([mark for mark, each in marked for _ in each])
        function.function_type = FunctionType.from_lists(*sides)
        for block in function.body.blocks:
            self._convert_arguments(block)

    def _convert_arguments(self, block: Block) -> None:
        for argument in list(block.args):
            if not self.changes(argument.type):
                continue
            place = argument.index + 1
            parts: list[SSAValue] = []
            for number, kind in enumerate(types := converted(self.pass_name, argument.type)):
                parts.append(part := block.insert_arg(kind, place + number))
                hint = argument.name_hint
                part.name_hint = hint and (hint if len(types) == 1 else f"{hint}_{number}")
            made = _materialization(parts, [argument.type])
            Rewriter.insert_op(made, InsertPoint.at_start(block))
            argument.replace_all_uses_with(made.results[0])
            block.erase_arg(argument)

    def _convert_op(self, op: Operation) -> None:
        """Operands, results and arguments of blocks of an op that only hands values on."""
        is_call = isinstance(op, func.CallOp) or op.has_trait(IsTerminator)
        for region in op.regions:
            for block in region.blocks:
                self._require_single(op, is_call, [a.type for a in block.args])
                self._convert_arguments(block)
        self._require_single(op, is_call, [v.type for v in (*op.operands, *op.results)])
        operands = [part for value in op.operands for part in self._new_form(value, op)]
        types = [converted(self.pass_name, result.type) for result in op.results]
        if operands == list(op.operands) and types == [(each,) for each in op.result_types]:
            return
        made = type(op).create(
            operands=operands,
            result_types=[part for each in types for part in each],
            properties=op.properties,
            attributes=op.attributes,
            regions=[op.detach_region(region) for region in list(op.regions)],
            location=op.location,
        )
        results, news = iter(made.results), list[Operation]()
        replacements: list[SSAValue] = []
        for old, each in zip(op.results, types, strict=True):
            parts = [next(results) for _ in each]
            for part in parts:
                part.name_hint = old.name_hint
            if parts[0].type == old.type and len(parts) == 1:
                replacements.append(parts[0])
            else:
                news.append(_materialization(parts, [old.type]))
                replacements.append(news[-1].results[0])
        Rewriter.replace_op(op, [made, *news], replacements)

    def _require_single(self, op: Operation, is_call: bool, types: Sequence[Attribute]) -> None:
        for each in types if not is_call else ():
            if len(parts := converted(self.pass_name, each)) > 1:
                what = f"{each}, which {self.pass_name} makes {len(parts)} values of"
                raise error_at(op, f"'{op.name}' has a value of type {what}; loops hold values that become one")

    def _new_form(self, value: SSAValue, user: Operation) -> Sequence[SSAValue]:
        if not self.changes(value.type):
            return [value]
        made = _materialization([value], converted(self.pass_name, value.type))
        Rewriter.insert_op(made, InsertPoint.before(user))
        return made.results

    def finish(self, functions: Iterable[func.FuncOp]) -> None:
        """Drop the materializations that undo each other.

        Raises:
            UserError: at an op that no pattern has lowered, as it has a value of an old type.
        """
        for function in functions if self._is_needed() else ():
            made = [op for op in function.walk() if isinstance(op, UnrealizedConversionCastOp)]
            for op in made:
                source = op.inputs[0].owner if op.inputs else None
                if isinstance(source, UnrealizedConversionCastOp) and _undoes(op, source):
                    for old, new in zip(op.results, source.inputs, strict=True):
                        old.replace_all_uses_with(new)
            for op in reversed(made):
                if not any(result.uses for result in op.results) and self._is_ours(op):
                    Rewriter.erase_op(op)
            for op in function.walk():
                for value in (*op.operands, *op.results):
                    if self.changes(value.type):
                        raise _left(self.pass_name, op, value)

    def _is_ours(self, op: UnrealizedConversionCastOp) -> bool:
        return any(self.changes(value.type) for value in (*op.operands, *op.results))


def _sides(function: func.FuncOp) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    return function.function_type.inputs.data, function.function_type.outputs.data


def _undoes(last: UnrealizedConversionCastOp, first: UnrealizedConversionCastOp) -> bool:
    handed_on = list(last.inputs) == list(first.results)
    return handed_on and [v.type for v in last.results] == [v.type for v in first.inputs]


def _left(pass_name: str, op: Operation | None, value: SSAValue) -> UserError:
    becomes = " and ".join(map(str, converted(pass_name, value.type)))
    message = f"a value of type {value.type}, which {pass_name} makes {becomes} of"
    if isinstance(op, UnrealizedConversionCastOp):  # what is on the other side of it has the old type
        op = next((use.operation for use in op.results[0].uses), op)
    if op is None:
        return UserError(f"{message}, is left")
    return error_at(op, f"'{op.name}' has {message}, and no pattern of {pass_name} takes this op")


def _stand_in(element: Attribute) -> Attribute:
    """What elements become where the graph level ends, if that is one type."""
    parts = converted(LEVEL_CONVERSIONS["tensor"], element)
    return parts[0] if len(parts) == 1 else element


dtypes.stand_ins.append(_stand_in)
