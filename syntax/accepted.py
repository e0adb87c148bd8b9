"""Verifying an op without what was found of one like it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from xdsl.ir import Operation
from xdsl.irdl import BaseAttr, IRDLOperation
from xdsl.traits import OpTrait, SameOperandsAndResultType

_OF_TYPES: frozenset[object] = frozenset({OpTrait.verify, SameOperandsAndResultType.verify})
"""What traits verify that look at nothing but types."""


class AcceptedOps:
    """The verifier of the ops of a module, while this does not change.

    What xDSL makes of the constraints of a class looks at the types, properties and attributes of an op. So it accepts
    all ops that have the same ones as an op which it has accepted: most of an unrolled loop. The verifier that a class
    has besides is called for each op, and where a trait has one, or an op has regions or branches, so is all.
    """

    def __init__(self) -> None:
        self._keys: set[Hashable] = set()
        self._kinds: dict[type[Operation], _Constraints | None] = {}

    def verify(self, op: Operation) -> None:
        """As `op.verify_()`.

        Raises:
            VerifyException: the op is wrong. A verifier of a plugin may raise anything.
        """
        kind = type(op)
        try:
            constraints = self._kinds[kind]
        except KeyError:
            constraints = self._kinds[kind] = _constraints_of(kind)
        if constraints is None or op.regions or op.successors:
            op.verify_()
        elif (key := constraints.key(op)) not in self._keys:
            op.verify_()
            self._keys.add(key)
        elif constraints.verifier is not None:
            constraints.verifier(op)


class _Constraints(NamedTuple):
    """A class of ops whose constraints decide by types and attributes."""

    verifier: Callable[[Any], None] | None
    """What it verifies besides."""
    of_class: frozenset[str]
    """The properties of which a constraint asks nothing but the class."""

    def key(self, op: Operation) -> Hashable:
        """What constraints see. Types and attributes are told by identity: passes share them, and it is fast."""
        of_class = self.of_class
        return (
            type(op),
            tuple([id(value.type) for value in op.operands]),
            tuple([id(value.type) for value in op.results]),
            tuple([(name, type(a) if name in of_class else id(a)) for name, a in op.properties.items()]),
            tuple([(name, id(a)) for name, a in op.attributes.items()]),
        )


def _constraints_of(kind: type[Operation]) -> _Constraints | None:
    """None for a class whose ops are verified one by one."""
    if not issubclass(kind, IRDLOperation) or not all(type(trait).verify in _OF_TYPES for trait in kind.traits.traits):
        return None
    # xDSL replaces the method of a class by one which checks the constraints, and then calls the one that there was.
    made: Any = vars(kind).get("verify_")
    cells: dict[str, Any] = {}
    if made is not None and made.__closure__:
        cells = dict(zip(made.__code__.co_freevars, (cell.cell_contents for cell in made.__closure__), strict=True))
    if not {"op_def", "custom_verify"} <= cells.keys():
        return None
    own, definition = cells["custom_verify"], cells["op_def"]
    of_class = frozenset(name for name, each in definition.properties.items() if type(each.constr) is BaseAttr)
    return _Constraints(None if own is Operation.verify_ else own, of_class)
