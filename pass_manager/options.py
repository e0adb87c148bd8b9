"""Options of passes: from `name{option=value}` text to a pass, with errors that say which options exist."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, cast, get_args, get_origin, get_type_hints

from xdsl.utils.arg_spec import ArgSpec, ParameterListType, ParameterType, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from mlc.pass_manager.base import Pass
from mlc.pass_manager.named_pipelines import NamedPipeline, named_pipeline
from mlc.pass_manager.registry import load_pass, suggest
from mlc.support.errors import UserError

_ON_MODULE = re.compile(r"\s*builtin\.module\s*\((.*)\)\s*", re.DOTALL)
_SPACE_BETWEEN_PASSES = re.compile(r"\s*,\s*(?=[^{}]*(?:\{|$))")
"""xDSL's pipeline syntax allows no space around the commas between passes; people write it."""


class Option(NamedTuple):
    """One option of a pass, as users see it."""

    name: str
    """With dashes, as it is written on the command line."""
    type: str
    """`int`, `float`, `bool`, `string`, or a `list` of one of them."""
    default: str | None
    """As it would be written on the command line; None if the option has to be given."""


def options_of(pass_type: type[Pass]) -> list[Option]:
    """The options of a pass, in the order in which its class declares them."""
    hints = get_type_hints(pass_type)
    return [
        Option(f.name.replace("_", "-"), _describe(hints[f.name]), _default(f))
        for f in dataclasses.fields(pass_type)
        if f.init
    ]


def parse_passes(pipeline: str) -> list[Pass]:
    """The passes of `fuse,tile{sizes=8,48}`, each with its options; `builtin.module(…)` of MLIR may stand around them.

    The name of a pipeline stands for its passes.

    Raises:
        UserError: the text is malformed, or a pass or an option does not exist or has a value of a wrong type.
    """
    return [p for entry in parse_words(pipeline) for p in entry.passes]


class PipelineWord(NamedTuple):
    """One word of a pipeline."""

    passes: list[Pass]
    pipeline: NamedPipeline | None
    """Whose passes they are, if a pipeline is named."""


def parse_words(pipeline: str) -> list[PipelineWord]:
    """What each word of a pipeline stands for.

    Raises:
        UserError: as `parse_passes`.
    """
    return _parse_words(pipeline, ())


def _parse_words(pipeline: str, inside: tuple[str, ...]) -> list[PipelineWord]:
    inner = m[1] if (m := _ON_MODULE.fullmatch(pipeline)) else pipeline
    try:
        specs = list(parse_pipeline(_SPACE_BETWEEN_PASSES.sub(",", inner.strip())))
    except ArgSpecParseError as e:
        raise UserError(f"malformed pass pipeline '{pipeline}': {_last_line(e)}") from None
    except AssertionError:
        raise UserError(f"malformed pass pipeline '{pipeline}': a string is not closed") from None
    return [_word(spec, inside) for spec in specs]


def _word(spec: ArgSpec, inside: tuple[str, ...]) -> PipelineWord:
    found = named_pipeline(spec.name)
    if found is None:
        return PipelineWord([make_pass(spec)], None)
    if spec.parameters:
        raise UserError(f"the pipeline '{spec.name}' takes no options, found '{next(iter(spec.parameters))}'")
    if spec.name in inside:
        raise UserError(f"the pipeline '{spec.name}' is a part of itself: {' -> '.join((*inside, spec.name))}")
    words = [_parse_words(stage.passes, (*inside, spec.name)) for stage in found.stages]
    return PipelineWord([p for entries in words for entry in entries for p in entry.passes], found)


def make_pass(spec: ArgSpec) -> Pass:
    """The pass that `spec` names, with its options.

    Raises:
        UserError: the pass or an option does not exist, is missing, or has a value of a wrong type.
    """
    pass_type = load_pass(spec.name)
    fields = {f.name: f for f in dataclasses.fields(pass_type) if f.init}
    hints = get_type_hints(pass_type)
    values: dict[str, Any] = {}
    for given, words in spec.parameters.items():
        name = given.replace("-", "_")
        if name not in fields:
            known = [o.name for o in options_of(pass_type)]
            has = f"its options are {', '.join(known)}" if known else "it takes none"
            raise UserError(f"pass '{spec.name}' has no option '{given}'{suggest(given, known)} ({has})")
        values[name] = _convert(spec.name, given, words, hints[name])
    for name, field in fields.items():
        no_default = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if no_default and name not in values:
            shown = name.replace("_", "-")
            raise UserError(
                f"pass '{spec.name}' needs option '{shown}' ({_describe(hints[name])}): --{spec.name}={shown}=..."
            )
    return pass_type(**values)


def pipeline_text(passes: Iterable[Pass]) -> str:
    """The pipeline syntax of `passes`, which `parse_passes` reads back."""
    return ",".join(str(p.spec()) for p in passes)


def _convert(pass_name: str, option: str, words: ParameterListType, hint: Any) -> Any:
    choices = [a for a in get_args(hint) if a is not NoneType] if _is_union(hint) else [hint]
    for choice in choices:
        element = get_args(choice)[0] if get_origin(choice) is tuple else None
        if element is not None:
            parts = [_convert_word(w, element) for w in words]
            if None not in parts:
                return tuple(parts)
        elif choice is bool and not words:
            return True
        elif len(words) == 1 and (value := _convert_word(words[0], choice)) is not None:
            return value
    found = ",".join(str(w).lower() if isinstance(w, bool) else str(w) for w in words)
    required = "true or false" if hint is bool else f"a value of type {_describe(hint)}"
    raise UserError(f"option '{option}' of pass '{pass_name}' takes {required}, found '{found}'")


def _convert_word(word: ParameterType, wanted: Any) -> ParameterType | None:
    """`word` as a value of the wanted type, or None if it is not one."""
    if wanted is str:
        return str(word).lower() if isinstance(word, bool) else str(word)
    if wanted is float and type(word) is int:
        return float(word)
    return word if type(word) is wanted else None


def _describe(hint: Any) -> str:
    if _is_union(hint):
        return " or ".join(_describe(a) for a in get_args(hint) if a is not NoneType)
    if get_origin(hint) is tuple:
        return f"list of {_describe(get_args(hint)[0])}"
    return "string" if hint is str else getattr(hint, "__name__", str(hint))


def _default(field: dataclasses.Field[Any]) -> str | None:
    if field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    elif field.default is not dataclasses.MISSING:
        value = field.default
    else:
        return None
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return ",".join(str(v) for v in cast(Sequence[object], value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType)


def _last_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[-1].strip().lstrip("^ ")
