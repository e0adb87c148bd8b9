"""What each product is off in integers, and which products stay in floats."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import FloatAttr, ModuleOp, StringAttr, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.compiler.model_files import model_files, weights_of, write_model
from mlc.dialects.graph import ConstantOp, MulOp, ReduceOp, SubOp
from mlc.dialects.graph.types import shape_of
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.quantization.calibration import Scale
from mlc.quantization.insertion import Insertion
from mlc.quantization.observation import add_results, compiled, copy_of, ratio, relative_error
from mlc.quantization.products import ERROR, FLOAT, INTEGER, PRECISION, Product, function_of, products_of
from mlc.quantization.samples import Samples
from mlc.quantization.weights import WeightFormat
from mlc.support.context import CompilerContext
from mlc.support.dtypes import is_float
from mlc.support.errors import SourceLocation
from mlc.support.ir import clone
from mlc.support.locations import location_of

if TYPE_CHECKING:
    from mlc.compiler.model_inputs import Array


@dataclass(frozen=True)
class Row:
    """One product of the report.

    Attributes:
        name: its result in the IR.
        place: where it stands in the model; None if that is not known.
        precision: "i8"; "i8 weights" or "i4 weights" if these alone are integers; or "f32" if it stays in floats.
        error: of its result in integers, with inputs in floats, relative to that in floats; None if not measured.
    """

    op: str
    name: str
    place: SourceLocation | None
    precision: str
    error: float | None


@dataclass(frozen=True)
class QuantizedModel:
    """A model whose products take integers, and what that costs.

    Attributes:
        module: `mlc.compile` takes it.
        error: of the outputs, relative to those of floats; the largest of all outputs.
        bytes_before: of the weights of the model of floats.
    """

    module: ModuleOp
    ctx: CompilerContext
    rows: tuple[Row, ...]
    error: float
    bytes_before: int

    @property
    def bytes(self) -> int:
        """The size of the weights."""
        return sum(array.nbytes for array in weights_of(self.module, self.ctx.resources).values())

    def save(self, path: str | Path) -> None:
        """Write the text `path`, which ends in .mlir, and its weights beside it.

        Raises:
            UserError: `path` is not such a name, or a file cannot be written.
        """
        text, _ = model_files(str(path), "quantisation")
        write_model(self.module, self.ctx, text)


@dataclass
class Plan:
    """Decides for the products of a model of floats.

    Attributes:
        scales: of the inputs of all products.
        wanted: the outputs of the model for each sample.
        alone: how weights become integers, where they alone do.
    """

    module: ModuleOp
    ctx: CompilerContext
    scales: Mapping[SSAValue, Scale]
    samples: Samples
    wanted: Sequence[Sequence[Array]]
    alone: WeightFormat | None = None
    _weights: dict[tuple[Attribute, int], list[ConstantOp]] = field(
        default_factory=dict[tuple[Attribute, int], "list[ConstantOp]"]
    )

    def _insertion(self, where: Mapping[SSAValue, SSAValue]) -> Insertion:
        """What puts ops into a copy of the module, in which each value is `where` says."""
        scales = {where[value]: scale for value, scale in self.scales.items()}
        return Insertion(self.ctx, scales, self._weights, self.alone)

    def measure(self, products: Sequence[Product]) -> list[float]:
        """The error of each product when it alone is computed in integers: the norm of what its results are off, by
        their norm, over all samples. One run of the model computes all products both ways."""
        copy, where = copy_of(self.module)
        function = function_of(copy)
        inside = _inside(self.module, copy)
        insertion = self._insertion(where)
        sums: list[SSAValue] = []
        for product in products:
            own = inside[product]
            short = clone(own.op)
            short.operands = insertion.operands(own)
            off = SubOp(short, own.op)
            squares = [MulOp(off, off), MulOp(own.op, own.op)]
            totals = [ReduceOp("sum", s, tuple(range(len(shape_of(s.result)))), False) for s in squares]
            Rewriter.insert_op([short, off, *squares, *totals], InsertPoint.after(own.op))
            sums += [total.result for total in totals]
        add_results(function, sums)
        run = compiled(copy, self.ctx)
        found = np.sum([run(inputs)[-len(sums) :] for inputs in self.samples], axis=0, dtype=np.float64)
        return [ratio(float(off), float(total)) for off, total in found.reshape(-1, 2)]

    def quantized(self, products: Mapping[Product, float], floats: Collection[Product]) -> QuantizedModel:
        """The model with all `products` in integers but `floats`; they say so, and their errors."""
        copy, where = copy_of(self.module)
        insertion = self._insertion(where)
        rows: list[Row] = []
        for outer, product in _inside(self.module, copy).items():
            error = products.get(outer)
            short = INTEGER if self.alone is None else self.alone.precision
            precision = FLOAT if error is None or outer in floats else short
            if precision == short:
                product.op.operands = insertion.operands(product)
                product.op.attributes[ERROR] = FloatAttr(float(f"{error:.3g}"), f64)
            product.op.attributes[PRECISION] = StringAttr(precision)
            rows.append(_row(product, precision, error))
        PassManager(self.ctx).run(copy, parse_passes("cse,dce"))
        weights = sum(array.nbytes for array in weights_of(self.module, self.ctx.resources).values())
        return QuantizedModel(copy, self.ctx, tuple(rows), 0.0, weights)

    def measured(self, model: QuantizedModel) -> QuantizedModel:
        """The model with the error of its outputs over all samples; 0 where it has no output of floats."""
        run = compiled(model.module, self.ctx)
        outputs = [run(inputs) for inputs in self.samples]
        errors = [
            relative_error([(found[i], wanted[i]) for found, wanted in zip(outputs, self.wanted, strict=True)])
            for i, output in enumerate(self.wanted[0])
            if is_float(output.dtype)
        ]
        return replace(model, error=max(errors, default=0.0))

    def within(self, products: Mapping[Product, float], max_error: float | None) -> QuantizedModel:
        """The model with as many products in integers as `max_error` of the outputs allows. Those with the largest
        errors go back to floats first; how many have to is found by bisection, each time with a new measurement."""
        order = sorted(products, key=lambda product: -products[product])
        hopeless = sum(1 for product in order if products[product] == float("inf"))

        def with_floats(count: int) -> QuantizedModel:
            return self.measured(self.quantized(products, order[:count]))

        best, low, high = with_floats(hopeless), hopeless, len(order)
        if max_error is None or best.error <= max_error:
            return best
        best = self.quantized(products, order)
        while high - low > 1:  # too far off with `low` of them in floats, and near enough with `high`
            middle = (low + high) // 2
            found = with_floats(middle)
            if found.error <= max_error:
                best, high = found, middle
            else:
                low = middle
        return best


def _inside(module: ModuleOp, copy: ModuleOp) -> dict[Product, Product]:
    """The products of a module, and what each is in a copy of it."""
    return dict(zip(products_of(function_of(module)), products_of(function_of(copy)), strict=True))


def _row(product: Product, precision: str, error: float | None) -> Row:
    return Row(product.op.name, product.op.result.name_hint or "", location_of(product.op), precision, error)
