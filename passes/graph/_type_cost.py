"""What a product takes with factors of one type or another, by facts of the machine.

A roofline of one product: its arithmetic in register tiles, or its weights if these arrive later, and what belongs to
the type of its factors: numbers that are taken apart since no instruction multiplies them, sums that are scaled,
quantised numbers that become floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, gcd, prod

from mlc.architectures.instructions import PER_WORD
from mlc.dialects.graph import ConvOp, MatmulOp
from mlc.dialects.graph.types import ints, is_static, shape_of
from mlc.dialects.graph.windows import channel_dim, spatial_dims
from mlc.schedules.cost.traffic import read_cycles
from mlc.schedules.cost.windows import MovingWindow, window_cycles
from mlc.schedules.register_tile import TileProblem, best_tile, tile_cycles
from mlc.schedules.templates.window import MOST_TAPS
from mlc.targets.machine import Machine

_SCALING = 3
"""Operations on each vector of sums of integers: an offset, a conversion, a scale."""
_DEQUANTIZING = 2
"""Operations on each vector of quantised numbers that become floats where they are rounded: a zero point, a scale."""
_COMMON = 12
"""Operations on each vector of results, whatever the type of the factors: a bias, a relu, a quantisation."""
_NOT_WRITTEN_OUT = 2.0
"""How many times as long windows of more taps than are written out take, at least."""
_PAIR = "i16"
"""The type of two numbers in a word."""
_WIDENING = 2
"""Vectors that are stored, and loaded, of numbers that are longer than they need be; half of them are so anyway."""
_ROUNDING = {True: 2, False: 8}
"""Operations on each vector of f32 that becomes bf16, with an instruction for that and without one."""
_WORD = 4
"""The bytes of a word of short numbers, and of an f32."""


@dataclass(frozen=True)
class _WordCost:
    """What it takes to multiply words of short numbers, and to add up the products."""

    rate: float
    """How many vectors of words per cycle."""
    products: int = 1
    """The instructions of a vector of words that units start which multiply."""
    of_lhs: int = 0
    """How many operations take a word of the first factor apart, where no instruction multiplies words."""
    of_rhs: int = 0
    started: float = 0.0
    """How many of these instructions units start per cycle at least, as they keep up that rate."""

    @staticmethod
    def of(machine: Machine, lhs: str, rhs: str, *, in_i16: bool = False) -> _WordCost:
        """That of words of two types, as `convert-loop-to-llvm` multiplies them."""
        rate, bits = machine.dots(lhs, rhs), machine.vector_bits
        if found := machine.dot_instruction(lhs, rhs, bits) or machine.dot_instruction(rhs, lhs, bits):
            each = 1 if found.adds else 2
            return _WordCost(rate, each, started=each * rate)
        if PER_WORD[rhs] == 2:  # a shift, or a mask, for each number
            return _WordCost(rate, 2, 2, 2)
        if found := machine.dot_instruction(_PAIR, _PAIR, bits):  # three shifts make pairs of 16 bits of four bytes
            if in_i16 and machine.byte_products(lhs, rhs, bits):  # three instructions take no more than four
                return _WordCost(rate)
            each = 2 if found.adds else 4
            return _WordCost(rate, each, 3, 3, each * rate)
        return _WordCost(rate, 8, 7, 7)


@dataclass(frozen=True)
class TypedProduct:
    """A matrix product, or a convolution, whose factors may be of several types.

    `repeated` times `groups` products of `rows` x `taps` x `depth` numbers with as many times `columns`: no register
    tile spans two blocks of rows, and no word two taps.
    """

    rows: int
    taps: int
    depth: int
    columns: int
    repeated: int
    groups: int
    matrices: int
    """How many matrices of weights there are for each group."""
    image: int
    """How many numbers the first factor has."""
    window: MovingWindow | None = None
    """Where channels are apart, how their windows move."""

    @staticmethod
    def of(op: MatmulOp | ConvOp) -> TypedProduct:
        """That of an op of static shapes."""
        image, weights, result = map(shape_of, (*op.operands, op.result))
        if isinstance(op, MatmulOp):
            *stacked, depth, columns = weights
            *outer, rows, _ = result
            matrices = prod(stacked)
            if matrices == 1:  # one matrix for all rows
                outer, rows = [], rows * prod(outer)
            return TypedProduct(rows, 1, depth, columns, prod(outer), 1, matrices, prod(image))
        layout, groups, kernel = op.layout.data, op.groups.value.data, op.window.kernel
        channels = channel_dim(layout)
        depth, columns = image[channels] // groups, result[channels] // groups
        positions = [result[i] for i in spatial_dims(layout)]
        batch = result[0]
        *outer, rows = positions
        if prod(kernel) == 1:
            outer, rows = [], prod(positions)
        window = None
        if depth == columns == 1 and prod(kernel) > 1:
            window = MovingWindow.depthwise(positions, kernel, ints(op.strides), ints(op.dilations), groups)
        repeated = batch * prod(outer)
        return TypedProduct(rows, prod(kernel), depth, columns, repeated, groups, 1, prod(image), window)

    @property
    def results(self) -> int:
        """How many numbers the result has."""
        return self.rows * self.columns * self.repeated * self.groups

    @property
    def weights(self) -> int:
        """How many numbers the second factor has."""
        return self.taps * self.depth * self.columns * self.groups * self.matrices

    def float_cycles(self, machine: Machine, among: int, *, is_quantized: bool) -> float:
        """The cycles in f32.

        Args:
            machine: whose facts count.
            among: how many weights pass by between two calls.
            is_quantized: whether the image has to be made of quantised numbers.
        """
        products = self._products(machine, "f32")
        moved = self._arriving(machine, _WORD, among)
        dequantizing = _DEQUANTIZING * self.image / machine.lanes(32) / _ports(machine) if is_quantized else 0.0
        return max(products, moved) + dequantizing + self._behind(machine, 0)

    def short_cycles(
        self, machine: Machine, lhs: str, rhs: str, among: int, *, is_rounded: bool = True, in_i16: bool = False
    ) -> float:
        """The cycles with factors of two short types, whose names these are: integers of 8 bits, or halves.

        Args:
            machine: whose facts count.
            lhs: the type of the image.
            rhs: that of the weights.
            among: how many weights pass by between two calls.
            is_rounded: whether an image of halves has to be made of f32.
            in_i16: whether sums of two products of bytes fit in i16.
        """
        per_word = PER_WORD[rhs]
        if per_word == 2:
            total = self.sums_cycles(machine, lhs, rhs, among)
            if not is_rounded:
                return total + self._behind(machine, 0)
            has_instruction = machine.dot_instruction(rhs, rhs, machine.vector_bits) is not None
            rounding = _ROUNDING[has_instruction] * self.image / machine.lanes(32) / _ports(machine)
            return total + rounding + self._behind(machine, 0)
        total = self.sums_cycles(machine, lhs, rhs, among, in_i16=in_i16)
        total = min(total, self.pairs_cycles(machine, lhs, rhs, among))
        if self.groups == 1 and self.depth % per_word:  # the image gets more channels, by a copy
            image = self.image * ceil(self.depth / per_word) * per_word // self.depth
            total += 2 * image / _WORD / machine.issue.stores
        return total + self._behind(machine, _SCALING)

    def sums_cycles(self, machine: Machine, lhs: str, rhs: str, among: int, *, in_i16: bool = False) -> float:
        """The cycles of adding up products of numbers of two short types, or until the weights have come."""
        moved = self._arriving(machine, _WORD // PER_WORD[rhs], among)
        return max(self._products(machine, lhs, rhs, in_i16=in_i16), moved)

    def pairs_cycles(self, machine: Machine, lhs: str, rhs: str, among: int) -> float:
        """The cycles of adding up products of integers of 8 bits, as many as fill words, that are stored in 16 bits.

        Infinite where instructions multiply words of bytes, or none multiplies pairs; and where channels are apart,
        whose neighbours become pairs in the kernel.
        """
        bits = machine.vector_bits
        if machine.dot_instruction(lhs, rhs, bits) or machine.dot_instruction(rhs, lhs, bits):
            return float("inf")
        return self._in_pairs(machine, PER_WORD[rhs], among)

    def differences_cycles(self, machine: Machine, among: int) -> float:
        """The cycles with differences of integers of 8 bits, which are stored in 16 bits.

        Infinite where no instruction multiplies pairs, and where channels are apart.
        """
        return self._in_pairs(machine, PER_WORD[_PAIR], among) + self._behind(machine, _SCALING)

    def _in_pairs(self, machine: Machine, per_word: int, among: int) -> float:
        if machine.dot_instruction(_PAIR, _PAIR, machine.vector_bits) is None or self.groups > 1:
            return float("inf")
        widening = _WIDENING * self.image / machine.lanes(16) / machine.issue.stores
        filled = replace(self, depth=ceil(self.depth / per_word) * per_word)
        return filled.sums_cycles(machine, _PAIR, _PAIR, among) + widening

    def widened_cycles(self, machine: Machine, rhs: str, among: int) -> float:
        """The cycles with weights of halves, each of which becomes f32 whenever it is multiplied."""
        taken_apart = _WordCost(machine.issue.fma_units / 2, 2, 2, 2)
        steps = self.taps * ceil(self.depth / PER_WORD[rhs])
        moved = self._arriving(machine, _WORD // PER_WORD[rhs], among)
        return max(self._tiles(machine, taken_apart, steps), moved) + self._behind(machine, 0)

    def widening_cycles(self, machine: Machine, rhs: str, among: int) -> float:
        """The cycles of making f32 of weights of halves, and of storing them."""
        moved = self._arriving(machine, _WORD + _WORD // PER_WORD[rhs], among)
        return max(_DEQUANTIZING * self.weights / machine.lanes(32) / _ports(machine), moved)

    def widened_taps_cycles(self, machine: Machine) -> float:
        """The cycles of a depthwise convolution of halves, which become f32 where they are multiplied."""
        assert self.window is not None
        window = replace(self.window, read_bytes=_WORD // 2)
        return self._written_out(window, machine) + self._behind(machine, 0)

    def _arriving(self, machine: Machine, size: int, among: int) -> float:
        """The cycles until weights of `size` bytes each have come from where they are between two calls."""
        return read_cycles(size * self.weights, machine, size * among)

    def _behind(self, machine: Machine, scaling: int) -> float:
        """The cycles of what follows sums."""
        return (_COMMON + scaling) * self.results / machine.lanes(32) / _ports(machine)

    def _products(self, machine: Machine, lhs: str, rhs: str = "", *, in_i16: bool = False) -> float:
        """The cycles of the multiply-adds, for factors of f32 if `rhs` is empty."""
        if self.window is not None:
            return self._windows(self.window, machine, lhs, rhs)
        if not rhs:
            return self._tiles(machine, None, self.taps * self.depth)
        per_word = PER_WORD[rhs]
        if self.groups > 1 and self.depth % per_word:  # numbers are widened, and multiplied one by one
            return self._tiles(machine, _WordCost(machine.issue.fma_units / 2), self.taps * self.depth)
        words = self.taps * ceil(self.depth / per_word)
        vectors = self._tiles(machine, _WordCost.of(machine, lhs, rhs, in_i16=in_i16), words)
        if (rate := machine.outer_dots(lhs, rhs)) and self.groups == 1 and self.depth % (2 * per_word) == 0:
            vectors = min(vectors, self._tiles(machine, _WordCost(rate), words // 2, pairs_rows=True))
        return min(vectors, self._matrices(machine, lhs, rhs, words))

    def _batch(self, window: MovingWindow) -> int:
        return self.repeated // prod(window.dim_sizes[: window.num_parallel - 2])

    def _written_out(self, window: MovingWindow, machine: Machine) -> float:
        """The cycles of windows whose taps are multiplied as f32, one by one."""
        is_written_out = self.taps <= MOST_TAPS
        return self._batch(window) * window_cycles(window, machine, 1) * (1.0 if is_written_out else _NOT_WRITTEN_OUT)

    def _windows(self, window: MovingWindow, machine: Machine, lhs: str, rhs: str) -> float:
        if not rhs:
            return self._written_out(window, machine)
        batch = self._batch(window)
        bits = machine.vector_bits
        if machine.dot_instruction(lhs, rhs, bits) or machine.dot_instruction(rhs, lhs, bits):
            return batch * window_cycles(window, machine, PER_WORD[rhs])
        if machine.dot_instruction("i16", "i16", bits):
            return batch * window_cycles(window, machine, 2)
        return batch * window_cycles(window, machine.multiplying(machine.issue.fma_units / 3), 1)

    def _tiles(self, machine: Machine, cost: _WordCost | None, steps: int, *, pairs_rows: bool = False) -> float:
        """The cycles of `steps` of the reduction in register tiles, with long words if rows are paired."""
        lanes = machine.lanes(32)
        if self.groups > 1 and self.columns % lanes and self.columns < lanes:
            lanes = gcd(self.columns, lanes)
        computing = machine if cost is None else machine.multiplying(cost.rate)
        word = 2 * _WORD if pairs_rows else _WORD
        tiles = TileProblem(self.rows, self.columns, lanes, column_bytes=word * steps, pairs_rows=pairs_rows)
        tile = best_tile(tiles, computing)
        busy = tile_cycles(tile, tiles, computing)
        if cost is not None and lanes == machine.lanes(32):  # units have time where vectors are short
            width = ceil(self.columns / lanes)
            of_rows, of_columns = (
                n * ceil(size / of_tile)
                for n, size, of_tile in ((self.rows, width, tile.vectors), (width, self.rows, tile.rows))
            )
            operations = cost.products * self.rows * width + cost.of_lhs * of_rows + cost.of_rhs * of_columns
            busy = max(busy, operations / max(_ports(machine), cost.started))
        return busy * steps * self.repeated * self.groups

    def _matrices(self, machine: Machine, lhs: str, rhs: str, words: int) -> float:
        """The cycles as products of matrices in registers; infinite without these."""
        registers = machine.matrix_registers
        if registers is None or self.groups > 1 or machine.matrix_instruction(lhs, rhs) is None:
            return float("inf")
        steps, width = ceil(words / registers.words), ceil(self.columns / registers.words)
        blocks, last = divmod(self.rows, registers.rows)
        busy = blocks * machine.matrix_cycles(registers.rows) + (machine.matrix_cycles(last) if last else 0.0)
        # Sums go through memory when the last products have been added.
        sums = ceil(self.rows / registers.rows) * machine.issue.mma_latency
        sums += self.rows * (1 / machine.issue.stores + 1 / machine.issue.loads)
        return width * self.repeated * (steps * max(busy, registers.rows / machine.issue.loads) + sums)


def _ports(machine: Machine) -> float:
    """How many operations on vectors start per cycle."""
    return max(machine.issue.fma_units, machine.issue.adds)


def weights_among(products: Sequence[MatmulOp | ConvOp]) -> int:
    """How many numbers the second factors of products have: each of them is read again when all others have been."""
    return sum(prod(shape_of(v)) for v in {op.operands[1] for op in products} if is_static(v.type))


def cycles_in_words(cycles: float) -> str:
    """An estimate as remarks say it, to two digits: it is not better than that."""
    return f"{float(f'{cycles:.2g}'):,.0f} cycles"
