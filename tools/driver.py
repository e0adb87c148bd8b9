"""What the command lines share: reading input, writing output, turning exceptions into messages and exit statuses."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

from mlc.pass_manager.registry import plugin_passes, suggest
from mlc.support.additions import plugin_scope
from mlc.support.address_limit import address_limit
from mlc.support.blame import blame, is_raised_in_plugin
from mlc.support.errors import CompilerBug, Note, SourceLocation, UserError, UserErrors
from mlc.support.file_kinds import kind_of, suffix_advice
from mlc.support.portable_bytecode import text_of_artifact
from mlc.support.python_warnings import FormerNameWarning
from mlc.support.recursion import deep_recursion

if TYPE_CHECKING:
    from mlc.support.context import CompilerContext

USER_ERROR = 1
COMPILER_BUG = 70
"""The status that BSD's sysexits.h gives to an internal software error."""
INTERRUPTED = 130
BROKEN_PIPE = 141

_sources: dict[str, str] = {}
"""The texts that this process has read, by name: messages show lines of them."""

Namespace = argparse.Namespace


_showing_tracebacks = False
"""Whether the command line that runs asked for them."""


class _ShowTraceback(argparse.Action):
    """An option that shows from then on where exceptions come from."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, *arguments: object) -> None:
        global _showing_tracebacks
        _showing_tracebacks = True


class ArgumentParser(argparse.ArgumentParser):
    """argparse, with errors as user errors, suggestions, and no guessing at abbreviated options.

    Every tool has the option `--traceback`.
    """

    late_epilog: Callable[[], str] | None = None
    """Gives the text below the options, which takes time to collect."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(
            prog, description=description, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        text = "show where in Python an error comes from, for people who write passes and dialects"
        self.add_argument("--traceback", action=_ShowTraceback, help=text)

    def parse(self, argv: Sequence[str]) -> Namespace:
        """Parse the words, all of which have to be known; options may stand between the others."""
        arguments, unknown = self.parse_known_intermixed_args([self._with_constant(word) for word in argv])
        for word in unknown:
            if word.startswith("-"):
                flag = word.partition("=")[0]
                raise UserError(f"unknown option '{flag}'{suggest(flag, self.flags())} (see '{self.prog} --help')")
            self.error(f"unexpected argument '{word}'")
        return arguments

    def _with_constant(self, word: str) -> str:
        """Spell out the value of an option that may stand without one, so that it does not take the next word."""
        action = self._option_string_actions.get(word)
        return f"{word}={action.const}" if action is not None and action.nargs == "?" else word

    def format_help(self) -> str:
        """The help, with `--flag[=VALUE]` for a value that may be left out: it does not take the next word."""
        if self.late_epilog is not None:
            self.epilog = self.late_epilog()
        text = super().format_help()
        for action in self._actions:
            if action.nargs == "?" and action.option_strings:
                flag = action.option_strings[-1]
                text = text.replace(f"{flag} [{action.metavar}]", f"{flag}[={action.metavar}]")
        return text

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is none of the choices of an argument."""
        if action.choices is not None and value not in action.choices:
            known = [str(each) for each in action.choices]
            what = action.option_strings[-1] if action.option_strings else action.metavar or action.dest
            self.error(f"found '{value}' as {what}; it is one of {', '.join(known)}{suggest(str(value), known)}")

    def flags(self) -> list[str]:
        """All option names."""
        return list(self._option_string_actions)

    def meanings(self) -> dict[str, str]:
        """What each option is for, by its names."""
        return {flag: action.help or "" for flag, action in self._option_string_actions.items()}

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see '{self.prog} --help')")


def run_tool(name: str, body: Callable[[], int | None]) -> int:
    """Run `body` and return the exit status; whatever goes wrong becomes a message on standard error.

    With `--traceback` it comes with Python's traceback. `MLC_TRACEBACK=1` in the environment lets exceptions through,
    for debuggers.
    """
    global _showing_tracebacks
    _showing_tracebacks = False
    _replace_closed_streams()
    with plugin_scope(), deep_recursion(), _names_told(name):
        return _guarded(name, body)


@contextmanager
def _names_told(tool: str) -> Generator[None]:
    """Warnings of former names are a line each on standard error, and nothing is said twice."""
    told: set[str] = set()
    show = warnings.showwarning

    def show_once(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, FormerNameWarning):
            show(message, category, *place, **more)
        elif str(message) not in told:
            told.add(str(message))
            print(f"{tool}: warning: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", FormerNameWarning)
        warnings.showwarning = show_once
        yield


class _ClosedOutput(io.TextIOBase):
    """Standard output that somebody closed before the tool started: fine as long as there is nothing to write."""

    def write(self, _: str) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


def _replace_closed_streams() -> None:
    """Python has None for them. Their numbers are taken, so that no file that is opened later is written to instead."""
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if cast(object, stream) is None:
            while (taken := os.open(os.devnull, os.O_RDWR)) < number:
                pass
            if taken > number:
                os.close(taken)
    if cast(object, sys.stdin) is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    if cast(object, sys.stdout) is None:
        sys.stdout = cast(TextIO, _ClosedOutput())
    if cast(object, sys.stderr) is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115


def _guarded(name: str, body: Callable[[], int | None]) -> int:
    try:
        status = body() or 0
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print(f"\n{name}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return BROKEN_PIPE
    except SystemExit as e:  # argparse after --help and --version
        if (place := blame(e)) is not None:
            print_error(name, UserError(f"SystemExit: {e.code}; raise an exception instead", place))
            return USER_ERROR
        return e.code if isinstance(e.code, int) else 0
    except Exception as e:
        if os.environ.get("MLC_TRACEBACK"):
            raise
        return report(name, e)


def report(name: str, error: Exception) -> int:
    """Print `error` the way users are to see it and return the exit status that it calls for."""
    if _showing_tracebacks:
        traceback.print_exception(error)
    match error:
        case UserErrors():
            for each in error.errors:
                print_error(name, each)
            _explain_constraints(error.errors)
            return USER_ERROR
        case UserError():
            print_error(name, error)
            _explain_constraints([error])
            return USER_ERROR
        case OSError() if blame(error) is None:
            place = f"'{error.filename}': " if error.filename else ""
            print_error(name, UserError(f"{place}{error.strerror or error}"))
            return USER_ERROR
        case MemoryError() | ImportError() if isinstance(error, MemoryError) or address_limit() is not None:
            print_error(name, UserError(_out_of_memory(error)))
            return USER_ERROR
        case RecursionError() if not is_raised_in_plugin(error):
            print_error(name, UserError("the input nests too deeply"))
            return USER_ERROR
        case _ if (place := blame(error)) is not None:
            print_error(name, _of_plugin(error, place))
            return USER_ERROR
        case CompilerBug():
            print_bug(name, error)
        case _:
            print_bug(name, CompilerBug(f"{type(error).__name__}: {error}", _origin(error)))
    return COMPILER_BUG


def _out_of_memory(error: Exception) -> str:
    """That memory, or addresses for a library of Python, are used up, and what limits them."""
    if (limit := address_limit()) is None:
        return "out of memory"
    cause = f": {error}" if isinstance(error, ImportError) else ""
    return f"out of memory{cause}; this process is limited to {limit >> 20:,} MiB of addresses (ulimit -v)"


def _of_plugin(error: Exception, place: SourceLocation) -> UserError:
    """The error for a line of a plugin that failed."""
    if isinstance(error, CompilerBug):
        return UserError(error.message, place, [*map(Note, error.reproducer_lines)])
    return UserError(f"{type(error).__name__}: {error}", place)


def _origin(error: BaseException) -> str:
    """The innermost line of mlc that `error` came through, as file:line."""
    root = Path(__file__).parent.parent
    frames = [f for f in traceback.extract_tb(error.__traceback__) if root in Path(f.filename).parents]
    return f"{Path(frames[-1].filename).relative_to(root)}:{frames[-1].lineno}"


def print_error(name: str, error: UserError) -> None:
    """Print one user error with its source line and its notes to standard error."""
    from mlc.support.diagnostics import render

    prefix = f"{name}: " if error.location is None else ""
    color = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    print(prefix + render(error, _sources, color), file=sys.stderr)


def _explain_constraints(errors: Sequence[UserError]) -> None:
    """Say what the names of constraints are, `(matmul_c2)`, and where they are listed; once for each op."""
    for subject in dict.fromkeys(each.subject for each in errors if each.constraint is not None and each.subject):
        names = dict.fromkeys(each.constraint for each in errors if each.constraint and each.subject == subject)
        page = f"docs/dialects/{subject.partition('.')[0]}.md"
        words = "is a constraint" if len(names) == 1 else "are constraints"
        print(f"note: {', '.join(names)} {words} of {subject}, which {page} lists", file=sys.stderr)


def print_bug(name: str, bug: CompilerBug) -> None:
    """Say that mlc, or a pass of a plugin, has a bug, where, and what to send along with a report."""
    plugin = plugin_passes.get(bug.stage)
    owner = f"a pass of {plugin.origin}" if plugin else "mlc"
    print(f"{name}: bug in {owner}: {bug.message}\n  in: {bug.stage}", file=sys.stderr)
    for line in (*bug.details.splitlines(), *bug.reproducer_lines):
        print(f"  {line}", file=sys.stderr)
    if plugin is None:
        print("  please report it together with the input (--traceback shows where in mlc)", file=sys.stderr)
    if bug.reproducer is not None:
        from mlc.tools.reduce_reproducer import reduce_reproducer

        print(f"  {reduce_reproducer(bug.reproducer)}", file=sys.stderr)


def read_text(file: str) -> tuple[str, str]:
    """The text of `file`, or of standard input for `-`, without a byte order mark, and the name to use in messages.

    Raises:
        UserError: it cannot be read, is a file of a kind that is known for something else, or is not UTF-8 text.
    """
    name = "<stdin>" if file == "-" else file
    try:
        if file == "-" and sys.stdin.isatty():
            print("note: reads the text from this terminal; its end is Ctrl-D", file=sys.stderr)
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except FileNotFoundError:
        raise UserError(f"input file '{file}' not found") from None
    except IsADirectoryError:
        raise UserError(f"input '{file}' is a directory, not a file") from None
    except OSError as e:
        raise UserError(f"cannot read input file '{file}': {e.strerror}") from None
    if (text := text_of_artifact(data, name)) is not None:
        _sources[name] = text
        return text, name
    if (kind := kind_of(data)) is not None:
        raise UserError(f"'{name}' is {kind}, not MLIR text{suffix_advice(kind)}")
    try:
        _sources[name] = data.decode("utf-8").removeprefix("\ufeff")
        return _sources[name], name
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise UserError(
            f"'{name}' is not UTF-8 text: byte 0x{data[e.start]:02x} at offset {e.start}",
            SourceLocation(name, line),
        ) from None


def check_not_input(output: str, inputs: Iterable[str | Path]) -> None:
    """Protect the inputs of a command from its output; `-` is standard input or output.

    Raises:
        UserError: `output` is the same file as one of `inputs`.
    """
    if output != "-" and any(_is_same_file(output, each) for each in inputs if each != "-"):
        raise UserError(f"'{output}' is an input; choose another output")


def _is_same_file(one: str | Path, other: str | Path) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:  # one of them does not exist
        return False


@contextmanager
def open_output(path: str) -> Generator[TextIO]:
    """A text stream to `path`, or to standard output for `-`; a file appears only once it is complete.

    Raises:
        UserError: it cannot be written.
    """
    if path == "-":
        yield sys.stdout
        return
    from mlc.targets.output import staged_output

    with staged_output(Path(path)) as staged, staged.open("w", encoding="utf-8") as stream:
        yield stream


def _drop_stdout() -> None:
    """Nobody reads standard output any more; keep Python from complaining when it flushes at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


def print_remarks(ctx: CompilerContext, *, remarks: bool) -> None:
    """Print the warnings of the passes to standard error, each once, and the remarks if they are asked for."""
    for kind, told in (("remark", ctx.remarks if remarks else ()), ("warning", ctx.warnings)):
        for each in dict.fromkeys(told):
            place = f"{each.location}: " if each.location else ""
            print(f"{place}{kind}: {each.message}", file=sys.stderr)
