"""Run a function of a module, at any level down to loops, with NumPy arrays in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

# Imported because they register the meaning of their dialects.
from mlc.reference import affine, arith, func, graph, loop, math, memref, scf, tensor, vector
from mlc.reference.any_order import any_order
from mlc.reference.execution import Array, Frame, Noise, Order, Watch, perturbed
from mlc.reference.memory import unwritten
from mlc.support.dtypes import dtype_of
from mlc.support.errors import UserError
from mlc.support.functions import OUTPUT, WORKSPACE, extents_in, is_private, seen_by_callers
from mlc.support.resources import Resources
from mlc.support.types import MemRef, Tensor, is_scalar

__all__ = [
    "FunctionInterface",
    "affine",
    "arith",
    "func",
    "graph",
    "interface_of",
    "loop",
    "math",
    "memref",
    "run_function",
    "scf",
    "tensor",
    "vector",
]


_Marked = tuple[Attribute, Mapping[str, Attribute]]
"""The type of an argument or a result, and its attributes."""


@dataclass(frozen=True)
class FunctionInterface:
    """What a function takes and gives, whether as results or in buffers that the caller provides."""

    inputs: tuple[Tensor | MemRef, ...]
    outputs: tuple[Tensor | MemRef, ...]
    extents: tuple[tuple[int, ...], ...] = ()
    """Of each output that is as long as data says, the numbers of the outputs that hold its extents, or -1."""

    def is_data(self, output: int, values: Sequence[Array]) -> Array:
        """Which elements of an output are before its extents, where `values` are all outputs.

        Raises:
            IndexError: an extent is said to be in an output that there is not.
        """
        places = self.extents[output] if self.extents else ()
        if not places:
            return np.ones((), np.bool_)
        found = np.zeros(values[output].shape, np.bool_)
        found[tuple(slice(None if p < 0 else max(int(values[p].reshape(-1)[0]), 0)) for p in places)] = True
        return found

    @property
    def shapes(self) -> tuple[tuple[tuple[tuple[int, ...], Attribute], ...], ...]:
        """Shapes and element types of inputs and outputs: equal for a function before and after bufferization."""
        return tuple(
            tuple((tuple(t.get_shape()), t.element_type) for t in side) for side in (self.inputs, self.outputs)
        )


def interface_of(function: FuncOp) -> FunctionInterface | None:
    """The interface of a function on tensors or memrefs; None if it has arguments of other types.

    Scalars of a public function on tensors count as tensors of rank 0, which `wrap-scalars` makes of them. Beside
    buffers they are mostly subscripts, which no drawn number is.
    """
    inputs: list[_Marked] = []
    outputs: list[_Marked] = []
    arguments = function.body.block.args
    for argument, marks in zip(arguments, _marks(function.arg_attrs, len(arguments)), strict=True):
        if WORKSPACE not in marks:
            (outputs if OUTPUT in marks else inputs).append((argument.type, marks))
    results = function.function_type.outputs.data
    outputs += zip(results, _marks(function.res_attrs, len(results)), strict=True)
    has_buffers = any(isinstance(kind, MemRefType) for kind, _ in (*inputs, *outputs))
    if not is_private(function) and not has_buffers:
        inputs, outputs = ([(_shaped(kind), marks) for kind, marks in side] for side in (inputs, outputs))
    if not all(isinstance(t, TensorType | MemRefType) for t, _ in (*inputs, *outputs)):
        return None
    seen = [tuple(seen_by_callers(cast("Tensor | MemRef", t), m) for t, m in side) for side in (inputs, outputs)]
    return FunctionInterface(seen[0], seen[1], tuple(extents_in(marks) for _, marks in outputs))


def run_function(
    module: ModuleOp,
    name: str,
    args: Sequence[Array],
    resources: Resources,
    order: Order = "lockstep",
    orders: Mapping[Operation, Order] | None = None,
    noise: Noise | None = None,
    watch: Watch | None = None,
) -> list[Array]:
    """The outputs of function `name` for the inputs `args`.

    At the loop level, the buffers marked `mlc.output` and `mlc.workspace` are provided here and are not among `args`.
    Parallel loops run in `order`, those in `orders` in an order of their own; the outputs do not depend on it unless a
    loop is parallel by its name only. With `noise`, inputs and results of float ops move at random by up to a unit in
    the last place, which shows how far rounding errors spread. `watch` is told all values on the way.

    Raises:
        UserError: there is no such function, an array does not fit its argument, or an op cannot be run.
        UndefinedBehavior: the function reads or writes where it must not.
    """
    symbols: dict[str, Operation] = {}
    for op in module.ops:
        if isinstance(symbol := op.get_attr_or_prop("sym_name"), StringAttr):
            symbols[symbol.data] = op
    function = symbols.get(name)
    if not isinstance(function, FuncOp) or not function.body.blocks:
        names = ", ".join(n for n, op in symbols.items() if isinstance(op, FuncOp))
        raise UserError(f"no function '{name}' with a body in the module, which has: {names}")
    given = iter(args)
    arguments: list[Array] = []
    outputs: list[Array] = []
    taken = function.body.block.args
    for argument, marks in zip(taken, _marks(function.arg_attrs, len(taken)), strict=True):
        shaped = cast("Tensor | MemRef", _shaped(argument.type))
        dtype = dtype_of(shaped.element_type)
        if OUTPUT in marks or WORKSPACE in marks:
            arguments.append(unwritten(shaped.get_shape(), shaped.element_type))
            if OUTPUT in marks:
                outputs.append(_as_seen(arguments[-1], shaped, marks))
        else:
            array = _checked_input(name, len(arguments), seen_by_callers(shaped, marks), next(given, None)).view(dtype)
            arguments.append(array if noise is None else perturbed(array, noise))
    if next(given, None) is not None:
        raise UserError(f"'{name}' takes {len(arguments) - len(outputs)} inputs, got {len(args)}")
    with np.errstate(all="ignore"), any_order(None if noise is None else noise.open):
        frame = Frame(resources, symbols, order=order, orders=orders, noise=noise, watch=watch)
        returned = frame.run_block(function.body.block, arguments)
    marks, types = _marks(function.res_attrs, len(returned)), function.function_type.outputs.data
    return [*outputs, *(_as_seen(np.asarray(r), _shaped(t), m) for r, t, m in zip(returned, types, marks, strict=True))]


def _shaped(kind: Attribute) -> Attribute:
    """The type of a tensor of rank 0 for that of a scalar; any other type as it is."""
    return TensorType(i64 if isinstance(kind, IndexType) else kind, []) if is_scalar(kind) else kind


def _checked_input(name: str, number: int, needed: Tensor | MemRef, array: Array | None) -> Array:
    """A read-only view of an input."""
    if array is None:
        raise UserError(f"'{name}' needs an input of type {needed} as its argument {number}, got none")
    shape, dtype = tuple(needed.get_shape()), dtype_of(needed.element_type)
    if array.shape != shape or array.dtype != dtype:
        raise UserError(
            f"argument {number} of '{name}' is {array.dtype} {list(array.shape)}, it must be {dtype} {list(shape)}"
        )
    view = array[...]
    view.flags.writeable = False
    return view


def _marks(attributes: ArrayAttr[DictionaryAttr] | None, count: int) -> list[Mapping[str, Attribute]]:
    """The attributes of each of `count` arguments or results."""
    return [d.data for d in attributes] if attributes else [{} for _ in range(count)]


def _as_seen(array: Array, kind: Attribute, marks: Mapping[str, Attribute]) -> Array:
    """An output, with the dtype that callers see."""
    if not isinstance(kind, TensorType | MemRefType):
        return array
    return array.view(dtype_of(seen_by_callers(cast("Tensor | MemRef", kind), marks).element_type))
