"""A backend of somebody else: a model becomes one file of C, which any C compiler takes.

Its machine has addresses of 32 bits, no vectors, and a local memory of a kilobyte in which kernels keep small buffers.
"""

from __future__ import annotations

import ctypes
import json
import math as python_math
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.rewriter import Rewriter

from mlc.architectures.architecture import Architecture, Cpu, MemorySpace
from mlc.compiler.backend import Backend, LoweredModel
from mlc.compiler.options import CompileOptions
from mlc.dialects import loop
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline import PIPELINE
from mlc.pass_manager.stage import Stage
from mlc.runtime.library import Library, model_info
from mlc.support.context import CompilerContext
from mlc.support.dtypes import to_numpy
from mlc.support.functions import OUTPUT, WORKSPACE, is_private, marks_of
from mlc.support.locations import error_at
from mlc.support.types import memref_type
from mlc.targets.build import BuildReport
from mlc.targets.cache import Cache
from mlc.targets.machine import Machine, resolve_target
from mlc.targets.output import staged_output

_TYPES = {f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)} | {
    "i1": "uint8_t",
    "index": "int32_t",
    "f32": "float",
    "f64": "double",
}
_KEPT = {"fold-empty", "canonicalize", "fold-constants", "cse", "dce", "fuse", "collapse-dims", "unify-dims"}
"""The passes of the graph and the tensor level that make sense for every machine, besides the conversions."""

