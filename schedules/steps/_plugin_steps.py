"""Steps of schedules that plugins bring: what goes wrong in one of them is a mistake of the plugin, none of mlc."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlc.dialects.loop.steps import Step, plugin_steps
from mlc.support.blame import blame, place_of
from mlc.support.errors import CompilerBug, Note, UserError
from mlc.syntax import verify_module


@contextmanager
def blamed_on_plugin(step: Step, function: FuncOp) -> Generator[None]:
    """Carry out a step on `function`; one of a plugin has to come to its end, and to leave IR that verifies.

    Raises:
        UserError: it does not, at its line in the plugin.
    """
    addition = plugin_steps.get(step.name)
    if addition is None or _invalid(function) is not None:  # what was wrong before is not its mistake
        yield
        return
    who = f"schedule step '{step.spelling}' of {addition.origin}"
    name = function.sym_name.data
    try:
        yield
    except (UserError, CompilerBug, MemoryError):
        raise
    except Exception as e:
        reason = f"{type(e).__name__}: {e}"
        message = f"{who} fails on '{name}' with {reason}; a step that is nothing for a loop raises Refused"
        raise UserError(message, blame(e) or place_of(type(step))) from e
    if (wrong := _invalid(function)) is not None:
        found = wrong.message if isinstance(wrong, UserError) else f"{type(wrong).__name__}: {wrong}"
        message = f"{who} leaves invalid IR in '{name}': {found}; required: IR that verifies after each step"
        place = wrong.location if isinstance(wrong, UserError) else None
        notes = [Note("the IR is wrong here", place)] if place is not None else []
        raise UserError(message, place_of(type(step)), notes) from wrong


def _invalid(function: FuncOp) -> Exception | None:
    """What verifiers say against a function; None if it is valid."""
    for op in function.walk():
        for name, value in cast(dict[str, object], op.attributes).items():
            if not isinstance(value, Attribute):
                return TypeError(f"the attribute '{name}' of '{op.name}' is the {type(value).__name__} {value!r}")
    try:
        verify_module(function)
    except Exception as e:  # verifiers that meet attributes of wrong types fail in any way
        return e
    return None
