"""A graph of ATen's operators as a function that compiles itself for what it is called with."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch

from mlc.compiler import CompileOptions
from mlc.dialects.aten.graphs import GraphSource, read_graph
from mlc.frameworks.torch._build import build, context
from mlc.frameworks.torch._launch import Launch, ResultSpec
from mlc.frameworks.torch._partition import refused_nodes, split
from mlc.frameworks.torch._report import Fallback, GraphReport, note

Runner = Callable[[Sequence[Any]], list[Any]]
"""From the arguments of a call to its results."""
_CHANGES = 2
"""How often a weight may change before it is an input: the first time it may have been loaded."""
_SETS = 8
"""For how many sets of weights code of one graph is kept, when several modules share it."""


class CompiledGraph:
    """What AOTAutograd calls. Code is made when a call first comes with some extents, so that these are known.

    In inference, weights are constants of the code, packed as its loops want them. A call finds out whether they are
    still the same tensors, with the same contents as far as torch counts changes, and else compiles again; a weight
    that changes once more is an input from then on.
    """

    def __init__(self, graph_module: Any, kind: str, options: CompileOptions, static: Sequence[int] = ()) -> None:
        self.module = graph_module
        self.kind = kind
        self.options = options
        nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
        self._inputs = nodes
        self._weights = [i for i in static if isinstance(nodes[i].meta.get("val"), torch.Tensor)]
        self._unfrozen: set[int] = set()
        self._changes: Counter[int] = Counter()
        self._extents = _Extents(nodes)
        self._entries: dict[tuple[int, ...], list[_Entry]] = {}
        self._lock = threading.RLock()
        self._reported = False

    def __call__(self, arguments: list[Any]) -> list[Any]:
        """The results for the arguments of a call; the list is emptied, as AOTAutograd wants it."""
        values = list(arguments)
        arguments.clear()
        key = self._extents.key(values) if self._extents.open else ()
        for entry in self._entries.get(key, ()):
            if entry.fits(values):
                return entry.run(values)
        return self._made(key, values).run(values)

    def _made(self, key: tuple[int, ...], values: list[Any]) -> _Entry:
        with self._lock:
            entries = self._entries.setdefault(key, [])
            for entry in list(entries):
                if entry.fits(values):
                    return entry
                if changed := entry.changed(values):
                    self._changes.update(changed)
                    self._unfrozen.update(i for i in changed if self._changes[i] >= _CHANGES)
                    entries.remove(entry)
            frozen = [i for i in self._weights if i not in self._unfrozen]
            if len(entries) >= _SETS:
                frozen = []
            entry = self._compile(values, frozen)
            entries.append(entry)
            return entry

    def _compile(self, values: list[Any], frozen: list[int]) -> _Entry:
        """Code for the extents of a call; where there is none to be had, torch itself."""
        weights = [Weight.of(i, values[i]) for i in frozen]
        try:
            run = self._native(values, frozen)
        except Exception as e:  # the model has to run, whatever is wrong with the compiler
            reason = str(e).splitlines()[0] if str(e) else type(e).__name__
            warnings.warn(f"mlc could not compile a graph, which runs in torch: {reason}", stacklevel=2)
            count = _count(self.module)
            self._report(GraphReport(self.kind, count, 0, Counter({Fallback("graph", reason): 1})))
            run = _in_torch(self.module)
            weights = []
        return _Entry(weights, run)

    def _native(self, values: list[Any], frozen: list[int]) -> Runner:
        extent = self._extents.known(values)
        refused = refused_nodes(self.module, extent)
        count = _count(self.module)
        self._report(GraphReport(self.kind, count, count - sum(refused.values()), refused.reasons))
        constants = {self._inputs[i].name: values[i] for i in frozen}
        if not refused.nodes:
            return _compiled(self.module, extent, constants, self.options)
        parts = split(self.module, refused.nodes)
        for name, child in parts.named_children():
            if name.startswith("fused_"):
                run = _compiled(child, extent, _owned(parts, name, constants), self.options)
                setattr(parts, name, Part(run))
        return _in_torch(parts)

    def _report(self, graph: GraphReport) -> None:
        if not self._reported:
            self._reported = True
            note(graph)


@dataclass(frozen=True)
class Weight:
    """A tensor that code holds a copy of, as it was then."""

    position: int
    tensor: weakref.ref[torch.Tensor]
    version: int
    address: int

    @staticmethod
    def of(position: int, tensor: torch.Tensor) -> Weight:
        """That of an argument."""
        version = 0 if tensor.is_inference() else tensor._version
        return Weight(position, weakref.ref(tensor), version, tensor.data_ptr())

    def is_same(self, tensor: torch.Tensor) -> bool:
        """Whether an argument is this tensor, unchanged as far as torch counts changes."""
        return (
            self.tensor() is tensor
            and self.address == tensor.data_ptr()
            and (tensor.is_inference() or tensor._version == self.version)
        )


@dataclass(frozen=True)
class _Entry:
    """Code, and the weights that it was made for."""

    weights: list[Weight]
    run: Runner

    def fits(self, values: Sequence[Any]) -> bool:
        """Whether the arguments of a call are these weights, where there should be weights."""
        return all(w.is_same(values[w.position]) for w in self.weights)

    def changed(self, values: Sequence[Any]) -> list[int]:
        """The positions of weights that are the same tensors and have changed."""
        return [
            w.position for w in self.weights if w.tensor() is values[w.position] and not w.is_same(values[w.position])
        ]


class Part(torch.nn.Module):
    """A part of a graph that runs natively, as torch's own graphs call it."""

    def __init__(self, run: Runner) -> None:
        super().__init__()
        self._run = run

    def forward(self, *arguments: Any) -> Any:
        """The results: one as it is, several as a tuple."""
        found = self._run(arguments)
        return found[0] if len(found) == 1 else tuple(found)