_EXPRESSIONS = {
    "arith.addf": "{0} + {1}",
    "arith.subf": "{0} - {1}",
    "arith.mulf": "{0} * {1}",
    "arith.divf": "{0} / {1}",
    "arith.negf": "-{0}",
    "arith.addi": "{0} + {1}",
    "arith.subi": "{0} - {1}",
    "arith.muli": "{0} * {1}",
    "arith.andi": "{0} & {1}",
    "arith.ori": "{0} | {1}",
    "arith.xori": "{0} ^ {1}",
    "arith.divui": "{0} / {1}",
    "arith.remui": "{0} % {1}",
    "arith.select": "{0} ? {1} : {2}",
    "arith.maximumf": "{0} != {0} || {0} > {1} ? {0} : {1}",
    "arith.maxnumf": "fmax({0}, {1})",
    "arith.minnumf": "fmin({0}, {1})",
    "arith.minimumf": "{0} != {0} || {0} < {1} ? {0} : {1}",
    "math.fma": "{0} * {1} + {2}",
    **{f"arith.{name}": "{0}" for name in ("index_cast", "extsi", "extui", "trunci", "sitofp", "extf", "truncf")},
    **{f"math.{name}": f"{name}({{0}})" for name in ("exp", "log", "tanh", "sqrt", "erf", "sin", "cos")},
    "math.absf": "fabs({0})",
    "math.rsqrt": "1 / sqrt({0})",
    "math.powf": "pow({0}, {1})",
}
_INTEGERS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FLOATS = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 6: "!=", 8: "==", 9: ">", 10: ">=", 11: "<", 12: "<=", 13: "!="}
_SYMBOLS = {
    AffineBinaryOpKind.Add: "+",
    AffineBinaryOpKind.Mul: "*",
    AffineBinaryOpKind.FloorDiv: "/",
    AffineBinaryOpKind.Mod: "%",
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
        space = resolve_target(ctx.target).memory_space("local")
        for function in [op for op in module.ops if isinstance(op, func.FuncOp)] if space else []:
            left = space.bytes if space else 0
            for op in [op for op in function.walk() if isinstance(op, memref.AllocOp)]:
                kind = memref_type(op.memref)
                size = to_numpy(kind.element_type).itemsize * prod(kind.get_shape())
                touched = (use.operation for use in op.memref.uses)
                if size <= left and all(isinstance(user, loop.LoadOp | loop.StoreOp) for user in touched):
                    left -= size
                    new = MemRefType(kind.element_type, kind.get_shape(), memory_space=StringAttr("local"))
                    Rewriter.replace_value_with_new_type(op.memref, new)


class CText(Backend):
    """C as text, and libraries that `cc` makes of it."""

    name = "c-text"
    stages = (
        *(s for s in PIPELINE if s.level in ("graph", "tensor") and (s.since == 0 or s.passes in _KEPT)),
        *(s for s in PIPELINE if s.passes in ("convert-tensor-to-loop", "convert-scf-to-loop")),
        Stage("loop", "use-local-memory", 1, "small buffers of a kernel are near"),
        *(s for s in PIPELINE if s.passes == "plan-memory"),
    )
    forms: ClassVar = {".c": "c", ".so": "shared"}
    texts = frozenset({"c"})
    runnable = "shared"

    def program(self, model: LoweredModel, machine: Machine, threads: int) -> str:
        description = json.dumps(model.signature.to_json(machine))
        functions = [op for op in model.module.ops if isinstance(op, func.FuncOp)]
        constants: dict[Attribute, str] = {}
        texts = ["\n".join(_Function(f, model, constants).lines) for f in functions]
        symbol = model.signature.symbol
        return "\n".join(
            [
                "#include <stdint.h>\n#include <tgmath.h>\n",
                f"const char *{symbol}_signature(void) {{ return {description}; }}\n",
                *constants.values(),
                *texts,
            ]
        )

    def build(
        self,
        program: str,
        machine: Machine,
        form: str,
        output: Path,
        options: CompileOptions,
        *,
        progress: Callable[[int, int], None] | None = None,
        cache: Cache | None = None,
        confirm: Callable[[], None] = lambda: None,
    ) -> BuildReport:
        start = time.perf_counter()
        confirm()
        with staged_output(output) as staged:
            text = staged if form == "c" else staged.with_name("model.c")
            text.write_text(program, encoding="utf-8")
            if form == "shared":
                flags = ("-std=c11", "-shared", "-fPIC", "-O1", "-ffp-contract=off")
                subprocess.run([options.cc or "cc", *flags, "-o", staged, text, "-lm"], check=True)
        return BuildReport(output, 1, 0, form == "shared", time.perf_counter() - start)

    def open(self, path: Path) -> Sequence[Library]:
        library = ctypes.CDLL(str(path.absolute()))
        library.mlc_main_signature.restype = ctypes.c_char_p
        library.mlc_main.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        return [Library(path, model_info(json.loads(library.mlc_main_signature())), library.mlc_main)]


class _Function:
    """The C of one function."""

    def __init__(self, function: func.FuncOp, model: LoweredModel, constants: dict[Attribute, str]) -> None:
        self.lines: list[str] = []
        self._names: dict[SSAValue, str] = {}
        self._model, self._constants = model, constants
        if is_private(function):
            arguments = ", ".join(f"{_pointer(a.type)}{self._name(a)}" for a in function.args)
            self.lines.append(f"static void {function.sym_name.data}({arguments}) {{")
        else:
            self.lines.append(f"int32_t mlc_{function.sym_name.data}(void **in, void **out, void *workspace) {{")
            counts = {"in": 0, "out": 0}
            for argument, marks in zip(function.args, marks_of(function.args, function.arg_attrs), strict=True):
                table = "out" if OUTPUT in marks else "in"
                source = "workspace" if WORKSPACE in marks else f"{table}[{counts[table]}]"
                counts[table] += WORKSPACE not in marks
                self.lines.append(f"{_pointer(argument.type)}{self._name(argument)} = {source};")
        self._block(function.body.blocks[0])
        self.lines.append("}\n" if is_private(function) else "return 0; }\n")

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self.lines += self._op(op)

    def _op(self, op: Operation) -> Iterator[str]:
        match op:
            case loop.ForOp():
                yield from self._loop(op)
            case loop.LoadOp():
                yield self._define(op, f"{self._name(op.memref)}[{self._place(op)}]")
            case loop.StoreOp():
                yield f"{self._name(op.memref)}[{self._place(op)}] = {self._name(op.value)};"
            case loop.ConstantOp():
                yield f"{_pointer(op.result.type)}{self._name(op.result)} = (void *){self._constant(op)};"
            case memref.AllocOp():  # in local memory, for plan-memory has placed all others
                kind = memref_type(op.memref)
                yield f"{_c_type(kind.element_type)} {self._name(op.memref)}[{prod(kind.get_shape())}];"
            case memref.ViewOp():
                start = f"(char *){self._name(op.source)} + {self._name(op.byte_shift)}"
                yield f"{_pointer(op.result.type)}{self._name(op.result)} = (void *)({start});"
            case memref.ReinterpretCastOp() | memref.ExpandShapeOp() | memref.CollapseShapeOp() | memref.CastOp():
                self._names[op.results[0]] = self._name(op.operands[0])
            case func.CallOp():
                yield f"{op.callee.string_value()}({', '.join(map(self._name, op.operands))});"
            case arith.ConstantOp():
                yield self._define(op, _number(op.value))
            case func.ReturnOp():
                pass
            case _:
                yield self._define(op, self._expression(op))

    def _expression(self, op: Operation) -> str:
        operands = [self._name(value) for value in op.operands]
        if op.name in ("arith.cmpi", "arith.cmpf"):
            number = cast("IntegerAttr[Any]", op.properties["predicate"]).value.data
            symbol = _INTEGERS[number] if op.name == "arith.cmpi" else _FLOATS[number]
            return f"{operands[0]} {symbol} {operands[1]}"
        if op.name not in _EXPRESSIONS:
            raise error_at(op, f"the backend 'c-text' has no C for '{op.name}'")
        return _EXPRESSIONS[op.name].format(*operands)

    def _loop(self, op: loop.ForOp) -> Iterator[str]:
        carried = list(zip(op.body.block.args[1:], op.iter_args, op.results, strict=True))
        for argument, initial, result in carried:
            yield f"{_c_type(argument.type)} {self._name(argument)} = {self._name(initial)};"
            self._names[result] = self._name(argument)
        counter, trips = self._name(op.body.block.args[0]), op.range
        yield f"for (int32_t {counter} = {trips.start}; {counter} < {trips.stop}; {counter} += {trips.step}) {{"
        for inner in op.body.block.ops:
            if not isinstance(inner, loop.YieldOp):
                yield from self._op(inner)
                continue
            for (argument, _, _), value in zip(carried, inner.arguments, strict=True):
                yield f"{_c_type(value.type)} next_{self._name(argument)} = {self._name(value)};"
            yield from (f"{self._name(a)} = next_{self._name(a)};" for a, _, _ in carried)
        yield "}"

    def _place(self, op: loop.LoadOp | loop.StoreOp) -> str:
        place = "0"
        for extent, subscript in zip(memref_type(op.memref).get_shape(), op.map.data.results, strict=True):
            place = f"({place}) * {extent} + {self._affine(subscript, op.indices)}"
        return place

    def _affine(self, expression: AffineExpr, indices: Sequence[SSAValue]) -> str:
        match expression:
            case AffineConstantExpr():
                return str(expression.value)
            case AffineDimExpr():
                return self._name(indices[expression.position])
            case AffineBinaryOpExpr():
                sides = [self._affine(each, indices) for each in (expression.lhs, expression.rhs)]
                return f"({sides[0]} {_SYMBOLS[expression.kind]} {sides[1]})"
            case _:
                raise ValueError(f"{expression} has symbols")

    def _constant(self, op: loop.ConstantOp) -> str:
        name = f"constant_{len(self._constants)}"
        value = op.value
        if value not in self._constants:
            kind = memref_type(op.result).element_type
            if isinstance(value, DenseResourceAttr):
                array = self._model.resources.array(value.resource_handle.data)
            else:
                array = np.asarray(cast(Any, value).get_values(), to_numpy(kind))
            spread = np.broadcast_to(array.reshape(-1), (prod(memref_type(op.result).get_shape()),))
            numbers = ", ".join(_literal(each) for each in spread.tolist())
            self._constants[value] = f"static const {_c_type(kind)} {name}[] = {{{numbers}}};"
        return f"constant_{list(self._constants).index(value)}"

    def _define(self, op: Operation, expression: str) -> str:
        return f"{_c_type(op.results[0].type)} {self._name(op.results[0])} = {expression};"

    def _name(self, value: SSAValue) -> str:
        return self._names.setdefault(value, f"v{len(self._names)}")


def _pointer(kind: Attribute) -> str:
    return f"{_c_type(cast('MemRefType[Any]', kind).element_type)} *"


def _c_type(kind: Attribute) -> str:
    return _TYPES[str(kind)]


def _number(value: Attribute) -> str:
    assert isinstance(value, IntegerAttr | FloatAttr) and not isinstance(value, NoneAttr)
    return _literal(cast(Any, value).value.data)


def _literal(number: float) -> str:
    if isinstance(number, int) or python_math.isfinite(number):
        return float(number).hex() if isinstance(number, float) else str(int(number))
    return "NAN" if number != number else "INFINITY" if number > 0 else "-INFINITY"
