"""From text to IR."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Dialect, Operation, OpResult, SSAValue

from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError
from mlc.support.locations import location_of
from mlc.support.recursion import TOO_DEEP, deep_recursion
from mlc.syntax.builder import ModuleBuilder
from mlc.syntax.dominance import error_of, undominated_uses
from mlc.syntax.errors import LIMIT, Fault, Source, TooManyErrors, raise_all
from mlc.syntax.grammar import formatted_operations, tables_for
from mlc.syntax.handover import HandOver
from mlc.syntax.machine import LalrParser
from mlc.syntax.names import NamedThing, Names, RecordingScopes, go_on
from mlc.syntax.state import Blob, ExternalFile

_DIALECT = re.compile(r'(?:^|[\s"({])([A-Za-z_]\w*)\.[A-Za-z_]', re.ASCII)
_HEXADECIMAL = re.compile(r'"0x[0-9A-Fa-f]*"')
_RESULTS = re.compile(r"(?:%[\w$.-]+(?::\d+)?\s*,\s*)*%[\w$.-]+(?::\d+)?\s*=\s*\Z")
_RESULT = re.compile(r"%([\w$.-]+)(?::(\d+))?")


def parse_module(
    text: str,
    filename: str,
    ctx: CompilerContext,
    base: Path | None = None,
    *,
    checked: bool = True,
    dialects: Iterable[str] = (),
) -> ModuleOp:
    """Parse MLIR's text into a module.

    Every operation gets the location of its name in the text, unless the text gives one by `loc(...)`. Weight files
    that the text names are opened into `ctx.resources`, and every `dense_resource` is checked against them. Several
    operations at the top level are wrapped in a module, as MLIR does.

    Args:
        base: where relative paths of weight files start; the folder of `filename` if None.
        checked: whether definitions have to dominate uses and resources have to be there, as MLIR and the rest of mlc
            need it, and floats need a point and layouts the rank of their memref. xDSL's passes do not: without it,
            blobs go to the dialect's own store, where xDSL looks for them, and errors keep xDSL's words.
        dialects: the names of dialects to load whether the text names them or not: texts that name different ones of
            these share the tables of one grammar.

    Raises:
        UserError: the text is wrong (UserErrors: in several places).
    """
    with _paused_collector(), deep_recursion():
        try:
            return _parse(text, filename, ctx, Path(filename).parent if base is None else base, checked, dialects)
        except RecursionError:
            raise UserError(TOO_DEEP, SourceLocation(filename, 1)) from None


@dataclass(frozen=True)
class Reading:
    """What is known of a text that may have errors.

    Attributes:
        ops: the operations at its top level that could be read; none if reading had to stop early.
        errors: what is wrong, in the order in which it was found.
        names: where names stand.
        aliases: the attributes and types that have names.
        dialects: those that the text names.
        may_follow: the keywords and the punctuation that might stand next, if the text ends too early.
        external_files: the weight files that the text names.
        blobs: the data that the text holds, by the names of resources.
    """

    ops: Sequence[Operation]
    errors: Sequence[UserError]
    names: Names
    aliases: Mapping[str, Attribute]
    dialects: Sequence[Dialect]
    may_follow: Sequence[str] = ()
    external_files: Sequence[ExternalFile] = ()
    blobs: Mapping[str, Blob] = field(default_factory=dict[str, Blob])


@dataclass(frozen=True)
class Surroundings:
    """What the text around some operations lets them name.

    Attributes:
        values: the values that are visible, by name.
        moved: where their definitions stand now, by where they are said to stand.
        aliases: the attributes and types that have names.
        dialects: those whose grammar is used.
        unprefixed: the names of those whose names need no prefix, the innermost last.
    """

    values: Mapping[str, NamedThing]
    aliases: Mapping[str, Attribute]
    dialects: Sequence[Dialect]
    unprefixed: Sequence[str] = ("builtin",)
    moved: Callable[[int], int | None] = lambda position: position


def read_text(text: str, filename: str, ctx: CompilerContext, base: Path, check: Callable[[], None] = go_on) -> Reading:
    """Read as much of a text as can be read, and remember where names stand; weight files are not opened.

    Raises:
        ReadingStopped: `check`, which is called now and then, raises it.
    """
    dialects = _dialects(text, ctx)
    return _read(_builder(text, filename, ctx, base, True, dialects), 0, Surroundings({}, {}, dialects), check)


def read_operations(
    source: Source, part: tuple[int, int], ctx: CompilerContext, base: Path, around: Surroundings
) -> Reading | None:
    """Read the operations of a part of a text, from a position to another one, as `read_text` reads all of it.

    None if they name a dialect that is not among those of the surroundings: its grammar would have to be made.
    """
    start, end = part
    if not _named_dialects(source.text[start:end], ctx) <= {dialect.name for dialect in around.dialects}:
        return None
    builder = _builder(source.text[:end], source.filename, ctx, base, True, around.dialects)
    builder.source = source
    builder.aliases = {**around.aliases}
    return _read(builder, start, around)


def _read(builder: ModuleBuilder, start: int, around: Surroundings, check: Callable[[], None] = go_on) -> Reading:
    builder.scopes = scopes = RecordingScopes(check)
    dialects = around.dialects
    with _paused_collector(), deep_recursion():
        scopes.assume(around.values, around.moved)
        try:
            ops = _operations(builder, start, around.unprefixed)
        except RecursionError:
            error = UserError(TOO_DEEP, SourceLocation(builder.source.filename, 1))
            return Reading([], [error], scopes.names(), {}, dialects)
        return Reading(
            ops,
            builder.errors,
            scopes.names(),
            builder.aliases,
            dialects,
            builder.spellings_at_end,
            builder.external_files,
            builder.blobs,
        )


def _builder(
    text: str,
    filename: str,
    ctx: CompilerContext,
    base: Path,
    checked: bool,
    dialects: Sequence[Dialect],
) -> ModuleBuilder:
    operations = [op for d in dialects for op in formatted_operations(d)]
    builder = ModuleBuilder(text, filename, ctx, base, operations, checked)
    builder.connect(HandOver(ctx, builder), LalrParser(tables_for(dialects), builder))
    return builder


def _operations(builder: ModuleBuilder, start: int = 0, unprefixed: Sequence[str] = ("builtin",)) -> list[Operation]:
    """The operations of a text; errors are the builder's."""
    try:
        ops = builder.parse_file(start, unprefixed)
        for fault in builder.finish_values():
            builder.report(fault, 0)
    except TooManyErrors:
        return []
    return ops


