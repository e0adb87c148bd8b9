"""Calls of foreign functions, tuples, tokens, and what processes say to each other.

```mlir
%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {api_version = 4 : i32}
    : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
%1 = stablehlo.tuple %x, %y : tuple<tensor<f32>, tensor<i32>>
%2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<f32>
```
"""

from __future__ import annotations

from typing import Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TupleType,
)
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    BaseAttr,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.dialects.kept_text import type_kept_as_text
from mlc.dialects.stablehlo.attributes import ChannelHandleAttr
from mlc.dialects.stablehlo.base import ANY, ARRAY, BOOL, DENSE, I32, I64, TEXT, UNIT, HloOp, declare
from mlc.dialects.stablehlo.rules import require

TYPES = (type_kept_as_text("stablehlo.token"), type_kept_as_text("stablehlo.future"))
_FUNCTION = "attr-dict `:` functional-type(operands, results)"

declare(
    "custom_call",
    f"$call_target_name `(` $inputs `)` {_FUNCTION}",
    operands="*inputs",
    results="*outcomes",
    properties={"call_target_name": SymbolNameConstraint()},
    optional={
        "has_side_effect": BOOL,
        "backend_config": ANY,
        "api_version": I32,
        "called_computations": ARRAY,
        "operand_layouts": ARRAY,
        "result_layouts": ARRAY,
        "output_operand_aliases": BaseAttr(ArrayAttr),
        "result_tilings": ARRAY,
    },
    traits=(),
)


@irdl_op_definition
class CompositeOp(HloOp):
    """An op with a name of its own, and the function that says what it computes.

    ```mlir
    %y = stablehlo.composite "my.op" %x {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
    ```
    """

    name = "stablehlo.composite"
    inputs = var_operand_def()
    called = prop_def(StringAttr, prop_name="name")
    decomposition = prop_def(SymbolRefAttr)
    composite_attributes = opt_prop_def(DictionaryAttr)
    version = opt_prop_def(I32)
    outcomes = var_result_def()
    composite_regions = var_region_def()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        called = StringAttr(parser.parse_str_literal())
        start = parser.pos
        inputs = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        regions: list[Region] = []
        if parser.parse_optional_punctuation("("):
            regions = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_region)
            parser.parse_punctuation(")")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        if not isinstance(kind, FunctionType):
            parser.raise_error(f"expected the types of operands and results, (…) -> …, got {kind}", start, parser.pos)
        properties: dict[str, Attribute] = {"name": called}
        for part in ("decomposition", "composite_attributes", "version"):
            if part in attributes:
                properties[part] = attributes.pop(part)
        return cls.create(
            operands=parser.resolve_operands(inputs or [], kind.inputs.data, start),
            result_types=kind.outputs.data,
            properties=properties,
            attributes=attributes,
            regions=regions,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{self.called.data}"')
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        if self.regions:
            printer.print_string(" (")
            printer.print_list(self.regions, printer.print_region)
            printer.print_string(")")
        printer.print_op_attributes({n: a for n, a in self.properties.items() if n != "name"} | self.attributes)
        printer.print_string(" : ")
        printer.print_function_type([o.type for o in self.operands], [r.type for r in self.results])


def _element(op: HloOp) -> None:
    """c1: there is such a part; c2: the result is of its type."""
    kind, at = op.operands[0].type, op.number("index")
    require(op, "i1", isinstance(kind, TupleType), f"the operand is {kind}; it has to be a tuple")
    parts = cast(TupleType, kind).types.data
    require(op, 1, 0 <= at < len(parts), f"the index is {at}; the tuple has {len(parts)} parts")
    found = op.results[0].type
    require(op, 2, found == parts[at], f"the result is {found}; part {at} is {parts[at]}")


declare("get_tuple_element", f"$operand `[` $index `]` {_FUNCTION}", properties={"index": I32}, rules=(_element,))
declare("tuple", "$val attr-dict `:` custom<TupleTypes>(type(operands), type(results))", operands="*val")
declare(
    "optimization_barrier",
    "attr-dict custom<PairwiseTypes>($values, type(operands), type(results))",
    operands="*values",
    results="*outcomes",
)
declare(
    "after_all",
    "$inputs attr-dict `:` custom<SameTypes>(type(operands), type(results))",
    operands="*inputs",
    traits=(),
)
declare("create_token", "attr-dict `:` type(results)", operands="", results="output", traits=())
for _name in ("replica_id", "partition_id"):
    declare(_name, "attr-dict `:` type(results)", operands="")

_CHANNEL = BaseAttr(ChannelHandleAttr)
declare("infeed", operands="token", results="*outcomes", optional={"infeed_config": TEXT, "layout": ARRAY}, traits=())
declare("outfeed", operands="*values", results="after", optional={"outfeed_config": TEXT}, traits=())
_TRANSFER = {"is_host_transfer": BOOL, "source_target_pairs": DENSE}
declare(
    "send", operands="*values", results="after", properties={"channel_handle": _CHANNEL}, optional=_TRANSFER, traits=()
)
declare(
    "recv",
    operands="token",
    results="*outcomes",
    properties={"channel_handle": _CHANNEL},
    optional=_TRANSFER,
    traits=(),
)
_GROUPS = {"replica_groups": ANY}
_OPTIONAL = {"channel_handle": _CHANNEL, "use_global_device_ids": UNIT}
declare(
    "all_gather",
    operands="*values",
    results="*outcomes",
    properties={"all_gather_dim": I64, **_GROUPS},
    optional=_OPTIONAL,
    traits=(),
)
declare(
    "all_reduce",
    operands="*values",
    results="*outcomes",
    properties=_GROUPS,
    optional=_OPTIONAL,
    regions="computation",
    traits=(),
)
declare(
    "reduce_scatter",
    properties={"scatter_dimension": I64, **_GROUPS},
    optional=_OPTIONAL,
    regions="computation",
    traits=(),
)
declare(
    "all_to_all",
    operands="*values",
    results="*outcomes",
    properties={"split_dimension": I64, "concat_dimension": I64, "split_count": I64, **_GROUPS},
    optional={"channel_handle": _CHANNEL},
    traits=(),
)
declare(
    "collective_permute",
    properties={"source_target_pairs": DENSE},
    optional={"channel_handle": _CHANNEL},
    traits=(),
)
declare(
    "collective_broadcast",
    operands="*values",
    results="*outcomes",
    properties=_GROUPS,
    optional={"channel_handle": _CHANNEL, "has_dynamic_root": UNIT},
    traits=(),
)
declare(
    "collective_reduce",
    operands="*values",
    results="*outcomes",
    properties=_GROUPS,
    optional={**_OPTIONAL, "has_dynamic_root": UNIT},
    regions="computation",
    traits=(),
)
declare("cross-replica-sum", properties=_GROUPS, traits=())
declare("async_start", operands="*values", results="future", regions="body_region", traits=())
declare("async_done", results="*outcomes", traits=())
