"""Models that were compiled for several shapes: a call runs the code for the shapes of its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, cast

import numpy as np

from mlc.runtime.model import Array, InputError, Model, arrays_by_name

_SHOWN = 8
"""How many variants a message lists."""


class ShapedModel(Model):
    """A model for several shapes of its inputs, called like any `Model`.

    `variants` are the models for one of them each. They share the file, and the weights in it; each holds a workspace
    once it has been called.
    """

    def __init__(self, variants: Sequence[Model]) -> None:
        self.path = variants[0].path
        self.variants = tuple(variants)
        self._by_shapes = {tuple(t.shape for t in model.inputs): model for model in variants}
        self._names = [[t.name for t in model.inputs] for model in variants]

    def __repr__(self) -> str:
        return f"<mlc model for {len(self.variants)} shapes ({self._listed()}), {self.variants[0].signature.cpu}>"

    def __call__(self, *arrays: Any) -> Any:
        """Run the model on one array per input.

        Raises:
            InputError: the number or a dtype is wrong, or there is no code for these shapes.
        """
        return self._for(arrays)(*arrays)

    def in_place(self, *arrays: Any) -> tuple[Array, ...]:
        """Run the model, and change the arrays in whose memory results may lie; returns the others.

        Raises:
            InputError: as `__call__`, or an array that is changed cannot be.
        """
        return self._for(arrays).in_place(*arrays)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """Run the model on arrays by input name; returns arrays by output name.

        Raises:
            InputError: a name or a dtype is wrong, `inputs` are not by name, or there is no code for these shapes.
        """
        if not isinstance(cast(object, inputs), Mapping):
            return self.variants[0].run(inputs)  # which says what is required
        names = next((each for each in self._names if set(each) == set(inputs)), self._names[0])
        return self._for(arrays_by_name(inputs, names)).run(inputs)

    @property
    def inputs(self) -> NoReturn:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Raises: AttributeError, as there are several shapes."""
        raise AttributeError(f"the model is for {len(self.variants)} shapes: see the inputs of each of model.variants")

    @property
    def outputs(self) -> NoReturn:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Raises: AttributeError, as there are several shapes."""
        raise AttributeError(f"the model is for {len(self.variants)} shapes: see the outputs of each of model.variants")

    def _for(self, arrays: Sequence[Any]) -> Model:
        """The model for the shapes of `arrays`.

        Raises:
            InputError: there is none.
        """
        # Where something has no shape, or their number is wrong, any variant says what is required.
        taking = next((each for each in self._names if len(each) == len(arrays)), None)
        if taking is None or not all(_has_shape(array) for array in arrays):
            return self.variants[0]
        shapes = tuple(tuple(map(int, array.shape)) for array in arrays)
        if (model := self._by_shapes.get(shapes)) is None:
            found = ", ".join(f"{name} {list(shape)}" for name, shape in zip(taking, shapes, strict=True))
            raise InputError(f"there is no code for {found}; the model was compiled for {self._listed()}")
        return model

    def _listed(self) -> str:
        """The shapes of the inputs of each variant."""
        listed = [
            ", ".join(f"{each.name} {list(each.shape)}" for each in model.inputs)
            for model in list(self._by_shapes.values())[:_SHOWN]
        ]
        rest = len(self.variants) - len(listed)
        return " | ".join(listed) + (f" and {rest} more, see model.variants" if rest else "")


def _has_shape(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) or (hasattr(value, "__dlpack__") and hasattr(value, "shape"))
