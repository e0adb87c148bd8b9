"""What the regions of operations take and give: the operands of their terminators and the arguments of their blocks.

MLIR has an interface for this (`RegionBranchOpInterface`) that xDSL lacks, so that its verifiers check a few of these
only. An operation that is not named here checks itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from xdsl.dialects.builtin import IndexType, ShapedType
from xdsl.ir import Attribute, Operation, Region

from mlc.syntax.structure import Problem, count
from mlc.syntax.words import name_of

Types = Sequence[Attribute]


class Exit(NamedTuple):
    """What the terminators of one kind in a region have to give."""

    region: Region
    terminator: str
    types: Types
    wanted: str
    """What it becomes: a "result" of the operation, for example."""
    skipped: int = 0
    """How many operands of the terminator, at its front, are something else."""


class Entry(NamedTuple):
    """What the first block of a region has to take."""

    region: Region
    types: Types


Flow = Iterable[Exit | Entry]


def problems_of_flow(op: Operation) -> Iterator[Problem]:
    """Which terminators in the regions of `op`, and which first blocks, do not fit the operation."""
    if (rule := _RULES.get(op.name) or _RULES.get(op.dialect_name())) is None:
        return
    try:
        flow = [*rule(op)]
    except (AttributeError, LookupError, ValueError):  # parts are missing, which the operation's own verifier tells
        return
    for each in flow:
        yield from _problems_of_entry(op, each) if isinstance(each, Entry) else _problems_of_exit(op, each)


def _problems_of_exit(op: Operation, wanted: Exit) -> Iterator[Problem]:
    for block in wanted.region.blocks:
        last = block.last_op
        if last is None or last.name != wanted.terminator:
            continue
        values = last.operands[wanted.skipped :]
        name = f"'{last.name}' gives"
        if len(values) != len(wanted.types):
            required = f"'{name_of(op)}' has {count(len(wanted.types), wanted.wanted)}"
            yield last, f"{name} {count(len(values), 'value')}, but {required}"
            continue
        for i, (value, required) in enumerate(zip(values, wanted.types, strict=True)):
            if value.type != required:
                found = f"{name} value {i} of type {value.type}"
                yield last, f"{found}, but {wanted.wanted} {i} of '{name_of(op)}' is of type {required}"


def _problems_of_entry(op: Operation, wanted: Entry) -> Iterator[Problem]:
    block = wanted.region.first_block
    if block is None or block.arg_types == tuple(wanted.types):
        return
    found, required = (", ".join(map(str, types)) or "none" for types in (block.arg_types, wanted.types))
    yield op, f"'{name_of(op)}' has a region whose arguments are {found}; required: {required}"


def _results(terminator: str) -> Callable[[Operation], Flow]:
    """Each region gives the results of the operation."""
    return lambda op: [Exit(region, terminator, op.result_types, "result") for region in op.regions]


def _while(op: Any) -> Flow:
    carried = [value.type for value in op.arguments]
    return [
        Entry(op.before_region, carried),
        Exit(op.before_region, "scf.condition", op.result_types, "result", skipped=1),
        Entry(op.after_region, op.result_types),
        Exit(op.after_region, "scf.yield", carried, "operand"),
    ]


def _affine_for(op: Any) -> Flow:
    return [Entry(op.body, [IndexType(), *op.result_types]), Exit(op.body, "affine.yield", op.result_types, "result")]


def _linalg(op: Operation) -> Flow:
    """The body computes one element of each output."""
    outputs: Sequence[Any] = getattr(op, "outputs", None) or getattr(op, "inits", None) or [getattr(op, "init", None)]
    types = [value.type for value in outputs if value is not None]
    elements = [getattr(kind, "element_type", kind) if isinstance(kind, ShapedType) else kind for kind in types]
    return [Exit(region, "linalg.yield", elements, "output") for region in op.regions]


def _llvm_function(op: Any) -> Flow:
    output = op.function_type.output
    return [
        Entry(op.body, op.function_type.inputs.data),
        Exit(op.body, "llvm.return", [] if output.name == "llvm.void" else [output], "result"),
    ]


_RULES: dict[str, Callable[[Any], Flow]] = {
    "affine.for": _affine_for,
    "linalg": _linalg,
    "llvm.func": _llvm_function,
    "memref.alloca_scope": _results("memref.alloca_scope.return"),
    "scf.execute_region": _results("scf.yield"),
    "scf.if": _results("scf.yield"),
    "scf.index_switch": _results("scf.yield"),
    "scf.while": _while,
}
"""By operation, or by dialect where all of its operations are alike."""
