"""What the tests of single compiled ops share: cases, the module that computes them all, and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp, bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import tensor
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import from_numpy, is_float, limits_of, to_numpy
from mlc.support.resources import Resources

Array = NDArray[Any]

FLOATS: tuple[Attribute, ...] = (f32, f64, f16, bf16)
INTEGERS: tuple[Attribute, ...] = (i8, i16, i32, i64)
ALL: tuple[Attribute, ...] = (*FLOATS, *INTEGERS, i1)

EXACT, ROUNDED, SUMMED, POWER = 0, 8, 64, 1024
"""How many units in the last place, of the element or (for sums) of the largest one, a result may be off. The error of
a power grows with its exponent, which `exp` takes from `y * log(x)`."""


@dataclass(frozen=True, eq=False)
class Case:
    """One op on some inputs."""

    build: Callable[..., Operation]
    """From one value per input to the op."""
    inputs: tuple[Array, ...]
    ulps: int
    terms: float
    """The size of numbers that cancel in the result, where the error grows with them."""


def case(build: Callable[..., Operation], *inputs: Array, ulps: int = EXACT, terms: float = 0, **options: Any) -> Case:
    """The case of `build` with these options."""
    return Case(partial(build, **options), inputs, ulps, terms)


def data(shape: Sequence[int], element: Attribute = f32, seed: int = 0) -> Array:
    """Random elements: normal floats, integers from -99 to 99, booleans."""
    rng, dtype = np.random.default_rng([seed, *shape]), to_numpy(element)
    if element == i1:
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return np.asarray(rng.integers(-99, 100, shape)).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def special(element: Attribute) -> Array:
    """Floats of every kind, and the integers at the ends of their range; an odd number of them."""
    dtype = to_numpy(element)
    if np.issubdtype(dtype, np.integer):
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        numbers = [0, 1, -1, 2, 7, -7, 1000, least, most, least + 1, 12345]
        return np.array([(n - least) % (most - least + 1) + least for n in numbers], dtype)
    tiny, huge = limits_of(dtype).smallest_normal, limits_of(dtype).max
    kinds = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan, tiny, -tiny / 4, huge, -huge, 1e-5, -30.0, 88.0]
    return np.array([*kinds, 1.5, 3.0, -0.75, 100.25, -1234.5, 2.0, 1 / 3], dtype)


def module_of(cases: Sequence[Case], one_kernel: bool) -> tuple[ModuleOp, list[Array]]:
    """A module whose `main` gives the results of all cases, and its inputs."""
    inputs = {id(a): a for c in cases for a in c.inputs}
    types = [tensor(a.shape, from_numpy(a.dtype)) for a in inputs.values()]
    outside = Block(arg_types=types)
    inside = Block(arg_types=types) if one_kernel else outside
    values: dict[int, SSAValue] = dict(zip(inputs, inside.args, strict=True))
    ops = [c.build(*(values[id(a)] for a in c.inputs)) for c in cases]
    inside.add_ops(ops)
    results = [op.results[0] for op in ops]
    if one_kernel:
        inside.add_op(graph.YieldOp(*results))
        fusion = graph.FusionOp("all", outside.args, [r.type for r in results], Region(inside))
        outside.add_op(fusion)
        results = list(fusion.outputs)
    outside.add_op(ReturnOp(*results))
    signature = FunctionType.from_lists(types, [r.type for r in results])
    module = ModuleOp([FuncOp("main", signature, Region(outside))])
    module.verify()
    return module, list(inputs.values())


def compile_and_check(
    cases: Sequence[Case], run_compiled: Callable[..., list[Array]], *machine: Any, one_kernel: bool
) -> None:
    """Compile the cases (for `machine`, a target and an -O level) and compare all results with the reference."""
    module, inputs = module_of(cases, one_kernel)
    check(cases, run_compiled(module, inputs, *machine), run_function(module, "main", inputs, Resources()))


def check(cases: Sequence[Case], found: Sequence[Array], expected: Sequence[Array]) -> None:
    problems: list[str] = []
    for c, got, want in zip(cases, found, expected, strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        wrong = ~_agrees(got, want, c)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            shapes = [f"{a.dtype}{list(a.shape)}" for a in c.inputs]
            operands = [a[at] for a in c.inputs if a.shape == want.shape]
            problems.append(
                f"{c.build} {shapes}: {int(wrong.sum())} of {want.size} wrong; "
                f"at {at} it is {got[at]!r}, expected {want[at]!r} for {operands}"
            )
    assert not problems, "\n".join(problems)


def _agrees(got: Array, want: Array, c: Case) -> NDArray[np.bool_]:
    """Where elements agree; NaN agrees with NaN, and a zero with a zero of either sign."""
    with np.errstate(all="ignore"):
        if not is_float(want.dtype) or c.ulps == EXACT:
            return (got == want) | ((got != got) & (want != want))
        size = np.maximum(np.abs(want), c.terms)
        if c.ulps == SUMMED:
            size = np.maximum(size, np.max(size, where=np.isfinite(size), initial=0))
        allowed = np.maximum(c.ulps * limits_of(want.dtype).eps * size, limits_of(want.dtype).smallest_normal)
        close = np.isfinite(want) & (np.abs(got - want) <= allowed)
        return close | (got == want) | (np.isnan(got) & np.isnan(want))
