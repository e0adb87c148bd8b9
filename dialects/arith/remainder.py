"""The remainder of floats, which xDSL's dialect does not have."""

from xdsl.dialects.arith import FloatingPointLikeBinaryOperation
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Pure


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """What remains of a division that is rounded towards zero, exact and with the sign of the dividend: C's `fmod`.

    ```mlir
    %r = arith.remf %a, %b : vector<4xf32>
    ```
    """

    name = "arith.remf"

    traits = traits_def(Pure())
