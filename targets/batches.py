"""Many small kernels compile together: to start clang takes longer than to compile one of them.

Functions of one text know nothing of each other, so the code of each is what it would be alone. A batch is a unit like
any other, cached by its text. Where one ends is a matter of what is in it, so that a kernel that comes or goes changes
the batch that it belongs to, and no others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from mlc.targets.program import Kernel, KernelParts
from mlc.targets.units import Unit

SMALL = 4000
"""The most characters of a kernel that takes clang less time than its start does: a hundred instructions or less."""
FEW = 32
"""How many small kernels there have to be: fewer compile side by side."""
_USUAL, _MOST = 12, 64
"""How many kernels a batch has as a rule, and at most: so many rarely that next to all batches end by themselves."""


def batched(kernels: Sequence[Kernel]) -> list[Unit]:
    """The units of kernels, small ones of which share some, if there are many."""
    small = {kernel.text: kernel for kernel in kernels if kernel.parts is not None and len(kernel.text) <= SMALL}
    if len(small) < FEW:
        small = {}
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
        if key[0] % _USUAL == 0 or len(batch) == _MOST:
            yield batch
            batch = []
    if batch:
        yield batch


def _surroundings(kernel: Kernel) -> tuple[str, str]:
    """What kernels of one text have in common: the end of it, and clang's level."""
    return _parts(kernel).end, "" if kernel.opt_level is None else str(kernel.opt_level)


def _unit(kernels: Sequence[Kernel]) -> Unit:
    declarations = dict.fromkeys(line for kernel in kernels for line in _parts(kernel).declarations)
    text = "\n".join([*declarations, "", *(_parts(kernel).definition for kernel in kernels), _parts(kernels[0]).end])
    return Unit(", ".join(kernel.name for kernel in kernels), text, opt_level=kernels[0].opt_level)


def _parts(kernel: Kernel) -> KernelParts:
    assert kernel.parts is not None
    return kernel.parts
