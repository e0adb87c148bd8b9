"""Functions of LAPACK that JAX calls on a CPU, as loops of graph ops. That LAPACK has matrices column by column is a
matter of layouts, which tensors do not have."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, i32
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.cholesky import cholesky_factor
from mlc.frontends.operators.householder import orthogonal_factor, reflections
from mlc.frontends.operators.jacobi import singular_values, symmetric_eigen
from mlc.frontends.operators.lu import triangular_factors
from mlc.frontends.operators.matrices import diagonal, first_pivot, numbers, stacked, transposed
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.triangular import solve_triangular
from mlc.frontends.stablehlo.to_graph._calls import HloCall

_UPPER, _LEFT, _UNIT, _NO_VECTORS, _ALL_VECTORS = (ord(c) for c in "ULUNA")
_Function = Callable[[HloCall], list[SSAValue]]


def _option(b: HloCall, name: str) -> int:
    """A letter of the call, as LAPACK has them, by its code."""
    config = b.op.attributes.get("mhlo.backend_config", b.op.properties.get("backend_config"))
    found = config.data.get(name) if isinstance(config, DictionaryAttr) else None
    if found is None:
        raise Unconvertible(f"its backend_config says nothing of '{name}'; required: an API of version 4, as JAX emits")
    return cast(Any, found).value.data


def _ok(b: HloCall, result: int) -> SSAValue:
    return b.splat(0, b.shape(result), i32)


def _potrf(b: HloCall) -> list[SSAValue]:
    """The factor, and the number of the first pivot, from 1 on, that is not positive."""
    factor = cholesky_factor(b, stacked(b, b[0]), _option(b, "uplo") != _UPPER)
    info = first_pivot(b, diagonal(b, factor), "le")
    return [b.reshape(factor, b.shape(0)), b.reshape(b.cast(info, i32), b.shape(1))]


def _trsm(b: HloCall) -> list[SSAValue]:
    """The solution of a triangular system."""
    a, right, lower = stacked(b, b[0]), stacked(b, b[1]), _option(b, "uplo") != _UPPER
    if _option(b, "trans_x") != ord("N"):
        a, lower = transposed(b, a), not lower
    found = solve_triangular(b, a, right, lower, _option(b, "diag") == _UNIT, _option(b, "side") == _LEFT)
    return [b.reshape(found, b.shape(0))]


def _getrf(b: HloCall) -> list[SSAValue]:
    """The factors, the pivots from 1 on, and the number of the first pivot, from 1 on, that is 0."""
    found, pivots = triangular_factors(b, stacked(b, b[0]))
    pivots = b.add(pivots, b.number(1, pivots))
    info = first_pivot(b, diagonal(b, found), "eq")
    results = [found, b.cast(pivots, i32), b.cast(info, i32)]
    return [b.reshape(each, b.shape(i)) for i, each in enumerate(results)]


def _geqrf(b: HloCall) -> list[SSAValue]:
    """The orthogonal factor as reflections below the triangular one, and their factors."""
    found, taus = reflections(b, stacked(b, b[0]))
    return [b.reshape(found, b.shape(0)), b.reshape(taus, b.shape(1))]


def _orgqr(b: HloCall) -> list[SSAValue]:
    """The orthogonal factor of its reflections."""
    taus = shape_of(b[1])
    flat = b.reshape(b[1], (int(np.prod(taus[:-1])), taus[-1]))
    return [b.reshape(orthogonal_factor(b, stacked(b, b[0]), flat), b.shape(0))]


def _syevd(b: HloCall) -> list[SSAValue]:
    """Eigenvectors, or what is left of the matrix, and eigenvalues. Only one triangle is read."""
    a = stacked(b, b[0])
    n = shape_of(a)[1]
    one, two = numbers(b, n, 1), numbers(b, n, 2)
    direction = "le" if _option(b, "uplo") == _UPPER else "ge"
    if n:
        a = b.where(b.compare(direction, one, two), a, transposed(b, a))
    values, vectors = symmetric_eigen(b, a)
    return [b.reshape(vectors, b.shape(0)), b.reshape(values, b.shape(1)), _ok(b, 2)]


def _gesdd(b: HloCall) -> list[SSAValue]:
    """What is left of the matrix, which nobody reads, singular values, and vectors of both sides."""
    mode = _option(b, "mode")
    u, values, v = singular_values(b, stacked(b, b[0]), mode == _ALL_VECTORS)
    vectors = [b.reshape(each, b.shape(i)) for i, each in ((2, u), (3, v))] if mode != _NO_VECTORS else None
    if vectors is None:
        vectors = [b.splat(0, b.shape(i), b.element(i)) for i in (2, 3)]
    return [b[0], b.reshape(values, b.shape(1)), *vectors, _ok(b, 4)]


_FUNCTIONS: dict[str, _Function] = {
    "potrf": _potrf,
    "trsm": _trsm,
    "getrf": _getrf,
    "geqrf": _geqrf,
    "orgqr": _orgqr,
    "syevd": _syevd,
    "gesdd": _gesdd,
}
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


def lapack_function(b: HloCall) -> list[SSAValue] | None:
    """The results of a call of LAPACK; None if the call is of something else.

    Raises:
        Unconvertible: it is a function of LAPACK that mlc does not have.
    """
    name = b.op.word("call_target_name")
    match = re.fullmatch(r"lapack_([sdcz])(\w+?)(_ffi)?", name)
    if match is None:
        return None
    kind, short, is_ffi = match.groups()
    if kind in "cz":
        raise Unconvertible(f"it calls '{name}' of LAPACK, on complex matrices; required: real ones")
    function = _FUNCTIONS.get(short)
    if function is None or not is_ffi:
        meant = f" ({_OTHERS[short]})" if short in _OTHERS else ""
        raise Unconvertible(
            f"it calls '{name}' of LAPACK{meant}, which mlc does not have; it has {', '.join(_FUNCTIONS)}"
        )
    return function(b)
