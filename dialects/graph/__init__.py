"""The graph dialect: whole-tensor operators with value semantics, what a model is made of.

| family | file |
|---|---|
| constants | `constant.py` |
| elementwise | `elementwise.py` (compare, where, cast, bitcast), `unary.py`, `trigonometry.py`, `binary.py` |
| matmul | `contraction.py` |
| convolution | `convolution.py` |
| transposed convolution | `conv_transpose.py` |
| pooling | `pooling.py` |
| reductions, argmax | `reduction.py` |
| normalisations | `normalization.py` |
| reshape, transpose | `shape.py` |
| broadcast, reverse | `broadcast.py` |
| concat, slice, pad | `slicing.py` |
| gather | `gather.py` |
| scatter | `scatter.py` |
| sort, top k | `sort.py` |
| random numbers | `random.py` |
| what ops share that reach a tensor at computed places | `placement.py` |
| what ops that only move elements share | `moves.py` |
| loops of known length that carry values | `scan.py` |
| branches, and loops of a length that depends on data | `branches.py` |
| groups of ops that become one kernel | `fusion.py` |
"""

from __future__ import annotations

from xdsl.ir import Dialect

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.binary import (
    BINARY_OPS,
    AddOp,
    AndOp,
    BinaryOp,
    DivOp,
    MaxOp,
    MinOp,
    ModOp,
    MulOp,
    OrOp,
    PowOp,
    RemOp,
    ShlOp,
    ShrOp,
    SubOp,
    XorOp,
)
from mlc.dialects.graph.branches import IfOp, WhileOp
from mlc.dialects.graph.broadcast import BroadcastOp, ReverseOp
from mlc.dialects.graph.constant import ConstantOp, constant_of, splat_of
from mlc.dialects.graph.contraction import MatmulOp
from mlc.dialects.graph.conv_transpose import ConvTranspose2dOp, ConvTranspose3dOp, ConvTransposeOp
from mlc.dialects.graph.convolution import Conv2dOp, Conv3dOp, ConvOp
from mlc.dialects.graph.elementwise import (
    BitcastOp,
    CastOp,
    CompareOp,
    ElementwiseOp,
    Predicate,
    PredicateAttr,
    WhereOp,
)
from mlc.dialects.graph.fusion import FusionOp, YieldOp
from mlc.dialects.graph.gather import GatherNdOp, GatherOp
from mlc.dialects.graph.moves import MoveOp
from mlc.dialects.graph.normalization import BatchNormOp, GroupNormOp, LayerNormOp, RmsNormOp, SoftmaxOp
from mlc.dialects.graph.pooling import (
    ArgMaxPool2dOp,
    ArgMaxPool3dOp,
    ArgMaxPoolOp,
    AvgPool2dOp,
    AvgPool3dOp,
    AvgPoolOp,
    MaxPool2dOp,
    MaxPool3dOp,
    MaxPoolOp,
    PoolOp,
)
from mlc.dialects.graph.random import PhiloxOp
from mlc.dialects.graph.reduction import ArgMaxOp, ArgMinOp, ArgReduceOp, ReduceKind, ReduceKindAttr, ReduceOp
from mlc.dialects.graph.scan import ScanOp
from mlc.dialects.graph.scatter import ScatterKind, ScatterKindAttr, ScatterNdOp
from mlc.dialects.graph.shape import ReshapeOp, TransposeOp
from mlc.dialects.graph.slicing import ConcatOp, PadOp, SliceOp
from mlc.dialects.graph.sort import ArgsortOp
from mlc.dialects.graph.trigonometry import (
    TRIGONOMETRIC_OPS,
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    AtanOp,
    CoshOp,
    CosOp,
    SinhOp,
    SinOp,
    TanOp,
)
from mlc.dialects.graph.types import ints
from mlc.dialects.graph.unary import (
    SIMPLE_OPS,
    AbsOp,
    CeilOp,
    ErfOp,
    ExpM1Op,
    ExpOp,
    FloorOp,
    GeluOp,
    Log1pOp,
    LogOp,
    NegOp,
    NotOp,
    ReluOp,
    RoundOp,
    RsqrtOp,
    SigmoidOp,
    SignOp,
    SiluOp,
    SqrtOp,
    TanhOp,
    TruncOp,
    UnaryOp,
)
from mlc.dialects.graph.winograd import WinogradInputOp, WinogradOp, WinogradOutputOp

