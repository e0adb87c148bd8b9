"""Plugins that are one Python file."""

from __future__ import annotations

import dis
import hashlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeVar

from xdsl.ir import Dialect, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PyRDLError
from xdsl.utils.lexer import Span

from mlc.architectures import add_architecture
from mlc.architectures.architecture import Architecture
from mlc.compiler.backend import Backend
from mlc.compiler.backends import plugin_backends
from mlc.dialects.loop.steps import Step, plugin_steps
from mlc.dialects.registry import check_dialect, plugin_dialects
from mlc.frontends.frontend import Frontend
from mlc.frontends.registry import plugin_frontends
from mlc.pass_manager.base import Pass
from mlc.pass_manager.foreign_pass import as_pass_type
from mlc.pass_manager.lowering import lowerings_of
from mlc.pass_manager.named_pipelines import NamedPipeline
from mlc.pass_manager.pipeline import LEVEL_CONVERSIONS
from mlc.pass_manager.registry import load_pass as load_pass_by_name
from mlc.pass_manager.registry import pass_names, plugin_passes, plugin_pipelines, suggest
from mlc.plugins.enums import check_enums
from mlc.plugins.formats import check_formats
from mlc.plugins.signatures import check_signatures
from mlc.schedules.schedule_template import ScheduleTemplate, plugin_templates
from mlc.support.additions import change, count_registrations, modules_of_packages, note_load_option, text_loaded
from mlc.support.blame import blame, plugin_files
from mlc.support.errors import SourceLocation, UserError
from mlc.syntax.mismatches import explain_format

_T = TypeVar("_T")
_modules: dict[str, ModuleType] = {}
"""The files that this process has run, by the names that `_name_of` gives: a file is not run twice, because what it
registers stays registered."""
_failed: set[str] = set()
"""The names of modules of files that failed, which may run again: what they registered stays, too, and never counts."""


def load_dialect(path: str | os.PathLike[str]) -> None:
    """Run a Python file and make its dialects and passes known, with the patterns and meanings that it registers.

    Files that are loaded later can import it by its name. If the file was loaded with another text, what that added is
    forgotten.

    Args:
        path: the file.

    Raises:
        UserError: the file is not there or fails, holds no dialect, or a name in it is taken; all is as it was before.
    """
    load_dialect_text(path, _read(Path(path)))


def load_dialect_text(path: str | os.PathLike[str], text: bytes) -> None:
    """What `load_dialect` does, with `text` in place of what the file has."""
    with _loaded(Path(path), text) as module:
        _add_dialects(module, path)
        _add_passes(module, path)
        note_load_option(f"--load-dialect={Path(path).resolve()}")


def _add_dialects(module: ModuleType, path: str | os.PathLike[str]) -> None:
    dialects = list(_values(module, Dialect))
    if not dialects:
        hint = (
            "load it by --load-pass, in Python by mlc.load_pass"
            if any(_passes(module))
            else 'define one: `My = Dialect("my", [MyOp], [])`'
        )
        raise UserError(f"plugin '{path}' exports no Dialect; {hint}")
    for dialect in dialects:
        check_dialect(dialect, f"'{path}'")
        check_formats(dialect, f"'{path}'")
        check_enums(dialect, f"'{path}'")
        plugin_dialects.add(dialect.name, lambda dialect=dialect: dialect, f"'{path}'")


def load_pass(path: str | os.PathLike[str]) -> None:
    """Run a Python file and make its passes, named pipelines, steps of schedules, schedule templates, frontends,
    architectures and backends known, and its patterns. If the file was loaded with another text, what that added is
    forgotten.

    Args:
        path: the file.

    Raises:
        UserError: the file is not there or fails, holds nothing of that, or a name in it is taken; all is as it was
            before.
    """
    load_pass_text(path, _read(Path(path)))


