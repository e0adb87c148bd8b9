"""Which features an x86 CPU has, as the instruction `cpuid` says (Intel's manual, volume 2A).

`xgetbv` says whether the system keeps their registers. `/proc` may not be there, or be another machine's.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import NamedTuple

_AVX, _AVX512, _AMX = 0x06, 0xE6, 0x60000
"""The bits of XCR0 without which a system does not keep the registers of AVX, of AVX-512, and of AMX."""


class CpuidBit(NamedTuple):
    """Where `cpuid` says that a feature is there."""

    leaf: int
    subleaf: int
    register: int
    """0 to 3 for eax, ebx, ecx and edx."""
    bit: int
    kept: int = 0
    """The bits of XCR0 that it takes."""


_A, _B, _C, _D = range(4)

CPUID_BITS: dict[str, CpuidBit] = {
    "ssse3": CpuidBit(1, 0, _C, 9),
    "sse4_1": CpuidBit(1, 0, _C, 19),
    "sse4_2": CpuidBit(1, 0, _C, 20),
    "movbe": CpuidBit(1, 0, _C, 22),
    "popcnt": CpuidBit(1, 0, _C, 23),
    "fma": CpuidBit(1, 0, _C, 12, _AVX),
    "avx": CpuidBit(1, 0, _C, 28, _AVX),
    "f16c": CpuidBit(1, 0, _C, 29, _AVX),
    "abm": CpuidBit(0x80000001, 0, _C, 5),
    "bmi1": CpuidBit(7, 0, _B, 3),
    "bmi2": CpuidBit(7, 0, _B, 8),
    "avx2": CpuidBit(7, 0, _B, 5, _AVX),
    "avx512f": CpuidBit(7, 0, _B, 16, _AVX512),
    "avx512dq": CpuidBit(7, 0, _B, 17, _AVX512),
    "avx512cd": CpuidBit(7, 0, _B, 28, _AVX512),
    "avx512bw": CpuidBit(7, 0, _B, 30, _AVX512),
    "avx512vl": CpuidBit(7, 0, _B, 31, _AVX512),
    "avx512vbmi": CpuidBit(7, 0, _C, 1, _AVX512),
    "avx512_vbmi2": CpuidBit(7, 0, _C, 6, _AVX512),
    "avx512_vnni": CpuidBit(7, 0, _C, 11, _AVX512),
    "avx512_fp16": CpuidBit(7, 0, _D, 23, _AVX512),
    "avx_vnni": CpuidBit(7, 1, _A, 4, _AVX),
    "avx512_bf16": CpuidBit(7, 1, _A, 5, _AVX512),
    "amx_bf16": CpuidBit(7, 0, _D, 22, _AMX),
    "amx_tile": CpuidBit(7, 0, _D, 24, _AMX),
    "amx_int8": CpuidBit(7, 0, _D, 25, _AMX),
}
"""The features that artifacts for x86 may need, in the kernel's spelling."""

_CPUID = bytes.fromhex("53 49 89d0 89f8 89f1 0fa2 418900 41895804 41894808 4189500c 5b c3")
"""`void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])` as machine code (System V)."""
_XGETBV = bytes.fromhex("31c9 0f01d0 48c1e220 4809d0 c3")
"""`uint64_t xcr0(void)`; only where `cpuid` says that the system uses it."""
_OSXSAVE = CpuidBit(1, 0, _C, 27)


def present_features() -> frozenset[str]:
    """The features of `CPUID_BITS` that are there.

    Raises:
        OSError: no memory may be executed.
    """
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as code:
        code.write(_CPUID.ljust(64, b"\xcc") + _XGETBV)
        view = ctypes.c_char.from_buffer(code)
        start = ctypes.addressof(view)
        del view
        ask = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)(start)

        def registers(leaf: int, subleaf: int) -> tuple[int, ...]:
            found = (ctypes.c_uint32 * 4)()
            ask(leaf, subleaf, ctypes.addressof(found))
            return tuple(found)

        def has(where: CpuidBit) -> bool:
            if registers(where.leaf & 0x80000000, 0)[0] < where.leaf:
                return False  # a leaf that the CPU does not have
            if where.subleaf and registers(where.leaf, 0)[0] < where.subleaf:
                return False
            return bool(registers(where.leaf, where.subleaf)[where.register] >> where.bit & 1)

        kept = ctypes.CFUNCTYPE(ctypes.c_uint64)(start + 64)() if has(_OSXSAVE) else 0
        return frozenset(name for name, where in CPUID_BITS.items() if where.kept & ~kept == 0 and has(where))
