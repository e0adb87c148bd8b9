"""What `mlc explore` and `mlc diff` take: models, which are compiled, and pages of models that were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlc.support.errors import UserError
from mlc.tools.compile_arguments import CompileArguments, read_model
from mlc.tools.driver import read_text
from mlc.tools.explorer.collect import document_of
from mlc.tools.explorer.document import Document
from mlc.tools.explorer.stored_page import documents_in
from mlc.tools.progress import progress_bar

PAGE_SUFFIXES = (".html", ".htm")


def documents_of(names: Sequence[str], arguments: CompileArguments) -> list[Document]:
    """The documents of models, or of pages of one model each; the options are those of the models.

    Raises:
        UserError: one cannot be read or compiled.
    """
    arguments.bindings.require_single("what is explored")
    return [_of_page(name) if Path(name).suffix in PAGE_SUFFIXES else _of_model(name, arguments) for name in names]


def _of_page(name: str) -> Document:
    found = documents_in(read_text(name)[0], name)
    if len(found) > 1:
        raise UserError(f"'{name}' compares {len(found)} compilations; required: the page of one")
    return found[0]


def _of_model(name: str, arguments: CompileArguments) -> Document:
    model = read_model(name, arguments)
    with progress_bar(f"exploring {model.file}") as bar:
        return document_of(model, arguments, bar.update if bar else None)