def load_pass_text(path: str | os.PathLike[str], text: bytes) -> None:
    """What `load_pass` does, with `text` in place of what the file has."""
    with _loaded(Path(path), text) as module:
        _require_additions(module, path)
        _add_passes(module, path)
        note_load_option(f"--load-pass={Path(path).resolve()}")


def _require_additions(module: ModuleType, path: str | os.PathLike[str]) -> None:
    """Check that there is something in a module that `load_pass` is for."""
    found = [*_passes(module), *_steps(module), *_templates(module), *_values(module, NamedPipeline)]
    found += [*_classes(module, Frontend), *_classes(module, Backend), *_classes(module, Architecture)]
    if not found and not lowerings_of(module.__name__):
        if any(_values(module, Dialect)):
            raise UserError(f"plugin '{path}' exports a Dialect and no Pass; load it by --load-dialect")
        raise UserError(
            f"plugin '{path}' exports no Pass, no NamedPipeline, no step of schedules, no schedule template, no "
            "frontend, no architecture, no backend and no pattern; derive from mlc.pass_manager.base.Pass, "
            "mlc.schedules.steps.base.LoopStep or mlc.schedules.schedule_template.ScheduleTemplate; a pattern is a "
            'class under @mlc.pass_manager.lowering.lowers("convert-graph-to-tensor", MyOp), with the pass it is for'
        )


def load_plugin(path: str | os.PathLike[str]) -> None:
    """Load a file as `load_dialect` or else as `load_pass` does, whichever it is for.

    Raises:
        UserError: as these.
    """
    text = _read(Path(path))
    with _loaded(Path(path), text) as module:
        load = load_dialect_text if any(_values(module, Dialect)) else load_pass_text
        load(path, text)


def _add_passes(module: ModuleType, path: str | os.PathLike[str]) -> None:
    for pass_type in _passes(module):
        if (problem := pass_type.problem()) is not None:
            place = SourceLocation(str(path), _line_of(pass_type))
            raise UserError(f"the pass '{pass_type.__name__}' {problem}", place)
        plugin_passes.add(pass_type.name, lambda pass_type=pass_type: pass_type, f"'{path}'")
    for pipeline in _values(module, NamedPipeline):
        plugin_pipelines.add(pipeline.name, lambda pipeline=pipeline: pipeline, f"'{path}'")
    for step in _steps(module):
        if (problem := step.problem()) is not None:
            place = SourceLocation(str(path), _line_of(step))
            raise UserError(f"the schedule step '{step.__name__}' {problem}", place)
        if (twin := next((s for s in _steps(module) if s.name == step.name and s is not step), None)) is not None:
            classes = f"'{step.__name__}' and '{twin.__name__}'"
            message = f"{classes} of '{path}' are both schedule steps named '{step.name}'; rename one"
            raise UserError(message, SourceLocation(str(path), _line_of(twin)))
        plugin_steps.add(step.name, lambda step=step: step, f"'{path}'")
    for frontend in _classes(module, Frontend):
        if not isinstance(getattr(frontend, "name", None), str) or inspect.isabstract(frontend):
            message = f"the frontend '{frontend.__name__}' needs a name, the suffix of its files, and a method 'open'"
            raise UserError(message, SourceLocation(str(path), _line_of(frontend)))
        plugin_frontends.add(frontend.name, lambda frontend=frontend: frontend, f"'{path}'")
    for architecture in _classes(module, Architecture):
        if not inspect.isabstract(architecture):
            add_architecture(architecture, f"'{path}'")
    for backend in _classes(module, Backend):
        if not inspect.isabstract(backend):
            plugin_backends.add(backend.name, lambda backend=backend: backend, f"'{path}'")
    for template in _templates(module):
        if (problem := template.problem()) is not None:
            raise UserError(
                f"the schedule template '{template.__name__}' {problem}", SourceLocation(str(path), _line_of(template))
            )
        plugin_templates.add(template.name, lambda template=template: template, f"'{path}'")


