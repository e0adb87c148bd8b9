"""Random chains of steps and passes on random loop programs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from loop_programs import Array, Program, make_program
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler import new_context
from mlc.dialects.loop import ForOp, StepAttr
from mlc.dialects.loop.schedule import STEPS
from mlc.passes.loop.apply_schedule import apply_step
from mlc.passes.loop.pack import Packer
from mlc.passes.options import parse_passes
from mlc.reference.execution import Order
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext
from mlc.syntax import parse_module, verify_module

PASSES = ("forward-stores", "shrink-buffers", "sink", "cse", "dce", "canonicalize", "transpose-loads", "write-in-place")
"""What runs between steps, or behind them."""
MOST_TRIPS_UNROLLED = 8
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

    def outputs(self, order: Order) -> list[Array]:
        """What the references compute for the module as it is."""
        return run_function(self.module, "f", self.inputs, self.ctx.resources, order=order)

    def failure(self) -> str | None:
        """What is wrong with the module, in words; None if nothing is."""
        try:
            verify_module(self.module)
        except Exception as e:
            return f"does not verify: {e}"
        for order in ("forwards", "backwards"):
            found = self.outputs(order)
            if not all(np.array_equal(a, b) for a, b in zip(found, self.expected, strict=True)):
                return f"wrong, run {order}"
        return None


def make_chain(seed: int, most: int = 6) -> Chain:
    """The chain of this seed, carried out."""
    program, inputs, expected = make_program(seed)
    ctx = new_context()
    module = parse_module(program.text(), "program.mlir", ctx)
    rng = random.Random(seed)
    links: list[str] = []
    for _ in range(rng.randint(1, most)):
        function = next(op for op in module.ops if isinstance(op, FuncOp))
        link = _draw(rng, function)
        if link is None or sum(1 for _ in function.walk()) > MOST_OPS:
            break
        links.append(link if isinstance(link, str) else link.spelling)
        carry_out(link, module, ctx)
    return Chain(program, links, module, ctx, inputs, expected)


def carry_out(link: str | StepAttr, module: ModuleOp, ctx: CompilerContext) -> None:
    """Apply one link to the function of the module: a step of a schedule, or a pass."""
    if isinstance(link, str):
        for pass_ in parse_passes(link):
            pass_.run(module, ctx)
    else:
        function = next(op for op in module.ops if isinstance(op, FuncOp))
        apply_step(link, function, Packer.of(module, ctx))


def _draw(rng: random.Random, function: FuncOp) -> str | StepAttr | None:
    """A pass, or a step with loops that the function has; None if it has no loops."""
    loops = [op for op in function.walk() if isinstance(op, ForOp)]
    if not loops:
        return None
    if rng.random() < 0.25:
        return rng.choice(PASSES)
    action = rng.choice(list(STEPS))
    return StepAttr.of(action, *_arguments(rng, action, loops, function))


def _arguments(rng: random.Random, action: str, loops: Sequence[ForOp], function: FuncOp) -> list[str | int]:
    form = STEPS[action]
    suited = [loop for loop in loops if _suits(action, loop)] or list(loops)
    own = [loop for loop in suited if not loop.dim.data.startswith(("y0_", "y1_", "t0_"))] or suited
    loop = rng.choice(own if rng.random() < 0.9 else suited)
    names = [loop.dim.data]
    around = _names_around(loop)
    others = list(dict.fromkeys([*around, *(op.dim.data for op in loop.body.walk() if isinstance(op, ForOp))]))
    others = [name for name in others if name not in names]
    if action == "pack":
        arguments = [a.name_hint for a in function.body.block.args if a.name_hint]
        return [rng.choice(arguments), names[0]]
    if form.names == 2 or (form.more and rng.random() < 0.5):
        rest = others or [op.dim.data for op in loops if op.dim.data not in names]
        count = 1 if not form.more else rng.randint(1, max(1, min(2, len(rest))))
        names += rng.sample(rest, min(count, len(rest)))
        if action == "interchange":
            rng.shuffle(names)
    while len(names) < form.names:
        names.append("none")
    least, most = form.sizes
    sizes = [rng.choice((2, 2, 3, 4, 8)) for _ in range(rng.randint(least, most))]
    return [*names, *sizes]


def _suits(action: str, loop: ForOp) -> bool:
    """Whether a loop is of the kind that a step is meant for."""
    if action in ("vectorize", "interchange", "parallel"):
        return loop.is_parallel
    if action in ("vectorize_reduction", "split_reduction", "hoist_reduction"):
        return bool(loop.carried)
    return len(loop.range) <= MOST_TRIPS_UNROLLED if action == "unroll" else True


def _names_around(loop: ForOp) -> list[str]:
    names: list[str] = []
    parent = loop.parent_op()
    while isinstance(parent, ForOp):
        names.append(parent.dim.data)
        parent = parent.parent_op()
    return names
