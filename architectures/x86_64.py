"""x86-64: its levels, its features, and CPUs of Intel and AMD."""

from __future__ import annotations

from collections.abc import Mapping

from mlc.architectures.architecture import (
    ASSUMED,
    COMMON,
    LLVM,
    Cpu,
    DotInstruction,
    DotProduct,
    InstructionSet,
    Reported,
    Tuned,
)
from mlc.architectures.cpuid import CPUID_BITS, present_features
from mlc.architectures.facts import FactSource, facts
from mlc.support.errors import NamedOption, UserError

LEVELS: dict[str, tuple[str, ...]] = {
    "x86-64-v2": ("ssse3", "sse4.1", "sse4.2", "popcnt"),
    "x86-64-v3": ("avx", "avx2", "fma", "bmi", "bmi2", "f16c", "movbe", "lzcnt"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
"""What each x86-64 level adds to the one before it (x86-64 psABI, section 3.1.1), lowest first."""

_INTEL = FactSource("manual", "Intel 64 and IA-32 Architectures Optimization Reference Manual")
_ZEN = FactSource("manual", "AMD Software Optimization Guide, Family 17h")
_ZEN2 = FactSource("manual", "AMD Software Optimization Guide, Family 17h Models 30h and greater")
_ZEN3 = FactSource("manual", "AMD Software Optimization Guide, Family 19h")
_ZEN4 = FactSource("manual", "AMD Software Optimization Guide, Zen 4")
_ZEN5 = FactSource("manual", "AMD Software Optimization Guide, Zen 5")
_ON_ZEN4 = FactSource("measured", "on a Zen 4, with 256-bit vectors")
"""20 bytes per cycle arrive from the second cache, of the 32 that its path is wide. With 512-bit vectors all of this
takes every other cycle; other CPUs have a wider path."""

_VNNI = ("avx512vnni",)
_ICELAKE_EXTRAS = (*_VNNI, "avx512vbmi", "avx512vbmi2")
_ZEN4_EXTRAS = (*_ICELAKE_EXTRAS, "avx512bf16")
_SAPPHIRE_EXTRAS = (*_ZEN4_EXTRAS, "avxvnni", "avx512fp16")


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
) -> Cpu:
    bits, registers = {2: (128, 16), 3: (256, 16), 4: (512, 32)}[level]
    base = f"x86-64-v{level}"
    return Cpu(name, base, _features(base), extras, bits, registers, cores, known, reported)


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
            LLVM: facts(loads=2, adds=1, add_latency=3, stores=1, shuffles=1),
            _ON_ZEN4: facts(l2_loads=1.25),
        },
    ),
    _cpu(
        "x86-64-v3",
        level=3,
        cores=8,
        known={
            COMMON: facts(l1_kib=32, l2_kib=512, l3_mib=8),
            LLVM: facts(fma_units=2, loads=2, adds=1, add_latency=3, stores=1, shuffles=1),
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
        },
    ),
    _cpu(
        "nehalem",
        level=2,
        cores=4,
        known={
            _INTEL: facts(l1_kib=32, l2_kib=256),
            COMMON: facts(l3_mib=8),
            LLVM: facts(loads=2, adds=1, add_latency=3, stores=1, shuffles=1),
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
            LLVM: facts(fma_units=2, fma_latency=5, loads=2, adds=1, add_latency=3, stores=1, shuffles=1),
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
            LLVM: facts(fma_units=2, fma_latency=5, loads=2, adds=1, add_latency=3, stores=1, shuffles=1),
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
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=4, stores=1, shuffles=1),
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
            LLVM: facts(fma_units=2, fma_latency=4, loads=3, adds=2, add_latency=3, stores=2, shuffles=1),
        },
        extras=("avxvnni",),
        reported=_intel(0x97, 0x9A, 0xB7, 0xBA, 0xBF),
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
            LLVM: facts(fma_units=2, fma_latency=4, loads=2, adds=2, add_latency=4, stores=1, shuffles=1),
        },
        extras=_VNNI,
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
    _cpu(
        "sapphirerapids",
        level=4,
        cores=48,
        known={
            _INTEL: facts(l1_kib=48, l2_kib=2048),
            COMMON: facts(l3_mib=96),
            LLVM: facts(fma_latency=4, adds=2, add_latency=3, stores=2, shuffles=1),
        },
        extras=_SAPPHIRE_EXTRAS,
        reported=_intel(0x8F, 0xCF),
    ),
    _cpu(
        "graniterapids",
        level=4,
        cores=64,
        known={
            _INTEL: facts(l1_kib=48, l2_kib=2048),
            COMMON: facts(l3_mib=256),
            LLVM: facts(fma_latency=4, adds=2, add_latency=3, stores=2, shuffles=1),
        },
        extras=_SAPPHIRE_EXTRAS,
        reported=_intel(0xAD, 0xAE),
    ),
    _cpu(
        "znver1",
        level=3,
        cores=8,
        known={
            _ZEN: facts(l1_kib=32, l2_kib=512),
            COMMON: facts(l3_mib=8),
            LLVM: facts(fma_units=1, fma_latency=5, adds=1, add_latency=3, stores=2, shuffles=1),
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
            LLVM: facts(fma_units=2, fma_latency=5, adds=2, add_latency=3, stores=3, shuffles=2),
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
            _ON_ZEN4: facts(l2_loads=0.625, late=0.35),
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
            LLVM: facts(fma_latency=4, loads=2, adds=1, add_latency=3, stores=1, shuffles=1),
            _ON_ZEN4: facts(l2_loads=0.625),
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


class X86(InstructionSet):
    """64-bit x86, from SSE4.2 to AVX-512."""

    name = "x86_64"
    aliases = ("amd64",)
    elf_machine = 62
    linker_emulation = "elf_x86_64"
    any_cpu_flags = ("-march=x86-64",)
    reported_as = ("vendor_id", "cpu family", "model")
    features_field = "flags"
    kernel_spelling = {
        "sse4.1": "sse4_1",
        "sse4.2": "sse4_2",
        "bmi": "bmi1",
        "lzcnt": "abm",
        "avxvnni": "avx_vnni",
        "avx512vnni": "avx512_vnni",
        "avx512bf16": "avx512_bf16",
        "avx512fp16": "avx512_fp16",
        "avx512vbmi2": "avx512_vbmi2",
    }
    max_tile_rows = 16
    has_minimum = False
    has_memory_operands = True
    cpus = CPUS

    def fuses_multiply_add(self, features: tuple[str, ...]) -> bool:
        return "fma" in features

    def converts_f16(self, features: tuple[str, ...]) -> bool:
        return "f16c" in features

    def has_masked_load(self, features: tuple[str, ...], element_bits: int) -> bool:
        return self.has_masked_store(features, element_bits) or ("avx" in features and element_bits >= 32)

    def has_masked_store(self, features: tuple[str, ...], element_bits: int) -> bool:
        """AVX's is slow on some CPUs."""
        return "avx512vl" in features and (element_bits >= 32 or "avx512bw" in features)

    def function_attributes(self, machine: Tuned) -> dict[str, str]:
        """`min-legal-vector-width` keeps LLVM from splitting 512-bit vectors; `prefer-vector-width` makes its own
        vectorizers use them."""
        return {
            "target-cpu": machine.base,
            "tune-cpu": machine.cpu,
            "target-features": ",".join(f"+{f}" for f in machine.features),
            "prefer-vector-width": str(machine.vector_bits),
            "min-legal-vector-width": str(machine.vector_bits),
        }

    def clang_flags(self, machine: Tuned) -> tuple[str, ...]:
        return f"-march={machine.base}", f"-mprefer-vector-width={machine.vector_bits}"

    def host_cpu(self, known: Cpu | None, flags: frozenset[str]) -> tuple[Cpu, tuple[str, ...]]:
        """The highest level whose features are all there.

        A virtual machine may hide features of its CPU, so code relies on what the kernel reports, never on the model.
        """
        has = {f for f in self.feature_names if self.spelled_by_kernel(f) in flags}
        levels = [cpu for cpu in self.cpus if cpu.name in LEVELS and has.issuperset(cpu.features)]
        if not levels:
            lacks = "this CPU lacks SSE4.2; mlc requires at least x86-64-v2: cross-compile with "
            raise UserError((lacks, NamedOption("target")))
        extras = tuple(f for f in known.extras if f in has) if known else ()
        return levels[-1], levels[-1].features + extras

    def present_features(self) -> frozenset[str]:
        return present_features()

    def feature_initializer(self, name: str) -> str:
        return f'{{"{name}", {", ".join(f"{number}u" for number in CPUID_BITS[name])}}}'

    def dot_products(self, features: tuple[str, ...], vector_bits: int) -> Mapping[str, DotProduct]:
        bits, lanes, found = vector_bits, vector_bits // 32, dict[str, DotProduct]()
        if "avx512vnni" in features or ("avxvnni" in features and bits == 256):
            sums = f"<{lanes} x i32>"
            found["i8 dots"] = DotProduct(f"@llvm.x86.avx512.vpdpbusd.{bits}", sums, sums)
        if "avx512bf16" in features:
            intrinsic = f"@llvm.x86.avx512bf16.dpbf16ps.{bits}"
            found["bf16 dots"] = DotProduct(intrinsic, f"<{lanes} x float>", f"<{2 * lanes} x bfloat>")
        return found

    def dot_instruction(self, features: tuple[str, ...], lhs: str, rhs: str, bits: int) -> DotInstruction | None:
        has_width = bits == 128 or (bits == 256 and "avx2" in features) or (bits == 512 and "avx512bw" in features)
        if not has_width:
            return None
        has_vnni = "avx512vnni" in features and (bits == 512 or "avx512vl" in features)
        has_vnni = has_vnni or ("avxvnni" in features and bits < 512)
        match lhs, rhs:
            case "ui8", "i8" if has_vnni:
                return DotInstruction(f"llvm.x86.avx512.vpdpbusd.{bits}", 32)
            case "i16", "i16" if has_vnni:
                return DotInstruction(f"llvm.x86.avx512.vpdpwssd.{bits}", 32)
            case "i16", "i16":
                name = {128: "sse2.pmadd.wd", 256: "avx2.pmadd.wd", 512: "avx512.pmaddw.d.512"}[bits]
                return DotInstruction(f"llvm.x86.{name}", 16, adds=False)
            case "bf16", "bf16" if "avx512bf16" in features:
                return DotInstruction(f"llvm.x86.avx512bf16.dpbf16ps.{bits}", 16, is_float=True)
            case _:
                return None
