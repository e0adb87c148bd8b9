"""`mlc.quantize`: a model, and samples of its inputs, to a model whose products take integers of 8 bits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from mlc import api
from mlc.compiler.model_inputs import Array
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.quantization.calibration import METHODS, Numbers, Scale
from mlc.quantization.observation import observing
from mlc.quantization.planning import Plan, QuantizedModel
from mlc.quantization.products import Product, function_of, products_of
from mlc.quantization.samples import Samples, given_samples, inputs_of, random_samples, read_samples
from mlc.quantization.weights import WeightFormat
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.locations import error_at
from mlc.support.python_bindings import bindings_of_python
from mlc.support.python_warnings import warn_caller

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_PASSES = (
    "convert-onnx-to-graph,convert-aten-to-graph,convert-stablehlo-to-graph,canonicalize,fold-batch-norm,"
    "fold-constants,cse,dce"
)
"""What a product is multiplied with is part of its weights then."""
NO_DATA = "ranges are those of random inputs, which say little of those that the model will meet; give samples"


def quantize(
    model: api.AnyModel,
    data: Mapping[str, ArrayLike] | Array | str | os.PathLike[str] | None = None,
    *,
    calibration: str = "minmax",
    symmetric: bool = False,
    max_error: float | None = None,
    seed: int = 0,
    weight_bits: int | None = None,
    group: int | None = None,
    dynamic: bool = False,
    shapes: Mapping[str, api.GivenShape] | None = None,
    weights: Mapping[str, ArrayLike] | None = None,
) -> QuantizedModel:
    """A model whose matrix products and convolutions take integers of 8 bits, as its calls with `data` suggest.

    Weights become i8, with a scale for each row of the result; other operands ui8 with a zero point, or i8 with none
    if `symmetric`. `calibration` chooses their ranges: "minmax" takes all numbers, "percentile" leaves out one of
    10,000 at each end, "mse" makes the mean square error least. Products stay in floats that say
    `mlc.precision = "f32"`, and, largest error first, as many as it takes for the outputs to be off by `max_error` at
    most: the norm of the difference by that of the results of floats.

    With `weight_bits`, 4 or 8, the constant matrices of matrix products alone become integers, and all else stays in
    floats: `group` rows share a scale and a zero point, which is 0 if `symmetric`. `calibration` is "minmax" or "mse".
    If `dynamic`, other operands are rounded to i8 when they come, with a scale for each row and group.

    `data` are samples by the names of inputs, an array for each, with many along a first dimension; or one array; or
    the path of a .npz, of safetensors, or of a folder of .npy. Without it, random inputs are taken, with a warning.
    `shapes` and `weights` are as for `mlc.compile`.

    Raises:
        TypeError: `model` or `data` is something else.
        UserError: the model, the samples or an option is wrong, the model has no products of f32, or operands are not
            finite.
    """
    bindings_of_python(shapes, None).require_fixed("what is quantised")
    module, ctx = api.read(model, shapes, weights)
    alone = weight_format(weight_bits, group, symmetric, calibration, dynamic)
    result = quantized(module, ctx, data, calibration, symmetric, max_error, seed, alone)
    api.know(result.module, ctx)
    if data is None and alone is None:
        warn_caller(NO_DATA)
    return result


def weight_format(
    bits: int | None, group: int | None, symmetric: bool, method: str, dynamic: bool = False
) -> WeightFormat | None:
    """How weights alone become integers; None if inputs do, too.

    Raises:
        UserError: there is no such format, or there are groups, or rounded inputs, without it.
    """
    if bits is None and group is not None:
        raise UserError(f"there are groups of {group} rows, but no weights alone; required: their bits, 4 or 8")
    if bits is None and dynamic:
        raise UserError("inputs are rounded dynamically, but no weights alone; required: their bits, 4 or 8")
    return None if bits is None else WeightFormat(bits, group, symmetric, method, dynamic)


def quantized(
    module: ModuleOp,
    ctx: CompilerContext,
    data: object,
    calibration: str = "minmax",
    symmetric: bool = False,
    max_error: float | None = None,
    seed: int = 0,
    alone: WeightFormat | None = None,
) -> QuantizedModel:
    """`quantize` for IR, which it takes to the graph level.

    Raises:
        TypeError, UserError: as `quantize`.
    """
    if calibration not in METHODS:
        raise UserError(f"calibration is '{calibration}'; required: one of {', '.join(METHODS)}")
    if max_error is not None and not max_error >= 0:
        raise UserError(f"the largest error is {max_error}; required: a number that is not negative, such as 0.01")
    PassManager(ctx).run(module, parse_passes(_PASSES))
    function = function_of(module)
    products = [p for p in products_of(function) if not p.stays]
    if alone is not None:
        products = [p for p in products if p.has_matrix_of_weights()]
    if not products:
        kinds = "matrix product and no 2-d convolution" if alone is None else "matrix product with constant weights"
        raise UserError(f"the model has no {kinds} of f32 that may be quantised")
    inputs = inputs_of(function)
    if data is None:
        samples = random_samples(inputs, seed)
    elif isinstance(data, str | os.PathLike):
        samples = read_samples(Path(cast("str | os.PathLike[str]", data)), inputs)
    else:
        samples = given_samples(data, inputs)
    measured = products if alone is None else []
    scales, wanted = _calibrated(module, ctx, measured, samples, calibration if measured else METHODS[0], symmetric)
    plan = Plan(module, ctx, scales, samples, wanted, alone)
    return plan.within(dict(zip(products, plan.measure(products), strict=True)), max_error)


def _calibrated(
    module: ModuleOp,
    ctx: CompilerContext,
    products: Sequence[Product],
    samples: Samples,
    method: str,
    symmetric: bool,
) -> tuple[dict[SSAValue, Scale], list[list[Array]]]:
    """The scales of what products take, and the outputs of the model."""
    readers = {value: product for product in products for value in product.inputs()}
    numbers = {value: Numbers() for value in readers}
    run, wanted = observing(module, ctx, list(readers)), list[list[Array]]()
    for number, inputs in enumerate(samples):
        found = run(inputs)
        outputs = len(found) - len(readers)
        wanted.append(found[:outputs])
        for (value, reader), array in zip(readers.items(), found[outputs:], strict=True):
            if not np.isfinite(array).all():
                required = "required: finite numbers, which have a range"
                raise error_at(reader.op, f"an operand is not finite for sample {number}; {required}")
            numbers[value].widen(array)
    if method != "minmax":
        for inputs in samples:
            for each, array in zip(numbers.values(), run(inputs)[-len(readers) :], strict=True):
                each.count(array)
    return {value: each.scale(method, symmetric) for value, each in numbers.items()}, wanted
