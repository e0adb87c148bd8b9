"""Extents that depend on data, such as those of what `nonzero` finds: the most that they can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

from mlc.dialects.aten.nodes import is_symbolic, is_tensor, symbolic_of
from mlc.dialects.aten.schemas import op_name, torch_package
from mlc.support.errors import UserError

if TYPE_CHECKING:
    Node = Any
    """A `torch.fx.Node`."""

BOUNDED_EXTENTS = "aten.extents"
"""The attribute of an op that says of each result which of its dims are as long as data says; in the type of such a
dim stands the most that it can be."""
_MOST = 1 << 31
"""A greater bound that torch gives is none."""
_TAKE_EXTENTS = frozenset(f"aten.{name}" for name in ("view", "_unsafe_view", "reshape", "view_copy", "expand"))
"""Operators that only hand on the extents which they get as numbers."""

_ASKED = {"nonzero": 0, "where": 0, "nms": 1}
"""The argument of an operator whose result is as long as there are elements in it for which something holds."""
_IN_RANGE = ("aten.sym_constrain_range", "aten.sym_constrain_range_for_size")
"""Operators that assert that a number lies between others."""


class Bounds:
    """The symbols of extents that depend on data, each with the most that it can be, as nodes are met in order."""

    def __init__(self, extent: Callable[[Any], Any]) -> None:
        """`extent` gives the number of an extent that does not depend on data."""
        self._extent = extent
        self._most: dict[Any, int] = {}

    def meet(self, node: Node) -> None:
        """Note the extents that a node is the first to have."""
        for value in _tensors(node.meta.get("val")):
            for extent in value.shape:
                if not depends(extent):
                    continue
                expression = _expression(extent)
                if expression.is_Symbol and expression not in self._most:
                    bound = self._bound(node, extent)
                    if bound is not None:
                        self._most[expression] = bound

    def most(self, extent: Any) -> int:
        """The most that an extent can be.

        Raises:
            UserError: nobody says what that is.
        """
        expression = _expression(extent)
        for symbol in _unbacked(extent):
            if symbol not in self._most:
                raise UserError("the shape of a tensor depends on data, and nothing says how long it is at most")
            slope = expression.diff(symbol)
            if not (slope.is_number and slope > 0):
                raise UserError(f"the shape of a tensor depends on data: {expression} is not a sum of such extents")
            expression = expression.subs(symbol, self._most[symbol])
        return int(expression if expression.is_number else self._extent(_Number(_Node(expression))))

    def holds(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether an assertion of such extents holds whatever they are."""
        if name == "aten._assert_scalar":
            return (found := self._range(arguments["self"])) is not None and bool(found.is_singleton() and found.lower)
        if name not in _IN_RANGE or (found := self._range(arguments["size"])) is None:
            return False
        low, high = arguments.get("min"), arguments.get("max")
        return bool((low is None or found.lower >= low) and (high is None or found.upper <= high))

    def _range(self, value: Any) -> Any:
        """What a number that depends on such extents may be; None for other numbers."""
        ranges = cast(Any, torch_package("torch.utils._sympy.value_ranges"))
        known = {symbol: ranges.ValueRanges(0, most) for symbol, most in self._most.items()}
        number = symbolic_of(value)
        if not depends(number) or not _expression(number).free_symbols <= known.keys():
            return None
        return ranges.bound_sympy(_expression(number), known)

    def _bound(self, node: Node, extent: Any) -> int | None:
        """As many as elements are asked, or what torch says."""
        name = op_name(node.target).partition(".")[2].partition(".")[0] if hasattr(node.target, "_schema") else ""
        masks = node.args[1] if name == "index" else [node.args[_ASKED[name]]] if name in _ASKED else ()
        asked = [m.meta["val"] for m in cast("Sequence[Any]", masks) if m is not None]
        if name == "index":
            asked = [v for v in asked if str(v.dtype) == "torch.bool"]
        if len(asked) == 1:
            return prod(int(self._extent(e)) for e in asked[0].shape)
        most = extent.node.shape_env.var_to_range[_expression(extent)].upper
        return int(most) if most.is_Integer and most < _MOST else None


@dataclass(frozen=True)
class _Node:
    expr: Any


@dataclass(frozen=True)
class _Number:
    """A number as torch's symbolic ones are, as far as `GraphSource.extent` looks at them."""

    node: _Node


def depends(value: Any) -> bool:
    """Whether a number depends on data."""
    return is_symbolic(value) and bool(_unbacked(value))


def _unbacked(value: Any) -> set[Any]:
    return cast(Any, torch_package("torch.fx.experimental.symbolic_shapes")).free_unbacked_symbols(value)


def takes_extents(name: str) -> bool:
    """Whether an operator may get extents that depend on data as numbers."""
    return name in _TAKE_EXTENTS


def bounded_dims(value: Any) -> list[int]:
    """The dims of a tensor whose extents depend on data."""
    return [axis for axis, extent in enumerate(value.shape) if depends(extent)] if is_tensor(value) else []


def _tensors(value: Any) -> Iterable[Any]:
    parts = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else [value]
    return filter(is_tensor, parts)


def _expression(value: Any) -> Any:
    return value.node.expr
