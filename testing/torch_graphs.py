"""Graphs of PyTorch run as mlc has them, and compared with eager torch."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from mlc.dialects.aten.schemas import torch_package
from mlc.testing.torch_samples import TIES, UNDEFINED, Sample


def traced(function: Callable[..., list[Any]], tensors: Sequence[Any]) -> Any:
    """The graph of a function as AOTAutograd would give it to a backend: ATen without mutations, taken apart as mlc
    wants it.

    Raises:
        Exception: torch cannot trace it without numbers.
    """
    torch = cast(Any, torch_package())
    from mlc.frameworks.torch.operators import decompositions

    tracer = cast(Any, torch_package("torch.fx.experimental.proxy_tensor"))
    functional = cast(Any, torch_package("torch._subclasses.functional_tensor"))
    copies = [t.detach().clone() if not t.is_sparse else t for t in tensors]
    with torch.no_grad():
        whole = functional.dispatch_functionalize(function)
        found = tracer.make_fx(whole, decomposition_table=decompositions(), tracing_mode="fake")(*copies)
    found.graph.eliminate_dead_code()
    return found


def gradients(sample: Sample, native: bool) -> tuple[list[Any], list[Any]]:
    """The gradients of a sample's inputs, as mlc computes forward and backward pass, and as eager torch does.

    Raises:
        UserError: an operator is not converted.
        Exception: torch cannot trace it.
    """
    torch = cast(Any, torch_package())
    from mlc.frameworks.torch.operators import decompositions

    def compiler(graph_module: Any, _: object) -> Callable[..., list[Any]]:
        return lambda *values: _all_results(graph_module, values, native)

    aot = cast(Any, torch_package("torch._functorch.aot_autograd")).aot_function
    compiled = aot(sample.function, fw_compiler=compiler, bw_compiler=compiler, decompositions=decompositions())
    return _gradients(torch, compiled, sample.tensors), _gradients(torch, sample.function, sample.tensors)


def _gradients(torch: Any, function: Callable[..., list[Any]], tensors: Sequence[Any]) -> list[Any]:
    """The results, and the gradients of all inputs of floats, for the same gradients of the results at each call."""
    leaves = [t.detach().clone().requires_grad_(t.requires_grad) for t in tensors]
    found = function(*leaves)
    results = [r for r in found if r.requires_grad]
    generator = torch.Generator().manual_seed(1)
    given = [torch.randn(r.shape, generator=generator, dtype=r.dtype) for r in results]
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    got: list[Any] = list(torch.autograd.grad(results, wanted, given, allow_unused=True)) if results else []
    return [*(r.detach() for r in found), *(g for g in got if g is not None)]


def _all_results(graph_module: Any, values: Sequence[Any], native: bool) -> list[Any]:
    """What a compiled graph gives: tensors, and what is known."""
    torch = cast(Any, torch_package())
    returned = next(n for n in graph_module.graph.nodes if n.op == "output").args[0]
    found = iter(run_graph(graph_module, [v for v in values if isinstance(v, torch.Tensor)], native))
    return [next(found) if isinstance(each, torch.fx.Node) else each for each in returned]


def run_graph(graph_module: Any, tensors: Sequence[Any], native: bool) -> list[Any]:
    """The results of a graph, as tensors.

    Raises:
        UserError: an operator is not converted.
    """
    torch = cast(Any, torch_package())
    from mlc.compiler import new_context
    from mlc.dialects.aten.graphs import GraphSource, read_graph
    from mlc.dialects.aten.tensors import array_of
    from mlc.passes.aten_to_graph.convert_aten_to_graph import ConvertAtenToGraphPass
    from mlc.reference.interpreter import run_function
    from mlc.syntax import verify_module

    ctx = new_context()
    owned = {
        str(n.target): getattr(graph_module, str(n.target)) for n in graph_module.graph.nodes if n.op == "get_attr"
    }
    module = read_graph(GraphSource(graph_module.graph, constants=owned), ctx.resources)
    verify_module(module)
    ConvertAtenToGraphPass().run(module, ctx)
    verify_module(module)
    arrays = [array_of(t) for t in tensors]
    found = _native(module, ctx, arrays) if native else run_function(module, "main", arrays, ctx.resources)
    return [_tensor(torch, each) for each in found]


def _tensor(torch: Any, array: Any) -> Any:
    plain: Any = np.array(array)
    if plain.dtype.name == "bfloat16":
        return torch.from_numpy(plain.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(plain)


def _native(module: Any, ctx: Any, arrays: Sequence[Any]) -> list[Any]:
    from mlc.compiler import Compilation, CompileOptions
    from mlc.passes.manager import PassManager
    from mlc.runtime import load

    with tempfile.NamedTemporaryFile(suffix=".so", delete=False) as file:
        path = Path(file.name)
    try:
        Compilation(module, ctx, CompileOptions(), PassManager(ctx)).build("shared", path)
        found = load(path, temporary=True)(*arrays)
    finally:
        path.unlink(missing_ok=True)
    return [*cast("tuple[Any, ...]", found)] if isinstance(found, tuple) else [found]


def difference(found: Sequence[Any], expected: Sequence[Any], sample: Sample) -> str | None:
    """What is not as eager torch has it."""
    torch = cast(Any, torch_package())
    if len(found) != len(expected):
        return f"{len(found)} results; eager torch has {len(expected)}"
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"result {i} is {a.dtype} {list(a.shape)}; eager torch has {b.dtype} {list(b.shape)}"
        given = dict(zip(("rtol", "atol"), sample.tolerances or (), strict=False))
        given = given if b.dtype.is_floating_point else {"rtol": 0, "atol": 0} if given else {}
        if given and b.dtype.is_floating_point:
            usual = {torch.float32: (1.3e-6, 1e-5), torch.float64: (1e-7, 1e-7), torch.float16: (1e-3, 1e-5)}
            rtol, atol = usual.get(b.dtype, (1.6e-2, 1e-5))
            given = {"rtol": max(rtol, given["rtol"]), "atol": max(atol, given["atol"])}
        try:
            if sample.operator not in UNDEFINED and not _is_tie(a, b, sample):
                torch.testing.assert_close(a, b.resolve_neg(), equal_nan=True, **given)
        except AssertionError as e:
            return f"result {i}: {' '.join(str(e).split())}"
    return None


def _is_tie(found: Any, expected: Any, sample: Sample) -> bool:
    """Whether indices may differ, for they mean equal elements along some axis."""
    torch = cast(Any, torch_package())
    if sample.operator not in TIES or found.dtype != torch.int64 or not sample.tensors:
        return False
    data = sample.tensors[0]
    for axis in range(data.ndim):
        a, b = (t.unsqueeze(axis) if t.ndim < data.ndim else t for t in (found, expected))
        if a.ndim != data.ndim:
            break
        inside = all(a.shape[i] <= data.shape[i] for i in range(data.ndim) if i != axis)
        places = torch.stack([a, b])
        if not inside or not a.numel() or int(places.min()) < 0 or int(places.max()) >= data.shape[axis]:
            continue
        if torch.equal(data.gather(axis, a), data.gather(axis, b)):
            return True
    return False