@contextmanager
def _loaded(path: Path, text: bytes) -> Generator[ModuleType]:
    """The module that the text of a file makes, which is loaded in place of another text of it; not after an
    exception."""
    _know_file(str(path))  # also after one: it may be the plugin's
    module = _imported(path) or _installed(path)
    if module is not None:
        with text_loaded(path.resolve(), module.__name__):
            _know_file(module.__file__ or "")
            yield module
        return
    code = _compiled(path, text)
    name = _name_of(path, text, code)
    with text_loaded(path.resolve(), name):
        count_registrations(name)
        if name not in _modules:
            _import_what_plugins_add_to()
            _modules[name] = _execute(path, code, name)
        module = _modules[name]
        _know_file(module.__file__ or "")
        _make_importable(path, module)
        yield module


def _name_of(path: Path, text: bytes, code: CodeType) -> str:
    """The name of the module that a text of a file makes. It covers all that the module is made of: the path, the text,
    and the plugins that it imports at its top, as each text of these has classes of its own."""
    stems = {each.argval for each in dis.get_instructions(code) if each.opcode == dis.opmap["IMPORT_NAME"]}
    known = (sys.modules.get(each) for each in sorted(stems))
    imported = [name for each in known if (name := getattr(each, "__name__", None)) in _modules]
    covered = b"\0".join((os.fsencode(path.resolve()), *map(str.encode, imported), text))
    name = f"mlc_plugin_{path.stem}_{hashlib.sha256(covered).hexdigest()[:16]}"
    while name in _failed:
        name += "_again"
    return name


def _imported(path: Path) -> ModuleType | None:
    """The module that a Python program has made of the file by an import: a second copy would have other classes."""
    found = sys.modules.get(path.stem)
    return None if found is None or found.__name__ in _modules or not _is_file(found.__spec__, path) else found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        elsewhere = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise UserError(f"plugin '{path}' not found{elsewhere}") from None
    except IsADirectoryError:
        raise UserError(f"plugin '{path}' is a directory, not a Python file") from None
    except OSError as e:
        raise UserError(f"cannot read plugin '{path}': {e.strerror}") from None


def _installed(path: Path) -> ModuleType | None:
    """The module that the file is in an installed package whose plugins are known: a second copy would have other
    classes of the same names."""
    for name in modules_of_packages():
        top = importlib.util.find_spec(name.partition(".")[0])
        folders = [] if top is None else [Path(each).resolve() for each in top.submodule_search_locations or ()]
        if not _is_file(top, path) and not any(folder in path.resolve().parents for folder in folders):
            continue
        try:
            importlib.import_module(name)
        except Exception:  # the package does not work, which is told where it is asked for; the file may
            continue
        found = [each for each in list(sys.modules.values()) if _is_file(getattr(each, "__spec__", None), path)]
        if found and found[0].__name__ not in _modules:
            return found[0]
    return None


def _know_file(name: str) -> None:
    """Let errors be blamed on the file, until the plugins are forgotten."""
    if name not in plugin_files:
        change(lambda: plugin_files.add(name), lambda: plugin_files.discard(name))


def _compiled(path: Path, source: bytes) -> CodeType:
    if b"\0" in source:
        raise UserError(f"plugin '{path}' is not Python: found a byte that is zero; required: a text")
    try:
        return compile(source, str(path), "exec")
    except SyntaxError as e:
        place = SourceLocation(str(path), e.lineno or 1, e.offset or 0)
        raise UserError(f"plugin '{path}' is not Python: {e.msg}", place) from e
    except (RecursionError, MemoryError) as e:
        raise UserError(f"plugin '{path}' fails: {_described(e)}", SourceLocation(str(path), 1)) from e


