"""Instructions that only some CPUs have: what code generation must know to use them."""

from __future__ import annotations

from typing import NamedTuple


class DotInstruction(NamedTuple):
    """An instruction that computes dot products of the short numbers in words of 32 bits, lane by lane."""

    intrinsic: str
    """LLVM's name of it. It takes sums, if it adds to them, and two vectors of short numbers."""
    element: str
    """The LLVM type of the elements of these vectors: of words, or of the numbers in them."""
    adds: bool = True
    """Whether it adds to sums. Else an addition follows."""

    def operands(self, lanes: int) -> str:
        """The LLVM type of a vector of so many words."""
        return f"<{lanes * 32 // _BITS[self.element]} x {self.element}>"


class MatrixRegisters(NamedTuple):
    """Registers that hold matrices, and LLVM's names of instructions on them.

    Before they are used, each is told the size of the matrices that it will hold. All instructions take numbers of
    registers; those that access memory also an address, and the bytes from one row to the next.
    """

    number: int
    rows: int
    row_bytes: int
    least_rows: int
    """Products of matrices of fewer rows take as long as those of so many."""
    configure: str
    """Takes the address of what `InstructionSet.matrix_configuration` gives. What registers hold is lost."""
    release: str
    zero: str
    load: str
    store: str

    @property
    def words(self) -> int:
        """How many words of 32 bits a row has."""
        return self.row_bytes // 4


class SaturatingPacks(NamedTuple):
    """Instructions that make bytes of floats, a vector of those of four vectors. LLVM's names of them."""

    convert: str
    """From f32 to the nearest i32, by the rounding mode; to the least one of NaN and of what fits none."""
    is_masked: bool
    """Whether that takes what other lanes hold, a mask and a rounding mode, too."""
    halves: str
    """From two vectors of i32 to one of i16, the nearest there are, in pieces of 16 bytes from both in turn."""
    bytes: str
    """From two vectors of i16 to one of i8 in the same way."""
    unsigned_bytes: str
    """To ui8."""


class ByteLookup(NamedTuple):
    """An instruction that looks up bytes in a table, for a vector of codes at a time."""

    name: str
    """LLVM's name of it."""
    bits: int
    """The width of a vector of codes."""
    entries: int
    """How many bytes of the table one instruction sees: the first, or those that follow the ones of another."""
    codes_at: int
    """Which operand the codes are; the table is the others, 16 bytes or more in each."""
    wraps: bool
    """Whether codes count modulo `entries`. Else the byte of a greater code is 0."""
    counts_from: int = 0
    """The code of the first byte; codes below it count modulo `entries`."""

    @property
    def parts(self) -> int:
        """How many instructions see a table of 256 bytes."""
        return 256 // self.entries

    @property
    def others(self) -> int:
        """How many instructions of arithmetic find codes in the parts, and put these together."""
        return self.parts - 1 if self.wraps else (3 if self.counts_from else 2) * self.parts - 2

    def vectors(self, lanes: int) -> int:
        """How many vectors so many codes are."""
        return -(-lanes * 8 // self.bits)

    def instructions(self, lanes: int) -> int:
        """How many instructions look up so many codes."""
        return self.vectors(lanes) * (self.parts + self.others)


_BITS = {"i32": 32, "i16": 16, "i8": 8, "bfloat": 16}
PER_WORD = {"i8": 4, "ui8": 4, "i16": 2, "ui16": 2, "bf16": 2, "f16": 2}
"""How many numbers of each short type a word of 32 bits holds."""
