"""Random chains of steps and passes on random loop programs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context
from mlc.dialects.loop import ForOp
from mlc.dialects.loop.steps import Step, load_step, step_names
from mlc.pass_manager.options import parse_passes
from mlc.reference.execution import Order
from mlc.reference.interpreter import run_function
from mlc.schedules.steps.base import LoopStep, Scheduling, apply_step
from mlc.support.context import CompilerContext
from mlc.syntax import parse_module, verify_module
from mlc.tests.numeric.loop_generator import make_program
from mlc.tests.numeric.loop_programs import Array, Program

PASSES = ("forward-stores", "fold-storage", "fold-storage", "sink", "cse", "dce", "canonicalize", "transpose-loads")
"""What runs between steps, or behind them."""
OFTEN = ("interchange", "fuse", "split_reduction", "cache_write", "vectorize_reduction", "partition")
"""Steps that are drawn twice as often as others."""
CHAINS_PER_PROGRAM = 8
MOST_OPS = 400
"""Larger functions end the chain: they only take time."""


@dataclass(frozen=True)
class Chain:
    """A program, the links of a chain as text, and what became of the program."""

    program: Program
    links: list[str]
    module: ModuleOp
    ctx: CompilerContext
    inputs: list[Array]
    expected: list[Array]
    order: Order
    """How the references run parallel loops."""

    def outputs(self, order: Order) -> list[Array]:
        """What the references compute for the module as it is."""
        return run_function(self.module, "f", self.inputs, self.ctx.resources, order=order)

    def failure(self) -> str | None:
        """What is wrong with the module, in words; None if nothing is."""
        try:
            verify_module(self.module)
        except Exception as e:
            return f"does not verify: {e}"
        found = self.outputs(self.order)
        if not all(np.array_equal(a, b) for a, b in zip(found, self.expected, strict=True)):
            return f"wrong, run {self.order}"
        return None


@lru_cache(maxsize=1)
def _start(seed: int) -> tuple[Program, list[Array], list[Array], ModuleOp]:
    """The program of this seed, with inputs, the outputs it must give, and its IR."""
    program, inputs, expected = make_program(seed)
    return program, inputs, expected, parse_module(program.text(), "program.mlir", new_context())


def make_chain(seed: int, most: int = 6) -> Chain:
    """The chain of this seed, carried out. Neighbouring seeds share a program, whose making takes most of the time."""
    program, inputs, expected, original = _start(seed // CHAINS_PER_PROGRAM)
    module, ctx = original.clone(), new_context()
    rng = random.Random(seed)
    links: list[str] = []
    for _ in range(rng.randint(1, most)):
        function = next(op for op in module.ops if isinstance(op, FuncOp))
        link = _draw(rng, function)
        if link is None or sum(1 for _ in function.walk()) > MOST_OPS:
            break
        links.append(link if isinstance(link, str) else link.spelling)
        carry_out(link, module, ctx)
    order: Order = "forwards" if seed % 2 else "backwards"
    return Chain(program, links, module, ctx, inputs, expected, order)


def carry_out(link: str | Step, module: ModuleOp, ctx: CompilerContext) -> None:
    """Apply one link to the function of the module: a step of a schedule, or a pass."""
    if isinstance(link, str):
        for pass_ in parse_passes(link):
            pass_.run(module, ctx)
    else:
        function = next(op for op in module.ops if isinstance(op, FuncOp))
        apply_step(link, function, Scheduling(module, ctx))


def _draw(rng: random.Random, function: FuncOp) -> str | Step | None:
    """A pass, or a step on loops that it is meant for, or, now and then, on any; None if the function has no loops."""
    loops = [op for op in function.walk() if isinstance(op, ForOp)]
    if not loops:
        return None
    if rng.random() < 0.25:
        return rng.choice(PASSES)
    while True:
        kind = load_step(rng.choice([*step_names(), *OFTEN]))
        assert issubclass(kind, LoopStep)
        suited = loops if rng.random() < 0.1 else [loop for loop in loops if kind.suits(loop)]
        # The loops that copy the inputs are not what a program is about.
        suited = [loop for loop in suited if "_" not in loop.dim.data or rng.random() < 0.1]
        if suited:
            return kind.drawn(rng, rng.choice(suited))
