"""Quantised types: `tensor<4x!quant.uniform<i8:f32, 0.1:3>>` is a tensor of i8, between ops that compute with numbers.

As the specification has it, an op dequantises its operands, computes, and quantises its results. What moves elements,
or chooses some of them, does so with the integers, where all types are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of, tensor
from mlc.dialects.quant.uniform import Uniform, is_uniform, uniform_of
from mlc.dialects.stablehlo import HloOp
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.quantized_numbers import limited
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, HloConversion, converts
from mlc.support.dtypes import to_numpy
from mlc.support.locations import error_at

_CARRY = ("constant", "return", "while", "if", "case", "optimization_barrier", "tuple", "get_tuple_element")
"""Ops that hand values on as they are, whatever their types."""
_STORED = (
    "broadcast", "broadcast_in_dim", "clamp", "compare", "concatenate", "dynamic_broadcast_in_dim", "dynamic_gather",
    "dynamic_pad", "dynamic_reshape", "dynamic_slice", "dynamic_update_slice", "gather", "maximum", "minimum", "pad",
    "real_dynamic_slice", "reduce", "reduce_window", "reshape", "reverse", "select", "slice", "sort", "transpose",
)  # fmt: skip
"""Ops that give integers that they took, or compare them, if the types of all are one. Scales are positive, so that
integers are in the order of numbers."""
_COMPUTED = (
    "batch_norm_inference", "convolution", "dot", "dot_general", "dynamic_conv", "uniform_dequantize",
    "uniform_quantize",
)  # fmt: skip
"""Ops that compute with numbers, besides those that do so element by element."""


@converts("uniform_quantize", "uniform_dequantize")
def converted(b: HloCall) -> Converted:
    """Numbers, around which `store_quantized` has put the conversions."""
    return b[0]


def store_quantized(function: FuncOp, run: HloConversion) -> None:
    """Let values of quantised types be integers, with conversions around ops that compute with numbers.

    Raises:
        UserError: an op takes or gives quantised numbers for which it is not defined, or a type is wrong.
    """
    blocks = [block for op in function.walk() for region in op.regions for block in region.blocks]
    ops = [op for op in function.walk() if op is not function]
    meant: dict[SSAValue, Uniform] = {}
    for owner, values in ((function, [a for block in blocks for a in block.args]), *((op, op.results) for op in ops)):
        for value in values:
            if (found := _meaning(value.type, owner)) is not None:
                meant[value] = found
    if not meant:
        return
    computed = [op for op in ops if _computes(op, [meant[v] for v in (*op.operands, *op.results) if v in meant])]
    stored = {
        Rewriter.replace_value_with_new_type(value, tensor(shape_of(value), kind.storage)): kind
        for value, kind in meant.items()
    }
    for op in computed:
        _compute_with_numbers(op, stored, run)


def _meaning(kind: Attribute, owner: Operation) -> Uniform | None:
    if not isinstance(kind, TensorType):
        return None
    shape, element = kind.get_shape(), cast("TensorType[Attribute]", kind).element_type
    try:
        found = uniform_of(element)
    except VerifyException as e:
        raise error_at(owner, str(e)) from None
    if found is None:
        return None
    with np.errstate(over="ignore"):
        scales = np.asarray(found.scales).astype(to_numpy(found.expressed))
    if not (np.isfinite(scales) & (scales > 0)).all():
        raise error_at(owner, f"found the type {element}; a scale is 0 or infinite in {found.expressed}")
    if found.axis is None:
        return found
    if found.axis >= len(shape) or shape[found.axis] not in (-1, len(found.scales)):
        says = f"{len(found.scales)} scales of axis {found.axis} for a shape of {list(shape)}"
        raise error_at(owner, f"found the type {element}; {says}")
    return found


def _elements(op: Operation) -> list[tuple[SSAValue, Attribute]]:
    """The operands and results that are tensors, with their element types."""
    values = [v for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)]
    return [(v, cast("TensorType[Attribute]", v.type).element_type) for v in values]


def _computes(op: Operation, kinds: Sequence[Uniform]) -> bool:
    """Whether an op, whose operands and results have these quantised types, computes with numbers.

    Raises:
        UserError: it does not take quantised numbers.
    """
    if not kinds or not isinstance(op, HloOp):
        return False
    name = op.mnemonic()
    if name in _CARRY:
        return False
    one_type = len({kind.without_axis() for kind in kinds}) == 1
    others = [kind for _, kind in _elements(op) if not is_uniform(kind) and not isinstance(kind, IntegerType)]
    if name in _STORED and one_type and not others:
        return False
    around = op.parent_op()
    if isinstance(around, HloOp) and around.mnemonic() not in _CARRY:
        raise error_at(
            op,
            f"{op.name} computes with quantised numbers in the region of {around.name}; required: ops "
            "that choose one of them, such as stablehlo.maximum, for others round in each step",
        )
    if op.regions or not (op.POINTWISE or name in _COMPUTED or name in _STORED):
        found = ", ".join(dict.fromkeys(str(kind) for _, kind in _elements(op)))
        raise error_at(
            op,
            f"{op.name} takes or gives {found}; required: numbers that are not quantised, or of one type: "
            "stablehlo.uniform_dequantize and stablehlo.uniform_quantize convert them",
        )
    return True


def _compute_with_numbers(op: Operation, meant: dict[SSAValue, Uniform], run: HloConversion) -> None:
    """Dequantise what an op takes, and quantise what it gives."""
    before = GraphBuilder(op, run.knowledge, "dequantized")
    for index, value in enumerate(op.operands):
        if (kind := meant.get(value)) is not None:
            op.operands[index] = before(graph.DequantizeOp, value, *_parameters(before, value, kind))
    assert op.next_op is not None
    after = GraphBuilder(op.next_op, run.knowledge, "quantized")
    for result in op.results:
        if (kind := meant.get(result)) is None:
            continue
        number = Rewriter.replace_value_with_new_type(result, tensor(shape_of(result), kind.expressed))
        uses = list(number.uses)
        quantized = after(graph.QuantizeOp, number, *_parameters(after, number, kind))
        quantized = limited(after, quantized, kind.least, kind.most)
        meant[quantized] = kind
        for use in uses:
            use.operation.operands[use.index] = quantized


def _parameters(b: GraphBuilder, value: SSAValue, kind: Uniform) -> tuple[SSAValue, SSAValue]:
    """The scale and the zero point, as they broadcast with a value."""
    rank = 0 if kind.axis is None else len(shape_of(value))
    shape = [len(kind.scales) if i == kind.axis else 1 for i in range(rank)]
    scales = np.asarray(kind.scales, to_numpy(kind.expressed)).reshape(shape)
    zeros = np.asarray(kind.zero_points, to_numpy(kind.storage)).reshape(shape)
    return b.constant(scales, kind.expressed), b.constant(zeros, kind.storage)
