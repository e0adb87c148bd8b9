"""The largest errors of the expansions of `expand-math`, in units of the last place, over all magnitudes of arguments.

Each expansion is run by the reference on arrays, with fma rounded once and twice, and as native code. Results are held
against NumPy in a wider format: f64 for f32, and for f64 the 80-bit floats of x86, where there are any.
"""

from __future__ import annotations

import ctypes
import math as scalar_math
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter

import mlc
from mlc.dialects.llvm.intrinsics import ScaleOp
from mlc.dialects.registry import register_dialects
from mlc.passes.loop.expand_math import ExpandMathPass
from mlc.passes.loop_to_llvm.convert_loop_to_llvm import ConvertLoopToLlvmPass
from mlc.polynomials.functions import EXPANSIONS
from mlc.reference import interpreter
from mlc.reference.agreement import bits_differ
from mlc.reference.execution import Frame
from mlc.support.context import CompilerContext
from mlc.support.dtypes import dtype_named, limits_of
from mlc.support.resources import Resources
from mlc.targets.cache import Cache
from mlc.targets.elf import undefined_symbols
from mlc.targets.llvm_ir import emit_module
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_clang
from mlc.tests.numeric.documented_bounds import documented_bounds

Array = NDArray[Any]
Run = Callable[..., Array]

assert interpreter  # imported because it registers the meaning of ops

_erf = np.frompyfunc(scalar_math.erf, 1, 1)
WIDE: dict[str, Callable[[Array], Array]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": lambda x: np.asarray(_erf(x), np.float64).astype(x.dtype),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sinh": np.sinh,
    "tan": np.tan,
    "tanh": np.tanh,
}
"""The functions of one argument, computed in the format of the argument."""
DTYPES = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
LARGEST_ULP = documented_bounds("function")
"""What each function of one argument keeps to, f32 and f64, as the documentation says."""
PERIODIC = ("sin", "cos", "tan")
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 2.5, -2.5, 1e30, -1e30]
EDGES = [
    0.41421356,
    2.41421356,
    0.625,
    1.125,
    1.25,
    4.0,
    6.0,
    9.0,
    20.0,
    88.72284,
    -87.33655,
    -103.9721,
    709.782712893384,
    -745.13321910194,
    89.41599,
    710.475860073944,
]
"""Where expansions change their formula, and where exp overflows and underflows."""


def expanded(op: str, element: str, arity: int = 1, target: str = "x86-64-v3") -> ModuleOp:
    """A module with one function @f whose body is the expansion of one op, on scalars or vectors."""
    ctx = CompilerContext(target=target)
    register_dialects(ctx)
    arguments = ", ".join(f"%a{i}: {element}" for i in range(arity))
    operands = ", ".join(f"%a{i}" for i in range(arity))
    op = op if "." in op else f"math.{op}"
    text = f"func.func @f({arguments}) -> {element} {{ %y = {op} {operands} : {element} return %y : {element} }}"
    module = Parser(ctx, text).parse_module()
    ExpandMathPass().run(module, ctx)
    module.verify()
    return module


def split_fma(module: ModuleOp) -> None:
    """Round each fma twice, as machines without one do."""
    for op in list(module.walk()):
        if isinstance(op, math.FmaOp):
            product = arith.MulfOp(op.a, op.b)
            PatternRewriter(op).replace(op, [product, arith.AddfOp(product, op.c)])


def run(module: ModuleOp, *arguments: Array) -> Array:
    """The function @f on arrays: ops on scalars compute elementwise."""
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    with np.errstate(all="ignore"):
        return Frame(Resources(), {}).run_block(function.body.block, arguments)[0]


