"""`convert-gguf-to-graph`: a language model in a file becomes graph ops, as its architecture says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, f16, f32
from xdsl.ir import BlockArgument
from xdsl.rewriter import Rewriter

from mlc.dialects.gguf import DecodeOp
from mlc.dialects.gguf.function import add_sequences, return_sequences
from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.to_graph import finish_function
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline_options import require_option
from mlc.support.bindings import BindOption
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.locations import error_at

if TYPE_CHECKING:
    from mlc.frontends.gguf.file import GgufFile
    from mlc.frontends.gguf.language_model import TokenChunk
    from mlc.support.resources import Resources


@dataclass(frozen=True)
class ConvertGgufToGraphPass(Pass):
    """Lower the gguf dialect to the graph dialect. Shapes have to be known.

    ```mlir
    %logits, %hidden, %keys, … = gguf.decode "model.gguf"(%tokens, %position, %count, %k, …) : …
    // after
    %r = graph.reshape %tokens : tensor<1x16xi64> -> tensor<16xi64>
    %q = graph.gather %token_embd, %r axis 0 : tensor<49152x576xi8>, tensor<16xi64> -> tensor<16x576xi8>
    …
    ```

    Weights that are short integers in groups stay such: products with them are `graph.scaled_matmul`. Caches of f32
    become such of f16 if that is asked for: half the memory, and half of what a token reads of them.
    """

    name = "convert-gguf-to-graph"
    ir_level = "gguf"

    caches: str = "f32"
    """What caches of f32 are stored as: f32 or f16."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_option("caches", self.caches, self.name)
        for function in [op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration]:
            ops = [op for op in function.walk() if isinstance(op, DecodeOp)]
            for op in ops:
                _require_known(op)
                if self.caches == "f16":
                    _store_short(op)
                _convert(op, ctx)
            if ops:
                function.update_function_type()
                finish_function(function, lambda _: False)


def _convert(op: DecodeOp, ctx: CompilerContext) -> None:
    from mlc.frontends.gguf.language_model import language_model
    from mlc.frontends.gguf.weights import GgufWeights

    file = _opened(op.file.data, ctx.resources)
    model = language_model(file)
    b = GraphBuilder(op, Knowledge(ctx.resources))
    try:
        found = model.decode(b, GgufWeights(file, lambda words: ctx.remark(op, words)), _chunk(op, b))
    except Unconvertible as e:
        raise error_at(op, f"'{file.name}' does not fit its architecture: {e}") from None
    batch, own, function = cast("TensorType", op.tokens.type).get_shape()[0], len(op.caches), op.parent_op()
    rows = [TensorType(f32, [batch, cast("TensorType", each.type).get_shape()[1]]) for each in op.results[:2]]
    results, kinds = [found.logits, found.hidden, *found.caches], [*rows, *[each.type for each in op.caches] * batch]
    for new, kind in zip(results, kinds, strict=True):
        if kind != new.type:
            raise error_at(op, f"the model gives {new.type}; required: {kind}")
    for old, new in zip(op.results, results, strict=False):
        old.replace_all_uses_with(new)
    if batch > 1 and isinstance(function, func.FuncOp):
        return_sequences(function, found.caches[own:])
    Rewriter.erase_op(op)
    b.knowledge.drop_unused()


def _chunk(op: DecodeOp, b: GraphBuilder) -> TokenChunk:
    """What the model takes; of several sequences if there are several rows of tokens.

    Raises:
        UserError: a call would take several tokens of several sequences.
    """
    from mlc.frontends.gguf.language_model import TokenChunk

    batch, n = cast("TensorType", op.tokens.type).get_shape()
    tokens = b.reshape(op.tokens, (batch * n,))
    if batch == 1:
        return TokenChunk(tokens, op.position, op.count, list(op.caches))
    if n > 1:
        raise UserError(
            f"found {n} tokens of each of {batch} sequences; required: one token of each of several, or several of "
            f"one, such as --shape tokens=1x1,1x{n},{batch}x1"
        )
    each, given = 1 + len(op.caches), add_sequences(op)
    counts = given[::each]
    caches = [value for at in range(0, len(given), each) for value in given[at + 1 : at + each]]
    return TokenChunk(tokens, op.position, op.count, caches, counts)


def _store_short(op: DecodeOp) -> None:
    """Make caches of f32 that callers keep such of f16."""
    for given, new in zip(op.caches, op.new_caches, strict=True):
        kind = cast("TensorType", given.type)
        if isinstance(given, BlockArgument) and kind.element_type == f32:
            short = TensorType(f16, kind.get_shape())
            Rewriter.replace_value_with_new_type(given, short)
            Rewriter.replace_value_with_new_type(new, short)


def _require_known(op: DecodeOp) -> None:
    """Raises: UserError if a dim is open, or 0."""
    batch, n = cast("TensorType", op.tokens.type).get_shape()
    places = [extent for each in op.caches for extent in cast("TensorType", each.type).get_shape()]
    for extents, name in (([n], "n"), ([batch], "batch"), (places, "context")):
        if DYNAMIC_INDEX in extents:
            raise UserError((f"the model leaves the dim '{name}' open: ", BindOption("shape", given=((name, 1),))))
        if 0 in extents:
            raise UserError(f"found 0 for the dim '{name}'; required: at least 1")


def _opened(path: str, resources: Resources) -> GgufFile:
    """The file, which may have been opened for this compilation already.

    Raises:
        UserError: it cannot be read.
    """
    from mlc.frontends.gguf.file import open_gguf, read_gguf

    for each in resources.read:
        if str(each.path.absolute()) == path:
            return read_gguf(each, each.path.name)
    found = open_gguf(Path(path), path)
    resources.note(found.file, path)
    return found
