"""What a graph returns: tensors that its code computes, views of these or of arguments, arguments, and numbers."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import torch

from mlc.dialects.aten.effects import is_mutation

view_of: Callable[..., Any] = cast(Any, torch)._C._dynamo.guards._reinterpret_tensor
"""A tensor on another's memory that autograd takes for no view, as AOTAutograd wants its results."""


_CPU = torch.device("cpu")


@dataclass(frozen=True)
class ResultSpec:
    """A result that the library writes: its shape, and its strides where these are not those of the shape.

    `donor` is the place of an argument of the call that is to hold it.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype
    strides: tuple[int, ...] | None = None
    donor: int | None = None


class Returned(Protocol):
    """One result of a call."""

    def of(self, values: Sequence[Any], computed: Sequence[torch.Tensor]) -> Any:
        """It, for the arguments of a call and what the library computed."""
        ...


@dataclass(frozen=True)
class Argument:
    """A result that is an argument of the call."""

    position: int

    def of(self, values: Sequence[Any], computed: Sequence[torch.Tensor]) -> Any:
        """The argument."""
        return values[self.position]


@dataclass(frozen=True)
class Computed:
    """A result that the library writes."""

    position: int

    def of(self, values: Sequence[Any], computed: Sequence[torch.Tensor]) -> Any:
        """The tensor."""
        return computed[self.position]


@dataclass(frozen=True)
class View:
    """A view of an argument, or of what the library writes."""

    source: Argument | Computed
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def of(self, values: Sequence[Any], computed: Sequence[torch.Tensor]) -> Any:
        """The tensor, on the memory of the other."""
        return view_of(self.source.of(values, computed), self.shape, self.strides, self.offset)


@dataclass(frozen=True)
class Plain:
    """A result that is a number, or nothing."""

    value: Any

    def of(self, values: Sequence[Any], computed: Sequence[torch.Tensor]) -> Any:
        """The value."""
        return self.value


@dataclass
class Results:
    """How the results of a graph come about.

    Attributes:
        nodes: the nodes whose values the library writes, each with what is to be known of it in `specs`.
        returned: the results in the order of the graph.
        mutated: what arguments are to hold, by their places, where that is nothing that the library writes for them.
    """

    nodes: list[Any] = field(default_factory=list[Any])
    specs: list[ResultSpec] = field(default_factory=list[ResultSpec])
    returned: list[Returned] = field(default_factory=list[Returned])
    mutated: list[tuple[int, Returned]] = field(default_factory=list[tuple[int, Returned]])

    @property
    def are_computed(self) -> bool:
        """Whether the results are what the library writes, in this order, and no arguments are mutated."""
        return not self.mutated and self.returned == [Computed(i) for i in range(len(self.specs))]

    def all(self, values: Sequence[Any], computed: Sequence[torch.Tensor]) -> list[Any]:
        """The results, for the arguments of a call and what the library computed; arguments are mutated."""
        found = [each.of(values, computed) for each in self.returned]
        for position, new in [(position, each.of(values, computed)) for position, each in self.mutated]:
            values[position].copy_(new)
        return found


def results_of(graph: Any, extent: Callable[[Any], Any], share: bool) -> Results:
    """The plan for a graph.

    Results that share memory in eager torch do so here: callers may write to one, and look at another. With `share`
    false each has memory of its own, as is right for gradients, which become `.grad` of several tensors.
    """
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    end = next(n for n in graph.nodes if n.op == "output")
    flat: list[Any] = cast(Any, torch).utils._pytree.tree_leaves(end.args[0], is_leaf=_is_none)
    planning = _Planning(placeholders, flat, extent, share)
    for node in filter(is_mutation, graph.nodes):
        planning.mutate(*node.args[:2])
    return planning.results()


class _Planning:
    def __init__(
        self, placeholders: Iterable[Any], flat: Sequence[Any], extent: Callable[[Any], Any], share: bool
    ) -> None:
        self.positions = {n: i for i, n in enumerate(placeholders)}
        self.flat = flat
        self.extent = extent
        self.share = share
        self.uses = Counter(_root(n) for n in flat if _is_tensor(n))
        self.found = Results()
        self.written: dict[Any, Computed] = {}

    def results(self) -> Results:
        """The plan."""
        self.found.returned = [self._returned(node) for node in self.flat]
        return self.found

    def mutate(self, argument: Any, node: Any) -> None:
        """Let an argument hold a value in the end: the library writes it there, or torch copies it."""
        position = self.positions[argument]
        fits = _is_tensor(node) and node not in self.positions and self._kind(node) == self._kind(argument)
        if fits:
            self.found.nodes.append(node)
            self.found.specs.append(ResultSpec(*self._kind(node), donor=position))
        else:
            self.found.mutated.append((position, self._returned(node)))

    def _kind(self, node: Any) -> tuple[tuple[int, ...], torch.dtype]:
        return self._shape(node), node.meta["val"].dtype

    def _returned(self, node: Any) -> Returned:
        if not isinstance(node, torch.fx.Node):
            return Plain(node)
        if not _is_tensor(node):
            value = node.meta["val"]
            return Plain(None if value is None else self.extent(value))
        if is_mutation(node):
            return Argument(self.positions[node.args[0]])
        if node in self.positions:
            return Argument(self.positions[node])
        root = _root(node)
        return self._view(node, root) if root is not node and self._is_shared(node, root) else self._written(node)

    def _is_shared(self, node: Any, root: Any) -> bool:
        """Whether a view becomes a view: where another result is one, too, and where that costs no memory."""
        whole = self._elements(root) <= self._elements(node)
        if self.share:
            return root in self.positions or self.uses[root] > 1 or whole
        return root not in self.positions and ((whole and self.uses[root] == 1) or self._overlaps(node))

    def _view(self, node: Any, root: Any) -> View:
        source = Argument(self.positions[root]) if root in self.positions else self._written(root)
        value = node.meta["val"]
        offset = self.extent(value.storage_offset()) - self.extent(root.meta["val"].storage_offset())
        return View(source, self._shape(node), self._strides(node), offset)

    def _written(self, node: Any) -> Computed:
        if self.share and node in self.written:
            return self.written[node]
        shape, strides = self._shape(node), self._strides(node)
        usual = contiguous_strides(shape)
        is_usual = 0 in shape or all(s == u or e == 1 for s, u, e in zip(strides, usual, shape, strict=True))
        # A value that lies on itself, and is not a view, is none that torch computes: its strides say nothing then.
        plain = is_usual or self._overlaps(node)
        self.found.nodes.append(node)
        self.found.specs.append(ResultSpec(shape, node.meta["val"].dtype, None if plain else strides))
        return (
            self.written.setdefault(node, Computed(len(self.found.nodes) - 1))
            if self.share
            else (Computed(len(self.found.nodes) - 1))
        )

    def _shape(self, node: Any) -> tuple[int, ...]:
        return tuple(self.extent(e) for e in node.meta["val"].shape)

    def _strides(self, node: Any) -> tuple[int, ...]:
        return tuple(self.extent(s) for s in node.meta["val"].stride())

    def _elements(self, node: Any) -> int:
        return _product(self._shape(node))

    def _overlaps(self, node: Any) -> bool:
        """Whether elements may lie at one place."""
        dims = sorted((s, e) for s, e in zip(self._strides(node), self._shape(node), strict=True) if e > 1)
        reach = 1
        for stride, extent in dims:
            if stride < reach:
                return True
            reach = stride * (extent - 1) + reach
        return False


def cut(tensor: torch.Tensor, spec: ResultSpec) -> torch.Tensor:
    """The data of a result, in memory of its own where it has another shape, as torch lays it out."""
    if tuple(tensor.shape) == spec.shape and spec.strides is None:
        return tensor
    found = torch.empty(spec.shape, dtype=tensor.dtype, device=_CPU)
    if spec.strides is not None:
        found = torch.empty_strided(spec.shape, spec.strides, dtype=tensor.dtype, device=_CPU)
    return found.copy_(tensor[tuple(map(slice, spec.shape))])


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a tensor whose elements lie in order; as torch has them, also without elements."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def is_view(node: Any) -> bool:
    """Whether a node gives its argument's memory in another shape, with the same numbers in it."""
    return node.op == "call_function" and getattr(node.target, "is_view", False) and not _is_sign(node.meta.get("val"))


def _is_sign(value: Any) -> bool:
    """Whether a tensor holds other numbers than its memory does: with other signs, or conjugates."""
    return isinstance(value, torch.Tensor) and (value.is_conj() or value.is_neg())


def _root(node: Any) -> Any:
    """The node that a tensor is a view of; itself if it is none."""
    value = node.meta["val"]
    while True:
        before = node
        if node.target is operator.getitem and is_view(node.args[0]):
            before = node.args[0].args[0]
        elif is_view(node):
            before = node.args[0]
        if before is node or not _is_tensor(before) or before.meta["val"].dtype != value.dtype:
            return node
        node = before


def _is_tensor(node: Any) -> bool:
    return isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor)


def _is_none(value: object) -> bool:
    return value is None


def _product(numbers: Iterable[int]) -> int:
    found = 1
    for number in numbers:
        found *= number
    return found
