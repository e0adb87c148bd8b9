"""`tensor.if` and `tensor.while`: kernels that are called or not, as data says."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from mlc.dialects.branches import IfLike, WhileLike


@irdl_op_definition
class IfOp(IfLike):
    """One of two bodies, by a condition; `graph.if` at the level of kernels.

    ```mlir
    %y = tensor.if %c using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>):
      %0 = tensor.map %a[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
      ^bb1(%b: f32):
        %1 = arith.negf %b : f32
        tensor.yield %1 : f32
      }
      tensor.yield %0 : tensor<4xf32>
    } else {
    ^bb2(%a: tensor<4xf32>):
      tensor.yield %a : tensor<4xf32>
    }
    ```

    Required:

    - `if_c1`: each body takes what is used
    - `if_c2`: each body ends in `tensor.yield`
    - `if_c3`: each body yields what the results are
    """

    name = "tensor.if"


@irdl_op_definition
class WhileOp(WhileLike):
    """Runs a body while a condition on what it carries holds; `graph.while` at the level of kernels.

    ```mlir
    %c, %y = tensor.while carry (%go, %x) using () : (tensor<i1>, tensor<4xf32>), () -> (tensor<i1>, tensor<4xf32>) {
    ^bb0(%more: tensor<i1>, %s: tensor<4xf32>):
      tensor.yield %more : tensor<i1>
    } do {
    ^bb1(%more: tensor<i1>, %s: tensor<4xf32>):
      %stop = arith.constant dense<false> : tensor<i1>
      tensor.yield %stop, %s : tensor<i1>, tensor<4xf32>
    }
    ```

    Required:

    - `while_c1`: the condition and the body take what is carried, then what is used
    - `while_c2`: both end in `tensor.yield`
    - `while_c3`: the condition yields one `tensor<i1>`
    - `while_c4`: the body yields what is carried, and these are the results
    """

    name = "tensor.while"
