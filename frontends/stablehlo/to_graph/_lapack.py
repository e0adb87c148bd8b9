"""Functions of LAPACK that JAX calls on a CPU, as loops of graph ops. That LAPACK has matrices column by column is a
matter of layouts, which tensors do not have."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DictionaryAttr, i32
from xdsl.ir import SSAValue

from mlc.frontends.operators.cholesky import cholesky_factor
from mlc.frontends.operators.complex_numbers import RealOrPair
from mlc.frontends.operators.fields import extents_of, real_part, reshaped, zeros
from mlc.frontends.operators.householder import orthogonal_factor, reflections
from mlc.frontends.operators.jacobi import singular_values, symmetric_eigen
from mlc.frontends.operators.lu import triangular_factors
from mlc.frontends.operators.matrices import (
    adjoint,
    diagonal,
    first_pivot,
    first_zero,
    of_one_triangle,
    stacked,
    transposed,
)
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.triangular import solve_triangular
from mlc.frontends.stablehlo.to_graph._batches import is_open, of_whole_batch
from mlc.frontends.stablehlo.to_graph._calls import HloCall

_UPPER, _LEFT, _UNIT, _NO_VECTORS, _ALL_VECTORS = (ord(c) for c in "ULUNA")
_Function = Callable[[HloCall], list[RealOrPair]]


def _option(b: HloCall, name: str) -> int:
    """A letter of the call, as LAPACK has them, by its code."""
    config = b.op.attributes.get("mhlo.backend_config", b.op.properties.get("backend_config"))
    found = config.data.get(name) if isinstance(config, DictionaryAttr) else None
    if found is None:
        raise Unconvertible(f"its backend_config says nothing of '{name}'; required: an API of version 4, as JAX emits")
    return cast(Any, found).value.data


def _ok(b: HloCall, result: int) -> SSAValue:
    return b.splat(0, b.shape(result), i32)


def _potrf(b: HloCall) -> list[RealOrPair]:
    """The factor, and the number of the first pivot, from 1 on, that is not positive."""
    factor = cholesky_factor(b, stacked(b, b.operand(0)), _option(b, "uplo") != _UPPER)
    info = first_pivot(b, diagonal(b, real_part(factor)), "le")
    return [reshaped(b, factor, b.shape(0)), b.reshape(b.cast(info, i32), b.shape(1))]


def _trsm(b: HloCall) -> list[RealOrPair]:
    """The solution of a triangular system."""
    a, right, lower = stacked(b, b.operand(0)), stacked(b, b.operand(1)), _option(b, "uplo") != _UPPER
    if (way := _option(b, "trans_x")) != ord("N"):
        a, lower = adjoint(b, a) if way == ord("C") else transposed(b, a), not lower
    found = solve_triangular(b, a, right, lower, _option(b, "diag") == _UNIT, _option(b, "side") == _LEFT)
    return [reshaped(b, found, b.shape(0))]


def _getrf(b: HloCall) -> list[RealOrPair]:
    """The factors, the pivots from 1 on, and the number of the first pivot, from 1 on, that is 0."""
    found, pivots = triangular_factors(b, stacked(b, b.operand(0)))
    pivots = b.add(pivots, b.number(1, pivots))
    info = first_zero(b, found)
    return [reshaped(b, each, b.shape(i)) for i, each in enumerate([found, b.cast(pivots, i32), b.cast(info, i32)])]


def _geqrf(b: HloCall) -> list[RealOrPair]:
    """The orthogonal factor as reflections below the triangular one, and their factors."""
    found, taus = reflections(b, stacked(b, b.operand(0)))
    return [reshaped(b, found, b.shape(0)), reshaped(b, taus, b.shape(1))]


def _orgqr(b: HloCall) -> list[RealOrPair]:
    """The orthogonal factor of its reflections."""
    taus = b.operand(1)
    shape = extents_of(taus)
    flat = reshaped(b, taus, (int(np.prod(shape[:-1])), shape[-1]))
    return [reshaped(b, orthogonal_factor(b, stacked(b, b.operand(0)), flat), b.shape(0))]


def _syevd(b: HloCall) -> list[RealOrPair]:
    """Eigenvectors, or what is left of the matrix, and eigenvalues. Only one triangle is read."""
    a = of_one_triangle(b, stacked(b, b.operand(0)), _option(b, "uplo") != _UPPER)
    values, vectors = symmetric_eigen(b, a)
    return [reshaped(b, vectors, b.shape(0)), b.reshape(values, b.shape(1)), _ok(b, 2)]


def _gesdd(b: HloCall) -> list[RealOrPair]:
    """What is left of the matrix, which nobody reads, singular values, and vectors of both sides."""
    mode, a = _option(b, "mode"), b.operand(0)
    u, values, v = singular_values(b, stacked(b, a), mode == _ALL_VECTORS)
    if mode == _NO_VECTORS:
        vectors = [zeros(b, a, b.shape(i)) for i in (2, 3)]
    else:
        vectors = [reshaped(b, each, b.shape(i)) for i, each in ((2, u), (3, v))]
    return [a, b.reshape(values, b.shape(1)), *vectors, _ok(b, 4)]


_FUNCTIONS: dict[str, _Function] = {
    "potrf": _potrf,
    "trsm": _trsm,
    "getrf": _getrf,
    "geqrf": _geqrf,
    "orgqr": _orgqr,
    "syevd": _syevd,
    "gesdd": _gesdd,
}
_OF_COMPLEX = {"ungqr": "orgqr", "heevd": "syevd"}
"""What functions of complex matrices are called whose real kin has another name."""
_OTHERS = {
    "geev": "eigenvalues of a matrix that is not symmetric",
    "gehrd": "a Hessenberg form",
    "gees": "a Schur form",
    "sytrd": "a tridiagonal form",
    "hetrd": "a tridiagonal form",
    "gtsv": "a tridiagonal system",
    "trsyl": "a Sylvester equation",
    "geqp3": "orthogonal factors with pivoting",
}


def lapack_function(b: HloCall) -> list[RealOrPair] | None:
    """The results of a call of LAPACK; None if the call is of something else.

    Raises:
        Unconvertible: it is a function of LAPACK that mlc does not have.
    """
    name = b.op.word("call_target_name")
    match = re.fullmatch(r"lapack_([sdcz])(\w+?)(_ffi)?", name)
    if match is None:
        return None
    kind, short, is_ffi = match.groups()
    function = _FUNCTIONS.get(_OF_COMPLEX.get(short, short) if kind in "cz" else short)
    if function is None or not is_ffi:
        meant = f" ({_OTHERS[short]})" if short in _OTHERS else ""
        raise Unconvertible(
            f"it calls '{name}' of LAPACK{meant}, which mlc does not have; it has {', '.join(_FUNCTIONS)}"
        )
    return of_whole_batch(b, len(extents_of(b.operand(0))) - 2, _matrices(b)) if is_open(b) else function(b)


def _matrices(b: HloCall) -> int:
    """How many operands there are but those that say shapes of results, which come last."""
    shapes = b.op.attributes.get("indices_of_shape_operands")
    count = len(list(cast("DenseIntOrFPElementsAttr[Any]", shapes).get_values())) if shapes is not None else 0
    return len(b.op.operands) - count