def _parse(
    text: str, filename: str, ctx: CompilerContext, base: Path, checked: bool, dialects: Iterable[str]
) -> ModuleOp:
    builder = _builder(text, filename, ctx, base, checked, _dialects(text, ctx, dialects))
    ops = _operations(builder)
    if not builder.errors and not ops:
        builder.report(Fault("expected an operation, the text has none"), 0)
    if not builder.errors and builder.has_resources:
        from mlc.syntax import resources

        if checked:
            with suppress(TooManyErrors):
                resources.load(builder, ops)
        else:
            resources.leave_undecoded(builder)
    if builder.errors:
        raise_all(builder.errors)
    module = ops[0] if len(ops) == 1 and isinstance(ops[0], ModuleOp) else _wrap(ops, builder)
    if checked:
        uses = islice(undominated_uses(module), LIMIT)
        if errors := [_misplaced_use(builder, op, operand) for op, operand in uses]:
            raise_all(errors)
    return module


def _misplaced_use(builder: ModuleBuilder, op: Operation, operand: int) -> UserError:
    """The error for a use that its definition does not reach, placed at the use where the text of the op shows it."""
    name = _written_name(builder, op.operands[operand])
    error = error_of(op, operand, name)
    if name is None or error.location is None or error.location.file != builder.source.filename:
        return error
    start = builder.source.position(error.location)
    use = re.compile(rf"%{re.escape(name)}(?![\w.$-])").search(builder.text, start)
    return UserError(error.words, builder.source.locate(use.start() if use else start), error.notes)


def _written_name(builder: ModuleBuilder, value: SSAValue) -> str | None:
    """The name of a value in the text: a number is only known there, `0` or `0#1`."""
    place = location_of(value.op) if isinstance(value, OpResult) else None
    if value.name_hint or not isinstance(value, OpResult) or place is None or place.file != builder.source.filename:
        return value.name_hint
    end = builder.source.position(place)
    definition = _RESULTS.search(builder.text, builder.text.rfind("\n", 0, end) + 1, end)
    names: list[str] = []
    for name, size in _RESULT.findall(definition[0]) if definition else ():
        names += [f"{name}#{i}" for i in range(int(size))] if size else [name]
    return names[value.index] if value.index < len(names) else None


def _wrap(ops: list[Operation], builder: ModuleBuilder) -> ModuleOp:
    module = ModuleOp(ops)
    module.location = builder.location_at(0)
    return module


def _dialects(text: str, ctx: CompilerContext, others: Iterable[str] = ()) -> list[Dialect]:
    """The dialects that the text names, and others, loaded into the context, in the order of their names."""
    return [ctx.get_dialect(name) for name in sorted({"builtin", *others, *_named_dialects(text, ctx)})]


def _named_dialects(text: str, ctx: CompilerContext) -> set[str]:
    return {*_DIALECT.findall(_HEXADECIMAL.sub("", text))} & {*ctx.registered_dialect_names}


@contextmanager
def _paused_collector() -> Generator[None, None, None]:
    """Python's cycle collector doubles the time of making many operations, and finds nothing: all of them stay
    alive.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
