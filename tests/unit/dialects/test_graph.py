"""The graph dialect from Python: builders infer types, and refuse what the verifier refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    TensorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from mlc.dialects import graph
from mlc.dialects.graph.types import Shape, Tensor, broadcast_shapes, shape_of, tensor
from mlc.support.dtypes import unsigned


def values(*types: Tensor) -> tuple[SSAValue, ...]:
    """Values of these types."""
    return Block(arg_types=types).args


def value(*shape: int, element: Attribute = f32) -> SSAValue:
    """A value of this shape."""
    return values(tensor(shape, element))[0]


_PAIR = unsigned(i64)
_COUNTER = value(element=_PAIR)
_VECTOR = value(8)
_IMAGE = value(1, 8, 6, 6)
_VOLUME = value(1, 4, 5, 6, 7)

BUILT: list[tuple[Operation, Shape]] = [
    (graph.ReluOp(_VECTOR), (8,)),
    (graph.GeluOp(_VECTOR, "tanh"), (8,)),
    (graph.AddOp(_IMAGE, value(8, 1, 1)), (1, 8, 6, 6)),
    (graph.WhereOp(value(8, element=i1), value(), value(2, 1)), (2, 8)),
    (graph.MatmulOp(value(5, 1, 2, 3), value(4, 3, 7)), (5, 4, 2, 7)),
    (graph.Conv2dOp(_IMAGE, value(16, 4, 3, 3), (2, 2), (1, 1, 1, 1), groups=2), (1, 16, 3, 3)),
    (graph.Conv2dOp(_IMAGE, value(3, 1, 6, 4), layout="NHWC"), (1, 6, 6, 4)),
    (graph.ConvTranspose2dOp(_IMAGE, value(8, 2, 3, 3), (2, 2), (1, 1, 1, 1), (1, 0), groups=4), (1, 8, 12, 11)),
    (graph.ConvTranspose2dOp(_IMAGE, value(2, 3, 6, 5), dilations=(3, 1), layout="NHWC"), (1, 11, 8, 5)),
    (graph.MaxPool2dOp(_IMAGE, (3, 3), dilations=(2, 2)), (1, 8, 2, 2)),
    (graph.AvgPool2dOp(_IMAGE, (2, 2), (2, 2), count_include_pad=True), (1, 8, 3, 3)),
    (graph.AvgPool2dOp(_IMAGE, (2, 2), dilations=(3, 1), layout="NHWC"), (1, 5, 5, 6)),
    (graph.ArgMaxPool2dOp(_IMAGE, (2, 2), (2, 2)), (1, 8, 3, 3)),
    (graph.Conv3dOp(_VOLUME, value(6, 2, 3, 3, 3), (1, 2, 2), (1, 1, 1, 1, 1, 1), groups=2), (1, 6, 5, 3, 4)),
    (graph.Conv3dOp(_VOLUME, value(1, 2, 3, 7, 9), layout="NDHWC"), (1, 4, 4, 4, 9)),
    (graph.ConvTranspose3dOp(_VOLUME, value(4, 3, 2, 2, 2), (2, 2, 2), output_padding=(1, 0, 0)), (1, 3, 11, 12, 14)),
    (graph.MaxPool3dOp(_VOLUME, (5, 2, 2), dilations=(1, 2, 1)), (1, 4, 1, 4, 6)),
    (graph.ArgMaxPool3dOp(_VOLUME, (1, 1, 2)), (1, 4, 5, 6, 6)),
    (graph.AvgPool3dOp(_VOLUME, (2, 2, 2), padding=(1, 0, 0, 1, 0, 0)), (1, 4, 6, 5, 6)),
    (graph.ReduceOp("sum", _IMAGE, [2, 3]), (1, 8)),
    (graph.ReduceOp("max", _IMAGE, [1], keepdims=True), (1, 1, 6, 6)),
    (graph.ArgMaxOp(_IMAGE, 1), (1, 6, 6)),
    (graph.ArgMinOp(_IMAGE, 2, keepdims=True), (1, 8, 1, 6)),
    (graph.SoftmaxOp(_IMAGE, 1), (1, 8, 6, 6)),
    (graph.RmsNormOp(_IMAGE, value(6, 6), 2), (1, 8, 6, 6)),
    (graph.GroupNormOp(_IMAGE, _VECTOR, _VECTOR, 4), (1, 8, 6, 6)),
    (graph.GatherNdOp(_IMAGE, value(1, 9, 2, element=i32), [2, 3], [0]), (1, 9, 8)),
    (graph.ScatterNdOp("set", _IMAGE, value(4, 2, element=i32), value(4, 1, 6), [1, 3]), (1, 8, 6, 6)),
    (graph.ArgsortOp(_IMAGE, 1, first=3), (1, 3, 6, 6)),
    (graph.PhiloxOp(value(4, 1, element=_PAIR), value(6, element=_PAIR), _COUNTER, _COUNTER), (4, 6)),
    (graph.GatherOp(_IMAGE, value(2, 3, element=i32), 1), (1, 2, 3, 6, 6)),
    (graph.LayerNormOp(_VECTOR, _VECTOR, _VECTOR, 0), (8,)),
    (graph.BatchNormOp(_IMAGE, _VECTOR, _VECTOR, _VECTOR, _VECTOR), (1, 8, 6, 6)),
    (graph.ReshapeOp(_IMAGE, (8, 36)), (8, 36)),
    (graph.TransposeOp(_IMAGE, (0, 2, 3, 1)), (1, 6, 6, 8)),
    (graph.ConcatOp([_VECTOR, value(3)], 0), (11,)),
    (graph.SliceOp(_VECTOR, [1], [8], [3]), (3,)),
    (graph.PadOp(_VECTOR, [1], [2], -1.0), (11,)),
    (graph.WinogradInputOp(value(1, 10, 6, 3), 4), (36, 1, 2, 1, 3)),
    (graph.WinogradOutputOp(value(16, 1, 2, 3, 5), 2, (3, 6)), (1, 3, 6, 5)),
]


@pytest.mark.parametrize(("op", "shape"), BUILT, ids=lambda v: v.name if isinstance(v, Operation) else "")
def test_builder_infers_shape(op: Operation, shape: Shape) -> None:
    op.verify()
    assert shape_of(op) == shape


def test_compare_and_cast_change_the_element_type() -> None:
    assert graph.CompareOp("ne", _VECTOR, value()).result.type == tensor((8,), i1)
    assert graph.CastOp(_VECTOR, i32).result.type == tensor((8,), i32)


def test_pad_value_takes_the_element_type() -> None:
    assert str(graph.PadOp(value(2, element=i32), [0], [1], 3).value) == "3 : i32"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: graph.AddOp(value(2), value(3)), r"tensor<2xf32> and tensor<3xf32> do not broadcast"),
        (lambda: graph.AddOp(value(2), value(2, element=f64)), r"different element types.*\(add_c2\)"),
        (
            lambda: graph.MatmulOp(value(2, 3), value(4, 5)),
            r"3 columns and tensor<4x5xf32> has 4 rows.*\(matmul_c2\)",
        ),
        (lambda: graph.ReshapeOp(value(2, 3), (7,)), r"6 elements and 7 has 7.*\(reshape_c1\)"),
        (lambda: graph.Conv2dOp(_IMAGE, value(4, 3, 1, 1)), r"\(conv2d_c7\)"),
        (lambda: graph.ReduceOp("mean", value(2, element=i32), [0]), r"\(reduce_c3\)"),
    ],
)
def test_builder_refuses(build: Callable[[], Operation], message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        build()


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        ([(2, 3), (3,)], (2, 3)),
        ([(4, 1), (1, 5), ()], (4, 5)),
        ([(2,), (3,)], None),
        ([(0,), (1,)], (0,)),
        ([()], ()),
    ],
)
def test_broadcast_shapes(shapes: Sequence[Shape], expected: Shape | None) -> None:
    assert broadcast_shapes(*shapes) == expected


def _dense(element: Attribute, data: list[float], *shape: int) -> SSAValue:
    type = TensorType(element, shape)
    return graph.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, data)).result  # pyright: ignore


def test_splat_of() -> None:
    assert graph.splat_of(_dense(f32, [0.5], 4)) == 0.5
    assert graph.splat_of(_dense(f32, [1.0, 2.0], 2)) is None
    assert graph.splat_of(_dense(i32, [7, 7], 2)) == 7
    resource = graph.ConstantOp(DenseResourceAttr.from_params("w", tensor((2,), f32)))
    assert graph.splat_of(resource.result) is None
    assert graph.splat_of(_VECTOR) is None


def test_shapes_with_unknown_extents_are_checked_later() -> None:
    (x,) = values(TensorType(f32, (DYNAMIC_INDEX, 3)))
    graph.AddOp.create(operands=[x, value(4)], result_types=[x.type]).verify()


def test_fusion_names_its_results() -> None:
    body = Block(arg_types=[_VECTOR.type])
    op = graph.ReluOp(body.args[0])
    body.add_ops([op, graph.YieldOp(op)])
    fusion = graph.FusionOp("relu", [_VECTOR], [_VECTOR.type], Region(body))
    fusion.verify()
    assert list(fusion.results_inside) == [op.result]


def test_elementwise_ops_say_so() -> None:
    for op in (*graph.UNARY_OPS, *graph.BINARY_OPS, graph.CompareOp, graph.WhereOp, graph.CastOp):
        assert issubclass(op, graph.ElementwiseOp)
    assert not issubclass(graph.MatmulOp, graph.ElementwiseOp)


@pytest.mark.parametrize(
    ("op", "kinds"),
    [
        (graph.Conv2dOp(_IMAGE, value(8, 8, 1, 1)), "1x1 pointwise"),
        (graph.Conv2dOp(_IMAGE, value(16, 4, 3, 3), (2, 2), groups=2), "3x3 stride 2 grouped groups 2"),
        (graph.Conv2dOp(_IMAGE, value(8, 1, 3, 5), (2, 1), groups=8), "3x5 stride 2x1 depthwise groups 8"),
        (
            graph.Conv2dOp(_IMAGE, value(2, 3, 1, 6), dilations=(2, 2), groups=6, layout="NHWC"),
            "2x3 dilated depthwise groups 6",
        ),
        (graph.ConvTranspose2dOp(_IMAGE, value(8, 1, 3, 3), groups=8), "3x3 depthwise groups 8"),
        (
            graph.ConvTranspose2dOp(_IMAGE, value(3, 3, 6, 1), groups=6, layout="NHWC"),
            "3x3 depthwise groups 6",
        ),
        (graph.ReluOp(_VECTOR), ""),
    ],
)
def test_what_people_call_an_op(op: graph.GraphOp, kinds: str) -> None:
    assert " ".join(op.kinds) == kinds
