"""`split-vectors`: a vector of three registers becomes one of two and one of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, ModuleOp, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.nests import functions_with_loops
from mlc.dialects.llvm import intrinsics
from mlc.dialects.loop import ForOp, LoadOp, StoreOp, YieldOp
from mlc.pass_manager.base import Pass
from mlc.schedules.steps.vectorize import LANEWISE_OPS
from mlc.support.affine import simplify_sum
from mlc.support.context import CompilerContext
from mlc.support.types import element_type, memref_type, scalar_attribute, vector_of, vector_type

_FEWEST = 2
"""The lanes of the shortest part: vectors of three elements stay what they are."""
_OF_REGISTERS = {intrinsics.ScaleOp, intrinsics.LimitOp, intrinsics.ReciprocalOp}
_SPLIT = LANEWISE_OPS | _OF_REGISTERS | {arith.ConstantOp, vector.BroadcastOp, LoadOp, StoreOp}
"""The op types that `_Splitter` makes parts of."""


@dataclass(frozen=True)
class SplitVectorsPass(Pass):
    """Make vectors that LLVM would pad to the next power of two ones that it need not.

        %v = loop.load %w[%k, 0] : memref<64x80xf32>, vector<80xf32>
        %s = math.fma %a, %v, %t : vector<80xf32>
    ->
        %v = loop.load %w[%k, 0] : …, vector<64xf32>; %u = loop.load %w[%k, 64] : …, vector<16xf32>
        %s = math.fma %a, %v, %t : vector<64xf32>;    %r = math.fma %b, %u, %q : vector<16xf32>

    The parts are powers of two, the longest first, and two lanes at least. LLVM makes registers of each. Vectors of a
    length stay whole in a function where one of them meets an op that does not compute lane by lane.
    """

    name = "split-vectors"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        for function in functions_with_loops(module):
            if lanes := _lengths_to_split(function):
                _Splitter(lanes).split(function)


def _parts(lanes: int) -> list[int]:
    """The powers of two that a length is the sum of, the greatest first."""
    return [1 << bit for bit in reversed(range(lanes.bit_length())) if lanes >> bit & 1]


def _length(kind: Attribute) -> int | None:
    """The lanes of a vector of one dim."""
    shaped = vector_type(kind)
    return shaped.get_shape()[0] if shaped is not None and shaped.get_num_dims() == 1 else None


def _lengths_to_split(function: func.FuncOp) -> set[int]:
    """The lengths of vectors that LLVM would pad, where all ops on them can be split."""
    found, whole = set[int](), set[int]()
    for block in function.body.blocks:
        whole.update(lanes for argument in block.args if (lanes := _length(argument.type)) is not None)
    for op in function.walk():
        lengths = {lanes for value in (*op.operands, *op.results) if (lanes := _length(value.type)) is not None}
        if isinstance(op, ForOp | YieldOp):
            continue
        found |= lengths
        is_inside = (around := op.parent_op()) is function or isinstance(around, ForOp)
        if len(lengths) > 1 or type(op) not in _SPLIT or not is_inside:
            whole |= lengths
            for region in op.regions if op is not function else ():
                whole.update(n for block in region.blocks for a in block.args if (n := _length(a.type)) is not None)
    return {lanes for lanes in found - whole if len(parts := _parts(lanes)) > 1 and parts[-1] >= _FEWEST}


class _Splitter:
    def __init__(self, lanes: set[int]) -> None:
        self.lanes = lanes
        self.parts: dict[SSAValue, list[SSAValue]] = {}
        self.replaced: list[Operation] = []
        """Each before those that use it."""

    def split(self, function: func.FuncOp) -> None:
        for block in function.body.blocks:
            self._block(block)
        for op in reversed(self.replaced):
            Rewriter.erase_op(op)

    def _block(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, ForOp):
                self._loop(op)
            elif isinstance(op, YieldOp):
                op.operands = self._all_parts(op.operands)
            elif any(_length(value.type) in self.lanes for value in (*op.operands, *op.results)):
                self._op(op)

    def _loop(self, loop: ForOp) -> None:
        if all(_length(value.type) not in self.lanes for value in loop.iter_args):
            self._block(loop.body.block)
            return
        self.replaced.append(loop)
        initial = self._all_parts(loop.iter_args)
        body = Block(arg_types=[loop.induction_variable.type, *(value.type for value in initial)])
        split = loop.like(initial, Region(body))
        Rewriter.insert_op(split, InsertPoint.before(loop))
        split.induction_variable.name_hint = loop.induction_variable.name_hint
        loop.induction_variable.replace_all_uses_with(split.induction_variable)
        for old, new in ((loop.carried, split.carried), (loop.results, split.results)):
            left = list(new)
            for value in old:
                lanes = _length(value.type)
                count = len(_parts(lanes)) if lanes is not None and lanes in self.lanes else 1
                self._replace(value, left[:count])
                del left[:count]
        ops = list(loop.body.block.ops)
        for op in ops:
            op.detach()
        body.add_ops(ops)
        self._block(body)

    def _replace(self, value: SSAValue, parts: list[SSAValue]) -> None:
        for part in parts:
            part.name_hint = value.name_hint
        if len(parts) == 1:
            value.replace_all_uses_with(parts[0])
        else:
            self.parts[value] = parts

    def _all_parts(self, values: Any) -> list[SSAValue]:
        return [part for value in values for part in self.parts.get(value, [value])]

    def _op(self, op: Operation) -> None:
        (lanes,) = {n for value in (*op.operands, *op.results) if (n := _length(value.type)) is not None}
        first = 0
        new: list[Operation] = []
        for number, count in enumerate(_parts(lanes)):
            if (part := self._part(op, number, first, count)) is not None:
                part.location = op.location
                part.attributes |= op.attributes
                new.append(part)
            first += count
        Rewriter.insert_op(new, InsertPoint.before(op))
        for result, parts in zip(op.results, zip(*(part.results for part in new), strict=True), strict=True):
            self._replace(result, list(parts))
        self.replaced.append(op)

    def _part(self, op: Operation, number: int, first: int, count: int) -> Operation | None:
        """What computes `count` lanes from the lane `first` on."""
        if isinstance(op, LoadOp | StoreOp):
            return self._access(op, number, first, count)
        operands = [self.parts[value][number] if value in self.parts else value for value in op.operands]
        types = [vector_of(element_type(result.type), count) for result in op.results]
        properties = dict(op.properties)
        if isinstance(op, arith.ConstantOp):
            properties["value"] = _elements(cast("DenseIntOrFPElementsAttr[Any]", op.value), types[0], first)
        return type(op).create(operands=operands, result_types=types, properties=properties)

    def _access(self, op: LoadOp | StoreOp, number: int, first: int, count: int) -> Operation | None:
        """A part of an access: zeros, or nothing, where it touches no memory."""
        lanes, places = op.lanes, list(op.map.data.results)
        active = count if lanes.active is None else min(lanes.active - first, count)
        kind = vector_of(memref_type(op.memref).element_type, count)
        if active < 1:
            return _zeros(kind) if isinstance(op, LoadOp) else None
        along = len(places) - 1 if lanes.along is None else lanes.along
        places[along] = simplify_sum(places[along] + first * lanes.stride)
        affine = AffineMap(op.map.data.num_dims, 0, tuple(places))
        lanes = lanes._replace(active=None if active == count else active)
        if isinstance(op, LoadOp):
            return LoadOp(op.memref, op.indices, affine, kind, lanes)
        return StoreOp(self.parts[op.value][number], op.memref, op.indices, affine, lanes)


def _elements(whole: DenseIntOrFPElementsAttr[Any], kind: VectorType[Any], first: int) -> DenseIntOrFPElementsAttr:
    """Those from the element `first` on, bit by bit, as many as the type has."""
    size = whole.get_element_type().compile_time_size
    (count,) = kind.get_shape()
    return DenseIntOrFPElementsAttr(kind, BytesAttr(whole.data.data[first * size : (first + count) * size]))


def _zeros(kind: VectorType[Any]) -> Operation:
    zero = scalar_attribute(0, kind.element_type)
    return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, kind), [zero.value.data]))
