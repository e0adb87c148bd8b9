"""`bind-inputs`: give the open dims of a model's inputs their extents, and inputs that only steer their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from mlc.pass_manager.base import Pass
from mlc.support.bindings import AnyExtent, Bindings, ExtentRange, parse_shapes, parse_values
from mlc.support.context import CompilerContext
from mlc.support.dtypes import is_supported, to_numpy
from mlc.support.errors import UserError
from mlc.support.functions import EXTENTS, NAME, RANGE, dim_names, input_names, marks_of, models_of
from mlc.support.locations import location_of
from mlc.support.types import real_type


@dataclass(frozen=True)
class BindInputsPass(Pass):
    """Make what callers of a model leave open known to the compiler.

    ```mlir
    func.func @main(%x: tensor<?x3xf32> {onnx.dims = ["batch", ""]}, %sr: tensor<i64>) -> …
    // after bind-inputs{shape=batch=4 value=sr=16000}
    func.func @main(%x: tensor<4x3xf32> {onnx.dims = ["batch", ""]}) -> … {
      %sr = onnx.Constant {value = dense<16000> : tensor<i64>} : () -> tensor<i64>
    ```

    A `shape` is `NAME=1x3x224x224` for an input, or `NAME=1` for all dims of a name; a `value` is a number, or several
    with commas between them. An input with a value is not an input any more.

    A dim may stay open in a range of extents. Types have the largest of them, and the extent of a call is an input:

    ```mlir
    func.func @main(%x: tensor<?x3xf32> {onnx.dims = ["batch", ""]}) -> …
    // after bind-inputs{shape=batch=1..8}
    func.func @main(%x: tensor<8x3xf32> {mlc.extents = array<i64: 1, -1>, …},
                    %batch: tensor<i64> {mlc.range = array<i64: 1, 8>, …}) -> …
    ```
    """

    name = "bind-inputs"
    ir_level = "onnx"

    shape: tuple[str, ...] = ()
    """Shapes of inputs, and extents of named dims."""
    value: tuple[str, ...] = ()
    """Values of inputs."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        bind(module, Bindings(parse_shapes(self.shape), parse_values(self.value)), ctx)


def bind(module: ModuleOp, bindings: Bindings, ctx: CompilerContext) -> None:
    """Bind the inputs of a module's model.

    Raises:
        UserError: a name is none of the model's, or a shape or a value does not fit its input.
    """
    if not bindings:
        return
    bindings.require_single("what is bound here")
    models = models_of(module)
    if len(models) != 1:
        raise UserError(f"shapes and values are bound in a module with one model, found {len(models)}")
    _Binding(models[0], bindings, ctx).run()


