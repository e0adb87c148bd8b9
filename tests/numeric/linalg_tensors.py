"""Positions as elements, argmax and argmin, generated tensors and tensors in tiles, with what NumPy computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mlc.tests.numeric.upstream_programs import Array, Program, filled, kind, numbers


def positions() -> Iterator[Program]:
    """Tensors of `index`, and casts of them with and without sign."""
    x, y = np.array([[3, -1, 7], [0, 2, 5]], np.int64), np.array([[-1, 2, -128], [127, 0, 5]], np.int8)
    of = "tensor<2x3xindex>"
    for cast, bits in (("index_cast", y.astype(np.int64)), ("index_castui", y.view(np.uint8).astype(np.int64))):
        text = f"""  %i = arith.{cast} %x0 : tensor<2x3xi64> to {of}
  %k = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : {of}
  %e = tensor.empty() : {of}
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%i, %k, %x1 : {of}, {of}, tensor<2x3xi8>) outs(%e : {of}) {{
  ^bb0(%a: index, %b: index, %c: i8, %o: index):
    %n = linalg.index 1 : index
    %p = arith.addi %a, %b : index
    %q = arith.muli %p, %n : index
    %w = arith.{cast} %c : i8 to index
    %s = arith.addi %q, %w : index
    linalg.yield %s : index
  }} -> {of}
  %t = arith.{cast} %r : {of} to tensor<2x3xi32>
  return %t : tensor<2x3xi32>"""
        expected = (x + np.arange(1, 7).reshape(2, 3)) * np.arange(3) + bits
        yield Program(f"positions_{cast}", text, (x, y), (expected.astype(np.int32),))


def _one_by_one(x: Array, is_max: bool, start: float, first: bool, keeps_nan: bool) -> tuple[Array, Array]:
    """What a body does that takes the elements of a row one after the other."""
    values, places = np.full(x.shape[0], start, x.dtype), np.zeros(x.shape[0], np.int64)
    for i, row in enumerate(x):
        best = x.dtype.type(start)
        for j, element in enumerate(row):
            better = (
                (element > best if first else element >= best)
                if is_max
                else (element < best if first else element <= best)
            )
            places[i] = j if better else places[i]
            if keeps_nan and (element != element or best != best):
                best = x.dtype.type(np.nan)
            else:
                best = element if better else best
        values[i] = best
    return values, places


def arguments() -> Iterator[Program]:
    """Argmax and argmin as torch-mlir writes them, and with a selection for the value: ties, NaN, nothing greater."""
    floats = numbers("argmax", (6, 9), "f32")
    floats[1, [2, 5]], floats[2, 3], floats[3], floats[4, 0] = 9.0, np.nan, -np.inf, np.nan
    floats[5] = np.nan
    integers = numbers("argmax", (5, 7), "i32")
    maps = "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>"
    x: Array
    for x, of, start in ((floats, "f32", -2.5), (integers, "i32", 2)):
        compare, extreme = ("cmpf o", "imumf") if of == "f32" else ("cmpi s", "si")
        for is_max in (True, False):
            for first in (True, False):
                for keeps_nan in (True, False) if of == "f32" else (True,):
                    relation = ("g" if is_max else "l") + ("t" if first else "e")
                    value = f"arith.{'max' if is_max else 'min'}{extreme} %a, %v : {of}"
                    if not keeps_nan:
                        value = f"arith.select %better, %a, %v : {of}"
                    count = x.shape[0]
                    values, places = _one_by_one(x, is_max, start, first, keeps_nan)
                    text = filled(values, str(start), "start") + filled(places, "0", "places")
                    types = f"tensor<{count}x{of}>, tensor<{count}xi64>"
                    text += f"""  %r:2 = linalg.generic {{indexing_maps = [{maps}],
      iterator_types = ["parallel", "reduction"]}} ins(%x0 : {kind(x)}) outs(%start, %places : {types}) {{
  ^bb0(%a: {of}, %v: {of}, %q: i64):
    %n = linalg.index 1 : index
    %c = arith.index_cast %n : index to i64
    %better = arith.{compare}{relation}, %a, %v : {of}
    %best = {value}
    %at = arith.select %better, %c, %q : i64
    linalg.yield %best, %at : {of}, i64
  }} -> ({types})
  return %r#0, %r#1 : {types}"""
                    name = f"arg_{of}_{relation}_{'nan' if keeps_nan else 'select'}"
                    yield Program(name, text, (x,), (values, places))


