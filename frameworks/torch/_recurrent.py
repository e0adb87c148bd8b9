"""Recurrent networks stay whole while graphs are made for inference, so that each becomes a loop over time."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, cast

import torch

_aten: Any = cast(Any, torch).ops.aten
NETWORKS: tuple[Any, ...] = (_aten.lstm.input, _aten.gru.input, _aten.rnn_tanh.input, _aten.rnn_relu.input)
"""The operators that torch takes apart on its way to a backend, unless it is told otherwise."""


def networks_as_wanted(graph_module: Any, inputs: Sequence[Any]) -> AbstractContextManager[None]:
    """A context in which AOTAutograd makes of networks what this graph needs: in inference nothing.

    In training, torch has no gradients for a network as a whole. It takes one apart into steps, but an LSTM for which
    nobody wants gradients of inputs into operators of oneDNN, which have none for weights either.
    """
    if not any(_is_network(node) for node in graph_module.graph.nodes):
        return nullcontext()
    trained = torch.is_grad_enabled() and any(isinstance(t, torch.Tensor) and t.requires_grad for t in inputs)
    return _without_onednn() if trained else _whole()


def _is_network(node: Any) -> bool:
    return getattr(node.target, "__name__", "") in ("lstm", "gru", "rnn_tanh", "rnn_relu")


@contextmanager
def _without_onednn() -> Generator[None]:
    """LSTMs are taken apart into steps."""
    library = cast(Any, torch)._C
    before = library._get_mkldnn_enabled()
    library._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        library._set_mkldnn_enabled(before)


@contextmanager
def _whole() -> Generator[None]:
    """Networks are not taken apart, as `torch.export` keeps operators whole."""
    from torch.export import exported_program

    keep = getattr(exported_program, "_override_composite_implicit_decomp", None)
    if keep is None:
        yield
        return
    with keep(dict.fromkeys(NETWORKS, _not_here)):
        yield


def _not_here(*_: object, **__: object) -> Any:
    return NotImplemented
