"""What an operator is made of, as torch itself takes it apart: for those that have no pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from xdsl.dialects.builtin import NoneType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.graphs import read_body
from mlc.dialects.aten.ops import AtenOp
from mlc.dialects.aten.schemas import torch_package
from mlc.dialects.aten.values import dtype_of_element, element_of_dtype
from mlc.support.errors import UserError
from mlc.support.resources import Resources


@cache
def _core() -> dict[Any, Callable[..., Any]]:
    """How operators are taken apart into those of core ATen."""
    return dict(cast(Any, torch_package("torch._decomp")).core_aten_decompositions())


def _known(overload: Any) -> Callable[..., Any] | None:
    """How one operator is taken apart, as far as torch knows a way; what that gives may not be core ATen."""
    everything = cast(Any, torch_package("torch._decomp")).global_decomposition_table["post_autograd"]
    return _core().get(overload) or everything.get(overload)


@dataclass
class Decompositions:
    """The graphs that operators were taken apart into, each traced once for types and attributes."""

    keeps: Callable[[Any], bool]
    """Whether an overload has a pattern, so that it is not taken apart."""
    graphs: dict[Any, Any] = field(default_factory=dict[Any, Any])

    def expand(self, op: AtenOp, resources: Resources) -> list[Operation] | None:
        """Put what an op is made of in its place; None if torch has no decomposition, or it cannot be traced.

        The ops that this gives are in the IR already.
        """
        overload = op.overload
        key = (op.name, tuple(v.type for v in op.operands), tuple(sorted(op.attributes.items(), key=lambda a: a[0])))
        if key not in self.graphs:
            self.graphs[key] = self._traced(op, overload)
        if (graph := self.graphs[key]) is None:
            return None
        operands = [v for v in op.operands if isinstance(v.type, TensorType)]
        try:
            ops, results = read_body(GraphSource(graph), resources, operands, op.location)
        except UserError:
            return None
        if any(new is None and old.first_use is not None for old, new in zip(op.results, results, strict=False)):
            return None
        for each in ops:
            Rewriter.insert_op(each, InsertPoint.before(op))
        for old, new in zip(op.results, results, strict=False):
            if new is not None:
                new.name_hint = old.name_hint or new.name_hint
                old.replace_all_uses_with(new)
        Rewriter.erase_op(op)
        return ops

    def _traced(self, op: AtenOp, overload: Any) -> Any:
        """The graph of ATen's operators that a call is, if it is any but the call itself."""
        torch = cast(Any, torch_package())
        table = {o: how for o, how in _core().items() if not self.keeps(o)}
        how = _known(overload)
        if how is None and not overload._can_decompose():
            return None
        fx = cast(Any, torch_package("torch.fx.experimental.proxy_tensor"))
        call, tensors = _call_of(op, how or overload.decompose)
        try:
            with torch.no_grad():
                # As AOTAutograd does it, so that what is made of other operators has no mutations either.
                functional = cast(Any, torch_package("torch._subclasses.functional_tensor"))
                whole = functional.dispatch_functionalize(call)
                graph = fx.make_fx(whole, decomposition_table=table, tracing_mode="fake")(*tensors).graph
        except Exception:  # whatever a decomposition makes of a call that it was not written for
            return None
        graph.eliminate_dead_code()
        if any(n.op == "call_function" and n.target is overload for n in graph.nodes):
            return None
        return graph


def objection(op: AtenOp) -> str | None:
    """What torch says against a call, or what it gives that is not the results; None if it is right."""
    call, tensors = _call_of(op, op.overload)
    try:
        found = call(*(t.to("meta") for t in tensors))
    except Exception as e:
        return f"torch refuses it: {(str(e).splitlines() or [type(e).__name__])[0]}"
    tensor = cast(Any, torch_package()).Tensor
    given = [found] if isinstance(found, tensor) else list(found)
    for index, (said, each) in enumerate(zip(op.result_types, given, strict=False)):
        if isinstance(each, tensor) and said != NoneType():
            kind = TensorType(element_of_dtype(each.dtype) or NoneType(), list(each.shape))
            if kind != said:
                return f"its result {index} is {said}; torch gives {kind}"
    return None


def _call_of(op: AtenOp, how: Callable[..., Any]) -> tuple[Callable[..., Any], list[Any]]:
    """A call as a function of its tensors, made by `how`, and tensors of these types that hold no numbers."""
    torch = cast(Any, torch_package())
    given = op.arguments()
    with cast(Any, torch_package("torch._subclasses.fake_tensor")).FakeTensorMode():
        tensors = [_empty(torch, v) for v in op.operands if isinstance(v.type, TensorType)]

    def call(*values: Any) -> Any:
        rest = iter(values)

        def filled(each: Any) -> Any:
            if isinstance(each, SSAValue):
                return next(rest)
            if isinstance(each, list):
                return [filled(part) for part in cast("list[Any]", each)]
            return dtype_of_element(each) if isinstance(each, Attribute) else each

        arguments = {name: filled(value) for name, value in given.items()}
        for name, value in arguments.items():
            arguments[name] = _of_torch(torch, op, name, value)
        # By place: a decomposition may call what it takes by other names than the schema.
        by_place = [arguments.pop(a.name) for a in op.schema.arguments if not a.by_name]
        return how(*by_place, **arguments)

    return call, tensors


def _empty(torch: Any, value: SSAValue) -> Any:
    kind = cast("TensorType[Attribute]", value.type)
    return torch.empty(kind.get_shape(), dtype=dtype_of_element(kind.element_type))


def _of_torch(torch: Any, op: AtenOp, name: str, value: Any) -> Any:
    """A string as the device, the layout or the memory format that it stands for."""
    if not isinstance(value, str):
        return value
    kind = next((a.type for a in op.schema.arguments if a.name == name), "")
    if "Device" in kind:
        return torch.device(value)
    return getattr(torch, value.removeprefix("torch."), value) if value.startswith("torch.") else value
