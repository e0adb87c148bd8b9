"""Extents that each call gives, in a range: how attributes write them and what is computed of them.

A function takes each such extent as an argument, an i64 with `mlc.range`, in the order of their symbols. Shapes and
integers that depend on them are affine maps of these symbols; types have the most that an extent can be:

```mlir
%y = aten.slice.Tensor %x {aten.sizes = [affine_map<()[s0] -> (2, s0 floordiv 2)>], dim = 1 : i64,
    end = affine_map<()[s0] -> (s0 floordiv 2)>} : (tensor<2x8xf32>) -> tensor<2x4xf32>
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, DictionaryAttr, StringAttr, TensorType, i64
from xdsl.ir import Block
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap

from mlc.dialects.aten.nodes import is_part, is_symbolic, is_tensor, symbolic_of
from mlc.dialects.aten.schemas import torch_package
from mlc.support.bindings import ExtentRange
from mlc.support.errors import SourceLocation, UserError
from mlc.support.functions import EXTENTS, NAME, RANGE

SIZES = "aten.sizes"
"""The attribute of an op, or of an argument of a function, that has the shapes of results, or of the argument, where
extents of the call are in them."""
_DIVISIONS = {"FloorDiv": AffineBinaryOpKind.FloorDiv, "CleanDiv": AffineBinaryOpKind.FloorDiv}
_REMAINDERS = {"Mod": AffineBinaryOpKind.Mod, "PythonMod": AffineBinaryOpKind.Mod}


class OpenExtents:
    """The symbols of torch that stay open, and what depends on them."""

    def __init__(self, ranges: Mapping[Any, ExtentRange]) -> None:
        self.ranges = ranges
        self._places = {symbol: AffineExpr.symbol(i) for i, symbol in enumerate(ranges)}

    def has(self, value: Any) -> bool:
        """Whether a number, or one of a list, depends on such an extent."""
        if isinstance(value, list | tuple):
            return any(map(self.has, cast("Sequence[Any]", value)))
        found = symbolic_of(value)
        return bool(self.ranges) and is_symbolic(found) and bool(torch_symbols(found) & self.ranges.keys())

    def most(self, value: Any) -> int:
        """The most that a size can be, or more.

        Raises:
            UserError: it is no size.
        """
        ranges = cast(Any, torch_package("torch.utils._sympy.value_ranges"))
        self._affine(value)  # it has no other symbols
        known = {symbol: ranges.ValueRanges(each.least, each.most) for symbol, each in self.ranges.items()}
        return int(ranges.bound_sympy(value.node.expr, known).upper)

    def attribute(self, values: Any) -> AffineMapAttr:
        """A size, or several of them and numbers, as an attribute.

        Raises:
            UserError: one of them is something else.
        """
        several = list(cast("Sequence[Any]", values)) if isinstance(values, list | tuple) else [values]
        return AffineMapAttr(AffineMap(0, len(self.ranges), tuple(map(self._affine, several))))

    def shapes(self, results: Sequence[Any]) -> dict[str, ArrayAttr[AffineMapAttr]]:
        """The attribute that says the shapes of results, where one of them depends on such an extent."""
        tensors = [each for each in results if is_part(each)]
        if not any(is_tensor(each) and self.has(tuple(each.shape)) for each in tensors):
            return {}
        return {SIZES: ArrayAttr([self.attribute([] if each is None else tuple(each.shape)) for each in tensors])}

    def require_known_strides(self, name: str, given: Mapping[str, Any], place: SourceLocation | None) -> None:
        """Raises: UserError if an operator reads memory by strides that depend on such an extent."""
        if name.startswith("aten.as_strided") and self.has(tuple(symbolic_of(given["self"]).shape)):
            raise UserError("it reads memory by strides, which depend on an extent of the call", place)

    def with_extents(
        self, block: Block, marks: Sequence[DictionaryAttr], shapes: Sequence[Sequence[Any]]
    ) -> list[DictionaryAttr]:
        """Add an argument for each extent after the arguments of a function, whose attributes are `marks`, and say in
        these what their shapes are. Dims that are computed of several extents have no argument of their own: what
        calls the function knows that they fit."""
        first = len(block.args)
        for symbol in self.ranges:
            block.insert_arg(TensorType(i64, []), len(block.args)).name_hint = str(symbol)
        found = [self._marked(mark, shape, first) for mark, shape in zip(marks, shapes, strict=True)]
        for symbol, each in self.ranges.items():
            limits = DenseArrayBase.from_list(i64, each.numbers)
            found.append(DictionaryAttr({NAME: StringAttr(str(symbol)), RANGE: limits}))
        return found

    def _marked(self, mark: DictionaryAttr, shape: Sequence[Any], first: int) -> DictionaryAttr:
        if not self.has(list(shape)):
            return mark
        sizes = self.attribute(shape)
        symbols = list(self._places.values())
        places = [first + symbols.index(each) if each in symbols else -1 for each in sizes.data.results]
        extents = DenseArrayBase.from_list(i64, places)
        return DictionaryAttr({**mark.data, EXTENTS: extents, SIZES: ArrayAttr([sizes])})

    def _affine(self, value: Any) -> AffineExpr:
        found = symbolic_of(value)
        if isinstance(found, int) and not isinstance(found, bool):
            return AffineExpr.constant(found)
        if not isinstance(found, cast(Any, torch_package()).SymInt):
            raise UserError(f"found {found!r}, which depends on an extent of the call; required: an integer")
        return self._of_expression(cast(Any, found).node.expr)

    def _of_expression(self, expression: Any) -> AffineExpr:
        """Sums and products, and divisions by numbers."""
        if expression.is_Integer:
            return AffineExpr.constant(int(expression))
        if (place := self._places.get(expression)) is not None:
            return place
        kind = AffineBinaryOpKind.Add if expression.is_Add else AffineBinaryOpKind.Mul if expression.is_Mul else None
        if kind is not None:
            return _combined(kind, [self._of_expression(each) for each in expression.args])
        if expression.is_Pow and expression.args[1].is_Integer and expression.args[1] > 0:
            return _combined(
                AffineBinaryOpKind.Mul, [self._of_expression(expression.args[0])] * int(expression.args[1])
            )
        name = type(expression).__name__
        if (kind := {**_DIVISIONS, **_REMAINDERS}.get(name)) is not None:
            whole, divisor = expression.args
            if divisor.is_Integer and divisor > 0:
                return _combined(kind, [self._of_expression(whole), AffineExpr.constant(int(divisor))])
        raise UserError(
            f"an extent is {expression}; required: sums and products of extents of the call, and of these divided by "
            "numbers"
        )


def _combined(kind: AffineBinaryOpKind, parts: Sequence[AffineExpr]) -> AffineExpr:
    return reduce(lambda a, b: AffineBinaryOpExpr(kind, a, b), parts)


def torch_symbols(extent: Any) -> set[Any]:
    """The symbols of torch that an extent depends on; none of one that is known."""
    return set(getattr(getattr(getattr(extent, "node", None), "expr", None), "free_symbols", ()))
