"""Whether the specification allows a node: what is asked when a pattern fails on one."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import NoneType, TensorType
from xdsl.ir import Attribute, SSAValue

from mlc.dialects.onnx.nodes import in_words, plain_value
from mlc.dialects.onnx.ops import SINCE, OnnxOp
from mlc.dialects.onnx.schemas import Message, Schema, onnx_package, standard_domain
from mlc.frontends.onnx.to_graph._messages import node_of, type_message
from mlc.frontends.operators.graph_builder import Array, Knowledge

_PREFIX = "[ShapeInferenceError]"
"""How the package begins what it says of shapes."""
_MOST = 64
"""Elements of a known operand that shapes may depend on."""
_ATTRIBUTES: dict[str, tuple[type, ...]] = {
    "INT": (int,),
    "FLOAT": (float, int),
    "STRING": (str,),
    "INTS": (list,),
    "FLOATS": (list,),
    "STRINGS": (list,),
}


def fault_of(op: OnnxOp, knowledge: Knowledge) -> str | None:
    """What the package `onnx` finds wrong with a node, in words; None if it knows no fault, or not the operator."""
    schema = op.schema
    if schema is None:
        return None
    return _fault_of_types(op, schema) or _fault_of_attributes(op, schema) or _fault_of_shapes(op, schema, knowledge)


def _fault_of_types(op: OnnxOp, schema: Schema) -> str | None:
    formals = list(schema.inputs)
    for index, value in enumerate(op.operands):
        if not formals or isinstance(value.type, NoneType):
            continue
        formal = formals[min(index, len(formals) - 1)]
        found = _name_of_type(value)
        if found is not None and found not in formal.types:
            return f"input '{formal.name}' is {found}; the operator takes {', '.join(sorted(formal.types))}"
    return _fault_of_mixed_types(op, schema)


def _fault_of_mixed_types(op: OnnxOp, schema: Schema) -> str | None:
    """That two operands differ in type which the operator wants to have one."""
    variables = {each.type_param_str for each in schema.type_constraints}
    first: dict[str, tuple[str, str]] = {}
    for index, value in enumerate(op.operands):
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        found = _name_of_type(value)
        if found is None or formal.type_str not in variables or not formal.is_homogeneous:
            continue
        name, kind = first.setdefault(formal.type_str, (op.input_name(index), found))
        if kind != found:
            return (
                f"inputs '{name}' and '{op.input_name(index)}' are {kind} and {found}; the operator takes one type for "
                "both: put a Cast before one of them"
            )
    return None


def _name_of_type(value: SSAValue) -> str | None:
    """`tensor(float)`; None for what is not a tensor of numbers."""
    try:
        number = type_message(value.type).tensor_type.elem_type
    except (KeyError, AttributeError):
        return None
    return f"tensor({cast(Any, onnx_package()).TensorProto.DataType.Name(number).lower()})"


def _fault_of_attributes(op: OnnxOp, schema: Schema) -> str | None:
    for name, attribute in op.attributes.items():
        if name == SINCE:
            continue
        said = schema.attributes.get(name)
        if said is None:
            return f"it has an attribute '{name}', which the operator does not have"
        kind = said.type.name
        try:
            value = plain_value(attribute)
        except TypeError:
            continue  # a tensor
        if kind not in _ATTRIBUTES or not isinstance(value, _ATTRIBUTES[kind]):
            return f"its attribute '{name}' is {value!r}; required: {kind}"
    missing = [name for name, said in schema.attributes.items() if said.required and name not in op.attributes]
    missing = [name for name in missing if schema.attributes[name].type.name not in ("GRAPH", "GRAPHS")]
    return f"its attribute '{missing[0]}' is missing" if missing else None


def _fault_of_shapes(op: OnnxOp, schema: Schema, knowledge: Knowledge) -> str | None:
    """What the package's shape inference says of the node."""
    if op.regions:
        return None
    inference = cast(Any, onnx_package("onnx.shape_inference"))
    helper = cast(Any, onnx_package("onnx.helper"))
    types: dict[str, Message] = {}
    data: dict[str, Message] = {}
    try:
        for index, value in enumerate(op.operands):
            kind: Attribute = value.type
            if isinstance(kind, TensorType):
                types[f"i{index}"] = type_message(cast(Attribute, kind))
                if (array := _small(knowledge.array(value))) is not None:
                    data[f"i{index}"] = cast(Any, onnx_package("onnx.numpy_helper")).from_array(array)
        node = node_of(op, knowledge.resources)
    except (KeyError, TypeError, ValueError) as e:
        return f"it is not a node of ONNX: {e}"
    imports = [helper.make_opsetid(standard_domain(op.DOMAIN), op.since)]
    try:
        inference.infer_node_outputs(schema, node, types, data, opset_imports=imports)
    except Exception as e:  # the package has several kinds, of which none is documented
        found = " ".join(str(e).replace(_PREFIX, "").split())
        return f"{operands_in_words(op)}: {found}"
    return None


def operands_in_words(op: OnnxOp) -> str:
    """The operands with their types."""
    there = [(i, v.type) for i, v in enumerate(op.operands) if not isinstance(v.type, NoneType)]
    shown = ", ".join(f"{op.input_name(index)} {in_words(kind)}" for index, kind in there)
    return f"its inputs {shown} do not fit" if len(there) > 1 else f"its input {shown} does not fit"


def _small(array: Array | None) -> Array | None:
    return array if array is not None and array.size <= _MOST else None
