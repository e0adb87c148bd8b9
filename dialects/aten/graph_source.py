"""A graph of `torch.fx` that is to be read, and what its parts are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlc.support.bindings import ExtentRange


@dataclass
class GraphSource:
    """What is to be read: a graph, and what its parts are.

    Attributes:
        graph: a `torch.fx.Graph` whose nodes have `meta["val"]`.
        file: what messages call the model.
        constants: the tensors that some placeholders, or attributes that nodes get, are for good, by their names.
        bodies: the modules of the graphs that nodes get, for operators of higher order, by their names.
        input_names: what callers call other placeholders, if that is not the name of the node.
        input_dims: names for the dims of inputs that are open, or were, by what callers call the input.
        output_names: what callers call the results, in order; empty for numbers.
        extent: the number that an extent of a shape, or another symbolic number, is.
        ranges: the symbols of torch whose numbers each call gives, and what they may be (`open_extents.py`).
        results: the nodes whose values are returned, instead of those that the graph returns.
        donated: the placeholders in whose memory some of `results` may lie, by the numbers of these.
        checked: whether one more result counts the elements of arguments that torch does not take.
        bounded: whether tensors may have extents that depend on data, of which the most that they can be is known.
        seeded: whether a graph that draws random numbers takes a seed, an i64 that is its last argument.
    """

    graph: Any
    file: str = "model"
    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    bodies: Mapping[str, Any] = field(default_factory=dict[str, Any])
    input_names: Mapping[str, str] = field(default_factory=dict[str, str])
    input_dims: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    output_names: Sequence[str] = ()
    extent: Callable[[Any], Any] = int
    results: Sequence[Any] | None = None
    donated: Mapping[int, Any] = field(default_factory=dict[int, Any])
    seeded: bool = False
    checked: bool = False
    bounded: bool = False
    ranges: Mapping[Any, ExtentRange] = field(default_factory=dict[Any, "ExtentRange"])
