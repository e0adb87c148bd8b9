"""Loops and branches of scf on tensors, with what NumPy computes for them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlc.tests.numeric.upstream_programs import Array, Program, kind, numbers

_INDICES = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in (0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 100))


def _tiled_matmul(tiles: tuple[int, int, int], forall: bool) -> Program:
    """A product in tiles, as upstream's tile_using_for writes it, or as tile_using_forall with a loop for the sum."""
    a, b, c = numbers("a", (8, 16), "f32"), numbers("b", (16, 12), "f32"), numbers("c", (8, 12), "f32")
    m, n, k = tiles
    slices = f"""      %s = tensor.extract_slice %x0[%i, %k] [{m}, {k}] [1, 1] : tensor<8x16xf32> to tensor<{m}x{k}xf32>
      %t = tensor.extract_slice %x1[%k, %j] [{k}, {n}] [1, 1] : tensor<16x12xf32> to tensor<{k}x{n}xf32>
"""
    product = f"""linalg.matmul ins(%s, %t : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
        outs(%u : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>"""
    if forall:
        text = f"""  %r = scf.forall (%i, %j) = (0, 0) to (8, 12) step ({m}, {n})
      shared_outs(%o = %x2) -> (tensor<8x12xf32>) {{
    %w = tensor.extract_slice %o[%i, %j] [{m}, {n}] [1, 1] : tensor<8x12xf32> to tensor<{m}x{n}xf32>
    %p = scf.for %k = %c0 to %c16 step %c{k} iter_args(%u = %w) -> (tensor<{m}x{n}xf32>) {{
{slices}      %v = {product}
      scf.yield %v : tensor<{m}x{n}xf32>
    }}
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %p into %o[%i, %j] [{m}, {n}] [1, 1]
        : tensor<{m}x{n}xf32> into tensor<8x12xf32>
    }}
  }}
"""
    else:
        text = f"""  %r = scf.for %i = %c0 to %c8 step %c{m} iter_args(%f = %x2) -> (tensor<8x12xf32>) {{
    %g = scf.for %j = %c0 to %c12 step %c{n} iter_args(%h = %f) -> (tensor<8x12xf32>) {{
      %q = scf.for %k = %c0 to %c16 step %c{k} iter_args(%o = %h) -> (tensor<8x12xf32>) {{
{slices}      %u = tensor.extract_slice %o[%i, %j] [{m}, {n}] [1, 1] : tensor<8x12xf32> to tensor<{m}x{n}xf32>
      %v = {product}
      %w = tensor.insert_slice %v into %o[%i, %j] [{m}, {n}] [1, 1] : tensor<{m}x{n}xf32> into tensor<8x12xf32>
      scf.yield %w : tensor<8x12xf32>
      }}
      scf.yield %q : tensor<8x12xf32>
    }}
    scf.yield %g : tensor<8x12xf32>
  }}
"""
    name = f"tiles_{m}_{n}_{k}{'_forall' if forall else ''}"
    return Program(name, f"{_INDICES}{text}  return %r : tensor<8x12xf32>", (a, b, c), (a @ b + c,))


def tilings() -> Iterator[Program]:
    """Products in tiles."""
    for tiles in ((4, 6, 8), (8, 3, 4), (2, 12, 16)):
        for forall in (False, True):
            yield _tiled_matmul(tiles, forall)


