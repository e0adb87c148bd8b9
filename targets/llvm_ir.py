"""LLVM IR text of a module of the llvm dialect.

`units` cuts a module into modules of one function each, so that kernels compile side by side, equal ones once, and each
is cached by its text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation

from mlc.support.errors import CompilerBug
from mlc.support.functions import ALIGNMENT, clang_level, llvm_attributes
from mlc.support.locations import location_of
from mlc.targets import llvm_ir_memory, llvm_ir_ops
from mlc.targets.llvm_ir_debug import DebugInfo
from mlc.targets.llvm_ir_function import EMITTERS, FunctionText, ModuleText, quote_symbol
from mlc.targets.llvm_ir_literals import STAGE, array_bytes, spell_bytes, spell_type
from mlc.targets.machine import Machine
from mlc.targets.program import Kernel, KernelParts

_REGISTERED = llvm_ir_memory, llvm_ir_ops
"""Imported for the emitters that they register."""

_PLACEHOLDER = "mlc_kernel"


def emit_module(module: ModuleOp, machine: Machine) -> str:
    """All functions of `module` in one text."""
    symbols = _symbol_table(module)
    text = ModuleText(quote_symbol)
    bodies: list[str] = []
    for name, op in symbols.items():
        if isinstance(op, llvm.FuncOp) and op.body.blocks:
            bodies.append(_define(op, text))
        else:
            text.declarations[quote_symbol(name)] = _declare(op, quote_symbol(name))
    return _assemble(text, bodies, machine)


def emit_kernels(
    module: ModuleOp, machine: Machine, debug: bool = False, compiled: Mapping[str, Sequence[Kernel]] | None = None
) -> Iterator[Kernel]:
    """Every function with a body as a module of its own, callees before their callers; with `debug`, instructions say
    where they are from. Functions of `compiled` are declared, and their kernels, the last of which they are, known.

    Kernels (the functions that are `weak_odr`) are named `mlc_kernel_<name>_<hash>` after the hash of their text and,
    if they have one, of clang's level for them: equal kernels of several models are one at link time, and of two equal
    kernels of this module only the first is yielded.
    """
    table = _symbol_table(module)
    final: dict[str, str] = {}
    by_text: dict[tuple[str, int | None], str] = {}
    ready: list[Kernel] = []

    def resolve(name: str) -> str:
        op = table.get(name)
        if isinstance(op, llvm.FuncOp) and op.body.blocks and name not in final:
            compile_unit(name, op)
        elif compiled and name in compiled and name not in final:
            final[name] = compiled[name][-1].name
            ready.extend(compiled[name])
        return final.get(name, name)

    def compile_unit(name: str, func: llvm.FuncOp) -> None:
        is_kernel = func.linkage.linkage.data == "weak_odr"
        final[name] = _PLACEHOLDER if is_kernel else name
        (text, parts), level = _emit_alone(func, table, machine, resolve, debug), clang_level(func)
        if not is_kernel:
            ready.append(Kernel(name, text, level, function=name))
            return
        kernel = _named(Kernel(_PLACEHOLDER, text, level, parts, name))
        final[name] = by_text.setdefault((text, level), kernel.name)
        if final[name] == kernel.name:
            ready.append(kernel)

    for name in table:
        resolve(name)
        yield from ready
        ready.clear()


def _named(kernel: Kernel) -> Kernel:
    """A kernel that is called `_PLACEHOLDER`, with its own name."""
    level = "" if kernel.opt_level is None else kernel.opt_level
    name = f"{_PLACEHOLDER}_{kernel.function}_{hashlib.sha256(f'{kernel.text}{level}'.encode()).hexdigest()[:12]}"
    return _called(kernel, name)


def _called(kernel: Kernel, name: str) -> Kernel:
    here, there = f"{quote_symbol(kernel.name)}(", f"{quote_symbol(name)}("
    parts = kernel.parts
    if parts is not None:
        parts = replace(parts, definition=parts.definition.replace(here, there))
    return replace(kernel, name=name, text=kernel.text.replace(here, there), parts=parts)


def renamed_kernels(kernels: Sequence[Kernel], old: str, new: str) -> tuple[Kernel, ...]:
    """What `emit_kernels` gives, callees before their callers, had functions another name.

    Args:
        old: how the names of the functions start, a name that occurs nowhere else.
        new: how they start in the result.
    """
    names: dict[str, str] = {}
    found: list[Kernel] = []
    for kernel in kernels:
        made = _called(replace(kernel, function=kernel.function.replace(old, new)), _PLACEHOLDER)
        for before, after in names.items():  # a kernel that names others has no parts
            made = replace(made, text=made.text.replace(before, after))
        found.append(_named(made))
        names[kernel.name] = found[-1].name
    return tuple(found)


def _symbol_table(module: ModuleOp) -> dict[str, Operation]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, llvm.FuncOp | llvm.GlobalOp)}


def _emit_alone(
    func: llvm.FuncOp, table: Mapping[str, Operation], machine: Machine, rename: Callable[[str], str], debug: bool
) -> tuple[str, KernelParts | None]:
    """The text of a module with one function, and its parts, if others may stand beside it in a module."""

    def symbol(name: str) -> str:
        spelling = quote_symbol(rename(name))
        if name not in table:
            raise CompilerBug(f"'{func.sym_name.data}' uses the unknown symbol '{name}'", STAGE)
        if table[name] is not func and spelling not in text.declarations:
            text.declarations[spelling] = _declare(table[name], spelling)
            others.append(spelling)
        return spelling

    others: list[str] = []
    text = ModuleText(symbol)
    if debug:
        text.debug = DebugInfo(text.metadata)
    definition = _define(func, text)
    # Another text may define what is declared here, call constants the same, and number its metadata from 0.
    is_alone = not others and not text.metadata
    parts = KernelParts(tuple(text.declarations.values()), definition, _end(text, machine)) if is_alone else None
    return _assemble(text, [definition], machine), parts


def _assemble(text: ModuleText, bodies: list[str], machine: Machine) -> str:
    return "\n".join([*text.declarations.values(), "", *bodies, _end(text, machine)])


def _end(text: ModuleText, machine: Machine) -> str:
    """The attributes of the target, with those that functions have beside them, and metadata."""
    groups = [
        f"attributes #{n} = {{ nounwind {' '.join(map(_spelled, (machine.function_attributes | own).items()))} }}"
        for n, own in enumerate(text.function_attributes)
    ]
    named = text.debug.named() if text.debug is not None else []
    metadata = [f"!{n} = {node}" for n, node in enumerate(text.metadata)]
    return "\n".join([*groups, *named, *metadata, ""])


_BARE = frozenset(("alwaysinline", "cold", "hot", "minsize", "noinline", "optsize"))
"""What is not a string attribute of LLVM where it stands without a value."""


def _spelled(attribute: tuple[str, str | None]) -> str:
    name, value = attribute
    return name if name in _BARE and value is None else f'"{name}"' if value is None else f'"{name}"="{value}"'


def _define(func: llvm.FuncOp, text: ModuleText) -> str:
    function = FunctionText(text)
    blocks = tuple(func.body.blocks)
    arguments = [
        " ".join((function.type(a.type), *attributes, function.number(a)))
        for a, attributes in zip(blocks[0].args, _argument_attributes(func), strict=True)
    ]
    symbol, node = text.symbol(func.sym_name.data), ""
    if text.debug is not None:
        place = location_of(func)
        subprogram = text.debug.subprogram(func)
        function.placed_in(subprogram, place.file if place else "")
        node = f" !dbg {subprogram}"
    function.body(blocks, EMITTERS)
    head = " ".join(
        (
            "define",
            *_linkage(func),
            function.type(func.function_type.output),
            f"{symbol}({', '.join(arguments)}) #{text.group(llvm_attributes(func))}{node} {{",
        )
    )
    return "\n".join([head, *function.lines, "}\n"])


def _declare(op: Operation, symbol: str) -> str:
    if isinstance(op, llvm.FuncOp):
        kind = op.function_type
        arguments = [
            " ".join((spell_type(t), *attributes))
            for t, attributes in zip(kind.inputs.data, _argument_attributes(op), strict=True)
        ]
        visibility = [_VISIBILITY[op.visibility_.value.data]] if op.visibility_.value.data else []
        return " ".join(("declare", *visibility, spell_type(kind.output), f"{symbol}({', '.join(arguments)})"))
    assert isinstance(op, llvm.GlobalOp)
    return _global(op, symbol)


def _global(op: llvm.GlobalOp, symbol: str) -> str:
    """A constant: the bytes of a small one, or the promise that somebody else brings those of a resource."""
    alignment = ALIGNMENT if op.alignment is None else op.alignment.value.data
    kind = "global" if op.constant is None else "constant"
    match op.value:
        case None | DenseResourceAttr():
            return f"{symbol} = external hidden {kind} {spell_type(op.global_type)}, align {alignment}"
        case DenseIntOrFPElementsAttr():
            data = array_bytes(cast(DenseIntOrFPElementsAttr[Any], op.value), _elements(op.global_type))
            return f"{symbol} = private unnamed_addr {kind} [{len(data)} x i8] {spell_bytes(data)}, align {alignment}"
        case _:
            raise CompilerBug(f"'{op.sym_name.data}' has a value that LLVM IR cannot hold: {op.value}", STAGE)


def _elements(kind: Attribute) -> int:
    if isinstance(kind, llvm.LLVMArrayType):
        return kind.size.data * _elements(kind.type)
    return 1


_VISIBILITY = ("default", "hidden", "protected")


def _linkage(func: llvm.FuncOp) -> Iterator[str]:
    linkage = func.linkage.linkage.data
    if linkage != "external":
        yield linkage
    if func.visibility_.value.data:
        yield _VISIBILITY[func.visibility_.value.data]


def _argument_attributes(func: llvm.FuncOp) -> list[list[str]]:
    """Per argument, what `arg_attrs` say in LLVM's words: `llvm.noalias` is `noalias`, `llvm.align = 8` `align 8`."""
    if func.arg_attrs is None:
        return [[] for _ in func.function_type.inputs.data]
    return [
        [
            key.removeprefix("llvm.") if isinstance(value, UnitAttr) else _valued(key.removeprefix("llvm."), value)
            for key, value in attributes.data.items()
            if key.startswith("llvm.")
        ]
        for attributes in func.arg_attrs.data
    ]


def _valued(name: str, value: Attribute) -> str:
    assert isinstance(value, IntegerAttr)
    number = value.value.data
    return f"align {number}" if name == "align" else f"{name}({number})"
