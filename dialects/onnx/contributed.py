"""Operators that ONNX Runtime's optimiser and quantiser write, of which the package `onnx` has no schemas.

Most are of the domain `com.microsoft`; two are written in the standard domain, which does not define them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from mlc.dialects.onnx.package import Schema, onnx_package

RUNTIME_DOMAIN = "com.microsoft"
"""The domain of the operators of ONNX Runtime."""

_BYTES, _FLOATS, _INTS = ("int8", "uint8"), ("float16", "bfloat16", "float", "double"), ("int32", "int64")
_KINDS = {
    "q": _BYTES,
    "u": ("uint8",),
    "4": ("int4", "uint4", "uint8"),
    "w": (*_BYTES, "int16", "uint16", "int32", "int4", "uint4"),
    "f": _FLOATS,
    "n": _INTS,
    "b": ("bool",),
    "z": ("uint8", *_FLOATS),
    "m": (*_BYTES, *_FLOATS),
    "": (*_BYTES, "int16", "uint16", "uint32", "uint64", *_INTS, *_FLOATS, "bool", "string"),
}
"""The element types that the letter after the name of an operand stands for."""


@dataclass(frozen=True)
class _Attribute:
    """An attribute without a default."""

    name: str
    required: bool = False


_INT, _FLOAT, _STRING, _INT_LIST = _Attribute("INT"), _Attribute("FLOAT"), _Attribute("STRING"), _Attribute("INTS")
_FLOAT_LIST, _STRING_LIST = _Attribute("FLOATS"), _Attribute("STRINGS")
_NEEDED, _NEEDED_LIST = _Attribute("INT", True), _Attribute("INTS", True)
_WINDOW = {"pads": _INT_LIST, "strides": _INT_LIST, "auto_pad": "NOTSET"}
_POOL = {**_WINDOW, "kernel_shape": _NEEDED_LIST, "ceil_mode": 0}
_CONV = {**_WINDOW, "kernel_shape": _INT_LIST, "dilations": _INT_LIST, "group": 1}
_FUSED_CONV = {**_CONV, "activation": _STRING, "activation_params": _FLOAT_LIST}
_PRODUCT = {"alpha": 1.0, "transA": 0, "transB": 0}
_NORM = {"epsilon": 1e-12}
_ROW_NORM = {"axis": -1, "epsilon": 1e-5, "stash_type": 1}
_HEADS = {"num_heads": _NEEDED, "unidirectional": 0, "mask_filter_value": _FLOAT, "scale": _FLOAT}
_SHARED_BUFFER = {"do_rotary": _INT, "past_present_share_buffer": _INT}

_ONE = "X:q X_scale:f X_zero_point:q? Y_scale:f Y_zero_point:q?"
_TWO = "A:q A_scale:f A_zero_point:q? B:q B_scale:f B_zero_point:q? C_scale:f C_zero_point:q?"
_OPERATORS: dict[str, tuple[str, str, dict[str, Any]]] = {
    # Quantised.
    "QuantizeLinear": ("x:f y_scale:f y_zero_point:w?", "y", {"axis": _INT}),
    "DequantizeLinear": ("x:w x_scale:f x_zero_point:w?", "y", {"axis": _INT}),
    "QLinearAdd": (_TWO, "C", {}),
    "QLinearMul": (_TWO, "C", {}),
    "QLinearConcat": ("Y_scale:f Y_zero_point:q inputs:m*", "Y", {"axis": _NEEDED}),
    "QLinearWhere": (
        "condition:b X:q x_scale:f x_zero_point:q Y:q y_scale:f y_zero_point:q z_scale:f z_zero_point:q", "Z", {},
    ),
    "QLinearSigmoid": (_ONE, "Y", {}),
    "QLinearLeakyRelu": (_ONE, "Y", {"alpha": 0.01}),
    "QLinearSoftmax": (
        "X:q X_scale:f x_zero_point:q? y_scale:f y_zero_point:q", "Y", {"axis": -1, "opset": _NEEDED},
    ),
    "QLinearReduceMean": (
        "data:q data_scale:f data_zero_point:q? reduced_scale:f reduced_zero_point:q?", "reduced",
        {"axes": _NEEDED_LIST, "keepdims": _NEEDED},
    ),
    "QLinearAveragePool": (
        "X:q x_scale:f x_zero_point:q? y_scale:f y_zero_point:q?", "Y",
        {**_POOL, "count_include_pad": 0, "channels_last": 0},
    ),
    "QLinearGlobalAveragePool": (
        "X:q x_scale:f x_zero_point:q y_scale:f y_zero_point:q", "Y", {"channels_last": 0},
    ),
    "QLinearConv": (
        "x:q x_scale:f x_zero_point:q w:q w_scale:f w_zero_point:q y_scale:f y_zero_point:q B:n?", "y",
        {**_CONV, "channels_last": 0},
    ),
    "QGemm": (
        "A:q a_scale:f a_zero_point:q B:q b_scale:f b_zero_point:q C:n? y_scale:f? y_zero_point:q?", "Y", _PRODUCT,
    ),
    "MatMulIntegerToFloat": ("A:q B:q a_scale:f b_scale:f a_zero_point:q? b_zero_point:q? bias:f?", "Y", {}),
    "DynamicQuantizeMatMul": ("A:f B:q b_scale:f b_zero_point:q? bias:f?", "Y", {}),
    "DynamicQuantizeLSTM": (
        "X:f W:q R:q B:f? sequence_lens:n? initial_h:f? initial_c:f? P:f? W_scale:f W_zero_point:q R_scale:f "
        "R_zero_point:q",
        "Y? Y_h? Y_c?",
        {
            "activations": _STRING_LIST, "activation_alpha": _FLOAT_LIST, "activation_beta": _FLOAT_LIST,
            "clip": _FLOAT, "direction": "forward", "hidden_size": _INT, "input_forget": 0,
        },
    ),
    "QAttention": (
        "input:q weight:q bias:f input_scale:f weight_scale:f mask_index:n? input_zero_point:q? "
        "weight_zero_point:q? past:f?",
        "output present?",
        {**_HEADS, **_SHARED_BUFFER},
    ),
    "QEmbedLayerNormalization": (
        "input_ids:n segment_ids:n? word_embedding_quant:q position_embedding_quant:q segment_embedding:q? "
        "gamma_quant:q beta_quant:q mask:n? word_embedding_scale:f position_embedding_scale:f "
        "segment_embedding_scale:f? gamma_scale:f beta_scale:f word_embedding_zero_point:q "
        "position_embedding_zero_point:q segment_embedding_zero_point:q? gamma_zero_point:q beta_zero_point:q",
        "layernorm_out mask_index_out",
        _NORM,
    ),
    "MatMulNBits": (
        "A:f B:u scales:f zero_points:z? g_idx:n? bias:f?", "Y",
        {
            "K": _NEEDED, "N": _NEEDED, "accuracy_level": 0, "bits": 4, "block_size": _NEEDED, "weight_prepacked": 0,
        },
    ),
    "GatherBlockQuantized": (
        "data:4 indices:n scales:f zero_points:4?", "output",
        {"bits": 4, "block_size": 128, "gather_axis": 0, "quantize_axis": 1},
    ),
    "NhwcMaxPool": ("x:q", "y", {**_POOL, "dilations": _INT_LIST}),
    # Fused.
    "FusedMatMul": ("A:f B:f", "Y", {**_PRODUCT, "transBatchA": 0, "transBatchB": 0}),
    "TransposeMatMul": ("A:f B:f", "Y", _PRODUCT),
    "FusedGemm": (
        "A B C?", "Y",
        {
            **_PRODUCT, "beta": 1.0, "activation": _STRING, "activation_alpha": _FLOAT, "activation_beta": _FLOAT,
            "activation_gamma": _FLOAT,
        },
    ),
    "FusedConv": ("X:f W:f B:f? Z:f?", "Y", _FUSED_CONV),
    "NhwcConv": ("X:f W:f B:f?", "Y", _CONV),
    "NhwcFusedConv": ("X:f W:f B:f? Z:f?", "Y", _FUSED_CONV),
    "Gelu": ("X:f", "Y", {}),
    "FastGelu": ("X:f bias:f?", "Y", {}),
    "QuickGelu": ("X:f", "Y", {"alpha": 1.702}),
    "BiasGelu": ("A:f B:f", "C", {}),
    "BiasSplitGelu": ("X:f bias:f", "Y", {}),
    "BiasAdd": ("X:f bias:f skip:f", "Y", {}),
    "SkipLayerNormalization": (
        "input:f skip:f gamma:f beta:f? bias:f?", "output mean? inv_std_var? input_skip_bias_sum?", _NORM,
    ),
    "SkipSimplifiedLayerNormalization": (
        "input:f skip:f gamma:f bias:f?", "output mean? inv_std_var? input_skip_bias_sum?", _NORM,
    ),
    "EmbedLayerNormalization": (
        "input_ids:n segment_ids:n? word_embedding:f position_embedding:f segment_embedding:f? gamma:f beta:f mask:n? "
        "position_ids:n?",
        "output mask_index? embedding_sum?",
        {**_NORM, "mask_index_type": _INT},
    ),
    # Attention.
    "Attention": (
        "input:f weights:f bias:f? mask_index:n? past:f? attention_bias:f? past_sequence_length:n?", "output present?",
        {**_HEADS, **_SHARED_BUFFER, "qkv_hidden_sizes": _INT_LIST, "rotary_embedding_dim": _INT},
    ),
    "MultiHeadAttention": (
        "query:f key:f? value:f? bias:f? key_padding_mask:n? attention_bias:f? past_key:f? past_value:f? "
        "past_sequence_length:n? cache_indirection:n?",
        "output present_key? present_value? qk?",
        _HEADS,
    ),
    "GroupQueryAttention": (
        "query:f key:f? value:f? past_key:m? past_value:m? seqlens_k:n total_sequence_length:n cos_cache:f? "
        "sin_cache:f? position_ids:n? attention_bias:f? head_sink:f? k_scale:f? v_scale:f? q_norm_weight:f? "
        "k_norm_weight:f? query_seqlens:n?",
        "output present_key? present_value? output_qk?",
        {
            "num_heads": _NEEDED, "kv_num_heads": _NEEDED, "causal": 1, "do_rotary": _INT, "k_norm_epsilon": _FLOAT,
            "k_quant_type": "NONE", "kv_cache_bit_width": _INT, "local_window_size": -1, "q_norm_epsilon": _FLOAT,
            "qk_norm_epsilon": 1e-6, "qk_output": 0, "rotary_interleaved": _INT, "scale": _FLOAT,
            "sliding_window_cache": 0, "smooth_softmax": -1, "softcap": _FLOAT, "v_quant_type": "NONE",
        },
    ),
    "RotaryEmbedding": (
        "input:f position_ids:n cos_cache:f sin_cache:f", "output",
        {
            "interleaved": _INT, "is_packed_batching": _INT, "num_heads": _INT, "rotary_embedding_dim": _INT,
            "scale": _FLOAT,
        },
    ),
    # Others.
    "CDist": ("A:f B:f", "C", {"metric": "sqeuclidean"}),
    "ExpandDims": ("X axis:n", "Y", {}),
    "Inverse": ("X:f", "Y", {}),
    "Trilu": ("X k:n?", "Y", {"upper": 1}),
}  # fmt: skip
"""Of each operator operands (`?`: may be left out, `*`: any number), results, and attributes with their defaults."""
_IN_STANDARD_DOMAIN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "LayerNormalization": ("X:f Scale:f B:f?", "Y Mean? InvStdDev?", _ROW_NORM),
    "SimplifiedLayerNormalization": ("X:f scale:f", "Y inv_std_var?", _ROW_NORM),
}
"""The same of those that it writes without a domain."""


@cache
def contributed() -> dict[tuple[str, str], Schema]:
    """The schemas of these operators by domain and name, all since version 1."""
    found = {(RUNTIME_DOMAIN, name): _schema(name, RUNTIME_DOMAIN, *said) for name, said in _OPERATORS.items()}
    return {**found, **{("", name): _schema(name, "", *said) for name, said in _IN_STANDARD_DOMAIN.items()}}


def _schema(name: str, domain: str, inputs: str, outputs: str, attributes: dict[str, Any]) -> Schema:
    schema = cast(Any, onnx_package("onnx.defs")).OpSchema
    letters = sorted({_letter(word) for word in (*inputs.split(), *outputs.split())})
    return schema(
        name,
        domain,
        1,
        inputs=[_formal(schema, word) for word in inputs.split()],
        outputs=[_formal(schema, word) for word in outputs.split()],
        type_constraints=[(f"T{letter}", [f"tensor({kind})" for kind in _KINDS[letter]], "") for letter in letters],
        attributes=[_made(schema, key, value) for key, value in attributes.items()],
    )


def _letter(word: str) -> str:
    return word.rstrip("?*").partition(":")[2]


def _formal(schema: Any, word: str) -> Any:
    option = {"?": "Optional", "*": "Variadic"}.get(word[-1], "Single")
    options = schema.FormalParameterOption
    return schema.FormalParameter(
        word.rstrip("?*").partition(":")[0],
        f"T{_letter(word)}",
        param_option=getattr(options, option),
        is_homogeneous=False,
    )


def _made(schema: Any, name: str, said: Any) -> Any:
    if isinstance(said, _Attribute):
        return schema.Attribute(name, getattr(schema.AttrType, said.name), required=said.required)
    return schema.Attribute(name, cast(Any, onnx_package("onnx.helper")).make_attribute(name, said))
