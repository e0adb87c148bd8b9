"""Random loop programs: recurrences, in-place updates, stencils, running sums, several buffers, loops in any nesting.

A program is a tree of its own, not IR: `text` prints it for the compiler, `run` computes it with plain Python numbers.
The two share nothing with the compiler, so `run` is an oracle. While it runs, it notes which iterations touch which
elements; loops whose iterations are independent are `parallel` in the text, most of the time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Number = Any
Sum = tuple[dict[str, int], int]
"""A subscript: a factor per loop counter, and a constant."""

DIMS = ("a", "b", "k", "n", "m", "y")
MOST_RUNS = 4000
"""How many statements a program may execute."""
LARGEST = 1 << 18
"""What sums of f32 may reach: all whole numbers up to 2^24 are exact, in whatever order they are added."""


@dataclass
class Load:
    """`%name = buffer[subscripts]`."""

    name: str
    buffer: str
    subscripts: list[Sum]


@dataclass
class Compute:
    """`%name = left action right`."""

    name: str
    action: str
    left: str
    right: str


@dataclass
class Store:
    """`buffer[subscripts] = %value`."""

    value: str
    buffer: str
    subscripts: list[Sum]


@dataclass
class Loop:
    """A loop; `carried` are its block arguments, `initial` what they begin with, `yielded` what is handed on."""

    dim: str
    counter: str
    values: range
    body: list[Any]
    carried: list[str] = field(default_factory=list[str])
    initial: list[str] = field(default_factory=list[str])
    yielded: list[str] = field(default_factory=list[str])
    results: list[str] = field(default_factory=list[str])
    independent: bool = True
    """Whether no two iterations touch the same element, one of them to write it; known after a run."""
    parallel: bool = False


@dataclass
class Program:
    """One function: it copies its inputs into its outputs, and then runs `body` on the outputs and on buffers."""

    element: str
    buffers: dict[str, tuple[int, ...]]
    """The shape of each buffer; `y…` are outputs, `t…` are made by the function, which writes all of them first."""
    body: list[Any]

    @property
    def outputs(self) -> list[str]:
        """The buffers that the caller sees."""
        return [name for name in self.buffers if name.startswith("y")]

    def text(self, name: str = "f") -> str:
        """The function as a text at the loop level."""
        return "\n".join(_Printer(self).function(name))

    def run(self, inputs: list[Array]) -> list[Array]:
        """The outputs for inputs of the shapes of the outputs; also finds out which loops are independent."""
        return _Run(self, inputs).run()


@dataclass
class _Printer:
    program: Program

    def function(self, name: str) -> Iterator[str]:
        kinds = {b: f"memref<{'x'.join(map(str, s))}x{self.program.element}>" for b, s in self.program.buffers.items()}
        self.kinds = kinds
        outputs = self.program.outputs
        arguments = [f"%in_{b}: {kinds[b]}" for b in outputs] + [f"%{b}: {kinds[b]} {{mlc.output}}" for b in outputs]
        yield f"func.func @{name}({', '.join(arguments)}) {{"
        for constant in (0, 1, -3):
            value = f"{constant}.0" if self.program.element == "f32" else constant
            yield f"  %c{'m' if constant < 0 else ''}{abs(constant)} = arith.constant {value} : {self.program.element}"
        for b, shape in self.program.buffers.items():
            if b not in outputs:
                yield f"  %{b} = memref.alloc() : {kinds[b]}"
            counters = [f"%{b}_{axis}" for axis in range(len(shape))]
            for counter, extent in zip(counters, shape, strict=True):
                yield f'  loop.for parallel "{counter[1:]}" {counter} = 0 to {extent} {{'
            at = f"[{', '.join(counters)}] : {kinds[b]}"
            if b in outputs:
                yield f"  %{b}_v = loop.load %in_{b}{at}"
            yield f"  loop.store %{f'{b}_v' if b in outputs else 'c1'}, %{b}{at}"
            yield "  }" * len(shape)
        yield from self.block(self.program.body, "  ")
        yield "  return\n}"

    def block(self, ops: list[Any], indent: str) -> Iterator[str]:
        for op in ops:
            match op:
                case Load():
                    yield f"{indent}%{op.name} = loop.load %{op.buffer}{self.place(op)}"
                case Store():
                    yield f"{indent}loop.store %{op.value}, %{op.buffer}{self.place(op)}"
                case Compute():
                    integer = self.program.element == "i32"
                    names = {"add": "addi", "sub": "subi", "mul": "muli", "max": "maxsi", "min": "minsi"}
                    floats = {"add": "addf", "sub": "subf", "mul": "mulf", "max": "maximumf", "min": "minimumf"}
                    action = (names if integer else floats)[op.action]
                    yield f"{indent}%{op.name} = arith.{action} %{op.left}, %{op.right} : {self.program.element}"
                case Loop():
                    yield from self.loop(op, indent)
                case _:
                    raise AssertionError(op)

    def loop(self, op: Loop, indent: str) -> Iterator[str]:
        kind = "parallel" if op.parallel else "serial"
        bounds = f"{op.values.start} to {op.values.stop}{f' step {op.values.step}' if op.values.step > 1 else ''}"
        pairs = ", ".join(f"%{c} = %{i}" for c, i in zip(op.carried, op.initial, strict=True))
        types = ", ".join([self.program.element] * len(op.carried))
        results = f"{', '.join(f'%{r}' for r in op.results)} = " if op.results else ""
        carries = f" iter_args({pairs}) -> ({types})" if op.carried else ""
        yield f'{indent}{results}loop.for {kind} "{op.dim}" %{op.counter} = {bounds}{carries} {{'
        yield from self.block(op.body, indent + "  ")
        if op.carried:
            yield f"{indent}  loop.yield {', '.join(f'%{y}' for y in op.yielded)} : {types}"
        yield indent + "}"

    def place(self, op: Load | Store) -> str:
        def spell(subscript: Sum) -> str:
            terms = [f"%{name} * {factor}" if factor != 1 else f"%{name}" for name, factor in subscript[0].items()]
            return " + ".join([*terms, str(subscript[1])] if subscript[1] or not terms else terms)

        return f"[{', '.join(spell(s) for s in op.subscripts)}] : {self.kinds[op.buffer]}"


class TooLarge(Exception):
    """A program runs too long, or its numbers grow too large."""


class _Run:
    def __init__(self, program: Program, inputs: list[Array]) -> None:
        self.program = program
        self.memory: dict[str, dict[tuple[int, ...], Number]] = {}
        given = dict(zip(program.outputs, inputs, strict=True))
        for name, shape in program.buffers.items():
            places = product(*map(range, shape))
            self.memory[name] = {at: given[name][at].item() if name in given else 1 for at in places}
        self.env: dict[str, Number] = {"c0": 0, "c1": 1, "cm3": -3}
        self.open: list[tuple[Loop, dict[Any, set[int]], dict[Any, set[int]]]] = []
        self.runs = 0

    def run(self) -> list[Array]:
        self.block(self.program.body)
        dtype = np.float32 if self.program.element == "f32" else np.int32
        shapes = self.program.buffers
        return [
            np.array([self.memory[b][at] for at in product(*map(range, shapes[b]))], dtype).reshape(shapes[b])
            for b in self.program.outputs
        ]

    def block(self, ops: list[Any]) -> None:
        for op in ops:
            self.runs += 1
            if self.runs > MOST_RUNS:
                raise TooLarge
            match op:
                case Load():
                    at = self.touch(op, write=False)
                    self.env[op.name] = self.memory[op.buffer][at]
                case Store():
                    at = self.touch(op, write=True)
                    self.memory[op.buffer][at] = self.env[op.value]
                case Compute():
                    self.env[op.name] = self.compute(op)
                case Loop():
                    self.loop(op)
                case _:
                    raise AssertionError(op)

    def compute(self, op: Compute) -> Number:
        actions: dict[str, Callable[[Number, Number], Number]] = {
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: a * b,
            "max": max,
            "min": min,
        }
        value = actions[op.action](self.env[op.left], self.env[op.right])
        if self.program.element == "i32":
            return (value + (1 << 31)) % (1 << 32) - (1 << 31)
        if abs(value) > LARGEST:
            raise TooLarge
        return value

    def loop(self, op: Loop) -> None:
        carried = [self.env[name] for name in op.initial]
        readers: dict[Any, set[int]] = {}
        writers: dict[Any, set[int]] = {}
        self.open.append((op, readers, writers))
        for value in op.values:
            self.env[op.counter] = value
            self.env.update(zip(op.carried, carried, strict=True))
            self.block(op.body)
            carried = [self.env[name] for name in op.yielded]
        self.env.update(zip(op.results, carried, strict=True))
        self.open.pop()
        for place, writing in writers.items():
            if len(writing | readers.get(place, set())) > 1:
                op.independent = False

    def touch(self, op: Load | Store, write: bool) -> tuple[int, ...]:
        at = tuple(c + sum(f * self.env[v] for v, f in terms.items()) for terms, c in op.subscripts)
        for loop, readers, writers in self.open:
            (writers if write else readers).setdefault((op.buffer, at), set()).add(self.env[loop.counter])
        return at


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

    def load(self, body: list[Any], counters: dict[str, range]) -> str:
        buffer = self.random.choice(list(self.program.buffers))
        body.append(Load(self.fresh("v"), buffer, self.subscripts(buffer, counters)))
        return body[-1].name

    def store(self, body: list[Any], counters: dict[str, range], values: list[str]) -> None:
        buffer = self.random.choice(list(self.program.buffers))
        body.append(Store(self.random.choice(values), buffer, self.subscripts(buffer, counters)))

    def subscripts(self, buffer: str, counters: dict[str, range]) -> list[Sum]:
        extents = self.program.buffers[buffer]
        if self.random.random() < 0.6 and len(counters) >= len(extents):
            # A place of its own for each iteration of the innermost loops, perhaps a neighbour of it.
            inner = list(counters)[-len(extents) :]
            self.random.shuffle(inner)
            near = self.random.choice((0, 0, 0, 1, -1))
            places: list[Sum] = [({name: 1}, near if axis == 0 else 0) for axis, name in enumerate(inner)]
            spans = [(counters[n][0] + c, counters[n][-1] + c) for n, c in zip(inner, (p[1] for p in places), strict=True)]
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


def make_program(seed: int) -> tuple[Program, list[Array], list[Array]]:
    """A program, inputs for it, and the outputs that it must give; the same ones for the same seed."""
    while True:
        program = _Maker(seed).make()
        rng = np.random.default_rng(seed)
        dtype = np.float32 if program.element == "f32" else np.int32
        inputs = [rng.integers(-4, 5, program.buffers[b]).astype(dtype) for b in program.outputs]
        assert all(prod(program.buffers[b]) for b in program.outputs)
        try:
            expected = program.run(inputs)
        except TooLarge:
            seed += 1_000_003
            continue
        _mark(program.body, random.Random(seed))
        return program, inputs, expected


def _mark(body: list[Any], rng: random.Random) -> None:
    for op in body:
        if isinstance(op, Loop):
            op.parallel = op.independent and not op.carried and rng.random() < 0.85
            _mark(op.body, rng)
