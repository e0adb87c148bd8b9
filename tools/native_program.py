"""One program that runs all functions of a module, models and kernels alike, each on inputs of its own.

A driver at the llvm level calls them one after the other; its inputs and outputs are theirs, in a row. For the
architecture of this machine the program is a shared library that another process loads, so that code which crashes
takes no compiler with it; for another one it is an executable under an emulator.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.compiler.backend import LoweredModel
from mlc.compiler.codegen import program_of
from mlc.reference.interpreter import interface_of
from mlc.support.dtypes import dtype_named, to_numpy
from mlc.support.errors import CompilerBug, UserError
from mlc.support.functions import is_private, passed_arguments
from mlc.support.resources import Resources
from mlc.support.types import MemRef, Tensor, memref_type
from mlc.targets import host
from mlc.targets.build import build
from mlc.targets.glue import byte_size
from mlc.targets.machine import Machine
from mlc.targets.program import Program, Signature, TensorSpec
from mlc.targets.toolchain import find_emulator

Array = NDArray[Any]

STAGE = "native code"
_POINTER = llvm.LLVMPointerType()
_RUNNER = Path(__file__).with_name("native_runner.py")
_UNWRITTEN = 0xFF
"""What the reference fills buffers with before it runs a function (`mlc.reference.memory`)."""


@dataclass(frozen=True)
class NativeFunction:
    """How the llvm-level form of a function is called."""

    name: str
    is_model: bool
    """Whether it takes its buffers in arrays of addresses, and not one by one."""
    roles: tuple[Literal["input", "output", "workspace"], ...]
    """What each argument of the loop-level form is."""
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    workspace_bytes: int

    @property
    def symbol(self) -> str:
        """Its name at the llvm level."""
        return f"mlc_{self.name}" if self.is_model else self.name


def native_function(function: FuncOp) -> NativeFunction:
    """How `function`, which is at the loop level and takes and gives static buffers only, is called after lowering."""
    signature = interface_of(function)
    assert signature is not None
    arguments = passed_arguments(function)
    workspaces = [memref_type(each.value).get_shape()[0] for each in arguments if each.role == "workspace"]
    inputs, outputs = _specs("input", signature.inputs), _specs("output", signature.outputs)
    name, is_model = function.sym_name.data, not is_private(function)
    return NativeFunction(name, is_model, tuple(each.role for each in arguments), inputs, outputs, sum(workspaces))


def _specs(prefix: str, types: Sequence[Tensor | MemRef]) -> tuple[TensorSpec, ...]:
    return tuple(
        TensorSpec(f"{prefix}{i}", str(to_numpy(t.element_type)), tuple(t.get_shape())) for i, t in enumerate(types)
    )


def program_of_all(
    module: ModuleOp, functions: Sequence[NativeFunction], resources: Resources, machine: Machine, threads: int
) -> Program:
    """The program that calls `functions` of a module at the llvm level, which stays as it is, in the given order."""
    module = module.clone()
    symbols = {op.sym_name.data for op in module.ops if isinstance(op, llvm.FuncOp | llvm.GlobalOp)}
    signature = Signature(
        "driver",
        tuple(spec for f in functions for spec in f.inputs),
        tuple(spec for f in functions for spec in f.outputs),
        max((f.workspace_bytes for f in functions), default=0),
        "",
    )
    while signature.symbol in symbols:
        signature = replace(signature, name=f"{signature.name}_")
    if "memset" not in symbols:
        kind = llvm.LLVMFunctionType([_POINTER, i32, i64], _POINTER)
        module.body.block.add_op(llvm.FuncOp("memset", kind, llvm.LinkageAttr("external")))
    module.body.block.add_op(_driver(signature.symbol, functions))
    return program_of(LoweredModel(module, signature, resources), machine, threads)


def _driver(symbol: str, functions: Sequence[NativeFunction]) -> llvm.FuncOp:
    block = Block(arg_types=[_POINTER] * 3)
    inputs, outputs, workspace = block.args

    def add(op: Operation) -> SSAValue:
        block.add_op(op)
        return op.results[0]

    def constant(value: int, kind: IntegerType) -> SSAValue:
        return add(llvm.ConstantOp(IntegerAttr(value, kind), kind))

    def slot(table: SSAValue, index: int) -> SSAValue:
        return add(llvm.GEPOp(table, [index], _POINTER))

    first_input, first_output = 0, 0
    for function in functions:
        for i, spec in enumerate(function.outputs, first_output):
            buffer = add(llvm.LoadOp(slot(outputs, i), _POINTER))
            fill = (constant(_UNWRITTEN, i32), constant(byte_size(spec), i64))
            add(llvm.CallOp("memset", buffer, *fill, return_type=_POINTER))
        if function.is_model:
            tables = slot(inputs, first_input), slot(outputs, first_output), workspace
            add(llvm.CallOp(function.symbol, *tables, return_type=i32))
        else:
            slots = {
                "input": (slot(inputs, i) for i in range(first_input, first_input + len(function.inputs))),
                "output": (slot(outputs, i) for i in range(first_output, first_output + len(function.outputs))),
            }
            arguments = [
                workspace if role == "workspace" else add(llvm.LoadOp(next(slots[role]), _POINTER))
                for role in function.roles
            ]
            block.add_op(llvm.CallOp(function.symbol, *arguments))
        first_input += len(function.inputs)
        first_output += len(function.outputs)
    block.add_op(llvm.ReturnOp(constant(0, i32)))
    kind = llvm.LLVMFunctionType([_POINTER] * 3, i32)
    return llvm.FuncOp(symbol, kind, llvm.LinkageAttr("external"), body=Region(block))


def require_runnable(machine: Machine) -> None:
    """Raises: UserError if this machine cannot run code for `machine`, not even in an emulator."""
    if machine.arch != host.architecture():
        if find_emulator(machine.arch) is None:
            raise UserError(
                f"it is for {machine.arch}, and there is no qemu-{machine.arch} to run it here "
                "(apt install qemu-user-static)"
            )
        return
    if missing := host.missing_flags(machine.required_cpu_flags):
        raise UserError(f"it is for {machine.name} and needs {', '.join(missing)}, which this CPU does not have")


def run_program(
    program: Program, machine: Machine, inputs: Sequence[Array], folder: Path, cc: str | None
) -> list[Array]:
    """The outputs of `program`, which is built in `folder`.

    Raises:
        UserError: there is no usable clang, or the emulator does not know the instructions.
        CompilerBug: clang refuses the code, or the code crashes.
    """
    signature = program.signature
    emulator = None if machine.arch == host.architecture() else find_emulator(machine.arch)
    path = folder / "functions"
    build(program, machine, "exe" if emulator else "shared", path, cc=cc)
    sizes = [",".join(str(byte_size(spec)) for spec in side) for side in (signature.inputs, signature.outputs)]
    runner = [sys.executable, "-I", "-S", str(_RUNNER), str(path), signature.symbol, str(signature.workspace_bytes)]
    command = [emulator, str(path)] if emulator else [*runner, *sizes]
    done = subprocess.run(command, input=b"".join(a.tobytes() for a in inputs), capture_output=True, check=False)
    if emulator and -done.returncode == signal.SIGILL:
        raise UserError(f"{emulator} does not run the instructions of {machine.name}")
    if done.returncode != 0:
        raise CompilerBug(f"{STAGE} ended with {_ending(done.returncode)}", STAGE, done.stderr.decode(errors="replace"))
    return list(_split(done.stdout, signature.outputs))


def _ending(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"status {status}"


def _split(data: bytes, specs: Sequence[TensorSpec]) -> Iterator[Array]:
    start = 0
    for spec in specs:
        end = start + byte_size(spec)
        raw = np.frombuffer(data[start:end], np.uint8)
        # A byte that nobody has written reads as true.
        yield np.reshape(raw != 0 if spec.dtype == "bool" else raw.view(dtype_named(spec.dtype)), spec.shape)
        start = end
