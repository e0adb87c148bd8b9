"""A backend of somebody else: a model becomes one file of C, which any C compiler takes.

Its machine has addresses of 32 bits, no vectors, and a local memory of a kilobyte in which kernels keep small buffers.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, ClassVar, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.architectures.architecture import Architecture, Cpu, MemorySpace
from mlc.compiler.backend import LoweredModel
from mlc.compiler.options import CompileOptions
from mlc.compiler.simple_backend import SimpleBackend
from mlc.dialects import loop
from mlc.dialects.affine_syntax import print_affine_expr
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline import PIPELINE, TO_PLAIN_LOOPS
from mlc.pass_manager.stage import Stage
from mlc.reference.constants import constant_data
from mlc.support.context import CompilerContext
from mlc.support.dtypes import bytes_of
from mlc.support.functions import is_private, passed_arguments
from mlc.support.locations import error_at
from mlc.support.types import memref_type
from mlc.targets.machine import Machine

_DEFINED = {"inf": "INFINITY", "nan": "NAN", "True": "1", "False": "0"}
_HEAD = "#include <stdint.h>\n#include <tgmath.h>\n" + "".join(f"#define {n} {v}\n" for n, v in _DEFINED.items())
_TYPES = {"i1": "uint8_t", "i8": "int8_t", "i32": "int32_t", "i64": "int64_t", "index": "int32_t", "f32": "float"}
_INFIX = {"addf": "+", "subf": "-", "mulf": "*", "divf": "/", "addi": "+", "subi": "-", "muli": "*", "andi": "&"}
_PREDICATES = {
    "arith.cmpi": ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="),
    "arith.cmpf": ("", "==", ">", ">=", "<", "<=", "!=", "", "==", ">", ">=", "<", "<=", "!="),
}
_EXPRESSIONS = {
    **{f"arith.{name}": f"{{0}} {symbol} {{1}}" for name, symbol in _INFIX.items()},
    **{f"arith.{name}": "{0}" for name in ("index_cast", "extsi", "extui", "trunci", "sitofp", "extf", "truncf")},
    **{f"math.{name}": f"{name}({{0}})" for name in ("exp", "log", "tanh", "sqrt", "erf")},
    "arith.select": "{0} ? {1} : {2}",
    "arith.maximumf": "{0} != {0} || {0} > {1} ? {0} : {1}",
    "arith.maxnumf": "fmax({0}, {1})",
    "math.fma": "{0} * {1} + {2}",
}


class CMachine(Architecture):
    """What a C compiler without options gives."""

    name = "c"
    backend = "c-text"
    index_bits = 32
    memory_spaces = (MemorySpace("local", 1024),)
    cpus = (Cpu("c", "c", (), (), 32, 16, 1),)


@dataclass(frozen=True)
class UseLocalMemory(Pass):
    """Put buffers of kernels that only loads and stores touch into the local memory, as long as they fit."""

    name = "use-local-memory"
    ir_level: ClassVar[str | None] = "loop"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        (space,) = CMachine.memory_spaces
        for function in [op for op in module.ops if isinstance(op, func.FuncOp)]:
            left = space.bytes
            for op in [op for op in function.walk() if isinstance(op, memref.AllocOp)]:
                touched = all(isinstance(use.operation, loop.LoadOp | loop.StoreOp) for use in op.memref.uses)
                if touched and bytes_of(op.memref) <= left:
                    left -= bytes_of(op.memref)
                    old = memref_type(op.memref)
                    new = MemRefType(old.element_type, old.shape, memory_space=StringAttr(space.name))
                    Rewriter.replace_value_with_new_type(op.memref, new)


class CText(SimpleBackend):
    """C as text, and libraries that `cc` makes of it."""

    name = "c-text"
    stages = (
        *TO_PLAIN_LOOPS,
        Stage("loop", "use-local-memory", 1, "small buffers of a kernel are near"),
        *(s for s in PIPELINE if s.passes == "plan-memory"),
    )
    forms: ClassVar = {".c": "c", ".so": "shared"}
    texts = frozenset({"c"})
    runnable = "shared"

    def program(self, model: LoweredModel, machine: Machine, threads: int) -> str:
        described = json.dumps(model.signature.to_json(machine))
        lines = [_HEAD, f"const char *{model.signature.symbol}_signature(void) {{ return {described}; }}\n"]
        constants: dict[Attribute, str] = {}
        for op in [op for op in model.module.walk() if isinstance(op, loop.ConstantOp)]:
            if op.value not in constants:
                name = constants[op.value] = f"constant_{len(constants)}"
                numbers = ", ".join(map(repr, constant_data(op.value, model.resources).reshape(-1).tolist()))
                lines.append(f"static const {_element(op.result)} {name}[] = {{{numbers}}};")
        for function in [op for op in model.module.ops if isinstance(op, func.FuncOp)]:
            lines += _Function(constants).lines(function)
        return "\n".join(lines)

    def write(self, program: str, form: str, file: Path, options: CompileOptions) -> None:
        text = file if form == "c" else file.with_name("model.c")
        text.write_text(program, encoding="utf-8")
        if form == "shared":
            subprocess.run([options.cc or "cc", "-shared", "-fPIC", "-O1", "-o", file, text, "-lm"], check=True)


@dataclass(frozen=True)
class _Function:
    """The C of one function."""

    constants: dict[Attribute, str]
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])

    def lines(self, function: func.FuncOp) -> Iterator[str]:
        if is_private(function):
            arguments = ", ".join(f"{_element(a)} *{self._name(a)}" for a in function.args)
            yield f"static void {function.sym_name.data}({arguments}) {{"
        else:
            yield f"int32_t mlc_{function.sym_name.data}(void **input, void **output, void *workspace) {{"
            for each in passed_arguments(function):
                place = "" if each.role == "workspace" else f"[{each.number}]"
                yield self._define(each.value, f"{each.role}{place}")
        yield from self._body(function.body.block)
        yield "}\n" if is_private(function) else "return 0;\n}\n"

    def _body(self, block: Block) -> Iterator[str]:
        for op in list(block.ops)[:-1]:
            yield from self._op(op)

    def _op(self, op: Operation) -> Iterator[str]:
        operands = [self._name(value) for value in op.operands]
        match op:
            case loop.ForOp():
                yield from self._loop(op)
            case loop.LoadOp():
                yield self._define(op.results[0], self._element_of(op))
            case loop.StoreOp():
                yield f"{self._element_of(op)} = {self._name(op.value)};"
            case loop.ConstantOp():
                yield self._define(op.result, self.constants[op.value])
            case memref.AllocOp():  # in local memory, for plan-memory has placed all others
                yield f"{_element(op.memref)} {self._name(op.memref)}[{prod(memref_type(op.memref).get_shape())}];"
            case memref.ViewOp():
                yield self._define(op.result, f"((char *){operands[0]} + {operands[1]})")
            case memref.ReinterpretCastOp() | memref.ExpandShapeOp() | memref.CollapseShapeOp() | memref.CastOp():
                self.names[op.results[0]] = operands[0]
            case func.CallOp():
                yield f"{op.callee.string_value()}({', '.join(operands)});"
            case arith.ConstantOp():
                yield self._define(op.result, repr(cast(Any, op.value).value.data))
            case _ if op.name in _PREDICATES:
                number: int = cast(Any, op).predicate.value.data
                yield self._define(op.results[0], f"{operands[0]} {_PREDICATES[op.name][number]} {operands[1]}")
            case _ if op.name in _EXPRESSIONS:
                yield self._define(op.results[0], _EXPRESSIONS[op.name].format(*operands))
            case _:
                raise error_at(op, f"the backend 'c-text' has no C for '{op.name}'")

    def _loop(self, op: loop.ForOp) -> Iterator[str]:
        for argument, initial, result in zip(op.carried, op.iter_args, op.results, strict=True):
            yield self._define(argument, self._name(initial))
            self.names[result] = self._name(argument)
        counter, trips = self._name(op.induction_variable), op.range
        yield f"for (int32_t {counter} = {trips.start}; {counter} < {trips.stop}; {counter} += {trips.step}) {{"
        yield from self._body(op.body.block)
        for old, new in zip(op.carried, op.yielded, strict=True):
            yield f"{_TYPES[str(new.type)]} next_{self._name(old)} = {self._name(new)};"
        yield from (f"{self._name(old)} = next_{self._name(old)};" for old in op.carried)
        yield "}"

    def _element_of(self, op: loop.LoadOp | loop.StoreOp) -> str:
        number: list[str] = []
        print_affine_expr(op.element, number.append, lambda dim: number.append(self._name(op.indices[dim])))
        return f"{self._name(op.memref)}[{''.join(number).replace('floordiv', '/').replace('mod', '%')}]"

    def _define(self, value: SSAValue, expression: str) -> str:
        if isinstance(value.type, MemRefType):
            return f"{_element(value)} *{self._name(value)} = (void *){expression};"
        return f"{_TYPES[str(value.type)]} {self._name(value)} = {expression};"

    def _name(self, value: SSAValue) -> str:
        return self.names.setdefault(value, f"v{len(self.names)}")


def _element(buffer: SSAValue) -> str:
    return _TYPES[str(memref_type(buffer).element_type)]