def uneven_tilings() -> Iterator[Program]:
    """Products in tiles that do not divide extents, as upstream's tiling writes them, and what makes tiles itself."""
    a, b, c = numbers("a", (10, 16), "f32"), numbers("b", (16, 13), "f32"), numbers("c", (10, 13), "f32")
    sizes = "affine.min affine_map<(d0) -> (-d0 + END, TILE)>(%at)"

    def size(name: str, at: str, end: int, tile: int) -> str:
        said = sizes.replace("END", str(end)).replace("TILE", str(tile)).replace("%at", at)
        return f"  %{name} = {said}\n"

    product = """linalg.matmul ins(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%u : tensor<?x?xf32>) -> tensor<?x?xf32>"""
    slices = f"""{size("m", "%i", 10, 4)}{size("n", "%j", 13, 5)}{size("l", "%k", 16, 6)}
      %s = tensor.extract_slice %x0[%i, %k] [%m, %l] [1, 1] : tensor<10x16xf32> to tensor<?x?xf32>
      %t = tensor.extract_slice %x1[%k, %j] [%l, %n] [1, 1] : tensor<16x13xf32> to tensor<?x?xf32>
      %u = tensor.extract_slice %o[%i, %j] [%m, %n] [1, 1] : tensor<10x13xf32> to tensor<?x?xf32>
"""
    text = f"""{_INDICES}  %c10 = arith.constant 10 : index
  %c13 = arith.constant 13 : index
  %r = scf.for %i = %c0 to %c10 step %c4 iter_args(%f = %x2) -> (tensor<10x13xf32>) {{
    %g = scf.for %j = %c0 to %c13 step %c5 iter_args(%h = %f) -> (tensor<10x13xf32>) {{
      %q = scf.for %k = %c0 to %c16 step %c6 iter_args(%o = %h) -> (tensor<10x13xf32>) {{
{slices}      %v = {product}
      %w = tensor.insert_slice %v into %o[%i, %j] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<10x13xf32>
      scf.yield %w : tensor<10x13xf32>
      }}
      scf.yield %q : tensor<10x13xf32>
    }}
    scf.yield %g : tensor<10x13xf32>
  }}
  return %r : tensor<10x13xf32>"""
    yield Program("uneven_tiles", text, (a, b, c), (a @ b + c,))

    # A loop inside carries a tile, which the iteration has made; counters are numbers of tiles.
    text = f"""{_INDICES}  %zero = arith.constant 0.0 : f32
  %r = scf.forall (%p, %j) = (0, 0) to (3, 13) step (1, 5) shared_outs(%o = %x2) -> (tensor<10x13xf32>) {{
    %i = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
    %left = affine.min affine_map<(d0) -> (d0 * -4 + 10, 4)>(%p)
    %m = affine.max affine_map<(d0) -> (0, d0)>(%left)
  {size("n", "%j", 13, 5)}    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %q = scf.for %k = %c0 to %c16 step %c6 iter_args(%u = %z) -> (tensor<?x?xf32>) {{
    {size("l", "%k", 16, 6)}
      %s = tensor.extract_slice %x0[%i, %k] [%m, %l] [1, 1] : tensor<10x16xf32> to tensor<?x?xf32>
      %t = tensor.extract_slice %x1[%k, %j] [%l, %n] [1, 1] : tensor<16x13xf32> to tensor<?x?xf32>
      %v = {product}
      scf.yield %v : tensor<?x?xf32>
    }}
    %y = math.absf %q : tensor<?x?xf32>
    %x = linalg.exp ins(%y : tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %x into %o[%i, %j] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<10x13xf32>
    }}
  }}
  return %r : tensor<10x13xf32>"""
    yield Program("uneven_tiles_forall", text, (a / 8, b, c), (np.exp(np.abs((a / 8) @ b)),))


