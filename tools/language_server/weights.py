"""What the elements of a constant are, for somebody who looks at its name.

Dense constants and blobs stand in the text. Of the files that a text names, only `.safetensors` files in the folder of
the text, or below it, are opened, and only when somebody asks for a weight: reading one runs no code, and a text from
elsewhere cannot make the server read anything outside of its own folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, ShapedType
from xdsl.ir import Attribute, Operation

from mlc.reference.constants import constant_data
from mlc.support.errors import UserError
from mlc.support.resources import Resources
from mlc.syntax.resources import decoded
from mlc.tools.explorer.document_values import ValueNumbers
from mlc.tools.explorer.value_numbers import QUANTILES, numbers_of
from mlc.tools.kernel_numbers import amount
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.tokens import TextToken

_MOST = 1 << 24
"""The elements of larger constants are not looked at, which would take seconds."""
_SUFFIX = ".safetensors"

Constant = DenseIntOrFPElementsAttr[Any] | DenseResourceAttr


@dataclass(frozen=True)
class WeightInText:
    """A constant, and where its elements may be: all that its statistics need, while the text goes on changing."""

    value: Constant
    digits: str | None
    """Of a blob that the text holds, in hexadecimal."""
    files: tuple[str, ...]
    """The weight files that the text names."""
    folder: Path


def weight_at(text: AnalysedText, position: int) -> WeightInText | None:
    """The constant whose name, op or resource stands at a position."""
    token = text.token_at(position)
    value = None if token is None else _constant_of(text, token)
    if value is None:
        return None
    reading, digits = text.reading, None
    if isinstance(value, DenseResourceAttr) and (blob := reading.blobs.get(value.resource_handle.data)) is not None:
        digits = blob.digits
    return WeightInText(value, digits, tuple(file.path for file in reading.external_files), text.base)


def _constant_of(text: AnalysedText, token: TextToken) -> Constant | None:
    if token.kind == "value":
        value = text.value_at(token.start)
        owner = None if value is None else value.owner
        return next(_constants_in(owner), None) if isinstance(owner, Operation) and not owner.operands else None
    start = text.text.rfind("dense_resource<", 0, token.start)
    if start < 0 or text.text[start + len("dense_resource<") : token.end].strip() != token.text:
        return None
    line = text.source.locate(token.start).line - 1
    for each in text.tokens_between(line, line):  # the op of the line
        value = text.value_at(each.start) if each.kind == "value" else None
        if value is not None and isinstance(value.owner, Operation):
            return next(_constants_in(value.owner), None)
    return None


def _constants_in(op: Operation) -> Iterator[Constant]:
    held: tuple[Attribute, ...] = (*op.properties.values(), *op.attributes.values())
    for each in held:
        if isinstance(each, DenseIntOrFPElementsAttr | DenseResourceAttr):
            yield cast(Constant, each)


def statistics(weight: WeightInText) -> str:
    """The elements of a constant, in Markdown; or why nothing is known of them."""
    value, source, resources = weight.value, "", Resources()
    kind = cast("ShapedType", value.get_type() if isinstance(value, DenseIntOrFPElementsAttr) else value.type)
    shape = tuple(kind.get_shape())
    if 0 in shape or any(size < 0 for size in shape):
        return ""
    try:
        if isinstance(value, DenseResourceAttr):
            source = _open(weight, value.resource_handle.data, kind, resources)
        if (count := prod(shape)) > _MOST:
            return f"{count:,} elements{source}, too many to look at here."
        array = constant_data(value, resources)
        if array.shape != shape:
            return f"It has the shape {list(array.shape)}{source}."
    except (UserError, KeyError, TypeError, ValueError) as e:
        return f"Its elements are not known: {e.args[0] if isinstance(e, KeyError) else e}."
    return f"{count:,} elements, {amount(array.nbytes, 'B')}{source}.\n\n{_in_words(numbers_of(array))}"


def _open(weight: WeightInText, name: str, kind: ShapedType, resources: Resources) -> str:
    """Make the data of a resource available, and say where it is from.

    Raises:
        UserError: it is in no file that is read, or a file or blob is wrong.
    """
    if weight.digits is not None:
        resources.define(name, decoded(name, weight.digits, kind))
        return ", in the text"
    left_out: list[str] = []
    for number, file in enumerate(weight.files):
        if (problem := _problem(file, weight.folder)) is not None:
            left_out.append(f"'{file}' {problem}")
            continue
        resources.open_file(str(number), file, weight.folder, None)
        if name in resources:
            return f", in `{file}`"
    raise UserError(f"'{name}' is in no file that is read here" + (f"; {', '.join(left_out)}" if left_out else ""))


def _problem(file: str, folder: Path) -> str | None:
    """Why a file is not opened; None if it may be."""
    try:
        path = (folder / file).resolve()
        if not path.is_relative_to(folder.resolve()):
            return "is outside of the folder of the text"
        if path.suffix != _SUFFIX:
            return f"is not a {_SUFFIX} file"
        return None if path.is_file() else "is not there"
    except (OSError, RuntimeError, ValueError):  # too long a name, links in a circle, a NUL
        return "is not a path of a file"


def _in_words(numbers: ValueNumbers) -> str:
    lines: list[str] = []
    if numbers.least is not None and numbers.most is not None:
        mean = "" if numbers.mean is None else f", mean {numbers.mean:.4g}"
        lines.append(f"From {numbers.least:.6g} to {numbers.most:.6g}{mean}.")
        ranks = " | ".join(f"{round(100 * part)}%" for part in QUANTILES)
        found = " | ".join(f"{each:.4g}" for each in numbers.quantiles)
        lines.append(f"| {ranks} |\n|{'---|' * len(QUANTILES)}\n| {found} |")
    counts = (("NaN", numbers.nans), ("infinite", numbers.infinities), ("zero", numbers.zeros))
    some = [f"{count:,} {word}" for word, count in counts if count]
    if some:
        lines.append(f"{', '.join(some)}.")
    dots = ", …" if numbers.elements > len(numbers.first) else ""
    lines.append(f"First: `{', '.join(numbers.first)}{dots}`")
    return "\n\n".join(lines)
