"""Random loop programs: recurrences, in-place updates, stencils, running sums, several buffers, loops in any nesting.

A program is a tree of its own, not IR: `text` prints it for the compiler, `run` computes it with plain Python numbers.
The two share nothing with the compiler, so `run` is an oracle. While it runs, it notes which iterations touch which
elements; loops whose iterations are independent are `parallel` in the text, most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Number = Any
Sum = tuple[dict[str, int], int]
"""A subscript: a factor per loop counter, and a constant."""

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
    """The shape of each buffer: `y…` are outputs, `t…` and `u…` are made by the function, which fills `t…` first."""
    body: list[Any]

    @property
    def outputs(self) -> list[str]:
        """The buffers that the caller sees."""
        return [name for name in self.buffers if name.startswith("y")]

    def shape(self, buffer: str) -> tuple[int, ...]:
        """The shape of a buffer, or of the input `in_y…` that an output is copied from."""
        return self.buffers[buffer.removeprefix("in_")]

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
        outputs = self.program.outputs
        self.kinds = kinds | {f"in_{b}": kinds[b] for b in outputs}
        arguments = [f"%in_{b}: {kinds[b]}" for b in outputs] + [f"%{b}: {kinds[b]} {{mlc.output}}" for b in outputs]
        yield f"func.func @{name}({', '.join(arguments)}) {{"
        for constant in (0, 1, -3):
            value = f"{constant}.0" if self.program.element == "f32" else constant
            yield f"  %c{'m' if constant < 0 else ''}{abs(constant)} = arith.constant {value} : {self.program.element}"
        for b, shape in self.program.buffers.items():
            if b not in outputs:
                yield f"  %{b} = memref.alloc() : {kinds[b]}"
            if b.startswith("u"):
                continue
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


class Unfit(Exception):
    """A program runs too long, its numbers grow too large, or it reads what nobody has written."""


class _Run:
    def __init__(self, program: Program, inputs: list[Array]) -> None:
        self.program = program
        self.memory: dict[str, dict[tuple[int, ...], Number]] = {}
        given = dict(zip(program.outputs, inputs, strict=True))
        for name, shape in program.buffers.items():
            places = product(*map(range, shape))
            self.memory[name] = {at: given[name][at].item() if name in given else 1 for at in places}
            if name.startswith("u"):
                self.memory[name].clear()
            if name in given:
                self.memory[f"in_{name}"] = dict(self.memory[name])
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
                raise Unfit
            match op:
                case Load():
                    at = self.touch(op, write=False)
                    if at not in self.memory[op.buffer]:
                        raise Unfit
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
            raise Unfit
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
