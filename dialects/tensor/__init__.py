"""The tensor dialect: *what* is computed at each point. xDSL's tensor ops, ours with index maps, and gather."""

from xdsl.dialects.tensor import Tensor as UpstreamTensor
from xdsl.ir import Dialect

from mlc.dialects.tensor.gather import GatherOp
from mlc.dialects.tensor.ops import ContractOp, MapOp, ReduceOp
from mlc.dialects.tensor.structured import REDUCTIONS, StructuredOp, is_identity

Tensor = Dialect(
    "tensor", [*UpstreamTensor.operations, MapOp, ReduceOp, ContractOp, GatherOp], [*UpstreamTensor.attributes]
)

__all__ = ["REDUCTIONS", "ContractOp", "GatherOp", "MapOp", "ReduceOp", "StructuredOp", "Tensor", "is_identity"]
