"""The function that callers of a language model see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

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
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects.gguf import DecodeOp
from mlc.support.functions import DIMS, DONATED, NAME

_FIRST = DecodeOp.FIXED
"""How many arguments stand before caches: the last of them is a count."""
_RESULTS = 2
"""How many results stand before caches."""


def decoding_module(
    file: str,
    sequences: int | None,
    tokens: int | None,
    places: int | None,
    caches: Mapping[str, Sequence[int | None]],
    vocabulary: int,
    width: int,
) -> ModuleOp:
    """A module with a function `decode` for so many tokens and so many places in caches, of one sequence, or of several
    (`add_sequences`); None leaves the dim open.

    Caches have extents, of which None is that of places. The results are logits, the hidden state, and each cache,
    which may lie in the memory of the argument.
    """
    length = DYNAMIC_INDEX if places is None else places
    names = ["tokens", "position", "count", *caches]
    types = [
        TensorType(i64, [DYNAMIC_INDEX if each is None else each for each in (sequences, tokens)]),
        *[TensorType(i64, [])] * 2,
        *(TensorType(f32, [length if e is None else e for e in each]) for each in caches.values()),
    ]
    dims = [["batch", "n"], [], [], *(["context" if e is None else "" for e in each] for each in caches.values())]
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


def add_sequences(op: DecodeOp) -> list[SSAValue]:
    """Let a function decode a token of each of several sequences, as many as the op has rows of tokens; gives their
    counts, each followed by the caches of its sequence.

    `%position` becomes `[sequences]`. Each sequence has an argument `%count` of its own, and caches after it: those of
    the second one have names that start with `s1_`, and so on. Results come from `return_sequences`.
    """
    function, count = op.parent_op(), cast("TensorType", op.tokens.type).get_shape()[0]
    assert isinstance(function, func.FuncOp)
    block, first = function.body.block, [op.count, *op.caches]
    Rewriter.replace_value_with_new_type(op.position, TensorType(i64, [count]))
    found = list(first)
    for sequence in range(1, count):
        for each in first:
            found.append(block.insert_arg(each.type, len(block.args)))
            found[-1].name_hint = f"s{sequence}_{each.name_hint}"
    if function.arg_attrs is not None:
        marks = list(function.arg_attrs)
        function.arg_attrs = ArrayAttr([*marks, *marks[_FIRST - 1 :] * (count - 1)])
    return found


def return_sequences(function: func.FuncOp, caches: Sequence[SSAValue]) -> None:
    """Let a function return the caches of sequences after the first one, each in the memory of its argument."""
    last, marks = function.body.block.last_op, [dict(each.data) for each in function.res_attrs or ()]
    assert isinstance(last, func.ReturnOp)
    of_cache = marks[_RESULTS:]
    last.operands = [*last.operands, *caches]
    if not of_cache:
        return
    for number in range(len(caches)):
        sequence, which = divmod(number, len(of_cache))
        mark, place = of_cache[which], _FIRST + (sequence + 1) * (len(of_cache) + 1) + which
        name = cast("StringAttr", mark[NAME]).data.removeprefix("new_")
        marks.append({**mark, NAME: StringAttr(f"new_s{sequence + 1}_{name}"), DONATED: IntegerAttr(place, i64)})
    function.res_attrs = ArrayAttr(DictionaryAttr(each) for each in marks)
