"""From a lowered module to what the toolchain builds: the model's signature, one unit per function, the weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import DenseResourceAttr, IntegerAttr, MemRefType, ModuleOp, StringAttr, SymbolRefAttr, i64
from xdsl.ir import Attribute, BlockArgument

from mlc.compiler.backend import LoweredModel
from mlc.runtime.extents import holders
from mlc.support.dtypes import is_computed, to_numpy
from mlc.support.errors import UserError
from mlc.support.functions import (
    EXTENTS,
    dim_names,
    donated_to,
    extents_in,
    input_names,
    marks_of,
    models_of,
    name_for_callers,
    passed_arguments,
    range_in,
    seen_by_callers,
)
from mlc.support.locations import error_at
from mlc.support.resources import Resources
from mlc.support.types import MemRef
from mlc.support.version import __version__
from mlc.targets.llvm_ir import emit_kernels
from mlc.targets.machine import Machine
from mlc.targets.program import Kernel, Program, Signature, TensorSpec, Weight
from mlc.targets.variants import ProgramVariants, telling_dims

_HIDDEN = 1
"""The number of a visibility in `llvm.func`."""


def rename_models(module: ModuleOp, prefix: str, suffix: str = "") -> None:
    """Call each model of a module `<prefix>_<name><suffix>`, at any level that has functions of `func`."""
    start = f"{prefix}_" if prefix else ""
    renamed = {f.sym_name.data: f"{start}{f.sym_name.data}{suffix}" for f in models_of(module)}
    for function in models_of(module):
        function.sym_name = StringAttr(renamed[function.sym_name.data])
    for op in module.walk():
        if isinstance(op, func.CallOp) and (new := renamed.get(op.callee.string_value())):
            op.callee = SymbolRefAttr(new)


def output_names(module: ModuleOp) -> tuple[str, ...]:
    """What the outputs of a module's model are called, before it is lowered: the names of the values that it returns.

    Empty if outputs are arguments already. The attribute `mlc.name` of a result says it, else the name of its value;
    one without a name is `out`, or `out<number>`.
    """
    models = models_of(module)
    returned = models[0].body.blocks[-1].last_op if len(models) == 1 else None
    if not isinstance(returned, func.ReturnOp) or not returned.operands:
        return ()
    # Scalars may be returned beside buffers for outputs, which come first.
    buffers = [each for each in passed_arguments(models[0]) if each.role == "output"]
    names = [name_for_callers(each.value, each.marks, f"output{each.number}") for each in buffers]
    marks = marks_of(returned.operands, models[0].res_attrs)
    for number, (value, mark) in enumerate(zip(returned.operands, marks, strict=True)):
        name = name_for_callers(value, mark, f"out{number}" if len(returned.operands) > 1 else "out")
        while name in names:
            name += "_"
        names.append(name)
    return tuple(names)


def signature_of(module: ModuleOp, outputs: Sequence[str] = ()) -> Signature:
    """The signature of the model in a module at the loop level: its one public function.

    Arguments are named by their attribute `mlc.name`, or their SSA names, and those of `outputs` by these, which
    `output_names` gave before the module was lowered; a workspace argument gives the size of the workspace.

    Raises:
        UserError: there is no public function with a body, or more than one, or an argument is not a buffer.
    """
    entries = models_of(module)
    if not entries:
        if any(op.name.startswith("llvm.") for op in module.ops):
            raise UserError(
                "the module is at the llvm level already, which no longer says what the model takes and gives; "
                "compile the graph, tensor or loop level"
            )
        raise UserError("the module has no public function; a model needs one, as a rule called @main")
    if len(entries) > 1:
        names = ", ".join(f"@{e.sym_name.data}" for e in entries)
        raise error_at(
            entries[1], f"a model has one public function, found {len(entries)}: {names}; make others private"
        )
    name = entries[0].sym_name.data
    if not (name.isidentifier() and name.isascii()):
        raise error_at(entries[0], f"a model is called from C, found the name '{name}'; use letters, digits and '_'")
    return _signature(entries[0], outputs)


def program_of(model: LoweredModel, machine: Machine, threads: int = 1) -> Program:
    """The program of a module at the llvm level, whose loops may run on `threads` threads."""
    kernels: list[Kernel] = []
    entry: Kernel | None = None
    module, signature = model.module, model.signature
    compiled = {name: each.kernels for name, each in model.compiled.items()}
    for op in module.ops:
        if isinstance(op, llvm.FuncOp) and op.sym_name.data in compiled:
            op.visibility_ = IntegerAttr(_HIDDEN, i64)
    for kernel in emit_kernels(module, machine, model.debug, compiled):
        if kernel.name == signature.symbol:
            entry = kernel
        else:
            kernels.append(kernel)
    if entry is None:
        raise UserError(f"the module has no function @{signature.symbol}: it is not the result of lower-to-llvm")
    return Program(kernels, entry, signature, list(_weights(module, model.resources)), threads)


def variants_of_model(module: ModuleOp, prefix: str, programs: Sequence[Program]) -> ProgramVariants:
    """The programs of a model for several shapes, with what tells them apart, in order of their extents.

    `module` is the model as it came in, with the names of its inputs' dims.

    Raises:
        UserError: the inputs of two programs have the same shapes.
    """
    (model,) = models_of(module)
    marks = marks_of(model.args, model.arg_attrs)
    names = dict(zip(input_names(model), map(dim_names, marks), strict=True))
    name = f"{prefix}_{model.sym_name.data}" if prefix else model.sym_name.data
    dims = telling_dims([program.signature for program in programs], names)
    ordered = sorted(programs, key=lambda program: [dim.extent(program.signature) for dim in dims])
    return ProgramVariants(name, tuple(ordered), dims)


def _weights(module: ModuleOp, resources: Resources) -> Iterator[Weight]:
    for op in module.ops:
        if isinstance(op, llvm.GlobalOp) and isinstance(op.value, DenseResourceAttr):
            yield Weight(op.sym_name.data, resources.array(op.value.resource_handle.data))


def _signature(entry: func.FuncOp, names: Sequence[str]) -> Signature:
    inputs: list[TensorSpec] = []
    outputs: list[TensorSpec] = []
    workspace = 0
    for each in passed_arguments(entry):
        if each.role == "workspace":
            workspace = _buffer(entry, each.value).get_shape()[0]
            continue
        spec = _spec(entry, each.value, each.marks, f"{each.role}{each.number}")
        if each.role == "input":
            inputs.append(replace(spec, extents=extents_in(each.marks), range=range_in(each.marks)))
            continue
        # The conversion of a model adds outputs that hold extents of others, after those that were named.
        name = names[each.number] if each.number < len(names) else spec.name
        while name in [other.name for other in outputs]:
            name += "_"
        outputs.append(replace(spec, name=name, extents=extents_in(each.marks), donor=donated_to(each.marks)))
    _check_extents(entry, "output", outputs)
    _check_extents(entry, "input", inputs)
    held = holders([each.extents for each in inputs])
    inputs = [each if number in held else replace(each, range=None) for number, each in enumerate(inputs)]
    name = entry.sym_name.data
    return Signature(name, tuple(inputs), tuple(outputs), workspace, __version__)


def _spec(entry: func.FuncOp, argument: BlockArgument, marks: Mapping[str, Attribute], default_name: str) -> TensorSpec:
    buffer = _buffer(entry, argument)
    if not is_computed(buffer.element_type):
        raise error_at(entry, f"a model cannot take or give elements of type {buffer.element_type}")
    dtype = to_numpy(seen_by_callers(buffer, marks).element_type)
    return TensorSpec(name_for_callers(argument, marks, default_name), str(dtype), buffer.get_shape())


def _check_extents(entry: func.FuncOp, kind: str, specs: Sequence[TensorSpec]) -> None:
    """Raises: UserError if what should hold an extent of an output, or of an input, does not."""
    for number, spec in enumerate(specs):
        if spec.extents and len(spec.extents) != len(spec.shape):
            raise error_at(
                entry,
                f"'{EXTENTS}' of {kind} {number} has {len(spec.extents)} numbers; required: one for each of its "
                f"{len(spec.shape)} dims",
            )
        for place in spec.extents:
            holder = specs[place] if 0 <= place < len(specs) else None
            if place != -1 and (holder is None or (holder.dtype, holder.shape) != ("int64", ())):
                raise error_at(
                    entry,
                    f"'{EXTENTS}' of {kind} {number} says that {kind} {place} holds an extent; required: the number of "
                    f"an {kind} that is one i64, or -1",
                )


def _buffer(entry: func.FuncOp, argument: BlockArgument) -> MemRef:
    kind = argument.type
    if not isinstance(kind, MemRefType):
        raise error_at(entry, f"argument {argument.index} of a model is a tensor or a buffer, found {kind}")
    return cast(MemRef, kind)
