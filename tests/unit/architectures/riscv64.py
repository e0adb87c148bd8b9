"""64-bit RISC-V without vectors, as a package of somebody else would add it."""

from __future__ import annotations

from mlc.architectures.architecture import COMMON, Cpu, InstructionSet, Tuned
from mlc.architectures.facts import facts

_AT_HWCAP = 16
_BASE = ("m", "a", "f", "d", "c")


class Riscv64(InstructionSet):
    """RV64GC."""

    name = "riscv64"
    elf_machine = 243
    elf_flags = 5  # compressed instructions, and f64 in registers
    linker_emulation = "elf64lriscv"
    any_cpu_flags = ("-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany")
    reported_as = ("isa", "uarch")
    features_field = "isa"
    max_tile_rows = 8
    has_minimum = False
    has_memory_operands = False
    cpus = (Cpu("rv64gc", "generic-rv64", _BASE, (), 128, 32, 4, {COMMON: facts(l1_kib=32, l2_kib=512, l3_mib=2)}),)

    def fuses_multiply_add(self, features: tuple[str, ...]) -> bool:
        return True

    def converts_f16(self, features: tuple[str, ...]) -> bool:
        return False

    def function_attributes(self, machine: Tuned) -> dict[str, str]:
        return {"target-cpu": machine.base, "target-features": ",".join(f"+{f}" for f in machine.features)}

    def clang_flags(self, machine: Tuned) -> tuple[str, ...]:
        return self.any_cpu_flags

    def host_cpu(self, known: Cpu | None, flags: frozenset[str]) -> tuple[Cpu, tuple[str, ...]]:
        return self.cpus[0], self.cpus[0].features

    def present_features(self) -> frozenset[str]:
        return frozenset(_BASE)

    def feature_initializer(self, name: str) -> str:
        return f'{{"{name}", {_AT_HWCAP}u, {ord(name) - ord("a")}u}}'
