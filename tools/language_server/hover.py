"""What stands at a place of a text, in Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.irdl import IRDLOperation

from mlc.dialects.loop.steps import load_step, step_names
from mlc.pass_manager.named_pipelines import named_pipeline
from mlc.pass_manager.registry import known_words, load_pass, pipeline_names
from mlc.syntax.names import NamedThing
from mlc.syntax.words import counted
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.tokens import TextToken
from mlc.tools.list_passes import rows_of
from mlc.tools.op_words import parts_of, refused_by

_CONSTRAINTS = re.compile(r"^Constraints:\s*$", re.MULTILINE)
_FLAG = re.compile(r"--?([A-Za-z][\w-]*)")
_LONGEST = 400
"""The most characters of a type or an attribute that are shown."""


def hover(text: AnalysedText, position: int) -> tuple[str, int, int] | None:
    """What stands at a position, in Markdown, with the place of it; None where nothing is known."""
    token = text.token_at(position)
    if token is None:
        return None
    if token.kind == "comment":
        return _flag(token, position)
    said = _said_of(text, token)
    return None if said is None else (said, token.start, token.end)


def _said_of(text: AnalysedText, token: TextToken) -> str | None:
    match token.kind:
        case "value" | "block":
            return None if (thing := text.things.get(token.start)) is None else _of_thing(text, thing)
        case "symbol":
            return None if (meant := text.symbol_of(token)) is None else _of_symbol(meant[0])
        case "alias":
            return _of_alias(text, token.text)
        case "word" | "string":
            return _of_word(text, token)
        case _:
            return None


def _of_thing(text: AnalysedText, thing: NamedThing) -> str:
    if not thing.values:
        return code(f"{thing.name}:") + f"A block; {counted(len(thing.uses), 'branch')} to it."
    types = ", ".join(_short(value.type) for value in thing.values)
    owner = thing.values[0].owner
    if isinstance(owner, Block):
        around = owner.parent_op()
        where = "An argument" if around is None else f"An argument of `{around.name}`"
    else:
        start = text.start_of(owner)
        line = "" if start is None else f", line {text.source.locate(start).line}"
        where = f"The result of `{owner.name}`{line}"
    return code(f"{thing.name} : {types}") + f"{where}; {counted(len(thing.uses), 'use')}."


def _of_symbol(op: Operation) -> str:
    if isinstance(op, FuncOp):
        kind = op.function_type
        inputs, outputs = (", ".join(map(_short, types)) for types in (kind.inputs, kind.outputs))
        return code(f"{op.name} @{op.sym_name.data}({inputs}) -> ({outputs})")
    inside = sum(1 for _ in op.walk()) - 1 if isinstance(op, ModuleOp) else None
    return code(op.name) + ("" if inside is None else f"{counted(inside, 'op')} inside.")


def _of_alias(text: AnalysedText, name: str) -> str | None:
    if (named := text.reading.aliases.get(name)) is not None:
        return code(f"{name} = {_short(named)}")
    found = text.ctx.get_optional_attr(name[1:]) if "." in name else None
    return None if found is None else heading(name) + documentation(found)


def _of_word(text: AnalysedText, token: TextToken) -> str | None:
    word = token.text.strip('"')
    names = [word] if "." in word else [f"{each}.{word}" for each in text.dialects_at(token.start)]
    for name in names:
        op = text.ctx.get_optional_op(name)
        if op is not None and op.name == name and (name == word or text.begins_op(token.start)):
            return of_op(op)
    if word in step_names():
        return of_step(word)
    return None


def _flag(token: TextToken, position: int) -> tuple[str, int, int] | None:
    """What a pass on a RUN line does."""
    for m in _FLAG.finditer(token.text):
        start, end = token.start + m.start(), token.start + m.end()
        if start <= position <= end and (said := of_pass(m[1])) is not None:
            return said, start, end
    return None


# -- what names of registries mean, which completion shows, too


def of_op(op: type[Operation]) -> str:
    """The documentation of an op: its docstring, the format of its text, what its parts may be, what is refused."""
    said = heading(op.name) + documentation(op)
    if not issubclass(op, IRDLOperation):
        return said
    if written := op.get_irdl_definition().assembly_format:
        said += f"\n\nFormat: `{op.name} {written}`"
    parts, variables = parts_of(op)
    alike: dict[tuple[str, str], list[str]] = {}
    for each in parts:
        alike.setdefault((each.role, each.words), []).append(f"`{each.name}`")
    lines = [f"- {role} {', '.join(names)}: {words}" for (role, words), names in alike.items()]
    lines += [f"- `{name}`: {meaning}, the same each time" for name, meaning in variables.items()]
    lines += [f"- refused, `{name}`: {text}" for name, text in refused_by(op)]
    return f"{said}\n\n" + "\n".join(lines) if lines else said


def of_step(name: str) -> str:
    """The documentation of a step of schedules."""
    step = load_step(name)
    return heading(step.example) + documentation(step)


def of_pass(name: str) -> str | None:
    """The documentation of a pass or of a named pipeline; None if there is none of that name."""
    if name in pipeline_names() and (pipeline := named_pipeline(name)) is not None:
        return heading(f"--{name}") + pipeline.summary + "\n" + code("\n".join(rows_of(pipeline.stages)), "")
    return heading(f"--{name}") + documentation(load_pass(name)) if name in known_words() else None


def documentation(of: type) -> str:
    """The docstring of a class, as Markdown."""
    said = inspect.cleandoc(of.__doc__ or "")
    return _CONSTRAINTS.sub("\n**Constraints**\n", _as_code(said.splitlines()))


def _as_code(lines: Iterable[str]) -> str:
    """Lines of text, of which those that are indented by four are examples of code."""
    result: list[str] = []
    inside = fenced = False
    for line in lines:
        fenced ^= line.lstrip().startswith("```")
        indented = not fenced and line.startswith("    ")
        if indented != inside and (line.strip() or not inside):
            result.append("```mlir" if indented else "```")
            inside = indented
        result.append(line[4:] if inside else line)
    return "\n".join([*result, *(["```"] if inside else [])])


def heading(text: str) -> str:
    """What it is about, set apart."""
    return f"**`{text}`**\n\n"


def code(text: str, language: str = "mlir") -> str:
    """A block of code."""
    return f"```{language}\n{text}\n```\n"


def _short(attribute: Attribute) -> str:
    text = str(attribute)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
