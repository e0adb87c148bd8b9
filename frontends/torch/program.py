"""What `torch.export` makes of a model: which placeholder is what, and what callers call it."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX

from mlc.dialects.aten.branches import bodies_of
from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.open_extents import torch_symbols
from mlc.dialects.aten.schemas import torch_package
from mlc.frontends.torch.ranges import require_allowed, require_own
from mlc.support.bindings import Bindings, ExtentRange
from mlc.support.errors import UserError
from mlc.support.model_source import DeclaredInput
from mlc.support.tree_names import output_name


@dataclass
class AtenProgram:
    """An `ExportedProgram`, with mutations made results.

    A buffer that the model changes is an input and a result, `cache` and `cache.next`, for an artifact has no state.
    They come after what the model itself takes and gives.
    """

    exported: Any
    file: str
    taken_apart: bool = False
    """Whether torch takes operators apart that have no pattern: it can do so for extents that are known at the call."""

    @cached_property
    def graph(self) -> Any:
        """Its graph, of operators that change nothing in place, with state after inputs and results."""
        signature = self._functional.graph_signature
        graph = copy.deepcopy(self._functional.graph)
        nodes = {n.target: n for n in graph.nodes if n.op == "placeholder"}
        users = [s.arg.name for s in signature.input_specs if s.kind.name == "USER_INPUT" and s.arg.name in nodes]
        for name in reversed(users):
            next(iter(graph.nodes)).prepend(nodes[name])
        end = next(node for node in graph.nodes if node.op == "output")
        end.args = (tuple(end.args[0][i] for i in self._order),)
        return graph

    @cached_property
    def _order(self) -> list[int]:
        """The places of results, those of the model itself first."""
        specs = self._functional.graph_signature.output_specs
        return sorted(range(len(specs)), key=lambda i: specs[i].kind.name != "USER_OUTPUT")

    @cached_property
    def _functional(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of torch, about itself
            return self.exported.run_decompositions(self._decompositions())

    def _decompositions(self) -> Any:
        if not self.taken_apart:
            return {}
        from mlc.frontends.torch.to_graph import has_pattern
        from mlc.frontends.torch.to_graph.convert_aten_to_graph import import_own_patterns

        import_own_patterns()
        table = cast(Any, torch_package("torch.export")).default_decompositions()
        for overload in list(table):
            if has_pattern(overload):
                del table[overload]
        return table

    @cached_property
    def inputs(self) -> dict[str, str]:
        """What callers call the placeholders that are not constants, by the names of nodes."""
        names: dict[str, str] = {}
        for spec in self._functional.graph_signature.input_specs:
            if spec.kind.name == "USER_INPUT":
                names[spec.arg.name] = spec.arg.name
            elif spec.target in self._changed:
                names[spec.arg.name] = spec.target
        # A copied node may get another name, such as `input_1`, but not another target.
        return {n.name: names[n.target] for n in self.graph.nodes if n.op == "placeholder" and n.target in names}

    @cached_property
    def _changed(self) -> set[str]:
        """The buffers that the model changes."""
        return {s.target for s in self._functional.graph_signature.output_specs if s.kind.name == "BUFFER_MUTATION"}

    @cached_property
    def constants(self) -> dict[str, Any]:
        """The tensors that placeholders are for good, by the names of nodes.

        Raises:
            UserError: one is not in the memory of the CPU.
        """
        program, found = self._functional, dict[str, Any]()
        for spec in program.graph_signature.input_specs:
            if spec.kind.name in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR") and spec.target not in self._changed:
                held = program.state_dict if spec.target in program.state_dict else program.constants
                found[spec.arg.name] = tensor = held[spec.target]
                if tensor.device.type != "cpu":
                    raise UserError(
                        f"the tensor '{spec.target}' of the model is on the device '{tensor.device}'; required: the "
                        "CPU: give model.cpu(), and a model on 'meta' its weights"
                    )
        return {n.name: found[n.target] for n in self.graph.nodes if n.op == "placeholder" and n.target in found}

    @cached_property
    def outputs(self) -> list[str]:
        """What callers call the results that are tensors: keys of what the model returns, `logits` or `states.0`."""
        names: list[str] = []
        for name, node in zip(self._all_outputs, self._returned, strict=True):
            if isinstance(getattr(node, "meta", {}).get("val"), cast(Any, torch_package()).Tensor):
                names.append(name)
        return names

    @cached_property
    def _returned(self) -> list[Any]:
        end = next(node for node in self.graph.nodes if node.op == "output")
        return list(end.args[0])

    @cached_property
    def _all_outputs(self) -> list[str]:
        program = self._functional
        specs = program.graph_signature.output_specs
        users = iter(_keys(program.call_spec.out_spec))
        found = [next(users) if s.kind.name == "USER_OUTPUT" else f"{s.target or s.arg.name}.next" for s in specs]
        names = [found[i] for i in self._order]
        return [name or f"output{i}" for i, name in enumerate(names)]

    # ---- shapes

    def declared_inputs(self) -> tuple[DeclaredInput, ...]:
        """What callers give. Dims that are open have the names of torch's symbols; complex numbers have a dim of 2 for
        both parts."""
        return tuple(
            DeclaredInput(
                name,
                (*map(_extent, value.shape), *[2] * value.is_complex()),
                (*map(_symbol, value.shape), *[""] * value.is_complex()),
            )
            for name, value in self._given().items()
        )

    def _given(self) -> dict[str, Any]:
        """What the inputs are, by their names."""
        values = {n.name: n.meta.get("val") for n in self.graph.nodes if n.op == "placeholder"}
        tensor = cast(Any, torch_package()).Tensor
        given = {name: values.get(node) for node, name in self.inputs.items()}
        return {name: value for name, value in given.items() if isinstance(value, tensor)}

    def source(self, bindings: Bindings) -> GraphSource:
        """The graph with the extents and ranges that are given; others are open.

        Raises:
            UserError: a name is none of the model's, or an extent is one for which it was not exported.
        """
        declared = self.declared_inputs()
        if bindings.values:
            name = next(iter(bindings.values))
            raise UserError(f"found a value of '{name}'; numbers that steer were fixed when the model was exported")
        bindings.require_single("a program of torch.export")
        bindings.check_names([i.name for i in declared], {d for i in declared for d in i.dims if d})
        bound = bindings.extents({i.name: i.dims for i in declared})
        for each in declared:
            _require_fitting(each, bindings.shapes)
        require_allowed(bound, self._functional.range_constraints, declared)
        numbers = {name: extent for name, extent in bound.items() if isinstance(extent, int)}
        kept = {name: extent for name, extent in bound.items() if isinstance(extent, ExtentRange)}
        require_own(self._given(), kept)

        def extent(value: Any) -> Any:
            if (expression := getattr(getattr(value, "node", None), "expr", None)) is None:
                return value if isinstance(value, float | bool) else int(value)
            known = expression.subs({s: numbers[str(s)] for s in expression.free_symbols if str(s) in numbers})
            if known.is_Boolean:
                return bool(known)  # it is true or false once its symbols are numbers
            if not known.is_number:
                return DYNAMIC_INDEX
            return float(known) if "Float" in type(value).__name__ else int(known)

        dims = {name: tuple(map(_symbol, value.shape)) for name, value in self._given().items()}
        bodies = bodies_of(self._functional.graph_module)
        source = GraphSource(self.graph, self.file, self.constants, bodies, self.inputs, dims, self.outputs, extent)
        source.bounded = True
        symbols = {str(s): s for value in self._given().values() for e in value.shape for s in torch_symbols(e)}
        source.ranges = {symbols[name]: extent for name, extent in kept.items() if name in symbols}
        return source


def _require_fitting(declared: DeclaredInput, shapes: Mapping[str, Any]) -> None:
    given = shapes.get(declared.name)
    if given is None:
        return
    wanted = (given,) if isinstance(given, int) else tuple(given)
    shape = declared.shape or ()
    if len(wanted) != len(shape) or any(e not in (None, w) for e, w in zip(shape, wanted, strict=True)):
        shown = "x".join(map(str, wanted)) or "scalar"
        raise UserError(f"input '{declared.name}' is {declared}, which {shown} does not fit")


def _extent(extent: Any) -> int | None:
    return extent if isinstance(extent, int) else None


def _symbol(extent: Any) -> str:
    """The name of a dim that is open; nothing for one that is computed from others."""
    expression = getattr(getattr(extent, "node", None), "expr", None)
    return str(expression) if expression is not None and expression.is_Symbol else ""


def _keys(spec: Any) -> Sequence[str]:
    """Names for what a tree of results holds: its keys with dots between them; nothing for a single result."""
    pytree = cast(Any, torch_package("torch.utils._pytree"))
    tree = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
    paths = [path for path, _ in pytree.tree_flatten_with_path(tree)[0]]
    return [output_name(path) for path in paths]
