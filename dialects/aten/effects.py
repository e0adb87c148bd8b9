"""What calls in a graph of `torch.fx` do beside computing results: they draw random numbers, or change arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Node = Any
    """A `torch.fx.Node`."""

SEED = "aten.seed"
"""The attribute of an argument that random numbers are drawn from."""


CHECKED = "aten.checked"
"""The attribute of a function that is to count the elements of arguments that torch does not take."""
WRONG = "wrong_elements"
"""What callers call the result that is this number."""


def draws(graph: Any) -> bool:
    """Whether a `torch.fx.Graph` draws random numbers."""
    return any(n.op == "call_function" and _draws(n) for n in graph.nodes)


def _draws(node: Node) -> bool:
    """Whether a call draws random numbers, as torch's tags tell; operators that drop out draw if they do that."""
    if "nondeterministic_seeded" not in [tag.name for tag in getattr(node.target, "tags", ())]:
        return False
    places = {a.name: i for i, a in enumerate(node.target._schema.arguments)}
    if (place := places.get("dropout_p")) is None:
        return True
    return bool(node.kwargs.get("dropout_p", node.args[place] if place < len(node.args) else 0))


def is_mutation(node: Node) -> bool:
    """Whether a node writes to a placeholder what that is to hold when the graph is through, as AOTAutograd puts it at
    the end of a graph: `copy_(placeholder, value)`."""
    if node.op != "call_function" or str(node.target) != "aten.copy_.default":
        return False
    return node.args[0].op == "placeholder" and all(user.op == "output" for user in node.users)