@dataclass
class _Binding:
    function: func.FuncOp
    bindings: Bindings
    ctx: CompilerContext
    ranges: dict[str, dict[int, ExtentRange]] = field(default_factory=dict[str, "dict[int, ExtentRange]"])
    """The dims of inputs that stay open in a range, by the names of the inputs."""

    def run(self) -> None:
        marks = marks_of(self.function.args, self.function.arg_attrs)
        names = input_names(self.function)
        dims = {d for m in marks for d in dim_names(m) if d}
        self.bindings.check_names(names, dims)
        extents = self.bindings.extents({n: dim_names(m) for n, m in zip(names, marks, strict=True)})
        for argument, name, mark in zip(self.function.args, names, marks, strict=True):
            if EXTENTS in mark or RANGE in mark:
                continue  # ranges were bound when the model was read
            self._bind_shape(argument, name, [extents.get(dim) if dim else None for dim in dim_names(mark)])
        kept: list[dict[str, Attribute]] = []
        for argument, name, mark in zip(list(self.function.args), names, marks, strict=True):
            if name in self.bindings.values:
                self._bind_value(argument, name)
            else:
                kept.append(dict(mark))
        self._require_followed()
        self._add_extents(kept, [name for name in names if name not in self.bindings.values])
        if self.function.arg_attrs is not None or self.ranges:
            self.function.arg_attrs = ArrayAttr(map(DictionaryAttr, kept))
        outputs = self.function.function_type.outputs.data
        self.function.function_type = FunctionType.from_lists(self.function.body.block.arg_types, outputs)

    def _require_followed(self) -> None:
        """Raises: UserError if a dim stays open in a range, and ops are of another source: they would take all elements
        for data."""
        ops = [op for op in self.function.walk() if not isinstance(op, func.FuncOp | func.ReturnOp | func.CallOp)]
        dialects = {op.dialect_name() for op in ops}
        if self.ranges and not (dialects == {"onnx"} or (dialects and dialects <= {"stablehlo", "chlo"})):
            name, ranges = next(iter(self.ranges.items()))
            raise UserError(
                f"found {next(iter(ranges.values()))} for a dim of '{name}'; a range of extents is for models of ONNX, "
                "of torch.export and of JAX; required: a number",
                location_of(self.function),
            )

    def _add_extents(self, marks: list[dict[str, Attribute]], inputs: Sequence[str]) -> None:
        """Add an input for each range, which dims of one name share, and note it in the attributes of the inputs."""
        added: dict[str, int] = {}
        for number, input in enumerate(inputs):
            if input not in self.ranges:
                continue
            own, names = marks[number], dim_names(marks[number])
            places = [-1] * len(cast("TensorType[Attribute]", self.function.args[number].type).get_shape())
            for axis, extents in self.ranges[input].items():
                name = (names[axis] if axis < len(names) else "") or f"{input}_{axis}"
                if name not in added:
                    added[name] = len(marks)
                    extent = self.function.body.block.insert_arg(TensorType(i64, []), len(marks))
                    free = name
                    while free in inputs:
                        free += "_"
                    marks.append(
                        {
                            NAME: StringAttr(free),
                            RANGE: DenseArrayBase.from_list(i64, extents.numbers),
                        }
                    )
                    extent.name_hint = name if SSAValue.is_valid_name(name) else None
                places[axis] = added[name]
            own[EXTENTS] = DenseArrayBase.from_list(i64, places)

    def _bind_shape(self, argument: BlockArgument, name: str, named: Sequence[AnyExtent | None]) -> None:
        """Give an input its shape, or those of its dims that have names the extents `named`."""
        kind: Attribute = argument.type
        if not isinstance(kind, TensorType | UnrankedTensorType):
            return
        element = cast(Attribute, cast(Any, kind).element_type)
        given = self.bindings.shapes.get(name)
        if given is not None:
            wanted = self._largest(name, given if isinstance(given, tuple) else (given,))
            # Callers see complex numbers with one more dim, for both parts.
            is_complex = isinstance(element, ComplexType)
            self._require_fitting(name, real_type(cast(Any, kind)) if is_complex else cast(Attribute, kind), wanted)
            self._set(argument, TensorType(element, wanted[:-1] if is_complex else wanted))
        elif isinstance(kind, TensorType):
            known = [*named, *[None] * kind.get_num_dims()]
            pairs = zip(kind.get_shape(), known, strict=False)
            bound = [extent if e == DYNAMIC_INDEX and extent is not None else e for e, extent in pairs]
            extents = self._largest(name, bound)
            for extent in extents:
                if extent < 0 and extent != DYNAMIC_INDEX:
                    raise UserError(f"a dim of input '{name}' is bound to {extent}; extents are not negative")
            self._set(argument, TensorType(element, extents))

    def _largest(self, name: str, shape: Sequence[AnyExtent]) -> tuple[int, ...]:
        """A shape with the last extent of each range, which is noted."""
        if ranges := {axis: extent for axis, extent in enumerate(shape) if isinstance(extent, ExtentRange)}:
            self.ranges[name] = ranges
        return tuple(extent.most if isinstance(extent, ExtentRange) else extent for extent in shape)

    def _require_fitting(self, name: str, kind: Attribute, wanted: Sequence[int]) -> None:
        if min(wanted, default=0) < 0:
            raise UserError(f"input '{name}' is bound to the shape {list(wanted)}; extents are not negative")
        if not isinstance(kind, TensorType):
            return
        shape = kind.get_shape()
        fits = len(shape) == len(wanted) and all(e in (DYNAMIC_INDEX, w) for e, w in zip(shape, wanted, strict=True))
        if not fits:
            shown = "x".join("?" if e == DYNAMIC_INDEX else str(e) for e in shape) or "scalar"
            found = "x".join(map(str, wanted)) or "scalar"
            numbers = ", with a number for each ?" if "?" in shown else ""
            raise UserError(
                f"input '{name}' has the shape {shown}, which {found} does not fit"
                + (f"; required: {name}={shown}{numbers}" if shape else ""),
                location_of(self.function),
            )

    def _set(self, argument: BlockArgument, kind: Attribute) -> None:
        if argument.type != kind:
            Rewriter.replace_value_with_new_type(argument, kind)

    def _bind_value(self, argument: BlockArgument, name: str) -> None:
        from mlc.dialects.onnx import op
        from mlc.dialects.onnx.nodes import tensor_attribute

        kind = argument.type
        if not isinstance(kind, TensorType) or not is_supported(cast(Any, kind).element_type):
            raise UserError(f"input '{name}' is {kind}; values are given to tensors of numbers")
        element = cast(Attribute, cast(Any, kind).element_type)
        array = np.asarray(self.bindings.values[name])
        shape = kind.get_shape()
        if DYNAMIC_INDEX in shape and array.ndim != len(shape) > 1:
            shown = "x".join("?" if e == DYNAMIC_INDEX else str(e) for e in shape)
            raise UserError(f"input '{name}' of shape {shown} is given {array.size} values: bind its shape, too")
        if DYNAMIC_INDEX in shape:
            shape = array.shape if array.ndim == len(shape) else (array.size,) if len(shape) == 1 else (1,) * len(shape)
        if array.size not in (1, prod(shape)):
            raise UserError(f"input '{name}' of shape {list(shape)} is given {array.size} values")
        try:
            converted = array.astype(to_numpy(element))
        except (OverflowError, ValueError, TypeError):
            converted = None
        if converted is None or not np.array_equal(converted, array, equal_nan=array.dtype.kind == "f"):
            raise UserError(f"input '{name}' has elements of type {element}, which cannot be {array.tolist()}")
        data = np.broadcast_to(converted.reshape(shape if array.size != 1 else (1,) * len(shape)), shape)
        value = tensor_attribute(np.ascontiguousarray(data).reshape(shape), self.ctx.resources, name)
        assert value is not None
        constant = op("Constant")([], [TensorType(element, shape)], {"value": value})
        constant.location = self.function.location
        block = self.function.body.block
        first = block.first_op
        assert first is not None
        block.insert_op_before(constant, first)
        constant.results[0].name_hint = argument.name_hint
        argument.replace_all_uses_with(constant.results[0])
        block.erase_arg(argument)
