"""The pass `use-short-factors`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import Float8E8M0FNUType, ModuleOp, bf16, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects.graph import CastOp, ConstantOp, ConvOp, ConvTransposeOp, GraphOp, MatmulOp, MoveOp
from mlc.dialects.graph.types import element_of, shape_of, tensor
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline_options import require_option
from mlc.passes.graph._constants import constant_array
from mlc.passes.graph._short_factors import insert, is_depthwise, is_known, multiply_short, sum_in_f32, why_not_short
from mlc.passes.graph._type_cost import TypedProduct, cycles_in_words, weights_among
from mlc.support.context import CompilerContext
from mlc.support.dtypes import HALVES, SHORT_FLOATS, to_numpy
from mlc.support.resources import Resources
from mlc.support.rounding import Rounding
from mlc.targets.machine import Machine, resolve_target

_PRODUCTS = MatmulOp | ConvOp | ConvTransposeOp


@dataclass(frozen=True)
class UseShortFactorsPass(Pass):
    """Multiply floats of 16 bits as such where that is faster, shorter ones as bf16, and all as f32 elsewhere; products
    are summed in f32.

    ```mlir
    %y = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x3xbf16> -> tensor<4x3xbf16>
    // after, where bf16 is faster
    %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x3xbf16> -> tensor<4x3xf32>
    %y = graph.cast %0 : tensor<4x3xf32> -> tensor<4x3xbf16>
    // and elsewhere
    %0 = graph.cast %x : tensor<4x8xbf16> -> tensor<4x8xf32>
    %1 = graph.cast %w : tensor<8x3xbf16> -> tensor<8x3xf32>
    %2 = graph.matmul %0, %1 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
    %y = graph.cast %2 : tensor<4x3xf32> -> tensor<4x3xbf16>
    ```

    All of these round once, after the sum. A product of f32 whose factors have been widened, and perhaps moved, counts
    as one of short ones. That is faster where instructions multiply bf16, or where a product waits for its weights, by
    the estimate of `_type_cost`; remarks say what it expects. Words are made of constants; of another second factor,
    numbers are widened where they are multiplied if that takes less than to store them wider before, as those of
    depthwise convolutions are.
    """

    name = "use-short-factors"
    rounding = Rounding(1, "sums are taken in another order", finite_only=True)

    precision: str = "f32"
    """The option of pipelines; with "keep" no estimate is asked, and factors stay as short as they are."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_option("precision", self.precision, self.name)
        every = [op for op in module.walk() if isinstance(op, _PRODUCTS)]
        products = {op: element for op in every if (element := _short_type(op, ctx.resources)) is not None}
        if not products:
            return  # nothing asks what the target is
        machine = resolve_target(ctx.target)
        among = weights_among([op for op in products if isinstance(op, MatmulOp | ConvOp)])
        for op, element in products.items():
            self._choose(op, element, machine, among, ctx)

    def _choose(self, op: GraphOp, element: Attribute, machine: Machine, among: int, ctx: CompilerContext) -> None:
        if isinstance(op, ConvOp) and is_depthwise(op) and (element == bf16 or machine.converts_f16):
            self._choose_taps(op, element, machine, among, ctx)
            return
        if (reason := why_not_short(op)) is None:
            assert isinstance(op, MatmulOp | ConvOp)
            problem, name = TypedProduct.of(op), str(element)
            wide = problem.float_cycles(machine, among, is_quantized=True)
            if has_words := is_known(op.operands[1]):
                short = problem.short_cycles(machine, name, name, among, is_rounded=False)
            else:  # words are made of constants
                short = problem.widened_cycles(machine, name, among)
                wide += problem.widening_cycles(machine, name, among)
            reason = f"estimated {cycles_in_words(wide)} in f32, {cycles_in_words(short)} in {element}"
            if self.precision == "keep" or short < wide:
                reason += "" if short < wide else ", but --precision keep"
                ctx.remark(op, f"factors are {element}: {reason}")
                factors = [_shortened(v, element, op) for v in op.operands]
                _replace(op, multiply_short(op, factors) if has_words else sum_in_f32(op, factors))
                return
        self._widen(op, reason, ctx)

    def _choose_taps(self, op: ConvOp, element: Attribute, machine: Machine, among: int, ctx: CompilerContext) -> None:
        """A depthwise convolution widens what it loads, or is given f32: each number is in several windows."""
        problem = TypedProduct.of(op)
        wide = problem.float_cycles(machine, among, is_quantized=True)
        short = problem.widened_taps_cycles(machine)
        reason = f"estimated {cycles_in_words(wide)} in f32, {cycles_in_words(short)} in {element}"
        if short < wide or self.precision == "keep":
            ctx.remark(op, f"factors are {element}: {reason}")
            _replace(op, sum_in_f32(op, [_shortened(v, element, op) for v in op.operands]))
        else:
            self._widen(op, reason, ctx)

    def _widen(self, op: GraphOp, reason: str, ctx: CompilerContext) -> None:
        ctx.remark(op, f"factors are f32: {reason}")
        if any(element_of(v) != f32 for v in op.operands):
            _replace(op, sum_in_f32(op, [_widened(v, op) for v in op.operands]))


