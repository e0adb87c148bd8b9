"""Archives of `torch.export.save`: the program and its tensors are loaded, and nothing else.

`torch.export.load` unpickles whatever an archive holds, loads libraries that AOTInductor compiled, and evaluates
symbolic extents as Python. Here pickles give tensors and plain containers only (`weights_only`); sample inputs of other
classes are left out, since no compilation needs them.
"""

from __future__ import annotations

import json
import re
import threading
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Any, cast
from zipfile import BadZipFile, ZipFile

from mlc.dialects.aten.schemas import import_namespace, overload_named, torch_package
from mlc.support.mapped_file import MappedFile
from mlc.support.torch_namespaces import ADDED, NAMESPACES

_COMPILED = "/data/aotinductor/"
_PICKLED = re.compile(r"/data/constants/opaque_obj\w*$")
_PROGRAM = re.compile(r"(^|/)(models/[^/]+|serialized_exported_program)\.json$")
_ADDED = re.compile(rf'"torch\.ops\.(({"|".join(ADDED)})\.\w+\.\w+)"'.encode())
"""Operators that a package adds, which torch can read once it was imported."""
_EXPRESSION = "expr_str"
_SAFE = re.compile(
    r"""(?: \s | [A-Z]\w*\( | [A-Za-z_]\w*+(?!\() | '[A-Za-z_]\w*' | [0-9]+(?:\.[0-9]*)? | [()+*/%,<>=!&|~-] )*""",
    re.VERBOSE,
)
"""Names, numbers and operators, and calls of classes alone: `Mul(Integer(2), Symbol('s0', positive=True))`."""
_patching = threading.Lock()


class ArchiveError(ValueError):
    """What a file holds is not an archive, or one that is not loaded."""


def load_archive(file: MappedFile) -> Any:
    """The `ExportedProgram` in an archive.

    Raises:
        ArchiveError: it is not an archive, or holds code or objects of Python.
        Exception: of many kinds, if the program in it cannot be read.
    """
    try:
        with file.stream() as stream, ZipFile(stream) as archive:
            _require_harmless(archive)
    except BadZipFile:
        raise ArchiveError("it is not a ZIP file") from None
    with _tensors_only() as left_out, warnings.catch_warnings(), file.stream() as stream:
        warnings.simplefilter("ignore", FutureWarning)  # of torch, about itself
        try:
            program = cast(Any, torch_package("torch.export")).load(stream)
        except Exception as e:  # of many kinds; what was left out may have been a weight
            if not left_out:
                raise
            raise ArchiveError(
                f"it holds objects that torch does not load ({_first_line(left_out[0])}), and cannot be read without "
                f"them ({_first_line(e)}); required: tensors, or weights of classes of an installed package "
                f"({', '.join(dict.fromkeys(NAMESPACES[name].package for name in ADDED))})"
            ) from None
    if left_out:
        program.example_inputs = None
    return program


def _require_harmless(archive: ZipFile) -> None:
    for name in archive.namelist():
        rooted = f"/{name}"
        if _COMPILED in rooted:
            raise ArchiveError(f"it holds compiled code ({name}); required: a program alone")
        if _PICKLED.search(rooted):
            raise ArchiveError(f"it holds a pickled object of Python ({name}); required: tensors alone")
        if _PROGRAM.search(name):
            program = archive.read(name)
            for operator, namespace in dict.fromkeys(_ADDED.findall(program)):
                if overload_named(operator.decode()) is None:
                    found, package = operator.decode(), NAMESPACES[namespace.decode()].package
                    raise ArchiveError(
                        f"it calls '{found}', which torch does not know; required: the package {package}, made for "
                        "this version of torch"
                    )
            for text in _expressions(json.loads(program)):
                if "__" in text or not _SAFE.fullmatch(text):
                    raise ArchiveError(f"found the extent {text[:80]!r}; required: arithmetic of names and numbers")


def _expressions(value: object) -> Iterator[str]:
    """All texts that torch evaluates."""
    pending: list[Any] = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            table = cast("dict[str, Any]", each)
            if isinstance(text := table.get(_EXPRESSION), str):
                yield text
            pending += table.values()
        elif isinstance(each, list):
            pending += cast("list[Any]", each)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


@contextmanager
def _tensors_only() -> Generator[list[UnpicklingError]]:
    """Lets `torch.load` give tensors and plain containers, whatever its caller asks for.

    Packages that add operators may add classes of tensors, too, and tell torch that these hold tensors alone: they are
    imported where an object is of a class that torch does not know. What holds something else is noted, and taken for
    sample inputs without arguments; a program whose tensors it should have held cannot be read.
    """
    torch, left_out = cast(Any, torch_package()), list[UnpicklingError]()

    def load(file: Any, *arguments: Any, **options: Any) -> Any:
        options["weights_only"] = True
        try:
            return original(file, *arguments, **options)
        except UnpicklingError:
            for namespace in ADDED:
                import_namespace(namespace)
        try:
            file.seek(0)
            return original(file, *arguments, **options)
        except UnpicklingError as e:
            left_out.append(e)
            return (), {}

    with _patching:
        original = torch.load
        torch.load = load
        try:
            yield left_out
        finally:
            torch.load = original
