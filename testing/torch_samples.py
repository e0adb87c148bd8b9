"""Samples of PyTorch's operators, from its own tests (`OpInfo`), as graphs of ATen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, cast

from mlc.dialects.aten.schemas import torch_package

UNDEFINED = (
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_",
)  # fmt: skip
"""Operators whose results are whatever is in memory: only types and shapes of these are compared."""
TIES = ("argsort", "kthvalue", "mode", "median", "nanmedian", "sort", "topk")
"""Operators that may give the index of any of several equal elements."""


@dataclass(frozen=True)
class Sample:
    """A call of an operator: as a function of its tensors, with what it should give.

    Attributes:
        function: from tensors to a list of tensors.
        tolerances: `rtol` and `atol`, where the operator's own tests ask for wider ones than usual; else None.
    """

    operator: str
    number: int
    function: Callable[..., list[Any]]
    tensors: tuple[Any, ...]
    tolerances: tuple[float, float] | None = None


@cache
def operators() -> dict[str, Any]:
    """All that torch describes by an OpInfo, by name."""
    warnings.simplefilter("ignore")
    found = cast(Any, torch_package("torch.testing._internal.common_methods_invocations")).op_db
    return {info.full_name: info for info in found}


def samples(name: str, dtype: Any, limit: int | None = None, gradients: bool = False) -> Iterator[Sample]:
    """The samples of an operator, always the same ones; nothing if it does not take the type."""
    torch = cast(Any, torch_package())
    info = operators()[name]
    taken = info.supported_backward_dtypes("cpu") if gradients else info.supported_dtypes("cpu")
    if dtype not in taken:
        return
    torch.manual_seed(0)
    generator: Iterator[Any] = info.sample_inputs("cpu", dtype, requires_grad=gradients)
    for number, sample in enumerate(islice(generator, limit)):
        function, tensors = as_function(info.op, (sample.input, *sample.args), sample.kwargs)
        if gradients and sample.output_process_fn_grad is not None:
            function = _processed(function, sample.output_process_fn_grad)
        yield Sample(name, number, function, tensors, _tolerances(info, dtype))


def as_function(
    operator: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]
) -> tuple[Callable[..., list[Any]], tuple[Any, ...]]:
    """A call as a function of the tensors among its arguments, and these."""
    torch = cast(Any, torch_package())
    pytree = cast(Any, torch_package("torch.utils._pytree"))
    leaves, spec = pytree.tree_flatten((tuple(arguments), keywords))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def function(*tensors: Any) -> list[Any]:
        given = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            given[place] = tensor
        args, kwargs = pytree.tree_unflatten(given, spec)
        return [leaf for leaf in pytree.tree_leaves(operator(*args, **kwargs)) if isinstance(leaf, torch.Tensor)]

    return function, tuple(leaves[i] for i in places)


def _processed(function: Callable[..., list[Any]], process: Callable[[Any], Any]) -> Callable[..., list[Any]]:
    """A function whose results a test changes so that they are well defined."""

    def processed(*tensors: Any) -> list[Any]:
        torch = cast(Any, torch_package())
        found = function(*tensors)
        changed = process(found[0] if len(found) == 1 else tuple(found))
        leaves = cast(Any, torch_package("torch.utils._pytree")).tree_leaves(changed)
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    return processed


def _tolerances(info: Any, dtype: Any) -> tuple[float, float] | None:
    """The widest `rtol` and `atol` that an operator's own description asks for."""
    found: list[tuple[float, float]] = []
    for each in info.decorators or ():
        for decorator in getattr(each, "decorators", [each]):
            for kind, wanted in getattr(decorator, "d", {}).items():
                if kind == dtype:
                    found.append((wanted.rtol, wanted.atol) if hasattr(wanted, "rtol") else (0.0, float(wanted)))
    return (max(r for r, _ in found), max(a for _, a in found)) if found else None
