"""Linear algebra, Fourier transforms, normalization of batches.

```mlir
%0 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
%1 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
```
"""

from __future__ import annotations

from xdsl.irdl import BaseAttr

from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.base import ANY, BOOL, I64, I64S, HloOp, declare
from mlc.dialects.stablehlo.enums import FftTypeAttr, TransposeAttr
from mlc.dialects.stablehlo.rules import element, is_complex, is_float, real_part, require, shape, words

_FUNCTION = "attr-dict `:` functional-type(operands, results)"


def _square(op: HloOp) -> None:
    """c2: at least two dims; c3: the last two have one extent."""
    sizes = shape(op.operands[0])
    require(op, 2, len(sizes) >= 2, f"the operand has {len(sizes)} dims; it has to have 2 or more")
    require(op, 3, rules.fits(sizes[-1:], sizes[-2:-1]), f"the operand is {words(sizes)}; the last two dims are equal")


declare(
    "cholesky",
    "$a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameTypes>(type(operands), type(results))",
    operands="a",
    optional={"lower": BOOL},
    rules=(rules.tensors, rules.floats_or_complex, rules.same_types(1), _square),
)


def _triangular_solve(op: HloOp) -> None:
    """c1 to c4: a square matrix, whose extent is that of one side of the other operand."""
    a, b = op.operands
    require(op, 1, element(a) == element(b), f"operands have one element type; found {element(a)} and {element(b)}")
    rank = len(shape(a))
    require(op, 2, rank >= 2 and rank == len(shape(b)), f"found {a.type} and {b.type}; as many dims each, at least 2")
    side = shape(b)[-2 if op.number("left_side") else -1]
    holds = rules.fits(shape(a)[-2:], (side, side)) and rules.fits(shape(a)[:-2], shape(b)[:-2])
    require(op, 3, holds, f"{words(shape(a))} cannot be solved for {words(shape(b))}")
    result = op.results[0]
    require(op, 4, rules.fits(shape(result), shape(b)), f"the result is {result.type}; it has to be {b.type}")


declare(
    "triangular_solve",
    operands="a b",
    properties={"left_side": BOOL, "lower": BOOL, "unit_diagonal": BOOL, "transpose_a": BaseAttr(TransposeAttr)},
    rules=(rules.tensors, rules.floats_or_complex, _triangular_solve),
)


def _fft(op: HloOp) -> None:
    """c1 to c5: one to three lengths, which are the last dims of the real side."""
    lengths, kind = op.ints("fft_length"), op.word("fft_type")
    operand, result = op.operands[0], op.results[0]
    sizes, found = shape(operand), shape(result)
    require(op, 1, len(lengths) <= len(sizes), f"lengths are {list(lengths)}; the operand has {len(sizes)} dims")
    before, after = element(operand), element(result)
    holds = {
        "FFT": is_complex(before) and before == after,
        "IFFT": is_complex(before) and before == after,
        "RFFT": is_float(before) and is_complex(after) and real_part(after) == before,
        "IRFFT": is_complex(before) and is_float(after) and real_part(before) == after,
    }[kind]
    require(op, 2, holds, f"{kind} cannot turn {operand.type} into {result.type}")
    require(op, 3, 1 <= len(lengths) <= 3, f"lengths are {list(lengths)}; there are 1 to 3")
    if kind in ("RFFT", "IRFFT"):
        real = sizes if kind == "RFFT" else found
        holds = rules.fits(real[-len(lengths) :], lengths)
        require(op, 4, holds, f"lengths are {list(lengths)}; the real tensor is {words(real)}")
    needed = sizes
    if kind == "RFFT":
        needed = (*sizes[:-1], sizes[-1] // 2 + 1 if sizes[-1] > 0 else sizes[-1])
    elif kind == "IRFFT":
        last = found[-1] // 2 + 1 if found[-1] > 0 else found[-1]
        require(op, 5, rules.fits(sizes[-1:], (last,)), f"the operand is {words(sizes)}; its last dim has to be {last}")
        needed = (*sizes[:-1], found[-1])
    require(op, 5, rules.fits(found, needed), f"the result is {words(found)}; it has to be {words(needed)}")


declare(
    "fft",
    f"$operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length {_FUNCTION}",
    properties={"fft_type": BaseAttr(FftTypeAttr), "fft_length": I64S},
    rules=(rules.tensors, _fft),
)


def _feature(op: HloOp) -> None:
    """c1: the dim of features is one of the operand's; c3 and on: other operands have a number for each feature."""
    at, sizes = op.number("feature_index"), shape(op.operands[0])
    require(op, 1, 0 <= at < len(sizes), f"feature_index is {at}; the operand has {len(sizes)} dims")
    for number, value in enumerate(op.operands[1:], 3):
        if len(shape(value)) == 1:
            holds = rules.fits(shape(value), (sizes[at],))
            require(op, number, holds, f"found {value.type} for {sizes[at]} features")


_NORM = {"epsilon": ANY, "feature_index": I64}
declare(
    "batch_norm_inference",
    operands="operand scale offset mean variance",
    properties=_NORM,
    rules=(rules.tensors, rules.floats, _feature),
)
declare(
    "batch_norm_training",
    operands="operand scale offset",
    results="output batch_mean batch_var",
    properties=_NORM,
    rules=(rules.tensors, rules.floats, _feature),
)
declare(
    "batch_norm_grad",
    operands="operand scale mean variance grad_output",
    results="grad_operand grad_scale grad_offset",
    properties=_NORM,
    rules=(rules.tensors, rules.floats, _feature),
)
