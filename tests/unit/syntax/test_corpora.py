"""All texts that mlc accepts come back the same from every form: pretty, with locations and without, and generic. These
are its own lit tests, examples and models, and the tests of xDSL.

Compared are operations, operands, results, successors, types, attributes, properties and, where they are printed,
locations. What an op's class says that a missing property is counts as that property.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest
from pathlib import Path

import pytest
import xdsl
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.traits import SingleBlockImplicitTerminator

from mlc.dialects.registry import register_dialects
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.syntax import parse_module, print_module, verify_module

from .test_xdsl_lit import listed_exceptions

XDSL = Path(xdsl.__file__).parents[1] / "tests" / "filecheck"
OURS = Path(__file__).parents[3]
FOLDERS = ("tests/lit", "examples", "benchmarks/models")
EXCEPTIONS = Path(__file__).with_name("corpora_exceptions.txt")
FORMS = [(False, False), (False, True), (True, True)]
"""Whether the form is generic, and whether it has locations, which stand behind the generic form of an op."""

_COMMON = "builtin arith affine cf func llvm linalg math memref scf tensor vector test"
_FAMILIES = [
    frozenset(f"{_COMMON} {more}".split())
    for more in (
        "",
        "loop graph ub complex",
        "riscv rv32 rv64 riscv_func riscv_cf riscv_scf riscv_snitch riscv_debug snitch snitch_stream snrt"
        " memref_stream printf stream asm",
        "x86 x86_func x86_scf asm ptr_xdsl printf bufferization gpu transform complex",
        "stencil csl csl_stencil csl_wrapper dmp bufferization mpi varith gpu",
        "pdl pdl_interp equivalence eqsat_pdl_interp ematch transform",
    )
]
"""Sets of dialects that texts are read with, so that tables are made for a few sets and not for hundreds."""


@dataclass
class Piece:
    """A part of a test file that is a module of its own."""

    name: str
    text: str
    lenient: bool
    """Whether unknown dialects are allowed."""
    base: Path
    """The folder of the file."""

    def context(self) -> CompilerContext:
        """A context with all dialects."""
        ctx = CompilerContext(allow_unregistered=self.lenient)
        register_dialects(ctx)
        return ctx

    def read(self, text: str, ctx: CompilerContext) -> ModuleOp:
        """Parse; data behind resources need not be there, and uses may stand where no definition reaches."""
        return parse_module(text + _mention_family(text, ctx), "test.mlir", ctx, self.base, checked=False)


def _mention_family(text: str, ctx: CompilerContext) -> str:
    """A comment that names all dialects of the first family which has those of the text."""
    named = set(re.findall(r"\b([a-z_]\w*)\.", text)) & set(ctx.registered_dialect_names)
    family = next((family for family in _FAMILIES if named <= family), frozenset[str]())
    return "\n//" + "".join(f" {name}.x" for name in family)


def pieces(root: Path, folders: Iterable[str] = ("",)) -> Iterator[Piece]:
    """The pieces of all files in some folders, which are named from the root on."""
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*.mlir")):
        text = path.read_text("utf-8", errors="replace")
        lenient = any("allow-unregistered" in line for line in text.splitlines() if "RUN:" in line)
        for number, piece in enumerate(text.split("// -----")):
            yield Piece(f"{path.relative_to(root).as_posix()}:{number}", piece, lenient, path.parent)


class Numbers:
    """The values and blocks of a module by the order of their definitions."""

    def __init__(self, module: ModuleOp) -> None:
        self._of: dict[SSAValue | Block, int] = {}
        for op in module.walk():
            for region in op.regions:
                for block in region.blocks:
                    self._add(block, *block.args)
            self._add(*op.results)

    def _add(self, *items: SSAValue | Block) -> None:
        for item in items:
            self._of[item] = len(self._of)

    def describe(self, op: Operation) -> dict[str, object]:
        """All that an op says, without what is inside of its regions."""
        parts: dict[str, object] = {
            "name": op.name,
            "operands": [(self._of[value], value.type) for value in op.operands],
            "results": list(op.result_types),
            "successors": [self._of[block] for block in op.successors],
            "regions": [[block.arg_types for block in region.blocks] for region in op.regions],
        }
        attributes = {**defaults(op), **op.properties, **op.attributes}
        return parts | {f"attribute {name}": attribute for name, attribute in attributes.items()}


def defaults(op: Operation) -> dict[str, Attribute]:
    """The properties that an op has if it does not say so."""
    known = op.get_irdl_definition().properties if isinstance(op, IRDLOperation) else {}
    return {name: part.default_value for name, part in known.items() if part.default_value is not None}


def is_left_out(op: Operation) -> bool:
    """Whether texts may leave an op out, so that it gets another location."""
    around = op.parent_op()
    implicit = None if around is None else around.get_trait(SingleBlockImplicitTerminator)
    return implicit is not None and isinstance(op, implicit.op_type)


def difference(before: ModuleOp, after: ModuleOp, locations: bool) -> str | None:
    """The first difference between two modules."""
    numbers = Numbers(before), Numbers(after)
    for one, other in zip_longest(before.walk(), after.walk()):
        if one is None or other is None:
            return f"{'more' if one is None else 'fewer'} operations"
        ours, theirs = numbers[0].describe(one), numbers[1].describe(other)
        for part in sorted({*ours, *theirs}):
            if ours.get(part) != theirs.get(part):
                return f"{one.name}: {part} was {ours.get(part)}, is {theirs.get(part)}"
        if locations and one.location != other.location and not is_left_out(one):
            return f"{one.name}: location was {one.location}, is {other.location}"
    return None


def loss(piece: Piece, module: ModuleOp, ctx: CompilerContext, generic: bool, debuginfo: bool) -> str | None:
    """What is wrong with the text of a module in one form, in a word and more."""
    stream = StringIO()
    try:
        print_module(module, ctx, stream, generic, debuginfo)
        again = piece.read(stream.getvalue(), ctx)
    except UserError as e:
        return f"refused: {e.message}"
    return difference(module, again, debuginfo)


def losses(compared: Iterable[Piece], forms: Sequence[tuple[bool, bool]] = FORMS) -> tuple[int, dict[str, str]]:
    """How many pieces are valid, and what is lost, by piece."""
    valid, found = 0, dict[str, str]()
    for piece in compared:
        ctx = piece.context()
        try:
            module = piece.read(piece.text, ctx)
            verify_module(module)
        except UserError:
            continue
        valid += 1
        for generic, debuginfo in forms:
            lost = loss(piece, module, ctx, generic, debuginfo)
            if lost is not None:
                form = f"{'generic' if generic else 'pretty'}{' with locations' if debuginfo else ''}"
                found.setdefault(piece.name, f"{form}: {lost}")
    return valid, found


@pytest.mark.slow
def test_our_texts() -> None:
    valid, found = losses(pieces(OURS, FOLDERS))
    assert not found
    assert valid >= 200


@pytest.mark.slow
@pytest.mark.skipif(not XDSL.is_dir(), reason="this build of xDSL comes without its tests")
@pytest.mark.filterwarnings("ignore")
def test_texts_of_xdsl() -> None:
    """Without locations xDSL's tests print and read them themselves."""
    valid, found = losses(pieces(XDSL), FORMS[1:])
    listed = listed_exceptions(EXCEPTIONS)
    assert not {name: lost for name, lost in found.items() if name not in listed}, "losses that are not listed"
    assert not listed.keys() - found.keys(), "listed losses that are none any more"
    assert all(listed.values()), "an exception needs a reason"
    assert valid >= 850