UNARY_OPS = (*SIMPLE_OPS, *TRIGONOMETRIC_OPS)

Graph = Dialect(
    "graph",
    [
        ConstantOp,
        *UNARY_OPS,
        *BINARY_OPS,
        CompareOp,
        WhereOp,
        CastOp,
        BitcastOp,
        MatmulOp,
        Conv2dOp,
        Conv3dOp,
        ConvTranspose2dOp,
        ConvTranspose3dOp,
        MaxPool2dOp,
        MaxPool3dOp,
        ArgMaxPool2dOp,
        ArgMaxPool3dOp,
        AvgPool2dOp,
        AvgPool3dOp,
        WinogradInputOp,
        WinogradOutputOp,
        ReduceOp,
        ArgMaxOp,
        ArgMinOp,
        SoftmaxOp,
        LayerNormOp,
        RmsNormOp,
        GroupNormOp,
        BatchNormOp,
        ReshapeOp,
        TransposeOp,
        BroadcastOp,
        ReverseOp,
        ConcatOp,
        SliceOp,
        PadOp,
        GatherOp,
        GatherNdOp,
        ScanOp,
        IfOp,
        WhileOp,
        ScatterNdOp,
        ArgsortOp,
        PhiloxOp,
        FusionOp,
        YieldOp,
    ],
    [PredicateAttr, ReduceKindAttr, ScatterKindAttr],
)

__all__ = [
    "BINARY_OPS",
    "TRIGONOMETRIC_OPS",
    "UNARY_OPS",
    "AbsOp",
    "AcosOp",
    "AcoshOp",
    "AddOp",
    "AndOp",
    "ArgMaxOp",
    "ArgMaxPool2dOp",
    "ArgMaxPool3dOp",
    "ArgMaxPoolOp",
    "ArgMinOp",
    "ArgReduceOp",
    "ArgsortOp",
    "AsinOp",
    "AsinhOp",
    "AtanOp",
    "AtanhOp",
    "AvgPool2dOp",
    "AvgPool3dOp",
    "AvgPoolOp",
    "BatchNormOp",
    "BinaryOp",
    "BitcastOp",
    "BroadcastOp",
    "CastOp",
    "CeilOp",
    "CompareOp",
    "ConcatOp",
    "ConstantOp",
    "Conv2dOp",
    "Conv3dOp",
    "ConvOp",
    "ConvTranspose2dOp",
    "ConvTranspose3dOp",
    "ConvTransposeOp",
    "CosOp",
    "CoshOp",
    "DivOp",
    "ElementwiseOp",
    "ErfOp",
    "ExpM1Op",
    "ExpOp",
    "FloorOp",
    "FusionOp",
    "GatherNdOp",
    "GatherOp",
    "GeluOp",
    "Graph",
    "GraphOp",
    "GroupNormOp",
    "IfOp",
    "LayerNormOp",
    "Log1pOp",
    "LogOp",
    "MatmulOp",
    "MaxOp",
    "MaxPool2dOp",
    "MaxPool3dOp",
    "MaxPoolOp",
    "MinOp",
    "ModOp",
    "MoveOp",
    "MulOp",
    "NegOp",
    "NotOp",
    "OrOp",
    "PadOp",
    "PhiloxOp",
    "PoolOp",
    "PowOp",
    "Predicate",
    "PredicateAttr",
    "ReduceKind",
    "ReduceKindAttr",
    "ReduceOp",
    "ReluOp",
    "RemOp",
    "ReshapeOp",
    "ReverseOp",
    "RmsNormOp",
    "RoundOp",
    "RsqrtOp",
    "ScanOp",
    "ScatterKind",
    "ScatterKindAttr",
    "ScatterNdOp",
    "ShlOp",
    "ShrOp",
    "SigmoidOp",
    "SignOp",
    "SiluOp",
    "SinOp",
    "SinhOp",
    "SliceOp",
    "SoftmaxOp",
    "SqrtOp",
    "SubOp",
    "TanOp",
    "TanhOp",
    "TransposeOp",
    "TruncOp",
    "UnaryOp",
    "WhereOp",
    "WhileOp",
    "WinogradInputOp",
    "WinogradOp",
    "WinogradOutputOp",
    "XorOp",
    "YieldOp",
    "constant_of",
    "ints",
    "splat_of",
]
