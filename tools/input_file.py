"""A file of inputs for a model: tensors by their names, or an image."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlc.compiler.model_inputs import Array, TensorLike, read_tensors, tensor_named
from mlc.support.bindings import Bindings
from mlc.support.model_source import DeclaredInput, ModelSource
from mlc.tools.compile_arguments import CompileArguments
from mlc.tools.images import Image, is_image

INPUTS_HELP = (
    "a tensor per input: safetensors or .npz; for a model of one input also .npy, or an image (with Pillow), "
    "which gets the size and the layout of the input"
)


@dataclass(frozen=True)
class InputFile:
    """What was read of such a file."""

    name: str
    _tensors: dict[str, Array]
    image: Image | None

    @staticmethod
    def open(name: str) -> InputFile:
        """Raises: UserError if the file cannot be read, or is of another format."""
        image = Image.open(name) if is_image(name) else None
        return InputFile(name, {} if image else read_tensors(name), image)

    def take(self, key: str) -> Array | None:
        """A tensor that is no input, which is taken out; None if there is none of that name."""
        return self._tensors.pop(key, None)

    def tensors(self, variants: Sequence[Sequence[TensorLike]]) -> Mapping[str, Array]:
        """The tensors for a model, given by the inputs of its variants.

        Raises:
            UserError: the file is an image that the model does not take.
        """
        return self.image.tensors(variants) if self.image else self._tensors

    def open_shapes(self, source: ModelSource, given: Bindings) -> list[str]:
        """The shapes of those inputs whose shapes are open, as `--shape` spells them: what is not given is as in the
        last dims of the tensor."""
        if given.choices:  # which of them runs follows from the tensors; the model has to be known without these
            return []
        declared = source.inputs()
        extents = given.extents({each.name: each.dims for each in declared})
        bound = [each.bound(given.shapes, extents) for each in declared if each.name not in given.values]
        taken: list[str] = []
        for each in bound:
            found = self._shape_for(each) if each.is_open else ()
            shape = found if each.shape is None else each.shape
            if shape and len(found) >= len(shape):
                last = found[len(found) - len(shape) :]
                known = [f if e is None else e for e, f in zip(shape, last, strict=True)]
                taken.append(f"{each.name}={'x'.join(map(str, known))}")
        return taken

    def _shape_for(self, declared: DeclaredInput) -> tuple[int, ...]:
        """The shape of what there is for an input."""
        if self.image is not None:
            sizes = [e if isinstance(e, int) else None for e in declared.shape or ()]
            return () if declared.shape is None else self.image.shape_for(declared.name, sizes)
        tensor = tensor_named(declared.name, self._tensors)
        return () if tensor is None else tensor.shape


def take_open_shapes(inputs: InputFile, source: ModelSource, arguments: CompileArguments) -> None:
    """Let shapes that nobody gives be those of the inputs, with a note on standard error."""
    if taken := inputs.open_shapes(source, arguments.bindings):
        print(f"note: shapes are those of the inputs: {' '.join(f'--shape {each}' for each in taken)}", file=sys.stderr)
        arguments.shape += taken
