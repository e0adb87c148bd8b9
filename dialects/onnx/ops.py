"""The ops of ONNX: a class per operator, made from its schema."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr, NoneType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.onnx.schemas import DIALECT, Schema, domains, newest_schema, op_name, schema_at, standard_domain
from mlc.dialects.schema_op import SchemaOp

SINCE = "onnx.since"
"""The attribute that holds the version of an op's schema, where that is not the newest."""


class OnnxOp(SchemaOp):
    """An operator of ONNX: any number of operands and results, its attributes in the dictionary.

    An operand that is left out is an `onnx.NoValue`. Graphs that an operator holds, the branches of `If`, say, are
    regions after their names; they see the values around them.

    ```mlir
    %y = onnx.Conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<*xf32>
    ```
    """

    DOMAIN: ClassVar[str] = ""
    """The operator's domain; nothing for the standard one."""
    OP_TYPE: ClassVar[str] = ""
    """The operator's name."""

    @property
    def since(self) -> int:
        """The version of its domain in which the operator got the meaning that it has here; 1 if nobody says."""
        found = self.attributes.get(SINCE)
        if isinstance(found, IntegerAttr):
            return cast(int, cast(Any, found).value.data)
        newest = newest_schema(self.DOMAIN, self.OP_TYPE)
        return newest.since_version if newest else 1

    @property
    def schema(self) -> Schema | None:
        """What the package says of it; None if that does not know the operator."""
        return schema_at(self.DOMAIN, self.OP_TYPE, self.since)

    def input_name(self, index: int) -> str:
        """What the schema calls an operand."""
        inputs = self.schema.inputs if self.schema else ()
        return inputs[min(index, len(inputs) - 1)].name if inputs else f"input {index}"

    def verify_(self) -> None:
        if (schema := self.schema) is None:
            return
        for name, said in schema.attributes.items():
            if said.required and name not in self.attributes and self.graph(name) is None:
                noun = "graph" if name in self.GRAPHS else "attribute"
                raise VerifyException(f"{self.name}: {noun} '{name}' is missing")
        for name in self.attributes:
            if "." not in name and name not in schema.attributes:
                raise VerifyException(
                    f"{self.name}: unknown attribute '{name}'; version {self.since} has "
                    f"{', '.join(sorted(schema.attributes)) or 'none'}"
                )
        counts = (
            ("operands", len(self.operands), schema.min_input, schema.max_input),
            ("results", len(self.results), schema.min_output, schema.max_output),
            ("graphs", len(self.regions), len(self.GRAPHS), len(self.GRAPHS)),
        )
        for noun, found, least, most in counts:
            if not (least <= found <= most) and not (noun == "results" and found <= most):
                wanted = (
                    str(least) if least == most else f"{least} to {most}" if most < 1 << 30 else f"at least {least}"
                )
                raise VerifyException(f"{self.name}: found {found} {noun}; version {self.since} takes {wanted}")


@irdl_op_definition
class NoValueOp(IRDLOperation):
    """What stands for an operand that a node leaves out.

    ```mlir
    %none = onnx.NoValue
    ```
    """

    name = "onnx.NoValue"
    result = result_def(NoneType)
    assembly_format = "attr-dict"
    traits = traits_def(Pure())

    def __init__(self) -> None:
        super().__init__(result_types=[NoneType()])


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The results of a graph inside of an op.

    ```mlir
    %y = onnx.If %c else_branch {
      onnx.Yield %a : tensor<4xf32>
    } then_branch {
      onnx.Yield %b : tensor<4xf32>
    } : (tensor<i1>) -> tensor<4xf32>
    ```
    """

    name = "onnx.Yield"
    values = var_operand_def()
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = traits_def(IsTerminator())

    def __init__(self, values: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(values)])


def op(op_type: str, domain: str = "") -> type[OnnxOp]:
    """The class of an operator's ops. Domains of plugins have such classes, too.

    ```python
    onnx.op("FusedMatMul", "com.microsoft")
    ```
    """
    return _op(op_type, standard_domain(domain))


@cache
def _op(op_type: str, domain: str) -> type[OnnxOp]:
    schema = newest_schema(domain, op_type)
    graphs = sorted(n for n, a in schema.attributes.items() if a.type.name == "GRAPH") if schema else []
    members = {
        "name": op_name(domain, op_type),
        "DOMAIN": domain,
        "OP_TYPE": op_type,
        "GRAPHS": tuple(graphs),
        "__doc__": f"The operator {op_type} of {domain or 'ai.onnx'}.",
        "__module__": __name__,
        "__annotations__": {"DOMAIN": ClassVar[str], "OP_TYPE": ClassVar[str], "GRAPHS": ClassVar[tuple[str, ...]]},
    }
    return irdl_op_definition(cast(Any, type(f"{op_type}Op", (OnnxOp,), members)))


def op_named(name: str) -> type[Operation] | None:
    """The class of the ops with this name in IR; None if it is not a name of an operator.

    Operators of domains that the package does not know may have any name.
    """
    domain, _, op_type = name.removeprefix(f"{DIALECT}.").rpartition(".")
    is_known = newest_schema(domain, op_type) is not None
    return op(op_type, domain) if is_known or (domain and domain not in domains()) else None


def since_attribute(domain: str, op_type: str, version: int) -> dict[str, Attribute]:
    """What an op says of its version, in a model that imports `version` of its domain."""
    domain = standard_domain(domain)
    schema, newest = schema_at(domain, op_type, version), newest_schema(domain, op_type)
    if schema is None or newest is None:
        return {SINCE: IntegerAttr(version, i64)} if version != 1 else {}
    return {} if schema.since_version == newest.since_version else {SINCE: IntegerAttr(schema.since_version, i64)}
