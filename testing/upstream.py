"""`python -m mlc.testing.upstream FOLDER`: how well mlc reads and prints the text of upstream MLIR's own tests.

FOLDER is `mlir/test` of an LLVM source tree, or any folder or file of `.mlir` text. Each file is cut at its `// -----`
lines into chunks, and upstream's `mlir-opt` is the judge of each:

  - what it accepts, mlc has to read, and to print so that `mlir-opt` reads the same module back (the generic form of
    both is compared);
  - what it refuses, mlc has to refuse with an error of the user's;
  - nothing may end in a bug of mlc.

Chunks count where mlc has all ops in them that `mlir-opt` has, and nothing of upstream's dialect for tests is needed.
No pass runs, whatever the RUN lines of a file say. The report has a line for each folder and the failures by reason,
the most frequent first; the exit status is 1 if a goal is missed. None of upstream's text is kept in this repository.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import traceback
from collections import Counter, defaultdict
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlc.support.errors import UserError
from mlc.testing.lit import upstream_opt
from mlc.testing.time_limit import at_most

SUITES = (
    "IR",
    *(
        f"Dialect/{name}"
        for name in ("Arith", "Math", "SCF", "ControlFlow", "Func", "Affine", "MemRef", "Vector", "LLVMIR")
    ),
)
"""The folders of `mlir/test` that a run looks at."""

GOAL_GIVEN_BACK = 0.97
GOAL_REFUSED = 0.95

_SEPARATOR = "// -----"
_SECONDS_PER_CHUNK = 60
_UNKNOWN_LISTED = 40
_GENERIC = "--mlir-print-op-generic"

_GENERIC_OP = re.compile(r'"([A-Za-z_][\w$.-]*)"(?=\()')
_OP_IN_TEXT = re.compile(r'^\s*(?:%[^=\n]*=\s*)?"?([a-z_]\w*(?:\.\w+)+)', re.MULTILINE)
_TEST_DIALECT = re.compile(r"[!#]test(?:\.\w+|_dyn\.\w+|<)")
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*')

# How a chunk ended.
GIVEN_BACK = "given back"
NOT_READ = "not read"
NOT_READ_BACK = "printed, not read by mlir-opt"
DIFFERENT = "printed, read by mlir-opt as something else"
REFUSED = "refused"
NOT_REFUSED = "not refused"
BUG = "bug in mlc"
OUTSIDE = "outside: names that mlc does not know"
FAILURES = (BUG, NOT_READ, NOT_READ_BACK, DIFFERENT, NOT_REFUSED)


@dataclass(frozen=True)
class Chunk:
    """One part of a file, judged alone."""

    file: Path
    line: int
    text: str
    allows_unregistered: bool


@dataclass(frozen=True)
class Verdict:
    """What became of a chunk."""

    file: Path
    line: int
    accepted: bool
    """Whether upstream accepts it."""
    outcome: str
    reason: str = ""


# ---- the chunks


def files_of(folder: Path) -> list[Path]:
    """The files to look at: those of the suites where `folder` has them, else all."""
    if folder.is_file():
        return [folder]
    suites = [folder / name for name in SUITES if (folder / name).is_dir()]
    return [f for suite in suites or [folder] for f in sorted(suite.rglob("*.mlir"))]


def chunks_of(file: Path) -> list[Chunk]:
    """The chunks of a file; unregistered dialects are allowed where its RUN lines say so."""
    text = file.read_text("utf-8", "surrogateescape")
    allows = bool(re.search(r"RUN:.*allow-unregistered-dialect|^//.*--?allow-unregistered-dialect", text, re.MULTILINE))
    chunks: list[Chunk] = []
    start, lines = 1, list[str]()
    for number, line in enumerate([*text.splitlines(), _SEPARATOR], start=1):
        if line.rstrip() == _SEPARATOR:
            chunks.append(Chunk(file, start, "\n".join(lines) + "\n", allows))
            start, lines = number + 1, []
        else:
            lines.append(line)
    return [c for c in chunks if _without_comments(c.text).strip()]


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda m: m[1] or "", text)


# ---- the judge


def upstream_generic(texts: Sequence[str], allows_unregistered: bool) -> list[str | None]:
    """What `mlir-opt` prints for each text in generic form, or None where it refuses the text."""
    if not texts:
        return []
    joined = f"\n{_SEPARATOR}\n".join(texts)
    status, output, _ = _mlir_opt(joined, allows_unregistered, "--split-input-file")
    parts = output.split(f"{_SEPARATOR}\n")
    if status in (0, 1) and len(parts) == len(texts):
        return [part if part.strip() else None for part in parts]
    # It crashed on one of them, or a text has a separator that is not on a line of its own.
    alone = [_mlir_opt(text, allows_unregistered) for text in texts]
    return [output if status == 0 else None for status, output, _ in alone]


def upstream_error(text: str, allows_unregistered: bool) -> str:
    """The first error of `mlir-opt` for a text."""
    _, _, errors = _mlir_opt(text, allows_unregistered)
    found = re.search(r"error: (.*)", errors)
    return found[1] if found else errors.strip().partition("\n")[0]


def _mlir_opt(text: str, allows_unregistered: bool, *flags: str) -> tuple[int, str, str]:
    path = upstream_opt()
    assert path is not None
    command = [path, _GENERIC, *flags]
    if allows_unregistered:
        command.append("--allow-unregistered-dialect")
    done = subprocess.run(command, input=text.encode("utf-8", "surrogateescape"), capture_output=True, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@cache
def _is_op_of_upstream(name: str) -> bool:
    """Whether `mlir-opt` has an op of this name: what it says about one without operands tells."""
    _, _, errors = _mlir_opt(f'"{name}"() : () -> ()', allows_unregistered=False)
    return "unregistered" not in errors


@cache
def _ops_of_mlc(dialect: str) -> frozenset[str]:
    from mlc.compiler.compilation import new_context

    ctx = new_context()
    if dialect not in ctx.registered_dialect_names:
        return frozenset()
    return frozenset(op.name for op in ctx.get_dialect(dialect).operations)


def unknown_names(chunk: Chunk, generic: str | None) -> list[str]:
    """The ops in a chunk that upstream has and mlc lacks, and the types and attributes of upstream's test dialect.

    Args:
        generic: the chunk in generic form, where upstream accepts it.
    """
    text = _without_comments(chunk.text)
    names: set[str] = set(_OP_IN_TEXT.findall(text) if generic is None else _GENERIC_OP.findall(generic))
    unknown = {n for n in names if n not in _ops_of_mlc(n.partition(".")[0])}
    return sorted([n for n in unknown if n.startswith("test.") or _is_op_of_upstream(n)]) + _TEST_DIALECT.findall(text)


# ---- mlc


def read_and_print(chunk: Chunk) -> tuple[str, str]:
    """What mlc does with a chunk: GIVEN_BACK and its text, REFUSED or BUG and why."""
    from mlc.compiler.compilation import new_context, parse_verified
    from mlc.syntax import module_text

    try:
        with at_most(_SECONDS_PER_CHUNK):
            ctx = new_context(allow_unregistered=chunk.allows_unregistered)
            module = parse_verified(chunk.text, chunk.file.name, ctx, chunk.file.parent)
            return GIVEN_BACK, module_text(module, ctx)
    except UserError as e:
        return REFUSED, e.message
    except Exception as e:
        return BUG, f"{_origin(e)}: {type(e).__name__}: {e}"


def _origin(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


# ---- one file


def judge(file: Path) -> list[Verdict]:
    """The verdicts on the chunks of a file."""
    chunks = chunks_of(file)
    if not chunks:
        return []
    allows = chunks[0].allows_unregistered
    verdicts: list[Verdict] = []
    printed: list[tuple[Chunk, str, str]] = []
    for chunk, generic in zip(chunks, upstream_generic([c.text for c in chunks], allows), strict=True):
        accepted = generic is not None
        unknown = unknown_names(chunk, generic)
        outcome, text = (OUTSIDE, " ".join(unknown)) if unknown else read_and_print(chunk)
        if generic is not None and outcome == GIVEN_BACK:
            printed.append((chunk, generic, text))
            continue
        if accepted and outcome == REFUSED:
            outcome = NOT_READ
        elif not accepted and outcome == GIVEN_BACK:
            outcome, text = NOT_REFUSED, upstream_error(chunk.text, allows)
        verdicts.append(Verdict(chunk.file, chunk.line, accepted, outcome, text))
    again = upstream_generic([text for _, _, text in printed], allows)
    for (chunk, generic, text), read_back in zip(printed, again, strict=True):
        verdicts.append(_compare(chunk, generic, text, read_back))
    return sorted(verdicts, key=lambda v: v.line)


def _compare(chunk: Chunk, generic: str, printed: str, read_back: str | None) -> Verdict:
    if read_back is None:
        why = upstream_error(printed, chunk.allows_unregistered)
        return Verdict(chunk.file, chunk.line, True, NOT_READ_BACK, why)
    if read_back != generic:
        return Verdict(chunk.file, chunk.line, True, DIFFERENT, _first_difference(generic, read_back))
    return Verdict(chunk.file, chunk.line, True, GIVEN_BACK)


def _first_difference(expected: str, found: str) -> str:
    """The first line that differs, from a few characters before the difference on."""
    for one, other in zip(expected.splitlines(), found.splitlines(), strict=False):
        if one != other:
            at = next(
                (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
            )
            at = max(at - 30, 0)
            name = _GENERIC_OP.search(one)
            return f"{name[1] if name else 'text'}: {one[at : at + 70].strip()} became {other[at : at + 70].strip()}"
    return "one has more lines"


# ---- the report


@dataclass(frozen=True)
class Totals:
    """The counts of some verdicts."""

    accepted: int
    given_back: int
    refused: int
    refused_too: int
    bugs: int
    outside: int

    @staticmethod
    def of(verdicts: Sequence[Verdict]) -> Totals:
        """Count."""
        inside = [v for v in verdicts if v.outcome != OUTSIDE]
        return Totals(
            sum(v.accepted for v in inside),
            sum(v.outcome == GIVEN_BACK for v in inside),
            sum(not v.accepted for v in inside),
            sum(v.outcome == REFUSED for v in inside),
            sum(v.outcome == BUG for v in inside),
            len(verdicts) - len(inside),
        )

    def reaches_goals(self) -> bool:
        """Whether all three goals are reached."""
        enough = self.given_back >= GOAL_GIVEN_BACK * self.accepted
        return enough and self.refused_too >= GOAL_REFUSED * self.refused and not self.bugs

    def __str__(self) -> str:
        """A line of the table."""
        read = f"{self.given_back:5} of {self.accepted:5} {_share(self.given_back, self.accepted)}"
        refused = f"{self.refused_too:5} of {self.refused:5} {_share(self.refused_too, self.refused)}"
        return f"{read}  {refused}  {self.bugs:5}  {self.outside:7}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f}%" if whole else "      "


def report(verdicts: Sequence[Verdict], folder: Path, examples: int) -> str:
    """The table of folders, and the failures by reason with at most `examples` places each."""
    by_suite: defaultdict[str, list[Verdict]] = defaultdict(list)
    for v in verdicts:
        by_suite[_suite(v.file, folder)].append(v)
    width = max(map(len, [*by_suite, "total"]))
    lines = [f"{'':{width}}  {'given back':>21}  {'refused too':>21}  {'bugs':>5}  outside"]
    lines += [f"{name:{width}}  {Totals.of(group)}" for name, group in by_suite.items()]
    lines += [f"{'total':{width}}  {Totals.of(verdicts)}"]
    for outcome in FAILURES:
        failed = [v for v in verdicts if v.outcome == outcome]
        if failed:
            lines += ["", f"{outcome}: {len(failed)}", *_by_reason(failed, folder, examples)]
    if unknown := Counter(name for v in verdicts if v.outcome == OUTSIDE for name in v.reason.split()):
        common = ", ".join(f"{name} ({count})" for name, count in unknown.most_common(_UNKNOWN_LISTED))
        lines += ["", f"{OUTSIDE}, the most frequent: {common}"]
    return "\n".join(lines)


def _by_reason(failed: Sequence[Verdict], folder: Path, examples: int) -> Generator[str]:
    counts = Counter(kind_of(v.reason) for v in failed)
    for kind, count in counts.most_common():
        group = [v for v in failed if kind_of(v.reason) == kind]
        yield f"  {count:4}  {group[0].reason.splitlines()[0][:200] if group[0].reason else '(no reason)'}"
        yield from (f"          {_relative(v.file, folder)}:{v.line}" for v in group[:examples])


def kind_of(reason: str) -> str:
    """A reason without what differs from text to text: names, numbers, what stands in quotes."""
    line = reason.partition("\n")[0]
    return re.sub(r"'[^']*'|\"[^\"]*\"|[%@^#!][\w.$-]+|-?\d+", "…", line)[:80]


def _suite(file: Path, folder: Path) -> str:
    parts = _relative(file, folder).parts
    return "/".join(parts[:2] if parts[0] == "Dialect" else parts[:1]) if len(parts) > 1 else "."


def _relative(file: Path, folder: Path) -> Path:
    return file.relative_to(folder) if file != folder else Path(file.name)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 1 if a goal is missed, 2 if nothing can be judged."""
    parser = argparse.ArgumentParser(
        prog="python -m mlc.testing.upstream", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="mlir/test of an LLVM source tree, or any folder or file")
    parser.add_argument("--jobs", type=int, default=1, help="processes that work at the same time")
    parser.add_argument("--examples", type=int, default=3, help="places to name for each reason")
    arguments = parser.parse_args(argv)
    folder: Path = arguments.folder
    files = files_of(folder) if folder.exists() else []
    if upstream_opt() is None or not files:
        missing = "there is no mlir-opt of version 19 or newer" if files else f"no .mlir files in '{folder}'"
        print(f"{parser.prog}: {missing}", file=sys.stderr)
        return 2
    if arguments.jobs > 1:
        with ProcessPoolExecutor(arguments.jobs) as pool:
            verdicts = [v for found in pool.map(judge, files) for v in found]
    else:
        verdicts = [v for file in files for v in judge(file)]
    print(report(verdicts, folder, arguments.examples))
    return 0 if Totals.of(verdicts).reaches_goals() else 1


if __name__ == "__main__":
    sys.exit(main())
