"""Random chains of steps and passes on random loop programs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler import new_context
from mlc.dialects.loop import ForOp, StepAttr, enclosing_loops
from mlc.dialects.loop.schedule import STEPS
from mlc.passes.loop._nests import perfect_nest
from mlc.passes.loop.apply_schedule import apply_step
from mlc.passes.loop.pack import Packer
from mlc.passes.options import parse_passes
from mlc.reference.execution import Order
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext
from mlc.syntax import parse_module, verify_module
from mlc.tests.numeric.loop_generator import make_program
from mlc.tests.numeric.loop_programs import Array, Program

PASSES = ("forward-stores", "shrink-buffers", "shrink-buffers", "sink", "cse", "dce", "canonicalize", "transpose-loads")
"""What runs between steps, or behind them."""
MOST_TRIPS_UNROLLED = 8
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


def carry_out(link: str | StepAttr, module: ModuleOp, ctx: CompilerContext) -> None:
    """Apply one link to the function of the module: a step of a schedule, or a pass."""
    if isinstance(link, str):
        for pass_ in parse_passes(link):
            pass_.run(module, ctx)
    else:
        function = next(op for op in module.ops if isinstance(op, FuncOp))
        apply_step(link, function, Packer.of(module, ctx))


def _draw(rng: random.Random, function: FuncOp) -> str | StepAttr | None:
    """A pass, or a step on loops that it is meant for, or, now and then, on any; None if the function has no loops."""
    loops = [op for op in function.walk() if isinstance(op, ForOp)]
    if not loops:
        return None
    if rng.random() < 0.25:
        return rng.choice(PASSES)
    while True:
        action = rng.choice(
            [*STEPS, "interchange", "fuse", "split_reduction", "hoist_reduction", "vectorize_reduction", "unpad"]
        )
        suited = loops if rng.random() < 0.1 else [loop for loop in loops if _suits(action, loop)]
        # The loops that copy the inputs are not what a program is about.
        suited = [loop for loop in suited if "_" not in loop.dim.data or rng.random() < 0.1]
        if suited:
            return StepAttr.of(action, *_arguments(rng, action, rng.choice(suited), loops, function))


def _arguments(
    rng: random.Random, action: str, loop: ForOp, loops: Sequence[ForOp], function: FuncOp
) -> list[str | int]:
    form = STEPS[action]
    name = loop.dim.data
    others = [op.dim.data for op in loops if op.dim.data != name] or ["none"]
    around = [op.dim.data for op in enclosing_loops(loop) if op.dim.data != name] or others
    sizes: list[int] = []
    if form.sizes[1] and (form.sizes[0] or rng.random() < 0.7):
        sizes = [rng.choice((len(loop.range), 8, 4) if action == "vectorize" else (2, 2, 3, 4, 8))]
    if action == "pack":
        arguments = [a.name_hint for a in function.body.block.args if a.name_hint]
        return [rng.choice(arguments), name]
    if action == "interchange":
        nest = [op.dim.data for op in perfect_nest(loop)]
        names = nest if len(set(nest)) == len(nest) > 1 and rng.random() < 0.9 else [name, rng.choice(others)]
        return rng.sample(names, rng.randint(2, len(names)))
    if action == "hoist_reduction":
        return [name, rng.choice(around)]
    if action == "unpad" and rng.random() < 0.3:
        return [name, rng.choice(others)]
    return [name, *sizes]


def _suits(action: str, loop: ForOp) -> bool:
    """Whether a loop is of the kind that a step is meant for."""
    match action:
        case "interchange":
            return loop.is_parallel and len(perfect_nest(loop)) > 1
        case "vectorize" | "parallel":
            return loop.is_parallel
        case "vectorize_reduction" | "prefetch":
            return bool(loop.carried)
        case "split_reduction":
            return len(loop.carried) == 1 and len(loop.range) >= 4
        case "hoist_reduction":
            return bool(loop.carried) and isinstance(outer := loop.parent_op(), ForOp) and outer.is_parallel
        case "fuse":
            block = loop.parent
            assert block is not None
            return any(isinstance(op, ForOp) and op is not loop and op.dim == loop.dim for op in block.ops)
        case "unroll":
            return len(loop.range) <= MOST_TRIPS_UNROLLED
        case "unpad":
            return loop.dim.data in ("y", "m", "p")
        case "pack":
            return loop.step.value.data > 1
        case _:
            return True
