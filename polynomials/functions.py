"""All functions that become polynomials, each with its formula."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import math
from xdsl.ir import Operation

from mlc.dialects.arith import RemFOp
from mlc.polynomials import erf, exp, hyperbolic, inverse_trig, log, powers, remainder, tanh, trig
from mlc.polynomials.builder import Number

EXPANSIONS: dict[type[Operation], Callable[..., Number]] = {
    RemFOp: remainder.remf,
    math.AcosOp: inverse_trig.acos,
    math.AcoshOp: hyperbolic.acosh,
    math.AsinOp: inverse_trig.asin,
    math.AsinhOp: hyperbolic.asinh,
    math.AtanOp: inverse_trig.atan,
    math.AtanhOp: hyperbolic.atanh,
    math.CosOp: trig.cos,
    math.CoshOp: hyperbolic.cosh,
    math.ErfOp: erf.erf,
    math.Exp2Op: exp.exp2,
    math.ExpM1Op: exp.expm1,
    math.ExpOp: exp.exp,
    math.IPowIOp: powers.ipowi,
    math.Log10Op: log.log10,
    math.Log1pOp: log.log1p,
    math.Log2Op: log.log2,
    math.LogOp: log.log,
    math.PowFOp: powers.powf,
    math.RsqrtOp: powers.rsqrt,
    math.SinOp: trig.sin,
    math.SinhOp: hyperbolic.sinh,
    math.TanOp: trig.tan,
    math.TanhOp: tanh.tanh,
}
"""From each function to its formula: as many numbers in as the op has operands, one number out."""
