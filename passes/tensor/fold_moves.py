"""`fold-moves`: read an operand where it comes from, not where it was moved to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, ModuleOp, bf16, f16
from xdsl.dialects.tensor import CollapseShapeOp, ExpandShapeOp
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.tensor import ContractOp, MapOp, ReduceOp, StructuredOp
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.linear import simplify, stays_inside, through_reshape
from mlc.support.types import element_type, tensor_type


@dataclass(frozen=True)
class FoldMovesPass(Pass):
    """Compose transposes, slices, broadcasts and reshapes into the index maps of the structured ops that read them.

        %0 = tensor.expand_shape %q [[0], [1, 2]] … : tensor<128x384xf32> into tensor<128x12x32xf32>
        %1 = tensor.map %0[m, b, n] over (b: 12, m: 128, n: 32) : … { tensor.yield }
        %2 = tensor.contract %1[b, m, k], … over (b: 12, m: 128, n: 128) reduce (k: 32) : …
    ->
        %2 = tensor.contract %q[m, b * 32 + k], … over (b: 12, m: 128, n: 128) reduce (k: 32) : …

    A move is an op that says so (a map that yields what it reads), or a reshape. It stays where the composed subscripts
    would divide (a reshape that joins what a dim runs across), or where something else than a structured op reads it.
    What was moved is what is read, so nothing is computed twice. An image that was made wider is widened by reductions
    over its windows themselves, and factors of a product of matrices by the product.
    """

    name = "fold-moves"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for function in module.ops:
            if isinstance(function, func.FuncOp):
                for block in function.body.blocks:
                    ops = list(block.ops)
                    for op in ops:
                        if isinstance(op, StructuredOp):
                            _fold_operands(op, ctx)
                        if isinstance(op, ReduceOp):
                            _fold_widening(op)
                        if isinstance(op, ContractOp):
                            _read_short_factors(op)
                    _erase_unused_moves(ops)


def _fold_operands(op: StructuredOp, ctx: CompilerContext) -> None:
    """Let `op` read through all moves before it."""
    operands, maps = list(op.inputs), list(op.index_maps)
    sizes = op.dim_sizes
    for number in range(len(operands)):
        while isinstance(move := operands[number].owner, Operation) and is_move(move):
            composed = read_through(move, maps[number].results, sizes)
            if composed is None:
                ctx.remark(op, f"{move.name} before operand {number} stays: the subscripts would not be affine")
                break
            operands[number] = move.operands[0]
            maps[number] = AffineMap(len(sizes), 0, tuple(composed))
    if operands != list(op.inputs):
        op.operands = operands
        op.maps = ArrayAttr(AffineMapAttr(m) for m in maps)


def _fold_widening(op: ReduceOp) -> None:
    """Let a reduction over windows widen what it reads: a wider copy of an image takes longer than to widen each tap.

        %0 = tensor.map %x[y, x, n] over … : tensor<114x114x64xbf16> -> tensor<114x114x64xf32> { extf }
        %1 = tensor.reduce max %0[y * 2 + ky, x * 2 + kx, n] over … reduce (ky: 3, kx: 3)
    ->
        %1 = tensor.reduce max %x[y * 2 + ky, x * 2 + kx, n] over … reduce (ky: 3, kx: 3) { extf }
    """
    widened = op.inputs[0].owner
    if len(op.inputs) != 1 or not op.passes_through or not isinstance(widened, MapOp) or not _only_widens(widened):
        return
    subscripts = op.index_maps[0].results
    is_window = any(not isinstance(e, AffineDimExpr) for e in subscripts)
    if not is_window or not op.inputs[0].has_one_use():
        return
    if (composed := read_through(widened, subscripts, op.dim_sizes)) is None:
        return
    block = op.body.block
    narrow = block.insert_arg(element_type(widened.inputs[0].type), 0)
    wide = arith.ExtFOp(narrow, element_type(widened.result.type))
    wide.location = widened.location
    Rewriter.insert_op(wide, InsertPoint.at_start(block))
    block.args[1].replace_all_uses_with(wide.result)
    block.erase_arg(block.args[1])
    op.operands = list(widened.inputs)
    op.maps = ArrayAttr([AffineMapAttr(AffineMap(len(op.dim_sizes), 0, tuple(composed)))])
    Rewriter.erase_op(widened)


def _read_short_factors(op: ContractOp) -> None:
    """Let a product of matrices read factors before they were made wider: it widens them itself.

        %0 = tensor.map %keys[b, k, n] over … : tensor<3x64x512xf16> -> tensor<3x64x512xf32> { extf }
        %1 = tensor.contract %q[b, m, k], %0[b, k, n] over … : tensor<3x3x64xf32>, tensor<3x64x512xf32> -> …
    ->
        %1 = tensor.contract %q[b, m, k], %keys[b, k, n] over … : tensor<3x3x64xf32>, tensor<3x64x512xf16> -> …
    """
    for number, factor in enumerate(list(op.inputs)):
        widened, subscripts = factor.owner, op.index_maps[number].results
        if not isinstance(widened, MapOp) or not _only_widens(widened, (f16, bf16)) or not factor.has_one_use():
            continue
        composed = [e.replace_dims_and_symbols(list(subscripts), []) for e in widened.index_maps[0].results]
        if not all(isinstance(e, AffineDimExpr) for e in composed):  # those of extent 1 are dims, too
            continue
        maps = list(op.index_maps)
        maps[number] = AffineMap(len(op.dim_sizes), 0, tuple(composed))
        op.operands = [widened.inputs[0] if i == number else each for i, each in enumerate(op.operands)]
        op.maps = ArrayAttr(map(AffineMapAttr, maps))
        Rewriter.erase_op(widened)


def _only_widens(op: MapOp, elements: Sequence[Attribute] = (bf16,)) -> bool:
    """Whether a map makes the one number that it reads wider: by a shift if it is bf16, that of f16 may be more."""
    wide = op.yielded.owner
    reads = isinstance(wide, arith.ExtFOp) and wide.input is op.body.block.args[0]
    return len(op.inputs) == 1 and reads and element_type(op.inputs[0].type) in elements


def is_move(op: Operation) -> bool:
    """Whether each element of the result of `op` is one of the elements of its operand."""
    return isinstance(op, CollapseShapeOp | ExpandShapeOp) or (isinstance(op, StructuredOp) and op.moves)


def read_through(move: Operation, subscripts: Sequence[AffineExpr], sizes: Sequence[int]) -> list[AffineExpr] | None:
    """Where the operand of `move` is read if its result is read at `subscripts`, over dims of these `sizes`.

    None if these subscripts are not affine.
    """
    source = tensor_type(move.operands[0]).get_shape()
    if isinstance(move, StructuredOp):
        composed = [e.replace_dims_and_symbols(list(subscripts), []) for e in move.index_maps[0].results]
        composed = [simplify(e, sizes) for e in composed]
        return composed if stays_inside(composed, source, sizes) else None
    return through_reshape(subscripts, tensor_type(move.results[0]).get_shape(), source, sizes)


def _erase_unused_moves(ops: Sequence[Operation]) -> None:
    for op in reversed(ops):
        if is_move(op) and op.results[0].first_use is None:
            Rewriter.erase_op(op)