def loops() -> Iterator[Program]:
    """`scf.for` and `scf.while` that carry tensors and scalars, with bounds that are values, too."""
    x = numbers("loop", (6, 4), "f32")
    text = f"""{_INDICES}  %z = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c1 to %c6 step %c2 iter_args(%s = %z, %t = %x0) -> (f32, tensor<6x4xf32>) {{
    %j = arith.subi %i, %c1 : index
    %a = tensor.extract %t[%i, %c2] : tensor<6x4xf32>
    %u = arith.addf %s, %a : f32
    %row = tensor.extract_slice %t[%j, 0] [1, 4] [1, 1] : tensor<6x4xf32> to tensor<4xf32>
    %two = tensor.splat %u : tensor<4xf32>
    %sum = arith.addf %row, %two : tensor<4xf32>
    %w = tensor.insert_slice %sum into %t[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<6x4xf32>
    %v = tensor.insert %u into %w[%j, %c3] : tensor<6x4xf32>
    scf.yield %u, %v : f32, tensor<6x4xf32>
  }}
  %e = tensor.from_elements %r#0 : tensor<1xf32>
  return %e, %r#1 : tensor<1xf32>, tensor<6x4xf32>"""
    s, t = np.float32(0), x.copy()
    for i in range(1, 6, 2):
        s = np.float32(s + t[i, 2])
        t[i] = t[i - 1] + s
        t[i - 1, 3] = s
    yield Program("for_carries_both", text, (x,), (np.array([s], np.float32), t))

    text = f"""{_INDICES}  %n = tensor.extract %x1[] : tensor<index>
  %first = tensor.extract %x2[%c1] : tensor<2xi32>
  %start = arith.index_castui %first : i32 to index
  %r = scf.for %i = %start to %n step %c2 iter_args(%t = %x0) -> (tensor<6x4xf32>) {{
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %g = tensor.splat %f : tensor<6x4xf32>
    %u = arith.addf %t, %g : tensor<6x4xf32>
    scf.yield %u : tensor<6x4xf32>
  }}
  return %r : tensor<6x4xf32>"""
    text = (
        text.replace("tensor<index>", "tensor<i64>")
        .replace("  %first", "  %m = arith.index_cast %n : i64 to index\n  %first")
        .replace("%start to %n", "%start to %m")
    )
    for last in (9, 3, 1):
        limits = np.asarray(last, np.int64), np.array([0, 3], np.int32)
        yield Program(f"for_to_value_{last}", text, (x, *limits), (x + np.float32(sum(range(3, last, 2))),))

    text = f"""{_INDICES}  %limit = arith.constant 100.0 : f32
  %half = arith.constant 0.5 : f32
  %r:3 = scf.while (%a = %x0, %i = %c0) : (tensor<5xf32>, index) -> (tensor<5xf32>, index, f32) {{
    %b = arith.addf %a, %a : tensor<5xf32>
    %m = tensor.extract %b[%c3] : tensor<5xf32>
    %h = arith.mulf %m, %half : f32
    %c = arith.cmpf olt, %m, %limit : f32
    scf.condition(%c) %b, %i, %h : tensor<5xf32>, index, f32
  }} do {{
  ^bb0(%b: tensor<5xf32>, %i: index, %h: f32):
    %j = arith.addi %i, %c1 : index
    %s = tensor.splat %h : tensor<5xf32>
    %d = arith.addf %b, %s : tensor<5xf32>
    scf.yield %d, %j : tensor<5xf32>, index
  }}
  %n = arith.index_cast %r#1 : index to i64
  %e = tensor.from_elements %n : tensor<1xi64>
  %f = tensor.from_elements %r#2 : tensor<1xf32>
  return %r#0, %e, %f : tensor<5xf32>, tensor<1xi64>, tensor<1xf32>"""
    y = np.array([1.0, -2.0, 0.5, 1.25, 0.0], np.float32)
    a, count = y, 0
    while True:
        b = a + a
        h = b[3] * np.float32(0.5)
        if not b[3] < 100:
            break
        a, count = b + h, count + 1
    yield Program("while", text, (y,), (b, np.array([count]), np.array([h], np.float32)))

    text = f"""{_INDICES}  %z = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %c100 step %c1 iter_args(%a = %z) -> (f32) {{
    %v = tensor.extract %x0[%i] : tensor<100xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }}
  %e = tensor.splat %s : tensor<2xf32>
  return %e : tensor<2xf32>"""
    yield _old_values()
    v = numbers("sum", (100,), "f32")
    total = np.float32(0)
    for each in v:
        total = np.float32(total + each)
    yield Program("for_over_elements", text, (v,), (np.full(2, total, np.float32),))


