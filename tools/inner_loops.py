"""The innermost loops of an assembly text, and what their instructions keep busy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mlc.schedules.cost.work import Instructions
from mlc.targets.machine import Machine

_LABEL = re.compile(r"^(\.L\w+):(?:\s*(?:#|//) %([\w.]+))?")
_BRANCH = re.compile(r"^\s+(?:b\.\w+|cbn?z|tbn?z|j\w+)\s.*?(\.L\w+)\s*(?://.*|#.*)?$")
_INSTRUCTION = re.compile(r"^\s+(?P<name>[a-z][\w.]*)\s*(?P<operands>[^#/]*)")
_SPILL = re.compile(r"(?:#|//).*-byte (?:Folded )?(?:Spill|Reload)\b")
"""What LLVM says of an instruction that stores a register since there are too few, or reads such a one."""
_OUTER_DOT = r"u?smmla|ummla|bfmmla"
_DOT = rf"{_OUTER_DOT}|[us]dot|usdot|sudot|bfdot|vpdpbusds?|vpdpwssds?|vdpbf16ps|v?pmaddwd"
_VECTOR = re.compile(r"%[xyz]mm\d+|\b[vqsdh]\d+\b")
_MULTIPLY_ADD = re.compile(rf"fml[as]|fmul|fnml|v?mul[ps][sd]|vfn?m(?:add|sub)\w*|{_DOT}")
_FMA = re.compile(rf"fml[as]|vfn?m(?:add|sub)\d+ps|{_DOT}")
_X86_SHUFFLE = re.compile(
    r"v?(?:unpck|shuf|perm|pshuf|extract|insert|mov[sl]hdup|movddup|movhlps|movlhps|punpck|palignr)\w*"
)
_ARM_SHUFFLE = re.compile(r"(?:zip|uzp|trn)[12]|ext|tbl|dup|ins|rev\d*")


@dataclass(frozen=True)
class MachineLoop:
    """One innermost loop of an assembly text.

    Attributes:
        text: its lines.
        work: what no code for it can leave out: arithmetic, loads, stores, shuffles.
        fmas: how many of them are multiply-adds, or dot products.
        outer_dots: how many of these take two rows and two columns.
        moves: copies of registers, and constants that are made anew.
        spills: instructions that store vector registers since there are too few, or read such ones, perhaps as an
            operand of arithmetic. Other operands in memory are none, whatever register has their address.
        block: what LLVM calls its block: as in the LLVM IR, `b3`, or `b3.1` for a copy; empty if that is not written.
    """

    text: str
    work: Instructions
    fmas: int
    outer_dots: int
    moves: int
    spills: int
    block: str = ""

    def bound(self, machine: Machine) -> float:
        """The cycles of one iteration in which a core could start its work, as estimates of loops have it."""
        return max(self.work.cycles(machine).values())


def innermost_loops(text: str, machine: Machine) -> list[MachineLoop]:
    """The loops of one block that compute on vectors, in the order of the text."""
    loops = [_loop(block, body, machine) for block, body in _bodies(text)]
    return [loop for loop in loops if loop.work.multiply_adds or loop.work.others]


def hottest_loop(text: str, machine: Machine) -> MachineLoop | None:
    """The one with the most multiply-adds; None if no loop has any."""
    return max((x for x in innermost_loops(text, machine) if x.fmas), key=lambda x: x.fmas, default=None)


def _bodies(text: str) -> Iterator[tuple[str, str]]:
    """The blocks that branch to their own beginnings, with their names."""
    label, name, block = "", "", list[str]()
    for line in text.splitlines():
        if start := _LABEL.match(line):
            label, name, block = start[1], start[2] or "", []
        elif branch := _BRANCH.match(line):
            block.append(line)
            if branch[1] == label:
                yield name, "\n".join(block)
            label, block = "", []
        elif not line.lstrip().startswith((".", "//", "#")):
            block.append(line)


def _loop(block: str, body: str, machine: Machine) -> MachineLoop:
    work = Instructions()
    count = {"fmas": 0, "outer_dots": 0, "moves": 0, "spills": 0}
    add = _add_arm if machine.arch == "aarch64" else _add_x86
    for line in body.splitlines():
        if found := _INSTRUCTION.match(line):
            name, operands = found["name"], found["operands"].strip()
            count["fmas"] += _FMA.fullmatch(name) is not None
            count["outer_dots"] += re.fullmatch(_OUTER_DOT, name) is not None
            is_spill = _SPILL.search(line) is not None
            if kind := add(work, name, operands, is_spill):
                count[kind] += 1
            count["spills"] += is_spill and _VECTOR.search(operands) is not None
    return MachineLoop(body, work, **count, block=block)


def _add_arm(work: Instructions, name: str, operands: str, is_spill: bool) -> str:
    """Count an instruction of ARM; "moves" if it copies a register."""
    registers = re.findall(r"\b[vqsdh]\d+\b", operands)
    if not registers:
        return ""
    if name.startswith(("ld", "st")):
        if is_spill:
            return ""
        how_many = len(registers)
        if name.startswith("ld"):
            work.loads += how_many
        else:
            work.stores += how_many
    elif name in ("mov", "movi", "mvni", "fmov"):
        return "moves"
    elif _ARM_SHUFFLE.fullmatch(name):
        work.shuffles += 1
    elif _MULTIPLY_ADD.fullmatch(name):
        work.multiply_adds += 1
    else:
        work.others += 1
    return ""


def _add_x86(work: Instructions, name: str, operands: str, is_spill: bool) -> str:
    """Count an instruction of x86; "moves" if it copies a register."""
    if not re.search(r"%[xyz]mm\d+", operands):
        return ""
    is_move = re.fullmatch(r"v?mov[auhl]p[sd]|v?movdq[au]\d*|v?movs[sd]", name) is not None
    if is_spill and is_move:
        return ""
    if re.search(r"\(%\w+[^)]*\)\{?\S*$", operands) and is_move:
        work.stores += 1
        return ""
    if "(" in operands:
        work.loads += 1
    if is_move:
        if "(" in operands:
            return ""
        if "{%k" not in operands:
            return "moves"
        work.others += 1
    elif re.fullmatch(r"vbroadcasts[sd]|vpbroadcast[dq]", name) and "(" in operands:
        return ""
    elif re.fullmatch(r"v?p?xor\w*", name) and len(set(re.findall(r"%[xyz]mm\d+", operands))) == 1:
        return "moves"
    elif _X86_SHUFFLE.fullmatch(name) or name.startswith(("vbroadcast", "vpbroadcast")):
        work.shuffles += 1
    elif _MULTIPLY_ADD.fullmatch(name):
        work.multiply_adds += 1
    else:
        work.others += 1
    return ""
