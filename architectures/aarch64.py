"""64-bit ARM with NEON: its features, and CPUs of Arm and Apple."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from mlc.architectures.architecture import (
    ASSUMED,
    COMMON,
    LLVM,
    Cpu,
    InstructionSet,
    Reported,
    Tuned,
)
from mlc.architectures.facts import FactSource, facts
from mlc.architectures.instructions import ByteLookup, DotInstruction

_MANUAL = FactSource("manual", "Technical Reference Manual of the core")

_HALF_N1 = FactSource("assumed", "as a Neoverse N1, which is the same or the next core")

_FP16_DOT = ("fullfp16", "dotprod")
_SVE = (*_FP16_DOT, "sve", "i8mm", "bf16")

_HWCAP, _HWCAP2 = 16, 26
AUXILIARY_BITS: dict[str, tuple[int, int]] = {
    "asimdhp": (_HWCAP, 10),
    "asimddp": (_HWCAP, 20),
    "sve": (_HWCAP, 22),
    "i8mm": (_HWCAP2, 13),
    "bf16": (_HWCAP2, 14),
}
"""The features that artifacts may need, in the kernel's spelling: a key of the auxiliary vector that the kernel hands
to each process (AT_HWCAP, AT_HWCAP2), and a bit of what stands there."""


def _cpu(
    name: str,
    cores: int,
    known: Mapping[FactSource, Mapping[str, float]],
    extras: tuple[str, ...] = (),
    reported: tuple[Reported, ...] = (),
) -> Cpu:
    # SVE machines are programmed through 128-bit NEON too: their FMA throughput is the same, and widths stay static.
    return Cpu(name, name, (), extras, 128, 32, cores, known, reported)


def _arm(part: int) -> tuple[Reported, ...]:
    return ((0x41, part),)


def _apple(*parts: int) -> tuple[Reported, ...]:
    return tuple((0x61, part) for part in parts)


CPUS = (
    Cpu("aarch64", "generic", (), (), 128, 32, 4, {COMMON: facts(l1_kib=32, l2_kib=512, l3_mib=1)}),
    _cpu(
        "cortex-a53",
        cores=4,
        known={
            COMMON: facts(l1_kib=32, l2_kib=512, l3_mib=0),
            LLVM: facts(fma_units=1, loads=1, adds=1, add_latency=6, stores=1, shuffles=1, i16_dots=0.5),
            ASSUMED: facts(fma_latency=8),
        },
        reported=_arm(0xD03),
    ),
    _cpu(
        "cortex-a55",
        cores=4,
        known={
            COMMON: facts(l1_kib=32, l2_kib=128, l3_mib=1),
            ASSUMED: facts(fma_units=1),
            LLVM: facts(
                fma_latency=4, loads=1, adds=1, add_latency=4, stores=1, shuffles=1, pair_cycles=6, i16_dots=0.5
            ),
        },
        extras=_FP16_DOT,
        reported=_arm(0xD05),
    ),
    _cpu(
        "cortex-a72",
        cores=4,
        known={
            _MANUAL: facts(l1_kib=32),
            COMMON: facts(l2_kib=1024, l3_mib=0),
            ASSUMED: facts(fma_latency=7, loads=1),
        },
        reported=_arm(0xD08),
    ),
    _cpu(
        "cortex-a76",
        cores=4,
        known={
            _MANUAL: facts(l1_kib=64),
            COMMON: facts(l2_kib=512, l3_mib=2),
            _HALF_N1: facts(i16_dots=0.5),
        },
        extras=_FP16_DOT,
        reported=_arm(0xD0B),
    ),
    _cpu(
        "cortex-a78",
        cores=4,
        known={
            COMMON: facts(l1_kib=64, l2_kib=512, l3_mib=4),
            _HALF_N1: facts(i16_dots=0.5),
        },
        extras=_FP16_DOT,
        reported=_arm(0xD41),
    ),
    _cpu(
        "neoverse-n1",
        cores=64,
        known={
            _MANUAL: facts(l1_kib=64),
            COMMON: facts(l2_kib=1024, l3_mib=32),
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=2, stores=1, shuffles=2, i16_dots=0.5),
        },
        extras=_FP16_DOT,
        reported=_arm(0xD0C),
    ),
    _cpu(
        "neoverse-n2",
        cores=64,
        known={
            _MANUAL: facts(l1_kib=64),
            COMMON: facts(l2_kib=1024, l3_mib=64),
            LLVM: facts(
                fma_units=2,
                fma_latency=4,
                adds=2,
                add_latency=2,
                stores=2,
                shuffles=2,
                i16_dots=0.5,
                i8_outer_dots=2,
                bf16_outer_dots=2,
            ),
        },
        extras=_SVE,
        reported=_arm(0xD49),
    ),
    _cpu(
        "neoverse-v1",
        cores=64,
        known={
            _MANUAL: facts(l1_kib=64),
            COMMON: facts(l2_kib=1024, l3_mib=32),
            LLVM: facts(
                fma_units=4,
                fma_latency=4,
                loads=3,
                adds=4,
                add_latency=2,
                stores=2,
                shuffles=4,
                i16_dots=1,
                i8_outer_dots=4,
                bf16_outer_dots=4,
            ),
            ASSUMED: facts(l2_loads=2.5),
        },
        extras=_SVE,
        reported=_arm(0xD40),
    ),
    _cpu(
        "neoverse-v2",
        cores=64,
        known={
            _MANUAL: facts(l1_kib=64),
            COMMON: facts(l2_kib=2048, l3_mib=64),
            LLVM: facts(
                fma_units=4,
                loads=3,
                adds=4,
                add_latency=2,
                stores=2,
                shuffles=4,
                i16_dots=1,
                i8_outer_dots=4,
                bf16_outer_dots=4,
            ),
            ASSUMED: facts(l2_loads=2.5),
        },
        extras=_SVE,
        reported=_arm(0xD4F),
    ),
    _cpu(
        "apple-m1",
        cores=8,
        known={
            COMMON: facts(l1_kib=128, l2_kib=12288, l3_mib=8),
            ASSUMED: facts(fma_units=4, loads=3, l2_loads=2.5),
        },
        extras=_FP16_DOT,
        reported=_apple(0x022, 0x023),
    ),
    _cpu(
        "apple-m2",
        cores=8,
        known={
            COMMON: facts(l1_kib=128, l2_kib=16384, l3_mib=8),
            ASSUMED: facts(fma_units=4, loads=3, l2_loads=2.5),
        },
        extras=(*_FP16_DOT, "i8mm", "bf16"),
        reported=_apple(0x032, 0x033),
    ),
)


class Aarch64(InstructionSet):
    """64-bit ARM, programmed through NEON."""

    name = "aarch64"
    aliases = ("arm64",)
    elf_machine = 183
    linker_emulation = "aarch64linux"
    any_cpu_flags = ("-mcpu=generic",)
    reported_as = ("CPU implementer", "CPU part")
    features_field = "Features"
    kernel_spelling = {"dotprod": "asimddp", "fullfp16": "asimdhp"}
    max_tile_rows = 10
    """A row whose numbers are loaded into all lanes takes an address of its own; of more than 12, some spill."""
    reduction_steps = 2
    """LLVM loads a number into all lanes and moves its address on by one number in one instruction, which takes a turn
    of the vector units. Where the address moves on by two, numbers are loaded by themselves, and multiply-adds take a
    lane."""
    takes_words_from_lanes = True
    has_minimum = True
    has_memory_operands = False
    cpus = CPUS

    def fuses_multiply_add(self, features: tuple[str, ...]) -> bool:
        return True

    def converts_f16(self, features: tuple[str, ...]) -> bool:
        return True

    def function_attributes(self, machine: Tuned) -> dict[str, str]:
        """`slow-paired-128` keeps LLVM from making one load of two, where that takes longer."""
        is_slow = machine.issue.pair_cycles * machine.issue.loads > 2
        return {"target-cpu": machine.base, **({"target-features": "+slow-paired-128"} if is_slow else {})}

    def clang_flags(self, machine: Tuned) -> tuple[str, ...]:
        # Atomic operations in line: those out of line are functions of a library.
        return f"-mcpu={machine.base}", "-mno-outline-atomics"

    def host_cpu(self, known: Cpu | None, flags: frozenset[str]) -> tuple[Cpu, tuple[str, ...]]:
        cpu = known or self.cpus[0]
        return cpu, cpu.extras

    def present_features(self) -> frozenset[str]:
        getauxval = ctypes.CDLL(None).getauxval
        getauxval.restype = ctypes.c_ulong
        getauxval.argtypes = (ctypes.c_ulong,)
        return frozenset(name for name, (key, bit) in AUXILIARY_BITS.items() if getauxval(key) >> bit & 1)

    def feature_initializer(self, name: str) -> str:
        key, bit = AUXILIARY_BITS[name]
        return f'{{"{name}", {key}u, {bit}u}}'

    def dot_instruction(self, features: tuple[str, ...], lhs: str, rhs: str, bits: int) -> DotInstruction | None:
        if bits != 128:
            return None
        match lhs, rhs:
            case "ui8", "i8" if "i8mm" in features:
                return DotInstruction("llvm.aarch64.neon.usdot.v4i32.v16i8", "i8")
            case "i8", "i8" if "dotprod" in features:
                return DotInstruction("llvm.aarch64.neon.sdot.v4i32.v16i8", "i8")
            case "ui8", "ui8" if "dotprod" in features:
                return DotInstruction("llvm.aarch64.neon.udot.v4i32.v16i8", "i8")
            case "bf16", "bf16" if "bf16" in features:
                return DotInstruction("llvm.aarch64.neon.bfdot.v4f32.v8bf16", "bfloat")
            case _:
                return None

    def outer_dot_instruction(self, features: tuple[str, ...], lhs: str, rhs: str, bits: int) -> DotInstruction | None:
        """`bfmmla` rounds as two `bfdot` do, one after the other."""
        if bits != 128:
            return None
        match lhs, rhs:
            case "ui8", "i8" if "i8mm" in features:
                return DotInstruction("llvm.aarch64.neon.usmmla.v4i32.v16i8", "i8")
            case "i8", "i8" if "i8mm" in features:
                return DotInstruction("llvm.aarch64.neon.smmla.v4i32.v16i8", "i8")
            case "ui8", "ui8" if "i8mm" in features:
                return DotInstruction("llvm.aarch64.neon.ummla.v4i32.v16i8", "i8")
            case "bf16", "bf16" if "bf16" in features:
                return DotInstruction("llvm.aarch64.neon.bfmmla", "bfloat")
            case _:
                return None

    def byte_lookup(self, features: tuple[str, ...], bits: int) -> ByteLookup | None:
        """`tbl` sees up to four registers."""
        return ByteLookup("llvm.aarch64.neon.tbl4.v16i8", 128, 64, codes_at=4, wraps=False) if bits == 128 else None
