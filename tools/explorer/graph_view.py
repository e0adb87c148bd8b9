"""The graph of a model as it was imported: its ops, what they read, and which kernels compute them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from mlc.dialects.graph.base import GraphOp
from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.ir_levels import LEVEL_OF, SOURCE_LEVELS
from mlc.support.functions import input_names, models_of
from mlc.tools.explorer.document import NO_PLACE, GraphNode, KernelCall
from mlc.tools.explorer.texts import Texts

_SCOPES = re.compile(r"[/.]")
"""What separates the parts of a name: those of ONNX have slashes or dots, those of PyTorch dots."""


ENDS = ("input", "output")
"""The kinds of nodes that are no ops."""
_NOBODY = -1
"""Stands for the call of a node that no kernel computes."""


@dataclass
class RecordGraph(Instrumentation):
    """Records the graph of the first model when it is spelled in mlc's own dialects: none of a source is left."""

    texts: Texts
    nodes: list[GraphNode] = field(default_factory=list[GraphNode])
    number_of: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The numbers of the nodes that inputs and results are of, constants left out."""
    _written: dict[int, dict[str, None]] = field(default_factory=dict[int, dict[str, None]])
    """The ops of the source, by their place."""

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self.look(module)

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        self.look(module)

    def look(self, module: ModuleOp) -> None:
        """Record the graph, if it is there and was not before."""
        models = () if self.nodes else models_of(module)
        if not models:
            return
        sources = [op for op in module.walk() if LEVEL_OF.get(op.dialect_name()) in SOURCE_LEVELS]
        for op in sources:
            self._written.setdefault(self.texts.place_of(op), {})[op.name] = None
        if not sources:
            found = _Nodes(models[0], self.texts, self._written)
            self.nodes, self.number_of = list(found.nodes()), found.number_of


def with_calls(nodes: Sequence[GraphNode], calls: Sequence[KernelCall]) -> list[GraphNode]:
    """The nodes with the calls of kernels that compute them: those that have ops of the same place.

    The first is the one that it is computed in: where an op has become parts of several kernels, such as a convolution
    whose padding is stored by the kernel before, a kernel begins with it.

    An op that passes merged with the op that reads it, such as a convolution with a batch norm, has no ops of its
    place: it belongs to the call of its readers, if that is one.
    """
    at: dict[int, list[int]] = {}
    for number, call in enumerate(calls):
        for place in call.places:
            at.setdefault(place, []).append(number)
    found = [sorted(at.get(node.place, ()), key=partial(_rank, calls, node.place)) for node in nodes]
    of_readers: list[set[int]] = [set() for _ in nodes]
    for number in reversed(range(len(nodes))):
        if (
            not found[number]
            and nodes[number].kind not in ENDS
            and len(of_readers[number] - {_NOBODY}) == 1 == len(of_readers[number])
        ):
            found[number] = list(of_readers[number])
        for read in nodes[number].inputs:
            of_readers[read].update(found[number][:1] or [_NOBODY])
    return [replace(node, calls=found[number]) for number, node in enumerate(nodes)]


def _rank(calls: Sequence[KernelCall], place: int, number: int) -> int:
    """How many of the places of a call come before one of them."""
    return list(calls[number].places).index(place)


class _Nodes:
    def __init__(self, model: FuncOp, texts: Texts, written: Mapping[int, Iterable[str]]) -> None:
        self._model, self._texts, self._written = model, texts, written
        self.number_of: dict[SSAValue, int] = {}
        self._constants: dict[SSAValue, str] = {}

    def nodes(self) -> Iterator[GraphNode]:
        model = self._model
        count = 0
        for name, argument in zip(input_names(model), model.body.blocks[0].args, strict=False):
            self.number_of[argument] = count
            count += 1
            yield GraphNode(name, "input", str(argument.type), NO_PLACE, (), (), ())
        for op in model.body.blocks[0].ops:
            if not op.operands and not op.regions and op.results:
                self._constants[op.results[0]] = _constant(op)
                continue
            self.number_of |= dict.fromkeys(op.results, count)
            count += 1
            yield self._node(op)

    def _node(self, op: Operation) -> GraphNode:
        read = list(dict.fromkeys(value for inner in op.walk() for value in inner.operands))
        is_end = op.has_trait(IsTerminator)
        place = NO_PLACE if is_end else self._texts.place_of(op)
        return GraphNode(
            label="output" if is_end else op.name.partition(".")[2] or op.name,
            kind="output" if is_end else op.name,
            type=", ".join(str(r.type) for r in op.results),
            place=place,
            scope=tuple(part for part in _SCOPES.split(self._texts.name_of(place)) if part)[:-1],
            inputs=tuple(dict.fromkeys(self.number_of[value] for value in read if value in self.number_of)),
            constants=tuple(self._constants[value] for value in read if value in self._constants),
            words=tuple(op.kinds) if isinstance(op, GraphOp) else (),
            written=() if place == NO_PLACE else tuple(self._written.get(place, ())),
        )


def _constant(op: Operation) -> str:
    """The name of a constant, if it has one, and its type."""
    held = next((a for a in (*op.properties.values(), *op.attributes.values())), None)
    name = held.resource_handle.data if isinstance(held, DenseResourceAttr) else (op.results[0].name_hint or "")
    return f"{name}: {op.results[0].type}" if name else str(op.results[0].type)
