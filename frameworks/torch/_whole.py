"""What stays whole while graphs are made for inference: recurrent networks, each a loop over time, and resampling."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, cast

import torch

_aten: Any = cast(Any, torch).ops.aten
NETWORKS: tuple[Any, ...] = (_aten.lstm.input, _aten.gru.input, _aten.rnn_tanh.input, _aten.rnn_relu.input)
RESAMPLING: tuple[Any, ...] = (
    _aten.upsample_linear1d.vec, _aten.upsample_bilinear2d.vec, _aten.upsample_trilinear3d.vec,
    _aten.upsample_nearest1d.vec, _aten.upsample_nearest2d.vec, _aten.upsample_nearest3d.vec,
    _aten._upsample_nearest_exact1d.vec, _aten._upsample_nearest_exact2d.vec, _aten._upsample_nearest_exact3d.vec,
)  # fmt: skip
"""These two are what torch takes apart on its way to a backend, unless it is told otherwise."""
_NETWORK_NAMES = ("lstm", "gru", "rnn_tanh", "rnn_relu")
_RESAMPLING_NAMES = ("interpolate", "upsample", "upsample_bilinear", "upsample_nearest")
"""Functions of torch that end in them."""


def whole_where_wanted(graph_module: Any, inputs: Sequence[Any]) -> AbstractContextManager[None]:
    """A context in which AOTAutograd makes of networks and resampling what this graph needs: in inference nothing.

    In training, torch has no gradients for a network as a whole. It takes one apart into steps, but an LSTM for which
    nobody wants gradients of inputs into operators of oneDNN, which have none for weights either. An image that is
    resampled is gathered by computed places then, four times as slowly.
    """
    names = {getattr(node.target, "__name__", "") for node in graph_module.graph.nodes}
    networks, resampling = names.intersection(_NETWORK_NAMES), names.intersection(_RESAMPLING_NAMES)
    if not networks and not resampling:
        return nullcontext()
    trained = torch.is_grad_enabled() and any(isinstance(t, torch.Tensor) and t.requires_grad for t in inputs)
    if trained:
        return _without_onednn() if networks else nullcontext()
    return _whole((*NETWORKS, *RESAMPLING))


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
def _whole(operators: Sequence[Any]) -> Generator[None]:
    """Operators are not taken apart, as `torch.export` keeps them whole."""
    from torch.export import exported_program

    keep = getattr(exported_program, "_override_composite_implicit_decomp", None)
    if keep is None:
        yield
        return
    with keep(dict.fromkeys(operators, _not_here)):
        yield


def _not_here(*_: object, **__: object) -> Any:
    return NotImplemented
