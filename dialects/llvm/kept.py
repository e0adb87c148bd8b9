"""Attributes and types of upstream's llvm dialect that mlc carries along: debug information, aliasing, targets."""

from mlc.dialects.kept_text import attribute_kept_as_text, type_kept_as_text

_ATTRIBUTES = (
    "access_group",
    "alias_scope",
    "alias_scope_domain",
    "comdat",
    "di_basic_type",
    "di_common_block",
    "di_compile_unit",
    "di_composite_type",
    "di_derived_type",
    "di_expression",
    "di_expression_elem",
    "di_file",
    "di_generic_subrange",
    "di_global_variable",
    "di_global_variable_expression",
    "di_imported_entity",
    "di_label",
    "di_lexical_block",
    "di_lexical_block_file",
    "di_local_variable",
    "di_module",
    "di_namespace",
    "di_null_type",
    "di_string_type",
    "di_subprogram",
    "di_subrange",
    "di_subroutine_type",
    "loop_distribute",
    "loop_interleave",
    "loop_licm",
    "loop_peeled",
    "loop_pipeline",
    "loop_unroll",
    "loop_unroll_and_jam",
    "loop_unswitch",
    "loop_vectorize",
    "memory_effects",
    "poison",
    "tbaa_member",
    "tbaa_root",
    "tbaa_tag",
    "tbaa_type_desc",
    "undef",
    "vscale_range",
    "zero",
)

KEPT_ATTRIBUTES = [attribute_kept_as_text(f"llvm.{name}") for name in _ATTRIBUTES]
_SIZE = r"0*[1-9][0-9]*\s*x\s*"
VecType = type_kept_as_text(
    "llvm.vec",
    rf"\s*(({_SIZE}|\?\s*x\s*{_SIZE})(!llvm\.)?(ptr(<[0-9]+>)?|ppc_fp128)|\?\s*x\s*{_SIZE}(i[0-9]+|b?f[0-9]+))\s*",
    "<4 x ptr>, <? x 4 x ptr> or with ppc_fp128 for ptr (vector is for types of builtin)",
)
TargetType = type_kept_as_text(
    "llvm.target",
    r'\s*"[^"]*"(\s*,\s*[!a-z](?:[^,<]|<[^>]*>)*)*(\s*,\s*[0-9]+)*\s*',
    '<"name", types, numbers>',
)
LabelType = type_kept_as_text("llvm.label", "", "a bare word")
KEPT_TYPES = [
    VecType,
    TargetType,
    LabelType,
    *(
        type_kept_as_text(f"llvm.{name}", "", "a bare word")
        for name in ("metadata", "ppc_fp128", "token", "x86_amx", "x86_mmx")
    ),
]
