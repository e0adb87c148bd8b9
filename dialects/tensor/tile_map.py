"""A map that computes several points at a time."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, StringAttr, TensorType, i64
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

from mlc.support.affine import affine_bounds, split_terms
from mlc.support.types import element_type, tensor_type


@irdl_op_definition
class TileMapOp(IRDLOperation):
    """Computes a tile of points of the result from several elements of operands: transforms of windows.

    The body has an argument for each operand, which is read where its map in `maps` says, and yields a number for each
    map in `places`, which says where in the result that goes. What falls outside of the result is left out. So work
    that points share is done once for all of them.

    ```mlir
    %y = "tensor.tile_map"(%x, %x) <{
      dims = ["m"], sizes = array<i64: 3>,
      maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>],
      places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>]
    }> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      %d = arith.subf %a, %b : f32
      tensor.yield %s, %d : f32, f32
    }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<5xf32>
    ```

    Constraints:
      tile_map_c1: as many sizes as dims, all positive, and one map per operand, over these dims
      tile_map_c2: subscripts stay inside their operand
      tile_map_c3: the body takes an element of each operand and yields one of the result for each place
      tile_map_c4: each subscript of a place is a dim times a factor plus an offset below it, or a number
      tile_map_c5: each element of the result has one place
    """

    name = "tensor.tile_map"
    inputs = var_operand_def(TensorType)
    result = result_def(TensorType)
    dims = prop_def(ArrayAttr[StringAttr])
    sizes = prop_def(DenseArrayBase.constr(i64))
    maps = prop_def(ArrayAttr[AffineMapAttr])
    places = prop_def(ArrayAttr[AffineMapAttr])
    body = region_def("single_block")

    traits = traits_def(Pure(), SingleBlockImplicitTerminator(YieldOp))

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        subscripts: Sequence[Sequence[AffineExpr]],
        dims: Sequence[tuple[str, int]],
        places: Sequence[Sequence[AffineExpr]],
        result_type: Attribute,
        body: Region,
    ) -> None:
        """
        Args:
            inputs: what is read, once for each element that the body takes.
            subscripts: where, over the dims.
            dims: names and sizes.
            places: where each number that the body yields goes in the result.
            result_type: a tensor.
            body: takes scalars, yields scalars.
        """
        super().__init__(
            operands=[inputs],
            result_types=[result_type],
            properties={
                "dims": ArrayAttr(StringAttr(name) for name, _ in dims),
                "sizes": DenseArrayBase.from_list(i64, [size for _, size in dims]),
                "maps": ArrayAttr(AffineMapAttr(AffineMap(len(dims), 0, tuple(row))) for row in subscripts),
                "places": ArrayAttr(AffineMapAttr(AffineMap(len(dims), 0, tuple(row))) for row in places),
            },
            regions=[body],
        )

    @property
    def dim_names(self) -> tuple[str, ...]:
        """The names of the dims."""
        return tuple(d.data for d in self.dims)

    @property
    def dim_sizes(self) -> tuple[int, ...]:
        """The extents of the dims."""
        return self.sizes.get_values()

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """What the body computes."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.arguments

    def place_terms(self, place: AffineMap) -> list[tuple[int | None, int, int]]:
        """For each axis of the result: the dim, its factor, and the offset.

        Raises:
            VerifyException: a subscript is something else (tile_map_c4).
        """
        found: list[tuple[int | None, int, int]] = []
        for subscript in place.results:
            terms = dict(split_terms(subscript))
            offset = subscript.eval([0] * place.num_dims, [])
            used = sorted(subscript.used_dims())
            factor = terms.get(used[0]) if len(used) == 1 else None
            if used and (factor is None or not 0 <= offset < factor):
                raise VerifyException(
                    f"{self.name}: the subscript {subscript} of a place is not a dim times a factor plus less than it "
                    "(tile_map_c4)"
                )
            found.append((used[0], factor or 0, offset) if used else (None, 0, offset))
        return found

    def verify_(self) -> None:
        sizes = self.dim_sizes
        if len(self.dims) != len(sizes) or any(s < 1 for s in sizes) or len(self.maps) != len(self.inputs):
            raise VerifyException(
                f"{self.name}: {len(self.dims)} dims, {len(sizes)} sizes, {len(self.inputs)} operands and "
                f"{len(self.maps)} maps do not go together (tile_map_c1)"
            )
        for operand, attribute in zip(self.inputs, self.maps, strict=True):
            affine, shape = attribute.data, tensor_type(operand).get_shape()
            if affine.num_dims != len(sizes) or len(affine.results) != len(shape):
                raise VerifyException(f"{self.name}: {affine} does not read {operand.type} (tile_map_c1)")
            for subscript, extent in zip(affine.results, shape, strict=True):
                low, high = affine_bounds(subscript, sizes)
                if low < 0 or high >= extent:
                    raise VerifyException(
                        f"{self.name}: a subscript runs from {low} to {high}, outside of {operand.type} (tile_map_c2)"
                    )
        element = element_type(self.result.type)
        taken = [a.type for a in self.body.block.args]
        if taken != [element_type(v.type) for v in self.inputs] or [v.type for v in self.yielded] != [element] * len(
            self.places
        ):
            raise VerifyException(
                f"{self.name}: the body has to take an element of each operand and to yield {len(self.places)} of "
                f"type {element} (tile_map_c3)"
            )
        self._verify_places()

    def _verify_places(self) -> None:
        shape = tensor_type(self.result).get_shape()
        places = [self.place_terms(place.data) for place in self.places]
        total = 0
        for number, place in enumerate(places):
            dims = [dim for dim, _, _ in place if dim is not None]
            apart = all(any(_differ(a, b) for a, b in zip(place, other, strict=True)) for other in places[:number])
            if len(place) != len(shape) or sorted(dims) != list(range(len(self.dims))) or not apart:
                raise VerifyException(f"{self.name}: an element of the result may have two places (tile_map_c5)")
            total += prod(
                sum(factor * i + offset < extent for i in range(1 if dim is None else self.dim_sizes[dim]))
                for (dim, factor, offset), extent in zip(place, shape, strict=True)
            )
        if total != prod(shape):
            raise VerifyException(f"{self.name}: {total} places for the {prod(shape)} elements (tile_map_c5)")


def _differ(a: tuple[int | None, int, int], b: tuple[int | None, int, int]) -> bool:
    """Whether two subscripts, of one dim by one factor, never meet: offsets are less than the factor."""
    return a[:2] == b[:2] and a[2] != b[2]
