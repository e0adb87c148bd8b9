"""A function of JAX as a model that the compiler takes: its StableHLO text, and the arrays that it closes over."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import jax
import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, IntegerAttr, StringAttr, i64

from mlc.compiler.compilation import parse_verified
from mlc.frameworks.jax._keys import numbers_of, with_numbers
from mlc.support.functions import DONATED, NAME, models_of
from mlc.support.model_source import ModelSource

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class JaxModel(ModelSource):
    """A function for known shapes.

    Attributes:
        text: StableHLO, as JAX lowers the function; its first arguments are the `constants`.
        input_names: what callers call the other arguments.
        output_names: what callers call the results.
        donors: numbers of results, and of the arguments in whose memory they may lie.
    """

    text: str = ""
    constants: tuple[np.ndarray[Any, Any], ...] = field(default=(), compare=False, repr=False)
    input_names: tuple[str, ...] = ()
    output_names: tuple[str, ...] = ()
    donors: tuple[tuple[int, int], ...] = ()

    @property
    def identity(self) -> str:
        digest = hashlib.sha256(repr((self.text, self.input_names, self.output_names, self.donors)).encode())
        for array in self.constants:
            digest.update(f"{array.dtype} {array.shape}".encode())
            digest.update(cast(Any, array.reshape(-1).view("uint8")))
        return f"jax {digest.hexdigest()}"

    def module(self, ctx: CompilerContext) -> ModuleOp:
        module = parse_verified(self.text, self.file, ctx, self.base)
        (function,) = models_of(module)
        self._fill_constants(function, ctx)
        inputs = [_named(name) for name in self.input_names]
        donors = dict(self.donors)
        outputs = [_named(name, donors.get(i)) for i, name in enumerate(self.output_names)]
        function.arg_attrs, function.res_attrs = ArrayAttr(inputs), ArrayAttr(outputs)
        return module

    def _fill_constants(self, function: FuncOp, ctx: CompilerContext) -> None:
        """Let the first arguments be the constants."""
        from xdsl.dialects.builtin import DenseResourceAttr

        from mlc.dialects.graph import ConstantOp
        from mlc.dialects.stablehlo import ConstantOp as HloConstantOp

        block = function.body.block
        for number, array in enumerate(self.constants):
            argument = block.args[0]
            name = ctx.resources.add(array, f"constant{number}")
            value = DenseResourceAttr.from_params(name, cast(Any, argument.type))
            # A tensor of complex numbers becomes two of real ones when the text is converted.
            made = HloConstantOp(value) if array.dtype.kind == "c" else ConstantOp(value)
            made.location = function.location
            first = block.first_op
            assert first is not None
            block.insert_op_before(made, first)
            argument.replace_all_uses_with(made.results[0])
            block.erase_arg(argument)
        function.function_type = FunctionType.from_lists(block.arg_types, function.function_type.outputs.data)


def _named(name: str, donor: int | None = None) -> DictionaryAttr:
    donated = {} if donor is None else {DONATED: IntegerAttr(donor, i64)}
    return DictionaryAttr({NAME: StringAttr(name), **donated})


def lowered(
    traced: Any, file: str, input_names: Sequence[str], output_names: Sequence[str], donors: Mapping[int, int]
) -> JaxModel:
    """The model of a function that JAX has traced."""
    closed = traced.jaxpr
    types = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in closed.in_avals]

    numbers = [numbers_of(each) for each in closed.consts]

    def call(constants: Any, *arguments: Any) -> Any:
        constants = [with_numbers(each, given) for each, given in zip(closed.consts, constants, strict=True)]
        return cast(Any, jax).core.eval_jaxpr(closed.jaxpr, constants, *arguments)

    text = cast(Any, jax).jit(call, keep_unused=True).lower(numbers, *types).as_text()
    arrays = tuple(np.ascontiguousarray(np.asarray(each)) for each in numbers)
    return JaxModel(file, Path.cwd(), text, arrays, tuple(input_names), tuple(output_names), tuple(donors.items()))