def generated() -> Iterator[Program]:
    """`tensor.generate`: of positions alone, and of elements at computed places."""
    x = numbers("generate", (4, 5), "f32")
    text = """  %y = tensor.generate {
  ^bb0(%i: index, %j: index, %k: index):
    %c4 = arith.constant 4 : index
    %d = arith.subi %c4, %k : index
    %a = tensor.extract %x0[%j, %d] : tensor<4x5xf32>
    %t = arith.index_cast %i : index to i32
    %f = arith.sitofp %t : i32 to f32
    %s = arith.addf %a, %f : f32
    tensor.yield %s : f32
  } : tensor<3x4x5xf32>
  return %y : tensor<3x4x5xf32>"""
    yield Program("generate", text, (x,), (x[None, :, ::-1] + np.arange(3, dtype=np.float32)[:, None, None],))
    text = """  %y = tensor.generate {
  ^bb0(%i: index, %j: index):
    %p = arith.muli %i, %j : index
    %t = arith.index_cast %p : index to i64
    tensor.yield %t : i64
  } : tensor<3x4xi64>
  %z = arith.addi %y, %x0 : tensor<3x4xi64>
  return %z : tensor<3x4xi64>"""
    y = numbers("table", (3, 4), "i64")
    yield Program("multiplication_table", text, (y,), (np.outer(np.arange(3), np.arange(4)) + y,))


def _pack(x: Array, order: Sequence[int], axes: Sequence[int], tiles: Sequence[int], fill: float) -> Array:
    """Element by element, as the operation is described."""
    size = dict(zip(axes, tiles, strict=True))
    outer = [-(-extent // size.get(axis, 1)) for axis, extent in enumerate(x.shape)]
    result = np.full([*(outer[axis] for axis in order), *tiles], fill, x.dtype)
    for place in np.ndindex(*x.shape):
        tile = [place[axis] // size.get(axis, 1) for axis in order]
        result[(*tile, *(place[axis] % size[axis] for axis in axes))] = x[place]
    return result


def packings() -> Iterator[Program]:
    """`tensor.pack` and back: of some axes, in another order, with padding, of the tiles that are cut off."""
    cases = (
        ((8, 12), (0, 1), (0, 1), (4, 3)),
        ((8, 12), (1, 0), (1, 0), (4, 2)),
        ((7, 10), (0, 1), (0, 1), (4, 4)),
        ((7, 10, 3), (2, 0, 1), (1,), (4,)),
        ((5, 9, 6), (1, 2, 0), (2, 0), (3, 2)),
    )
    for number, (shape, order, axes, tiles) in enumerate(cases):
        x = numbers(("pack", number), shape, "f32")
        packed = _pack(x, order, axes, tiles, 1.5)
        said = f"outer_dims_perm = {list(order)} inner_dims_pos = {list(axes)} inner_tiles = {list(tiles)}"
        padding = "padding_value(%fill : f32)" if packed.size > x.size else ""
        text = f"""  %fill = arith.constant 1.5 : f32
  %e = tensor.empty() : {kind(packed)}
  %p = tensor.pack %x0 {padding} {said} into %e : {kind(x)} -> {kind(packed)}
  %f = tensor.empty() : {kind(x)}
  %u = tensor.unpack %x1 {said} into %f : {kind(packed)} -> {kind(x)}
  return %p, %u : {kind(packed)}, {kind(x)}"""
        y = numbers(("unpack", number), shape, "f32")
        yield Program(f"pack_{number}", text, (x, _pack(y, order, axes, tiles, -8.0)), (packed, y))