def parallels() -> Iterator[Program]:
    """`scf.parallel` that reduces what it reads of tensors, also in a loop, and `scf.execute_region`."""
    x, y = numbers("parallel", (6, 4), "f32"), numbers("factors", (4,), "f32")
    region = """{
      ^bb0(%l: f32, %r: f32):
        %0 = arith.OP %l, %r : f32
        scf.reduce.return %0 : f32
      }"""
    reduced = f"""scf.parallel (%i, %j) = (%c0, %c1) to (%c6, %c4) step (%c2, %c1) init (%z, %low) -> (f32, f32) {{
      %a = tensor.extract %x0[%i, %j] : tensor<6x4xf32>
      %b = tensor.extract %x1[%j] : tensor<4xf32>
      %p = arith.mulf %a, %b : f32
      scf.reduce(%p, %a : f32, f32) {region.replace("OP", "addf")}, {region.replace("OP", "maximumf")}
    }}"""
    start = f"{_INDICES}  %z = arith.constant 0.0 : f32\n  %low = arith.constant 0xFF800000 : f32\n"
    text = f"""{start}  %s:2 = {reduced}
  %t, %e = scf.execute_region -> (f32, tensor<4xf32>) {{
    %sum = arith.addf %s#0, %s#1 : f32
    %all = tensor.splat %sum : tensor<4xf32>
    %f = arith.mulf %all, %x1 : tensor<4xf32>
    scf.yield %sum, %f : f32, tensor<4xf32>
  }}
  %r = tensor.from_elements %t : tensor<1xf32>
  return %r, %e : tensor<1xf32>, tensor<4xf32>"""
    taken = x[::2, 1:]
    total = np.float32((taken * y[1:]).sum() + taken.max())
    yield Program("parallel", text, (x, y), (np.array([total], np.float32), total * y))
    text = f"""{start}  %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%o = %x1) -> (tensor<4xf32>) {{
    %s:2 = {reduced}
    %f = scf.execute_region -> f32 {{
      %sum = arith.subf %s#0, %s#1 : f32
      scf.yield %sum : f32
    }}
    %n = tensor.insert %f into %o[%k] : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }}
  return %r : tensor<4xf32>"""
    expected = y.copy()
    expected[:3] = (taken * y[1:]).sum() - taken.max()
    yield Program("parallel_in_a_loop", text, (x, y), (expected,))


def _old_values() -> Program:
    """Steps that read what they have changed as it was before: elements one by one, and all of them."""
    x = numbers("old", (5,), "f32")
    text = f"""{_INDICES}  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<5xf32>
  %r:4 = scf.for %i = %c0 to %c5 step %c1 iter_args(%t = %x0, %s = %z, %p = %x0, %q = %zeros)
      -> (tensor<5xf32>, f32, tensor<5xf32>, tensor<5xf32>) {{
    %e = tensor.extract %t[%i] : tensor<5xf32>
    %d = arith.addf %e, %e : f32
    %u = tensor.insert %d into %t[%i] : tensor<5xf32>
    %old = tensor.extract %t[%i] : tensor<5xf32>
    %n = arith.addf %s, %old : f32
    %v = tensor.insert %n into %p[%i] : tensor<5xf32>
    %w = arith.addf %q, %p : tensor<5xf32>
    scf.yield %u, %n, %v, %w : tensor<5xf32>, f32, tensor<5xf32>, tensor<5xf32>
  }}
  %f = tensor.from_elements %r#1 : tensor<1xf32>
  return %r#0, %f, %r#2, %r#3 : tensor<5xf32>, tensor<1xf32>, tensor<5xf32>, tensor<5xf32>"""
    total, p, q = np.float32(0), x.copy(), np.zeros(5, np.float32)
    for i in range(5):
        q = q + p
        total = np.float32(total + x[i])
        p[i] = total
    return Program("for_reads_old_values", text, (x,), (x + x, np.array([total], np.float32), p, q))


