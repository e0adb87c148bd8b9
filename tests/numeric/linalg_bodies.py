"""Ops of linalg with bodies, and ops that move elements, with what NumPy computes for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mlc.tests.numeric.upstream_programs import Array, Program, filled, kind, numbers, typed, zero


def _generic(maps: Sequence[str], dims: str, kinds: str, ins: Sequence[str], outs: Sequence[str], body: str) -> str:
    names = ", ".join(dims)
    listed = ", ".join(f"affine_map<({names}) -> ({m})>" for m in maps)
    words = ", ".join(f'"{"parallel" if k == "p" else "reduction"}"' for k in kinds)
    inputs = (
        f"ins({', '.join(v.split(':')[0] for v in ins)} : {', '.join(v.split(':')[1] for v in ins)})" if ins else ""
    )
    values, types = ", ".join(v.split(":")[0] for v in outs), [v.split(":")[1] for v in outs]
    end = types[0] if len(types) == 1 else f"({', '.join(types)})"
    count = "" if len(types) == 1 else f":{len(types)}"
    return (
        f"  %r{count} = linalg.generic {{indexing_maps = [{listed}], iterator_types = [{words}]}} {inputs} "
        f"outs({values} : {', '.join(types)}) {{\n{body}\n  }} -> {end}\n"
    )


REDUCING: dict[str, tuple[str, str, Callable[[Array, int], Array]]] = {
    "addf": ("f32", "0.0", lambda a, d: a.sum(d)),
    "mulf": ("f32", "1.0", lambda a, d: a.prod(d)),
    "maximumf": ("f32", "0xFF800000", lambda a, d: a.max(d)),
    "minimumf": ("f64", "0x7FF0000000000000", lambda a, d: a.min(d)),
    "maxnumf": ("f32", "-1.0", lambda a, d: np.maximum(a.max(d), -1)),
    "minnumf": ("f32", "1.0", lambda a, d: np.minimum(a.min(d), 1)),
    "addi": ("i64", "0", lambda a, d: a.sum(d)),
    "muli": ("i32", "1", lambda a, d: a.prod(d, dtype=a.dtype)),
    "maxsi": ("i32", "-5", lambda a, d: np.maximum(a.max(d), -5)),
    "minsi": ("i8", "127", lambda a, d: a.min(d)),
    "maxui": ("i8", "0", lambda a, d: a.view(np.uint8).max(d).view(np.int8)),
    "minui": ("i32", "-1", lambda a, d: a.view(np.uint32).min(d).view(np.int32)),
    "ori": ("i1", "false", lambda a, d: np.asarray(a.any(d))),
    "andi": ("i1", "true", lambda a, d: np.asarray(a.all(d))),
    "xori": ("i1", "false", lambda a, d: a.sum(d) % 2 == 1),
}


def reductions() -> Iterator[Program]:
    """`linalg.reduce` and generic ones, from constants and from tensors."""
    for number, (op, (name, start, function)) in enumerate(REDUCING.items()):
        shape, dim = [((4, 7), 1), ((6, 1), 0), ((3, 5, 2), 1), ((1, 9), 1)][number % 4]
        x = numbers(op, shape, name)
        found = function(x, dim).astype(x.dtype)
        text = filled(found, start)
        text += f"  %r = linalg.reduce {{ arith.{op} }} ins(%x0 : {kind(x)}) "
        text += f"outs(%init : {kind(found)}) dimensions = [{dim}]\n"
        yield Program(f"reduce_{op}", f"{text}  return %r : {kind(found)}", (x,), (found,))
        if op not in ("maxnumf", "minnumf", "maxsi", "mulf"):
            there = numbers((op, "there"), found.shape, name)
            both = function(np.concatenate([x, np.expand_dims(there, dim)], dim), dim).astype(x.dtype)
            kinds = "".join("r" if i == dim else "p" for i in range(len(shape)))
            dims = "abc"[: len(shape)]
            left = ", ".join(d for i, d in enumerate(dims) if i != dim)
            body = f"  ^bb0(%p: {name}, %q: {name}):\n    %t = arith.{op} %p, %q : {name}\n    linalg.yield %t : {name}"
            text = _generic([", ".join(dims), left], dims, kinds, [f"%x0:{kind(x)}"], [f"%x1:{kind(found)}"], body)
            yield Program(f"generic_{op}", f"{text}  return %r : {kind(found)}", (x, there), (both,))


def generics() -> Iterator[Program]:
    """Index maps of all kinds."""
    for number, (m, n) in enumerate(((4, 7), (1, 5), (8, 1))):
        x, b = numbers(("t", number), (m, n), "f32"), numbers(("b", number), (n,), "f32")
        body = "  ^bb0(%p: f32, %q: f32, %o: f32):\n    %t = arith.subf %p, %q : f32\n    linalg.yield %t : f32"
        out = (x - b).T
        text = f"  %e = tensor.empty() : {kind(out)}\n"
        text += _generic(
            ["i, j", "j", "j, i"], "ij", "pp", [f"%x0:{kind(x)}", f"%x1:{kind(b)}"], [f"%e:{kind(out)}"], body
        )
        yield Program(
            f"transposed_result_{number}", f"{text}  return %r : {kind(out)}", (x, b), (np.ascontiguousarray(out),)
        )
        there = numbers(("acc", number), (m, n), "f32")
        body = "  ^bb0(%p: f32, %o: f32):\n    %t = arith.mulf %p, %o : f32\n    linalg.yield %t : f32"
        text = _generic(["i, j", "i, j"], "ij", "pp", [f"%x0:{kind(x)}"], [f"%x1:{kind(there)}"], body)
        yield Program(f"reads_its_result_{number}", f"{text}  return %r : {kind(x)}", (x, there), (x * there,))
        where = np.add.outer(np.arange(m), 3 * np.arange(n)).astype(np.int64)
        body = """  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.constant 3 : index
    %t = arith.muli %j, %c : index
    %s = arith.addi %i, %t : index
    %w = arith.index_cast %s : index to i64
    linalg.yield %w : i64"""
        text = f"  %e = tensor.empty() : {kind(where)}\n" + _generic(
            ["i, j"], "ij", "pp", [], [f"%e:{kind(where)}"], body
        )
        yield Program(f"index_{number}", f"{text}  return %r : {kind(where)}", (x,), (where,))
        lower = np.where(np.tri(m, n, dtype=bool), x, np.float32(0))
        body = """  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.cmpi sge, %i, %j : index
    %z = arith.constant 0.0 : f32
    %t = arith.select %k, %p, %z : f32
    linalg.yield %t : f32"""
        text = f"  %e = tensor.empty() : {kind(x)}\n" + _generic(
            ["i, j", "i, j"], "ij", "pp", [f"%x0:{kind(x)}"], [f"%e:{kind(x)}"], body
        )
        yield Program(f"triangle_{number}", f"{text}  return %r : {kind(x)}", (x,), (lower,))
        squares = (x.astype(np.float64) ** 2).sum(1, keepdims=True)
        body = """  ^bb0(%p: f32, %o: f64):
    %w = arith.extf %p : f32 to f64
    %t = arith.mulf %w, %w : f64
    %s = arith.addf %o, %t : f64
    linalg.yield %s : f64"""
        text = filled(squares, "0.0") + _generic(
            ["i, j", "i, 0"], "ij", "pr", [f"%x0:{kind(x)}"], [f"%init:{kind(squares)}"], body
        )
        yield Program(f"keeps_the_dim_{number}", f"{text}  return %r : {kind(squares)}", (x,), (squares,))
        total, greatest = x.sum(1), x.max(1)
        body = """  ^bb0(%p: f32, %o: f32, %g: f32):
    %s = arith.addf %o, %p : f32
    %c = arith.cmpf ogt, %p, %g : f32
    %t = arith.select %c, %p, %g : f32
    linalg.yield %s, %t : f32, f32"""
        text = filled(total, "0.0") + filled(total, "0xFF800000", "low")
        text += _generic(
            ["i, j", "i", "i"], "ij", "pr", [f"%x0:{kind(x)}"], [f"%init:{kind(total)}", f"%low:{kind(total)}"], body
        )
        yield Program(
            f"two_results_{number}",
            f"{text}  return %r#0, %r#1 : {kind(total)}, {kind(total)}",
            (x,),
            (total, greatest),
        )
        scaled = x * np.float32(2.5)
        body = "  ^bb0(%p: f32, %q: f32, %o: f32):\n    %t = arith.mulf %p, %q : f32\n    linalg.yield %t : f32"
        text = "  %c = arith.constant 2.5 : f32\n" + _generic(
            ["i, j", "", "i, j"], "ij", "pp", [f"%x0:{kind(x)}", "%c:f32"], [f"%x0:{kind(x)}"], body
        )
        yield Program(f"scalar_operand_{number}", f"{text}  return %r : {kind(x)}", (x,), (scaled,))
        diff = x.sum() * np.float32(-1)
        body = "  ^bb0(%p: f32, %o: f32):\n    %t = arith.subf %o, %p : f32\n    linalg.yield %t : f32"
        whole = np.asarray(diff, np.float32)
        text = filled(whole, "0.0") + _generic(
            ["i, j", ""], "ij", "rr", [f"%x0:{kind(x)}"], [f"%init:{kind(whole)}"], body
        )
        yield Program(f"subtracts_{number}", f"{text}  return %r : {kind(whole)}", (x,), (whole,))
    x = numbers("sub", (10,), "f32")
    y = x[1:10:3] + x[0:9:3]
    body = "  ^bb0(%p: f32, %q: f32, %o: f32):\n    %t = arith.addf %p, %q : f32\n    linalg.yield %t : f32"
    text = f"  %e = tensor.empty() : {kind(y)}\n" + _generic(
        ["i * 3 + 1", "i * 3", "i"], "i", "p", [f"%x0:{kind(x)}", f"%x0:{kind(x)}"], [f"%e:{kind(y)}"], body
    )
    yield Program("strided", f"{text}  return %r : {kind(y)}", (x,), (y,))


def chains() -> Iterator[Program]:
    """Several ops that feed one another, as models have them."""
    for m, k, n in ((5, 7, 3), (16, 24, 32)):
        x, w, b = numbers(("x", m), (m, k), "f32"), numbers(("w", k), (k, n), "f32"), numbers(("b", n), (n,), "f32")
        v = numbers(("v", n), (n, m), "f32")
        hidden = np.maximum(x @ w + b, np.float32(0))
        add = "  ^bb0(%p: f32, %q: f32, %o: f32):\n    %t = arith.addf %p, %q : f32\n"
        add += "    %u = arith.maximumf %t, %value_init : f32\n    linalg.yield %u : f32"
        first = filled(hidden, "0.0")
        first += f"  %m = linalg.matmul ins(%x0, %x1 : {kind(x)}, {kind(w)}) outs(%init : {kind(hidden)}) "
        first += f"-> {kind(hidden)}\n"
        maps = ["i, j", "j", "i, j"]
        first += _generic(
            maps, "ij", "pp", [f"%m:{kind(hidden)}", f"%x2:{kind(b)}"], [f"%empty_init:{kind(hidden)}"], add
        )
        yield Program(f"dense_{m}", f"{first}  return %r : {kind(hidden)}", (x, w, b), (hidden,))
        out = hidden @ v
        text = first + filled(out, "0.0", "next")
        text += f"  %s = linalg.matmul ins(%r, %x3 : {kind(hidden)}, {kind(v)}) outs(%next : {kind(out)}) "
        text += f"-> {kind(out)}\n  return %s, %r : {kind(out)}, {kind(hidden)}"
        yield Program(f"two_layers_{m}", text, (x, w, b, v), (out, hidden))
        centred = x - x.mean(1, keepdims=True, dtype=np.float32)
        mean = np.asarray(x.sum(1))
        text = filled(mean, "0.0")
        text += f"  %m = linalg.reduce {{ arith.addf }} ins(%x0 : {kind(x)}) outs(%init : {kind(mean)}) "
        text += f"dimensions = [1]\n  %c = arith.constant {float(k)} : f32\n"
        less = "  ^bb0(%p: f32, %q: f32, %o: f32):\n    %t = arith.divf %q, %c : f32\n"
        less += "    %u = arith.subf %p, %t : f32\n    linalg.yield %u : f32"
        text += _generic(
            ["i, j", "i", "i, j"], "ij", "pp", [f"%x0:{kind(x)}", f"%m:{kind(mean)}"], [f"%x0:{kind(x)}"], less
        )
        yield Program(f"centred_{m}", f"{text}  return %r : {kind(x)}", (x,), (centred,))


def moves() -> Iterator[Program]:
    """Slices, padding, reshapes, transposes, broadcasts, softmax."""
    for name in ("f32", "i64", "i1", "i8"):
        x = numbers("moves", (4, 7), name)
        p = numbers("part", (2, 3), name)
        start = typed(zero(name), name)
        text = f"""  %c1 = arith.constant 1 : index
  %a = tensor.extract_slice %x0[1, %c1] [2, 3] [1, 2] : {kind(x)} to tensor<2x3x{name}>
  %b = tensor.extract_slice %x0[2, 0] [1, 7] [1, 1] : {kind(x)} to tensor<7x{name}>
  %c = tensor.insert_slice %x1 into %x0[1, 2] [2, 3] [1, 1] : tensor<2x3x{name}> into {kind(x)}
  %d = tensor.insert_slice %x1 into %c[0, 1] [2, 3] [2, 2] : tensor<2x3x{name}> into {kind(x)}
  %e = tensor.insert_slice %b into %x0[3, 0] [1, 7] [1, 1] : tensor<7x{name}> into {kind(x)}
  return %a, %b, %c, %d, %e : tensor<2x3x{name}>, tensor<7x{name}>, {kind(x)}, {kind(x)}, {kind(x)}"""
        c, e = x.copy(), x.copy()
        c[1:3, 2:5] = p
        d = c.copy()
        d[0:3:2, 1:6:2] = p
        e[3] = x[2]
        yield Program(f"slices_{name}", text, (x, p), (x[1:3, 1:6:2].copy(), x[2].copy(), c, d, e))
        text = f"""  %z = arith.constant {start}
  %p = tensor.pad %x0 low[1, 0] high[0, 2] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %z : {name}
  }} : {kind(x)} to tensor<5x9x{name}>
  %f = tensor.collapse_shape %x0 [[0, 1]] : {kind(x)} into tensor<28x{name}>
  %g = tensor.expand_shape %f [[0, 1, 2]] output_shape [2, 7, 2] : tensor<28x{name}> into tensor<2x7x2x{name}>
  %h = tensor.concat dim(1) %x0, %x0 : ({kind(x)}, {kind(x)}) -> tensor<4x14x{name}>
  return %p, %g, %h : tensor<5x9x{name}>, tensor<2x7x2x{name}>, tensor<4x14x{name}>"""
        yield Program(
            f"shapes_{name}", text, (x,), (np.pad(x, ((1, 0), (0, 2))), x.reshape(2, 7, 2), np.concatenate([x, x], 1))
        )
        text = f"""  %e = tensor.empty() : tensor<7x4x{name}>
  %t = linalg.transpose ins(%x0 : {kind(x)}) outs(%e : tensor<7x4x{name}>) permutation = [1, 0]
  %w = tensor.empty() : tensor<4x3x7x{name}>
  %b = linalg.broadcast ins(%x0 : {kind(x)}) outs(%w : tensor<4x3x7x{name}>) dimensions = [1]
  return %t, %b : tensor<7x4x{name}>, tensor<4x3x7x{name}>"""
        yield Program(
            f"turns_{name}",
            text,
            (x,),
            (np.ascontiguousarray(x.T), np.ascontiguousarray(np.broadcast_to(x[:, None], (4, 3, 7)))),
        )
        one = {"f32": "1.5", "i64": "4", "i1": "true", "i8": "-3"}[name]
        value = {"f32": 1.5, "i64": 4, "i1": True, "i8": -3}[name]
        text = f"""  %v = arith.constant {typed(one, name)}
  %u = arith.constant {start}
  %s = tensor.splat %v : tensor<3x2x{name}>
  %f = tensor.from_elements %v, %u, %v : tensor<3x{name}>
  return %s, %f : tensor<3x2x{name}>, tensor<3x{name}>"""
        yield Program(
            f"constants_{name}", text, (x,), (np.full((3, 2), value, x.dtype), np.array([value, 0, value], x.dtype))
        )
    for shape, dim in (((3, 5), 1), ((4, 3), 0), ((2, 3, 4), 1), ((1, 1), 1)):
        x = numbers(("softmax", dim), shape, "f32")
        powers = np.exp(x - x.max(dim, keepdims=True))
        found = powers / powers.sum(dim, keepdims=True)
        text = f"""  %e = tensor.empty() : {kind(x)}
  %r = linalg.softmax dimension({dim}) ins(%x0 : {kind(x)}) outs(%e : {kind(x)}) -> {kind(x)}
  return %r : {kind(x)}"""
        yield Program(f"softmax_{'x'.join(map(str, shape))}", text, (x,), (found,))


def gathers() -> Iterator[Program]:
    """Bodies that read a table at places which are data, computed ones and dims among them; as points and as terms."""
    for name, of in (("f32", "i64"), ("i64", "i32")):
        table, x = numbers("table", (5, 4), name), numbers("rows", (3, 4), name)
        rows = np.array([4, 0, 2], np.int64 if of == "i64" else np.int32)
        sums = np.asarray((table[rows] * x).sum(1)).astype(x.dtype)
        letter = "f" if name == "f32" else "i"
        read = f"  ^bb0(%i: {of}, %a: {name}, %o: {name}):\n    %p = arith.index_cast %i : {of} to index\n"
        read += "    %q = linalg.index 1 : index\n"
        back = f"""    %last = arith.constant 3 : index
    %d = arith.subi %last, %q : index
    %v = tensor.extract %x0[%p, %d] : {kind(table)}
    %w = tensor.extract %x0[%last, %q] : {kind(table)}
    %m = arith.mul{letter} %v, %a : {name}
    %n = arith.add{letter} %m, %w : {name}
    linalg.yield %n : {name}"""
        term = f"""    %v = tensor.extract %x0[%p, %q] : {kind(table)}
    %m = arith.mul{letter} %v, %a : {name}
    %n = arith.add{letter} %o, %m : {name}
    linalg.yield %n : {name}"""
        ins = [f"%x1:{kind(rows)}", f"%x2:{kind(x)}"]
        text = _generic(["i", "i, j", "i, j"], "ij", "pp", ins, [f"%x2:{kind(x)}"], read + back)
        points = np.asarray(table[rows][:, ::-1] * x + table[3]).astype(x.dtype)
        yield Program(f"gather_{name}", f"{text}  return %r : {kind(x)}", (table, rows, x), (points,))
        text = filled(sums, zero(name))
        text += _generic(["i", "i, j", "i"], "ij", "pr", ins, [f"%init:{kind(sums)}"], read + term)
        yield Program(f"gather_sum_{name}", f"{text}  return %r : {kind(sums)}", (table, rows, x), (sums,))
