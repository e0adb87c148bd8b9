"""Graphs of PyTorch run as mlc has them, and compared with eager torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from mlc.dialects.aten.schemas import torch_package
from mlc.support.functions import marks_of, models_of
from mlc.testing.native_run import run_native
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
    from mlc.compiler.compilation import new_context
    from mlc.dialects.aten.graph_source import GraphSource
    from mlc.dialects.aten.graphs import read_graph
    from mlc.dialects.aten.tensors import array_of
    from mlc.frontends.operators.complex_values import COMPLEX
    from mlc.frontends.torch.to_graph.convert_aten_to_graph import ConvertAtenToGraphPass
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
    (function,) = models_of(module)
    end = function.get_return_op()
    assert end is not None
    marks = marks_of(end.operands, function.res_attrs)
    found = run_native(module, ctx, arrays) if native else run_function(module, "main", arrays, ctx.resources)
    return [_tensor(torch, each, COMPLEX in own) for each, own in zip(found, marks, strict=True)]


def _tensor(torch: Any, array: Any, is_complex: bool) -> Any:
    plain: Any = np.array(array)
    if is_complex:
        return torch.complex(*torch.from_numpy(plain).unbind(-1))
    if plain.dtype.name == "bfloat16":
        return torch.from_numpy(plain.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(plain)


def difference(found: Sequence[Any], expected: Sequence[Any], sample: Sample) -> str | None:
    """What is not as eager torch has it.

    Where eager torch itself loses digits of f32, what it computes in f64 counts.
    """
    if len(found) != len(expected):
        return f"{len(found)} results; eager torch has {len(expected)}"
    exact: list[Any] | None = None
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"result {i} is {a.dtype} {list(a.shape)}; eager torch has {b.dtype} {list(b.shape)}"
        if sample.operator in UNDEFINED or _is_tie(a, b, sample) or (problem := _unlike(a, b, sample)) is None:
            continue
        exact = _in_f64(sample, expected) if exact is None else exact
        if not exact or _unlike(a, exact[i], sample) is not None:
            return f"result {i}: {problem}"
    return None


def _unlike(found: Any, expected: Any, sample: Sample) -> str | None:
    """Why two tensors are not close, as torch's own tests say."""
    torch = cast(Any, torch_package())
    given: dict[str, float] = {}
    if sample.tolerances is not None and expected.dtype.is_floating_point:
        usual = {torch.float32: (1.3e-6, 1e-5), torch.float64: (1e-7, 1e-7), torch.float16: (1e-3, 1e-5)}
        rtol, atol = usual.get(expected.dtype, (1.6e-2, 1e-5))
        given = {"rtol": max(rtol, sample.tolerances[0]), "atol": max(atol, sample.tolerances[1])}
    try:
        torch.testing.assert_close(found, expected.resolve_conj().resolve_neg(), equal_nan=True, **given)
    except AssertionError as e:
        return " ".join(str(e).split())
    return None


def _in_f64(sample: Sample, expected: Sequence[Any]) -> list[Any]:
    """What eager torch computes in f64, rounded to f32, or both complex; nothing if that is another computation."""
    torch = cast(Any, torch_package())
    wide = {torch.float32: torch.float64, torch.complex64: torch.complex128}
    if not any(t.dtype in wide for t in sample.tensors):
        return []
    try:
        found = sample.function(*(t.to(wide.get(t.dtype, t.dtype)) for t in sample.tensors))
    except Exception:  # it is not for f64, or has arguments of other types
        return []
    same = len(found) == len(expected) and all(a.shape == b.shape for a, b in zip(found, expected, strict=True))
    return [a.to(b.dtype) for a, b in zip(found, expected, strict=True)] if same else []


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
