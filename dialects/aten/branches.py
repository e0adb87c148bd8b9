"""Operators of higher order: what `torch.cond` and `while_loop` are in a graph of `torch.fx`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import ComplexType, TensorType
from xdsl.ir import Block, Operation, SSAValue

from mlc.dialects.aten.ops import call
from mlc.dialects.aten.schemas import torch_package
from mlc.dialects.graph import ReshapeOp, YieldOp
from mlc.support.types import real_type

if TYPE_CHECKING:
    Node = Any
    """A `torch.fx.Node`."""

COND, WHILE = "cond", "while_loop"
"""What torch calls the operators that are read."""


def kind_of(node: Node) -> str:
    """The name of the operator of higher order that a node calls; nothing for other nodes."""
    target = node.target
    return target.name() if isinstance(target, cast(Any, torch_package())._ops.HigherOrderOperator) else ""


def is_read(node: Node) -> bool:
    """Whether a node is read as `graph.if` or `graph.while`."""
    return kind_of(node) in (COND, WHILE)


def bodies_of(module: Any) -> dict[str, Any]:
    """The graphs that are attributes of a module of `torch.fx`, by their names."""
    return {name: child for name, child in module.named_children() if hasattr(child, "graph")}


def tensors_of(module: Any) -> dict[str, Any]:
    """The tensors that a module of `torch.fx` gets as attributes, by their names."""
    torch, found = cast(Any, torch_package()), dict[str, Any]()
    for node in module.graph.nodes:
        if node.op == "get_attr":
            value = module
            for part in str(node.target).split("."):
                value = getattr(value, part, None)
            if isinstance(value, torch.Tensor):
                found[str(node.target)] = value
    return found


def calls_within(node: Node, bodies: Mapping[str, Any]) -> Iterator[Node]:
    """The calls in the bodies that a node takes, and in theirs."""
    for argument in node.all_input_nodes:
        if argument.op == "get_attr" and (body := bodies.get(str(argument.target))) is not None:
            for inner in body.graph.nodes:
                if inner.op == "call_function":
                    yield inner
                    yield from calls_within(inner, bodies_of(body))


def flag_of(value: SSAValue, block: Block) -> SSAValue:
    """A condition as a tensor of no dims, computed at the end of a block where it has some."""
    if not cast(Any, value.type).get_shape():
        return value
    made = ReshapeOp(value, ())
    if isinstance(value.owner, Operation):
        made.location = value.owner.location
    block.add_op(made)
    return made.result


def yield_flag(block: Block) -> None:
    """Let a block yield a condition as a tensor of no dims."""
    last = block.last_op
    assert last is not None
    last.detach()
    block.add_op(YieldOp(flag_of(last.operands[0], block)))


def as_complex(value: SSAValue) -> Operation:
    """The complex numbers whose parts the last dim of a tensor holds."""
    kind: Any = value.type
    found = TensorType(ComplexType(kind.element_type), kind.get_shape()[:-1])
    return call("aten.view_as_complex", [1], [value], {}, [found])


def as_real(value: SSAValue, block: Block) -> SSAValue:
    """A tensor as it lies in memory, computed at the end of a block where it is complex: regions take no such."""
    kind = cast("TensorType[Any]", value.type)
    if (found := real_type(kind)) == kind:
        return value
    made = call("aten.view_as_real", [1], [value], {}, [found])
    if isinstance(value.owner, Operation):
        made.location = value.owner.location
    block.add_op(made)
    return made.results[0]
