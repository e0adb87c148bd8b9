"""Steps of schedules as typed values: how each is written, what it says of itself, and how it is found by its name.

    @dataclass(frozen=True)
    class Tile(LoopStep):
        \"\"\"`n` runs in steps of 64, around a new loop `ni`.\"\"\"

        name = "tile"
        example = "tile(n, 64)"

        loop: LoopName
        size: int

The fields are the arguments, and their types are the form of the text: `LoopName` and its like are written as names,
`tuple[LoopName, ...]` as any number of them, `int` as a positive number and `int | None` as one that may be left out.
Names stand before numbers, and no loop is named twice (an argument may be called as a loop is). A step that is
about the whole kernel, `clang(2)`, names none.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from abc import abstractmethod
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, ClassVar, cast, get_args, get_type_hints

from mlc.dialects.loop.plan import LoopPlan
from mlc.support.additions import Additions, own_class
from mlc.support.errors import LOAD_PASS, UserError

LoopName = Annotated[str, "loop"]
"""The name of a loop: its dim, without quotes."""
ArgumentName = Annotated[str, "argument"]
"""The name of an argument of the kernel, without `%`."""
FunctionName = Annotated[str, "function"]
"""The name of a function of the math dialect: `exp`."""
_NAMES = (LoopName, ArgumentName, FunctionName)

_SIZES = range(1, sys.maxsize)
"""Positive numbers."""
_FOLDER = "schedules/steps"
"""Where steps are, one in each file of its name: a dialect says how they are written, passes carry them out."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One step of a schedule; a subclass is a frozen dataclass whose fields are what it is written with.

    The docstring of a subclass says in one line what the step does to the loops that it names.
    """

    name: ClassVar[str]
    """What the step is called in a schedule."""
    example: ClassVar[str]
    """How it may be written."""
    of_kernel: ClassVar[bool] = False
    """Whether it is about the whole kernel, and may name no loop."""
    numbers: ClassVar[range] = _SIZES
    """What its numbers may be."""
    settles: ClassVar[bool] = False
    """Whether it says how something is to be: of two such steps with the same names and other numbers, one is wrong."""

    def __post_init__(self) -> None:
        for field, hint in type_hints(type(self)).items():
            if field in self.__dataclass_fields__ and (required := _other_than(getattr(self, field), hint)) is not None:
                found = f"{field}={getattr(self, field)!r}"
                raise TypeError(f"schedule step '{self.name}': found {found}, required {required}")
        loops = self.loops
        if twice := [name for name in loops if loops.count(name) > 1]:
            raise UserError(f"schedule step '{self.spelling}' names '{twice[0]}' twice")
        for number in (a for a in self._arguments if isinstance(a, int) and a not in self.numbers):
            least, most = self.numbers[0], self.numbers[-1]
            required = f"a number from {least} to {most}, got {number}"
            if self.numbers == _SIZES:
                required = f"{'a positive number' if number < least else f'a number up to {most}'}, got {number}"
            raise UserError(f"schedule step '{self.name}' takes {required}")

    @classmethod
    def summary(cls) -> str:
        """What the step does, in one line."""
        return " ".join((cls.__doc__ or "").partition("\n\n")[0].split())

    @property
    def spelling(self) -> str:
        """The step as a schedule writes it."""
        return f"{self.name}({', '.join(map(str, self._arguments))})"

    @property
    def names(self) -> tuple[str, ...]:
        """All names that it is written with: of loops, of arguments, of functions."""
        return tuple(a for a in self._arguments if isinstance(a, str))

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops that it names."""
        hints = type_hints(type(self))
        names = [a for f in dataclasses.fields(self) if hints[f.name] not in _NAMES[1:] for a in self._of(f)]
        return tuple(a for a in names if isinstance(a, str))

    @abstractmethod
    def words(self, plan: LoopPlan) -> str:
        """What the step does to loops of which `plan` is known."""
        raise NotImplementedError

    @classmethod
    def problem(cls) -> str | None:
        """What is wrong with the class, in words that follow its name; None if it is a step."""
        name, example = getattr(cls, "name", None), getattr(cls, "example", None)
        if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            found = "has no `name`" if name is None else f"has the name {name!r}"
            return f"{found}; required: small letters, digits and _, as a schedule writes them"
        if not isinstance(example, str) or not example.startswith(f"{name}("):
            return f"has no `example` of how it is written; required: a text such as '{name}(n)'"
        if "__dataclass_params__" not in vars(cls) or not vars(cls)["__dataclass_params__"].frozen:
            return "is not a frozen dataclass: @dataclass(frozen=True) makes arguments of its fields"
        if not inspect.cleandoc(cls.__doc__ or "") or (cls.__doc__ or "").startswith(f"{cls.__name__}("):
            return "has no docstring; required: one line that says what it does to the loops that it names"
        if getattr(cls.words, "__isabstractmethod__", False):
            return "has no `words(self, plan)`, which `mlc explain` asks"
        try:
            Form.of(cls)
        except UserError as e:
            return str(e)
        return None

    def follow(self, plan: LoopPlan) -> None:
        """Let `plan` say what is known of the loops once the step is carried out; by default, as much as before."""

    @property
    def _arguments(self) -> list[str | int]:
        return [a for f in dataclasses.fields(self) for a in self._of(f)]

    def _of(self, field: dataclasses.Field[Any]) -> tuple[str | int, ...]:
        """What is written for a field."""
        value: Any = getattr(self, field.name)
        if isinstance(value, tuple):
            return cast(tuple[str, ...], value)
        return () if value is None else (value,)


