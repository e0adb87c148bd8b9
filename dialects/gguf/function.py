"""The function that callers of a language model see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Block, Region

from mlc.dialects.gguf import DecodeOp
from mlc.support.functions import DIMS, DONATED, NAME

_FIRST = DecodeOp.FIXED


def decoding_module(
    file: str,
    tokens: int | None,
    places: int | None,
    caches: Mapping[str, Sequence[int | None]],
    vocabulary: int,
    width: int,
) -> ModuleOp:
    """A module with a function `decode` for so many tokens and so many places in caches; None leaves the dim open.

    Caches have extents, of which None is that of places. The results are logits, the hidden state, and each cache,
    which may lie in the memory of the argument.
    """
    length = DYNAMIC_INDEX if places is None else places
    names = ["tokens", "position", "count", *caches]
    types = [
        TensorType(i64, [1, DYNAMIC_INDEX if tokens is None else tokens]),
        *[TensorType(i64, [])] * 2,
        *(TensorType(f32, [length if e is None else e for e in each]) for each in caches.values()),
    ]
    dims = [["", "n"], [], [], *(["context" if e is None else "" for e in each] for each in caches.values())]
    block = Block(arg_types=types)
    for argument, name in zip(block.args, names, strict=True):
        argument.name_hint = name
    op = DecodeOp(file, block.args, TensorType(f32, [1, vocabulary]), TensorType(f32, [1, width]))
    block.add_ops([op, func.ReturnOp(*op.results)])
    results = [each.type for each in op.results]
    function = func.FuncOp("decode", (types, results), Region(block))
    function.arg_attrs = ArrayAttr(
        DictionaryAttr({DIMS: ArrayAttr(StringAttr(dim) for dim in each)} if each else {}) for each in dims
    )
    marks: list[dict[str, Attribute]] = [{NAME: StringAttr(each)} for each in ("logits", "hidden")]
    for number, name in enumerate(names[_FIRST:], _FIRST):
        marks.append({NAME: StringAttr(f"new_{name}"), DONATED: IntegerAttr(number, i64)})
    function.res_attrs = ArrayAttr(DictionaryAttr(each) for each in marks)
    return ModuleOp([function])
