"""The inner loops of machine code: what their instructions are, and what llvm-mca says of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from mlc.targets.host import core_count
from mlc.targets.machine import Machine
from mlc.tools.explorer.document_code import InnerLoop, LoopSimulation
from mlc.tools.explorer.loop_names import LoopNames
from mlc.tools.explorer.texts import Texts
from mlc.tools.inner_loops import MachineLoop, innermost_loops
from mlc.tools.llvm_mca import busiest_unit, cycles_in, find_mca, iterations_of, model_of, simulate, version_of

_MOST_LOOPS = 6
"""So many loops of a function are shown."""
_MOST_INSTRUCTIONS = 2000
"""Longer loops are not simulated, which would take many seconds."""
_X86_COMMENT, _ARM_COMMENT = re.compile(r"#.*$"), re.compile(r"//.*$")
_X86_OTHERS = re.compile(r"%(?:r(\d+)[dwb]?|[re]?(ax|bx|cx|dx|si|di|bp|sp)l?|([abcd])[lh]|(k[0-7]))\b")
_ARM_VECTOR, _ARM_OTHERS = re.compile(r"\b[vqdshbz](\d+)\b"), re.compile(r"\b[xw](\d+)\b")
_BLOCK = re.compile(r"b(\d+)(?:\.|$)")
"""What blocks of the LLVM IR are called, and their copies."""
_X86_VECTOR = re.compile(r"%[xyz]mm(\d+)\b")


@dataclass(frozen=True)
class LoopReader:
    """Takes inner loops out of assembly texts."""

    machine: Machine
    tool: str | None
    words: str
    """Which llvm-mca it asks, and of which CPU its model is; empty if there is none."""
    reason: str = ""
    """Why there is none."""

    @staticmethod
    def of(machine: Machine) -> LoopReader:
        """With the newest llvm-mca that there is."""
        try:
            tool = find_mca()
        except LookupError as e:
            return LoopReader(machine, None, "", str(e))
        return LoopReader(machine, tool, f"llvm-mca {version_of(tool)}, its model of {model_of(machine)}")

    def loops(
        self, assemblies: Sequence[str], texts: Texts, names: Sequence[LoopNames] | None = None
    ) -> list[list[InnerLoop]]:
        """The loops of one block that compute on vectors, of each text, the one with the most multiply-adds first;
        `names` are those of the loops around the blocks of each text, where they are known."""
        found = [
            sorted(innermost_loops(assembly, self.machine), key=lambda loop: -loop.fmas)[:_MOST_LOOPS]
            for assembly in assemblies
        ]
        different = list({loop.text: loop for each in found for loop in each}.values())
        with ThreadPoolExecutor(core_count()) as pool:  # llvm-mca is a process of its own
            said = dict(zip((loop.text for loop in different), pool.map(self._simulation, different), strict=True))
        return [
            [self._loop(loop, said[loop.text], texts, around) for loop in each]
            for each, around in zip(found, names or [()] * len(found), strict=True)
        ]

    def _loop(self, loop: MachineLoop, simulation: LoopSimulation | None, texts: Texts, names: LoopNames) -> InnerLoop:
        is_arm = self.machine.arch == "aarch64"
        comment = _ARM_COMMENT if is_arm else _X86_COMMENT
        lines = [comment.sub("", line).split(None, 1) for line in loop.text.splitlines()]
        lines = [f"{words[0]:<14} {' '.join(words[1:])}".rstrip() for words in lines if words]
        vector = _ARM_VECTOR if is_arm else _X86_VECTOR
        vectors, others = _registers("\n".join(lines), is_arm)
        work = loop.work
        counts = {
            "multiply-adds": int(work.multiply_adds),
            "other arithmetic": int(work.others),
            "loads": int(work.loads),
            "stores": int(work.stores),
            "shuffles": int(work.shuffles),
            "copies of registers": loop.moves,
            "spills": loop.spills,
        }
        counts["addresses, counters, branches"] = sum(vector.search(line) is None for line in lines)
        cycles = {name: number for name, number in work.cycles(self.machine).items() if number}
        text = texts.add("\n".join(lines))
        number = _BLOCK.match(loop.block)
        around = names[int(number[1])] if number and int(number[1]) < len(names) else ()
        return InnerLoop(text, loop.block, around, len(lines), counts, cycles, len(vectors), len(others), simulation)

    def _simulation(self, loop: MachineLoop) -> LoopSimulation | None:
        size = loop.text.count("\n")
        if self.tool is None or size >= _MOST_INSTRUCTIONS:
            return None
        try:
            shown = simulate(self.tool, self.machine, loop.text, iterations_of(size))
        except (subprocess.CalledProcessError, OSError):
            return None
        unit = busiest_unit(shown)
        return LoopSimulation(cycles_in(shown), unit.cycles, unit.name, dict(unit.instructions))


def _registers(text: str, is_arm: bool) -> tuple[set[str], set[str]]:
    """The vector registers that instructions name, and the others; parts of a register are the same one."""
    vector, other = (_ARM_VECTOR, _ARM_OTHERS) if is_arm else (_X86_VECTOR, _X86_OTHERS)
    named = ("".join(part or "" for part in found.groups()) for found in other.finditer(text))
    # `al` is a part of `ax`.
    others = {f"{name}x" if name in ("a", "b", "c", "d") else name for name in named}
    return {found[1] for found in vector.finditer(text)}, others
