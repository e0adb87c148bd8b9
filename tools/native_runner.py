"""Calls a model function of a shared library once: what `runtime/runner.c` is for executables, without mlc or NumPy.

    python native_runner.py LIBRARY FUNCTION WORKSPACE_BYTES INPUT_BYTES,… OUTPUT_BYTES,… < inputs > outputs

Inputs and outputs are the raw elements of all tensors, in order.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Sequence


def _main(library: str, function: str, workspace_bytes: str, input_bytes: str, output_bytes: str) -> None:
    input_sizes, output_sizes = _numbers(input_bytes), _numbers(output_bytes)
    inputs, outputs = [_allocate(size) for size in input_sizes], [_allocate(size) for size in output_sizes]
    workspace = _allocate(int(workspace_bytes))
    for buffer, size in zip(inputs, input_sizes, strict=True):
        buffer.write(sys.stdin.buffer.read(size))
    call = getattr(ctypes.CDLL(library), function)
    status = call(_addresses(inputs), _addresses(outputs), ctypes.c_void_p(_address(workspace)))
    for buffer, size in zip(outputs, output_sizes, strict=True):
        sys.stdout.buffer.write(buffer[:size])
    sys.exit(status)


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",") if word]


def _allocate(size: int) -> mmap.mmap:
    """Memory that starts at a page, so that it is aligned enough for any vector."""
    return mmap.mmap(-1, max(size, 1))


def _addresses(buffers: Sequence[mmap.mmap]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(buffers))(*map(_address, buffers))


def _address(buffer: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


if __name__ == "__main__":
    _main(*sys.argv[1:])
