"""The ops of ATen: a class per overload, made from its schema."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, NoneType, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.aten.schemas import OverloadSchema, overload_named, schema_of
from mlc.dialects.aten.values import value_of
from mlc.dialects.schema_op import SchemaOp
from mlc.support.torch_namespaces import ATEN

OPERANDS = "aten.operands"
"""The attribute that says how many operands each argument is, where it is not one each."""


class AtenOp(SchemaOp):
    """An overload of an operator of PyTorch. Arguments that are tensors are operands, in the order of the schema;
    others are attributes by name, and left out where they are what the schema says anyway.

    `aten.operands` has a number for each argument that may be several tensors, or none: how many operands are its.

    ```mlir
    %y = aten.addmm %bias, %x, %w {beta = 2 : i64}
        : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %z = aten.cat %y, %y {aten.operands = array<i64: 2>, dim = 1 : i64}
        : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    ```
    """

    @property
    def schema(self) -> OverloadSchema:
        """What torch says of the overload."""
        schema = schema_of(self.name)
        assert schema is not None
        return schema

    @property
    def overload(self) -> Any:
        """The `OpOverload` of torch."""
        return overload_named(self.name)

    @property
    def counts(self) -> list[int]:
        """How many operands each argument is that is tensors."""
        found = self.attributes.get(OPERANDS)
        if isinstance(found, DenseArrayBase):
            return [int(cast(Any, n)) for n in found.get_values()]
        return [1] * len(self.schema.operands)

    def arguments(self) -> dict[str, Any]:
        """The arguments by name: values, lists of them, or None where one is left out; else values of Python, with
        element types for dtypes."""
        given: dict[str, Any] = {}
        rest, counts = list(self.operands), iter(self.counts)
        for argument in self.schema.arguments:
            if not argument.tensors:
                found = self.attributes.get(argument.name)
                given[argument.name] = argument.default if found is None else value_of(found)
                continue
            count = next(counts)
            own = [None if isinstance(v.type, NoneType) else v for v in rest[:count]]
            del rest[:count]
            given[argument.name] = own if argument.tensors == "list" else own[0] if own else None
        return given

    def verify_(self) -> None:
        schema = self.schema
        names = {a.name for a in schema.arguments if not a.tensors}
        for name in self.attributes:
            if "." not in name and name not in names:
                found = f"{self.name}: unknown attribute '{name}'"
                raise VerifyException(f"{found}; it takes {', '.join(sorted(names)) or 'none'}: {schema.text}")
        for argument in schema.arguments:
            if not argument.tensors and argument.required and argument.name not in self.attributes:
                raise VerifyException(f"{self.name}: attribute '{argument.name}' is missing: {schema.text}")
        counts = self.counts
        if len(counts) != len(schema.operands) or sum(counts) != len(self.operands):
            raise VerifyException(
                f"{self.name}: found {len(self.operands)} operands for {len(schema.operands)} arguments that are "
                f"tensors; required: one each, or {OPERANDS} with their numbers: {schema.text}"
            )
        for argument, count in zip(schema.operands, counts, strict=True):
            if (count != 1 and argument.tensors == "one") or (count > 1 and argument.tensors == "optional"):
                raise VerifyException(f"{self.name}: '{argument.name}' is {count} operands; required: one")
        if schema.results is not None and len(self.results) != schema.results:
            raise VerifyException(f"{self.name}: found {len(self.results)} results; required: {schema.results}")


@irdl_op_definition
class NoneOp(IRDLOperation):
    """What stands for a tensor that is left out of a list.

    ```mlir
    %none = aten.none
    %y = aten.index.Tensor %x, %none, %i {aten.operands = array<i64: 1, 2>}
        : (tensor<4x8xf32>, none, tensor<3xi64>) -> tensor<4x3xf32>
    ```
    """

    name = "aten.none"
    result = result_def(NoneType)
    assembly_format = "attr-dict"
    traits = traits_def(Pure())

    def __init__(self) -> None:
        super().__init__(result_types=[NoneType()])


def call(
    name: str, counts: Sequence[int], operands: Sequence[SSAValue], attributes: dict[str, Attribute],
    results: Sequence[Attribute],
) -> AtenOp:  # fmt: skip
    """An op by its name, with the number of operands that each argument is."""
    if any(count != 1 for count in counts):
        attributes = {OPERANDS: DenseArrayBase.from_list(i64, list(counts)), **attributes}
    namespace, _, overload = name.partition(".")
    return op(overload, namespace)(operands, results, attributes)


def permuted(value: SSAValue, order: Sequence[int]) -> AtenOp:
    """The call that gives a tensor its dims in another order."""
    kind: Any = value.type
    found = TensorType(kind.element_type, [kind.get_shape()[axis] for axis in order])
    return call("aten.permute", [1], [value], {"dims": DenseArrayBase.from_list(i64, list(order))}, [found])


@cache
def op(overload: str, namespace: str = ATEN) -> type[AtenOp]:
    """The class of the ops of an overload. Patterns name it so: `aten.op("add.Tensor")`, `aten.op("relu")`."""
    members = {
        "name": f"{namespace}.{overload}",
        "__doc__": f"The overload {overload} of PyTorch.",
        "__module__": __name__,
        "__annotations__": {"GRAPHS": ClassVar[tuple[str, ...]]},
    }
    word = "".join(part.capitalize() for part in overload.replace(".", "_").split("_"))
    return irdl_op_definition(cast(Any, type(f"{word}Op", (AtenOp,), members)))


def op_named(name: str) -> type[Operation] | None:
    """The class of the ops with this name in IR; None if torch has no such overload."""
    if name == NoneOp.name:
        return NoneOp
    namespace, _, overload = name.partition(".")
    return op(overload, namespace) if schema_of(name) is not None else None
