"""What users give to the inputs of a model that leaves their shapes or values open."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from mlc.support.errors import NamedOption, UserError, Words

if TYPE_CHECKING:  # importing NumPy takes 0.1 s
    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True, order=True)
class ExtentRange:
    """The extents that a dim may have when the model runs, both ends included: `1..512`, `32..2048by32`."""

    least: int
    most: int
    step: int = 1
    """How far apart they are; `most` is one of them."""

    def __str__(self) -> str:
        return f"{self.least}..{self.most}" + (f"by{self.step}" if self.step > 1 else "")

    def __contains__(self, extent: int) -> bool:
        return extent in range(self.least, self.most + 1, self.step)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The least, the greatest and, unless it is 1, the step: what attributes and signatures hold."""
        return (self.least, self.most, self.step) if self.step > 1 else (self.least, self.most)


AnyExtent = int | ExtentRange
"""The extent of a dim, or those that it may have."""
BoundShape = AnyExtent | tuple[AnyExtent, ...]
"""The shape of an input, or the extent of a dim."""
InputShapes = Mapping[str, BoundShape]
"""Shapes by the names of inputs, and extents by the names of inputs' dims."""
ShapeChoices = Mapping[str, tuple[BoundShape, ...]]
"""Several of them for each name, of which any may be met when the model runs."""
InputValues = Mapping[str, "Array"]
"""Values by the names of inputs."""


@dataclass(frozen=True)
class BindOption(NamedOption):
    """Options that bind shapes or values to names, as a message proposes them: `name` is `shape` or `value`."""

    given: tuple[tuple[str, BoundShape], ...] = ()

    def flag(self) -> str:
        """`--shape n=1 --shape x=2x3`."""
        return " ".join(f"--{self.name} {quote(f'{name}={shape_text(shape)}')}" for name, shape in self.given)

    def keyword(self) -> str:
        """`shapes={'n': 1, 'x': (2, 3)}`."""
        return f"{self.name}s={dict(self.given)}"


@dataclass(frozen=True)
class Bindings:
    """Shapes and values by name; false if there are none."""

    shapes: InputShapes = field(default_factory=dict[str, BoundShape])
    values: InputValues = field(default_factory=dict[str, "Array"])
    choices: ShapeChoices = field(default_factory=dict[str, tuple[BoundShape, ...]])
    """What is given several shapes. `support/variants.py` makes of these what is compiled, of one shape each."""

    def __bool__(self) -> bool:
        return bool(self.shapes or self.values or self.choices)

    def require_single(self, what: str) -> None:
        """Raises: UserError if a name has several shapes, of which `what` takes one."""
        for name, shapes in self.choices.items():
            listed = ", ".join(map(shape_text, shapes))
            raise UserError(
                f"found several shapes of '{name}', {listed}; {what} has one shape: give '{name}' one of these"
            )

    def check_names(self, inputs: Sequence[str], dims: Iterable[str]) -> None:
        """Raises: UserError if a name is neither that of an input nor, for a shape, that of a dim."""
        for noun, what, given, known in (
            ("shape", "input or dim", self.shapes, [*inputs, *sorted(dims)]),
            ("value", "input", self.values, inputs),
        ):
            for name in given:
                if name not in known:
                    if (advice := self._advice(noun, name, [*inputs, *dims])) is not None:
                        raise UserError(advice)
                    near = get_close_matches(name, known, 1)
                    hint = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(map(repr, known)) or 'none'}"
                    raise UserError(f"the model has no {what} '{name}' to bind a {noun} to; {hint}")

    def _advice(self, noun: str, name: str, known: Sequence[str]) -> Words | None:
        """What to do about a name that is none by itself, but has another one in it, or is that of a dim."""
        given = f"{name}={shape_text(self.shapes[name]) if noun == 'shape' else self.values[name].tolist()}"
        words = given.replace(",", " ").split()
        if len(words) > 1 and all(word.rpartition("=")[0] in known for word in words):
            separate = [part for word in words for part in (" ", NamedOption(noun, word, word))]
            return f"found '{given}', which has several names; required: one option for each,", *separate
        if noun == "value" and name in known:
            number = self.values[name].tolist()
            bound = BindOption("shape", given=((name, number),))
            return f"'{name}' is a dim of an input: bind its extent by ", bound
        return None

    @property
    def has_ranges(self) -> bool:
        """Whether a range of extents is given."""
        shapes = (shape if isinstance(shape, tuple) else (shape,) for shape in self.shapes.values())
        return any(isinstance(extent, ExtentRange) for shape in shapes for extent in shape)

    def require_fixed(self, what: str) -> None:
        """Raises: UserError if a range of extents is given, where `what` has to know them."""
        for name, shape in self.shapes.items():
            for extent in shape if isinstance(shape, tuple) else (shape,):
                if isinstance(extent, ExtentRange):
                    raise UserError(f"found {extent} for '{name}'; {what} has known extents: give '{name}' a number")

    def extents(self, inputs: Mapping[str, Sequence[str]]) -> dict[str, AnyExtent]:
        """The extents of named dims: those that are given, and those that the given shapes of inputs say.

        `inputs` has the names of the dims of each input. Dims of one name have one extent in ONNX.

        Raises:
            UserError: two of them say different extents, or a dim is given a shape.
        """
        found: dict[str, AnyExtent] = {}
        for name, extent in self.shapes.items():
            of = next((each for each, dims in inputs.items() if name in dims), None)
            if name not in inputs and of is not None:
                if isinstance(extent, tuple):
                    shape = shape_text(extent)
                    raise UserError(f"a dim of input '{of}' is bound to the shape {shape}; required: one number")
                found[name] = extent
        source: dict[str, str] = {}
        for name, dims in inputs.items():
            given = self.shapes.get(name, ())
            shape = given if isinstance(given, tuple) else (given,)
            for dim, extent in zip(dims, shape, strict=False):
                if not dim or found.setdefault(dim, extent) == extent:
                    source.setdefault(dim, name)
                elif dim in source:
                    first = f"dim '{dim}' is {found[dim]} in '{source[dim]}' and {extent} in '{name}'"
                    raise UserError(f"{first}, and has to be the same in both")
                else:
                    raise UserError(
                        f"input '{name}' is bound to {'x'.join(map(str, shape))}, and its dim '{dim}' to {found[dim]}; "
                        "required: one extent"
                    )
        return found

    @property
    def identity(self) -> str:
        """What is equal for equal bindings."""
        shapes = sorted((name, shape) for name, shape in self.shapes.items())
        values = [
            (name, str(a.dtype), a.shape, hashlib.sha256(a.tobytes()).hexdigest())
            for name, a in sorted(self.values.items())
        ]
        return repr((shapes, values, sorted(self.choices.items())))


