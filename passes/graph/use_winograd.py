"""The pass `use-winograd`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    Conv2dOp,
    ConvOp,
    MatmulOp,
    PadOp,
    ReshapeOp,
    WinogradInputOp,
    WinogradOutputOp,
    constant_of,
)
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.dialects.graph.windows import has_channels_last
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import Array, constant_array, constant_from, resource_name
from mlc.passes.graph._winograd import WinogradProblem, measured_error, transformed
from mlc.support.context import CompilerContext
from mlc.support.rounding import Rounding
from mlc.support.winograd import TAPS, TILES
from mlc.targets.machine import Machine, resolve_target

LARGEST_ERROR = 1e-4
"""How far a result may be off, relative to the largest one."""
LEAST_GAIN = 1.1
"""What the estimate has to promise; it is not more accurate than that."""


@dataclass(frozen=True)
class UseWinogradPass(Pass):
    """Compute 3 x 3 convolutions by Winograd's minimal filtering, F(2 x 2, 3 x 3) or F(4 x 4, 3 x 3).

    ```mlir
    %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x56x56x64xf32>, ...
    // after, with weights that are transformed now
    %p = graph.pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] with 0.0 : f32 : ...
    %v = graph.winograd_input %p tile 4 : tensor<1x58x58x64xf32> -> tensor<36x1x14x14x64xf32>
    %m = graph.matmul %v1, %u : tensor<36x196x64xf32>, tensor<36x64x64xf32> -> tensor<36x196x64xf32>
    %y = graph.winograd_output %m1 tile 4 size [56, 56] : tensor<36x1x14x14x64xf32> -> tensor<1x56x56x64xf32>
    ```

    A form is used where the estimate by facts of the machine says that it is the fastest one, and where its error,
    measured with the weights on random windows, is at most 1e-4 of the largest result; a warning tells that error. It
    leaves alone weights that are not constant, other windows, strides, dilations, groups, elements other than f32 and
    f64, and images with channels first (`convert-layout`). Lavin and Gray, arXiv:1509.09308, 2015.
    """

    name = "use-winograd"
    rounding = Rounding(4096, "convolutions are sums of products of sums", skips_zeros=True, finite_only=True)

    target: str = ""
    """The machine to choose for; the target of the compilation if empty."""
    tile: int = 0
    """The width of tiles, 2 or 4, wherever the operator can be rewritten; 0 takes the estimate."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        machine = resolve_target(self.target or ctx.target)
        for op in list(module.walk()):
            if isinstance(op, ConvOp):
                self._visit(op, machine, ctx)

    def _visit(self, op: ConvOp, machine: Machine, ctx: CompilerContext) -> None:
        weights = _weights_of(op, ctx)
        if isinstance(weights, str):
            ctx.remark(op, f"not by Winograd's filtering: {weights}")
            return
        reasons: list[str] = []
        for tile in (self.tile,) if self.tile else _fastest_first(_problem(op), machine, reasons):
            error = measured_error(weights, tile)
            name = f"F({tile} x {tile}, 3 x 3)"
            if error <= LARGEST_ERROR:
                ctx.warn(op, f"Winograd's {name}: {_words_of_error(error)}")
                ctx.remark(op, "; ".join([*reasons, f"computed by Winograd's {name}"]))
                _rewrite(op, weights, tile, ctx)
                return
            reasons.append(f"{name}: {_words_of_error(error)}, more than {LARGEST_ERROR}")
        ctx.remark(op, f"not by Winograd's filtering: {'; '.join(reasons)}")


def _words_of_error(error: float) -> str:
    return f"the largest error on random images is {error:.1e} of the largest element"


def _weights_of(op: ConvOp, ctx: CompilerContext) -> Array | str:
    """The weights of a convolution that can be rewritten, or why it cannot be."""
    window = op.window
    if not isinstance(op, Conv2dOp) or window.kernel != (TAPS, TAPS):
        return f"the window is {' x '.join(map(str, window.kernel))}; required: 3 x 3"
    if window.strides != (1, 1) or window.dilations != (1, 1):
        return f"strides {list(window.strides)} and dilations {list(window.dilations)}; required: 1"
    if op.groups.value.data != 1:
        return f"{op.groups.value.data} groups; required: 1"
    if not isinstance(element_of(op.input), Float32Type | Float64Type):
        return f"elements of type {element_of(op.input)}; required: f32 or f64"
    if not has_channels_last(op.layout.data):
        return f"layout {op.layout.data}; required: NHWC"
    constant = constant_of(op.weights)
    weights = None if constant is None else constant_array(constant, ctx.resources)
    if weights is None:
        return "the weights are not constant"
    if not is_static(op.input.type) or 0 in (*shape_of(op.result), *shape_of(op.input)):
        return "the shape is not known, or empty"
    return weights


def _problem(op: ConvOp) -> WinogradProblem:
    batch, rows, columns, out = shape_of(op.result)
    bits = 32 if isinstance(element_of(op.input), Float32Type) else 64
    return WinogradProblem(batch, rows, columns, shape_of(op.input)[-1], out, bits // 8)


def _fastest_first(problem: WinogradProblem, machine: Machine, reasons: list[str]) -> list[int]:
    """The widths of tiles that are estimated to be faster than the direct convolution; `reasons` gets the estimates."""
    direct = problem.direct_cycles(machine)
    gains = {tile: direct / problem.winograd_cycles(tile, machine) for tile in TILES}
    words = ", ".join(f"F({tile} x {tile}, 3 x 3) {gain:.2f}" for tile, gain in gains.items())
    reasons.append(f"estimated speed, direct = 1: {words}")
    return sorted((tile for tile, gain in gains.items() if gain > LEAST_GAIN), key=lambda tile: -gains[tile])


def _rewrite(op: ConvOp, weights: Array, tile: int, ctx: CompilerContext) -> None:
    element = element_of(op.input)
    batch, rows, columns, out = shape_of(op.result)
    channels = shape_of(op.input)[-1]
    tiles = -(-rows // tile), -(-columns // tile)
    top, left, bottom, right = op.window.padding
    below, beside = tiles[0] * tile - rows, tiles[1] * tile - columns

    def insert(new: Operation, hint: str | None) -> SSAValue:
        new.location, new.results[0].name_hint = op.location, hint
        Rewriter.insert_op(new, InsertPoint.before(op))
        return new.results[0]

    image: SSAValue = op.input
    if any((top, left, bottom + below, right + beside)):
        pad = PadOp(image, (0, top, left, 0), (0, bottom + below, right + beside, 0), 0)
        image = insert(pad, op.input.name_hint)
    windows = insert(WinogradInputOp(image, tile), "windows")
    constant = constant_of(op.weights)
    assert constant is not None
    data = transformed(weights, tile)
    name = resource_name(constant) or op.weights.name_hint or "weights"
    kernel = insert(
        constant_from(data, tensor(data.shape, element), ctx.resources, f"{name}.winograd{tile}"), "filters"
    )
    flat = insert(ReshapeOp(windows, (len(data), batch * prod(tiles), channels)), "windows")
    sums = insert(MatmulOp(flat, kernel), "products")
    sums = insert(ReshapeOp(sums, (len(data), batch, *tiles, out)), "products")
    result = insert(WinogradOutputOp(sums, tile, (rows, columns)), op.result.name_hint)
    op.result.replace_all_uses_with(result)
    op.detach()
    op.erase()
    if constant.result.first_use is None:
        constant.detach()
        constant.erase()
