"""Actions of the grammar: affine maps and sets."""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir import Attribute
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from mlc.syntax.lexer import Name
from mlc.syntax.state import State

Space = tuple[int, int]
"""How many dimensions and symbols."""


_QUOTIENTS = {
    "floordiv": AffineBinaryOpKind.FloorDiv,
    "ceildiv": AffineBinaryOpKind.CeilDiv,
    "mod": AffineBinaryOpKind.Mod,
}


class AffineActions(State):
    """Makes affine maps and sets, semi-affine ones included: they multiply and divide by symbols.

    An affine space is read before the expressions over it, so names are looked up at once.
    """

    _affine_names: dict[str, AffineExpr]

    def affine_space(self, _open: str, dims: list[Name], _close: str) -> Space:
        """`(d0, d1)`."""
        return self._enter_space(dims, [])

    def affine_space_with_symbols(
        self, _o1: str, dims: list[Name], _c1: str, _o2: str, symbols: list[Name], _c2: str
    ) -> Space:
        """`(d0, d1)[s0]`."""
        return self._enter_space(dims, symbols)

    def _enter_space(self, dims: list[Name], symbols: list[Name]) -> Space:
        self._affine_names = {}
        for names, make in ((dims, AffineExpr.dimension), (symbols, AffineExpr.symbol)):
            for i, name in enumerate(names):
                if name.text in self._affine_names:
                    self.fault(f"'{name.text}' appears twice in the space of an affine map", name.position)
                self._affine_names[name.text] = make(i)
        return len(dims), len(symbols)

    def affine_name(self, name: Name) -> AffineExpr:
        """A dimension or symbol."""
        if (found := self._affine_names.get(name.text)) is None:
            self.fault(f"'{name.text}' is not a dimension or symbol of this affine map", name.position)
        return found

    def affine_constant(self, text: str) -> AffineExpr:
        """`4`."""
        return AffineExpr.constant(int(text))

    def affine_negation(self, _minus: str, inner: AffineExpr) -> AffineExpr:
        """`-d0`."""
        return self._product(inner, AffineExpr.constant(-1))

    def affine_sum(self, a: AffineExpr, _op: str, b: AffineExpr) -> AffineExpr:
        """`d0 + d1`."""
        return a + b

    def affine_difference(self, a: AffineExpr, _op: str, b: AffineExpr) -> AffineExpr:
        """`d0 - d1`."""
        return a + self._product(b, AffineExpr.constant(-1))

    def affine_product(self, a: AffineExpr, op: Name, b: AffineExpr) -> AffineExpr:
        """`d0 * 4`, `d0 * s0`."""
        if _has_dims(a) and _has_dims(b):
            self.fault("one side of '*' has to be made of constants and symbols, as in d0 * 4", op.position)
        if _has_dims(b):  # as upstream prints it: what varies on the left
            a, b = b, a
        return self._product(a, b)

    def _product(self, a: AffineExpr, b: AffineExpr) -> AffineExpr:
        """`a * b`; xDSL multiplies the terms of a sum, upstream leaves `(d0 + d1) * 4` as it is."""
        is_sum = isinstance(a, AffineBinaryOpExpr) and a.kind is AffineBinaryOpKind.Add
        if self.checked and is_sum and isinstance(b, AffineConstantExpr) and b.value != 1:
            return AffineBinaryOpExpr(AffineBinaryOpKind.Mul, a, b)
        try:
            return a * b
        except NotImplementedError:
            return AffineBinaryOpExpr(AffineBinaryOpKind.Mul, a, b)

    def affine_quotient(self, a: AffineExpr, op: Name, b: AffineExpr) -> AffineExpr:
        """`d0 floordiv 4`, `d0 ceildiv s0`, `d0 mod (s0 + 1)`."""
        if _has_dims(b):
            self.fault(
                f"the right side of '{op.text}' has to be made of constants and symbols, as in d0 {op.text} 4",
                op.position,
            )
        return self._computed(_QUOTIENTS[op.text], a, op, b)

    def _computed(self, kind: AffineBinaryOpKind, a: AffineExpr, op: Name, b: AffineExpr) -> AffineExpr:
        """The value of an operator, simplified where xDSL does that; it makes no semi-affine expressions."""
        try:
            return AffineExpr.binary(kind, a, b)
        except NotImplementedError:
            return AffineBinaryOpExpr(kind, a, b)
        except ZeroDivisionError:
            self.fault("an affine expression divides by zero", op.position)

    def affine_constraint(self, a: AffineExpr, op: str, b: AffineExpr) -> AffineConstraintExpr:
        """`d0 >= 0`."""
        return AffineConstraintExpr(AffineConstraintKind(op), a, b)

    def affine_map(self, space: Space, _arrow: str, _open: str, results: list[AffineExpr], _close: str) -> AffineMap:
        """`(d0) -> (d0 + 1)`."""
        return AffineMap(*space, tuple(results))

    def affine_set(
        self, space: Space, _colon: str, _open: str, constraints: list[AffineConstraintExpr], _close: str
    ) -> AffineSet:
        """`(d0) : (d0 >= 0)`."""
        return AffineSet(*space, tuple(constraints))

    def affine_map_attribute(self, _word: Name, _open: str, value: AffineMap, _close: str) -> Attribute:
        """`affine_map<...>`."""
        return AffineMapAttr(value)

    def affine_set_attribute(self, _word: Name, _open: str, value: AffineSet, _close: str) -> Attribute:
        """`affine_set<...>`."""
        return AffineSetAttr(value)


def _has_dims(expr: AffineExpr) -> bool:
    """Whether an expression varies from point to point."""
    return any(isinstance(part, AffineDimExpr) for part in expr.dfs())
