"""Attributes of StableHLO with named parts, such as the dimension numbers of a gather."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.kept_text import attribute_kept_as_text

Ints = ArrayAttr[IntAttr]


def int_list(values: Sequence[int]) -> Ints:
    """Numbers as a part of an attribute."""
    return ArrayAttr([IntAttr(v) for v in values])


class NamedParts(ParametrizedAttribute):
    """Parts by name, lists of integers or single ones; those that are empty or 0 may be left out.

    `#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>`
    """

    LISTS: ClassVar[tuple[str, ...]] = ()
    """The names of parts that are lists, in the order in which they are written."""
    NUMBERS: ClassVar[tuple[str, ...]] = ()
    """The names of those that are one number, which are written last."""
    WRITTEN_EMPTY: ClassVar[bool] = False
    """Whether empty parts are written."""

    @classmethod
    def of(cls, **parts: Sequence[int] | int) -> Self:
        """The attribute of these parts; those that are not named are empty, or 0."""
        lists = [int_list(cast("Sequence[int]", parts.get(name, ()))) for name in cls.LISTS]
        return cls.new([*lists, *(IntAttr(cast(int, parts.get(name, 0))) for name in cls.NUMBERS)])

    def ints(self, name: str) -> tuple[int, ...]:
        """A part that is a list."""
        return tuple(i.data for i in cast(Ints, getattr(self, name)))

    def number(self, name: str) -> int:
        """A part that is one number."""
        return cast(IntAttr, getattr(self, name)).data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        parts: dict[str, Sequence[int] | int] = {}

        def part() -> None:
            start = parser.pos
            name = parser.parse_identifier()
            if name not in (*cls.LISTS, *cls.NUMBERS) or name in parts:
                known = ", ".join((*cls.LISTS, *cls.NUMBERS))
                parser.raise_error(f"expected a part of #{cls.name} ({known}), each once, got '{name}'", start)
            parser.parse_punctuation("=")
            if name in cls.NUMBERS:
                parts[name] = parser.parse_integer()
            else:
                parts[name] = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)

        parser.parse_punctuation("<")
        while parser.parse_optional_punctuation(">") is None:
            part()
            if parser.parse_optional_punctuation(",") is None:  # one may stand after the last part, too
                parser.parse_punctuation(">")
                break
        return list(cls.of(**parts).parameters)

    def print_parameters(self, printer: Printer) -> None:
        written = [(n, f"[{', '.join(map(str, self.ints(n)))}]") for n in self.LISTS if self._is_written(self.ints(n))]
        written += [(n, str(self.number(n))) for n in self.NUMBERS if self._is_written(self.number(n))]
        printer.print_string(f"<{', '.join(f'{name} = {value}' for name, value in written)}>")

    def _is_written(self, part: Sequence[int] | int) -> bool:
        return bool(part) or self.WRITTEN_EMPTY


@irdl_attr_definition
class DotAttr(NamedParts):
    """Which dims of two tensors are paired, and which of those are summed over."""

    name = "stablehlo.dot"
    LISTS: ClassVar[tuple[str, ...]] = (
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
    )
    lhs_batching_dimensions: Ints = param_def()
    rhs_batching_dimensions: Ints = param_def()
    lhs_contracting_dimensions: Ints = param_def()
    rhs_contracting_dimensions: Ints = param_def()


@irdl_attr_definition
class GatherAttr(NamedParts):
    """What the dims of a gather's operands and result stand for."""

    name = "stablehlo.gather"
    LISTS: ClassVar[tuple[str, ...]] = (
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
    )
    NUMBERS: ClassVar[tuple[str, ...]] = ("index_vector_dim",)
    offset_dims: Ints = param_def()
    collapsed_slice_dims: Ints = param_def()
    operand_batching_dims: Ints = param_def()
    start_indices_batching_dims: Ints = param_def()
    start_index_map: Ints = param_def()
    index_vector_dim: IntAttr = param_def()


@irdl_attr_definition
class ScatterAttr(NamedParts):
    """What the dims of a scatter's operands stand for."""

    name = "stablehlo.scatter"
    LISTS: ClassVar[tuple[str, ...]] = (
        "update_window_dims",
        "inserted_window_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
        "scatter_dims_to_operand_dims",
    )
    NUMBERS: ClassVar[tuple[str, ...]] = ("index_vector_dim",)
    update_window_dims: Ints = param_def()
    inserted_window_dims: Ints = param_def()
    input_batching_dims: Ints = param_def()
    scatter_indices_batching_dims: Ints = param_def()
    scatter_dims_to_operand_dims: Ints = param_def()
    index_vector_dim: IntAttr = param_def()


