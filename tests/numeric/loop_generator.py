"""Draws random loop programs: forms that steps are made for, with faults in them, and others of no form at all."""

from __future__ import annotations

import random
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from mlc.tests.numeric.loop_programs import Array, Compute, Load, Loop, Program, Store, Sum, Unfit

DIMS = ("a", "b", "k", "n", "m", "y")


class _Maker:
    """Draws a program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = 0
        element = self.random.choice(("i32", "f32"))
        self.actions = ("add", "sub", "mul", "max", "min") if element == "i32" else ("add", "sub", "max", "min")
        names = ["y0", *(name for name in ("y1", "t0") if self.random.random() < 0.6)]
        shapes = [tuple(self.random.randint(6, 11) for _ in range(self.random.randint(1, 2))) for _ in names]
        self.program = Program(element, dict(zip(names, shapes, strict=True)), [])

    def make(self) -> Program:
        for _ in range(self.random.randint(1, 2)):
            self.program.body.append(self.loop({}, ["c0", "c1", "cm3"], 0))
        return self.program

    def fresh(self, prefix: str) -> str:
        self.numbers += 1
        return f"{prefix}{self.numbers}"

    def loop(self, counters: dict[str, range], values: list[str], depth: int) -> Loop:
        start, trips, step = self.random.choice((0, 0, 1)), self.random.randint(2, 5), self.random.choice((1, 1, 1, 2))
        used = {name.split("_")[0] for name in counters}
        dim = self.random.choice([d for d in DIMS if d not in used])
        loop = Loop(dim, self.fresh(f"{dim}_"), range(start, start + (trips - 1) * step + 1, step), [])
        inner, known = {**counters, loop.counter: loop.values}, list(values)
        carries = self.random.choice((0, 0, 0, 1, 1, 2)) if depth else self.random.choice((0, 0, 0, 0, 1))
        loop.carried = [self.fresh("s") for _ in range(carries)]
        loop.initial = [self.random.choice(values) for _ in loop.carried]
        loop.results = [self.fresh("r") for _ in loop.carried]
        plain = carries and self.random.random() < 0.6  # a reduction, which steps are meant for
        if not plain:
            known += loop.carried
        self.statements(loop.body, inner, known, depth)
        for carried in loop.carried:
            if plain:
                terms = [op.name for op in loop.body if isinstance(op, Load | Compute)] or known
                last = Compute(self.fresh("v"), self.random.choice(self.actions[:1] + self.actions[2:]), "", "")
                sides = [carried, self.random.choice(terms)]
                self.random.shuffle(sides)
                last.left, last.right = sides
                loop.body.append(last)
                loop.yielded.append(last.name)
                if self.random.random() < 0.15:
                    self.store(loop.body, inner, [last.name])
            else:
                loop.yielded.append(self.random.choice(known))
        values += loop.results
        return loop

    def statements(self, body: list[Any], counters: dict[str, range], values: list[str], depth: int) -> None:
        stored = False
        for _ in range(self.random.randint(1, 3)):
            what = self.random.random()
            if what < 0.35 and depth < 2:
                body.append(self.loop(counters, values, depth + 1))
                stored = True
            elif what < 0.55:
                values.append(self.load(body, counters))
            elif what < 0.8:
                left, right = self.random.choice(values), self.random.choice(values[-3:])
                body.append(Compute(self.fresh("v"), self.random.choice(self.actions), left, right))
                values.append(body[-1].name)
            else:
                self.store(body, counters, values[-3:])
                stored = True
        if not stored or self.random.random() < 0.5:
            values.append(self.load(body, counters))
            self.store(body, counters, values[-3:])

    def load(self, body: list[Any], counters: dict[str, range], buffer: str | None = None) -> str:
        buffer = buffer or self.random.choice([*self.program.buffers, *(f"in_{b}" for b in self.program.outputs)])
        body.append(Load(self.fresh("v"), buffer, self.subscripts(buffer, counters)))
        return body[-1].name

    def store(self, body: list[Any], counters: dict[str, range], values: list[str]) -> None:
        buffer = self.random.choice(list(self.program.buffers))
        body.append(Store(self.random.choice(values), buffer, self.subscripts(buffer, counters)))

    def subscripts(self, buffer: str, counters: dict[str, range]) -> list[Sum]:
        extents = self.program.shape(buffer)
        if self.random.random() < 0.6 and len(counters) >= len(extents):
            # A place of its own for each iteration of the innermost loops, perhaps a neighbour of it.
            inner = list(counters)[-len(extents) :]
            self.random.shuffle(inner)
            near = self.random.choice((0, 0, 0, 1, -1))
            places: list[Sum] = [({name: 1}, near if axis == 0 else 0) for axis, name in enumerate(inner)]
            spans = [
                (counters[n][0] + c, counters[n][-1] + c) for n, c in zip(inner, (p[1] for p in places), strict=True)
            ]
            if all(low >= 0 and high < extent for (low, high), extent in zip(spans, extents, strict=True)):
                return places
        return [self.subscript(extent, counters) for extent in extents]

    def subscript(self, extent: int, counters: dict[str, range]) -> Sum:
        """A sum that stays inside of `extent`."""
        for _ in range(8):
            names = self.random.sample(list(counters), min(self.random.choice((0, 1, 1, 1, 2)), len(counters)))
            terms = {name: self.random.choice((1, 1, 1, 1, 2)) for name in names}
            low = sum(f * counters[n][0] for n, f in terms.items())
            high = sum(f * counters[n][-1] for n, f in terms.items())
            if high - low < extent:
                least, most = max(-low, -3), extent - 1 - high
                if least <= most:
                    return terms, self.random.randint(least, min(most, least + 5))
        return {}, self.random.randrange(extent)


class _FormMaker(_Maker):
    """Draws programs of the forms that steps look for, each detail of which may be another one."""

    def make(self) -> Program:
        form = self.random.choice((self.reduction, self.nest, self.siblings, self.padded, self.temporary, self.product))
        form()
        if self.random.random() < 0.2:
            self.program.body.append(_Maker.loop(self, {}, ["c0", "c1", "cm3"], 1))
        return self.program

    def sometimes(self, chance: float = 0.25) -> bool:
        """Whether a detail is to be unusual."""
        return self.random.random() < chance

    def buffer(self, name: str, *shape: int) -> str:
        """A buffer of this shape, with room for neighbours on its right."""
        self.program.buffers[name] = shape
        return name

    def for_(self, dim: str, trips: int, start: int = 0, step: int = 1) -> tuple[Loop, str]:
        """An empty loop and its counter."""
        loop = Loop(dim, self.fresh(f"{dim}_"), range(start, start + (trips - 1) * step + 1, step), [])
        return loop, loop.counter

    def place(self, *counters: str | int | tuple[str, int]) -> list[Sum]:
        """Subscripts: counters, numbers, or counters and what is added to them."""
        places: list[Sum] = []
        for c in counters:
            name, add = c if isinstance(c, tuple) else (c, 0) if isinstance(c, str) else (None, c)
            places.append(({} if name is None else {name: 1}, add))
        return places

    def read(self, body: list[Any], buffer: str, *counters: str | int | tuple[str, int]) -> str:
        body.append(Load(self.fresh("v"), buffer, self.place(*counters)))
        return body[-1].name

    def compute(self, body: list[Any], left: str, right: str, *actions: str) -> str:
        body.append(Compute(self.fresh("v"), self.random.choice(actions or self.actions), left, right))
        return body[-1].name

    def write(self, body: list[Any], value: str, buffer: str, *counters: str | int | tuple[str, int]) -> None:
        body.append(Store(value, buffer, self.place(*counters)))

    def shift(self) -> int:
        """What is added to a subscript; nothing, mostly."""
        return self.random.choice((0, 0, 0, 1, 2))

    def reduction(self) -> None:
        """`for p: s = for k: s + x[p, k]; y[p] = s`, where sums in between, or what is read in front, may be stored."""
        p, k = self.random.randint(2, 9), self.random.randint(2, 9)
        self.program.buffers = {}
        x, y, z = self.buffer("y0", p + 2, k + 3), self.buffer("y1", p + 3), self.buffer("y2", p + 2, k + 3)
        (outer, i), (inner, c) = (
            self.for_("p", p),
            self.for_("k", k, step=self.random.choice((1, 1, 1, 2)) if k < 5 else 1),
        )
        inner.values = range(0, k, inner.values.step)
        source = self.random.choice((x, f"in_{x}", z))
        initial = "c0"
        if self.sometimes(0.4):
            initial = self.read(outer.body, self.random.choice((y, f"in_{y}")), (i, self.shift()))
        inner.carried, inner.initial, inner.results = [self.fresh("s")], [initial], [self.fresh("r")]
        term = self.read(inner.body, source, (i, self.shift()), (c, self.shift()))
        if self.sometimes(0.3):
            term = self.compute(inner.body, term, initial)
        if self.sometimes():
            self.write(inner.body, term, self.random.choice((x, z)), i, (c, self.shift()))
        if self.sometimes(0.15):
            self.write(inner.body, inner.carried[0], z, i, (c, self.shift()))
        sides = [inner.carried[0], term]
        self.random.shuffle(sides)
        total = self.compute(inner.body, *sides, "add", "max", "min", *self.actions)
        if self.sometimes():
            self.write(inner.body, total, self.random.choice((z, x)), i, (c, self.shift()))
        if self.sometimes(0.15):
            self.write(inner.body, total, y, (i, self.shift()))
        inner.yielded = [total]
        outer.body.append(inner)
        if self.sometimes():
            self.read(outer.body, y, (i, self.shift()))
        last = self.random.choice((inner.results[0], self.compute(outer.body, inner.results[0], initial)))
        self.write(outer.body, last, y, (i, self.shift()))
        self.program.body.append(outer)

    def nest(self) -> None:
        """A perfect nest of two or three loops that updates a buffer in place, from neighbours."""
        trips = [self.random.randint(2, 5) for _ in range(self.random.choice((2, 3, 3)))]
        self.program.buffers = {}
        b = self.buffer("y0", *(n + 3 for n in trips))
        other = self.buffer("y1", *(n + 3 for n in trips))
        loops = [self.for_(dim, n) for dim, n in zip(("p", "t", "j"), trips, strict=False)]
        counters = [c for _, c in loops]
        body = loops[-1][0].body
        places = [[(c, self.shift()) for c in counters] for _ in range(3)]
        if self.sometimes(0.5):
            self.random.shuffle(places[2][:-1])
        one = self.read(body, self.random.choice((b, b, f"in_{b}")), *places[0])
        two = self.read(body, self.random.choice((b, other)), *places[1])
        self.write(body, self.compute(body, one, two), b, *places[2])
        if self.sometimes():
            self.write(body, one, other, *[(c, 0) for c in counters])
        for (outer, _), (inner, _) in pairwise(loops):
            outer.body.append(inner)
        self.program.body.append(loops[0][0])

    def siblings(self) -> None:
        """Loops over the same range, side by side: what one writes the next one reads, here or at a neighbour."""
        n, m = self.random.randint(2, 8), self.random.randint(2, 4)
        self.program.buffers = {}
        x, t = self.buffer("y0", n + 3, m + 2), self.buffer(self.random.choice(("u0", "y1")), n + 3, m + 2)
        y = self.buffer("y2", n + 3, m + 2)
        for number in range(self.random.randint(2, 3)):
            (outer, i), (inner, j) = self.for_("m", n), self.for_("n", m)
            source, target = ((x, t), (t, y), (self.random.choice((x, t, y)), self.random.choice((x, t, y))))[number]
            value = self.read(inner.body, source, (i, self.shift()), (j, self.random.choice((0, 0, 1))))
            value = self.compute(inner.body, value, self.random.choice(("c1", "cm3", value)))
            self.write(inner.body, value, target, (i, self.shift()), j)
            outer.body.append(inner)
            self.program.body.append(outer)
            if self.sometimes(0.4):
                if self.sometimes(0.5):
                    self.read(self.program.body, self.random.choice((x, t)), self.random.randrange(n), 0)
                else:
                    between = self.read(self.program.body, f"in_{x}", 0, 0)
                    self.write(self.program.body, between, self.random.choice((x, t, y)), self.random.randrange(n), 0)

    def padded(self) -> None:
        """A padded copy of an image, and windows over it; the image may change in between, or the padding count."""
        h, w = self.random.randint(2, 6), self.random.randint(2, 5)
        low, high, taps = self.random.choice((0, 1, 1, 2)), self.random.choice((0, 1, 1)), self.random.randint(2, 3)
        self.program.buffers = {}
        x, y = self.buffer("y0", h, w), self.buffer("y1", h + 3, w)
        p = self.buffer("u0", low + h + high + 1, w)
        source = self.random.choice((x, f"in_{x}"))
        pad = "c0" if not self.sometimes() else "c1"
        for start, count in ((0, low), (low + h, high + 1)):
            if count:
                (rows, i), (columns, j) = self.for_("pad", count, start=start), self.for_("padi", w)
                self.write(columns.body, pad, p, i, j)
                rows.body.append(columns)
                self.program.body.append(rows)
        (rows, i), (columns, j) = self.for_("copy", h), self.for_("copyi", w)
        self.write(columns.body, self.read(columns.body, source, i, j), p, (i, low), j)
        rows.body.append(columns)
        self.program.body.append(rows)
        if self.sometimes():
            self.write(self.program.body, "cm3", self.random.choice((x, p)), self.random.randrange(h), 0)
        if self.sometimes(0.15):
            self.program.body.reverse()
        (outer, i), (middle, j), (inner, k) = (
            self.for_("y", low + h + high + 2 - taps),
            self.for_("n", w),
            self.for_("ky", taps),
        )
        inner.carried, inner.initial = [self.fresh("s")], ["c0"]
        inner.results = [self.fresh("r")]
        term = value = self.read(inner.body, p, 0, j)
        inner.body[-1].subscripts[0] = ({i: 1, k: 1}, 0)
        if self.sometimes(0.4):
            weight = self.read(inner.body, f"in_{x}", 0, j) if h > taps else "c1"
            if self.program.element == "i32":
                term = self.compute(inner.body, value, weight, "mul")
        total = self.compute(inner.body, inner.carried[0], term, "add", "add", "add", "max")
        if self.sometimes(0.15):
            inner.carried.append(self.fresh("s"))
            inner.initial.append("c0")
            inner.results.append(self.fresh("r"))
            inner.yielded = [total, self.compute(inner.body, inner.carried[1], "c1", "add")]
        else:
            inner.yielded = [total]
        if self.sometimes(0.15):
            self.write(inner.body, value, y, i, j)
        middle.body.append(inner)
        self.write(
            middle.body,
            self.random.choice(inner.results),
            self.random.choice((y, y, y, x) if h >= len(outer.values) else (y,)),
            i,
            j,
        )
        if len(outer.values) > h + 3:
            outer.values = range(h + 3)
        outer.body.append(middle)
        self.program.body.append(outer)

    def temporary(self) -> None:
        """A buffer that each iteration of a loop fills and reads, its own part of it or a neighbour's."""
        m, n = self.random.randint(2, 6), self.random.randint(2, 5)
        self.program.buffers = {}
        x, t, y = self.buffer("y0", m + 3, n + 3), self.buffer("u0", m + 3, n + 3), self.buffer("y1", m + 3, n + 3)
        outer, i = self.for_("m", m)
        for source, target in ((x, t), (t, y)):
            inner, j = self.for_("n", n)
            a, b = (i, self.shift()), (j, self.shift())
            value = self.read(inner.body, source, a, b)
            if self.sometimes(0.5):
                value = self.compute(inner.body, value, self.read(inner.body, source, (i, self.shift()), j))
            self.write(
                inner.body,
                value,
                target,
                (i, 0 if not self.sometimes() else 1),
                (j, self.shift() if target == y else 0),
            )
            outer.body.append(inner)
        self.program.body.append(outer)
        if self.sometimes():
            self.write(self.program.body, self.read(self.program.body, t, self.random.randrange(m), 0), y, 0, 0)

    def product(self) -> None:
        """A matrix product with something behind it."""
        m, n, k = (self.random.randint(1, 7) for _ in range(3))
        self.program.buffers = {}
        x, w, y = self.buffer("y0", m, k), self.buffer("y1", k, n), self.buffer("y2", m, n)
        (rows, i), (columns, j), (inner, c) = self.for_("m", m), self.for_("n", n), self.for_("k", k)
        inner.carried, inner.initial, inner.results = [self.fresh("s")], ["c0"], [self.fresh("r")]
        left = self.read(inner.body, f"in_{x}", i, c)
        right = self.read(inner.body, self.random.choice((f"in_{w}", w)), c, j)
        term = self.compute(inner.body, left, right, "mul" if self.program.element == "i32" else "max")
        inner.yielded = [self.compute(inner.body, inner.carried[0], term, "add")]
        columns.body.append(inner)
        value = inner.results[0]
        if self.sometimes(0.5):
            value = self.compute(columns.body, value, self.read(columns.body, self.random.choice((y, f"in_{y}")), i, j))
        self.write(columns.body, value, y, i, j)
        if self.sometimes(0.2):
            self.write(columns.body, value, y, 0, 0)
        rows.body.append(columns)
        self.program.body.append(rows)


def make_program(seed: int) -> tuple[Program, list[Array], list[Array]]:
    """A program, inputs for it, and the outputs that it must give; the same ones for the same seed."""
    while True:
        program = (_Maker if seed % 4 == 0 else _FormMaker)(seed).make()
        rng = np.random.default_rng(seed)
        dtype = np.float32 if program.element == "f32" else np.int32
        inputs = [rng.integers(-4, 5, program.buffers[b]).astype(dtype) for b in program.outputs]
        assert all(prod(program.buffers[b]) for b in program.outputs)
        try:
            expected = program.run(inputs)
        except Unfit:
            seed += 1_000_003
            continue
        _mark(program.body, random.Random(seed))
        return program, inputs, expected


def _mark(body: list[Any], rng: random.Random) -> None:
    for op in body:
        if isinstance(op, Loop):
            op.parallel = op.independent and not op.carried and rng.random() < 0.85
            _mark(op.body, rng)
