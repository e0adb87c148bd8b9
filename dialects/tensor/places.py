"""What ops share that reach a tensor at places which other tensors hold: the syntax, the subscripts, what they require.

    tensor.take %data[b, i, n] at (i = %indices[m]) over (b: 1, m: 16, n: 64) : …

For every point of the dims, each *coordinate* (`i`) is the element of its index tensor; the subscripts of the data are
coordinates and affine expressions in the dims.
"""

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    StringAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import EqAttrConstraint, IRDLOperation, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.affine_syntax import parse_affine_expr, print_affine_expr
from mlc.support.affine import affine_bounds
from mlc.support.types import Tensor, tensor_type


class PlacedOp(IRDLOperation):
    """An op over points, each of which is at a place of `data` that index tensors say.

    A negative coordinate counts from the end of its axis.

    Constraints, in the order in which they are checked:
      placed_c1: dims and coordinates have distinct names, and sizes are not negative
      placed_c2: each coordinate is read from its index tensor, at a subscript in dims per axis that stays inside
      placed_c3: data has one subscript per axis: a coordinate, or an expression in dims that stays inside
      placed_c4: each coordinate is the subscript of one axis, which has an element if there is a point
    """

    data = operand_def(TensorType)
    indices = var_operand_def(TensorType.constr(EqAttrConstraint(i32) | EqAttrConstraint(i64)))
    result = result_def(TensorType)
    dims = prop_def(ArrayAttr[StringAttr])
    sizes = prop_def(DenseArrayBase.constr(i64))
    coordinates = prop_def(ArrayAttr[StringAttr])
    maps = prop_def(ArrayAttr[AffineMapAttr])
    place = prop_def(AffineMapAttr)

    traits = traits_def(Pure())

    @property
    def dim_names(self) -> tuple[str, ...]:
        """The names of the dims."""
        return tuple(d.data for d in self.dims)

    @property
    def dim_sizes(self) -> tuple[int, ...]:
        """The extents of the dims."""
        return self.sizes.get_values()

    @property
    def index_maps(self) -> tuple[AffineMap, ...]:
        """For each coordinate, the map from the dims to where it is read in its index tensor."""
        return tuple(m.data for m in self.maps)

    @property
    def coordinate_axes(self) -> tuple[int, ...]:
        """For each coordinate, the axis of `data` that it subscripts."""
        axes = {e.position: axis for axis, e in enumerate(self.place.data.results) if isinstance(e, AffineDimExpr)}
        return tuple(axes[len(self.dims) + number] for number in range(len(self.indices)))

    @staticmethod
    def properties_of(
        place: Sequence[AffineExpr],
        coordinates: Sequence[tuple[str, Sequence[AffineExpr]]],
        dims: Sequence[tuple[str, int]],
    ) -> dict[str, Attribute]:
        """The properties that say where points are.

        Args:
            place: the subscripts of the data, over the dims and then the coordinates.
            coordinates: names, and where each is read in its index tensor.
            dims: names and sizes.
        """
        rank = len(dims)
        return {
            "dims": ArrayAttr(StringAttr(name) for name, _ in dims),
            "sizes": DenseArrayBase.from_list(i64, [size for _, size in dims]),
            "coordinates": ArrayAttr(StringAttr(name) for name, _ in coordinates),
            "maps": ArrayAttr(AffineMapAttr(AffineMap(rank, 0, tuple(row))) for _, row in coordinates),
            "place": AffineMapAttr(AffineMap(rank + len(coordinates), 0, tuple(place))),
        }

    # -- verification -----------------------------------------------------------------------------------------------

    def verify_(self) -> None:
        names = [*self.dim_names, *(c.data for c in self.coordinates)]
        sizes = self.dim_sizes
        if len(self.dims) != len(sizes) or len(set(names)) != len(names) or any(s < 0 for s in sizes):
            raise VerifyException(
                f"{self.name}: dims and coordinates must have distinct names, and sizes that are not negative, got "
                f"{', '.join(names)} and sizes {', '.join(map(str, sizes))} (placed_c1)"
            )
        if not len(self.coordinates) == len(self.indices) == len(self.maps):
            raise VerifyException(
                f"{self.name}: {len(self.coordinates)} coordinates and {len(self.maps)} index maps for "
                f"{len(self.indices)} index tensors (placed_c2)"
            )
        for name, operand, affine in zip(self.coordinates, self.indices, self.index_maps, strict=True):
            axes = range(len(affine.results))
            what = f"the index tensor of {name.data}"
            self._verify_inside(what, tensor_type(operand), affine, axes, len(self.dims), "placed_c2")
        data, place = tensor_type(self.data), self.place.data
        coordinates = [axis for axis, e in enumerate(place.results) if self._is_coordinate(e)]
        others = [axis for axis in range(len(place.results)) if axis not in coordinates]
        self._verify_inside("data", data, place, others, len(self.dims) + len(self.indices), "placed_c3")
        used = [e.position for e in place.results if isinstance(e, AffineDimExpr) and self._is_coordinate(e)]
        if sorted(used) != list(range(len(self.dims), len(self.dims) + len(self.indices))):
            raise VerifyException(f"{self.name}: each coordinate must be the subscript of one axis (placed_c4)")
        if 0 not in sizes and any(data.get_shape()[axis] == 0 for axis in coordinates):
            raise VerifyException(
                f"{self.name}: a coordinate subscripts an axis of {data} without elements (placed_c4)"
            )

    def _is_coordinate(self, expr: AffineExpr) -> bool:
        return isinstance(expr, AffineDimExpr) and expr.position >= len(self.dims)

    def _verify_inside(
        self, what: str, operand: Tensor, affine: AffineMap, axes: Sequence[int], num_dims: int, constraint: str
    ) -> None:
        if affine.num_dims != num_dims or affine.num_symbols:
            raise VerifyException(
                f"{self.name}: the map of {what} is over {affine.num_dims} dims, required {num_dims} ({constraint})"
            )
        if len(affine.results) != operand.get_num_dims():
            raise VerifyException(f"{self.name}: {len(affine.results)} subscripts for {what}, {operand} ({constraint})")
        for axis in axes:
            subscript, extent = affine.results[axis], operand.get_shape()[axis]
            if any(dim >= len(self.dims) for dim in subscript.used_dims()):
                raise VerifyException(
                    f"{self.name}: subscript {axis} of {what} computes with a coordinate; required: dims ({constraint})"
                )
            if 0 in self.dim_sizes:
                continue
            low, high = affine_bounds(subscript, self.dim_sizes)
            if low < 0 or high >= extent:
                raise VerifyException(
                    f"{self.name}: subscript {axis} of {what} runs from {low} to {high}, outside of {operand} "
                    f"({constraint})"
                )

    # -- syntax -----------------------------------------------------------------------------------------------------

    def print_places(self, printer: Printer) -> None:
        """Print `%data[b, i, n] at (i = %indices[m]) over (b: 1, m: 16, n: 64)`."""
        dims, coordinates = self.dim_names, tuple(c.data for c in self.coordinates)

        def access(operand: SSAValue, affine: AffineMap) -> None:
            printer.print_ssa_value(operand)
            printer.print_string("[")
            printer.print_list(
                affine.results,
                lambda e: print_affine_expr(
                    e,
                    printer.print_string,
                    lambda i: printer.print_identifier_or_string_literal((*dims, *coordinates)[i]),
                ),
            )
            printer.print_string("]")

        def coordinate(entry: tuple[str, SSAValue, AffineMap]) -> None:
            printer.print_identifier_or_string_literal(entry[0])
            printer.print_string(" = ")
            access(entry[1], entry[2])

        access(self.data, self.place.data)
        printer.print_string(" at (")
        printer.print_list(zip(coordinates, self.indices, self.index_maps, strict=True), coordinate)
        sizes = ", ".join(f"{name}: {size}" for name, size in zip(dims, self.dim_sizes, strict=True))
        printer.print_string(f") over ({sizes})")
        own = {name: p for name, p in self.properties.items() if name not in _PLACES and name != "kind"}
        printer.print_op_attributes({**own, **self.attributes})

    @classmethod
    def parse_places(
        cls, parser: Parser
    ) -> tuple[UnresolvedOperand, list[UnresolvedOperand], dict[str, Attribute], dict[str, Attribute]]:
        """Parse what `print_places` prints: data, index tensors, the properties that say where points are, attributes.

        Subscripts name dims before these are declared, so names are numbered by first use, and renumbered at the end.
        """
        seen: list[str] = []

        def leaf() -> AffineExpr | None:
            name = parser.parse_optional_identifier()
            if name is None:
                return None
            if name not in seen:
                seen.append(name)
            return AffineExpr.dimension(seen.index(name))

        def access() -> tuple[UnresolvedOperand, list[AffineExpr]]:
            operand = parser.parse_unresolved_operand()
            square = parser.Delimiter.SQUARE
            return operand, parser.parse_comma_separated_list(square, lambda: parse_affine_expr(parser, leaf))

        def coordinate() -> tuple[str, UnresolvedOperand, list[AffineExpr]]:
            name = parser.parse_identifier("the name of a coordinate")
            parser.parse_punctuation("=")
            return name, *access()

        def dim() -> tuple[str, int]:
            name = parser.parse_identifier("the name of a dim")
            parser.parse_punctuation(":")
            return name, parser.parse_integer(allow_boolean=False)

        data, place = access()
        parser.parse_keyword("at")
        entries = parser.parse_comma_separated_list(parser.Delimiter.PAREN, coordinate)
        position = parser.pos
        parser.parse_keyword("over")
        dims = parser.parse_comma_separated_list(parser.Delimiter.PAREN, dim)
        order = [*(name for name, _ in dims), *(name for name, _, _ in entries)]
        for name in seen:
            if name not in order:
                parser.raise_error(
                    f"subscript '{name}' is not one of the dims and coordinates {', '.join(order)}",
                    at_position=position,
                )
        renumber = [AffineExpr.dimension(order.index(name)) for name in seen]

        def renumbered(row: Sequence[AffineExpr]) -> list[AffineExpr]:
            return [e.replace_dims_and_symbols(renumber, []) for e in row]

        coordinates = [(name, renumbered(row)) for name, _, row in entries]
        properties = cls.properties_of(renumbered(place), coordinates, dims)
        return data, [operand for _, operand, _ in entries], properties, parser.parse_optional_attr_dict()


_PLACES = ("dims", "sizes", "coordinates", "maps", "place")
"""The properties that `properties_of` gives."""


def expect_shape(op: PlacedOp, what: str, found: Tensor, constraint: str) -> None:
    """A tensor with one element per point, of the element type of the data.

    Raises:
        VerifyException: it is another.
    """
    expected: TensorType[Any] = TensorType(tensor_type(op.data).element_type, op.dim_sizes)
    if found != expected:
        raise VerifyException(f"{op.name}: {what} {found}, the dims and the data give {expected} ({constraint})")