@irdl_attr_definition
class ChannelHandleAttr(NamedParts):
    """A channel between processes: its number, and what kind of ends it has."""

    name = "stablehlo.channel_handle"
    NUMBERS: ClassVar[tuple[str, ...]] = ("handle", "type")
    WRITTEN_EMPTY: ClassVar[bool] = True
    handle: IntAttr = param_def()
    type: IntAttr = param_def()


@irdl_attr_definition
class OutputOperandAliasAttr(ParametrizedAttribute):
    """A result of a foreign function that lies where an operand did.

    `#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>`
    """

    name = "stablehlo.output_operand_alias"
    output_tuple_indices: Ints = param_def()
    operand_index: IntAttr = param_def()
    operand_tuple_indices: Ints = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        def named(name: str) -> None:
            parser.parse_keyword(name)
            parser.parse_punctuation("=")

        def numbers() -> Ints:
            return int_list(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))

        with parser.in_angle_brackets():
            named("output_tuple_indices")
            output = numbers()
            parser.parse_punctuation(",")
            named("operand_index")
            index = IntAttr(parser.parse_integer())
            parser.parse_punctuation(",")
            named("operand_tuple_indices")
            return [output, index, numbers()]

    def print_parameters(self, printer: Printer) -> None:
        def numbers(part: Ints) -> str:
            return ", ".join(str(i.data) for i in part)

        printer.print_string(
            f"<output_tuple_indices = [{numbers(self.output_tuple_indices)}], operand_index = "
            f"{self.operand_index.data}, operand_tuple_indices = [{numbers(self.operand_tuple_indices)}]>"
        )


@irdl_attr_definition
class ConvAttr(ParametrizedAttribute):
    """What the dims of an image, a kernel and a result of a convolution stand for, a letter or the number of a spatial
    dim each: `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`.
    """

    name = "stablehlo.conv"
    input: Ints = param_def()
    kernel: Ints = param_def()
    output: Ints = param_def()

    LETTERS: ClassVar[tuple[str, str, str]] = ("bf", "io", "bf")
    """What is not a spatial dim, per tensor: the first letter is -1 in the parts, the second -2."""

    def dims(self, which: int, letter: str) -> int:
        """Where the dim of this letter stands in the input, the kernel or the output (0, 1 or 2)."""
        return self._numbers(which).index(-1 - self.LETTERS[which].index(letter))

    def spatial(self, which: int) -> tuple[int, ...]:
        """Where the spatial dims stand in one of the three, in order."""
        numbers = self._numbers(which)
        return tuple(numbers.index(i) for i in range(len(numbers) - 2))

    def _numbers(self, which: int) -> list[int]:
        return [i.data for i in (self.input, self.kernel, self.output)[which]]

    def verify(self) -> None:
        for i, part in enumerate((self.input, self.kernel, self.output)):
            found = sorted(n.data for n in part)
            if found != list(range(-2, len(found) - 2)):
                a, b = self.LETTERS[i]
                raise VerifyException(
                    f"#{self.name}: the dims of {('the input', 'the kernel', 'the result')[i]} are {a}, {b} and the "
                    f"numbers from 0 on, each once; found {self._written(i)}"
                )

    def _written(self, which: int) -> str:
        return f"[{', '.join(self.LETTERS[which][-1 - n] if n < 0 else str(n) for n in self._numbers(which))}]"

    def __str__(self) -> str:
        return f"{self._written(0)}x{self._written(1)}->{self._written(2)}"

    @classmethod
    def parse_dims(cls, parser: AttrParser) -> list[Attribute]:
        """The parts, as they stand in the form of a convolution too."""

        def part(letters: str) -> Ints:
            def dim() -> int:
                start = parser.pos
                if (letter := parser.parse_optional_identifier()) is not None:
                    if letter not in letters:
                        parser.raise_error(f"expected {' or '.join(letters)}, or a number, got '{letter}'", start)
                    return -1 - letters.index(letter)
                if parser.parse_optional_punctuation("?"):
                    parser.raise_error("dims that stand for nothing are not supported", start)
                return parser.parse_integer(allow_negative=False, allow_boolean=False)

            return int_list(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, dim))

        image = part(cls.LETTERS[0])
        parser.parse_keyword("x")
        kernel = part(cls.LETTERS[1])
        parser.parse_punctuation("->")
        return [image, kernel, part(cls.LETTERS[2])]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            if parser.parse_optional_keyword("raw"):
                parser.raise_error("the raw form of #stablehlo.conv is not supported")
            return cls.parse_dims(parser)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self}>")


KEPT = tuple(
    attribute_kept_as_text(f"stablehlo.{name}")
    for name in ("dot_algorithm", "bounds", "result_accuracy", "type_extensions", "replica_group_mesh_axes", "axis_ref")
)
"""What is carried along as it is written: none of it changes what is computed."""
PARTS = (DotAttr, GatherAttr, ScatterAttr, ChannelHandleAttr, OutputOperandAliasAttr, ConvAttr)
