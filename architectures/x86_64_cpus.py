"""CPUs of Intel and AMD, and the levels of x86-64 that stand for those that nobody knows."""

from __future__ import annotations

from collections.abc import Mapping

from mlc.architectures.architecture import ASSUMED, COMMON, LLVM, Cpu, Reported
from mlc.architectures.facts import FactSource, facts

LEVELS: dict[str, tuple[str, ...]] = {
    "x86-64-v2": ("ssse3", "sse4.1", "sse4.2", "popcnt"),
    "x86-64-v3": ("avx", "avx2", "fma", "bmi", "bmi2", "f16c", "movbe", "lzcnt"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
"""What each x86-64 level adds to the one before it (x86-64 psABI, section 3.1.1), lowest first."""

_INTEL = FactSource("manual", "Intel 64 and IA-32 Architectures Optimization Reference Manual")
_HALVES = FactSource("manual", f"{_INTEL.detail}: units of 128 bits take a vector in two halves")
_ZEN = FactSource("manual", "AMD Software Optimization Guide, Family 17h")
_ZEN2 = FactSource("manual", "AMD Software Optimization Guide, Family 17h Models 30h and greater")
_ZEN3 = FactSource("manual", "AMD Software Optimization Guide, Family 19h")
_ZEN4 = FactSource("manual", "AMD Software Optimization Guide, Zen 4")
_ZEN5 = FactSource("manual", "AMD Software Optimization Guide, Zen 5")
_ON_ZEN4 = FactSource("measured", "on a Zen 4, with 256-bit vectors")
"""20 bytes per cycle arrive from the second cache, of the 32 that its path is wide. With 512-bit vectors all of this
takes every other cycle; other CPUs have a wider path."""
_ON_ZEN4_IN_HALVES = FactSource("measured", "on a Zen 4")
"""Its units take 512-bit vectors in two halves."""
_ON_ZEN3 = FactSource("measured", "on a Zen 3")
"""Each vector unit adds integers, and takes additions from those that multiply: LLVM counts two dot products of i16."""
_ON_FP16 = FactSource("measured", "on a CPU with the features of a Sapphire Rapids")

_VNNI = ("avx512vnni",)
_ICELAKE_EXTRAS = (*_VNNI, "avx512vbmi", "avx512vbmi2")
_ZEN4_EXTRAS = (*_ICELAKE_EXTRAS, "avx512bf16")
_SAPPHIRE_EXTRAS = (*_ZEN4_EXTRAS, "avxvnni", "avx512fp16")
_AMX = ("amx-tile", "amx-int8", "amx-bf16")
"""Many virtual machines hide it, and artifacts that need it do not run there: CPUs have a row without it, too."""
_OF_AMX = {"mma_cycles": 16, "mma_latency": 16, "mma_awake": 2048}
_AVX2_EXTRAS = ("avxvnni",)

EXTRAS: dict[str, tuple[str, ...]] = {
    "x86-64-v2": (),
    "x86-64-v3": _AVX2_EXTRAS,
    "x86-64-v4": (*_SAPPHIRE_EXTRAS, *_AMX),
}
"""What kernels can use beyond a level, where a CPU has it."""


def _features(level: str) -> tuple[str, ...]:
    """All features of a level, including those of the levels below it."""
    levels = list(LEVELS)
    return tuple(f for each in levels[: levels.index(level) + 1] for f in LEVELS[each])


def _cpu(
    name: str,
    level: int,
    cores: int,
    known: Mapping[FactSource, Mapping[str, float]],
    extras: tuple[str, ...] = (),
    reported: tuple[Reported, ...] = (),
    llvm_name: str = "",
) -> Cpu:
    bits, registers = {2: (128, 16), 3: (256, 16), 4: (512, 32)}[level]
    base = f"x86-64-v{level}"
    return Cpu(name, base, _features(base), extras, bits, registers, cores, known, reported, llvm_name)


def _intel(*models: int) -> tuple[Reported, ...]:
    return tuple(("GenuineIntel", 6, model) for model in models)


def _amd(family: int, *models: range) -> tuple[Reported, ...]:
    return tuple(("AuthenticAMD", family, model) for model in models)


CPUS = (
    _cpu(
        "x86-64-v2",
        level=2,
        cores=4,
        known={
            COMMON: facts(l1_kib=32, l2_kib=256, l3_mib=4),
            LLVM: facts(loads=2, adds=1, add_latency=3, stores=1, shuffles=1, i16_dots=1),
            _ON_ZEN4: facts(l2_loads=1.25),
        },
    ),
    _cpu(
        "x86-64-v3",
        level=3,
        cores=8,
        known={
            COMMON: facts(l1_kib=32, l2_kib=512, l3_mib=8),
            LLVM: facts(fma_units=2, loads=2, adds=1, add_latency=3, stores=1, shuffles=1, i16_dots=1),
            _ON_ZEN4: facts(l2_loads=0.625, late=0.35),
        },
    ),
    _cpu(
        "x86-64-v4",
        level=4,
        cores=16,
        known={
            COMMON: facts(l1_kib=32, l2_kib=1024, l3_mib=16),
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=4, stores=1, shuffles=1),
            _ON_FP16: facts(bf16_dots=0.5, **_OF_AMX),
        },
    ),
    _cpu(
        "nehalem",
        level=2,
        cores=4,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=256),
            COMMON: facts(l3_mib=8),
            LLVM: facts(loads=2, adds=1, add_latency=3, stores=1, shuffles=1, i16_dots=1),
            _ON_ZEN4: facts(l2_loads=1.25),
        },
    ),
    _cpu(
        "haswell",
        level=3,
        cores=4,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=256),
            COMMON: facts(l3_mib=8),
            LLVM: facts(fma_units=2, fma_latency=5, loads=2, adds=1, add_latency=3, stores=1, shuffles=1, i16_dots=1),
        },
        reported=_intel(0x3C, 0x3F, 0x45, 0x46),
    ),
    _cpu(
        "broadwell",
        level=3,
        cores=4,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=256),
            COMMON: facts(l3_mib=8),
            LLVM: facts(fma_units=2, fma_latency=5, loads=2, adds=1, add_latency=3, stores=1, shuffles=1, i16_dots=1),
        },
        reported=_intel(0x3D, 0x47, 0x4F, 0x56),
    ),
    _cpu(
        "skylake",
        level=3,
        cores=4,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=256),
            COMMON: facts(l3_mib=8),
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=4, stores=1, shuffles=1, i16_dots=1.5),
        },
        reported=_intel(0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6),
    ),
    _cpu(
        "alderlake",
        level=3,
        cores=8,
        known={
            _INTEL: facts(l1_kib=48, l2_kib=1280),
            COMMON: facts(l3_mib=24),
            LLVM: facts(fma_units=2, fma_latency=4, loads=3, adds=2, add_latency=3, stores=2, shuffles=1, i16_dots=2),
        },
        extras=_AVX2_EXTRAS,
        reported=_intel(0x97, 0x9A, 0xB7, 0xBA, 0xBF),
    ),
    _cpu(
        "sierraforest",
        level=3,
        cores=64,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=4096),
            COMMON: facts(l3_mib=96),
            _HALVES: facts(fma_units=1, loads=1, adds=1, f64_fma_units=1),
        },
        extras=_AVX2_EXTRAS,
        reported=_intel(0xAF),
    ),
    _cpu(
        "skylake-avx512",
        level=4,
        cores=16,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=1024),
            COMMON: facts(l3_mib=24),
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=4, stores=1, shuffles=1),
        },
        reported=_intel(0x55),
    ),
    _cpu(
        "cascadelake",
        level=4,
        cores=24,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=1024),
            COMMON: facts(l3_mib=32),
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=4, stores=1, shuffles=1, i16_dots=2),
        },
        extras=_VNNI,
        reported=_intel(0x55),
    ),
    _cpu(
        "cooperlake",
        level=4,
        cores=24,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=1024),
            COMMON: facts(l3_mib=32),
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=4, stores=1, shuffles=1, i16_dots=2),
        },
        extras=(*_VNNI, "avx512bf16"),
        reported=_intel(0x55),
    ),
    _cpu(
        "icelake-client",
        level=4,
        cores=4,
        known={
            _INTEL: facts(l1_kib=48, l2_kib=512),
            COMMON: facts(l3_mib=8),
            LLVM: facts(fma_units=1, fma_latency=4, loads=2, adds=1, add_latency=4, stores=2, shuffles=1),
        },
        extras=_ICELAKE_EXTRAS,
        reported=_intel(0x7D, 0x7E),
    ),
    _cpu(
        "rocketlake",
        level=4,
        cores=8,
        known={
            _INTEL: facts(l1_kib=48, l2_kib=512),
            COMMON: facts(l3_mib=16),
            LLVM: facts(fma_units=1, fma_latency=4, loads=2, adds=1, add_latency=4, stores=2, shuffles=1),
        },
        extras=_ICELAKE_EXTRAS,
        reported=_intel(0xA7),
    ),
    _cpu(
        "icelake-server",
        level=4,
        cores=32,
        known={
            _INTEL: facts(l1_kib=48, l2_kib=1280),
            COMMON: facts(l3_mib=48),
            LLVM: facts(fma_latency=4, loads=2, adds=1, add_latency=4, stores=2, shuffles=1),
        },
        extras=_ICELAKE_EXTRAS,
        reported=_intel(0x6A, 0x6C),
    ),
    _cpu(
        "tigerlake",
        level=4,
        cores=4,
        known={
            _INTEL: facts(l1_kib=48, l2_kib=1280),
            COMMON: facts(l3_mib=12),
            LLVM: facts(fma_units=1, fma_latency=4, loads=2, adds=1, add_latency=4, stores=2, shuffles=1),
        },
        extras=_ICELAKE_EXTRAS,
        reported=_intel(0x8C, 0x8D),
    ),
    *(
        _cpu(
            f"{name}{suffix}",
            level=4,
            cores=cores,
            known={
                _INTEL: facts(l1_kib=48, l2_kib=2048),
                **({_ON_FP16: tiles} if tiles else {}),
                COMMON: facts(l3_mib=l3_mib),
                LLVM: facts(fma_latency=4, adds=2, add_latency=3, stores=2, shuffles=1, bf16_dots=0.5),
            },
            extras=(*_SAPPHIRE_EXTRAS, *features),
            reported=_intel(*models),
            llvm_name=name,
        )
        for name, cores, l3_mib, models in (
            ("sapphirerapids", 48, 96, (0x8F, 0xCF)),
            ("graniterapids", 64, 256, (0xAD, 0xAE)),
        )
        for suffix, features, tiles in (("", (), {}), ("-amx", _AMX, facts(**_OF_AMX)))
    ),
    _cpu(
        "znver1",
        level=3,
        cores=8,
        known={
            _ZEN: facts(l1_kib=32, l2_kib=512),
            COMMON: facts(l3_mib=8),
            LLVM: facts(fma_units=1, fma_latency=5, adds=1, add_latency=3, stores=2, shuffles=1, i16_dots=0.5),
            ASSUMED: facts(loads=1),
        },
        reported=_amd(0x17, range(0x30)),
    ),
    _cpu(
        "znver2",
        level=3,
        cores=16,
        known={
            _ZEN2: facts(l1_kib=32, l2_kib=512),
            COMMON: facts(l3_mib=16),
            LLVM: facts(fma_units=2, fma_latency=5, adds=2, add_latency=3, stores=3, shuffles=2, i16_dots=1),
        },
        reported=_amd(0x17, range(0x30, 0x100)),
    ),
    _cpu(
        "znver3",
        level=3,
        cores=16,
        known={
            _ZEN3: facts(l1_kib=32, l2_kib=512),
            COMMON: facts(l3_mib=32),
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=3, stores=1, shuffles=2),
            _ON_ZEN4: facts(l2_loads=0.625),
            _ON_ZEN3: facts(late=0, gather_cycles=12, i16_dots=1.5),
        },
        reported=_amd(0x19, range(0x10), range(0x20, 0x60), range(0x80, 0xA0), range(0xB0, 0x100)),
    ),
    _cpu(
        "znver4",
        level=4,
        cores=16,
        known={
            _ZEN4: facts(l1_kib=32, l2_kib=1024),
            COMMON: facts(l3_mib=32),
            LLVM: facts(fma_units=1, fma_latency=4, adds=1, add_latency=3, shuffles=1),
            _ON_ZEN4: facts(l2_loads=0.625),
            _ON_ZEN4_IN_HALVES: facts(loads=1, stores=0.5, f64_fma_units=1),
        },
        extras=_ZEN4_EXTRAS,
        reported=_amd(0x19, range(0x10, 0x20), range(0x60, 0x80), range(0xA0, 0xB0)),
    ),
    _cpu(
        "znver5",
        level=4,
        cores=16,
        known={
            _ZEN5: facts(l1_kib=48, l2_kib=1024),
            COMMON: facts(l3_mib=32),
        },
        extras=(*_ZEN4_EXTRAS, "avxvnni"),
        reported=_amd(0x1A, range(0x100)),
    ),
)