def _widened(value: SSAValue, op: GraphOp) -> SSAValue:
    """A factor of `op` in f32. It becomes wider before it is moved: so what computes it stores it wider."""
    if isinstance(owner := value.owner, MoveOp) and value.has_one_use():
        return _moved(owner, _widened(owner.input, op), op)
    return value if element_of(value) == f32 else insert(op, CastOp(value, f32))


def _short_type(op: GraphOp, resources: Resources) -> Attribute | None:
    """The type of 16 bits that holds the factors of a product as they were before they became wider; None if there is
    none."""
    image, weights = op.operands
    element = _half_for(_before_widening(image))
    if element not in HALVES:
        return None
    is_short = _half_for(_before_widening(weights)) == element or _fits(weights, element, resources)
    return element if is_short else None


def _half_for(element: Attribute) -> Attribute:
    """bf16 for floats of 8 bits and less, each of which it has, and none among its subnormal numbers but for one of
    f8E8M0FNU; other types as they are."""
    return bf16 if element in SHORT_FLOATS and element not in (*HALVES, Float8E8M0FNUType()) else element


def _before_widening(value: SSAValue) -> Attribute:
    """The element type that numbers had before they became wider, and perhaps were moved."""
    owner = value.owner
    if isinstance(owner, CastOp | MoveOp) and element_of(value) == f32:
        return _before_widening(owner.input)
    return element_of(value)


def _shortened(value: SSAValue, element: Attribute, op: GraphOp) -> SSAValue:
    """A factor of `op`, of which each number is one of a shorter type, in that type."""
    owner = value.owner
    if element_of(value) == element:
        return value
    if _before_widening(value) != element:
        return insert(op, CastOp(value, element))
    if isinstance(owner, MoveOp):
        return _moved(owner, _shortened(owner.input, element, op), op)
    assert isinstance(owner, CastOp)
    return _shortened(owner.input, element, op)


def _moved(move: MoveOp, source: SSAValue, op: GraphOp) -> SSAValue:
    """What a move gives of other numbers, put before `op`."""
    kind = tensor(shape_of(move.result), element_of(source))
    return insert(op, type(move).create(operands=[source], properties=dict(move.properties), result_types=[kind]))


def _fits(value: SSAValue, element: Attribute, resources: Resources) -> bool:
    """Whether a value of f32 is a constant of which each number is one of a shorter type, too."""
    if not isinstance(value.owner, ConstantOp) or (array := constant_array(value.owner, resources)) is None:
        return False
    return bool(np.array_equal(array.astype(to_numpy(element)).astype(array.dtype), array))


def _replace(op: GraphOp, new: GraphOp) -> None:
    """Let the sums of a new product take the place of an old one's, rounded to its type."""
    result = new.result
    if (element := element_of(op.result)) != f32:
        result = insert(op, CastOp(result, element))
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)
