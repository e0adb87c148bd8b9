"""The pass `convert-layout`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ElementwiseOp, GraphOp, ReshapeOp, TransposeOp, constant_of, ints
from mlc.dialects.graph.types import Shape, is_static, shape_of, tensor
from mlc.dialects.graph.windows import LAYOUTS
from mlc.pass_manager.base import Pass
from mlc.passes.graph._layouts import LayoutRule, Properties, channels_first, channels_last, permute, rule_for
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class ConvertLayoutPass(Pass):
    """Put the channels of images last, inside the model: convolutions and pools become NHWC, or NDHWC.

    ```mlir
    %0 = graph.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x6x6xf32>
    %1 = graph.relu %0 : tensor<1x16x6x6xf32>
    // after
    %x1 = graph.transpose %x [0, 2, 3, 1] : ...
    %w1 = graph.transpose %w [2, 3, 1, 0] : ...
    %0 = graph.conv2d %x1, %w1 {layout = "NHWC"} : tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32> -> tensor<1x6x6x16xf32>
    %1 = graph.relu %0 : tensor<1x6x6x16xf32>
    %2 = graph.transpose %1 [0, 3, 1, 2] : ...
    ```

    What follows a convolution and can work on either layout (`_layouts.RULES`) takes the channels-last value, so a
    chain has at most one transpose at each end, a reshape where only dimensions of extent 1 move. Transposes of weights
    are left to `fold-constants`. An op with several images follows the majority of those that are not constants. It
    leaves alone the types of function arguments and results, ops that need the elements in order (reshape, matmul), and
    shapes with `?`.
    """

    name = "convert-layout"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for func in module.walk():
            if isinstance(func, FuncOp):
                _Converter().convert(func)


_Copy: TypeAlias = tuple[SSAValue, int, bool]
"""A value, the rank of the image that it becomes, and whether it is to be broadcast."""


@dataclass
class _Converter:
    native: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """For results of rewritten ops, the channels-last value that replaces them."""
    copies: dict[tuple[SSAValue, int, bool], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int, bool], SSAValue]
    )
    """For other values, channels-last copies."""
    rewritten: dict[Operation, None] = field(default_factory=dict[Operation, None])

    def convert(self, func: FuncOp) -> None:
        """One walk that rewrites ops, then transposes back where a channels-first value is still used."""
        for op in list(func.walk()):
            if isinstance(op, TransposeOp | ReshapeOp) and op.input in self.native:
                self._skip_transpose_back(op)
            elif isinstance(op, GraphOp) and (found := self._applicable(op)) is not None:
                self._rewrite(op, *found)
        for value, last in self.native.items():
            if any(use.operation not in self.rewritten for use in value.uses):
                first = _moved(last, channels_first(len(shape_of(last))))
                value.replace_uses_with_if(first, lambda use: use.operation not in self.rewritten)
        for op in reversed(self.rewritten):
            op.detach()
            op.erase()

    def _applicable(self, op: GraphOp) -> tuple[LayoutRule, Properties] | None:
        """The rule for `op`, if there is one and it pays."""
        rule = rule_for(op)
        if rule is None or not all(is_static(v.type) for v in (*op.operands, op.result)):
            return None
        operands = op.operands[: 1 if rule.first_only else None]
        rank = max((len(shape_of(v)) for v in operands), default=0)
        images = [v for v in operands if len(shape_of(v)) == rank]
        if rank not in _RANKS or not (rule.starts or self._most_are_native(images)):
            return None
        properties = rule.properties(op)
        return None if properties is None else (rule, properties)

    def _most_are_native(self, images: list[SSAValue]) -> bool:
        """Whether rewriting saves at least as many transposes as it costs; those of constants cost nothing."""
        native = sum(image in self.native for image in images)
        costly = sum(
            image not in self.native and constant_of(image) is None and not _keeps_order(shape_of(image))
            for image in images
        )
        return native > 0 and native >= costly

    def _rewrite(self, op: GraphOp, rule: LayoutRule, properties: Properties) -> None:
        images = op.operands[: 1 if rule.first_only else None]
        rank = max(len(shape_of(v)) for v in images)
        last = [self._channels_last(v, rank, isinstance(op, ElementwiseOp)) for v in images]
        rest = list(op.operands[len(last) :])
        if rule.weights is not None:
            rest = [_moved(rest[0], rule.weights(rank))]
        result_type, is_image = op.result.type, len(shape_of(op.result)) == rank
        if is_image:
            result_type = tensor(permute(shape_of(op.result), channels_last(rank)), result_type.element_type)
        new = type(op).create(
            operands=[*last, *rest],
            properties={**op.properties, **properties},
            attributes=dict(op.attributes),
            result_types=[result_type],
        )
        _insert(new, InsertPoint.before(op), like=op)
        if is_image:
            self.native[op.result] = new.result
        else:
            op.result.replace_all_uses_with(new.result)
        self.rewritten[op] = None

    def _channels_last(self, value: SSAValue, rank: int, broadcasts: bool) -> SSAValue:
        """The channels-last form of an operand; one that is broadcast may have a lower rank than the image."""
        shape = shape_of(value)
        if value in self.native and len(shape) == rank:
            return self.native[value]
        key = (value, rank, broadcasts)
        if key not in self.copies:
            image, order = (1,) * (rank - len(shape)) + shape, channels_last(rank)
            if broadcasts and _keeps_order(image):
                copy = _reshaped(value, _without_leading_ones(permute(image, order)))
            else:
                copy = _moved(_reshaped(value, image), order)
            self.copies[key] = copy
        return self.copies[key]

    def _skip_transpose_back(self, op: TransposeOp | ReshapeOp) -> None:
        """Let an op that reorders a rewritten value start from the channels-last form, where that is simpler."""
        last = self.native[op.input]
        back = channels_first(len(shape_of(last)))
        if isinstance(op, TransposeOp):
            new = _moved(last, permute(back, ints(op.permutation)))
        elif _in_order(shape_of(last), back):
            new = _reshaped(last, shape_of(op.result))
        else:
            return
        op.result.replace_all_uses_with(new)
        self.rewritten[op] = None


_RANKS = tuple(len(first) for first, _ in LAYOUTS.values())
"""The ranks of images."""


def _keeps_order(image: Shape) -> bool:
    """Whether moving the channels of an image after the rest only moves dimensions of extent 1."""
    return _in_order(image, channels_last(len(image)))


def _in_order(shape: Shape, permutation: Shape) -> bool:
    """Whether the permutation only moves dimensions of extent 1, so that the elements stay in order."""
    wide = [d for d in permutation if shape[d] != 1]
    return wide == sorted(wide)


def _without_leading_ones(shape: Shape) -> Shape:
    first = next((i for i, extent in enumerate(shape) if extent != 1), len(shape))
    return shape[first:]


def _moved(value: SSAValue, permutation: Shape) -> SSAValue:
    """The value with its dimensions permuted, by a reshape if that is enough."""
    if permutation == tuple(sorted(permutation)):
        return value
    shape = shape_of(value)
    if _in_order(shape, permutation):
        return _reshaped(value, permute(shape, permutation))
    return _insert_after(value, TransposeOp(value, permutation))


def _reshaped(value: SSAValue, shape: Shape) -> SSAValue:
    return value if shape_of(value) == shape else _insert_after(value, ReshapeOp(value, shape))


def _insert_after(value: SSAValue, op: GraphOp) -> SSAValue:
    """Insert right after the definition of `value`, where every user of it can use the result too."""
    if isinstance(value, BlockArgument):
        _insert(op, InsertPoint.at_start(value.block), like=None)
    else:
        assert isinstance(value.owner, Operation)
        _insert(op, InsertPoint.after(value.owner), like=value.owner)
    op.result.name_hint = value.name_hint
    return op.result


def _insert(op: GraphOp, place: InsertPoint, like: Operation | None) -> None:
    if like is not None:
        op.location = like.location
        if like.results:
            op.result.name_hint = like.results[0].name_hint
    Rewriter.insert_op(op, place)
