"""The sdy dialect: how tensors are spread over devices (openxla.org/shardy). mlc reads it and looks into none of it:
all that it compiles runs on one machine.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SymbolOpInterface

from mlc.dialects.kept_text import KeptAsText, attribute_kept_as_text

_NAMES = "mesh sharding sharding_per_value op_sharding_rule manual_axes axis_ref tensor_sharding propagation_direction"
_KEPT = {name: attribute_kept_as_text(f"sdy.{name}") for name in _NAMES.split()}


@irdl_op_definition
class MeshOp(IRDLOperation):
    """The axes of devices.

    ```mlir
    sdy.mesh @mesh = <["x"=2]>
    ```
    """

    name = "sdy.mesh"
    sym_name = prop_def(StringAttr)
    mesh = prop_def(_KEPT["mesh"])
    traits = traits_def(SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> MeshOp:
        name = parser.parse_symbol_name()
        parser.parse_punctuation("=")
        properties = {"sym_name": name, "mesh": _kept(parser, "mesh")}
        return cls.create(properties=properties, attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" = ")
        _print_kept(printer, self.mesh)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ShardingConstraintOp(IRDLOperation):
    """A tensor, and how it is to be spread.

    ```mlir
    %y = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    ```
    """

    name = "sdy.sharding_constraint"
    input = operand_def()
    sharding = prop_def(_KEPT["sharding"])
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ShardingConstraintOp:
        operand = parser.parse_unresolved_operand()
        sharding = _kept(parser, "sharding")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        value = parser.resolve_operand(operand, kind)
        return cls.create(
            operands=[value], result_types=[kind], properties={"sharding": sharding}, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        printer.print_string(" ")
        _print_kept(printer, self.sharding)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


def _kept(parser: Parser, name: str) -> Attribute:
    kind = _KEPT[name]
    return kind.new(kind.parse_parameters(parser))


def _print_kept(printer: Printer, kept: Attribute) -> None:
    assert isinstance(kept, KeptAsText)
    kept.print_parameters(printer)


Sdy = Dialect("sdy", [MeshOp, ShardingConstraintOp], [*_KEPT.values()])

__all__ = ["MeshOp", "Sdy", "ShardingConstraintOp"]
