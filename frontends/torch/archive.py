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

from mlc.dialects.aten.schemas import overload_named, torch_package
from mlc.support.mapped_file import MappedFile

_COMPILED = "/data/aotinductor/"
_PICKLED = re.compile(r"/data/constants/opaque_obj\w*$")
_PROGRAM = re.compile(r"(^|/)(models/[^/]+|serialized_exported_program)\.json$")
_ADDED = re.compile(rb'"torch\.ops\.((torchvision|quantized_decomposed)\.\w+\.\w+)"')
"""Operators that a package adds, which torch can read once it was imported."""
_PACKAGES = {b"torchvision": "torchvision", b"quantized_decomposed": "torchao"}
"""The packages that add them, by namespace."""
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
        program = cast(Any, torch_package("torch.export")).load(stream)
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
                    found = f"it calls '{operator.decode()}', which torch does not know"
                    raise ArchiveError(
                        f"{found}; required: the package {_PACKAGES[namespace]}, made for this version of torch"
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


@contextmanager
def _tensors_only() -> Generator[list[UnpicklingError]]:
    """Lets `torch.load` give tensors and plain containers, whatever its caller asks for.

    What holds something else is noted, and taken for sample inputs without arguments; a program whose tensors it should
    have held cannot be read.
    """
    torch, left_out = cast(Any, torch_package()), list[UnpicklingError]()

    def load(*arguments: Any, **options: Any) -> Any:
        try:
            return original(*arguments, **{**options, "weights_only": True})
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