@dataclasses.dataclass(frozen=True)
class Form:
    """How a step is written: how many names and numbers it takes."""

    names: int
    more: bool
    """Whether it takes more names than these."""
    sizes: tuple[int, int]
    """The least and the greatest number of numbers."""

    @staticmethod
    @cache
    def of(kind: type[Step]) -> Form:
        """The form that the fields of a step say.

        Raises:
            UserError: a field is of a type that no text stands for, fields are in another order than the text, or none
                is a loop. The message follows the name of the class.
        """
        own = [f.name for f in dataclasses.fields(kind)]
        reserved = [n for n in own if n in ("name", "example") or any(_reserves(base, n) for base in kind.__bases__)]
        if reserved:
            raise UserError(f"has a field '{reserved[0]}', which means something else in every step: rename it")
        hints = [type_hints(kind)[f.name] for f in dataclasses.fields(kind)]
        for hint in hints:
            if hint not in (*_NAMES, int) and not _is_more(hint) and not _may_be_left_out(hint):
                raise UserError(
                    f"has a field of type {hint}; "
                    "they are LoopName, ArgumentName, FunctionName, tuple[LoopName, ...], int, or int | None"
                )
        ranks = [0 if hint in _NAMES else 1 if _is_more(hint) else 2 + (hint is not int) for hint in hints]
        if ranks != sorted(ranks) or ranks.count(1) > 1:
            raise UserError(
                "has its fields in another order than the text: names, then one tuple of more names, then numbers, "
                "then those that may be left out"
            )
        if LoopName not in hints and not kind.of_kernel:
            raise UserError("names no loop; required: a field of the type LoopName")
        names = sum(hint in _NAMES for hint in hints)
        least, optional = hints.count(int), sum(map(_may_be_left_out, hints))
        return Form(names, any(map(_is_more, hints)), (least, least + optional))


def make_step(action: str, arguments: list[str | int]) -> Step:
    """The step that is written `action(arguments…)`.

    Raises:
        UserError: there is no such step, or its arguments are others.
    """
    kind = load_step(action)
    form = Form.of(kind)
    names = [a for a in arguments if isinstance(a, str)]
    sizes = [a for a in arguments if isinstance(a, int)]
    written = f"it is written as in '{kind.example}'"
    if form.sizes[0] and not sizes and len(names) == form.names + 1:
        raise UserError(f"schedule step '{action}' takes a number as its last argument, got '{names[-1]}'")
    if len(names) < form.names or (len(names) > form.names and not form.more):
        found = _found("name", names)
        raise UserError(f"schedule step '{action}' takes {_names_in_words(kind, form)}, {found}; {written}")
    least, most = form.sizes
    if not least <= len(sizes) <= most:
        required = ("no number", "one number")[most] if most < 2 else f"{most} numbers"
        required = "at most " * (least < most) + required
        raise UserError(f"schedule step '{action}' takes {required}, {_found('number', sizes)}; {written}")
    return kind(**_filled(kind, names, sizes))


