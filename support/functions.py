"""What all levels agree on about functions: who sees them, and what the buffers that they take are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from mlc.support import dtypes
from mlc.support.locations import error_at
from mlc.support.types import MemRef, Tensor

_Shaped = TypeVar("_Shaped", Tensor, MemRef, "Tensor | MemRef")

OUTPUT = "mlc.output"
"""The attribute of an argument that is a buffer for a result."""
WORKSPACE = "mlc.workspace"
"""The attribute of an argument that is the arena for everything between inputs and outputs."""
ONLY_READ = "mlc.only_read"
"""The attribute of an argument of a declaration whose elements the function reads, and does not write."""
UNSIGNED = "mlc.unsigned"
"""The attribute of an argument or a result whose elements, signless integers, are unsigned for the caller."""
CODES = "mlc.stored"
"""The attribute of an argument or a result whose elements, bytes, are codes of the type that it names."""
NAME = "mlc.name"
"""The attribute of an argument or a result that is its name for callers, where the IR could not spell it."""
DIMS = "onnx.dims"
"""The attribute of an argument or a result that names its dims, nothing for those without a name."""
IMAGE_SIZE = "onnx.imgsz"
"""The attribute of a function that has what the metadata of its model says of the size of images, `[640, 640]`."""
EXTENTS = "mlc.extents"
"""The attribute of a result, or of a buffer for one, which is as long in some dims as data says, and no longer than its
type: for each dim the number of the output, one i64, that holds the actual extent, or -1. Of an argument the same, with
the number of the argument that holds it."""
RANGE = "mlc.range"
"""The attribute of an argument that has the least and the greatest value of its elements, `array<i64: 0, 9>`."""
ASCENDING = "mlc.ascending"
"""The attribute of an argument with a range whose elements ascend from the least to the greatest: starts of rows."""
DONATED = "mlc.donated"
"""The attribute of a result, or of a buffer for one, that may lie in the memory of an argument: its number. What
reads the argument reads it before the result is there."""
LATE = "mlc.late"
"""The attribute of a buffer for a result that is filled last, because what lies in its memory is read until then."""
CLANG_LEVEL = "mlc.clang_level"
"""The attribute of a function, at the levels below tensor, that says with which -O level clang compiles it: an i64."""
CLANG_LEVELS = range(4)
"""What it may be."""
PASSTHROUGH = "passthrough"
"""The attribute of a function that has attributes of LLVM beside those of the target, as on an `llvm.func`:
`["cold", ["prefer-vector-width", "128"]]`."""
ALIGNMENT = 64
"""Bytes: what the workspace, what lies in it, and constants are aligned to. A cache line, and the widest vector."""


def seen_by_callers(kind: _Shaped, marks: Mapping[str, Attribute]) -> _Shaped:
    """The type of an argument or a result with these attributes as its caller sees it: unsigned integers are marked,
    and so are types that are only stored."""
    stored = marks.get(CODES)
    if stored in dtypes.STORED and kind.element_type == i8:
        return type(kind)(stored, kind.shape)
    return type(kind)(dtypes.unsigned(kind.element_type), kind.shape) if UNSIGNED in marks else kind


def models_of(module: ModuleOp) -> list[FuncOp]:
    """The functions with a body that callers of the module see."""
    return [op for op in module.ops if isinstance(op, FuncOp) and not is_private(op) and not op.is_declaration]


def marks_of(values: Sequence[SSAValue], said: ArrayAttr[DictionaryAttr] | None) -> list[Mapping[str, Attribute]]:
    """The attributes of a function's arguments or results, one mapping for each of `values`."""
    return [each.data for each in said] if said is not None else [{} for _ in values]


@dataclass(frozen=True)
class PassedArgument:
    """An argument of a function at the loop level, and how its caller passes it."""

    value: BlockArgument
    marks: Mapping[str, Attribute]
    """Its attributes."""
    role: Literal["input", "output", "workspace"]
    number: int
    """Its place among those of its role."""


def passed_arguments(function: FuncOp) -> list[PassedArgument]:
    """The arguments of a function at the loop level, in their order."""
    found: list[PassedArgument] = []
    counts = dict.fromkeys(("input", "output", "workspace"), 0)
    for value, marks in zip(function.args, marks_of(function.args, function.arg_attrs), strict=True):
        role = "workspace" if WORKSPACE in marks else "output" if OUTPUT in marks else "input"
        found.append(PassedArgument(value, marks, role, counts[role]))
        counts[role] += 1
    return found


