"""What `mlc explore` and `mlc diff` take: models, which are compiled, and pages of models that were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mlc.support.errors import UserError
from mlc.tools.compile_arguments import CompileArguments, read_model
from mlc.tools.driver import read_text
from mlc.tools.explorer.collect import document_of
from mlc.tools.explorer.document import Document
from mlc.tools.explorer.stored_page import documents_in
from mlc.tools.input_file import InputFile, take_open_shapes
from mlc.tools.progress import progress_bar

PAGE_SUFFIXES = (".html", ".htm")


def documents_of(
    names: Sequence[str],
    arguments: CompileArguments,
    measure: bool = False,
    inputs: str | None = None,
    with_values: bool = True,
) -> list[Document]:
    """The documents of models, or of pages of one model each; the options are those of the models, of whose kernels
    `measure` asks for the times, and the file `inputs` for the results of the code and, `with_values`, for all values.

    Raises:
        UserError: one cannot be read, compiled or measured, or run on `inputs`.
    """
    arguments.bindings.require_single("what is explored")
    for flag in [*(["--measure"] if measure else []), *(["--inputs"] if inputs is not None else [])]:
        if all(map(_is_page, names)):
            raise UserError(
                f"found {flag} with {' and '.join(names)}; required: a model, as pages that were written before are "
                "shown as they are"
            )
    return [
        _of_page(name) if _is_page(name) else _of_model(name, arguments, measure, inputs, with_values) for name in names
    ]


def _is_page(name: str) -> bool:
    return Path(name).suffix in PAGE_SUFFIXES


def _of_page(name: str) -> Document:
    found = documents_in(read_text(name)[0], name)
    if len(found) > 1:
        raise UserError(f"'{name}' compares {len(found)} compilations; required: the page of one")
    return found[0]


def _of_model(name: str, arguments: CompileArguments, measure: bool, inputs: str | None, with_values: bool) -> Document:
    with progress_bar(f"exploring {name}") as bar:
        file = None if inputs is None else InputFile.open(inputs)
        model = read_model(name, arguments)
        if file is not None:
            arguments = replace(arguments, shape=[*arguments.shape])  # of this model alone
            take_open_shapes(file, model, arguments)
        return document_of(model, arguments, bar.update if bar else None, measure, file, with_values)
