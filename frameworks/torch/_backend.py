"""The backend of `torch.compile`: AOTAutograd makes graphs of ATen's operators, each of which becomes native code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

import torch

from mlc.compiler.background import expect
from mlc.frameworks.torch._build import BackendOptions, backend_options
from mlc.frameworks.torch._graphs import CompiledGraph
from mlc.frameworks.torch._prims import without_prims
from mlc.frameworks.torch._whole import whole_where_wanted
from mlc.frameworks.torch.operators import decompositions


def backend(graph_module: Any, example_inputs: list[Any], *, options: Mapping[str, Any] | None = None, **_: Any) -> Any:
    """What `torch.compile(model, backend="mlc")` calls with a graph that it captured.

    With the option `checked`, which is on, a call raises what torch raises of indices that are out of range and integer
    divisors of 0. With `capacity` one code serves all extents of dims that torch leaves open: it has room for as many
    elements as torch gives as a bound, or else for so many; a longer one makes new code, for the next power of two.
    With `tiered`, calls run in torch while another process compiles, which `mlc.wait()` waits for.

    Raises:
        UserError: an option is wrong. What cannot be compiled runs in torch.
    """
    from torch._dynamo.backends.common import aot_autograd

    own, chosen = backend_options(options)
    if own.tiered:
        expect("torch")

    def compiler(kind: str) -> Callable[..., Any]:
        # What a backward pass reads was read in the forward pass before.
        chosen_here = replace(own, checked=own.checked and kind != "backward")
        return partial(_compile, kind=kind, options=chosen, own=chosen_here)

    wrapped = aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions=decompositions(),
        keep_inference_input_mutations=True,
    )
    with whole_where_wanted(graph_module, example_inputs):
        return cast(Any, wrapped)(graph_module, example_inputs)


def _compile(
    graph_module: Any, example_inputs: list[Any], *, kind: str, options: Any, own: BackendOptions
) -> Callable[[list[Any]], Any]:
    graph_module = without_prims(graph_module)
    static = _weights() if kind == "inference" else ()
    graph = CompiledGraph(graph_module, kind, options, static, own)

    def run(arguments: list[Any]) -> list[Any]:
        return graph(arguments)

    cast(Any, run)._boxed_call = True  # it takes one list, and empties it, so that tensors are free early
    return run


def _weights() -> list[int]:
    """The places of the parameters and buffers that the graph in hand does not change."""
    metadata = getattr(cast(Any, torch)._guards.TracingContext.try_get(), "fw_metadata", None)
    static = list(getattr(metadata, "static_input_indices", None) or [])
    infos = list(getattr(metadata, "input_info", None) or [])
    return [i for i in static if i >= len(infos) or not infos[i].mutates_data]