def branches() -> Iterator[Program]:
    """`scf.if` and `scf.index_switch` with tensors and scalars as results, one in the other and in a loop."""
    x, y = numbers("if", (4,), "f32"), numbers("else", (4,), "f32")
    text = f"""{_INDICES}  %flag = tensor.extract %x0[] : tensor<i1>
  %k = tensor.extract %x3[%c0] : tensor<1xi64>
  %at = arith.index_cast %k : i64 to index
  %r:2 = scf.if %flag -> (tensor<4xf32>, f32) {{
    %s = arith.addf %x1, %x2 : tensor<4xf32>
    %e = tensor.extract %s[%at] : tensor<4xf32>
    scf.yield %s, %e : tensor<4xf32>, f32
  }} else {{
    %e = tensor.extract %x2[%at] : tensor<4xf32>
    %z = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %e, %z : f32
    %t = scf.if %p -> (tensor<4xf32>) {{
      %m = arith.mulf %x1, %x2 : tensor<4xf32>
      scf.yield %m : tensor<4xf32>
    }} else {{
      scf.yield %x1 : tensor<4xf32>
    }}
    scf.yield %t, %e : tensor<4xf32>, f32
  }}
  %f = tensor.splat %r#1 : tensor<2xf32>
  return %r#0, %f : tensor<4xf32>, tensor<2xf32>"""
    for flag in (True, False):
        for at in range(4):
            if flag:
                expected, element = x + y, (x + y)[at]
            else:
                expected, element = (x * y if y[at] > 0 else x), y[at]
            inputs: tuple[Array, ...] = (np.asarray(flag), x, y, np.array([at]))
            found = (expected, np.full(2, element, np.float32))
            yield Program(f"if_{flag}_{at}", text, inputs, found)

    table = numbers("switch", (6, 3), "f32")
    text = f"""{_INDICES}  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%t = %x0) -> ({kind(table)}) {{
    %row = tensor.extract_slice %t[%i, 0] [1, 3] [1, 1] : {kind(table)} to tensor<3xf32>
    %m = arith.remui %i, %c3 : index
    %new = scf.index_switch %m -> tensor<3xf32>
    case 0 {{
      %a = arith.addf %row, %row : tensor<3xf32>
      scf.yield %a : tensor<3xf32>
    }}
    case 2 {{
      %a = arith.negf %row : tensor<3xf32>
      scf.yield %a : tensor<3xf32>
    }}
    default {{
      scf.yield %row : tensor<3xf32>
    }}
    %u = tensor.insert_slice %new into %t[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into {kind(table)}
    scf.yield %u : {kind(table)}
  }}
  return %r : {kind(table)}"""
    factors = np.array([2, 1, -1, 2, 1, -1], np.float32)[:, None]
    yield Program("switch", text, (table,), (table * factors,))


def slices() -> Iterator[Program]:
    """Slices at values: with strides, without axes, in a forall whose iterations run one after the other."""
    x, part = numbers("slices", (9, 7), "f32"), numbers("part", (3, 2), "f32")
    at = np.array([2, 1], np.int64)
    text = f"""{_INDICES}  %p = tensor.extract %x2[%c0] : tensor<2xi64>
  %q = tensor.extract %x2[%c1] : tensor<2xi64>
  %i = arith.index_cast %p : i64 to index
  %j = arith.index_cast %q : i64 to index
  %s = tensor.extract_slice %x0[%i, %j] [3, 2] [2, 3] : {kind(x)} to {kind(part)}
  %t = tensor.insert_slice %x1 into %x0[%i, %j] [3, 2] [2, 3] : {kind(part)} into {kind(x)}
  %u = tensor.extract_slice %x0[3, %j] [1, 6] [1, 1] : {kind(x)} to tensor<6xf32>
  return %s, %t, %u : {kind(part)}, {kind(x)}, tensor<6xf32>"""
    changed = x.copy()
    changed[2:7:2, 1:5:3] = part
    yield Program("slices_at_values", text, (x, part, at), (x[2:7:2, 1:5:3], changed, x[3, 1:7]))

    rows = np.array([3, 0, 2], np.int32)
    text = f"""{_INDICES}  %r = scf.forall (%i) in (3) shared_outs(%o = %x1) -> ({kind(part)}) {{
    %k = tensor.extract %x2[%i] : tensor<3xi32>
    %at = arith.index_cast %k : i32 to index
    %s = tensor.extract_slice %x0[%at, 1] [1, 2] [1, 1] : {kind(x)} to tensor<1x2xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 2] [1, 1] : tensor<1x2xf32> into {kind(part)}
    }}
  }}
  return %r : {kind(part)}"""
    yield Program("forall_of_rows", text, (x, part, rows), (x[rows, 1:3],))