_SYMBOLIC: dict[type, Callable[[Any], Any]] = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}


def _expression(value: Any) -> Any:
    """What sympy knows of a symbolic number."""
    return value.node.expr


class _Extents:
    """The numbers that stand behind the symbols of a graph, read off the arguments of a call."""

    def __init__(self, placeholders: Sequence[Any]) -> None:
        self._places: dict[Any, tuple[int, int]] = {}
        """The argument that says a symbol, and the dim that it is, or -1 for the argument itself."""
        for position, node in enumerate(placeholders):
            value = node.meta.get("val")
            if isinstance(value, torch.SymInt):
                self._see(value, position, -1)
        for position, node in enumerate(placeholders):
            value = node.meta.get("val")
            for dim, extent in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
                self._see(extent, position, dim)
        self.open = bool(self._places) or any(isinstance(n.meta.get("val"), int | torch.SymInt) for n in placeholders)

    def _see(self, extent: Any, position: int, dim: int) -> None:
        if isinstance(extent, torch.SymInt) and (symbol := _expression(extent)).is_Symbol:
            self._places.setdefault(symbol, (position, dim))

    def key(self, values: Sequence[Any]) -> tuple[int, ...]:
        """The numbers, in the order of the symbols."""
        return tuple(values[p] if d < 0 else values[p].shape[d] for p, d in self._places.values())

    def known(self, values: Sequence[Any]) -> Callable[[Any], Any]:
        """From an extent, or another symbolic number, to its number."""
        numbers = dict(zip(self._places, self.key(values), strict=True))

        def extent(value: Any) -> Any:
            kind = next((k for k in _SYMBOLIC if isinstance(value, k)), None)
            return int(value) if kind is None else _SYMBOLIC[kind](_expression(value).subs(numbers))

        return extent


