"""What a user may choose of a compilation, each option in one place.

An option is a field with a `Choice` in its metadata: of `PipelineOptions` if passes follow it, of `CompileOptions` if
none does. Command lines, `mlc.compile`, the frameworks, the key of what was compiled before and the page
`docs/options.md` follow from it. Its type for Python stands in the `TypedDict` of the same file, as type checkers
cannot read metadata.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, SupportsIndex

from mlc.pass_manager.pipeline_options import (
    Choice,
    Kind,
    PipelineOptions,
    PythonPipelineOptions,
    choices_of,
    option,
)
from mlc.support.bindings import Bindings
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from mlc.schedules.records.recorded_schedules import RecordedSchedules

_FROM_PYTHON: dict[Kind, tuple[Any, Callable[[Any], Any]]] = {
    "name": (str, str),
    "number": (SupportsIndex, operator.index),
    "path": ((str, os.PathLike), os.fspath),
}
"""The types that Python programs give, and what makes values of these."""


@dataclass(frozen=True)
class CompileOptions(PipelineOptions):
    """What a user may choose: what passes follow, and what they do not."""

    cc: str | None = option(
        None,
        Choice(
            "path",
            "the clang to use instead of the newest one found",
            "the name or the path of a clang, or None",
            metavar="CLANG",
            known_by_contents=True,
        ),
    )
    records: str | None = option(
        None,
        Choice(
            "path",
            "take schedules that `mlc tune` found from FILE instead of your own records",
            "the path of a file of records, or None",
            metavar="FILE",
            of_frameworks=False,
            known_by_contents=True,
        ),
    )
    instrument: str = option(
        "nothing",
        Choice(
            "name",
            "kernels: the model can record when its kernels run, for mlc run --trace and mlc.trace (nothing)",
            choices=("nothing", "kernels"),
            of_frameworks=False,
        ),
    )
    debug_info: str = option(
        "none",
        Choice(
            "name",
            "the text of which instructions have lines, for debuggers and profilers: the model, or its loops (none)",
            flag="-g",
            choices=("none", "model", "loops"),
            of_frameworks=False,
        ),
    )
    prefix: str = ""
    """What stands before the model's name in the names for C, so that several fit into one program."""
    bindings: Bindings = field(default_factory=Bindings)
    """What is given to inputs whose shapes or values the model leaves open."""
    suffix: str = ""
    """What stands after the model's name in the names for C, where it is compiled for several shapes."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells artifacts apart, but for options whose contents do."""
        values = [getattr(self, f.name) for f in fields(self) if not _is_known_by_contents(f.metadata)]
        return tuple(value.identity if isinstance(value, Bindings) else str(value) for value in values)

    def check(self) -> None:
        """Raises: UserError if an option has a value that it cannot have, the target is unknown, the prefix is not a
        name in C, or the file of records is none."""
        from mlc.targets.machine import resolve_target

        if self.prefix and not (self.prefix.isidentifier() and self.prefix.isascii()):
            raise UserError(f"--prefix '{self.prefix}' is not a name in C; use letters, digits and '_'")
        super().check()
        resolve_target(self.target)
        if self.records:
            from mlc.schedules.records.record_file import require_records

            require_records(self.records)

    def recorded_schedules(self) -> RecordedSchedules | None:
        """What records say about schedules, if there are any.

        Raises:
            UserError: the file of records does not exist.
        """
        from mlc.schedules.records.record_file import records_file

        if self.records == "" or (file := records_file(self.records)) is None:
            return None
        from mlc.schedules.records.recorded_schedules import RecordedSchedules

        return RecordedSchedules(file, self)


def _is_known_by_contents(metadata: Mapping[Any, Any]) -> bool:
    return "option" in metadata and metadata["option"].known_by_contents


OPTIONS = choices_of(CompileOptions)
"""What users choose, by name."""
FRAMEWORK_OPTIONS = tuple(name for name, each in OPTIONS.items() if each.of_frameworks)
"""The names of those that say how, not what."""


def default_of(name: str) -> Any:
    """The value of an option that is not given."""
    return getattr(CompileOptions, name)


class PythonOptions(PythonPipelineOptions, total=False):
    """The options of `mlc.compile`, each of which may be left out."""

    cc: str | os.PathLike[str] | None
    records: str | os.PathLike[str] | None
    instrument: str
    debug_info: str


def options_of_python(given: Mapping[str, object]) -> CompileOptions:
    """The options that a Python program chose.

    Raises:
        TypeError: there is no such option, or its value is of another type.
        UserError: one is wrong.
    """
    chosen: dict[str, Any] = {}
    for name, value in given.items():
        if name not in OPTIONS:
            raise TypeError(
                f"compile() got an unexpected keyword argument '{name}'; its options are {', '.join(OPTIONS)}"
            )
        types, convert = _FROM_PYTHON[OPTIONS[name].kind]
        if value is None and default_of(name) is None:
            continue
        if not isinstance(value, types):
            raise TypeError(f"found {name}={value!r}; required: {OPTIONS[name].required}")
        chosen[name] = convert(value)
    options = CompileOptions(**chosen)
    options.check()
    return options
