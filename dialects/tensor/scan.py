"""`tensor.scan`: a loop of kernels that carries values."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from mlc.dialects.scan import ScanLike


@irdl_op_definition
class ScanOp(ScanLike):
    """Runs a body for each row of some tensors, one step after the other; `graph.scan` at the level of kernels.

    ```mlir
    %last, %all = tensor.scan 16 carry (%sum = %zero) over (%x = %xs backwards)
        : (tensor<8xf32>, tensor<16x8xf32>) -> (tensor<8xf32>, tensor<16x8xf32>) {
      %0 = tensor.map %sum[n], %x[n] over (n: 8) : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32> {
      ^bb0(%a: f32, %b: f32):
        %1 = arith.addf %a, %b : f32
        tensor.yield %1 : f32
      }
      tensor.yield %0, %0 : tensor<8xf32>, tensor<8xf32>
    }
    ```

    Required:

    - `scan_c1`: the number of steps is not negative
    - `scan_c2`: what rows are taken from has as many of them as there are steps
    - `scan_c3`: the body takes what is carried, a row of each, and what is used
    - `scan_c4`: the body ends in `tensor.yield`
    - `scan_c5`: the body yields first what is carried
    - `scan_c6`: the results are what is carried, then stacks of the other values that the body yields
    - `scan_c7`: there is a direction for each operand that rows are taken from, and for each stack
    """

    name = "tensor.scan"
