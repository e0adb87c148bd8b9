"""Actions of the grammar: affine maps and sets."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineMap, AffineSet

from mlc.syntax.lexer import Name
from mlc.syntax.state import State

Space = tuple[int, int]
"""How many dimensions and symbols."""


class AffineActions(State):
    """Makes affine maps and sets. An affine space is read before the expressions over it, so names are looked up at
    once.
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
        return -inner

    def affine_sum(self, a: AffineExpr, _op: str, b: AffineExpr) -> AffineExpr:
        """`d0 + d1`."""
        return a + b

    def affine_difference(self, a: AffineExpr, _op: str, b: AffineExpr) -> AffineExpr:
        """`d0 - d1`."""
        return a - b

    def affine_product(self, a: AffineExpr, _op: str, b: AffineExpr) -> AffineExpr:
        """`d0 * 4`."""
        return self._computed(lambda: a * b)

    def affine_floordiv(self, a: AffineExpr, _op: Name, b: AffineExpr) -> AffineExpr:
        """`d0 floordiv 4`."""
        return self._computed(lambda: a // b)

    def affine_ceildiv(self, a: AffineExpr, _op: Name, b: AffineExpr) -> AffineExpr:
        """`d0 ceildiv 4`."""
        return self._computed(lambda: a.ceil_div(b))

    def affine_mod(self, a: AffineExpr, _op: Name, b: AffineExpr) -> AffineExpr:
        """`d0 mod 4`."""
        return self._computed(lambda: a % b)

    def _computed(self, compute: Callable[[], AffineExpr]) -> AffineExpr:
        """The value of `compute`, with what xDSL refuses in its own words."""
        try:
            return compute()
        except NotImplementedError:
            self.fault("an affine expression multiplies and divides by constants and symbols only")
        except ZeroDivisionError:
            self.fault("an affine expression divides by zero")

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
