"""Check that passes keep what a module computes, by running it before and after each of them.

Every function gets several draws of random inputs (`mlc.reference.inputs`), fixed by a seed; its outputs by the
reference (`mlc.reference`) before the first pass are what every later form of it must compute: graph, tensor or loop
level, results or output buffers. A pass says how far it may move floats (`Pass.rounding`), as a rule not at all.
Parallel loops of functions that are small enough run forwards and backwards as well.

Infinities and NaN are numbers like any other here: a rewrite that is right for finite numbers only is wrong. One NaN is
like another. Where floats may move, the sign of a zero may change.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IndexType, IntegerType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute
from xdsl.traits import IsTerminator

from mlc.dialects.loop import enclosing_loops
from mlc.reference.agreement import beyond_rounding, bits_differ, spread
from mlc.reference.execution import Noise, UndefinedBehavior, has_meaning
from mlc.reference.inputs import Draw, affordable, draw_inputs, draws
from mlc.reference.interpreter import FunctionInterface, interface_of, run_function
from mlc.reference.orders import find_false_parallel, parallel_loops
from mlc.reference.scf import ONE_WAY
from mlc.reference.sums import Sums, sums_of
from mlc.reference.work import work_of
from mlc.support.context import CompilerContext
from mlc.support.dtypes import is_supported, to_numpy
from mlc.support.errors import CompilerBug, UserError
from mlc.support.functions import is_private
from mlc.support.rounding import Rounding
from mlc.support.types import element_type

Array = NDArray[Any]

ANY_ORDER = Rounding(4, "sums above the loop level have no order")
_MOST_SERIAL_OPS = 4_000
"""The most ops that a function may run one iteration after the other, to check its parallel loops."""


@dataclass
class _Case:
    """A draw of inputs, what the function computed for it at the start, and what its last form did."""

    draw: Draw
    inputs: list[Array]
    first: list[Array]
    last: list[Array]
    spread: list[Array] | None = None
    """Of `first`, once it is known."""


@dataclass
class _Expected:
    """What a function computes, for some inputs."""

    interface: FunctionInterface
    cases: list[_Case]
    sums: Sums
    start: ModuleOp
    """A copy of the module when the function was first run."""
    moved: Rounding | None = None
    """How far floats may have moved since then."""
    fingerprint: int = 0
    """Of the form whose parallel loops have been run in other orders."""


@dataclass(frozen=True)
class _Mismatch:
    function: str
    message: str


class EquivalenceChecker:
    """Compares a module, as passes transform it, with what it computed at the start.

    Call `start` with the module, then `check` after each pass; call `compare_outputs` with what compiled code computes
    for `cases_of` a function.

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
        self._values = 0
        self._compared: set[str] = set()
        self._left_out: dict[str, str] = {}
        self._in_lockstep: set[str] = set()
        self._ctx = ctx
        self.seed = seed
        self._expected: dict[str, _Expected] = {}

    def start(self, module: ModuleOp) -> None:
        """Run all functions of `module`; their outputs are what later forms must compute.

        Raises:
            UserError: a function reads or writes where it must not, or a parallel loop is none.
        """
        self._expected.clear()
        copy = module.clone()
        for function in self._runnable(module):
            name = function.sym_name.data
            try:
                self._expect(module, function, copy)
                message = self._false_parallel(module, function)
            except UndefinedBehavior as e:
                raise UserError(f"'{name}' has undefined behavior: {e}") from None
            if message is not None:
                raise UserError(f"in '{name}', {message}")

    def check(self, pass_name: str, module: ModuleOp, rounding: Rounding | None = None) -> None:
        """Compare `module`, as `pass_name` left it, with the start; the pass may move floats as `rounding` says.

        Raises:
            CompilerBug: a function computes something else, or has undefined behavior, or a parallel loop is none.
        """
        functions = self._runnable(module)
        mismatches: dict[str, _Mismatch] = {}
        copies: list[ModuleOp] = []

        def copy() -> ModuleOp:
            copies[:] = copies or [module.clone()]
            return copies[0]

        for function in functions:
            name = function.sym_name.data
            try:
                if self._is_new(function):
                    self._expect(module, function, copy())
                elif (message := self._compare(module, name, rounding)) is not None:
                    mismatches[name] = _Mismatch(name, message)
                    continue
                if (message := self._false_parallel(module, function)) is not None:
                    raise CompilerBug(f"after '{pass_name}', in '{name}', {message}", pass_name)
            except UndefinedBehavior as e:
                mismatches[name] = _Mismatch(name, f"'{name}' has undefined behavior: {e}")
        public = [f.sym_name.data for f in functions if not is_private(f)]
        agreeing = _reachable([name for name in public if name not in mismatches], _calls(module))
        # Callees first: a wrong kernel explains a wrong entry.
        for name in sorted(mismatches, key=lambda n: n in public):
            if name in agreeing:
                self._expect(module, next(f for f in functions if f.sym_name.data == name), copy())
            else:
                raise CompilerBug(f"after '{pass_name}', {mismatches[name].message}", pass_name)

    def inputs_of(self, function: str) -> list[Array] | None:
        """The ordinary inputs that `function` is checked with, or None if it is not checked."""
        cases = self.cases_of(function)
        return cases[0] if cases else None

    def cases_of(self, function: str) -> list[list[Array]]:
        """All draws of inputs that `function` is checked with."""
        expected = self._expected.get(function)
        return [] if expected is None else [case.inputs for case in expected.cases]

    def compare_outputs(
        self, stage: str, function: str, outputs: Sequence[Array], rounding: Rounding = ANY_ORDER, case: int = 0
    ) -> None:
        """Compare what `function` computed elsewhere, for a case of `cases_of` it, with its last form.

        `stage` says where that was.

        Raises:
            CompilerBug: the outputs differ.
        """
        expected = self._expected.get(function)
        if expected is None:
            return
        message = self._difference(function, expected, expected.cases[case], outputs, rounding, None)
        if message is not None:
            raise CompilerBug(f"in '{stage}', {message}", stage)

    def coverage(self) -> list[str]:
        """What has been compared since the start, and what was left out at some point and why, a line for each."""
        functions = f"{len(self._compared)} function{'s' if len(self._compared) != 1 else ''}"
        left_out = [f"did not check '{name}': {reason}" for name, reason in self._left_out.items()]
        if names := ", ".join(f"'{name}'" for name in sorted(self._in_lockstep)):
            limit = f"over {_MOST_SERIAL_OPS:,} ops one after the other"
            left_out.append(f"ran the parallel loops of {names} in lockstep only: {limit}")
        return [f"compared {self._values:,} values of {functions}", *left_out]

    def _runnable(self, module: ModuleOp) -> list[FuncOp]:
        """The functions that can be run, callees before callers where the module has them in that order."""
        functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}
        self.skipped = {n: r for n, f in functions.items() if (r := _why_not_run(f)) is not None}
        calls = _calls(module)
        for name in functions:
            for callee in _reachable([name], calls):
                if callee in self.skipped and name not in self.skipped:
                    self.skipped[name] = f"it calls '{callee}': {self.skipped[callee]}"
        self._left_out |= self.skipped
        runnable = [f for n, f in functions.items() if n not in self.skipped]
        return sorted(runnable, key=lambda f: not is_private(f))

    def _is_new(self, function: FuncOp) -> bool:
        """Whether nothing is known about a function of this name and signature."""
        expected, signature = self._expected.get(function.sym_name.data), interface_of(function)
        return expected is None or signature is None or signature.shapes != expected.interface.shapes

    def _run(self, module: ModuleOp, name: str, inputs: Sequence[Array], noise: Noise | None = None) -> list[Array]:
        return run_function(module, name, inputs, self._ctx.resources, noise=noise)

    def _expect(self, module: ModuleOp, function: FuncOp, copy: ModuleOp) -> None:
        """Store what `function` computes now."""
        name, signature = function.sym_name.data, interface_of(function)
        assert signature is not None
        types = [(tuple(t.get_shape()), to_numpy(t.element_type)) for t in signature.inputs]
        smallest = min((int(np.prod(shape)) for shape, _ in types), default=1)
        cases: list[_Case] = []
        for draw in draws(smallest, work_of(module, name).total) if types else [Draw("ordinary")]:
            inputs = draw_inputs([self.seed, zlib.crc32(name.encode())], types, draw)
            try:
                outputs = self._run(module, name, inputs)
            except UndefinedBehavior:
                if draw.kind == "ordinary":
                    raise
                continue  # an index that is an extreme of its type: the function is not for that
            cases.append(_Case(draw, inputs, outputs, outputs))
        self._expected[name] = _Expected(signature, cases, sums_of(module, name), copy)

    def _compare(self, module: ModuleOp, name: str, rounding: Rounding | None) -> str | None:
        """What is wrong with function `name`, which a pass has just left as `module` has it."""
        expected = self._expected[name]
        # What was one op of the reference may have become a loop that runs one iteration after the other.
        expected.cases = expected.cases[: affordable(work_of(module, name).total)]
        sums = expected.sums | sums_of(module, name)
        if rounding is None and sums.in_any_order:
            rounding = ANY_ORDER
        if rounding is not None and sums.with_zeros:
            rounding = replace(rounding, skips_zeros=True)
        found: list[list[Array]] = []
        for case in expected.cases:
            outputs = self._run(module, name, case.inputs)
            if (message := self._difference(name, expected, case, outputs, rounding, module)) is not None:
                return message
            found.append(outputs)
        for case, outputs in zip(expected.cases, found, strict=True):
            case.last = outputs
        if rounding is not None:
            expected.moved = rounding + expected.moved
        expected.sums = sums_of(module, name)
        return None

    def _difference(
        self,
        name: str,
        expected: _Expected,
        case: _Case,
        outputs: Sequence[Array],
        rounding: Rounding | None,
        module: ModuleOp | None,
    ) -> str | None:
        """The first output that differs from the last form's by more than `rounding`, or from the start's by more than
        all passes together may move it; at its first element."""
        self._compared.add(name)
        if len(outputs) != len(case.last):
            return f"'{name}' has {len(outputs)} outputs, it had {len(case.last)}"
        terms = expected.sums.terms
        if rounding is not None and case.draw.may_overflow and terms > 1:
            return None
        spreads = _Spreads(self, name, case, expected.start, module)
        comparisons = [(case.last, rounding)]
        if rounding is not None and expected.moved is not None:
            comparisons.append((case.first, rounding + expected.moved))
        for number, after in enumerate(outputs):
            self._values += after.size
            for references, allowed in comparisons:
                before = references[number]
                if before.shape != after.shape or before.dtype != after.dtype:
                    return (
                        f"result {number} of '{name}' is {after.dtype} {list(after.shape)}, "
                        f"it was {before.dtype} {list(before.shape)}"
                    )
                if allowed is not None and case.draw.kind == "ordinary" and np.all(np.isfinite(before)):
                    allowed = replace(allowed, skips_zeros=False)  # zeros times finite numbers are no NaN
                if allowed is None:
                    different = bits_differ(before, after)
                else:
                    different = beyond_rounding(
                        before, after, allowed, terms, case.draw.is_even, lambda n=number: spreads.of(n)
                    )
                if np.any(different):
                    where = tuple(int(i) for i in np.argwhere(different)[0])
                    return (
                        f"'{name}' computes something else{case.draw}: result {number} at {list(where)} is "
                        f"{after[where]}, it was {before[where]}; {np.count_nonzero(different)} of {before.size} "
                        f"elements differ"
                    )
        return None

    def _false_parallel(self, module: ModuleOp, function: FuncOp) -> str | None:
        """Which parallel loop of a function has iterations that depend on each other."""
        name = function.sym_name.data
        expected = self._expected[name]
        loops = next(parallel_loops(module, name), None)
        if loops is None:
            return None
        if work_of(module, name, in_lockstep=False).ops > _MOST_SERIAL_OPS:
            self._in_lockstep.add(name)
            return None
        if expected.fingerprint == (now := hash(str(function))):
            return None
        expected.fingerprint = now
        _, found = find_false_parallel(module, name, expected.cases[0].inputs, self._ctx.resources)
        return None if found is None else str(found)


