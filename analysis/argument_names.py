"""Names for the arguments of a function by which steps of a schedule tell them apart."""

from __future__ import annotations

from xdsl.ir import BlockArgument


def argument_name(argument: BlockArgument) -> str:
    """The name of an argument in the text, or `arg2` for the third one if it has none.

    Of several arguments that would have one name, which the printer makes `x`, `x_1` and so on, only the first one has
    it: names of values do not keep such endings.
    """
    hint = argument.name_hint
    earlier = argument.block.args[: argument.index]
    return hint if hint and all(a.name_hint != hint for a in earlier) else f"arg{argument.index}"
