"""Random loops that carry values: what is in their bodies, and what goes from step to step, is drawn by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import Shape, shape_of, tensor
from mlc.dialects.scan import stack_type
from mlc.support.types import tensor_type

T = TypeVar("T")
SHAPES: tuple[Shape, ...] = ((4, 3), (3, 3), (3,), ())
"""Of the values in bodies: any two broadcast to the larger of them, or multiply as matrices."""
_UNARY = (graph.TanhOp, graph.SigmoidOp, graph.NegOp, graph.AbsOp)
_BINARY = (graph.AddOp, graph.SubOp, graph.MaxOp, graph.MulOp)


class RandomScans:
    """Makes a function `main` of one loop, perhaps with loops in it, and ops around."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def module(self) -> ModuleOp:
        """The module; no value grows without bounds."""
        block = Block(arg_types=[tensor(shape, f32) for shape in SHAPES])
        values: list[SSAValue] = list(block.args)
        self.ops(block, values, 3)
        results = list(self.scan(block, values, 0).results)
        for result in list(results):
            block.add_op(last := graph.TanhOp(result))
            results.append(last.result)
        block.add_op(ReturnOp(*results))
        signature = FunctionType.from_lists(block.arg_types, [r.type for r in results])
        module = ModuleOp([FuncOp("main", signature, Region(block))])
        module.verify()
        return module

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self.random.integers(len(items)))]

    def ops(self, block: Block, values: list[SSAValue], count: int) -> None:
        """Append ops on the values, which their results join."""
        for _ in range(count):
            op = self.op(values, block)
            block.add_op(op)
            values.append(op.results[0])

    def op(self, values: Sequence[SSAValue], block: Block) -> Operation:
        value = self.pick(values)
        match int(self.random.integers(6)):
            case 0:
                return self.pick(_UNARY)(value)
            case 1:
                matrices = [v for v in values if len(shape_of(v)) == 2]
                square = [v for v in matrices if shape_of(v) == (3, 3)]
                if matrices and square:
                    block.add_op(product := graph.MatmulOp(self.pick(matrices), self.pick(square)))
                    return graph.TanhOp(product)
            case 2:
                shape = shape_of(value)
                data = self.random.uniform(-1, 1, shape).astype(np.float32).ravel().tolist()
                block.add_op(
                    constant := graph.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, shape), data))
                )
                return graph.AddOp(value, constant.result)
            case _:
                pass
        others = [v for v in values if {len(shape_of(v)), len(shape_of(value))} != {2} or v.type == value.type]
        block.add_op(both := self.pick(_BINARY)(value, self.pick(others)))
        return graph.TanhOp(both)

    def scan(self, block: Block, values: list[SSAValue], depth: int) -> graph.ScanOp:
        """Append a loop; the values after it include its results of the usual shapes."""
        steps = self.pick((1, 2, 3, 5))
        initial = [self.pick(values) for _ in range(self.random.integers(0, 4))]
        used = [self.pick(values) for _ in range(self.random.integers(0, 3))]
        stacked: list[SSAValue] = []
        for _ in range(self.random.integers(0, 3)):
            rows = [self.pick([v for v in values if shape_of(v) == shape_of(self.pick(values))] or values)] * steps
            flat = [graph.ReshapeOp(row, (1, *shape_of(row))) for row in rows]
            scale = [graph.MulOp(f, self.number(block, 0.5 + i)) for i, f in enumerate(flat)]
            block.add_ops([*flat, *scale, whole := graph.ConcatOp(scale, 0)])
            stacked.append(whole.result)
        row_types = [tensor(shape_of(v)[1:], f32) for v in stacked]
        body = Block(arg_types=[*(v.type for v in initial), *row_types, *(v.type for v in used)])
        inside: list[SSAValue] = list(body.args)
        if not inside:
            inside.append(self.number(body, 0.25))
        self.ops(body, inside, int(self.random.integers(1, 6)))
        if depth < 1 and self.random.integers(3) == 0:
            self.scan(body, inside, depth + 1)
            self.ops(body, inside, 2)
        carried = [self.pick([v for v in inside if v.type == start.type]) for start in initial]
        rows_out = [self.pick(inside) for _ in range(self.random.integers(0 if initial else 1, 4))]
        if self.random.integers(2):
            flag = self.flag(body, inside)
            carried = [self.chosen(body, inside, flag, *each) for each in zip(carried, body.args, strict=False)]
            rows_out = [self.chosen(body, inside, flag, row, self.number(body, 0.0)) for row in rows_out]
        body.add_op(graph.YieldOp(*carried, *rows_out))
        types = [*(v.type for v in initial), *(stack_type(steps, tensor_type(v)) for v in rows_out)]
        directions = [bool(self.random.integers(2)) for _ in (*stacked, *rows_out)]
        op = graph.ScanOp(steps, initial, stacked, used, types, Region(body), directions)
        block.add_op(op)
        values += [r for r in op.results if shape_of(r) in SHAPES]
        return op

    def flag(self, block: Block, values: Sequence[SSAValue]) -> SSAValue:
        """Append what decides about a step."""
        scalars = [v for v in values if not shape_of(v)] or [self.number(block, -0.5)]
        block.add_op(compare := graph.CompareOp("lt", self.pick(scalars), self.number(block, 0.1)))
        return compare.result

    def chosen(
        self, block: Block, values: Sequence[SSAValue], flag: SSAValue, new: SSAValue, old: SSAValue
    ) -> SSAValue:
        """Append a choice, mostly, often of a product that nothing else reads."""
        if not self.random.integers(4):
            return new
        square = [v for v in values if shape_of(v) == (3, 3)]
        if len(shape_of(new)) == 2 and square and self.random.integers(3):
            block.add_ops([product := graph.MatmulOp(new, self.pick(square)), last := graph.TanhOp(product)])
            new = last.result
        one, other = (new, old) if self.random.integers(4) else (old, new)
        block.add_op(choice := graph.WhereOp(flag, one, other))
        return choice.result

    def number(self, block: Block, value: float) -> SSAValue:
        """Append a constant of rank 0."""
        constant = graph.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, ()), [value]))
        block.add_op(constant)
        return constant.result
