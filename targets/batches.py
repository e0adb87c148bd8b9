"""Small kernels compile together: to start clang takes as long as to compile a few hundred lines.

Functions of one text know nothing of each other, so the code of each is what it would be alone. A batch is a unit like
any other, cached by its text. Where one ends is a matter of what is in it, so that a kernel that comes or goes changes
the batch that it belongs to, and no others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from mlc.targets.program import Kernel, KernelParts
from mlc.targets.units import Unit

LINES = 1000
"""How many lines a batch has on average; a kernel of so many is alone. They take clang some three times its start."""
_MOST = 3 * LINES
"""From how many lines on a batch ends in any case: next to all end by themselves before."""


def batched(kernels: Sequence[Kernel]) -> list[Unit]:
    """The units of kernels, of which small ones share some."""
    small = {kernel.text: kernel for kernel in kernels if kernel.parts is not None and _lines(kernel) < LINES}
    units = [unit_of(kernel) for kernel in kernels if kernel.text not in small]
    return units + [_unit(batch) for batch in _batches(list(small.values()))]


def unit_of(kernel: Kernel) -> Unit:
    """The unit of a kernel by itself."""
    return Unit(kernel.name, kernel.text, opt_level=kernel.opt_level)


def _batches(kernels: Sequence[Kernel]) -> Iterator[list[Kernel]]:
    """Kernels that may share a text, in an order and in batches that depend on nothing but the kernels."""
    by_hash = {hashlib.sha256(kernel.text.encode()).digest(): kernel for kernel in kernels}
    batch: list[Kernel] = []
    for key, kernel in sorted(by_hash.items(), key=lambda each: (_surroundings(each[1]), each[0])):
        if batch and _surroundings(batch[0]) != _surroundings(kernel):
            yield batch
            batch = []
        batch.append(kernel)
        # As often as it has lines, by bits of the digest that did not sort: a matter of this kernel alone.
        is_last = int.from_bytes(key[-4:], "little") * LINES < _lines(kernel) << 32
        if is_last or sum(map(_lines, batch)) >= _MOST:
            yield batch
            batch = []
    if batch:
        yield batch


def _surroundings(kernel: Kernel) -> tuple[str, str]:
    """What kernels of one text have in common: the end of it, and clang's level."""
    return _parts(kernel).end, "" if kernel.opt_level is None else str(kernel.opt_level)


def _lines(kernel: Kernel) -> int:
    return kernel.text.count("\n")


def _unit(kernels: Sequence[Kernel]) -> Unit:
    declarations = dict.fromkeys(line for kernel in kernels for line in _parts(kernel).declarations)
    text = "\n".join([*declarations, "", *(_parts(kernel).definition for kernel in kernels), _parts(kernels[0]).end])
    return Unit(", ".join(kernel.name for kernel in kernels), text, opt_level=kernels[0].opt_level)


def _parts(kernel: Kernel) -> KernelParts:
    assert kernel.parts is not None
    return kernel.parts
