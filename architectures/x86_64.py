"""x86-64: what its instructions can do, how the kernel and LLVM name its features, and what a host has of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.architectures.architecture import (
    Cpu,
    InstructionSet,
    Tuned,
)
from mlc.architectures.cpuid import CPUID_BITS, present_features
from mlc.architectures.instructions import ByteLookup, DotInstruction, MatrixRegisters, SaturatingPacks
from mlc.architectures.x86_64_cpus import CPUS, EXTRAS, LEVELS
from mlc.support.errors import NamedOption, UserError

_PAIRS_OF_I16 = {
    128: "llvm.x86.sse2.pmadd.wd",
    256: "llvm.x86.avx2.pmadd.wd",
    512: "llvm.x86.avx512.pmaddw.d.512",
}
"""Products of i16, those of neighbours added up in i32, by the bits of vectors."""

_PAIRS_OF_BYTES = {
    128: "llvm.x86.ssse3.pmadd.ub.sw.128",
    256: "llvm.x86.avx2.pmadd.ub.sw",
    512: "llvm.x86.avx512.pmaddubs.w.512",
}
"""Products of ui8 and i8, those of neighbours added up in i16, by the bits of vectors."""

_TILE_PRODUCTS = {
    ("ui8", "i8"): ("amx-int8", "llvm.x86.tdpbusd"),
    ("i8", "ui8"): ("amx-int8", "llvm.x86.tdpbsud"),
    ("i8", "i8"): ("amx-int8", "llvm.x86.tdpbssd"),
    ("ui8", "ui8"): ("amx-int8", "llvm.x86.tdpbuud"),
    ("bf16", "bf16"): ("amx-bf16", "llvm.x86.tdpbf16ps"),
}
"""Products of tiles: the feature, and LLVM's name of the instruction."""