def clang_level(function: Operation) -> int | None:
    """With which -O level clang compiles a function; None if that is not said.

    Raises:
        UserError: the attribute is none of clang's levels.
    """
    level = function.attributes.get(CLANG_LEVEL)
    found = level.value.data if isinstance(level, IntegerAttr) else None
    if level is not None and found not in CLANG_LEVELS:
        required = f"an integer from {CLANG_LEVELS[0]} to {CLANG_LEVELS[-1]}"
        raise error_at(function, f"'{CLANG_LEVEL}' is {level}; required: {required}")
    return found


def llvm_attributes(function: Operation) -> dict[str, str | None]:
    """The attributes of LLVM that a function says it has beside those of the target, with their values.

    Raises:
        UserError: they are not names, and pairs of a name and a value.
    """
    attributes: dict[str, str | None] = {}
    said = function.get_attr_or_prop(PASSTHROUGH)
    for each in _parts(said) if said is not None else ():
        words = [part.data if isinstance(part, StringAttr) else "" for part in _parts(each)]
        if (
            not 1 <= len(words) <= 2
            or not words[0]
            or not all(c.isprintable() and c not in '"\\' for c in "".join(words))
        ):
            required = 'a list of names and pairs, such as ["cold", ["prefer-vector-width", "128"]]'
            raise error_at(function, f"'{PASSTHROUGH}' has {each}; required: {required}")
        attributes[words[0]] = words[1] if len(words) == 2 else None
    return attributes


def _parts(attribute: Attribute) -> Sequence[Attribute]:
    return cast("ArrayAttr[Attribute]", attribute).data if isinstance(attribute, ArrayAttr) else (attribute,)


def tell_clang_as(function: FuncOp, made: Operation) -> None:
    """Let a function that is made of another one say to clang what that says."""
    if clang_level(function) is not None:
        made.attributes[CLANG_LEVEL] = function.attributes[CLANG_LEVEL]
    if llvm_attributes(function):
        place = made.attributes if isinstance(made, FuncOp) else made.properties
        place[PASSTHROUGH] = function.attributes[PASSTHROUGH]


def name_for_callers(value: SSAValue, marks: Mapping[str, Attribute], default: str) -> str:
    """What callers call an argument or a result: what `mlc.name` says, else the SSA name, else `default`."""
    found = marks.get(NAME)
    return found.data if isinstance(found, StringAttr) else value.name_hint or default


def input_names(function: FuncOp) -> list[str]:
    """What callers call the arguments of a function; one without a name is `input<number>`."""
    marks = marks_of(function.args, function.arg_attrs)
    return [name_for_callers(v, m, f"input{v.index}") for v, m in zip(function.args, marks, strict=True)]


def dim_names(marks: Mapping[str, Attribute]) -> list[str]:
    """What the dims of an argument or a result are called, "" for those without a name; empty if none has one."""
    found = marks.get(DIMS)
    return [cast(StringAttr, each).data for each in cast("ArrayAttr[Attribute]", found)] if found is not None else []


def extents_in(marks: Mapping[str, Attribute]) -> tuple[int, ...]:
    """What `mlc.extents` says in the attributes of a result, or of a buffer for one; nothing if it is not there."""
    found = cast(Any, marks.get(EXTENTS))
    return tuple(map(int, found.get_values())) if isinstance(found, DenseArrayBase) else ()


def held_extents(marks: Sequence[Mapping[str, Attribute]]) -> set[int]:
    """The numbers of the inputs, or of the outputs, that hold extents of others, given the attributes of all."""
    return {place for each in marks for place in extents_in(each) if place >= 0}


def range_in(marks: Mapping[str, Attribute]) -> range | None:
    """What `mlc.range` says in the attributes of an argument: the least and the greatest number, and how far apart they
    are; None if it is not there, or says no numbers."""
    found = cast(Any, marks.get(RANGE))
    numbers = tuple(map(int, found.get_values())) if isinstance(found, DenseArrayBase) else ()
    if len(numbers) not in (2, 3):
        return None
    least, most, step = (*numbers, 1)[:3]
    return range(least, most + 1, step) or None if step > 0 else None


def donated_to(marks: Mapping[str, Attribute]) -> int | None:
    """What `mlc.donated` says in the attributes of a result, or of a buffer for one; None if it is not there."""
    found = marks.get(DONATED)
    return found.value.data if isinstance(found, IntegerAttr) else None


def is_private(function: FuncOp) -> bool:
    """Whether only this module sees the function: private functions are kernels, the others are models."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"