class _Spreads:
    """How far rounding errors spread in the first and the present form of a function, measured when it is asked for."""

    def __init__(
        self, checker: EquivalenceChecker, name: str, case: _Case, start: ModuleOp, now: ModuleOp | None
    ) -> None:
        self._checker, self._name, self._case, self._start, self._now = checker, name, case, start, now
        self._measured: list[list[Array]] = []

    def of(self, output: int) -> tuple[Array, Array]:
        """The spreads of one output: first form, present form (the first again where there is no reference)."""
        if not self._measured:
            first = self._case.spread = self._case.spread or self._measure(self._start)
            self._measured = [first, first if self._now is None else self._measure(self._now)]
        return self._measured[0][output], self._measured[1][output]

    def _measure(self, module: ModuleOp) -> list[Array]:
        run, inputs = self._checker._run, self._case.inputs  # pyright: ignore[reportPrivateUsage]
        base = run(module, self._name, inputs)
        return spread(base, [run(module, self._name, inputs, Noise(i)) for i in range(2)])


def _why_not_run(function: FuncOp) -> str | None:
    if len(function.body.blocks) > 1:
        return "it has several blocks"
    signature = interface_of(function)
    if signature is None:
        return "its arguments are not all tensors or buffers"
    if any(DYNAMIC_INDEX in t.get_shape() for t in (*signature.inputs, *signature.outputs)):
        return "its shapes are not all static"
    if not all(is_supported(t.element_type) for t in (*signature.inputs, *signature.outputs)):
        return "it has elements of a type that mlc does not compute with"
    for op in function.body.walk():
        if not has_meaning(type(op)) and not op.has_trait(IsTerminator):
            return f"'{op.name}' has no reference semantics"
        if isinstance(op, ONE_WAY) and any(loop.is_parallel for loop in enclosing_loops(op)):
            return f"'{op.name}' in a parallel loop has no reference semantics"
        for kind in (element_type(v.type) for v in (*op.operands, *op.results)):
            if isinstance(kind, IntegerType | IndexType | AnyFloat) and not is_supported(cast(Attribute, kind)):
                return f"'{op.name}' is about {kind}, a type that mlc does not compute with"
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
