"""What a pass is.

A pass is a dataclass with a `name`, its options as typed fields with defaults, and `run`. It lives alone in a file
whose name is the pass name (`passes/loop/tile.py` holds `tile`); `pass_manager/registry.py` finds it there. A folder
of `passes/` that is named after a level of the IR says at which level its passes work.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from abc import abstractmethod
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc.pass_manager.ir_levels import LEVELS, SOURCE_LEVELS
from mlc.support.context import CompilerContext
from mlc.support.former_names import name_today
from mlc.support.rounding import Rounding

_OPTION_TYPES = "required: int, float, bool, str, a tuple[…, ...] of one of them, or such a type | None"


@dataclass(frozen=True)
class PipelinePlace:
    """Where a pass of a plugin runs, in all pipelines that have the pass named here: those of `-O`, and named ones."""

    before: str = ""
    """The pass before which it runs; or else `after`."""
    reason: str = ""
    """What for, in a few words."""
    after: str = ""
    """The pass after which it runs."""
    since: int = 0
    """The lowest `-O` level that runs it. Named pipelines run what -O0 runs."""

    @property
    def at(self) -> str:
        """The pass beside which it runs."""
        return name_today("pass", self.before or self.after)


@dataclass(frozen=True)
class Pass(ModulePass):
    """A transformation of a module, in place. The first line of its docstring is its one-line description."""

    ir_level: ClassVar[str | None] = None
    """The level of the IR that the pass works on or, if it is a conversion, starts from; None if it works on any.

    A pass in a folder `passes/<level>/` or `passes/<level>_to_<level>/` need not declare it; one in `passes/any_level/`
    has none. Others say it.
    """

    rounding: ClassVar[Rounding | None] = None
    """How far the pass may move what floats are; None if every bit stays. `--check-each` holds the pass to it."""

    place: ClassVar[PipelinePlace | None] = None
    """Where pipelines run it, if it is a pass of a plugin; None if they do not (`mlc.pass_manager.places`)."""

    @classmethod
    def problem(cls) -> str | None:
        """What is wrong with the class, in words that follow its name; None if it is a pass."""
        name = getattr(cls, "name", None)
        if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
            found = "has no `name`" if name is None else f"has the name {name!r}"
            return f"{found}; required: small letters, digits and -, as a pipeline writes them"
        if inspect.isabstract(cls):
            return "has no `run(self, module, ctx)`, which transforms the module"
        if inspect.isgeneratorfunction(cls.run) or inspect.iscoroutinefunction(cls.run):
            return "has a `run` that yields or awaits, of which nothing would run; it transforms the module in place"
        try:
            options = {n: hint for n, hint in get_type_hints(cls).items() if get_origin(hint) is not ClassVar}
        except (NameError, TypeError) as e:
            return f"has options of types that are not there: {e}"
        fields = {f.name: f for f in dataclasses.fields(cls)}
        if missing := [n for n in options if n not in fields]:
            return f"is not a dataclass, so '{missing[0]}' is not an option; write @dataclass(frozen=True) above it"
        for option in fields.values():
            if not _is_option(hint := options[option.name]):
                return f"has an option '{option.name}' of type {hint}; {_OPTION_TYPES}"
        try:
            inspect.signature(cls).bind(**{n: None for n, f in fields.items() if f.init})
        except TypeError as e:
            return f"cannot be made of its options: __init__: {e}"
        if cls.ir_level not in (known := (*SOURCE_LEVELS, *LEVELS, None)):
            return f"has the ir_level {cls.ir_level!r}; required: one of {', '.join(map(str, known))}"
        if not isinstance(cls.rounding, Rounding | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            return f"has the rounding {cls.rounding!r}; required: a Rounding of mlc.support.rounding, or None"
        if (place := cls.place) is not None and not (_is_place(place) and bool(place.before) != bool(place.after)):
            return f"has the place {place!r}; required: PipelinePlace(before=…) or PipelinePlace(after=…), of one pass"
        return None

    def rounding_in(self, module: ModuleOp) -> Rounding | None:
        """How far it may have moved floats in `module`, as it left it: `rounding`, unless the module allows more."""
        del module
        return self.rounding

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        package, _, rest = cls.__module__.partition(".passes.")
        if package == "mlc" and "ir_level" not in vars(cls):
            folder = rest.partition(".")[0]
            cls.ir_level = None if folder == "any_level" else folder.partition("_to_")[0]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run under any xDSL driver; one that brings no weight data gets an empty store."""
        self.run(op, ctx if isinstance(ctx, CompilerContext) else CompilerContext())

    @abstractmethod
    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        """Transform `module`; it verifies before and after.

        Raises:
            UserError: the module asks for something that cannot be done.
        """


def _is_place(place: object) -> bool:
    return isinstance(place, PipelinePlace)


def _is_option(hint: Any) -> bool:
    """Whether the words of a command line make values of a type."""
    if get_origin(hint) in (Union, UnionType):
        return all(each is NoneType or _is_option(each) for each in get_args(hint))
    if get_origin(hint) is tuple:
        return len(get_args(hint)) == 2 and get_args(hint)[1] is ... and _is_option(get_args(hint)[0])
    return hint in (int, float, bool, str)
