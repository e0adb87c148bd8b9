"""mlc reads what xDSL reads and refuses what xDSL refuses: on every piece of text in xDSL's own tests.

Both parsers get xDSL's dialects, also where mlc has one of the same name, and a piece counts as refused if parsing or
verifying fails. What both can parse has to print the same in the generic form, even if it does not verify.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
import xdsl
from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.syntax import parse_module, verify_module

ROOT = Path(xdsl.__file__).parents[1] / "tests" / "filecheck"
EXCEPTIONS = Path(__file__).with_name("conformance_exceptions.txt")
_SAME, _REFUSED = 0.995, 0.99
"""The least shares of pieces that have to print the same, and to be refused, as in xDSL."""


def pieces() -> Iterator[tuple[str, str, bool]]:
    """Name, text and whether unknown dialects are allowed, for each piece of each test file."""
    for path in sorted(ROOT.rglob("*.mlir")):
        text = path.read_text()
        lenient = any("allow-unregistered" in line for line in text.splitlines() if "RUN:" in line)
        for number, piece in enumerate(text.split("// -----")):
            yield f"{path.relative_to(ROOT).as_posix()}:{number}", piece, lenient


class Reading(NamedTuple):
    """What a parser makes of a text."""

    printed: str | None
    """The generic form, or None if the text cannot be parsed; wrong operations have one too."""
    valid: bool
    """Whether it can be parsed and verified."""


def read_by_xdsl(text: str, lenient: bool) -> Reading:
    """Parse and verify as `xdsl-opt` does."""
    ctx = Context(allow_unregistered=lenient)
    for name, dialect in get_all_dialects().items():
        ctx.register_dialect(name, dialect)
    store = Builtin.get_interface(OpAsmDialectInterface)
    assert store is not None
    store._blob_storage.clear()  # pyright: ignore[reportPrivateUsage]  # it outlives the context, and renames resources
    printed = None
    try:
        module = Parser(ctx, text).parse_module()
        printed = generic(module)
        module.verify()
    except Exception:  # its parser fails in any way
        return Reading(printed, False)
    return Reading(printed, True)


def read_by_mlc(text: str, lenient: bool) -> Reading:
    """Parse and verify as `mlc-opt` does."""
    ctx = CompilerContext(allow_unregistered=lenient)
    for name, dialect in get_all_dialects().items():
        ctx.register_dialect(name, dialect)
    printed = None
    try:
        module = parse_module(text, "test.mlir", ctx, checked=False)  # MLIR needs no data behind a resource
        printed = generic(module)
        verify_module(module, checked=False)
    except UserError:
        return Reading(printed, False)
    return Reading(printed, True)


def difference(theirs: Reading, ours: Reading) -> str | None:
    """How the readings differ, in a word."""
    if theirs.valid != ours.valid:
        return "refused" if theirs.valid else "accepted"
    both = theirs.printed is not None and ours.printed is not None
    return "differs" if both and theirs.printed != ours.printed else None


def generic(module: ModuleOp) -> str:
    """xDSL's generic form of a module."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def listed_exceptions() -> dict[str, str]:
    """What differs on purpose: `piece kind` and reason, from lines `piece kind # reason`."""
    lines = [line for line in EXCEPTIONS.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {what.strip(): reason.strip() for what, _, reason in (line.partition(" # ") for line in lines)}


@pytest.mark.skipif(not ROOT.is_dir(), reason="this build of xDSL comes without its tests")
@pytest.mark.slow
def test_same_as_xdsl() -> None:
    valid, invalid, compared, different = 0, 0, 0, list[str]()
    for name, text, lenient in pieces():
        theirs, ours = read_by_xdsl(text, lenient), read_by_mlc(text, lenient)
        valid += theirs.valid
        invalid += not theirs.valid
        compared += theirs.printed is not None and ours.printed is not None
        if (kind := difference(theirs, ours)) is not None:
            different.append(f"{name} {kind}")
    listed = listed_exceptions()
    assert not set(different) - set(listed), "differences from xDSL that are not listed"
    assert not set(listed) - set(different), "listed differences that are none any more"
    assert all(listed.values()), "an exception needs a reason"
    accepted = sum(what.endswith(" accepted") for what in different)
    assert len(different) - accepted <= (1 - _SAME) * compared
    assert accepted <= (1 - _REFUSED) * invalid
    assert valid > 800 and invalid > 700 and compared > 1400, "xDSL's tests are not all there"