def _execute(path: Path, code: CodeType, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path, loader=None)
    module = ModuleType(name)
    module.__file__, module.__spec__ = str(path), spec
    sys.modules[name] = module  # dataclasses and type hints look their module up
    try:
        try:
            exec(code, vars(module))
        except (Exception, SystemExit) as e:
            message = f"plugin '{path}' fails: {_described(e)}"
            raise UserError(message, blame(e) or SourceLocation(str(path), 1)) from e
        _check_lowerings(module, path)
        check_signatures(module)
    except BaseException:
        del sys.modules[name]
        _failed.add(name)
        raise
    return module


def _check_lowerings(module: ModuleType, path: Path) -> None:
    known = [*pass_names(), *(p.name for p in _passes(module) if p.problem() is None)]
    for name in sorted(lowerings_of(module.__name__)):
        if name.partition(" (")[0] not in known:
            raise UserError(f"plugin '{path}' has patterns for '{name}', which is not a pass{suggest(name, known)}")


def _import_what_plugins_add_to() -> None:
    """Let the compiler register first, so that a pattern or a meaning that exists twice is an error of the plugin."""
    for name in LEVEL_CONVERSIONS.values():
        load_pass_by_name(name)
    importlib.import_module("mlc.reference.interpreter")


def _make_importable(path: Path, module: ModuleType) -> None:
    """Let later plugins import the file by its name, unless that means something else already."""
    stem = path.stem
    if stem in sys.modules or "." in stem:
        return
    other = importlib.util.find_spec(stem)
    if other is None or _is_file(other, path):
        change(lambda: sys.modules.update({stem: module}), lambda: sys.modules.pop(stem))


def _is_file(spec: ModuleSpec | None, path: Path) -> bool:
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == path.resolve()


def _values(module: ModuleType, kind: type[_T]) -> Iterator[_T]:
    """The values of a type that the file defines; those that it imports are some other module's too."""
    for value in {id(v): v for v in vars(module).values() if isinstance(v, kind)}.values():
        if not _is_defined_elsewhere(value, module):
            yield value


def _is_defined_elsewhere(value: object, module: ModuleType) -> bool:
    others = [m for m in list(sys.modules.values()) if m is not module and hasattr(m, "__dict__")]
    others = [m for m in others if not module.__name__.startswith(f"{m.__name__}.")]  # packages hand on their parts
    return any(value is v for m in others for v in list(vars(m).values()))


def _passes(module: ModuleType) -> list[type[Pass]]:
    """The passes; what is only for others to derive from has no name, and some method is missing."""
    found = [p for p in _classes(module, ModulePass) if hasattr(p, "name") or not inspect.isabstract(p)]
    return [as_pass_type(each) for each in found]


def _steps(module: ModuleType) -> list[type[Step]]:
    return _classes(module, Step)


def _templates(module: ModuleType) -> list[type[ScheduleTemplate]]:
    return _classes(module, ScheduleTemplate)


def _classes(module: ModuleType, base: type[_T]) -> list[type[_T]]:
    """The classes derived from `base` that the file defines."""
    classes = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, base)]
    return [each for each in classes if each.__module__ == module.__name__]


def _line_of(defined: type) -> int:
    """The line at which a class of a file begins."""
    try:
        return inspect.getsourcelines(defined)[1]
    except (OSError, TypeError, SyntaxError):
        return 1


def _described(error: BaseException) -> str:
    """The error in one line; one that xDSL raises for the definition of an op also names the op."""
    message = " ".join(str(error).split())
    if isinstance(error, PyRDLError):
        match error.args:
            case (_, (Span(text=str() as token), str() as reason)):  # what xDSL was doing, and where it found what
                reason = explain_format(reason, token)
            case _:
                reason = message
        classes = [f.f_locals.get("cls") for f, _ in traceback.walk_tb(error.__traceback__)]
        names = [c.name for c in classes if isinstance(c, type) and issubclass(c, Operation)]
        return f"the definition of op '{names[0]}': {reason}" if names else message
    return f"{type(error).__name__}: {message}"
