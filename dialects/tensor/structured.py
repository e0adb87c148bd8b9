"""What the structured ops share: an iteration space, and one affine index map per operand.

A structured op computes every point of its result from points of its operands:

    %r = tensor.reduce add %x[m, k] over (m: 64) reduce (k: 784) : tensor<64x784xf32> -> tensor<64xf32>

`over` dims are parallel and index the result, in order; `reduce` dims are combined away. Passes work on this interface
(`StructuredOp`), so that an op that implements it works with all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, IntegerType, StringAttr, TensorType, i64
from xdsl.dialects.tensor import YieldOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, prop_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.affine_syntax import parse_affine_expr, print_affine_expr
from mlc.support.affine import affine_bounds
from mlc.support.dtypes import unsigned
from mlc.support.types import Tensor, element_type, tensor_type


def _maximum(accumulator: SSAValue, point: SSAValue) -> Operation:
    return arith.MaximumfOp(point, accumulator, _EITHER_ZERO)


def _minimum(accumulator: SSAValue, point: SSAValue) -> Operation:
    return arith.MinimumfOp(point, accumulator, _EITHER_ZERO)


def _maxnum(accumulator: SSAValue, point: SSAValue) -> Operation:
    return arith.MaxnumfOp(point, accumulator, _EITHER_ZERO)


def _of_floats(accumulator: SSAValue, point: SSAValue) -> Operation:
    raise AssertionError("the verifier refuses integers that are combined as floats with NaN")


def _of_integers(accumulator: SSAValue, point: SSAValue) -> Operation:
    raise AssertionError("the verifier refuses floats that are combined as unsigned integers")


# Of two zeros with different signs any is the greatest. The point comes first: x86 tests that operand for NaN, so the
# test is not in the chain from one accumulator to the next.
_EITHER_ZERO = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])

# The op that combines two points, for floats and for integers.
_COMBINE: dict[str, tuple[Callable[[SSAValue, SSAValue], Operation], Callable[[SSAValue, SSAValue], Operation]]] = {
    "add": (arith.AddfOp, arith.AddiOp),
    "mul": (arith.MulfOp, arith.MuliOp),
    "max": (_maximum, arith.MaxSIOp),
    "min": (_minimum, arith.MinSIOp),
    "maxnum": (_maxnum, _of_floats),
    "maxui": (_of_integers, arith.MaxUIOp),
    "minui": (_of_integers, arith.MinUIOp),
}
REDUCTIONS = tuple(_COMBINE)
OF_INTEGERS = ("maxui", "minui")
"""The reductions that read integers as unsigned, of which floats have none."""
OF_FLOATS = ("maxnum",)
"""The reductions in which NaN loses, which integers do not have: of NaN alone they give what they start from, -inf."""


def check_elements(op: Operation, kind: str, element: Attribute, constraint: str) -> None:
    """Require that a reduction of this kind is one of elements of this type.

    Raises:
        VerifyException: it reads unsigned integers or NaN, and there are none.
    """
    is_integer = isinstance(element, IntegerType)
    if kind in OF_INTEGERS and not is_integer:
        raise VerifyException(
            f"{op.name}: '{kind}' combines unsigned integers, found elements of type {element}; "
            f"use '{kind.removesuffix('ui')}' ({constraint})"
        )
    if kind in OF_FLOATS and is_integer:
        raise VerifyException(
            f"{op.name}: '{kind}' leaves out NaN, found elements of type {element}; "
            f"use '{kind.removesuffix('num')}' ({constraint})"
        )


def combine(kind: str, accumulator: SSAValue, point: SSAValue) -> Operation:
    """The op that combines one more point into an accumulator; the kind is one of `REDUCTIONS`."""
    return _COMBINE[kind][isinstance(accumulator.type, IntegerType)](accumulator, point)


class StructuredOp(IRDLOperation, ABC):
    """An op over an iteration space.

    Constraints, in the order in which they are checked:
      structured_c1: as many sizes as dims, all positive, dim names distinct
      structured_c2: one index map per operand, over exactly the dims of the op
      structured_c3: a map has one subscript per dim of its operand
      structured_c4: subscripts stay inside their operand for every point
      structured_c5: the result's shape is the sizes of the `over` dims
    """

    inputs = var_operand_def(TensorType)
    result = result_def(TensorType)
    dims = prop_def(ArrayAttr[StringAttr])
    sizes = prop_def(DenseArrayBase.constr(i64))
    maps = prop_def(ArrayAttr[AffineMapAttr])

    traits = traits_def(Pure())

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        subscripts: Sequence[Sequence[AffineExpr]],
        dims: Sequence[tuple[str, int]],
        result_type: Attribute,
        properties: Mapping[str, Attribute | None] | None = None,
        regions: Sequence[Region] = (),
    ) -> None:
        """
        Args:
            inputs: tensors.
            subscripts: where each of them is read, over `dims`.
            dims: names and sizes, those that index the result first, then those that are reduced.
            result_type: a tensor with the sizes of the former.
            properties: those that the op has of its own.
            regions: likewise.
        """
        super().__init__(
            operands=[inputs],
            result_types=[result_type],
            properties={**(properties or {}), **self.properties_of(subscripts, dims)},
            regions=regions,
        )

    # -- the interface that passes use ------------------------------------------------------------------------------

    @property
    def dim_names(self) -> tuple[str, ...]:
        """The names of all dims, `over` dims first."""
        return tuple(d.data for d in self.dims)

    @property
    def dim_sizes(self) -> tuple[int, ...]:
        """The extents of all dims, `over` dims first."""
        return self.sizes.get_values()

    @property
    def num_parallel(self) -> int:
        """How many of the dims index the result."""
        return tensor_type(self.result).get_num_dims()

    @property
    def index_maps(self) -> tuple[AffineMap, ...]:
        """For each operand, the map from dims to its subscripts."""
        return tuple(m.data for m in self.maps)

    @property
    def reduction(self) -> str | None:
        """How points are combined over the `reduce` dims: one of `REDUCTIONS`; None where there are no such dims."""
        return None

    @property
    def contracts(self) -> bool:
        """Whether it sums products: each point is one element of the first operand times one of the second.

        So it is linear in each of them, and its elements are read again and again. Schedules keep a tile of results in
        registers for such an op; `sink-factors` takes factors out of it.
        """
        return False

    @property
    def unsigned_operands(self) -> tuple[int, ...]:
        """The operands whose integers are read as unsigned ones and widened, if it sums products."""
        return ()

    @property
    def read_types(self) -> tuple[Attribute, ...]:
        """The element types of the operands, with the sign that integers are read with."""
        elements = [element_type(v.type) for v in self.inputs]
        return tuple(unsigned(e) if n in self.unsigned_operands else e for n, e in enumerate(elements))

    @property
    def moves(self) -> bool:
        """Whether each point of the result is the element of the only operand that it reads, and nothing else."""
        return False

    @abstractmethod
    def emit_point(self, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        """The scalar ops that compute one point from one element of each operand, and the point."""

    def emit_step(self, accumulator: SSAValue, values: Sequence[SSAValue]) -> tuple[list[Operation], SSAValue]:
        """The scalar ops that combine one more point into `accumulator`, and the new accumulator."""
        assert self.reduction is not None
        ops, point = self.emit_point(values)
        combined = combine(self.reduction, accumulator, point)
        return [*ops, combined], combined.results[0]

    def set_iteration(self, subscripts: Sequence[Sequence[AffineExpr]], dims: Sequence[tuple[str, int]]) -> None:
        """Let the op run over other dims, and read its operands at other subscripts."""
        for name, value in self.properties_of(subscripts, dims).items():
            assert value is not None
            self.properties[name] = value

    def point_block(self) -> Block:
        """What `emit_point` does, as a block: an argument for one element of each operand, and the point yielded."""
        block = Block(arg_types=[element_type(v.type) for v in self.inputs])
        ops, point = self.emit_point(block.args)
        block.add_ops([*ops, YieldOp(point)])
        return block

    # -- verification -----------------------------------------------------------------------------------------------

    def verify_(self) -> None:
        names, sizes = self.dim_names, self.dim_sizes
        if len(names) != len(sizes) or len(set(names)) != len(names) or any(s < 1 for s in sizes):
            raise VerifyException(
                f"{self.name}: dims must have distinct names and positive sizes, got "
                f"{', '.join(names)} of sizes {', '.join(map(str, sizes))} (structured_c1)"
            )
        if len(self.maps) != len(self.inputs):
            raise VerifyException(
                f"{self.name}: {len(self.maps)} index maps for {len(self.inputs)} operands (structured_c2)"
            )
        for number, (operand, affine) in enumerate(zip(self.inputs, self.index_maps, strict=True)):
            self._verify_access(number, tensor_type(operand), affine)
        expected = sizes[: self.num_parallel]
        found = tensor_type(self.result).get_shape()
        if tuple(found) != tuple(expected) or (self.reduction is None and len(sizes) != self.num_parallel):
            raise VerifyException(
                f"{self.name}: the result has shape {_shape(found)}, the dims that it is computed over "
                f"have sizes {_shape(expected)} (structured_c5)"
            )

    def _verify_access(self, number: int, operand: Tensor, affine: AffineMap) -> None:
        if affine.num_dims != len(self.dims) or affine.num_symbols:
            raise VerifyException(
                f"{self.name}: the index map of operand {number} is over {affine.num_dims} dims, "
                f"the op has {len(self.dims)} (structured_c2)"
            )
        if len(affine.results) != operand.get_num_dims():
            raise VerifyException(
                f"{self.name}: {len(affine.results)} subscripts for operand {number} of type {operand} (structured_c3)"
            )
        for axis, (subscript, extent) in enumerate(zip(affine.results, operand.get_shape(), strict=True)):
            low, high = affine_bounds(subscript, self.dim_sizes)
            if low < 0 or high >= extent:
                raise VerifyException(
                    f"{self.name}: subscript {axis} of operand {number} runs from {low} to {high}, "
                    f"outside of {operand} (structured_c4)"
                )

    # -- syntax -----------------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse an iteration, the properties and attributes of the op in braces, types, and the regions."""
        operands, subscripts, dims = cls.parse_iteration(parser)
        attributes = parser.parse_optional_attr_dict()
        inputs, result_type = cls.parse_types(parser, operands)
        definition = cls.get_irdl_definition()
        own = {name: attributes.pop(name) for name in definition.properties if name in attributes}
        iteration = {name: value for name, value in cls.properties_of(subscripts, dims).items() if value is not None}
        return cls.create(
            operands=inputs,
            result_types=[result_type],
            properties={**own, **iteration},
            attributes=attributes,
            regions=[parser.parse_region() for _ in definition.regions],
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        self.print_iteration(printer)
        for region in self.regions:
            printer.print_string(" ")
            printer.print_region(region)

    @classmethod
    def parse_iteration(
        cls, parser: Parser
    ) -> tuple[list[UnresolvedOperand], list[list[AffineExpr]], list[tuple[str, int]]]:
        """Parse `%x[m, k], %w[k, n] over (m: 64, n: 200) reduce (k: 784)`.

        Subscripts name dims before these are declared, so dims are numbered by first use, and renumbered at the end.
        """
        seen: dict[str, tuple[int, int]] = {}  # the number of each name, and where it stands first

        def leaf() -> AffineExpr | None:
            position = parser.pos
            name = parser.parse_optional_identifier()
            if name is None:
                return None
            number, _ = seen.setdefault(name, (len(seen), position))
            return AffineExpr.dimension(number)

        operands: list[UnresolvedOperand] = []
        subscripts: list[list[AffineExpr]] = []
        while (operand := parser.parse_optional_unresolved_operand()) is not None:
            operands.append(operand)
            subscripts.append(
                parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_affine_expr(parser, leaf))
            )
            if not parser.parse_optional_punctuation(","):
                break
        parser.parse_keyword("over")
        dims = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_dim(parser))
        if parser.parse_optional_keyword("reduce"):
            dims += parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_dim(parser))
        order = [name for name, _ in dims]
        for name, (_, position) in seen.items():
            if name not in order:
                parser.raise_error(
                    f"subscript '{name}' is not one of the dims {', '.join(order)}", position, position + len(name)
                )
        renumber = [AffineExpr.dimension(order.index(name)) for name in seen]
        subscripts = [[e.replace_dims_and_symbols(renumber, []) for e in row] for row in subscripts]
        return operands, subscripts, dims

    @classmethod
    def parse_types(cls, parser: Parser, operands: Sequence[UnresolvedOperand]) -> tuple[Sequence[SSAValue], Attribute]:
        """Parse `: types of operands -> type of result`."""
        parser.parse_punctuation(":")
        position = parser.pos
        types: list[Attribute] = []
        if operands:
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            parser.parse_punctuation("->")
        return parser.resolve_operands(operands, types, position), parser.parse_type()

    def print_iteration(self, printer: Printer, printed: Container[str] = ()) -> None:
        """Print what `parse_iteration`, `parse_optional_attr_dict` and `parse_types` read.

        `printed` are the properties of the op that its syntax has elsewhere.
        """
        names, sizes = self.dim_names, self.dim_sizes
        for number, (operand, affine) in enumerate(zip(self.inputs, self.index_maps, strict=True)):
            printer.print_string(", " if number else " ")
            printer.print_ssa_value(operand)
            printer.print_string("[")
            for position, subscript in enumerate(affine.results):
                printer.print_string(", " if position else "")
                print_affine_expr(
                    subscript, printer.print_string, lambda i: printer.print_identifier_or_string_literal(names[i])
                )
            printer.print_string("]")
        split = self.num_parallel
        for keyword, begin, end in (("over", 0, split), ("reduce", split, len(names))):
            if keyword == "over" or begin < end:
                inside = ", ".join(f"{n}: {s}" for n, s in zip(names[begin:end], sizes[begin:end], strict=True))
                printer.print_string(f" {keyword} ({inside})")
        own = {name: p for name, p in self.properties.items() if name not in _ITERATION and name not in printed}
        printer.print_op_attributes({**own, **self.attributes})
        printer.print_string(" : ")
        if self.inputs:
            printer.print_list(self.inputs, lambda v: printer.print_attribute(v.type))
            printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    @staticmethod
    def properties_of(
        subscripts: Sequence[Sequence[AffineExpr]], dims: Sequence[tuple[str, int]]
    ) -> dict[str, Attribute | None]:
        """The properties that describe an iteration space."""
        return {
            "dims": ArrayAttr(StringAttr(name) for name, _ in dims),
            "sizes": DenseArrayBase.from_list(i64, [size for _, size in dims]),
            "maps": ArrayAttr(AffineMapAttr(AffineMap(len(dims), 0, tuple(row))) for row in subscripts),
        }


_ITERATION = ("dims", "sizes", "maps")
"""The properties that `properties_of` gives."""


def is_identity(affine: AffineMap, num_parallel: int) -> bool:
    """Whether `affine` reads exactly the point that is computed: subscripts d0, d1, … of the `over` dims."""
    return affine.results == tuple(AffineExpr.dimension(i) for i in range(num_parallel))


def _parse_dim(parser: Parser) -> tuple[str, int]:
    name = parser.parse_identifier("the name of a dim")
    parser.parse_punctuation(":")
    return name, parser.parse_integer(allow_boolean=False)


def _shape(sizes: Sequence[Any]) -> str:
    return "x".join(map(str, sizes)) or "scalar"