_ZMM = 512
_SHUFFLES_OF_BYTES = {
    128: "llvm.x86.ssse3.pshuf.b.128",
    256: "llvm.x86.avx2.pshuf.b",
    512: "llvm.x86.avx512.pshuf.b.512",
}
_PACKS = {
    128: SaturatingPacks(
        "llvm.x86.sse2.cvtps2dq",
        False,
        "llvm.x86.sse2.packssdw.128",
        "llvm.x86.sse2.packsswb.128",
        "llvm.x86.sse2.packuswb.128",
    ),
    256: SaturatingPacks(
        "llvm.x86.avx.cvt.ps2dq.256",
        False,
        "llvm.x86.avx2.packssdw",
        "llvm.x86.avx2.packsswb",
        "llvm.x86.avx2.packuswb",
    ),
    512: SaturatingPacks(
        "llvm.x86.avx512.mask.cvtps2dq.512",
        True,
        "llvm.x86.avx512.packssdw.512",
        "llvm.x86.avx512.packsswb.512",
        "llvm.x86.avx512.packuswb.512",
    ),
}
"""By the bits of vectors."""


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
        "amx-tile": "amx_tile",
        "amx-int8": "amx_int8",
        "amx-bf16": "amx_bf16",
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
        """The highest level whose features are all there, and of what kernels can use beyond it all that is there.

        A virtual machine may hide features of its CPU, and report a model that is not in the table, so code relies on
        what the kernel reports, never on the model.
        """
        has = self._features_in(flags)
        levels = [cpu for cpu in self.cpus if cpu.name in LEVELS and has.issuperset(cpu.features)]
        if not levels:
            lacks = "this CPU lacks SSE4.2; mlc requires at least x86-64-v2: cross-compile with "
            raise UserError((lacks, NamedOption("target")))
        level = levels[-1]
        return level, level.features + tuple(f for f in EXTRAS[level.name] if f in has)

    def cpu_reported(self, entries: Mapping[str, str]) -> Cpu | None:
        """The CPU of the table, unless the host has what this one lacks: hypervisors give guests models of their own
        choice."""
        found = super().cpu_reported(entries)
        has = self._features_in(frozenset(entries.get(self.features_field, "").split()))
        return found if found and has.issubset({*found.features, *found.extras}) else None

    def _features_in(self, flags: frozenset[str]) -> set[str]:
        """LLVM's names of the features that `flags` name in the kernel's spelling."""
        return {f for f in self.feature_names if self.spelled_by_kernel(f) in flags}

    def present_features(self) -> frozenset[str]:
        return present_features()

    def feature_initializer(self, name: str) -> str:
        return f'{{"{name}", {", ".join(f"{number}u" for number in CPUID_BITS[name])}}}'

    def lookup(self, features: tuple[str, ...], bits: int) -> str | None:
        return "llvm.x86.avx512.permvar.sf.512" if bits == 512 and "avx512f" in features else None

    def dot_instruction(self, features: tuple[str, ...], lhs: str, rhs: str, bits: int) -> DotInstruction | None:
        if not _has_integers(features, bits):
            return None
        has_vnni = "avx512vnni" in features and (bits == 512 or "avx512vl" in features)
        has_vnni = has_vnni or ("avxvnni" in features and bits < 512)
        match lhs, rhs:
            case "ui8", "i8" if has_vnni:
                return DotInstruction(f"llvm.x86.avx512.vpdpbusd.{bits}", "i32")
            case "i16", "i16" if has_vnni:
                return DotInstruction(f"llvm.x86.avx512.vpdpwssd.{bits}", "i32")
            case "i16", "i16":
                return DotInstruction(_PAIRS_OF_I16[bits], "i16", adds=False)
            case "bf16", "bf16" if "avx512bf16" in features:
                return DotInstruction(f"llvm.x86.avx512bf16.dpbf16ps.{bits}", "bfloat")
            case _:
                return None

    def rounds_to_bf16(self, features: tuple[str, ...]) -> bool:
        return {"avx512bf16", "avx512vl"}.issubset(features)

    def byte_products(self, features: tuple[str, ...], bits: int) -> str | None:
        return _PAIRS_OF_BYTES[bits] if _has_integers(features, bits) and "ssse3" in features else None

    def matrix_registers(self, features: tuple[str, ...]) -> MatrixRegisters | None:
        """The tiles of AMX, in palette 1."""
        if "amx-tile" not in features:
            return None
        names = ("ldtilecfg", "tilerelease", "tilezero", "tileloadd64", "tilestored64")
        return MatrixRegisters(8, 16, 64, 10, *(f"llvm.x86.{name}" for name in names))

    def matrix_configuration(self, sizes: Sequence[tuple[int, int]]) -> Sequence[int]:
        """The operand of `ldtilecfg` (Intel's manual, volume 2A): the palette, bytes of rows from 16 on, rows from 48.

        All numbers are little-endian.
        """
        row_bytes = b"".join(size.to_bytes(2, "little") for _, size in sizes)
        text = bytes([1]).ljust(16, b"\0") + row_bytes.ljust(32, b"\0") + bytes(rows for rows, _ in sizes)
        whole = text.ljust(64, b"\0")
        return [int.from_bytes(whole[at : at + 8], "little") for at in range(0, 64, 8)]

    def matrix_instruction(self, features: tuple[str, ...], lhs: str, rhs: str) -> str | None:
        feature, name = _TILE_PRODUCTS.get((lhs, rhs), ("", ""))
        return name if feature in features else None

    def saturating_packs(self, features: tuple[str, ...], bits: int) -> SaturatingPacks | None:
        return _PACKS[bits] if _has_integers(features, bits) else None

    def byte_lookup(self, features: tuple[str, ...], bits: int) -> ByteLookup | None:
        """`vpermi2b` sees 128 bytes, of which a bit of the code selects one half; `pshufb` 16, and a set high bit of a
        code gives 0."""
        if "avx512vbmi" in features and bits == _ZMM:
            return ByteLookup("llvm.x86.avx512.vpermi2var.qi.512", _ZMM, 128, codes_at=1, wraps=True)
        if not _has_integers(features, bits):
            return None
        return ByteLookup(_SHUFFLES_OF_BYTES[bits], bits, 16, codes_at=1, wraps=False, counts_from=0x70)


def _has_integers(features: tuple[str, ...], bits: int) -> bool:
    """Whether there are instructions for short integers in vectors of `bits`."""
    return bits == 128 or (bits == 256 and "avx2" in features) or (bits == 512 and "avx512bw" in features)
