"""Modules of torch with open dims, compiled once: for all extents the numbers are those of eager torch."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import mlc
from mlc.compiler.compilation import new_context
from mlc.dialects.aten.graphs import read_graph
from mlc.frontends.torch.program import AtenProgram
from mlc.frontends.torch.to_graph.convert_aten_to_graph import ConvertAtenToGraphPass
from mlc.reference.interpreter import run_function
from mlc.runtime import InputError
from mlc.support.functions import marks_of, range_in
from mlc.support.python_bindings import bindings_of_python

from .open_modules import EXTENTS, LEAST_SEQ, MOST_BATCH, MOST_SEQ, RandomModule, inputs_for, torch

_TOLERANCES = {torch.float32: (2e-4, 2e-5), torch.float64: (1e-6, 1e-8)}


def _exported(seed: int) -> tuple[Any, Any, Any]:
    """A random module, its program and its type."""
    dtype = torch.float64 if seed % 2 else torch.float32
    module = RandomModule(seed, dtype)
    dims = torch.export.Dim("batch", min=1, max=MOST_BATCH), torch.export.Dim("seq", min=LEAST_SEQ, max=MOST_SEQ)
    shapes = ({0: dims[0], 1: dims[1]},) * 2
    return module, torch.export.export(module, inputs_for(seed, 2, 5, dtype), dynamic_shapes=shapes), dtype


def _ranges(exported: Any) -> dict[str, Any]:
    """What the dims may be, by torch's names of them."""
    (x, _) = AtenProgram(exported, "model").declared_inputs()
    return {str(x.dims[0]): range(1, MOST_BATCH + 1), str(x.dims[1]): range(LEAST_SEQ, MOST_SEQ + 1)}


def _assert_close(found: Any, wanted: Any, dtype: Any, what: str) -> None:
    relative, absolute = _TOLERANCES[dtype]
    size = max(1.0, float(wanted.abs().nan_to_num(posinf=0).max())) if wanted.numel() else 1.0
    np.testing.assert_allclose(found, wanted.numpy(), rtol=relative, atol=absolute * size, err_msg=what)


def _check_by_reference(seed: int) -> None:
    """What lies after the data is poison: NaN, and integers that are no index."""
    module, exported, dtype = _exported(seed)
    program, ctx = AtenProgram(exported, "model", taken_apart=True), new_context()
    converted = read_graph(program.source(bindings_of_python(_ranges(exported), None)), ctx.resources)
    ConvertAtenToGraphPass().run(converted, ctx)
    (function,) = (op for op in converted.ops if isinstance(op, FuncOp))
    for batch, seq in EXTENTS:
        x, ids = inputs_for(seed, batch, seq, dtype)
        whole: list[Any] = [np.full((MOST_BATCH, MOST_SEQ, x.shape[2]), np.nan, x.numpy().dtype)]
        whole.append(np.full((MOST_BATCH, MOST_SEQ), 1 << 40))
        for room, array in zip(whole, (x, ids), strict=True):
            room[:batch, :seq] = array.numpy()
        ranges = [range_in(each) for each in marks_of(function.args, function.arg_attrs)[2:]]
        extents = [np.asarray(batch if cast(Any, each)[-1] == MOST_BATCH else seq) for each in ranges]
        with np.errstate(all="ignore"):
            found, *_ = run_function(converted, "main", [*whole, *extents], ctx.resources)
        wanted = module(x, ids)
        _assert_close(found[tuple(map(slice, wanted.shape))], wanted, dtype, f"{seed}: {batch}x{seq}")


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(40))
def test_conversions_of_random_modules(seed: int) -> None:
    _check_by_reference(seed)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(1000, 1008))
def test_random_modules(seed: int) -> None:
    module, exported, dtype = _exported(seed)
    model = mlc.compile(exported, shapes=_ranges(exported), opt_level=seed % 4)
    for batch, seq in EXTENTS:
        given = inputs_for(seed, batch, seq, dtype)
        wanted = module(*given)
        found = model(*(each.numpy() for each in given))
        assert found.shape == tuple(wanted.shape)
        _assert_close(found, wanted, dtype, f"{seed}: {batch}x{seq}")
    with pytest.raises(InputError, match=r"dim 1 of input 'x' is 14; the model was compiled for 's\d+' from 4 to 13"):
        model(*(each.numpy() for each in inputs_for(seed, 1, MOST_SEQ + 1, dtype)))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(2000, 2004))
def test_random_modules_that_are_compiled_at_the_first_call(seed: int) -> None:
    """What lies after the data is whatever was in memory; gradients are those of eager torch."""
    dtype = torch.float64 if seed % 2 else torch.float32
    module = RandomModule(seed, dtype)
    torch._dynamo.reset()
    fast = torch.compile(module, backend="mlc", dynamic=True, options={"capacity": 8})
    for batch, seq in EXTENTS:
        given = inputs_for(seed, batch + 1, seq, dtype)
        with torch.no_grad():
            _assert_close(fast(*given).numpy(), module(*given), dtype, f"{seed}: {batch + 1}x{seq}")
    x, ids = inputs_for(seed, 2, 7, dtype)
    gradients: list[Any] = []
    for function in (fast, module):
        x.requires_grad_(True).grad = None
        function(x, ids).square().sum().backward()
        gradients.append(x.grad)
    _assert_close(gradients[0].numpy(), gradients[1], dtype, f"{seed}: gradient")