def parse_bindings(shapes: Sequence[str], values: Sequence[str]) -> Bindings:
    """What the words `x=1x3`, `batch=1,8` give to shapes, and `sr=16000` to values.

    Raises:
        UserError: a word has another form, or two contradict each other.
    """
    found = _parse_shapes(shapes)
    single = {name: each[0] for name, each in found.items() if len(each) == 1}
    choices = {name: each for name, each in found.items() if len(each) > 1}
    return Bindings(single, parse_values(values), choices)


def parse_shapes(words: Sequence[str]) -> dict[str, BoundShape]:
    """`x=1x3`, `batch=1` as a mapping.

    Raises:
        UserError: a word has another form, or gives several shapes.
    """
    bindings = parse_bindings(words, [])
    bindings.require_single("what is bound here")
    return dict(bindings.shapes)


def fixed_shapes(words: Sequence[str]) -> dict[str, int | tuple[int, ...]]:
    """The same without ranges.

    Raises:
        UserError: a word has another form, gives several shapes, or a range.
    """
    given = parse_shapes(words)
    Bindings(given).require_fixed("what is bound here")
    return {name: cast("int | tuple[int, ...]", shape) for name, shape in given.items()}


def _parse_shapes(words: Sequence[str]) -> dict[str, tuple[BoundShape, ...]]:
    result: dict[str, tuple[BoundShape, ...]] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        several = text.split(",")
        if not equals or not name or not all(_is_shape(each, len(several) > 1) for each in several):
            raise UserError(
                f"found '{word}' as a shape; required: NAME=1x3x224x224, or NAME=1 for a dim of that name, "
                "with commas between several of them, or NAME=1..512 for all extents from 1 to 512"
            )
        shapes = tuple(_shape(each) for each in several)
        if result.setdefault(name, shapes) != shapes:
            given = f"{','.join(map(shape_text, result[name]))} and {text}"
            raise UserError(
                f"'{name}' is given two shapes, {given}; required: one --shape, with commas between several"
            )
    return result


def _is_shape(text: str, is_one_of_several: bool) -> bool:
    """Whether this is numbers, or ranges of them, with x between; nothing is the shape of a scalar."""
    return all(_EXTENT.fullmatch(part) for part in text.split("x")) if text else not is_one_of_several


def _shape(text: str) -> BoundShape:
    extents = tuple(map(_extent, text.split("x"))) if text else ()
    return extents[0] if len(extents) == 1 else extents


_EXTENT = re.compile(r"([0-9]+)(?:\.\.([0-9]+)(?: ?by ?([0-9]+))?)?")


def _extent(text: str) -> AnyExtent:
    """Raises: UserError if a range ends before it begins."""
    matched = _EXTENT.fullmatch(text)
    assert matched
    least, most, step = matched.groups()
    return int(least) if most is None else extent_range(int(least), int(most), int(step or 1))


def extent_range(least: int, most: int, step: int = 1) -> AnyExtent:
    """The extents from `least` to `most`, so far apart; one number if there is only one.

    Raises:
        UserError: the last one is less than the first, there is none but 0, or they are not apart.
    """
    if not 0 <= least <= most or most < 1 or step < 1:
        apart = "" if step == 1 else f" in steps of {step}"
        raise UserError(
            f"found extents from {least} to {most}{apart}; required: LEAST..MOST, as 1..512, or 32..512by32"
        )
    most -= (most - least) % step
    return least if least == most else ExtentRange(least, most, step)


def shape_text(shape: BoundShape) -> str:
    """A shape as `--shape` takes it."""
    return "x".join(map(str, shape)) if isinstance(shape, tuple) else str(shape)


def parse_values(words: Sequence[str]) -> dict[str, Array]:
    """`sr=16000`, `size=1,3,8` as a mapping.

    Raises:
        UserError: a word has another form.
    """
    if not words:
        return {}
    import numpy as np

    result: dict[str, Array] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        try:
            numbers = [_number(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if not equals or not name or not numbers:
            raise UserError(f"found '{word}' as a value; required: NAME=NUMBER, or NAME=NUMBER,NUMBER,…")
        value = np.asarray(numbers if "," in text else numbers[0])
        if not np.array_equal(result.setdefault(name, value), value):
            raise UserError(f"'{name}' is given two values; required: one")
    return result


def _number(text: str) -> float | bool:
    words = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return int(text)
    except ValueError:
        return float(text)
