"""Check that passes keep what a module computes, by running it before and after each of them.

Every function gets several draws of random inputs (`mlc.reference.inputs`), fixed by a seed; its outputs by the
reference (`mlc.reference`) before the first pass are what every later form of it must compute: graph, tensor or loop
level, results or output buffers. A pass says how far it may move floats (`Pass.rounding`), as a rule not at all.
Parallel loops of functions that are small enough run forwards and backwards as well.

Infinities and NaN are numbers like any other here: a rewrite that is right for finite numbers only is wrong. One NaN is
like another. What lies after the extent of a result (`mlc.extents`) is not data. Where floats may move, the sign of a
zero may change. What becomes of such signs, in bits of floats or after a division, runs with noise tell
(`_spread.py`).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.pass_manager._coverage import Coverage
from mlc.pass_manager._expected import CheckedCase, Expected, LateForm
from mlc.pass_manager._spread import Spread
from mlc.pass_manager.snapshots import Snapshot, Snapshots
from mlc.pass_manager.wrong_form import WrongForm
from mlc.pass_manager.wrong_value import Difference, GivenCase, Mismatch, WrongValue
from mlc.reference.agreement import beyond_rounding, bits_differ
from mlc.reference.execution import InputsUndefined, UndefinedBehavior
from mlc.reference.inputs import Draw, affordable, draw_inputs, draws
from mlc.reference.interpreter import FunctionInterface, interface_of, run_function
from mlc.reference.orders import find_false_parallel, parallel_loops
from mlc.reference.runnable import calls_of, reachable, why_not_run
from mlc.reference.sums import sums_of
from mlc.reference.work import work_of
from mlc.support.context import CompilerContext
from mlc.support.dtypes import to_numpy
from mlc.support.errors import CompilerBug, UserError
from mlc.support.functions import is_private
from mlc.support.input_values import AllowedValues, values_of_inputs
from mlc.support.rounding import Rounding

Array = NDArray[Any]

ANY_ORDER = Rounding(4, "sums above the loop level have no order")
ELSEWHERE = Rounding(16, "another program computes with functions and sums of its own")
_READ = "the model as it was read"
_MOST_SERIAL_OPS = 4_000
"""The most ops that a function may run one iteration after the other, to check its parallel loops."""


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
        given: what is taken as inputs of a function instead of random ones.
    """

    def __init__(self, ctx: CompilerContext, seed: int = 0, given: Sequence[GivenCase] = ()) -> None:
        self.skipped: dict[str, str] = {}
        self._covered = Coverage()
        self._undefined: dict[str, str] = {}
        self._ctx = ctx
        self.seed = seed
        self.given = given
        self._expected: dict[str, Expected] = {}
        self._snapshots = Snapshots()
        self._passes = 0
        """How many have run since the start."""

    def start(self, module: ModuleOp) -> None:
        """Keep `module`, whose functions say what later forms must compute. Those with buffers run at once: perhaps a
        person wrote their loops.

        Raises:
            UserError: a function reads or writes where it must not, or a parallel loop is none.
        """
        self._expected.clear()
        self._undefined.clear()
        self._passes = 0
        self._covered.begin_module()
        form = self._snapshots.keep(module, self._ctx.resources)
        for function in self._runnable(module):
            name = function.sym_name.data
            expected = self._expect(function, form)
            if any(isinstance(t, MemRefType) for t in (*expected.interface.inputs, *expected.interface.outputs)):
                self._cases(name)
            if (message := self._false_parallel(module, function)) is not None:
                raise UserError(f"in '{name}', {message}")

    def check(self, pass_name: str, module: ModuleOp, rounding: Rounding | None = None) -> None:
        """Compare `module`, as `pass_name` left it, with the start; the pass may move floats as `rounding` says.

        A function that the pass left as it was, with all that it calls, computes what it did.

        Raises:
            CompilerBug: a function computes something else, or has undefined behavior, or a parallel loop is none.
            UserError: a function that the pass changed had undefined behavior at the start.
        """
        self._passes += 1
        changes = self._snapshots.changes(module, self._ctx.resources)
        if not changes.own:
            return
        self._covered.begin(pass_name)
        functions, before = self._runnable(module), self._snapshots.last
        form = self._snapshots.keep(module, self._ctx.resources, pass_name, self._passes)
        mismatches: dict[str, Mismatch] = {}
        for function in functions:
            name = function.sym_name.data
            if name not in changes.reached or (before and self._waits(function, LateForm(before, form, rounding))):
                continue
            try:
                if self._is_new(function):
                    self._expect(function, form)
                elif (found := self._compare(form, name, rounding)) is not None:
                    mismatches[name] = Mismatch(found)
                    continue
                if name in changes.own and (message := self._false_parallel(module, function)) is not None:
                    raise CompilerBug(f"after '{pass_name}', in '{name}', {message}", pass_name)
            except UndefinedBehavior as e:
                mismatches[name] = Mismatch(f"'{name}' has undefined behavior: {e}", e)
        public = [f.sym_name.data for f in functions if not is_private(f)]
        agreeing = reachable([name for name in public if name not in mismatches], calls_of(module))
        # Callees first: a wrong kernel explains a wrong entry.
        for name in sorted(mismatches, key=lambda n: n in public):
            error = mismatches[name].error(pass_name, (before, form) if before else None)
            if name not in agreeing:
                raise error
            self._accept(error)
            self._expect(next(f for f in functions if f.sym_name.data == name), form)

    def settle(self, native: Mapping[str, CompilerBug | None]) -> None:
        """Decide who is to blame for what is wrong at the end.

        Args:
            native: what `compare_outputs` raised, or None, for each function whose outputs it saw, callees first.

        Raises:
            CompilerBug: something is wrong.
        """
        for error in filter(None, native.values()):
            raise error

    def _waits(self, function: FuncOp, form: LateForm) -> bool:
        """Whether a form of a function is to be run later, if at all."""
        del function, form
        return False

    def _accept(self, error: WrongForm) -> None:
        """A private function has another meaning than before; what calls it has not."""

    def inputs_of(self, function: str) -> list[Array] | None:
        """The ordinary inputs that `function` is checked with, or None if it is not checked."""
        cases = self.cases_of(function)
        return cases[0] if cases else None

    def cases_of(self, function: str) -> list[list[Array]]:
        """All draws of inputs that `function` is checked with."""
        return [case.inputs for case in self._cases(function)] if function in self._expected else []

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
        found = self._difference(function, expected, self._cases(function)[case], outputs, rounding, None)
        if isinstance(found, Difference):
            raise WrongValue(f"in '{stage}', {found}", stage, found)
        if found is not None:
            raise CompilerBug(f"in '{stage}', {found}", stage)

    @property
    def compared(self) -> int:
        """How many values have been compared since the start."""
        return self._covered.values

    def coverage(self) -> list[str]:
        """What has been compared since the start, and what was left out at some point and why, a line for each."""
        return self._covered.lines(_MOST_SERIAL_OPS, bool(self._expected))

    def _runnable(self, module: ModuleOp) -> list[FuncOp]:
        """The functions that can be run, callees before callers where the module has them in that order."""
        self.skipped = why_not_run(module) | self._undefined
        for name, reason in self.skipped.items():
            self._covered.leave_out(name, reason)
        functions = [op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks]
        runnable = [f for f in functions if f.sym_name.data not in self.skipped]
        return sorted(runnable, key=lambda f: not is_private(f))

    def _is_new(self, function: FuncOp) -> bool:
        """Whether nothing is known about a function of this name and signature."""
        expected, signature = self._expected.get(function.sym_name.data), interface_of(function)
        return expected is None or signature is None or signature.shapes != expected.interface.shapes

    def _run(self, form: Snapshot, name: str, inputs: Sequence[Array]) -> list[Array]:
        return run_function(form.module, name, inputs, form.resources)

    def _expect(self, function: FuncOp, form: Snapshot) -> Expected:
        """Later forms of `function` have to compute what it computes in `form`."""
        signature = interface_of(function)
        assert signature is not None
        name = function.sym_name.data
        before = self._values_of(name)
        values = values_of_inputs(function, form.calls.get(name, ()), self._values_of)
        if len(before) == len(values):  # what said so may have been lowered
            values = [now or then for now, then in zip(values, before, strict=True)]
        expected = self._expected[name] = Expected(signature, form, values)
        return expected

    def _values_of(self, function: str) -> Sequence[AllowedValues | None]:
        return self._expected[function].values if function in self._expected else ()

    def _draw(self, name: str, draw: Draw) -> list[Array]:
        expected = self._expected[name]
        types = [(tuple(t.get_shape()), to_numpy(t.element_type)) for t in expected.interface.inputs]
        return draw_inputs([self.seed, zlib.crc32(name.encode())], types, draw, expected.values)

    def _cases(self, name: str) -> list[CheckedCase]:
        """The cases of a function, run in its first form when they are asked for first; none, and it is left out from
        here on, if that has no meaning for any ordinary inputs.

        Raises:
            UserError, CompilerBug: that form, the model's or what a pass made, has undefined behavior for any.
        """
        expected = self._expected[name]
        if expected.cases is not None:
            return expected.cases
        start, shapes = expected.start, [t.get_shape() for t in expected.interface.inputs]
        smallest = min((int(np.prod(shape)) for shape in shapes), default=1)
        if given := [each for each in self.given if each.function == name and self._fits(each, expected.interface)]:
            return self._given_cases(name, expected, given)
        cases: list[CheckedCase] = []
        for draw in draws(smallest, work_of(start.module, name).total) if shapes else [Draw("ordinary")]:
            undefined: UndefinedBehavior | None = None
            for attempt in draw.attempts():
                inputs = self._draw(name, attempt)
                try:
                    outputs = self._run(start, name, inputs)
                except UndefinedBehavior as e:
                    undefined = undefined or e
                else:
                    cases.append(CheckedCase(attempt, inputs, outputs, outputs, Spread(start, name, inputs)))
                    break
            if not cases:
                self._leave_out(name, start, undefined)
                break
        expected.cases, expected.sums = cases, sums_of(start.module, name)
        expected.is_open = expected.sums.in_any_order
        return cases

    def _fits(self, case: GivenCase, interface: FunctionInterface) -> bool:
        """Whether the inputs are those that a function takes in this form."""
        taken = [(tuple(t.get_shape()), to_numpy(t.element_type)) for t in interface.inputs]
        return taken == [(array.shape, array.dtype) for array in case.inputs]

    def _given_cases(self, name: str, expected: Expected, given: Sequence[GivenCase]) -> list[CheckedCase]:
        """Those that somebody gave; the first form has to compute what they say.

        Raises:
            WrongValue: it does not, which is a mistake of the pass that made it, or of what read the model.
        """
        start, cases = expected.start, list[CheckedCase]()
        expected.sums = sums_of(start.module, name)
        for each in given:
            outputs = self._run(start, name, each.inputs)
            case = CheckedCase(Draw("given"), list(each.inputs), outputs, outputs, Spread(start, name, each.inputs))
            wanted = [o if w is None else w for o, w in zip(outputs, each.outputs or outputs, strict=True)]
            found = self._difference(
                name, expected, replace(case, first=wanted, last=wanted), outputs, ELSEWHERE, start
            )
            if isinstance(found, Difference):
                raise WrongValue(str(found), start.made_by or _READ, found, None, each.source, start)
            if found is not None:
                raise UserError(f"{each.source}: {found}")
            cases.append(case)
        expected.cases, expected.is_open = cases, expected.sums.in_any_order
        return cases

    def _leave_out(self, name: str, form: Snapshot, undefined: UndefinedBehavior | None) -> None:
        message = f"undefined behavior: {undefined}"
        if isinstance(undefined, InputsUndefined):
            reason = f"for all inputs that were drawn it has {message}"
            self._undefined[name] = self.skipped[name] = reason
            self._covered.leave_out(name, reason)
        elif form.made_by is None:
            raise UserError(f"'{name}' has {message}")
        else:
            raise CompilerBug(f"after '{form.made_by}', '{name}' has {message}", form.made_by)

    def _compare(self, now: Snapshot, name: str, rounding: Rounding | None) -> Difference | str | None:
        """What is wrong with function `name`, which a pass has left as `now` has it."""
        expected, module = self._expected[name], now.module
        # What was one op of the reference may have become a loop that runs one iteration after the other.
        cases = expected.cases = self._cases(name)[: affordable(work_of(module, name).total)]
        sums = expected.sums | sums_of(module, name)
        if rounding is None and sums.in_any_order:
            rounding = ANY_ORDER
        if rounding is not None and sums.with_zeros:
            rounding = replace(rounding, skips_zeros=True)
        found: list[list[Array]] = []
        for case in cases:
            outputs = self._run(now, name, case.inputs)
            if (difference := self._difference(name, expected, case, outputs, rounding, now)) is not None:
                return difference
            found.append(outputs)
        for case, outputs in zip(cases, found, strict=True):
            case.last = outputs
        if rounding is not None:
            expected.moved = rounding + expected.moved
        expected.sums = sums_of(module, name)
        return None

    def _difference(
        self,
        name: str,
        expected: Expected,
        case: CheckedCase,
        outputs: Sequence[Array],
        rounding: Rounding | None,
        now: Snapshot | None,
    ) -> Difference | str | None:
        """The first output that differs from the last form's by more than `rounding`, or from the start's by more than
        all passes together may move it; at its first element."""
        self._covered.functions.add(name)
        if len(outputs) != len(case.last):
            return f"'{name}' has {len(outputs)} outputs, it had {len(case.last)}"
        terms = expected.sums.terms
        if rounding is not None and case.draw.may_overflow and terms > 1 and not expected.is_open:
            return None
        present = case.spread if now is None else Spread(now, name, case.inputs)
        comparisons = [(case.last, rounding)]
        if rounding is not None and expected.moved is not None:
            comparisons.append((case.first, rounding + expected.moved))
        for number, after in enumerate(outputs):
            self._covered.values += after.size
            data = expected.interface.is_data(number, outputs)
            for references, allowed in comparisons:
                before = references[number]
                if before.shape != after.shape or before.dtype != after.dtype:
                    return (
                        f"result {number} of '{name}' is {after.dtype} {list(after.shape)}, "
                        f"it was {before.dtype} {list(before.shape)}"
                    )
                if allowed is not None and case.draw.kind == "ordinary" and np.all(np.isfinite(before)):
                    allowed = replace(allowed, skips_zeros=False)  # zeros times finite numbers are not NaN
                if allowed is None:
                    different = data & bits_differ(before, after)
                else:
                    beyond = partial(beyond_rounding, before, after, allowed, terms, case.draw.is_even)
                    different = data & beyond(lambda n=number: (case.spread.of(n), present.of(n)))
                    while np.any(different) and case.spread.grows():
                        different = data & beyond(lambda n=number: (case.spread.of(n), present.of(n)))
                if np.any(different):
                    return Difference.first(name, number, (before, after), different, case.draw, case.inputs)
        return None

    def _false_parallel(self, module: ModuleOp, function: FuncOp) -> str | None:
        """Which parallel loop of a function has iterations that depend on each other."""
        name = function.sym_name.data
        if name in self._undefined or next(parallel_loops(module, name), None) is None:
            return None
        if work_of(module, name, in_lockstep=False).ops > _MOST_SERIAL_OPS:
            self._covered.in_lockstep.add(name)
            return None
        cases = self._expected[name].cases
        inputs = cases[0].inputs if cases else self._draw(name, Draw("ordinary"))
        _, found = find_false_parallel(module, name, inputs, self._ctx.resources)
        return None if found is None else str(found)
