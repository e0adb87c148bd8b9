"""Products of matrices, convolutions.

```mlir
%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<8x4x5xf32>, tensor<8x5x6xf32>) -> tensor<8x4x6xf32>
%1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
```
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.irdl import BaseAttr

from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.attributes import ConvAttr, DotAttr
from mlc.dialects.stablehlo.base import ANY, ARRAY, BOOLS, DENSE, I64, I64S, TEXT, HloOp, declare
from mlc.dialects.stablehlo.rules import Shape, element, in_range, is_unique, require, shape, windows, words

_FUNCTION = "attr-dict `:` functional-type(operands, results)"


def _precision(op: HloOp, constraint: int) -> None:
    found = op.properties.get("precision_config")
    count = len(cast("list[object]", getattr(found, "data", (0, 0))))
    require(op, constraint, count in (0, 2), f"found {count} precisions; there are two operands")


def _dot(op: HloOp) -> None:
    """c1: matrices or vectors, of which the last dim of one is as long as the first of the other."""
    lhs, rhs = (shape(o) for o in op.operands)
    require(op, 1, len(lhs) in (1, 2) and len(rhs) in (1, 2), f"found {words(lhs)} and {words(rhs)}; 1 or 2 dims each")
    require(op, 2, rules.fits(lhs[-1:], rhs[:1]), f"{words(lhs)} and {words(rhs)} cannot be multiplied")
    needed, found = (*lhs[:-1], *rhs[1:]), shape(op.results[0])
    require(op, 3, rules.fits(found, needed), f"the result is {words(found)}; it has to be {words(needed)}")


declare(
    "dot",
    f"$lhs `,` $rhs `` custom<Precisions>($precision_config) {_FUNCTION}",
    operands="lhs rhs",
    optional={"precision_config": ARRAY},
    rules=(rules.tensors, _dot),
)


def _dot_general(op: HloOp) -> None:
    """c1 to c13: dims in pairs, each once, of one extent; the result has those that are left."""
    dims = cast(DotAttr, op.properties["dot_dimension_numbers"])
    lhs, rhs = (shape(o) for o in op.operands)
    batch = dims.ints("lhs_batching_dimensions"), dims.ints("rhs_batching_dimensions")
    contract = dims.ints("lhs_contracting_dimensions"), dims.ints("rhs_contracting_dimensions")
    shown = f"batching dims are {list(batch[0])} and {list(batch[1])}"
    require(op, 1, len(batch[0]) == len(batch[1]), f"{shown}; they have to be as many")
    named = f"contracting dims are {list(contract[0])} and {list(contract[1])}"
    require(op, 2, len(contract[0]) == len(contract[1]), f"{named}; they have to be as many")
    for i, sizes in enumerate((lhs, rhs)):
        used = (*batch[i], *contract[i])
        side = "lhs" if i == 0 else "rhs"
        require(op, 3 + i, is_unique(used), f"dims of {side} are {list(used)}; each may be there once")
        require(op, 5 + 2 * i, in_range(batch[i], len(sizes)), f"{shown}; {side} has {len(sizes)} dims")
        require(op, 6 + 2 * i, in_range(contract[i], len(sizes)), f"{named}; {side} has {len(sizes)} dims")
    for number, noun, (ours, theirs) in ((9, "batching", batch), (10, "contracting", contract)):
        for a, b in zip(ours, theirs, strict=True):
            holds = rules.fits((lhs[a],), (rhs[b],))
            require(
                op, number, holds, f"{noun} dims have one extent; dim {a} of lhs has {lhs[a]}, dim {b} of rhs {rhs[b]}"
            )
    _precision(op, 11)
    free = [
        [n for d, n in enumerate(sizes) if d not in (*batch[i], *contract[i])] for i, sizes in enumerate((lhs, rhs))
    ]
    needed, found = (*(lhs[d] for d in batch[0]), *free[0], *free[1]), shape(op.results[0])
    require(op, 12, rules.fits(found, needed), f"the result is {words(found)}; it has to be {words(needed)}")
    kinds = [element(o) for o in op.operands]
    holds = kinds[0] == kinds[1] or any(map(rules.is_foreign, kinds)) or "algorithm" in op.properties
    # jaxlib prints products of mixed types, and the reference of upstream takes them.
    holds = holds or (rules.is_float(kinds[0]) and rules.is_float(kinds[1]))
    require(op, 13, holds, f"operands have one element type; found {kinds[0]} and {kinds[1]}")


declare(
    "dot_general",
    "$lhs `,` $rhs `,` custom<DotDims>($dot_dimension_numbers, $precision_config, $algorithm) " + _FUNCTION,
    operands="lhs rhs",
    properties={"dot_dimension_numbers": BaseAttr(DotAttr)},
    optional={"precision_config": ARRAY, "algorithm": ANY},
    rules=(rules.tensors, _dot_general),
)
declare(
    "einsum",
    f"$lhs `,` $rhs `,` `config` `=` $einsum_config {_FUNCTION}",
    operands="lhs rhs",
    properties={"einsum_config": TEXT},
    rules=(rules.tensors,),
)
declare(
    "unary_einsum",
    f"$operand `,` `config` `=` $einsum_config {_FUNCTION}",
    properties={"einsum_config": TEXT},
    rules=(rules.tensors,),
)

CONVOLUTION = {
    "window_strides": I64S,
    "padding": DENSE,
    "lhs_dilation": I64S,
    "rhs_dilation": I64S,
    "window_reversal": BOOLS,
    "dimension_numbers": BaseAttr(ConvAttr),
    "feature_group_count": I64,
    "batch_group_count": I64,
    "precision_config": ARRAY,
}
"""The properties of convolutions."""
_NEEDED = ("dimension_numbers", "feature_group_count", "batch_group_count")


def conv_window(op: HloOp) -> tuple[Shape, Shape, Shape, tuple[tuple[int, int], ...]]:
    """Strides, dilations of the image and of the kernel, and padding of a convolution, one for each spatial dim."""
    count = len(shape(op.operands[0])) - 2
    ones = (1,) * count
    numbers = (op.ints(n, ones) for n in ("window_strides", "lhs_dilation", "rhs_dilation"))
    strides, lhs, rhs = numbers
    return strides, lhs, rhs, op.pairs("padding") or ((0, 0),) * count


def _convolution(op: HloOp) -> None:
    """c1 to c27: one number per spatial dim, groups that divide, and the extents of the result."""
    lhs, rhs = (shape(o) for o in op.operands)
    result, dims = shape(op.results[0]), cast(ConvAttr, op.properties["dimension_numbers"])
    rank = len(lhs)
    require(
        op, 1, rank == len(rhs) and rank >= 2, f"operands have as many dims, at least 2; found {rank} and {len(rhs)}"
    )
    strides, lhs_dilation, rhs_dilation, padding = conv_window(op)
    for counted, positive, noun, values in (
        (2, 3, "window strides", strides),
        (5, 6, "dilations of lhs", lhs_dilation),
        (7, 8, "dilations of rhs", rhs_dilation),
    ):
        require(op, counted, len(values) == rank - 2, f"{noun} are {list(values)}; there are {rank - 2} spatial dims")
        require(op, positive, all(v > 0 for v in values), f"{noun} are {list(values)}; they have to be greater than 0")
    require(op, 4, len(padding) == rank - 2, f"found padding of {len(padding)} dims; there are {rank - 2} spatial dims")
    reversal = op.ints("window_reversal", (0,) * (rank - 2))
    require(op, 9, len(reversal) == rank - 2, f"found {len(reversal)} reversals; there are {rank - 2} spatial dims")
    features, batches = op.number("feature_group_count"), op.number("batch_group_count")
    require(op, 21, features > 0, f"the number of feature groups is {features}; it has to be greater than 0")
    require(op, 22, batches > 0, f"the number of batch groups is {batches}; it has to be greater than 0")
    require(op, 23, 1 in (features, batches), f"groups are of features or of batches; found {features} and {batches}")
    for number, noun, part in ((12, "lhs", dims.input), (17, "rhs", dims.kernel), (19, "the result", dims.output)):
        require(op, number, len(part) == rank, f"{len(part)} dims of {noun} are named; it has {rank}")
    batch, feature = lhs[dims.dims(0, "b")], lhs[dims.dims(0, "f")]
    kernel_in, kernel_out = rhs[dims.dims(1, "i")], rhs[dims.dims(1, "o")]
    for number, noun, found, groups in (
        (10, "batch dim of lhs", batch, batches),
        (11, "feature dim of lhs", feature, features),
        (15, "output dim of rhs", kernel_out, batches),
        (16, "output dim of rhs", kernel_out, features),
    ):
        holds = found == DYNAMIC_INDEX or found % groups == 0
        require(op, number, holds, f"the {noun} has extent {found}; it has to be divisible by the {groups} groups")
    if feature != DYNAMIC_INDEX:
        needed = feature // features
        holds = kernel_in in (DYNAMIC_INDEX, needed)
        require(op, 14, holds, f"rhs takes {kernel_in} features; lhs has {feature} in {features} groups")
    _precision(op, 24)
    require(op, 26, len(result) == rank, f"the result has {len(result)} dims; it has to have {rank}")
    counts = windows(
        [lhs[d] for d in dims.spatial(0)],
        [rhs[d] for d in dims.spatial(1)],
        strides,
        lhs_dilation,
        rhs_dilation,
        padding,
    )
    extents = dict(zip(dims.spatial(2), counts, strict=True))
    extents[dims.dims(2, "b")] = DYNAMIC_INDEX if batch == DYNAMIC_INDEX else batch // batches
    extents[dims.dims(2, "f")] = kernel_out
    wanted = tuple(extents[d] for d in range(rank))
    require(op, 25, rules.fits(result, wanted), f"the result is {words(result)}; it has to be {words(wanted)}")


declare(
    "convolution",
    "`(` $lhs `,` $rhs `)` `dim_numbers` `=` custom<ConvDims>($dimension_numbers) `,` `window` `=` `{` "
    "custom<WindowParts>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) `}` " + _FUNCTION,
    operands="lhs rhs",
    properties={n: CONVOLUTION[n] for n in _NEEDED},
    optional={n: c for n, c in CONVOLUTION.items() if n not in _NEEDED},
    rules=(rules.tensors, _convolution),
)
