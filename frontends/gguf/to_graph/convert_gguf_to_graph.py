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
                if self.caches == "f16":
                    _store_short(op)
                _convert(op, ctx)
            if ops:
                function.update_function_type()
                finish_function(function, lambda _: False)


def _convert(op: DecodeOp, ctx: CompilerContext) -> None:
    from mlc.frontends.gguf.language_model import TokenChunk, language_model
    from mlc.frontends.gguf.weights import GgufWeights

    _require_known(op)
    file = _opened(op.file.data, ctx.resources)
    model = language_model(file)
    b = GraphBuilder(op, Knowledge(ctx.resources))
    try:
        tokens = b.reshape(op.tokens, cast("TensorType", op.tokens.type).get_shape()[1:])
        chunk = TokenChunk(tokens, op.position, op.count, list(op.caches))
        found = model.decode(b, GgufWeights(file, lambda words: ctx.remark(op, words)), chunk)
    except Unconvertible as e:
        raise error_at(op, f"'{file.name}' does not fit its architecture: {e}") from None
    given = [op.logits.type, op.hidden.type, *(each.type for each in op.caches)]
    for old, new, kind in zip(op.results, [found.logits, found.hidden, *found.caches], given, strict=True):
        if kind != new.type:
            raise error_at(op, f"the model gives {new.type}; required: {kind}")
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)
    b.knowledge.drop_unused()


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
    for value, name in ((op.tokens, "n"), *((each, "context") for each in op.caches)):
        shape = cast("TensorType", value.type).get_shape()
        if DYNAMIC_INDEX in shape:
            raise UserError((f"the model leaves the dim '{name}' open: ", BindOption("shape", given=((name, 1),))))
        if 0 in shape:
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