def samples(element: str, count: int) -> Array:
    """Random bits (so every exponent, infinities and NaN), moderate numbers, and all floats near special ones."""
    dtype = DTYPES[element]
    bits = np.dtype(f"i{dtype.itemsize}")
    random = np.random.default_rng(7)
    limits = np.iinfo(bits)
    anywhere = random.integers(limits.min, limits.max, count // 2, bits).view(dtype)
    moderate = np.concatenate([random.uniform(-r, r, count // 8) for r in (1, 10, 100, 750)]).astype(dtype)
    smallest = np.finfo(dtype).tiny
    centres = np.array([*SPECIAL, *EDGES, smallest, np.finfo(dtype).max], dtype)
    with np.errstate(all="ignore"):
        near = (centres.view(bits)[:, None] + np.arange(-50, 51, dtype=bits)).view(dtype).ravel()
    return np.concatenate([anywhere, moderate, near, -near])


def errors_in_ulp(found: Array, exact: Array) -> NDArray[np.float64]:
    """Distances from the exact values, in units of the last place; infinite for a wrong sign, zero, infinity or NaN."""
    info = np.finfo(found.dtype)
    with np.errstate(all="ignore"):
        too_large = np.ldexp(2 - exact.dtype.type(info.eps) / 2, info.maxexp - 1)
        overflows = np.abs(exact) >= too_large
        exact = np.where(overflows, np.copysign(exact.dtype.type(np.inf), exact), exact)
        exponent = np.maximum(np.frexp(exact)[1] - 1, info.minexp)
        distance = np.abs(found.astype(exact.dtype) - exact)
        error = np.ldexp(distance, info.nmant - exponent).astype(np.float64)
        same = (found == exact) & ((exact != 0) | (np.signbit(found) == np.signbit(exact)))
        error[same | (np.isnan(found) & np.isnan(exact))] = 0
        error[np.isnan(error) | ((exact == 0) & ~same)] = np.inf
    return error


def widened(x: Array) -> Array:
    """The same numbers in the format to compare with."""
    wide = np.dtype(np.float64 if x.dtype == np.float32 else np.longdouble)
    if np.finfo(wide).nmant <= np.finfo(x.dtype).nmant:
        pytest.skip(f"NumPy has no floats wider than {x.dtype} here")
    return x.astype(wide)


def arguments_of(element: str) -> Array:
    return samples(element, 1_000_000 if element == "f32" else 200_000)


def exact_values(op: str, x: Array) -> Array:
    with np.errstate(all="ignore"):
        return WIDE[op](widened(x))


def assert_within(limit: float, found: Array, exact: Array, *arguments: Array) -> None:
    error = errors_in_ulp(found, exact)
    worst = int(error.argmax())
    at = ", ".join(repr(a[worst]) for a in arguments)
    assert error[worst] <= limit, f"{error[worst]:.2f} ulp at {at}: {found[worst]!r}, exactly {exact[worst]!r}"


def test_every_expansion_is_measured() -> None:
    """A function added to the table needs an entry here, and one in the documentation."""
    assert {op.name.removeprefix("math.") for op in EXPANSIONS} == {*WIDE, "powf", "ipowi", "arith.remf"}
    assert {*LARGEST_ULP} == {*WIDE, "pow"}


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("op", WIDE)
def test_error_of_functions_of_one_argument(op: str, element: str) -> None:
    """Fused (for f32; the reference rounds an fma of f64 twice) and not."""
    module, x = expanded(op, element), arguments_of(element)
    exact = exact_values(op, x)
    assert_within(LARGEST_ULP[op][element], run(module, x), exact, x)
    if element == "f32":
        split_fma(module)
        assert_within(LARGEST_ULP[op][element], run(module, x), exact, x)


LIKE_THEIR_ARGUMENT = ("asin", "asinh", "atan", "atanh", "expm1", "log1p", "sin", "sinh", "tan", "tanh")
"""Functions that are x + c x^2 + … with |c| <= 1/2."""


def smallest_numbers(dtype: np.dtype[Any]) -> Array:
    """Zeros, the numbers next to them and to the least normal one, and some between, of both signs."""
    bits = np.dtype(f"i{dtype.itemsize}")
    normal = limits_of(dtype).smallest_normal.view(bits)
    steps = [*range(50), *range(normal - 20, normal + 20), normal // 3, normal // 2, 2 * normal + 1]
    positive = np.array(steps, bits).view(dtype)
    return np.concatenate([positive, -positive])


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("op", LIKE_THEIR_ARGUMENT)
def test_functions_like_their_argument_keep_the_smallest_numbers(op: str, element: str) -> None:
    """To the bit, fused or not: half of a subnormal number on the way would lose its last place."""
    module, x = expanded(op, element), smallest_numbers(DTYPES[element])
    for prepare in (lambda: None, lambda: split_fma(module)):
        prepare()
        assert not bits_differ(x, run(module, x)).any()


@pytest.mark.parametrize("element", DTYPES)
def test_erf_of_the_smallest_numbers_is_the_slope(element: str) -> None:
    """2 / sqrt(pi) times them, to a unit, and 0 for zeros alone."""
    module, x = expanded("erf", element), smallest_numbers(DTYPES[element])
    assert_within(1, run(module, x), widened(x) * 2 / np.sqrt(widened(x).dtype.type(np.pi)), x)
    assert ((run(module, x) == 0) == (x == 0)).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_native_functions_like_their_argument_keep_the_smallest_numbers(dtype: str) -> None:
    """Of all floats that models have, on vectors and on scalars."""
    numbers = smallest_numbers(dtype_named(dtype))
    for x in (numbers, numbers[1:2]):
        kind = f"tensor<{x.size}x{dtype.replace('float', 'f')}>"
        names, kinds = [f"%{op}" for op in LIKE_THEIR_ARGUMENT], ", ".join(kind for _ in LIKE_THEIR_ARGUMENT)
        calls = " ".join(f"%{op} = graph.{op} %x : {kind}" for op in LIKE_THEIR_ARGUMENT)
        text = f"func.func @main(%x: {kind}) -> ({kinds}) {{ {calls} return {', '.join(names)} : {kinds} }}"
        for op, found in zip(LIKE_THEIR_ARGUMENT, mlc.compile(mlc.parse(text))(x), strict=True):
            different = bits_differ(x, np.asarray(found))
            assert not different.any(), f"{op} of {x[different]} is {np.asarray(found)[different]}"


@pytest.mark.parametrize(("element", "lanes"), [("f32", 16), ("f64", 8)])
def test_error_of_exp_with_an_instruction_for_powers_of_two(element: str, lanes: int) -> None:
    """Vectors of 512 bits where there is AVX-512."""
    module = expanded("exp", f"vector<{lanes}x{element}>", target="x86-64-v4")
    assert any(isinstance(op, ScaleOp) for op in module.walk())
    x = arguments_of(element)
    x = x[: x.size - x.size % lanes]
    found = run(module, x.reshape(-1, lanes)).ravel()
    assert_within(LARGEST_ULP["exp"][element], found, exact_values("exp", x), x)


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("op", PERIODIC)
def test_periodic_functions_of_large_numbers(op: str, element: str) -> None:
    """All sizes up to the largest, floats around the changes of formula, and those nearest to multiples of pi/2."""
    random, dtype = np.random.default_rng(9), DTYPES[element]
    end, count = np.finfo(dtype).maxexp, 1_000_000 if element == "f32" else 200_000
    large: Array = np.ldexp(random.uniform(0.5, 1, count), random.integers(20, end + 1, count))
    changes = (27, 52, 53, 78, 104, 127) if element == "f32" else range(20, end, 50)
    near: Array = np.arange(-300, 300) * float(np.finfo(dtype).eps) / 2
    edges: Array = np.ldexp(1 + near, np.array(changes)[:, None]).ravel()
    ends: Array = np.array([np.finfo(dtype).max, np.inf, -np.inf])
    x: Array = np.concatenate([large, -large[:1000], edges, _nearest_to_quarters(element), ends]).astype(dtype)
    module, exact = expanded(op, element), exact_values(op, x)
    assert_within(LARGEST_ULP[op][element], run(module, x), exact, x)
    if element == "f32":
        split_fma(module)
        assert_within(LARGEST_ULP[op][element], run(module, x), exact, x)


def _nearest_to_quarters(element: str) -> Array:
    """For every exponent, the floats that are nearest to a multiple of pi/2: numerators of a continued fraction.

    m 2^e is near n pi/2 if m / n is a convergent of (pi/2) / 2^e. pi/2 is the sum of n! / (2n + 1)!!.
    """
    info = np.finfo(DTYPES[element])
    bits = 2 * info.maxexp
    half_pi = term = 1 << bits
    for n in range(1, bits):
        term = term * n // (2 * n + 1)
        half_pi += term
    found: list[float] = []
    for exponent in range(1 - info.nmant, info.maxexp - info.nmant):
        numerator, denominator = (
            (half_pi, 1 << (bits + exponent)) if exponent >= 0 else (half_pi << -exponent, 1 << bits)
        )
        before, now = 0, 1
        while denominator and now < 2 << info.nmant:
            found.append(scalar_math.ldexp(now, exponent))
            quotient = numerator // denominator
            numerator, denominator = denominator, numerator - quotient * denominator
            before, now = now, quotient * now + before
    return np.array(found)


def test_sines_of_large_numbers_that_are_known() -> None:
    """The value of 1e22 that many libraries got wrong, the f64 nearest to a multiple of pi/2, and the largest ones."""
    x = np.array([1e22, 6381956970095103 * 2.0**797, 2.0**1023, np.finfo(np.float64).max])
    exact = np.array([-0.8522008497671888, 1.0, 0.563127779850884, 0.004961954789184062])
    np.testing.assert_allclose(run(expanded("sin", "f64"), x), exact, rtol=4e-16)
    cosine = run(expanded("cos", "f64"), x[1:2])
    np.testing.assert_allclose(cosine, -4.687165924254628e-19, rtol=8e-16)


def power_arguments(element: str) -> tuple[Array, Array]:
    """Pairs of all magnitudes, pairs whose power is moderate, and all pairs of special numbers."""
    dtype, random = DTYPES[element], np.random.default_rng(8)
    special = np.array(SPECIAL, dtype)
    anything = samples(element, 200_000)
    bases = [anything, np.exp(random.uniform(-20, 20, 200_000)), -np.exp(random.uniform(-20, 20, 10_000))]
    exponents = [random.permutation(anything), random.uniform(-6, 6, 200_000), np.rint(random.uniform(-6, 6, 10_000))]
    with np.errstate(invalid="ignore"):  # some NaN are signaling ones
        x = np.concatenate([np.repeat(special, len(special)), *bases]).astype(dtype)
        y = np.concatenate([np.tile(special, len(special)), *exponents]).astype(dtype)
    return x, y


def test_error_of_powf_in_f32() -> None:
    """It is computed in f64, so it is rounded correctly nearly always."""
    x, y = power_arguments("f32")
    with np.errstate(all="ignore"):
        exact = np.power(widened(x), widened(y))
    assert_within(LARGEST_ULP["pow"]["f32"], run(expanded("powf", "f32", 2), x, y), exact, x, y)


def test_error_of_powf_in_f64() -> None:
    """All magnitudes, results of all sizes, bases next to 1 and below the normal ones; special cases are exact."""
    x, y = power_arguments("f64")
    random, count = np.random.default_rng(12), 50_000
    base = np.concatenate(
        [
            np.exp(random.uniform(-708, 709, count)),
            1 + random.uniform(-1, 1, count) * 2.0 ** random.uniform(-52, 0, count),
            np.ldexp(random.uniform(0.5, 1, count), random.integers(-1070, -1020, count)),
        ]
    )
    with np.errstate(all="ignore"):
        exponent = np.where(base == 1, 3.0, random.uniform(-1080, 1030, base.size) / np.log2(base))
        x, y = np.concatenate([x, base, -base[::9]]), np.concatenate([y, exponent, np.rint(exponent[::9])])
        exact = np.power(widened(x), widened(y))
    assert_within(LARGEST_ULP["pow"]["f64"], run(expanded("powf", "f64", 2), x, y), exact, x, y)


@pytest.mark.parametrize("element", DTYPES)
def test_powers_that_are_numbers_of_the_format_are_exact(element: str) -> None:
    """Powers of integers, of their inverses and roots, of powers of two, by exact arithmetic."""
    dtype = DTYPES[element]
    info, pairs = np.finfo(dtype), list[tuple[float, float, float]]()
    for base in (2, 3, 5, 6, 7, 10, 12, 15, 100, 0.5, 0.75, 1.5, 2.0**-13, 3 * 2.0**40, 7 * 2.0**-30):
        for exponent in range(-30 if base in (2, 0.5) else 0, 60):
            power = Fraction(base) ** exponent
            if power < 2 ** Fraction(info.maxexp - 1) and Fraction(float(dtype.type(float(power)))) == power:
                pairs += [(base, exponent, float(power)), (-base, exponent, float(power) * (-1) ** exponent)]
                pairs += [(float(power), 1 / exponent, base)] if exponent in (1, 2, 4) else []
    for exponent in range(info.minexp - info.nmant, info.maxexp):
        pairs += [(2.0, exponent, scalar_math.ldexp(1.0, exponent)), (0.5, -exponent, scalar_math.ldexp(1.0, exponent))]
    x, y, exact = np.array(pairs, dtype).T
    np.testing.assert_array_equal(run(expanded("powf", element, 2), x, y), exact)


@pytest.mark.parametrize("element", DTYPES)
def test_exp2_of_integers_is_exact(element: str) -> None:
    """From the smallest denormal to the largest power of two, fused or not."""
    dtype = DTYPES[element]
    x = np.arange(np.finfo(dtype).minexp - np.finfo(dtype).nmant - 2, np.finfo(dtype).maxexp + 2)
    with np.errstate(all="ignore"):
        exact = np.ldexp(np.ones(x.size, dtype), x)
    module = expanded("exp2", element)
    np.testing.assert_array_equal(run(module, x.astype(dtype)), exact)
    split_fma(module)
    np.testing.assert_array_equal(run(module, x.astype(dtype)), exact)


@pytest.mark.parametrize("element", DTYPES)
def test_remainders_are_exact(element: str) -> None:
    """Pairs of all magnitudes (quotients have up to 2,098 bits), multiples and their neighbours, special numbers."""
    x, y = (numbers[::20] for numbers in power_arguments(element))
    random = np.random.default_rng(10)
    with np.errstate(all="ignore"):
        multiples = random.permutation(y) * np.rint(random.uniform(1, 1e6, y.size)).astype(y.dtype)
        special = np.array([*SPECIAL, np.finfo(y.dtype).tiny, np.finfo(y.dtype).max], y.dtype)
        crossed = np.repeat(special, len(special)), np.tile(special, len(special))
        pairs = [crossed, (x, y), (y, x), (multiples, y), (np.nextafter(multiples, 0), y), (np.ldexp(y, 30), y)]
        dividends, divisors = (np.concatenate(numbers) for numbers in zip(*pairs, strict=True))
        exact = np.fmod(dividends, divisors)
    found = run(expanded("arith.remf", element, 2), dividends, divisors)
    np.testing.assert_array_equal(found, exact)
    numbers = ~np.isnan(exact)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(exact[numbers]))


@pytest.mark.parametrize("element", ["i32", "i64"])
def test_powers_of_integers_wrap(element: str) -> None:
    """Python's integers, cut to the width; negative exponents give 0, 1 or -1."""
    width = int(element[1:])
    dtype, random = np.dtype(f"int{width}"), np.random.default_rng(11)
    limits = np.iinfo(dtype)
    ends = [0, 1, -1, 2, -2, 3, 10, limits.max, limits.min, limits.min + 1, 31, 32, 63, 64]
    x = np.concatenate([np.repeat(ends, len(ends)), random.integers(limits.min, limits.max, 500)]).astype(dtype)
    y = np.concatenate([np.tile(ends, len(ends)), random.integers(-5, 70, 500)]).astype(dtype)
    found = run(expanded("ipowi", element, 2), x, y)
    assert found.tolist() == [_integer_power(a, b, width) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _integer_power(base: int, exponent: int, width: int) -> int:
    if exponent < 0:
        return base ** (exponent % 2) if abs(base) == 1 else 0
    return ((pow(base, exponent, 1 << width) + (1 << width - 1)) % (1 << width)) - (1 << width - 1)


LANES = 16


def kernels(element: str, count: int) -> str:
    """For each function a kernel that computes it on vectors, and one on scalars."""
    text = ""
    for op in WIDE:
        for lanes in (LANES, 1):
            name = f"{op}_{element}" if lanes > 1 else f"{op}_{element}_scalar"
            value = f"vector<{lanes}x{element}>" if lanes > 1 else element
            accessed = f", {value}" if lanes > 1 else ""
            memref = f"memref<{count}x{element}>"
            text += f"""
            func.func private @{name}(%x: {memref}, %y: {memref} {{mlc.output}}) {{
              loop.for parallel "i" %i = 0 to {count} step {lanes} {{
                %a = loop.load %x[%i] : {memref}{accessed}
                %b = math.{op} %a : {value}
                loop.store %b, %y[%i] : {memref}{accessed}
              }}
              return
            }}"""
    return text


def compile_kernels(text: str, target: str, output: Path, *flags: str) -> None:
    """Lower kernels to LLVM IR and compile that."""
    ctx = CompilerContext(target=target)
    register_dialects(ctx)
    module = Parser(ctx, text).parse_module()
    ExpandMathPass().run(module, ctx)
    ConvertLoopToLlvmPass().run(module, ctx)
    machine = resolve_target(target)
    source = output.with_suffix(".ll")
    source.write_text(emit_module(module, machine).replace("weak_odr hidden", "weak_odr"))
    clang = find_clang(None, Cache.default())
    options = ["-O2", "-fPIC", "-Wno-override-module", f"--target={machine.triple}", *flags]
    subprocess.run([*clang.command, *options, source, "-o", output], check=True)


@pytest.mark.parametrize("element", DTYPES)
def test_error_of_native_code(element: str, tmp_path: Path) -> None:
    """The machine's own arithmetic, on vectors and on scalars, on the same arguments."""
    x = samples(element, 100_000)
    x = np.ascontiguousarray(x[: len(x) // LANES * LANES])
    library = tmp_path / "kernels.so"
    compile_kernels(kernels(element, len(x)), "native", library, "-shared", "-nostdlib")
    loaded = ctypes.CDLL(str(library))
    for op in WIDE:
        exact = exact_values(op, x)
        for suffix in ("", "_scalar"):
            found = np.empty_like(x)
            getattr(loaded, f"{op}_{element}{suffix}")(*(ctypes.c_void_p(a.ctypes.data) for a in (x, found)))
            assert_within(LARGEST_ULP[op][element], found, exact, x)


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "x86-64-v4", "neoverse-n1"])
def test_native_code_calls_nothing(target: str, tmp_path: Path) -> None:
    """Not even fma where the machine has none."""
    output = tmp_path / "kernels.o"
    compile_kernels(kernels("f32", LANES) + kernels("f64", LANES), target, output, "-c")
    assert undefined_symbols(output) <= {"_GLOBAL_OFFSET_TABLE_"}
