"""Ops whose result is as large as data says, as they are before shapes are known.

```mlir
%0 = stablehlo.dynamic_reshape %x, %shape : (tensor<6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
```
"""

from __future__ import annotations

from xdsl.irdl import BaseAttr

from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.attributes import GatherAttr
from mlc.dialects.stablehlo.base import BOOL, I64, I64S, HloOp, declare
from mlc.dialects.stablehlo.contraction import CONVOLUTION
from mlc.dialects.stablehlo.moves import broadcast_dims
from mlc.dialects.stablehlo.rules import element, require, shape

_FUNCTION = "attr-dict `:` functional-type(operands, results)"


def _extents(op: HloOp, constraint: int, at: int) -> None:
    """The operand `at` has an extent for each dim of the result.

    Raises:
        VerifyException: it has not.
    """
    found, rank = shape(op.operands[at]), len(shape(op.results[0]))
    require(op, constraint, rules.fits(found, (rank,)), f"found a shape of {op.operands[at].type} for {rank} dims")


def _dynamic_iota(op: HloOp) -> None:
    """c1: it counts along a dim of the result; c2: the shape has an extent for each of its dims."""
    dim, rank = op.number("iota_dimension"), len(shape(op.results[0]))
    require(op, 1, 0 <= dim < rank, f"the dim is {dim}; the result has {rank} dims")
    _extents(op, 2, 0)


declare(
    "dynamic_iota",
    f"$output_shape `,` `dim` `=` $iota_dimension {_FUNCTION}",
    operands="output_shape",
    properties={"iota_dimension": I64},
    rules=(rules.tensors, _dynamic_iota),
)


def _first_elements(op: HloOp) -> None:
    """c1: operand and result have one element type."""
    one, two = element(op.operands[0]), element(op.results[0])
    require(op, 1, one == two, f"operand and result have one element type; found {one} and {two}")


declare(
    "dynamic_broadcast_in_dim",
    f"$operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions {_FUNCTION}",
    operands="operand output_dimensions",
    properties={"broadcast_dimensions": I64S},
    optional={"known_expanding_dimensions": I64S, "known_nonexpanding_dimensions": I64S},
    rules=(rules.tensors, _first_elements, broadcast_dims, lambda op: _extents(op, 7, 1)),
)
declare(
    "dynamic_reshape",
    f"operands {_FUNCTION}",
    operands="operand output_shape",
    rules=(rules.tensors, _first_elements, lambda op: _extents(op, 4, 1)),
)
declare(
    "real_dynamic_slice",
    f"operands {_FUNCTION}",
    operands="operand start_indices limit_indices strides",
    rules=(rules.tensors, _first_elements),
)
declare(
    "dynamic_pad",
    f"operands {_FUNCTION}",
    operands="operand padding_value edge_padding_low edge_padding_high interior_padding",
    rules=(rules.tensors, _first_elements),
)
declare(
    "dynamic_gather",
    operands="operand start_indices slice_sizes",
    properties={"dimension_numbers": BaseAttr(GatherAttr)},
    optional={"indices_are_sorted": BOOL},
    rules=(rules.tensors, _first_elements),
)
declare(
    "dynamic_conv",
    operands="lhs rhs padding",
    properties={n: c for n, c in CONVOLUTION.items() if n in ("dimension_numbers",)},
    optional={n: c for n, c in CONVOLUTION.items() if n not in ("dimension_numbers", "padding")},
    rules=(rules.tensors,),
)