def _found(noun: str, given: list[Any]) -> str:
    """Which names or numbers there are, where others are required: `got none`, `got 3 numbers (1, 2, 3)`."""
    plural = "s" * (len(given) > 1)
    return f"got {len(given)} {noun}{plural} ({', '.join(map(str, given))})" if given else "got none"


def _names_in_words(kind: type[Step], form: Form) -> str:
    """What the names that a step is written with are of: `1 argument name and 1 loop name`."""
    hints = [type_hints(kind)[f.name] for f in dataclasses.fields(kind)]
    words: list[str] = []
    for hint in dict.fromkeys(hint for hint in hints if hint in _NAMES):
        more, count = form.more and hint == LoopName, hints.count(hint)
        words.append(f"{count}{' or more' * more} {get_args(hint)[1]} name{'s' * (more or count > 1)}")
    return " and ".join(words) or "no name"


def _filled(kind: type[Step], names: list[str], sizes: list[int]) -> dict[str, Any]:
    """The fields of a step, from names and numbers that are as many as they should be."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        hint = type_hints(kind)[field.name]
        if hint in _NAMES:
            values[field.name] = names.pop(0)
        elif _is_more(hint):
            values[field.name] = tuple(names)
        else:
            values[field.name] = sizes.pop(0) if sizes else None
    return values


def _other_than(value: object, hint: Any) -> str | None:
    """What a field of this type takes instead of `value`; None if it takes that."""
    if hint in _NAMES:
        return None if isinstance(value, str) else "a name"
    if _is_more(hint):
        names = cast(tuple[object, ...], value) if isinstance(value, tuple) else (None,)
        return None if all(isinstance(name, str) for name in names) else "a tuple of names"
    if hint is int or _may_be_left_out(hint):
        is_number = isinstance(value, int) or (value is None and hint is not int)
        return None if is_number else "a number"
    return None


def _reserves(base: Any, name: str) -> bool:
    """Whether a base has something else by this name than a field, which steps inherit."""
    fields = dataclasses.fields(base) if dataclasses.is_dataclass(base) else ()
    return hasattr(base, name) and name not in [f.name for f in fields]


def _is_more(hint: Any) -> bool:
    return get_args(hint) == (LoopName, ...)


def _may_be_left_out(hint: Any) -> bool:
    return set(get_args(hint)) == {int, NoneType}


@cache
def type_hints(kind: type[Step]) -> dict[str, Any]:
    """The types of the arguments of a step, by name."""
    return get_type_hints(kind, include_extras=True)


@cache
def _own() -> tuple[str, ...]:
    """The names of the steps of mlc."""
    files = (Path(__file__).parents[2] / _FOLDER).glob("*.py")
    return tuple(sorted(f.stem for f in files if f.stem != "base" and not f.stem.startswith("_")))


plugin_steps = Additions("schedule step", "mlc.steps", lambda n: "mlc" if n in _own() else None)
"""The steps that plugins bring (entry point `skew = "my_package.skew:Skew"` in the group `mlc.steps`)."""


def step_names() -> list[str]:
    """The names of all steps, sorted, without importing any of them.

    Raises:
        UserError: two plugins bring steps of one name.
    """
    return sorted([*_own(), *plugin_steps.names()])


def load_step(name: str) -> type[Step]:
    """Import the one module that holds the step `name`.

    Raises:
        UserError: there is no such step (the message names the nearest one), or a plugin does not hold it.
        CompilerBug: the file that should hold the step does not.
    """
    if (addition := plugin_steps.get(name)) is not None:
        loaded = addition.load()
        if isinstance(loaded, type) and issubclass(loaded, Step) and getattr(loaded, "name", name) == name:
            if (problem := loaded.problem()) is not None:
                raise UserError(f"the schedule step '{loaded.__name__}' of {addition.origin} {problem}")
            return loaded
        raise UserError(f"{addition.origin} promises a schedule step '{name}', found {loaded!r}")
    if name not in _own():
        near = get_close_matches(name, step_names(), n=1)
        guess = f"did you mean '{near[0]}'? " if near else ""
        raise UserError(
            [
                f"unknown schedule step '{name}'; {guess}the steps are {', '.join(step_names())}; ",
                LOAD_PASS,
                " adds one",
            ]
        )
    return _load_own(name)


@cache
def _load_own(name: str) -> type[Step]:
    return own_class(f"mlc.{_FOLDER.replace('/', '.')}.{name}", Step, name, "step", "schedule steps")
