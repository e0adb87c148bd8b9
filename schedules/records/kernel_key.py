"""By what a kernel is found again: its text, without names that mean nothing, and without its schedule."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Container
from dataclasses import dataclass
from math import log2

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.printer import Printer

from mlc.analysis.argument_names import argument_name
from mlc.dialects.tensor import StructuredOp
from mlc.support.ir import clone, made_by
from mlc.support.types import element_type

_SHAPE = re.compile(r"(?<=tensor<)(?:\d+x)+")
_SIZES = re.compile(r"(?:over|reduce) \([^)]*\)")
_SIZE = re.compile(r"(?<=: )\d+")
_CONSTANT = re.compile(r"(?<=arith\.constant )[-+.\w]+(?= :)")


@dataclass(frozen=True)
class KernelKey:
    """What tells kernels apart whose schedules may differ."""

    exact: str
    """A hash of the text: equal for kernels that do the same, whatever they and their values are called."""
    kind: str
    """A hash of the text without sizes and constants: equal for kernels with the same ops and index maps."""
    sizes: tuple[int, ...]
    """What was left out for `kind`: all extents, in the order of the text."""
    spelling: str
    """The kernel in a few words, for people."""
    arguments: tuple[str, ...]
    """What schedules call the arguments."""

    def distance(self, sizes: tuple[int, ...]) -> float:
        """How far the sizes of another kernel of the kind are from those of this one, in doublings."""
        return max((abs(log2(max(a, 1) / max(b, 1))) for a, b in zip(self.sizes, sizes, strict=True)), default=0.0)


def key_of(kernel: FuncOp, constants: Container[tuple[str, int]] = ()) -> KernelKey:
    """The key of a kernel at the tensor level.

    `constants` are the arguments that are weights (`constant_arguments`): these are packed when the program is
    compiled, the others at each call, so kernels that differ in this are not the same.
    """
    name = kernel.sym_name.data
    fixed = [i for i in range(len(kernel.body.block.args)) if (name, i) in constants]
    text = f"{_text_of(kernel)}constants {fixed}"
    sizes: list[int] = []

    def left_out(found: re.Match[str]) -> str:
        sizes.extend(int(number) for number in re.findall(r"\d+", found[0]))
        return re.sub(r"\d+", "?", found[0])

    kind = _SIZES.sub(lambda found: _SIZE.sub(left_out, found[0]), _SHAPE.sub(left_out, text))
    arguments = tuple(argument_name(a) for a in kernel.body.block.args)
    return KernelKey(
        _digest(text),
        _digest(_CONSTANT.sub("?", kind)),
        tuple(sizes),
        _spelling(kernel, [arguments[i] for i in fixed]),
        arguments,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text_of(kernel: FuncOp) -> str:
    """The text of a kernel in which nothing has a name of its own but the dims, which schedules name."""
    copy = clone(kernel)
    assert isinstance(copy, FuncOp)
    copy.attributes.pop("schedule", None)
    copy.sym_name = StringAttr("kernel")
    for op in copy.walk():
        for value in made_by(op):
            value.name_hint = None
    stream = io.StringIO()
    Printer(stream).print_op(copy)
    return f"{stream.getvalue()}\n"


def _spelling(kernel: FuncOp, fixed: list[str]) -> str:
    """`contract(m: 64, n: 200; k: 784) map(m: 64, n: 200) of f32, w constant`."""
    ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp)]
    words: list[str] = []
    for op in ops:
        dims = [f"{name}: {size}" for name, size in zip(op.dim_names, op.dim_sizes, strict=True)]
        parts = [", ".join(part) for part in (dims[: op.num_parallel], dims[op.num_parallel :]) if part]
        words.append(f"{op.name.partition('.')[2]}({'; '.join(parts)})")
    elements = dict.fromkeys(str(element_type(op.result.type)) for op in ops)
    constant = f", {', '.join(fixed)} constant" if fixed else ""
    return f"{' '.join(words)} of {', '.join(elements) or 'nothing'}{constant}"
