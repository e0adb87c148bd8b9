"""Complex values of a source as pairs of real ones, from the arguments of a function to its results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    DictionaryAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.to_graph import ConversionToGraph
from mlc.support.functions import DIMS, marks_of
from mlc.support.types import real_type

COMPLEX = "mlc.complex"
"""The mark of an input or an output whose last dim holds the real and the imaginary parts of complex numbers."""


@dataclass
class ConversionOfPairs(ConversionToGraph):
    """A conversion from a source that has complex numbers."""

    pairs: dict[SSAValue, Pair] = field(default_factory=dict[SSAValue, Pair])
    """What complex values have become."""
    replaced: list[Operation] = field(default_factory=list[Operation])
    """Ops that made complex values, which go when all is converted."""

    def number(self, value: SSAValue) -> RealOrPair:
        """What stands for a value of the source: itself, or a pair."""
        return self.pairs.get(value, value)

    def drop_replaced(self, first: int = 0) -> None:
        """Erase the ops, from a number on, whose complex results nobody reads any more."""
        for op in reversed(self.replaced[first:]):
            if op.parent is not None and all(r.first_use is None for r in op.results):
                Rewriter.erase_op(op)
        del self.replaced[first:]


def is_complex(value: SSAValue) -> bool:
    """Whether a value is a tensor of complex numbers."""
    kind: Any = value.type
    return isinstance(kind, TensorType) and isinstance(cast(Any, kind).element_type, ComplexType)


def part_of(element: Attribute) -> Attribute:
    """The type of the parts of complex numbers; another element type itself."""
    return cast("ComplexType[Any]", element).element_type if isinstance(element, ComplexType) else element


def parts_of_arguments(function: FuncOp, run: ConversionOfPairs) -> None:
    """Let each complex argument of a function be a real one with a dim of 2 after the others, as its numbers lie in
    memory, and two tensors for the ops that read it."""
    block = function.body.block
    marks = [dict(each) for each in marks_of(block.args, function.arg_attrs)]
    first = block.first_op
    assert first is not None
    for argument, own in zip(list(block.args), marks, strict=True):
        if not is_complex(argument):
            continue
        wide = block.insert_arg(real_type(cast("TensorType[Any]", argument.type)), argument.index)
        wide.name_hint = argument.name_hint
        # A stand-in keeps the type that the ops were verified with.
        stand_in = UnrealizedConversionCastOp.get([wide], [argument.type])
        Rewriter.insert_op(stand_in, InsertPoint.before(first))
        argument.replace_all_uses_with(stand_in.results[0])
        block.erase_arg(argument)
        run.pairs[stand_in.results[0]] = split(GraphBuilder(first, run.knowledge, wide.name_hint or "input"), wide)
        run.replaced.append(stand_in)
        own[COMPLEX] = UnitAttr()
        if isinstance(dims := own.get(DIMS), ArrayAttr):
            own[DIMS] = ArrayAttr([*cast("ArrayAttr[Any]", dims).data, StringAttr("")])
    function.arg_attrs = attributes_of(marks)


def join_results(function: FuncOp, run: ConversionOfPairs) -> None:
    """Return complex results as they lie in memory."""
    returned = function.body.block.last_op
    assert returned is not None
    marks = [dict(each) for each in marks_of(returned.operands, function.res_attrs)]
    for index, value in enumerate(returned.operands):
        if isinstance(pair := run.number(value), Pair):
            returned.operands[index] = joined(GraphBuilder(returned, run.knowledge, "output"), pair)
            marks[index][COMPLEX] = UnitAttr()
    function.res_attrs = attributes_of(marks)


def split(b: GraphBuilder, wide: SSAValue) -> Pair:
    """The complex numbers whose parts the last dim holds."""
    *shape, _ = shape_of(wide)
    re, im = (b.reshape(b.slice(wide, len(shape), i, i + 1), shape) for i in (0, 1))
    return Pair(re, im)


def joined(b: GraphBuilder, pair: Pair) -> SSAValue:
    """The parts of complex numbers in a last dim."""
    shape = shape_of(pair.re)
    wide: list[SSAValue] = [b.reshape(part, (*shape, 1)) for part in (pair.re, pair.im)]
    return b(graph.ConcatOp, wide, len(shape))


def attributes_of(marks: Iterable[Mapping[str, Attribute]]) -> ArrayAttr[DictionaryAttr] | None:
    """Marks of arguments or results as an attribute of a function, if there are any."""
    found = [DictionaryAttr(dict(each)) for each in marks]
    return ArrayAttr(found) if any(each.data for each in found) else None
