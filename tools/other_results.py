"""What others compute for a model: a file of results, ONNX Runtime, PyTorch, or mlc's own code of another level."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlc.compiler.codegen import output_names
from mlc.compiler.model_inputs import arrange_calls, read_tensors
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.pass_manager.wrong_value import GivenCase
from mlc.reference.inputs import Draw, draw_inputs
from mlc.reference.interpreter import FunctionInterface, interface_of
from mlc.support.dtypes import to_numpy
from mlc.support.errors import UserError
from mlc.support.functions import input_names, models_of
from mlc.support.input_values import values_of_inputs
from mlc.targets.program import TensorSpec
from mlc.tools.input_file import InputFile

if TYPE_CHECKING:
    from mlc.support.context import CompilerContext

Array = NDArray[Any]
ENGINES = ("onnxruntime", "torch", "O0", "O1", "O2", "O3")
_LEVEL = re.compile(r"-?O([0-3])")


@dataclass(frozen=True)
class ComparedModel:
    """What is compared: a module whose shapes are bound, and the file that it comes from."""

    file: str
    module: ModuleOp
    ctx: CompilerContext

    @property
    def function(self) -> FuncOp:
        """The model's entry.

        Raises:
            UserError: there is none, or more than one.
        """
        if len(models := models_of(self.module)) != 1:
            raise UserError(
                f"found {len(models)} public functions; required: one, for which inputs and results can be given"
            )
        return models[0]

    @cached_property
    def interface(self) -> FunctionInterface:
        """Its types: those of its results at the graph level, as files of ONNX may leave them open, or say other ones.

        Raises:
            UserError: they are not those of arrays of known shape, or the model does not become a graph.
        """
        found = None
        if not any(map(_is_open, self.function.function_type.inputs)):
            PassManager(ctx := self.ctx.clone()).run(graph := self.module.clone(), parse_passes("lower-to-graph"))
            found = interface_of(replace(self, module=graph, ctx=ctx).function)
        if found is None or any(map(_is_open, (*found.inputs, *found.outputs))):
            raise UserError("inputs and results are arrays of known shapes here; give open ones with --shape")
        return found

    def inputs_in(self, file: InputFile) -> list[Array]:
        """The inputs of the first call that a file holds.

        Raises:
            UserError: they are not those of the entry, whose shapes have to be known, or the file has none.
        """
        named = zip(input_names(self.function), self.interface.inputs, strict=True)
        specs = [TensorSpec(name, str(to_numpy(t.element_type)), tuple(t.get_shape())) for name, t in named]
        calls = arrange_calls(file.tensors([specs]), specs, file.name)
        if not calls.count:
            raise UserError(f"'{file.name}' has the inputs of no call; required: those of one")
        return calls.inputs(0)


def _is_open(kind: Attribute) -> bool:
    return isinstance(kind, ShapedType) and DYNAMIC_INDEX in kind.get_shape()


def given_cases(model: ComparedModel, inputs: str | None, against: str | None, seed: int) -> list[GivenCase]:
    """The case for the inputs in the file `inputs`, or in the one of results, or else random ones of `seed`; nothing if
    neither is given.

    Raises:
        UserError: a file does not have what is needed, or who is asked cannot run the model.
    """
    if inputs is None and against is None:
        return []
    compute = _engine(against) if against else None
    arrays = _inputs(model, inputs or (against if compute is None else None), seed)
    if against is None:
        return [GivenCase(model.function.sym_name.data, arrays)]
    if compute is not None:
        results, source = _checked(model, compute(model, arrays), against), _NAMES.get(against, against)
    else:
        results, source = _of_file(model, against), f"'{against}'"
    return [GivenCase(model.function.sym_name.data, arrays, results, source)]


_NAMES = {"onnxruntime": "ONNX Runtime", "torch": "PyTorch"}


def _engine(name: str) -> Callable[[ComparedModel, Sequence[Array]], Sequence[Array]] | None:
    """What computes results; None if `name` is that of a file."""
    if (level := _LEVEL.fullmatch(name)) is not None:
        return lambda model, arrays: _native(model, arrays, int(level[1]))
    return {"onnxruntime": _onnxruntime, "torch": _torch}.get(name)


def _inputs(model: ComparedModel, file: str | None, seed: int) -> list[Array]:
    if file is not None:
        return model.inputs_in(InputFile.open(file))
    types = [(tuple(t.get_shape()), to_numpy(t.element_type)) for t in model.interface.inputs]
    return draw_inputs([seed], types, Draw("ordinary"), values_of_inputs(model.function, (), lambda function: ()))


def _of_file(model: ComparedModel, file: str) -> list[Array | None]:
    tensors = read_tensors(file)
    names = output_names(model.module) or [f"output{n}" for n in range(len(model.interface.outputs))]
    found = [tensors.get(name) for name in names]
    if all(each is None for each in found):
        raise UserError(
            f"'{file}' has no result of the model, which has {_quoted(names)}; found: {_quoted(tensors) or 'nothing'}"
        )
    return _checked(model, found, f"'{file}'")


def _checked(model: ComparedModel, results: Sequence[Array | None], source: str) -> list[Array | None]:
    """Results as the model gives them: those as long as data says in buffers, beside outputs with their extents.

    Raises:
        UserError: they are not those of the types that the model has.
    """
    outputs, extents = model.interface.outputs, model.interface.extents
    if not extents or len(results) == len(outputs):  # buffers and extents as they are
        extents = ((),) * len(outputs)
    of_extents = {place for places in extents for place in places if place >= 0}
    numbers = [number for number in range(len(outputs)) if number not in of_extents]
    if len(results) != len(numbers):
        raise UserError(f"{source} gives {len(results)} results; the model has {len(numbers)}")
    found: list[Array | None] = [None] * len(outputs)
    for position, (number, result) in enumerate(zip(numbers, results, strict=True)):
        if result is None:
            continue
        shape, dtype = tuple(outputs[number].get_shape()), to_numpy(outputs[number].element_type)
        places = extents[number] or (-1,) * len(shape)
        words = [str(most) if place < 0 else f"0..{most}" for most, place in zip(shape, places, strict=True)]
        fits = result.ndim == len(shape) and all(
            extent == most if place < 0 else extent <= most
            for extent, most, place in zip(result.shape, shape, places, strict=True)
        )
        if not fits or result.dtype != dtype:
            raise UserError(
                f"result {position} of {source} is {result.dtype} {list(result.shape)}; "
                f"required: {dtype} [{', '.join(words)}]"
            )
        found[number] = result if result.shape == shape else _padded(result, shape)
        for extent, place in zip(result.shape, places, strict=True):
            if place >= 0:
                kind = outputs[place]
                found[place] = np.full(kind.get_shape(), extent, to_numpy(kind.element_type))
    return found


def _padded(array: Array, shape: Sequence[int]) -> Array:
    """An array at the start of a buffer, whose other elements are zero."""
    return np.pad(array, [(0, most - extent) for extent, most in zip(array.shape, shape, strict=True)])


def _quoted(names: Sequence[str] | Mapping[str, Array]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _native(model: ComparedModel, arrays: Sequence[Array], level: int) -> list[Array]:
    from mlc import api

    module = model.module.clone()
    api.know(module, model.ctx.clone())
    return _listed(api.compile(module, opt_level=level)(*arrays))


def _onnxruntime(model: ComparedModel, arrays: Sequence[Array]) -> list[Array]:
    runtime = _package("onnxruntime")
    try:
        session = runtime.InferenceSession(model.file, providers=["CPUExecutionProvider"])
        feed = dict(zip(input_names(model.function), arrays, strict=True))
        return [np.asarray(each) for each in session.run(None, feed)]
    except Exception as e:  # of classes of its own, which say what they are about
        raise UserError(f"ONNX Runtime does not run '{model.file}': {e}") from None


def onnx_values(file: str, inputs: Sequence[Array]) -> dict[str, Array]:
    """All tensors that ONNX Runtime computes of the model in `file`, by their names; inputs are in order.

    Raises:
        UserError: ONNX Runtime does not run the model, or a package is missing.
    """
    onnx, runtime = _package("onnx"), _package("onnxruntime")
    try:
        proto = onnx.load(file)
        given = {each.name for each in proto.graph.output}
        names = [name for node in proto.graph.node for name in node.output if name and name not in given]
        proto.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        session = runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
        feed = dict(zip((each.name for each in session.get_inputs()), inputs, strict=True))
        results: list[Any] = session.run(None, feed)
        outputs: list[Any] = session.get_outputs()
    except Exception as e:  # of classes of its own, which say what they are about
        raise UserError(f"ONNX Runtime does not run '{file}': {e}") from None
    return {each.name: np.asarray(found) for each, found in zip(outputs, results, strict=True)}


def _torch(model: ComparedModel, arrays: Sequence[Array]) -> list[Array]:
    torch = _package("torch")
    try:
        program = torch.export.load(model.file).module()
        found = program(*(torch.from_numpy(np.array(a)) for a in arrays))
    except Exception as e:
        raise UserError(f"PyTorch does not run '{model.file}': {e}") from None
    return [each.detach().numpy() for each in torch.utils._pytree.tree_leaves(found)]


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as e:
        raise UserError(f"--against {name} needs the package {name} (pip install {name}): {e}") from None


def _listed(found: Array | Sequence[Array]) -> list[Array]:
    return [found] if isinstance(found, np.ndarray) else list(found)
