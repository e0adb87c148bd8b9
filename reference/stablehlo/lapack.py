"""Functions of LAPACK, which JAX calls by name, in NumPy. Of vectors whose sign is free, any sign is right."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr

from mlc.dialects.stablehlo import HloOp
from mlc.reference.execution import Array

_Results = list[Array]
_Function = Callable[[HloOp, list[Array]], _Results]


def _letter(op: HloOp, name: str) -> str:
    config = cast(DictionaryAttr, op.attributes["mhlo.backend_config"])
    return chr(cast(Any, config.data[name]).value.data)


def _no_info(a: Array) -> Array:
    return np.zeros(a.shape[:-2], np.int32)


def _each(a: Array) -> list[tuple[int, ...]]:
    return list(np.ndindex(a.shape[:-2]))


def _potrf(op: HloOp, operands: list[Array]) -> _Results:
    (a,) = operands
    factor, info = np.zeros_like(a), _no_info(a)
    for at in _each(a):
        half = np.tril(a[at]) if _letter(op, "uplo") == "L" else np.triu(a[at]).T
        for j in range(len(half)):
            pivot = half[j, j] - factor[at][j, :j] @ factor[at][j, :j]
            info[at] = info[at] or (0 if pivot > 0 else j + 1)
            column = half[j:, j] - factor[at][j:, :j] @ factor[at][j, :j]
            factor[at][j:, j] = column / np.sqrt(pivot)
    return [factor if _letter(op, "uplo") == "L" else np.swapaxes(factor, -1, -2), info]


def _trsm(op: HloOp, operands: list[Array]) -> _Results:
    a, right = operands
    a = np.tril(a) if _letter(op, "uplo") == "L" else np.triu(a)
    if _letter(op, "diag") == "U":
        a = np.where(np.eye(a.shape[-1], dtype=bool), np.ones((), a.dtype), a)
    a = a if _letter(op, "trans_x") == "N" else np.swapaxes(a, -1, -2)
    if _letter(op, "side") == "L":
        return [np.linalg.solve(a, right)]
    return [np.swapaxes(np.linalg.solve(np.swapaxes(a, -1, -2), np.swapaxes(right, -1, -2)), -1, -2)]


def _getrf(op: HloOp, operands: list[Array]) -> _Results:
    found = operands[0].copy()
    least = min(found.shape[-2:])
    pivots, info = np.zeros((*found.shape[:-2], least), np.int32), _no_info(found)
    for at in _each(found):
        a = found[at]
        for j in range(least):
            row = j + int(np.argmax(np.abs(a[j:, j])))
            pivots[(*at, j)] = row + 1
            a[[j, row]] = a[[row, j]]
            if a[j, j] == 0:
                info[at] = info[at] or j + 1
                continue
            a[j + 1 :, j] /= a[j, j]
            a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return [found, pivots, info]


def _geqrf(op: HloOp, operands: list[Array]) -> _Results:
    packed, taus = np.linalg.qr(operands[0], mode="raw")
    return [np.swapaxes(packed, -1, -2), taus]


def _orgqr(op: HloOp, operands: list[Array]) -> _Results:
    a, taus = operands
    m, n = a.shape[-2:]
    found = np.zeros_like(a)
    for at in _each(a):
        q = np.eye(m, n, dtype=a.dtype)
        for i in reversed(range(taus.shape[-1])):
            vector = np.concatenate([np.zeros(i, a.dtype), np.ones(1, a.dtype), a[at][i + 1 :, i]])
            q -= taus[(*at, i)] * np.outer(vector, vector @ q)
        found[at] = q
    return [found]


def _syevd(op: HloOp, operands: list[Array]) -> _Results:
    values, vectors = np.linalg.eigh(operands[0], UPLO=cast(Any, _letter(op, "uplo")))
    return [vectors, values, _no_info(operands[0])]


def _gesdd(op: HloOp, operands: list[Array]) -> _Results:
    a = operands[0]
    u, values, v = np.linalg.svd(a, full_matrices=_letter(op, "mode") == "A")
    return [a, values, u, v, _no_info(a)]


_FUNCTIONS: dict[str, _Function] = {
    "potrf": _potrf,
    "trsm": _trsm,
    "getrf": _getrf,
    "geqrf": _geqrf,
    "orgqr": _orgqr,
    "syevd": _syevd,
    "gesdd": _gesdd,
}


def lapack_results(op: HloOp, operands: list[Array]) -> list[Array] | None:
    """What a call of LAPACK on real matrices gives; None for other calls.

    Values that the op has no need of, as the vectors of a call without, keep the types of its results.
    """
    match = re.fullmatch(r"lapack_[sd](\w+)_ffi", op.word("call_target_name"))
    function = _FUNCTIONS.get(match[1]) if match else None
    if function is None:
        return None
    with np.errstate(all="ignore"):
        found = function(op, operands)
    shapes = [tuple(cast(Any, r.type).get_shape()) for r in op.results]
    return [x if x.shape == shape else np.zeros(shape, x.dtype) for x, shape in zip(found, shapes, strict=True)]
