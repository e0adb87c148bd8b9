"""Named ops of linalg, and what NumPy computes for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from mlc.tests.numeric.upstream_programs import TYPES, Array, Program, call, filled, kind, numbers, zero

PRODUCTS = {
    "matmul": ("mk,kn->mn", ("mk", "kn")),
    "matmul_transpose_a": ("km,kn->mn", ("km", "kn")),
    "matmul_transpose_b": ("mk,nk->mn", ("mk", "nk")),
    "batch_matmul": ("bmk,bkn->bmn", ("bmk", "bkn")),
    "batch_matmul_transpose_a": ("bkm,bkn->bmn", ("bkm", "bkn")),
    "batch_matmul_transpose_b": ("bmk,bnk->bmn", ("bmk", "bnk")),
    "batch_reduce_matmul": ("bmk,bkn->mn", ("bmk", "bkn")),
    "matvec": ("mk,k->m", ("mk", "k")),
    "vecmat": ("k,kn->n", ("k", "kn")),
    "batch_matvec": ("bmk,bk->bm", ("bmk", "bk")),
    "batch_vecmat": ("bk,bkn->bn", ("bk", "bkn")),
    "dot": ("k,k->", ("k", "k")),
    "mmt4d": ("mkpq,nkrq->mnpr", ("mkpq", "nkrq")),
}


def products() -> Iterator[Program]:
    """The matmul family: from zeros, or from what is there."""
    extents = [
        {"m": 3, "n": 5, "k": 7, "b": 2, "p": 2, "q": 3, "r": 4},
        dict.fromkeys("mnkbpqr", 1),
        {"m": 17, "n": 33, "k": 9, "b": 3, "p": 1, "q": 2, "r": 3},
    ]
    types = [("f32", "f32"), ("i8", "i32"), ("f64", "f64"), ("i32", "i32"), ("f32", "f64")]
    for number, (op, (formula, rows)) in enumerate(PRODUCTS.items()):
        for turn, sizes in enumerate(extents):
            source, target = ("f32", "f32") if op == "batch_reduce_matmul" else types[(number + turn) % len(types)]
            a, b = (numbers((op, turn, side), [sizes[d] for d in row], source) for side, row in enumerate(rows))
            wide = TYPES[target]
            exact: Array = np.asarray(np.einsum(formula, a.astype(wide), b.astype(wide)))
            if turn == 1:
                there = numbers((op, "there"), exact.shape, target)
                yield Program(
                    f"{op}_{turn}",
                    f"{call(op, [a, b], exact)}  return %r : {kind(exact)}",
                    (a, b, there),
                    (exact + there,),
                )
            else:
                text = filled(exact, zero(target)) + call(op, [a, b], exact, init="%init")
                yield Program(f"{op}_{turn}", f"{text}  return %r : {kind(exact)}", (a, b), (exact,))
    a, b = numbers("bool", (5, 6), "i1"), numbers("bool2", (6, 7), "i1")
    any_of = np.asarray((a[:, :, None] & b[None]).any(1))
    text = filled(any_of, "false") + call("matmul", [a, b], any_of, init="%init")
    yield Program("matmul_of_booleans", f"{text}  return %r : {kind(any_of)}", (a, b), (any_of,))
    a, b = numbers("u", (4, 6), "i8"), numbers("u2", (6, 3), "i8")
    unsigned = a.view(np.uint8).astype(np.int32) @ b.view(np.uint8).astype(np.int32)
    text = filled(unsigned, "0") + call(
        "matmul", [a, b], unsigned, init="%init", said="{cast = #linalg.type_fn<cast_unsigned>}"
    )
    yield Program("matmul_cast_unsigned", f"{text}  return %r : {kind(unsigned)}", (a, b), (unsigned,))
    a, b = numbers("q", (4, 6), "i8"), numbers("q2", (6, 3), "i8")
    result = (a.astype(np.int32) - 3) @ (b.astype(np.int32) + 2)
    text = filled(result, "0") + (
        "  %za = arith.constant 3 : i32\n  %zb = arith.constant -2 : i32\n"
        f"  %r = linalg.quantized_matmul ins(%x0, %x1, %za, %zb : {kind(a)}, {kind(b)}, i32, i32) "
        f"outs(%init : {kind(result)}) -> {kind(result)}\n"
    )
    yield Program("quantized_matmul", f"{text}  return %r : {kind(result)}", (a, b), (result,))


# Dims of images, weights and results; capital letters are windows.
CONVOLUTIONS = {
    "conv_1d": ("X", "x", "X"),
    "conv_2d": ("YX", "yx", "YX"),
    "conv_3d": ("ZYX", "zyx", "ZYX"),
    "conv_1d_nwc_wcf": ("nXc", "xcf", "nXf"),
    "conv_1d_ncw_fcw": ("ncX", "fcx", "nfX"),
    "conv_2d_nhwc_hwcf": ("nYXc", "yxcf", "nYXf"),
    "conv_2d_nhwc_fhwc": ("nYXc", "fyxc", "nYXf"),
    "conv_2d_nchw_fchw": ("ncYX", "fcyx", "nfYX"),
    "conv_2d_ngchw_fgchw": ("ngcYX", "fgcyx", "ngfYX"),
    "conv_2d_ngchw_gfchw": ("ngcYX", "gfcyx", "ngfYX"),
    "conv_3d_ndhwc_dhwcf": ("nZYXc", "zyxcf", "nZYXf"),
    "conv_3d_ncdhw_fcdhw": ("ncZYX", "fczyx", "nfZYX"),
    "depthwise_conv_1d_nwc_wc": ("nXc", "xc", "nXc"),
    "depthwise_conv_1d_ncw_cw": ("ncX", "cx", "ncX"),
    "depthwise_conv_1d_nwc_wcm": ("nXc", "xcm", "nXcm"),
    "depthwise_conv_2d_nhwc_hwc": ("nYXc", "yxc", "nYXc"),
    "depthwise_conv_2d_nchw_chw": ("ncYX", "cyx", "ncYX"),
    "depthwise_conv_2d_nhwc_hwcm": ("nYXc", "yxcm", "nYXcm"),
    "depthwise_conv_3d_ndhwc_dhwc": ("nZYXc", "zyxc", "nZYXc"),
    "depthwise_conv_3d_ncdhw_cdhw": ("ncZYX", "czyx", "ncZYX"),
    "depthwise_conv_3d_ndhwc_dhwcm": ("nZYXc", "zyxcm", "nZYXcm"),
}
POOLINGS = {
    **{f"pooling_nhwc_{k}": ("nYXc", k) for k in ("sum", "max", "max_unsigned", "min", "min_unsigned")},
    **{f"pooling_nchw_{k}": ("ncYX", k) for k in ("sum", "max")},
    **{f"pooling_nwc_{k}": ("nXc", k) for k in ("sum", "max", "min_unsigned")},
    **{f"pooling_ncw_{k}": ("ncX", k) for k in ("sum", "max")},
    **{f"pooling_ndhwc_{k}": ("nZYXc", k) for k in ("sum", "max", "min")},
}
_EXTENTS = {"n": 2, "c": 3, "f": 5, "g": 2, "m": 2, "z": 2, "y": 3, "x": 2}
_STEPS = {"conv_1d": 1, "conv_2d": 1, "conv_3d": 1}


def _windows(image: Array, dims: str, taps: dict[str, int], result: dict[str, int], steps: list[int], gaps: list[int]):
    """For each position of the taps, its name and the part of the image that all windows have there."""
    names = [d.lower() for d in dims if d.isupper()]
    for at in product(*(range(taps[d]) for d in names)):
        place = dict(zip(names, at, strict=True))
        index = tuple(
            slice(
                place[d.lower()] * gaps[names.index(d.lower())],
                place[d.lower()] * gaps[names.index(d.lower())]
                + (result[d.lower()] - 1) * steps[names.index(d.lower())]
                + 1,
                steps[names.index(d.lower())],
            )
            if d.isupper()
            else slice(None)
            for d in dims
        )
        yield place, image[index]


def _image(dims: str, seed: object, name: str, steps: list[int], gaps: list[int]) -> tuple[Array, dict[str, int]]:
    names = [d.lower() for d in dims if d.isupper()]
    result = {d: 3 + i for i, d in enumerate(names)}
    shape = [
        (result[d.lower()] - 1) * steps[names.index(d.lower())]
        + (_EXTENTS[d.lower()] - 1) * gaps[names.index(d.lower())]
        + 1
        if d.isupper()
        else _EXTENTS[d]
        for d in dims
    ]
    return numbers(seed, shape, name), result


def _said(steps: list[int], gaps: list[int]) -> str:
    if set(steps) == set(gaps) == {1}:
        return ""
    lists = [f"dense<{each}> : tensor<{len(each)}xi64>" for each in (gaps, steps)]
    return f"{{dilations = {lists[0]}, strides = {lists[1]}}}"


def convolutions() -> Iterator[Program]:
    """With strides and dilations where there are some."""
    for number, (op, (dims, weights, out)) in enumerate(CONVOLUTIONS.items()):
        rank = sum(d.isupper() for d in dims)
        name = ("f32", "i32", "f64")[number % 3]
        steps = [1] * rank if op in _STEPS else [1 + (number + i) % 2 for i in range(rank)]
        gaps = [1] * rank if op in _STEPS else [1 + (number + i) % 3 for i in range(rank)]
        image, result = _image(dims, op, name, steps, gaps)
        w = numbers((op, "w"), [_EXTENTS[d] for d in weights], name)
        total: Any = 0
        for place, part in _windows(image, dims, _EXTENTS, result, steps, gaps):
            tap = w[tuple(place.get(d, slice(None)) for d in weights)]
            rest = "".join(d for d in weights if d not in place)
            total = total + np.einsum(f"{dims.lower()},{rest}->{out.lower()}", part, tap)
        total = np.asarray(total, image.dtype)
        there = numbers((op, "there"), total.shape, name)
        text = call(op, [image, w], total, said=_said(steps, gaps))
        yield Program(op, f"{text}  return %r : {kind(total)}", (image, w, there), (total + there,))


def poolings() -> Iterator[Program]:
    """Windows, of which the second operand only says how large they are."""
    for number, (op, (dims, how)) in enumerate(POOLINGS.items()):
        rank = sum(d.isupper() for d in dims)
        name = "i32" if "unsigned" in how else ("f32", "f64", "i32")[number % 3]
        steps, gaps = [1 + (number + i) % 2 for i in range(rank)], [1 + (number + i) % 2 for i in range(rank)]
        image, result = _image(dims, op, name, steps, gaps)
        parts = np.stack([part for _, part in _windows(image, dims, _EXTENTS, result, steps, gaps)])
        there = numbers((op, "there"), parts.shape[1:], name)
        every = np.concatenate([parts, there[None]])
        kinds: dict[str, Callable[[Array], Array]] = {
            "sum": lambda a: a.sum(0, dtype=a.dtype),
            "max": lambda a: a.max(0),
            "min": lambda a: a.min(0),
            "max_unsigned": lambda a: a.view(np.uint32).max(0).view(np.int32),
            "min_unsigned": lambda a: a.view(np.uint32).min(0).view(np.int32),
        }
        found = kinds[how](every)
        size = "x".join(str(_EXTENTS[d.lower()]) for d in dims if d.isupper())
        text = f"  %size = tensor.empty() : tensor<{size}x{name}>\n" + (
            f"  %r = linalg.{op} {_said(steps, gaps)} ins(%x0, %size : {kind(image)}, tensor<{size}x{name}>) "
            f"outs(%x1 : {kind(found)}) -> {kind(found)}\n"
        )
        yield Program(op, f"{text}  return %r : {kind(found)}", (image, there), (found,))


def _erf(x: Array) -> Array:
    from math import erf

    return np.vectorize(erf)(x.astype(np.float64)).astype(x.dtype)


UNARY: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "erf": _erf,
    "exp": np.exp,
    "floor": np.floor,
    "log": lambda x: np.log(np.abs(x)),
    "negf": np.negative,
    "reciprocal": lambda x: 1 / x,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "rsqrt": lambda x: 1 / np.sqrt(np.abs(x)),
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "square": np.square,
    "tanh": np.tanh,
}
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": lambda a, b: a / b if a.dtype.kind == "f" else np.trunc(a / b).astype(a.dtype),
    "max": np.maximum,
    "min": np.minimum,
}


def elementwise() -> Iterator[Program]:
    """Named ops, `linalg.map`, and `arith` and `math` on tensors."""
    for number, (op, function) in enumerate(UNARY.items()):
        name, shape = ("f32", "f64")[number % 2], [(5,), (3, 7), (1, 1), (2, 3, 5)][number % 4]
        x = numbers(op, shape, name)
        if op in ("log", "rsqrt", "sqrt"):
            x = np.abs(x)
        found = function(x).astype(x.dtype)
        text = f"  %e = tensor.empty() : {kind(x)}\n" + call(op, [x], found, init="%e")
        yield Program(op, f"{text}  return %r : {kind(found)}", (x,), (found,))
        if op not in ("reciprocal", "square", "negf"):
            word = "absf" if op == "abs" else op
            text = f"  %r = math.{word} %x0 : {kind(x)}\n  return %r : {kind(x)}"
            yield Program(f"math_{op}", text, (x,), (found,))
    for number, (op, function2) in enumerate(BINARY.items()):
        for name in ("f32", "i32", "i64"):
            shape = [(9,), (3, 5), (1, 6)][number % 3]
            a, b = numbers((op, 1), shape, name), numbers((op, 2), shape, name)
            b = np.where(b == 0, 1, b).astype(b.dtype)
            found = function2(a, b).astype(a.dtype)
            text = f"  %e = tensor.empty() : {kind(a)}\n" + call(op, [a, b], found, init="%e")
            yield Program(f"{op}_{name}", f"{text}  return %r : {kind(found)}", (a, b), (found,))
    a, b, c = numbers("c", (4, 5), "i1"), numbers("c1", (4, 5), "f32"), numbers("c2", (4, 5), "f32")
    chosen = np.where(a, b, c)
    text = f"  %e = tensor.empty() : {kind(b)}\n" + call("select", [a, b, c], chosen, init="%e")
    yield Program("select", f"{text}  return %r : {kind(chosen)}", (a, b, c), (chosen,))
    x = numbers("copy", (4, 5), "i8")
    text = "  %e = tensor.empty() : tensor<4x5xf32>\n" + call("copy", [x], x.astype(np.float32), init="%e")
    yield Program("copy", f"{text}  return %r : tensor<4x5xf32>", (x,), (x.astype(np.float32),))
    text = f"""  %two = arith.constant dense<2.0> : {kind(b)}
  %less = arith.cmpf olt, %x0, %x1 : {kind(b)}
  %sum = arith.addf %x0, %two : {kind(b)}
  %r = arith.select %less, %sum, %x1 : tensor<4x5xi1>, {kind(b)}
  %s = linalg.map ins(%r, %x0 : {kind(b)}, {kind(b)}) outs(%x1 : {kind(b)}) (%p: f32, %q: f32) {{
    %t = arith.mulf %p, %q : f32
    linalg.yield %t : f32
  }}
  %w = arith.fptosi %s : {kind(b)} to tensor<4x5xi32>
  return %s, %w : {kind(b)}, tensor<4x5xi32>"""
    found = np.where(b < c, b + np.float32(2), c) * b
    yield Program("arith_on_tensors", text, (b, c), (found, np.trunc(found).astype(np.int32)))
    y = numbers("ints", (3, 7), "i32")
    text = f"""  %c = arith.constant dense<3> : {kind(y)}
  %a = arith.andi %x0, %c : {kind(y)}
  %b = arith.shli %a, %c : {kind(y)}
  %d = arith.remsi %x0, %c : {kind(y)}
  %e = arith.extsi %d : {kind(y)} to tensor<3x7xi64>
  %f = arith.cmpi sge, %x0, %c : {kind(y)}
  return %b, %e, %f : {kind(y)}, tensor<3x7xi64>, tensor<3x7xi1>"""
    yield Program("integers_on_tensors", text, (y,), ((y & 3) << 3, np.fmod(y, 3).astype(np.int64), y >= 3))
