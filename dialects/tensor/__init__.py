"""The tensor dialect: *what* is computed at each point. xDSL's, upstream's gather, and ours with index maps, and take."""

from xdsl.dialects.tensor import Tensor as UpstreamTensor
from xdsl.ir import Dialect

from mlc.dialects.tensor.gather import GatherOp
from mlc.dialects.tensor.ops import ContractOp, MapOp, ReduceOp
from mlc.dialects.tensor.structured import REDUCTIONS, StructuredOp, is_identity
from mlc.dialects.tensor.take import TakeOp

Tensor = Dialect(
    "tensor",
    [*UpstreamTensor.operations, MapOp, ReduceOp, ContractOp, TakeOp, GatherOp],
    [*UpstreamTensor.attributes],
)

__all__ = [
    "REDUCTIONS",
    "ContractOp",
    "GatherOp",
    "MapOp",
    "ReduceOp",
    "StructuredOp",
    "TakeOp",
    "Tensor",
    "is_identity",
]
