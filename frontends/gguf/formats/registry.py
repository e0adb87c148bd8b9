"""Which block formats there are: each in a file beside this one, or of a plugin."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from mlc.frontends.gguf.formats.block_format import BlockFormat
from mlc.support.additions import Additions, own_class
from mlc.support.errors import UserError

_PARTS = ("__init__", "registry", "block_format")


@cache
def _own() -> dict[str, BlockFormat]:
    """The formats of mlc by what they are called, which is the name of their file in capitals."""
    names = sorted(file.stem.upper() for file in Path(__file__).parent.glob("*.py") if file.stem not in _PARTS)
    return {name: _own_format(name) for name in names if not name.startswith("_")}


def _own_format(name: str) -> BlockFormat:
    module = f"mlc.frontends.gguf.formats.{name.lower()}"
    return _made(own_class(module, BlockFormat, name, "block format", __name__))


def _made(cls: Callable[[], BlockFormat]) -> BlockFormat:
    return cls()


plugin_formats = Additions("block format", "mlc.block_formats", lambda name: "mlc" if name in _own() else None)


def known_formats() -> list[BlockFormat]:
    """All of them, in the order of their numbers.

    Raises:
        UserError: a plugin adds something else, or a number that is taken.
    """
    found = {each.number: each for each in _own().values()}
    for name, addition in plugin_formats:
        loaded = addition.load()
        if not (isinstance(loaded, type) and issubclass(loaded, BlockFormat)):
            raise UserError(f"block format '{name}' of {addition.origin} is not a class that derives from BlockFormat")
        made = _made(loaded)
        if made.number in found:
            raise UserError(
                f"block format '{name}' of {addition.origin} has the number {made.number}, which is that of "
                f"{found[made.number].name}; required: a number of its own"
            )
        found[made.number] = made
    return [found[number] for number in sorted(found)]


def format_of(number: int) -> BlockFormat | None:
    """The format that files call by a number; None if nobody knows it."""
    own = next((each for each in _own().values() if each.number == number), None)
    return own or next((each for each in known_formats() if each.number == number), None)
