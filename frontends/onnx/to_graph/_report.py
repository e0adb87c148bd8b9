"""What stands in the way of a conversion, told at once."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects.onnx.nodes import in_words
from mlc.dialects.onnx.ops import OnnxOp
from mlc.frontends.onnx.to_graph._conversion import NO_PATTERN, Conversion
from mlc.frontends.onnx.to_graph._strings import strings_in
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.refusals import labels
from mlc.support.dtypes import is_supported
from mlc.support.errors import UserError
from mlc.support.functions import extents_in, input_names, marks_of, name_for_callers
from mlc.support.locations import location_of

_NAMED = 3
"""How many readers of an input a message names."""


def foreign_inputs(function: func.FuncOp) -> dict[SSAValue, UserError]:
    """The inputs that are not tensors of numbers, and what to do about them."""
    found: dict[SSAValue, UserError] = {}
    for argument, name in zip(function.args, input_names(function), strict=True):
        kind: Attribute = argument.type
        is_tensor = isinstance(kind, TensorType | UnrankedTensorType)
        element = cast(Attribute, cast(Any, kind).element_type) if is_tensor else None
        if element is not None and is_supported(element):
            continue
        readers = [op for op in dict.fromkeys(use.operation for use in argument.uses) if isinstance(op, OnnxOp)]
        shown = f"read by {', '.join(_with_operators(readers))}" if readers else "which no node reads"
        advice = "take the input out of the model"
        if readers:
            advice = "compute outside the model what these nodes make of it, and let the model take that"
        message = f"input '{name}' is {in_words(kind)}, {shown}; mlc takes tensors of real numbers: {advice}"
        found[argument] = UserError(message, location_of(function))
    return found


def _with_operators(ops: Sequence[OnnxOp]) -> list[str]:
    """The names of some nodes, and what they are."""
    named = [" ".join([*labels([op]), f"({_qualified(op)})"]) for op in ops[:_NAMED]]
    return [*named, *(["…"] if len(ops) > _NAMED else [])]


def never_converted(
    ops: Iterable[Operation], conversion: Conversion, known: Container[SSAValue]
) -> Iterator[tuple[OnnxOp, Unconvertible]]:
    """The ops that cannot be converted, whatever the shapes of their operands are, but for those that take one of
    `known`: it is said already that nothing can."""
    for op in ops:
        if not isinstance(op, OnnxOp) or op in conversion.wrong or any(v in known for v in op.operands):
            continue
        if conversion.driver.handles(op):
            if (reason := strings_in(op)) is not None:
                yield op, Unconvertible(reason)
            continue
        schema = op.schema
        if schema is None or not (schema.has_function or schema.has_context_dependent_function):
            yield op, Unconvertible(NO_PATTERN)


def contradictions(function: func.FuncOp, declared: Sequence[Attribute]) -> Iterator[str]:
    """What is said of outputs that are not what they were declared to be, once the function is converted."""
    end = function.body.block.last_op
    results = [] if end is None else list(end.operands)
    marks = marks_of(results, function.res_attrs)
    # After what is declared are results that say how much of these is data.
    for number, (said, value, mark) in enumerate(zip(declared, results, marks, strict=False)):
        if not _is_as_declared(said, value.type, extents_in(mark)):
            name = name_for_callers(value, mark, str(number))
            yield f"output '{name}' is declared as {said}, but it is {value.type}, and that is what callers get"


def _is_as_declared(said: Attribute, kind: Attribute, extents: Sequence[int]) -> bool:
    """Whether a type has the element type, the rank and the extents that another one says, but for those that depend on
    data."""
    if not isinstance(said, TensorType | UnrankedTensorType) or not isinstance(kind, TensorType):
        return True
    if cast(Any, said).element_type != cast(Any, kind).element_type:
        return False
    if not isinstance(said, TensorType):
        return True
    shape = kind.get_shape()
    wanted = said.get_shape()
    places = extents or [-1] * len(shape)
    return len(shape) == len(wanted) and all(
        w in (DYNAMIC_INDEX, e) or place >= 0 for w, e, place in zip(wanted, shape, places, strict=True)
    )


def operator(op: Operation) -> str:
    """An operator with its domain and version, for messages."""
    return f"{_qualified(op)} (version {op.since})" if isinstance(op, OnnxOp) else op.name


def _qualified(op: OnnxOp) -> str:
    return f"{op.DOMAIN}.{op.OP_TYPE}" if op.DOMAIN else op.OP_TYPE
