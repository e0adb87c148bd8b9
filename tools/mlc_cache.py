"""Show what the cache of compiled things holds, or make it smaller. It is there to save time: what is dropped is made
again when it is needed. MLC_CACHE_DIR names another folder for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlc.support.errors import UserError
from mlc.targets.cache import Cache
from mlc.tools.driver import ArgumentParser, Namespace

_SIZE = re.compile(r"(\d+(?:\.\d+)?) *([kmgt]?)(?:i?b)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


@dataclass(kw_only=True)
class Arguments(Namespace):
    """The parsed command line."""

    action: str
    size: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    actions = "size (default): what there is; trim: drop what was not used for longest; clear: drop everything"
    parser.add_argument("action", nargs="?", choices=("size", "trim", "clear"), default="size", help=actions)
    parser.add_argument(
        "size", nargs="?", metavar="SIZE", help="of trim: what may stay, such as 500M or 2G (the limit)"
    )


def run(arguments: Namespace) -> None:
    """Do it, and print what there was or what went."""
    args = Arguments(**vars(arguments))
    cache = Cache.default()
    if args.size is not None and args.action != "trim":
        raise UserError(f"'{args.size}' is for 'mlc cache trim'; 'mlc cache {args.action}' takes no size")
    if args.action == "size":
        print(f"{cache.folder}, at most {in_words(cache.limit)}")
        for kind, (count, size) in cache.sizes().items():
            print(f"  {kind:<22} {count:>6} files {in_words(size):>10}")
        return
    limit = 0 if args.action == "clear" else cache.limit if args.size is None else _bytes(args.size)
    count, size = cache.trim(limit)
    if cache.size()[1] > limit:
        raise UserError(f"'{cache.folder}' cannot be made smaller: {cache.problem() or 'other processes fill it'}")
    print(f"dropped {count} files of {in_words(size)}; {in_words(cache.size()[1])} are left in {cache.folder}")


def in_words(size: int) -> str:
    """A number of bytes for people."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}".replace(".0 ", " ")
    return f"{size} B"


def _bytes(text: str) -> int:
    """Raises: UserError if `text` is not a size."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise UserError(f"found the size '{text}'; required: a number of bytes, such as 500M or 2G")
    return int(float(match[1]) * _UNITS[match[2].lower()])
