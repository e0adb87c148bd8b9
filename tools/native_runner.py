"""Calls a model function of a shared library once: what `runtime/runner.c` is for executables, without mlc or NumPy.

    python native_runner.py LIBRARY FUNCTION WORKSPACE_BYTES INPUT_BYTES,… OUTPUT_BYTES,… < inputs > outputs

Inputs and outputs are the raw elements of all tensors, in order. Each buffer ends where a page begins that may not be
touched, so that code which reads or writes beyond it crashes; what is before it, and all of the workspace, holds
bytes that no program expects, and a write before a buffer is an error.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Sequence
from dataclasses import dataclass

POISON = b"\xff"
"""NaN as a float, -1 as an integer."""
WORKSPACE_ALIGNMENT = 64
"""What `runtime/mlc.h` promises of a workspace; inputs and outputs are aligned as their elements are."""
_PROT_NONE = 0


@dataclass
class _Buffer:
    """Some bytes of a mapping, before a page that traps."""

    pages: mmap.mmap
    start: int
    size: int

    @property
    def address(self) -> int:
        return ctypes.addressof(ctypes.c_char.from_buffer(self.pages)) + self.start

    @property
    def contents(self) -> bytes:
        return self.pages[self.start : self.start + self.size]

    @property
    def is_intact_in_front(self) -> bool:
        return self.pages[: self.start] == POISON * self.start


def _main(library: str, function: str, workspace_bytes: str, input_bytes: str, output_bytes: str) -> None:
    inputs, outputs = [[_allocate(size) for size in _numbers(sizes)] for sizes in (input_bytes, output_bytes)]
    workspace = _allocate(int(workspace_bytes), WORKSPACE_ALIGNMENT)
    for buffer in inputs:
        buffer.pages[buffer.start : buffer.start + buffer.size] = sys.stdin.buffer.read(buffer.size)
    call = getattr(ctypes.CDLL(library), function)
    status = call(_addresses(inputs), _addresses(outputs), ctypes.c_void_p(workspace.address))
    if not all(buffer.is_intact_in_front for buffer in (*inputs, *outputs, workspace)):
        sys.exit("the code wrote before the start of a buffer")
    for buffer in outputs:
        sys.stdout.buffer.write(buffer.contents)
    sys.exit(status)


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",") if word]


def _allocate(size: int, alignment: int | None = None) -> _Buffer:
    """Poisoned memory for `size` bytes before a page that traps.

    Without an alignment it ends right there: its size is a multiple of its elements' sizes, and so is its address.
    """
    page = mmap.PAGESIZE
    inside = -(-max(size, 1) // page) * page
    pages = mmap.mmap(-1, inside + page)
    pages.write(POISON * inside)
    start = inside - size
    buffer = _Buffer(pages, start if alignment is None else start // alignment * alignment, size)
    trap = ctypes.addressof(ctypes.c_char.from_buffer(pages)) + inside
    if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(trap), ctypes.c_size_t(page), _PROT_NONE):
        raise OSError(ctypes.get_errno(), "mprotect")
    return buffer


def _addresses(buffers: Sequence[_Buffer]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(buffers))(*(buffer.address for buffer in buffers))


if __name__ == "__main__":
    _main(*sys.argv[1:])
