"""Chains of steps keep the meaning of loops that a person wrote: random programs, by the reference and as native code.

`MLC_CHAINS=20000 pytest tests/numeric/test_step_chains.py` looks longer than the fixed sample does.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context
from mlc.pass_manager.options import parse_passes
from mlc.support.errors import UserError
from mlc.targets.machine import resolve_target
from mlc.tests.numeric.step_chains import Chain, make_chain
from mlc.tools.native_program import native_function, program_of_all, run_program

CHAINS = int(os.environ.get("MLC_CHAINS", "800"))
BATCHES = 8
NATIVE = 48
"""How many functions are compiled together."""


def _chain(seed: int) -> Chain | None:
    """The chain of a seed; None if one of its steps names what is no longer there."""
    try:
        return make_chain(seed)
    except UserError:
        return None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_chains_keep_the_meaning(batch: int) -> None:
    for seed in range(batch * CHAINS // BATCHES, (batch + 1) * CHAINS // BATCHES):
        chain = _chain(seed)
        failure = chain and chain.failure()
        assert not failure, f"seed {seed}: {failure}\n{chain.links}\n{chain.program.text()}" if chain else ""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("first", range(0, max(2 * NATIVE, CHAINS // 10), NATIVE))
def test_chains_as_native_code(first: int, tmp_path: Path) -> None:
    """Buffers end at pages that trap, and are poisoned first."""
    chains = {seed: chain for seed in range(first, first + NATIVE) if (chain := _chain(seed)) is not None}
    module, ctx = ModuleOp([]), new_context()
    for seed, chain in chains.items():
        function = next(op for op in chain.module.ops if isinstance(op, FuncOp))
        function.detach()
        function.sym_name = StringAttr(f"f{seed}")
        module.body.block.add_op(function)
    for pass_ in parse_passes("expand-math,plan-memory"):
        pass_.run(module, ctx)
    functions = [native_function(op) for op in module.ops if isinstance(op, FuncOp)]
    for pass_ in parse_passes("lower-to-llvm"):
        pass_.run(module, ctx)
    machine = resolve_target("native")
    program = program_of_all(module, functions, ctx.resources, machine, threads=1)
    inputs = [array for chain in chains.values() for array in chain.inputs]
    outputs = iter(run_program(program, machine, inputs, tmp_path, None))
    for seed, chain in chains.items():
        for expected in chain.expected:
            found = next(outputs)
            assert np.array_equal(found, expected), f"seed {seed}: {chain.links}\n{chain.program.text()}"
