"""Check that passes keep what a module computes, by running it before and after each of them.

Every function gets random inputs, fixed by a seed; its outputs by the reference (`mlc.reference`) before the first pass
are what every later form of it must compute: graph, tensor or loop level, results or output buffers.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.traits import IsTerminator

from mlc.reference.execution import UndefinedBehavior, has_meaning
from mlc.reference.interpreter import Signature, run_function, signature_of
from mlc.support.context import CompilerContext
from mlc.support.dtypes import is_supported, to_numpy
from mlc.support.errors import CompilerBug, UserError

Array = NDArray[Any]


@dataclass
class _Expected:
    """What a function computes, and for which inputs."""

    signature: Signature
    inputs: list[Array]
    outputs: list[Array]
    terms: int
    """An upper bound of how many numbers are summed into one, which rounding errors grow with."""


@dataclass(frozen=True)
class _Mismatch:
    function: str
    message: str


class EquivalenceChecker:
    """Compares a module, as passes transform it, with what it computed at the start.

    Call `start` with the module, then `check` after each pass; call `compare_outputs` with what compiled code computes
    for `inputs_of` a function.

    Functions are matched by name. One that first appears after a pass (a kernel) is compared from then on. One whose
    signature a pass changes is compared anew, and so is a private function of which a pass changes the meaning together
    with its callers (the order of packed weights, say). A function is skipped while it holds ops without reference
    semantics (the llvm dialect) or types without static shape; `skipped` says why.

    Attributes:
        skipped: for each function that the last check left out, the reason.
        seed: of the random inputs.
    """

    def __init__(self, ctx: CompilerContext, seed: int = 0) -> None:
        self.skipped: dict[str, str] = {}
        self._ctx = ctx
        self.seed = seed
        self._expected: dict[str, _Expected] = {}

    def start(self, module: ModuleOp) -> None:
        """Run all functions of `module`; their outputs are what later forms must compute.

        Raises:
            UserError: a function reads or writes where it must not.
        """
        self._expected.clear()
        for function in self._runnable(module):
            try:
                self._expect(module, function)
            except UndefinedBehavior as e:
                raise UserError(f"'{function.sym_name.data}' has undefined behavior: {e}") from None

    def check(self, pass_name: str, module: ModuleOp) -> None:
        """Compare `module`, as `pass_name` left it, with the start.

        Raises:
            CompilerBug: a function computes something else, or has undefined behavior.
        """
        functions = self._runnable(module)
        mismatches: dict[str, _Mismatch] = {}
        for function in functions:
            try:
                mismatch = self._compare_or_expect(module, function)
            except UndefinedBehavior as e:
                name = function.sym_name.data
                mismatch = _Mismatch(name, f"'{name}' has undefined behavior: {e}")
            if mismatch is not None:
                mismatches[mismatch.function] = mismatch
        public = [f.sym_name.data for f in functions if not _is_private(f)]
        calls = _calls(module)
        agreeing = _reachable([name for name in public if name not in mismatches], calls)
        # Callees first: a wrong kernel explains a wrong entry.
        for name in sorted(mismatches, key=lambda n: n in public):
            if name in agreeing:
                self._expect(module, next(f for f in functions if f.sym_name.data == name))
            else:
                raise CompilerBug(f"after '{pass_name}', {mismatches[name].message}", pass_name)

    def inputs_of(self, function: str) -> list[Array] | None:
        """The inputs that `function` is checked with, or None if it is not checked."""
        expected = self._expected.get(function)
        return None if expected is None else expected.inputs

    def compare_outputs(self, stage: str, function: str, outputs: Sequence[Array]) -> None:
        """Compare what `function` computed elsewhere, for `inputs_of` it, with the start; `stage` says where.

        Raises:
            CompilerBug: the outputs differ.
        """
        expected = self._expected.get(function)
        if expected is None:
            return
        mismatch = _compare(function, expected, outputs)
        if mismatch is not None:
            raise CompilerBug(f"in '{stage}', {mismatch.message}", stage)

    def _runnable(self, module: ModuleOp) -> list[FuncOp]:
        """The functions that can be run, callees before callers where the module has them in that order."""
        functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}
        self.skipped = {n: r for n, f in functions.items() if (r := _why_not_run(f)) is not None}
        calls = _calls(module)
        for name in functions:
            for callee in _reachable([name], calls):
                if callee in self.skipped and name not in self.skipped:
                    self.skipped[name] = f"it calls '{callee}': {self.skipped[callee]}"
        runnable = [f for n, f in functions.items() if n not in self.skipped]
        return sorted(runnable, key=lambda f: not _is_private(f))

    def _compare_or_expect(self, module: ModuleOp, function: FuncOp) -> _Mismatch | None:
        name = function.sym_name.data
        expected, signature = self._expected.get(name), signature_of(function)
        if expected is None or signature is None or signature.shapes != expected.signature.shapes:
            self._expect(module, function)
            return None
        return _compare(name, expected, run_function(module, name, expected.inputs, self._ctx.resources))

    def _expect(self, module: ModuleOp, function: FuncOp) -> None:
        """Store what `function` computes now."""
        name, signature = function.sym_name.data, signature_of(function)
        assert signature is not None
        rng = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        inputs = [random_array(rng, tuple(t.get_shape()), to_numpy(t.element_type)) for t in signature.inputs]
        outputs = run_function(module, name, inputs, self._ctx.resources)
        self._expected[name] = _Expected(signature, inputs, outputs, _most_elements(function))


def random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Floats in [-2, 2), integers from -4 to 4, booleans."""
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-4, 5, shape).astype(dtype)
    return rng.uniform(-2, 2, shape).astype(dtype)


