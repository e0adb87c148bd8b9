"""Which new names of a rename would be taken for those of something else."""

from __future__ import annotations

from mlc.syntax.names import NamedThing, RegionSpan
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.dims import NamedDim
from mlc.tools.language_server.tokens import TextToken


def why_taken(text: AnalysedText, token: TextToken, name: str) -> str | None:
    """What has a name, given without its sigil, that a token shall be renamed to; None if the name is free."""
    if (thing := text.things.get(token.start)) is not None:
        return _value_or_block(text, thing, thing.name[0] + name)
    if (dim := text.dim_at(token)) is not None:
        return _dim(dim, name)
    new = token.text[0] + name
    if new == token.text:
        return None
    if token.kind == "symbol" and new in text.symbols:
        return f"'{new}' is another symbol of this text"
    if token.kind == "alias" and any(each.kind == "alias" and each.text == new for each in text.tokens):
        return f"'{new}' is another alias of this text"
    return None


def _value_or_block(text: AnalysedText, thing: NamedThing, new: str) -> str | None:
    for other in text.names.things:
        inside = _is_inside(other.region, thing.region) or _is_inside(thing.region, other.region)
        if other is not thing and other.name == new and inside:
            place = "" if other.definition is None else f" of line {text.source.locate(other.definition).line}"
            kind = "block" if new.startswith("^") else "value"
            return f"'{new}' is another {kind}{place}"
    return None


def _is_inside(inner: RegionSpan, outer: RegionSpan) -> bool:
    """Whether a region is another one, or one in it that sees its names."""
    around: RegionSpan | None = inner
    while around is not None and around is not outer:
        around = None if around.isolated else around.outer
    return around is outer


def _dim(dim: NamedDim, name: str) -> str | None:
    """The loops of schedules have names as well: `mi` is the one inside of the blocks of `m`."""
    if name in dim.others:
        return f"'{name}' is another dim of this function"
    for other in sorted(dim.others):
        shorter, longer = sorted((name, other), key=len)
        if longer.startswith(shorter) and not longer[len(shorter) :].strip("i"):
            return f"'{longer}' would be a loop of the dim '{shorter}'"
    return None
