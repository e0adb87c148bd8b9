"""Finding the artifact of a model that was compiled before: its text is not even parsed.

    the model, the options, the machine, clang and linker, mlc itself ── recipe ──> the other files that the model names
    the recipe, the bytes of these files ─────────────────────────────────────────> the artifact in the compile cache

All that an artifact depends on is part of a key by its contents, the sources of mlc included, so that neither times of
files nor version numbers are trusted. The model's own file is part of the recipe, whatever its name; the files that it
names are those that a compilation opened (`Resources.named`). What plugins contribute cannot be told by contents: a
process that has loaded one, or that may load one, neither recalls nor remembers.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from mlc.compiler.backends import backend_of
from mlc.schedules.records.record_file import records_digest
from mlc.support.additions import installed_in, load_options
from mlc.support.blame import plugin_files
from mlc.support.file_digest import file_digest
from mlc.support.former_names import groups_of
from mlc.targets.cache import Cache, digest
from mlc.targets.machine import resolve_target
from mlc.targets.output import restore_output

if TYPE_CHECKING:
    from mlc.compiler.options import CompileOptions
    from mlc.support.context import CompilerContext
    from mlc.support.model_source import ModelSource
    from mlc.targets.build import BuildReport

_OTHER_FOLDERS = ("benchmarks", "build", "docs", "examples", "tests", "testing", "tools")
"""What lies in the package, or beside it in the repository, and has no influence on artifacts."""
_SOURCES = (".py", ".lark", ".c", ".h")
_PACKAGES = ("xdsl", "numpy", "ml_dtypes", "lark", "safetensors", "onnx", "torch", "jax", "jaxlib")
"""What a conversion may ask: for schemas, decompositions, numbers of a type, or what constants fold to."""
_MODEL = "\0"
"""What stands in the cache for the name of the model, in places of warnings."""


@dataclass(frozen=True)
class Recipe:
    """What an artifact is made from, weight files excepted."""

    model: ModelSource
    options: CompileOptions
    form: str
    """A form of the backend."""
    cache: Cache = field(default_factory=Cache.default)
    created: int = field(default_factory=time.time_ns)
    warned: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]], compare=False)
    """What the compilation that is recalled, or remembered, warned of: place, or nothing, and message."""

    def weight_files(self) -> list[Path] | None:
        """The files that the model names; None if it was never compiled like this.

        Raises:
            UserError: there is no usable clang.
        """
        names = self._names()
        return None if names is None else [self.model.base / name for name in names]

    def recall(self, output: Path) -> bool:
        """Make the file `output`; False if the cache does not have the artifact.

        Raises:
            UserError: there is no usable clang, or `output` cannot be written.
        """
        names = self._names()
        if names is None:
            return False
        try:
            noted = self.cache.read(self._key_with(names, [_contents(self.model.base / name) for name in names]))
        except OSError:  # of a weight file, which the compiler explains
            return False
        if noted is None:
            return False
        key, warned = json.loads(noted)
        self.warned[:] = [(place.replace(_MODEL, self.model.file), message) for place, message in warned]
        return restore_output(self.cache, key, self.form, output)

    def remember(self, ctx: CompilerContext, report: BuildReport) -> None:
        """Note what a build gave for this recipe, and what it warned of, unless the model or a weight file changed."""
        named = ctx.resources.named
        self.warned[:] = [(str(each.location or ""), each.message) for each in ctx.warnings]
        if not self._is_complete():
            return
        key = self._key_with(list(named), [file.digest() for file in named.values()])
        # Asked last, so that no change comes between; within a tick of the clock of files, a second one does not show.
        if not (self.model.is_unchanged and all(file.is_older_than(self.created) for file in ctx.resources.read)):
            return
        self.cache.write(self._key, json.dumps(list(named)).encode())
        # The same text may be found again under another name.
        own = f"{self.model.file}:"
        warned = [(_MODEL + place[len(own) - 1 :] if place.startswith(own) else place, m) for place, m in self.warned]
        self.cache.write(key, json.dumps([report.key, warned]).encode())

    def _names(self) -> list[str] | None:
        found = self.cache.read(self._key) if self._is_complete() else None
        return None if found is None else json.loads(found)

    def _is_complete(self) -> bool:
        """Whether nothing else has an influence, such as the path that lines are of; headers are not cached."""
        if self.options.debug_info != "none":
            return False
        return self.form != "header" and not plugins_may_take_part()

    @cached_property
    def _key(self) -> str:
        machine = resolve_target(self.options.target)
        tools = backend_of(machine).tools(machine, self.form, self.options, self.cache)
        choices = repr(machine), self.form, *self.options.identity, records_digest(self.options.records)
        return digest("recipe", compiler_identity(), *tools, *choices, self.model.identity)

    def _key_with(self, names: Sequence[str], contents: Sequence[str]) -> str:
        return digest("recipe with weights", self._key, *names, *contents)


def _contents(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream.fileno())


def _version(package: str) -> str:
    """The version of a package; empty if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def plugins_may_take_part() -> bool:
    """Whether a compilation may depend on what a plugin contributes."""
    return bool(plugin_files) or bool(load_options()) or _joins_all_compilations()


@cache
def _joins_all_compilations() -> bool:
    """Whether a package adds what takes part in each compilation, whatever the model names."""
    return bool(installed_in(*groups_of("mlc.templates"), "mlc.placed_passes", "mlc.architectures", "mlc.backends"))


@cache
def compiler_identity() -> str:
    """What is equal for compilers that make equal artifacts: the sources of mlc, and the versions of what it calls."""
    root = Path(__file__).parents[1]
    parts = list(map(_version, _PACKAGES))
    for folder, below, files in os.walk(root):
        skipped = _OTHER_FOLDERS if folder == str(root) else ()
        below[:] = sorted(name for name in below if name.isidentifier() and name not in skipped)
        for name in sorted(files):
            if name.endswith(_SOURCES):
                path = Path(folder) / name
                parts += [str(path.relative_to(root)), _contents(path)]
    return digest(*parts)