def _compare(name: str, expected: _Expected, outputs: Sequence[Array]) -> _Mismatch | None:
    """The first output that differs, at its worst element."""
    if len(outputs) != len(expected.outputs):
        return _Mismatch(name, f"'{name}' has {len(outputs)} outputs, it had {len(expected.outputs)}")
    for number, (before, after) in enumerate(zip(expected.outputs, outputs, strict=True)):
        if before.shape != after.shape or before.dtype != after.dtype:
            return _Mismatch(
                name,
                f"result {number} of '{name}' is {after.dtype} {list(after.shape)}, "
                f"it was {before.dtype} {list(before.shape)}",
            )
        excess = _excess(before, after, expected.terms)
        if not np.any(excess > 0):
            continue
        worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(excess)), excess.shape))
        return _Mismatch(
            name,
            f"'{name}' computes something else: result {number} at {list(worst)} is {after[worst]}, it was "
            f"{before[worst]}; {np.count_nonzero(excess > 0)} of {before.size} elements differ",
        )
    return None


def _excess(before: Array, after: Array, terms: int) -> Array:
    """By how much each element differs beyond what rounding explains; infinite where only one is NaN.

    Passes may reorder sums, so the error of an element is bounded by the size of what is summed, for which the largest
    element stands in: a few roundings, times the square root of the number of terms (random errors cancel).
    """
    if not np.issubdtype(before.dtype, np.floating):
        return np.asarray(before != after, np.float64)
    with np.errstate(all="ignore"):
        a, b = before.astype(np.float64), after.astype(np.float64)
        epsilon = float(np.finfo(before.dtype).eps)
        largest = np.max(np.abs(a), where=np.isfinite(a), initial=0.0)
        allowed = 1000 * epsilon * np.abs(a) + epsilon * max(100.0, 4 * sqrt(terms)) * largest
        excess = np.abs(a - b) - np.where(np.isfinite(a), allowed, 0)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0, np.where(np.isnan(excess), np.inf, excess))


def _is_private(function: FuncOp) -> bool:
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def _why_not_run(function: FuncOp) -> str | None:
    if len(function.body.blocks) > 1:
        return "it has several blocks"
    signature = signature_of(function)
    if signature is None:
        return "its arguments are not all tensors or buffers"
    if any(DYNAMIC_INDEX in t.get_shape() for t in (*signature.inputs, *signature.outputs)):
        return "its shapes are not all static"
    if not all(is_supported(t.element_type) for t in (*signature.inputs, *signature.outputs)):
        return "it has elements of a type that mlc does not compute with"
    for op in function.body.walk():
        if not has_meaning(type(op)) and not op.has_trait(IsTerminator):
            return f"'{op.name}' has no reference semantics"
    return None


def _calls(module: ModuleOp) -> dict[str, set[str]]:
    """The functions that each function calls."""
    return {
        f.sym_name.data: {op.callee.string_value() for op in f.body.walk() if isinstance(op, CallOp)}
        for f in module.ops
        if isinstance(f, FuncOp)
    }


def _reachable(names: Sequence[str], calls: dict[str, set[str]]) -> set[str]:
    """These functions, and all that they call, directly or not."""
    found: set[str] = set()
    work = list(names)
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work += calls.get(name, ())
    return found


def _most_elements(function: FuncOp) -> int:
    """The largest number of elements of any value in `function`; no sum has more terms than that."""
    most = 1
    for block in function.body.blocks:
        values = [*block.args, *(r for op in block.walk() for r in op.results)]
        for value in values:
            shape = getattr(value.type, "get_shape", tuple[int, ...])()
            most = max(most, prod(shape))
    return most
