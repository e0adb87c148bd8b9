"""f16 and bf16: conversions of every value, and ops that compute in f32 and round once, against NumPy and ml_dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import dtype_named, limits_of
from mlc.support.resources import Resources
from mlc.targets.elf import undefined_symbols
from mlc.tests.conftest import CommandLine

Array = NDArray[Any]
Run = Callable[..., list[Array]]

DTYPES = {"f16": dtype_named("float16"), "bf16": dtype_named("bfloat16")}
FRACTION = {"f16": 10, "bf16": 7}
"""How many bits of the significand are stored."""
MACHINES = (("native", 3), ("native", 0), ("x86-64-v2", 3), ("aarch64", 3))


@pytest.fixture(params=DTYPES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def _all(name: str) -> Array:
    """Every number of the type."""
    return np.arange(1 << 16, dtype=np.uint16).view(DTYPES[name])


def _runs(text: str, inputs: Sequence[Array], run_compiled: Run) -> dict[str, list[Array]]:
    module = mlc.parse(text)
    given = list(inputs)
    runs = {"reference": run_function(module, "main", given, Resources())}
    return runs | {f"{t} -O{level}": run_compiled(module, given, t, level) for t, level in MACHINES}


def _same(found: Array, wanted: Array) -> Array:
    """Which elements are equal to the bit; one NaN is like another."""
    with np.errstate(all="ignore"):
        equal = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
        return equal | ((found != found) & (wanted != wanted))


def _check(runs: dict[str, list[Array]], expected: Sequence[Array], ulps: int = 0) -> None:
    for where, outputs in runs.items():
        for number, (found, wanted) in enumerate(zip(outputs, expected, strict=True)):
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), (where, number)
            right = found == wanted if found.dtype.kind in "iub" or ulps else _same(found, wanted)
            if ulps:
                right |= (_places_apart(found, wanted) <= ulps) | ((found != found) & (wanted != wanted))
                right |= (found == 0) & (np.abs(wanted) < 2.0**-126)  # less than f32 has, as after an overflow of exp
            assert right.all(), (where, number, np.argwhere(~right)[:3], found[~right][:5], wanted[~right][:5])


def _places_apart(a: Array, b: Array) -> Array:
    """How many numbers of the type lie between two, of one sign; many if one is NaN."""
    x, y = (v.view(np.uint16).astype(np.int64) for v in (a, b))
    return np.where(np.isnan(a.astype(np.float32)) | ((x ^ y) >> 15 != 0), 1 << 16, np.abs(x - y))


def _model(inputs: Sequence[str], ops: Sequence[tuple[str, str]]) -> str:
    """`main` gives the results of `ops`: what stands after `graph.`, and the type of the result."""
    arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(inputs))
    lines = "".join(f"  %y{i} = graph.{op}\n" for i, (op, _) in enumerate(ops))
    names, types = ", ".join(f"%y{i}" for i in range(len(ops))), ", ".join(t for _, t in ops)
    return f"func.func @main({arguments}) -> ({types}) {{\n{lines}  return {names} : {types}\n}}\n"


def _casts(argument: str, source: str, targets: Sequence[str]) -> list[tuple[str, str]]:
    shape = source[: source.index("x") + 1]
    return [(f"cast {argument} : {source} -> {shape}{t}>", f"{shape}{t}>") for t in targets]


def test_every_number_becomes_another_type(name: str, run_compiled: Run) -> None:
    x, source = _all(name), f"tensor<65536x{name}>"
    other = "bf16" if name == "f16" else "f16"
    wide = x.astype(np.float32)
    targets = {"f32": wide, "f64": wide.astype(np.float64), other: wide.astype(DTYPES[other]), "i1": wide != 0}
    for integer, dtype in (("i8", np.int8), ("ui8", np.uint8), ("i32", np.int32), ("ui32", np.uint32)):
        limits = np.iinfo(dtype)
        whole = np.clip(np.trunc(np.nan_to_num(wide.astype(np.float64), nan=0.0)), limits.min, limits.max)
        targets[integer] = whole.astype(dtype)
    runs = _runs(_model([source], _casts("%x0", source, list(targets))), [x], run_compiled)
    _check(runs, list(targets.values()))


def _neighbours(name: str) -> Array:
    """All numbers of a type, and what lies in the middle of two, as f64; and what is next to these."""
    finite = np.sort(_all(name)[np.isfinite(_all(name).astype(np.float32))].astype(np.float64))
    middles = (finite[1:] + finite[:-1]) / 2
    beyond = finite[-1] + (finite[-1] - finite[-2]) / 2  # half way to what would come next
    exact = np.concatenate([finite, middles, [beyond, -beyond]])
    near = [np.nextafter(exact, -np.inf), np.nextafter(exact, np.inf)]
    return np.concatenate([exact, *near, [np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, -0.0]])


def _rounded(x: Array, name: str) -> Array:
    """f64 to the nearest, ties to even, by what spacing the numbers of the type have there."""
    dtype, limits = DTYPES[name], limits_of(DTYPES[name])
    _, exponent = np.frexp(np.where(np.isfinite(x), x, 0))
    lowest = int(np.log2(float(limits.smallest_normal)))
    spacing = np.exp2(np.maximum(exponent - 1, lowest).astype(np.float64) - FRACTION[name])
    with np.errstate(all="ignore"):
        nearest = np.copysign(np.where(np.isfinite(x), np.rint(x / spacing) * spacing, x), x)
        return np.where(np.abs(nearest) > float(limits.max), np.copysign(np.inf, x), nearest).astype(dtype)


def test_numbers_are_rounded_once(name: str, run_compiled: Run) -> None:
    d = _neighbours(name)
    with np.errstate(over="ignore"):
        f = np.concatenate([d.astype(np.float32), np.nextafter(d.astype(np.float32), np.float32(0))])
    rng = np.random.default_rng(0)
    i = rng.integers(-(1 << 31), 1 << 31, 5000) >> rng.integers(0, 31, 5000)
    types = [f"tensor<{d.size}xf64>", f"tensor<{f.size}xf32>", "tensor<5000xi32>", "tensor<5000xui32>"]
    ops = [op for n, t in enumerate(types) for op in _casts(f"%x{n}", t, [name])]
    inputs = [d, f, i.astype(np.int32), i.astype(np.uint32)]
    runs = _runs(_model(types, ops), inputs, run_compiled)
    _check(runs, [_rounded(x.astype(np.float64), name) for x in inputs])
    with np.errstate(over="ignore"):  # the oracle of the oracle
        assert _same(_rounded(f.astype(np.float64), name), f.astype(DTYPES[name])).all()


UNARY: dict[str, Callable[[Array], Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "relu": lambda x: np.where(x < 0, 0, x),
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


def test_functions_of_every_number(name: str, run_compiled: Run) -> None:
    """All are within a unit in the last place of what f64 gives, most are nearest; zeros have either sign."""
    x, kind = _all(name), f"tensor<65536x{name}>"
    runs = _runs(_model([kind], [(f"{op} %x0 : {kind}", kind) for op in UNARY]), [x], run_compiled)
    with np.errstate(all="ignore"):
        _check(runs, [_rounded(f(x.astype(np.float64)), name) for f in UNARY.values()], ulps=1)


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
}


def test_arithmetic_is_rounded_once(name: str, run_compiled: Run) -> None:
    """f32 has more than twice the bits, so that rounding its results once more changes nothing."""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, 1 << 16, 40000).astype(np.uint16).view(DTYPES[name]) for _ in range(2))
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-7, -1e-7, 6e4, 0.1, 3], DTYPES[name])
    a = np.concatenate([a, np.repeat(special, special.size)])
    b = np.concatenate([b, np.tile(special, special.size)])
    kind, mask = f"tensor<{a.size}x{name}>", f"tensor<{a.size}xi1>"
    ops = [(f"{op} %x0, %x1 : {kind}, {kind} -> {kind}", kind) for op in BINARY]
    ops.append((f"compare lt, %x0, %x1 : {kind}, {kind} -> {mask}", mask))
    runs = _runs(_model([kind, kind], ops), [a, b], run_compiled)
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        wanted = [_rounded(f(x, y), name) for f in BINARY.values()]
    wanted.append(x < y)
    # The larger of two zeros is either.
    plain = {where: [o if o.dtype == bool else np.where(o == 0, np.abs(o), o) for o in r] for where, r in runs.items()}
    _check(plain, [w if w.dtype == bool else np.where(w == 0, np.abs(w), w) for w in wanted])


_STRUCTURED = """
func.func @main(%x: tensor<9x40xH>, %w: tensor<40x33xH>, %bias: tensor<33xH>, %image: tensor<1x5x9x11xH>,
    %kernel: tensor<6x5x3x3xH>, %rows: tensor<7xi64>)
    -> (tensor<9x33xH>, tensor<9x33xH>, tensor<1x6x9x11xH>, tensor<9xH>, tensor<40xH>, tensor<9xi64>, tensor<9x40xH>,
        tensor<7x40xH>, tensor<80x9xH>) {
  %y = graph.matmul %x, %w : tensor<9x40xH>, tensor<40x33xH> -> tensor<9x33xH>
  %z = graph.add %y, %bias : tensor<9x33xH>, tensor<33xH> -> tensor<9x33xH>
  %r = graph.relu %z : tensor<9x33xH>
  %n = graph.matmul %x, %w : tensor<9x40xH>, tensor<40x33xH> -> tensor<9x33xH>
  %conv = graph.conv2d %image, %kernel {padding = array<i64: 1, 1, 1, 1>}
      : tensor<1x5x9x11xH>, tensor<6x5x3x3xH> -> tensor<1x6x9x11xH>
  %sum = graph.reduce sum %x axes [1] : tensor<9x40xH> -> tensor<9xH>
  %max = graph.reduce max %x axes [0] : tensor<9x40xH> -> tensor<40xH>
  %arg = graph.argmax %x axis 1 : tensor<9x40xH> -> tensor<9xi64>
  %soft = graph.softmax %x axis 1 : tensor<9x40xH>
  %gather = graph.gather %x, %rows axis 0 : tensor<9x40xH>, tensor<7xi64> -> tensor<7x40xH>
  %t = graph.transpose %x [1, 0] : tensor<9x40xH> -> tensor<40x9xH>
  %concat = graph.concat %t, %t axis 0 : tensor<40x9xH>, tensor<40x9xH> -> tensor<80x9xH>
  return %r, %n, %conv, %sum, %max, %arg, %soft, %gather, %concat
      : tensor<9x33xH>, tensor<9x33xH>, tensor<1x6x9x11xH>, tensor<9xH>, tensor<40xH>, tensor<9xi64>, tensor<9x40xH>,
        tensor<7x40xH>, tensor<80x9xH>
}
"""


def _structured_inputs(name: str) -> list[Array]:
    rng = np.random.default_rng(2)
    shapes = ((9, 40), (40, 33), (33,), (1, 5, 9, 11), (6, 5, 3, 3))
    return [*(rng.standard_normal(s).astype(DTYPES[name]) for s in shapes), np.array([0, 8, -1, -9, 3, 3, 7])]


def test_sums_are_rounded_at_the_end(name: str, run_compiled: Run) -> None:
    inputs = _structured_inputs(name)
    runs = _runs(_STRUCTURED.replace("H>", f"{name}>"), inputs, run_compiled)
    x, w, bias, image, kernel = (a.astype(np.float64) for a in inputs[:5])
    product = _rounded(x @ w, name)
    biased = _rounded(product.astype(np.float64) + bias, name).astype(np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))
    conv = np.einsum("bcyxij,ocij->boyx", windows, kernel)
    powers = np.exp(x - x.max(1, keepdims=True))
    floats = [np.maximum(biased, 0), product, conv, x.sum(1), x.max(0)]
    moved = [x[inputs[5]], np.concatenate([x.T, x.T])]
    expected = [_rounded(np.asarray(v, np.float64), name) for v in floats]
    expected += [
        x.argmax(1),
        _rounded(powers / powers.sum(1, keepdims=True), name),
        *(_rounded(v, name) for v in moved),
    ]
    close = float(limits_of(DTYPES[name]).eps)
    for where, outputs in runs.items():
        for number, (found, wanted) in enumerate(zip(outputs, expected, strict=True)):
            difference = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
            # Of sums that cancel, the last bit of f32 may change the last one of a shorter float.
            assert (difference <= 2 * close * np.maximum(np.abs(wanted.astype(np.float64)), 1e-2)).all(), (
                where,
                number,
            )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", [["-O3"], ["-O0"], ["-O3", "--target=x86-64-v2"]])
def test_every_pass_keeps_the_numbers(name: str, options: list[str], mlc_opt: CommandLine) -> None:
    result = mlc_opt(*options, "--check-each", stdin=_STRUCTURED.replace("H>", f"{name}>"))
    assert (result.status, "compared" in result.err) == (0, True), result.err


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "x86-64-v4", "neoverse-n1"])
def test_objects_need_no_library(name: str, target: str, tmp_path: Path, mlc: CommandLine) -> None:
    model, output = tmp_path / "model.mlir", tmp_path / "model.o"
    model.write_text(_STRUCTURED.replace("H>", f"{name}>"))
    for level in ("-O0", "-O3"):
        result = mlc("compile", str(model), "-o", str(output), f"--target={target}", level)
        assert result.status == 0, result.err
        assert undefined_symbols(output) <= {"_GLOBAL_OFFSET_TABLE_"}


def test_choices_among_short_numbers_are_not_rounded_again(name: str, run_compiled: Run) -> None:
    """Every number through a relu and a limit, one kernel: between them, none is rounded where it cannot change."""
    kind = f"tensor<65536x{name}>"
    text = f"""func.func @main(%x: {kind}) -> {kind} {{
  %low = arith.constant dense<-2.5> : {kind}
  %high = arith.constant dense<6.0> : {kind}
  %a = graph.max %x, %low : {kind}, {kind} -> {kind}
  %b = graph.neg %a : {kind}
  %c = graph.min %b, %high : {kind}, {kind} -> {kind}
  %d = graph.relu %c : {kind}
  return %d : {kind}
}}
"""
    x = _all(name)
    with np.errstate(invalid="ignore"):
        wide = np.minimum(-np.maximum(x.astype(np.float32), -2.5), 6.0)
        expected = np.where(wide < 0, 0, wide).astype(DTYPES[name])
    _check(_runs(text, [x], run_compiled), [expected])


def test_maxima_of_windows(name: str, run_compiled: Run) -> None:
    """Every number, NaN and both zeros among them, in windows of 3 x 3 that overlap."""
    x = np.random.default_rng(2).permutation(_all(name)).reshape(1, 64, 64, 16)
    kind, result = f"tensor<1x64x64x16x{name}>", f"tensor<1x31x31x16x{name}>"
    options = 'kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, layout = "NHWC"'
    text = _model([kind], [(f"max_pool2d %x0 {{{options}}} : {kind} -> {result}", result)])
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float32), (3, 3), (1, 2))[:, ::2, ::2]
    with np.errstate(invalid="ignore"):
        expected = windows.max((-2, -1)).astype(DTYPES[name])
    _check(_runs(text, [x], run_compiled), [expected])
