"""From a lowered module to what the toolchain builds: the model's signature, one unit per function, the weights."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import cast

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import DenseResourceAttr, MemRefType, ModuleOp
from xdsl.ir import BlockArgument

from mlc.support.dtypes import to_numpy
from mlc.support.errors import UserError
from mlc.support.locations import error_at
from mlc.support.resources import Resources
from mlc.support.types import MemRef
from mlc.targets.llvm_ir import units
from mlc.targets.machine import Machine
from mlc.targets.program import Kernel, Program, Signature, TensorSpec, Weight

_OUTPUT, _WORKSPACE = "mlc.output", "mlc.workspace"


def signature_of(module: ModuleOp) -> Signature:
    """The signature of the model in a module at the loop level: its one public function.

    Arguments are named by their SSA names; a workspace argument gives the size of the workspace.

    Raises:
        UserError: there is no public function with a body, or more than one, or an argument is no buffer.
    """
    entries = [op for op in module.ops if isinstance(op, func.FuncOp) and _is_public(op) and not op.is_declaration]
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
    return _signature(entries[0])


def program_of(
    module: ModuleOp, signature: Signature, resources: Resources, machine: Machine, threads: int = 1
) -> Program:
    """The program of a module at the llvm level, whose loops may run on `threads` threads."""
    kernels: list[Kernel] = []
    entry: Kernel | None = None
    for unit in units(module, machine):
        if unit.name == signature.symbol:
            entry = Kernel(unit.name, unit.text)
        else:
            kernels.append(Kernel(unit.name, unit.text))
    if entry is None:
        raise UserError(f"the module has no function @{signature.symbol}: it is not the result of lower-to-llvm")
    return Program(kernels, entry, signature, list(_weights(module, resources)), threads)


def _weights(module: ModuleOp, resources: Resources) -> Iterator[Weight]:
    for op in module.ops:
        if isinstance(op, llvm.GlobalOp) and isinstance(op.value, DenseResourceAttr):
            yield Weight(op.sym_name.data, resources.array(op.value.resource_handle.data))


def _signature(entry: func.FuncOp) -> Signature:
    inputs: list[TensorSpec] = []
    outputs: list[TensorSpec] = []
    workspace = 0
    for argument in entry.args:
        marks = entry.arg_attrs.data[argument.index].data if entry.arg_attrs else ()
        if _WORKSPACE in marks:
            workspace = _buffer(entry, argument).get_shape()[0]
        elif _OUTPUT in marks:
            outputs.append(_spec(entry, argument, f"output{len(outputs)}"))
        else:
            inputs.append(_spec(entry, argument, f"input{len(inputs)}"))
    name = entry.sym_name.data
    return Signature(name, tuple(inputs), tuple(outputs), workspace, version("mlc"))


def _spec(entry: func.FuncOp, argument: BlockArgument, default_name: str) -> TensorSpec:
    buffer = _buffer(entry, argument)
    try:
        dtype = to_numpy(buffer.element_type)
    except KeyError:
        raise error_at(entry, f"a model cannot take or give elements of type {buffer.element_type}") from None
    return TensorSpec(argument.name_hint or default_name, str(dtype), buffer.get_shape())


def _buffer(entry: func.FuncOp, argument: BlockArgument) -> MemRef:
    kind = argument.type
    if not isinstance(kind, MemRefType):
        raise error_at(entry, f"argument {argument.index} of a model is a tensor or a buffer, found {kind}")
    return cast(MemRef, kind)


def _is_public(function: func.FuncOp) -> bool:
    return function.sym_visibility is None or function.sym_visibility.data == "public"