def _compiled(
    graph_module: Any, extent: Callable[[Any], int], constants: dict[str, torch.Tensor], options: CompileOptions
) -> Runner:
    """Native code for a graph all of whose operators are converted."""
    graph = graph_module.graph
    owned = {str(n.target): _attribute(graph_module, str(n.target)) for n in graph.nodes if n.op == "get_attr"}
    owned = {name: value for name, value in owned.items() if isinstance(value, torch.Tensor)}
    ctx = context(options)
    module = read_graph(GraphSource(graph, constants={**owned, **constants}, extent=extent), ctx.resources)
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    positions = {n: i for i, n in enumerate(placeholders)}
    returned, *_ = (n for n in graph.nodes if n.op == "output")
    results: list[Any] = cast(Any, torch).utils._pytree.tree_leaves(returned.args[0])
    plan = [_result(node, positions, extent) for node in results]
    computed = [each for each in plan if isinstance(each, ResultSpec)]
    if not computed:
        return lambda values: [_taken(each, values, iter(())) for each in plan]
    inputs = [
        positions[n] for n in placeholders if isinstance(n.meta.get("val"), torch.Tensor) and n.name not in constants
    ]
    launch = Launch(build(_returning_computed(module, results, plan), ctx, options), inputs, computed)
    if len(computed) == len(plan):
        return launch
    return lambda values: [_taken(each, values, found) for found in [iter(launch(values))] for each in plan]


def _returning_computed(module: Any, results: Sequence[Any], plan: Sequence[Any]) -> Any:
    """The module without the results that are arguments."""
    from xdsl.dialects.builtin import ArrayAttr, FunctionType

    function = next(iter(module.ops))
    end = function.body.block.last_op
    tensors = [each for each, node in zip(plan, results, strict=True) if _is_tensor(node)]
    kept = [i for i, each in enumerate(tensors) if isinstance(each, ResultSpec)]
    end.operands = [end.operands[i] for i in kept]
    function.function_type = FunctionType.from_lists(function.body.block.arg_types, [v.type for v in end.operands])
    function.res_attrs = ArrayAttr([function.res_attrs.data[i] for i in kept])
    return module


def _is_tensor(node: Any) -> bool:
    return isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor)


@dataclass(frozen=True)
class _Argument:
    """A result that is an argument of the call."""

    position: int


@dataclass(frozen=True)
class _Plain:
    """A result that is a number, or nothing."""

    value: Any


def _result(node: Any, positions: dict[Any, int], extent: Callable[[Any], int]) -> ResultSpec | _Argument | _Plain:
    if not isinstance(node, torch.fx.Node):
        return _Plain(node)
    if node in positions:
        return _Argument(positions[node])
    value = node.meta["val"]
    if not isinstance(value, torch.Tensor):
        return _Plain(extent(value))
    shape = tuple(extent(e) for e in value.shape)
    strides = tuple(extent(s) for s in value.stride())
    usual = torch.empty(shape, device="meta").stride()
    is_usual = 0 in shape or all(s == u or e == 1 for s, u, e in zip(strides, usual, shape, strict=True))
    return ResultSpec(shape, value.dtype, None if is_usual else strides)


def _taken(each: ResultSpec | _Argument | _Plain, values: Sequence[Any], computed: Any) -> Any:
    if isinstance(each, _Argument):
        return values[each.position]
    return next(computed) if isinstance(each, ResultSpec) else each.value


def _in_torch(graph_module: Any) -> Runner:
    return lambda values: list(graph_module(*values))


def _attribute(module: Any, target: str) -> Any:
    for part in target.split("."):
        module = getattr(module, part)
    return module


def _owned(parts: Any, name: str, constants: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights among the placeholders of a part, by the names that they have there."""
    node = next(n for n in parts.graph.nodes if n.op == "call_module" and n.target == name)
    inside = [n for n in getattr(parts, name).graph.nodes if n.op == "placeholder"]
    return {
        inner.name: constants[outer.name]
        for inner, outer in zip(inside, node.args, strict=True)
        if isinstance(outer, torch.fx.Node) and outer.name in constants
    }


def _count(graph_module: Any) -> int:
    return sum(n.op == "call_function" for n in graph_module.graph.nodes)
