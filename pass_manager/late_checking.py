"""Checking passes in a minute or two, where a run of the reference takes long: at the end, native code is compared, and
only if that is wrong the forms between are run, of which a binary search finds the first wrong one.

What takes long are loops: the reference runs one iteration after the other. Forms of functions that are cheap are run
after each pass, as ever. A mistake of one pass that another one undoes is not found in forms that were not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.pass_manager._expected import LateForm
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.snapshots import Snapshot
from mlc.pass_manager.wrong_form import WrongForm
from mlc.pass_manager.wrong_value import GivenCase, Mismatch
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.runnable import calls_of, reachable
from mlc.reference.work import work_of
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug
from mlc.support.functions import is_private
from mlc.support.rounding import Rounding

Array = NDArray[Any]
_MOST = 4_000_000_000, 5_000_000
_TOO_MUCH = "its loops take long to run; what calls it was compared"


@dataclass(frozen=True)
class _Wrong:
    """What is wrong with a function."""

    error: CompilerBug
    form: Snapshot | None
    """The first form that is wrong; None if all are right, and something at the end is not."""


class LateChecker(EquivalenceChecker):
    """An `EquivalenceChecker` that puts off runs which take long, until they are needed.

    Args:
        most: the most work (`work_of`) of a form that is run after each pass: above the loop level, and of loops.
    """

    def __init__(
        self, ctx: CompilerContext, seed: int = 0, given: Sequence[GivenCase] = (), most: tuple[int, int] = _MOST
    ) -> None:
        super().__init__(ctx, seed, given)
        self._most = most
        self._late: dict[str, list[LateForm]] = {}
        """By function, the forms since the one that was run last."""
        self._without_start: set[str] = set()
        """The kernels whose first form takes long."""
        self._public: set[str] = set()
        self._accepted: list[WrongForm] = []
        """What was taken for a change of meaning because nobody has run the callers yet."""

    def start(self, module: ModuleOp) -> None:
        for each in (self._late, self._without_start, self._public, self._accepted):
            each.clear()
        super().start(module)

    def cases_of(self, function: str) -> list[list[Array]]:
        return [] if function in self._without_start else super().cases_of(function)

    def settle(self, native: Mapping[str, CompilerBug | None]) -> None:
        """As in the base class; what was put off and was not compared is run in its last form.

        Raises:
            CompilerBug: something is wrong: of the first pass after which it is, if the forms show that.
        """
        names = dict.fromkeys([*native, *self._late])
        late = [name for name in names if name not in native or native[name] is not None]
        models = [name for name in late if name in self._public and self._is_wrong(name, native.get(name))]
        # A kernel takes less time to run than a model, and explains it.
        for name in (each for each in late if each not in self._public):
            found = self._first_wrong(name, native.get(name))
            if found and (found.form is None or self._is_mistake(name, found.form, models)):
                raise found.error
        for name in models:
            self._require_right(name, native.get(name))
        self._late.clear()

    def _waits(self, function: FuncOp, form: LateForm) -> bool:
        name = function.sym_name.data
        if not is_private(function):
            self._public.add(name)
        if name not in self._late and not self._takes_long(function, form):
            return False
        if self._is_new(function):
            if name in self._public:  # a mistake of a kernel shows in the models that call it
                self._require_right(name)
            self._expect(function, form.form)
            self._late[name] = []
            if name not in self._public:
                self._without_start.add(name)
        elif name not in self._without_start:
            self._late.setdefault(name, []).append(form)
        if name in self._without_start:
            self._covered.leave_out(name, _TOO_MUCH)
        return True

    def _takes_long(self, function: FuncOp, form: LateForm) -> bool:
        is_loops = any(isinstance(argument.type, MemRefType) for argument in function.body.blocks[0].args)
        return work_of(form.form.module, function.sym_name.data).total > self._most[is_loops]

    def _accept(self, error: WrongForm) -> None:
        self._accepted.append(error)

    def _is_wrong(self, name: str, native: CompilerBug | None) -> bool:
        """Whether a function is wrong at the end, where `native` is what is wrong with its native code."""
        forms = self._late.get(name)
        return native is not None or bool(forms and self._wrong_with(name, forms))

    def _require_right(self, model: str, native: CompilerBug | None = None) -> None:
        """Raises: CompilerBug if a model is wrong: of the first pass after which it is."""
        if (found := self._first_wrong(model, native)) is not None:
            raise next((e for e in self._accepted if e.forms and e.forms[1] is found.form), found.error)

    def _is_mistake(self, kernel: str, form: Snapshot, models: Sequence[str]) -> bool:
        """Whether a kernel that computes something else from `form` on is wrong. It may change its meaning together
        with its callers: then none of the models that are wrong at the end is so from there on."""
        is_called = kernel in reachable(self._public, calls_of(form.module))
        return not is_called or any(self._turns_wrong(each, form) for each in models)

    def _turns_wrong(self, name: str, form: Snapshot) -> bool:
        """Whether a form of a function is wrong, and the one before is not."""
        forms = self._late.get(name, [])
        index = next((i for i, each in enumerate(forms) if each.form is form), None)
        if index is None or (index and self._wrong_with(name, forms[:index])):
            return False
        self._late[name] = forms[index:]
        return self._wrong_with(name, forms[index : index + 1]) is not None

    def _first_wrong(self, name: str, native: CompilerBug | None) -> _Wrong | None:
        """The first form of a function that is wrong, of those that were put off, or what is wrong at the end if these
        are right."""
        forms = self._late.get(name, [])
        if not forms or (found := self._wrong_with(name, forms)) is None:
            return _Wrong(native, None) if native is not None else None
        good, bad = 0, len(forms)  # so many forms are right, and so many are wrong
        while bad - good > 1:
            middle = (good + bad) // 2
            if (mismatch := self._wrong_with(name, forms[good:middle])) is None:
                good = middle
            else:
                bad, found = middle, mismatch
        first = forms[bad - 1]
        return _Wrong(found.error(first.form.made_by or "", (first.before, first.form)), first.form)

    def _wrong_with(self, name: str, forms: Sequence[LateForm]) -> Mismatch | None:
        """What is wrong with the last of some forms, which follow the one that was run last."""
        rounding: Rounding | None = None
        for each in forms:
            rounding = each.rounding + rounding if each.rounding is not None else rounding
        try:
            found = self._compare(forms[-1].form, name, rounding)
        except UndefinedBehavior as e:
            return Mismatch(f"'{name}' has undefined behavior: {e}", e)
        return None if found is None else Mismatch(found)
