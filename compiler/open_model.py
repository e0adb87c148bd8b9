"""Models that leave dims of their inputs open, in Python: compiled for the shapes of calls when these are met first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from mlc.runtime.model import InputError, Model
from mlc.support.bindings import AnyExtent, Bindings, ExtentRange
from mlc.support.errors import UserError
from mlc.support.model_source import DeclaredInput

if TYPE_CHECKING:
    from mlc.runtime.model import Array

CallShape = tuple[AnyExtent, ...]
"""The extents of an array; ranges where the model is compiled for a range."""


class OpenModel(Model):
    """A model with open dims. It is called like any `Model`; the first call with other shapes compiles it for these.

    What was compiled is kept as long as this object lives, and found again in the cache by later ones. `bound(shapes)`
    gives the compiled model for some shapes, to be saved, say.
    """

    def __init__(self, inputs: Sequence[DeclaredInput], compile: Callable[[Bindings], Model], given: Bindings) -> None:
        self.open_inputs = tuple(inputs)
        self._compile = compile
        self._given = given
        self._models: dict[tuple[CallShape, ...], Model] = {}
        self._locks: dict[tuple[CallShape, ...], threading.Lock] = {}

    def __repr__(self) -> str:
        return f"<mlc model with open dims ({', '.join(map(str, self.open_inputs))})>"

    def __call__(self, *arrays: Any) -> Any:
        """Run the model on one array per input, compiled for their shapes.

        Raises:
            InputError: the number, a dtype or a shape is wrong.
            UserError: the model cannot be compiled for these shapes.
        """
        return self._for_arrays(arrays)(*arrays)

    def in_place(self, *arrays: Any) -> tuple[Array, ...]:
        """Run the model, and change the arrays in whose memory results may lie; returns the others.

        Raises:
            InputError, UserError: as `__call__`, or an array that is changed cannot be.
        """
        return self._for_arrays(arrays).in_place(*arrays)

    def _for_arrays(self, arrays: Sequence[Any]) -> Model:
        if len(arrays) != len(self.open_inputs):
            names = ", ".join(f"'{i.name}'" for i in self.open_inputs)
            raise InputError(
                f"the model takes {len(self.open_inputs)} inputs ({names}), and the call gives {len(arrays)}"
            )
        return self._for(self._shapes(arrays))

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """Run the model on arrays by input name, compiled for their shapes.

        Raises:
            InputError: a name, a dtype or a shape is wrong.
            UserError: the model cannot be compiled for these shapes.
        """
        names = [i.name for i in self.open_inputs]
        if not isinstance(cast(object, inputs), Mapping) or set(inputs) != set(names):
            found = f"a {type(inputs).__name__}" if not isinstance(cast(object, inputs), Mapping) else list(inputs)
            raise InputError(f"found {found}; required: a dict of arrays by input name, {', '.join(map(repr, names))}")
        return self._for(self._shapes([inputs[i.name] for i in self.open_inputs])).run(inputs)

    def bound(self, shapes: Mapping[str, int | CallShape]) -> Model:
        """The model for shapes by the names of inputs, or for extents by the names of their dims.

        Raises:
            InputError: the shape of an input is not known here, or two names contradict each other.
            UserError: the model cannot be compiled for them.
        """
        try:
            extents = Bindings(shapes).extents({i.name: i.dims for i in self.open_inputs})
        except UserError as e:
            raise InputError(str(e)) from None
        inputs = [i.bound(shapes, extents) for i in self.open_inputs]
        found = [tuple(e for e in i.shape or () if e is not None) for i in inputs]
        if missing := ", ".join(str(i) for i in inputs if i.is_open):
            raise InputError(f"these shapes leave dims open: {missing}; required: a number for each '?'")
        return self._for(tuple(found))

    def save(self, path: str | Path | Any) -> NoReturn:
        """Raises: ValueError, because a file holds code for known shapes."""
        wanted = ", ".join(f"'{i.name}': (…)" for i in self.open_inputs)
        raise ValueError(f"the model leaves dims open; save what model.bound({{{wanted}}}) gives, for known shapes")

    @property
    def inputs(self) -> NoReturn:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Raises: AttributeError, as their shapes are not known; `open_inputs` says what is."""
        raise AttributeError("the model leaves dims open: see open_inputs, or model.bound(shapes).inputs")

    @property
    def outputs(self) -> NoReturn:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Raises: AttributeError, as their shapes are not known."""
        raise AttributeError("the model leaves dims open: see model.bound(shapes).outputs")

    def _shapes(self, arrays: Sequence[Any]) -> tuple[CallShape, ...]:
        """The shapes of arrays for all inputs.

        Raises:
            InputError: one is not an array, or its shape does not fit the input.
        """
        shapes: list[CallShape] = []
        for declared, array in zip(self.open_inputs, arrays, strict=True):
            # Arrays of other libraries have a shape as well.
            if not isinstance(array, np.ndarray | np.generic) and not hasattr(array, "__dlpack__"):
                raise InputError(
                    f"input '{declared.name}' is a {type(array).__name__}; required: a NumPy array (or one with "
                    f"DLPack) for {declared}: np.asarray(value, dtype)"
                )
            shape = tuple(int(extent) for extent in cast(Any, array).shape)
            wanted = declared.shape
            if wanted is not None and not _fits(shape, wanted):
                raise InputError(f"input '{declared.name}' has shape {shape}; required: {declared}")
            kept = wanted or (None,) * len(shape)
            shapes.append(tuple(w if isinstance(w, ExtentRange) else e for e, w in zip(shape, kept, strict=True)))
        named = Bindings({i.name: shape for i, shape in zip(self.open_inputs, shapes, strict=True)})
        try:
            named.extents({i.name: i.dims for i in self.open_inputs})
        except UserError as e:
            raise InputError(str(e)) from None
        return tuple(shapes)

    def _for(self, shapes: tuple[CallShape, ...]) -> Model:
        if (found := self._models.get(shapes)) is not None:
            return found  # a compilation for other shapes is not waited for
        with self._locks.setdefault(shapes, threading.Lock()):  # threads that come with the same shapes compile once
            if shapes not in self._models:
                named = {i.name: shape for i, shape in zip(self.open_inputs, shapes, strict=True)}
                self._models[shapes] = self._compile(Bindings({**self._given.shapes, **named}, self._given.values))
            return self._models[shapes]


def _fits(shape: Sequence[int], wanted: Sequence[AnyExtent | None]) -> bool:
    def fits(extent: int, allowed: AnyExtent | None) -> bool:
        return extent in allowed if isinstance(allowed, ExtentRange) else allowed in (None, extent)

    return len(shape) == len(wanted) and all(map(fits, shape, wanted))
